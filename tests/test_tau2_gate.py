"""The gate on published trials: gpt-4.1 and its fine-tuned successor, one trial a task, imported as they were published."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT
from typer.testing import CliRunner

from evalkit import load_run
from evalkit.cli import app
from evalkit.gate import decide
from evalkit.reliability import pass_hat

DATA = ROOT.parent / "shared/data"
RUNS, MATRICES = DATA / "tau2_bench/runs", DATA / "tau2_retail_trial_matrices"
MAPPED = (
    "candidate=model", "case=task_id", "stratum=domain", "usd=agent_cost", "seconds=duration_s",
    "route_expected=expected_escalation", "route_actual=escalated",
)  # fmt: skip

pytestmark = pytest.mark.skipif(not RUNS.is_dir(), reason="the published tau2 trials are not beside this repository")


def today() -> date:
    """The day by which an import dates its trials."""
    return datetime.now(UTC).date()


def brought_in(path: Path, *more: str) -> str:
    """The id of the run that the command makes of a file."""
    done = CliRunner().invoke(app, ["import", "flat", str(path), "--json", *more])
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)["run"]


def tau2(model: str, tmp_path: Path) -> str:
    path = tmp_path / f"{model}.jsonl"
    path.write_text(
        "".join((RUNS / f"sierra-gym__{model}__{part}.jsonl").read_text() for part in ("telecom", "retail"))
    )
    return brought_in(path, *(word for pair in MAPPED for word in ("--map", pair)))


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    return tau2("gpt-4.1", tmp_path), tau2("gpt-4.1-sft", tmp_path)


def test_the_published_shares_and_missed_handoffs_come_out_of_the_import(pair: tuple[str, str]) -> None:
    rows = pl.concat([load_run(run).judged for run in pair])
    assert len(rows) == 160
    found = {key: group["passed"].sum() / len(group) for key, group in rows.group_by("candidate", "stratum")}
    # SOURCE.md: telecom 0.45 and 0.75, retail 0.85 and 0.85, 40 tasks each.
    assert found == {
        ("gpt-4.1", "telecom"): 0.45, ("gpt-4.1-sft", "telecom"): 0.75,
        ("gpt-4.1", "retail"): 0.85, ("gpt-4.1-sft", "retail"): 0.85,
    }  # fmt: skip
    telecom = rows.filter(stratum="telecom", route_expected="escalate")
    # 3 of 12 expected handoffs missed, against none of 12.
    assert dict(telecom.group_by("candidate").agg(pl.len()).iter_rows()) == {"gpt-4.1": 12, "gpt-4.1-sft": 12}
    assert dict(telecom.group_by("candidate").agg((pl.col("routing") == "missed").sum()).iter_rows()) == {
        "gpt-4.1": 3, "gpt-4.1-sft": 0,
    }  # fmt: skip


def test_without_repeats_of_the_baseline_the_gate_has_not_measured(pair: tuple[str, str]) -> None:
    done = CliRunner().invoke(app, ["gate", *pair, "--json"])
    assert done.exit_code == 1
    assert json.loads(done.stdout)["decision"] == "not measured"
    found = decide(*map(load_run, pair), today=today())
    assert (found.verdict, found.allow) == ("not measured", False)
    assert found.reason.startswith("no repeats of the baseline")
    assert {reason.kind for reason in found.reasons} == {"not measured"}


def test_with_a_band_that_is_assumed_it_allows_and_the_record_says_so(pair: tuple[str, str], tmp_path: Path) -> None:
    record = tmp_path / "decision.json"
    done = CliRunner().invoke(app, ["gate", *pair, "--assume-band", "0.1", "--record", str(record), "--json"])
    assert (done.exit_code, json.loads(done.stdout)["decision"]) == (0, "allow"), done.stderr
    assert "assumed" in record.read_text()
    found = decide(*map(load_run, pair), 0.1, today=today())
    assert found.allow
    looks = {look.stratum: look for look in found.strata}
    assert {name: round(look.delta, 9) for name, look in looks.items()} == {"telecom": 0.30, "retail": 0.0}
    # The other way round it is a drop of 0.30 of telecom alone.
    back = decide(*map(load_run, reversed(pair)), 0.1, today=today())
    assert back.verdict == "block"
    assert "telecom dropped 0.30" in back.reason
    assert "retail" not in back.reason


def test_trials_of_another_day_are_stale_and_their_day_can_be_said(pair: tuple[str, str]) -> None:
    late = today() + timedelta(days=30)
    assert {"stale"} <= {reason.kind for reason in decide(*map(load_run, pair), 0.1, today=late).reasons}


def matrix(name: str, *more: str) -> str:
    options = ("--wide", "--map", "case=task_id", "--set", f"candidate={name}", "--set", "stratum=retail", *more)
    return brought_in(MATRICES / f"{name}.csv", *options)


def test_the_matrices_give_the_published_pass_hat_through_wide() -> None:
    # SOURCE.md, recomputed from the authors' own columns: pass^1 … pass^4 over 114 tasks.
    published = {
        "base_gpt5nano_reasoning_high": (0.567982, 0.473684, 0.427632, 0.403509),
        "mermaid_reasoning_high": (0.732456, 0.644737, 0.598684, 0.570175),
        "mermaid_reasoning_medium": (0.725877, 0.628655, 0.557018, 0.491228),
    }
    for name, values in published.items():
        run = load_run(matrix(name))
        found = [pass_hat(run, k).filter(convention="left out")["value"].item() for k in (1, 2, 3, 4)]
        assert found == pytest.approx(values, abs=1e-6)


def test_four_repeats_of_one_trial_give_the_gate_a_band_that_is_measured() -> None:
    high = matrix("mermaid_reasoning_high", "--repeats", "4")
    base = matrix("base_gpt5nano_reasoning_high", "--repeats", "4")
    run = load_run(high)
    # SOURCE.md: successes of 114 by trial 84, 85, 80, 85.
    assert [sum(each.judgement.passed for each in block) for block in run.blocks(run.manifest["baseline"]).values()] == [
        84, 85, 80, 85,
    ]  # fmt: skip
    found = decide(run, load_run(base), today=today())
    # base's first trial passes 64 of 114, and high 334 of 456 over its four: 0.561 − 0.732 = −0.171.
    (look,) = found.strata
    assert look.delta == pytest.approx(64 / 114 - 334 / 456)
    assert found.verdict == "block"
    assert "retail dropped 0.17" in found.reason
