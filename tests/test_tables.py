"""A run as frames, and as an archive from which every number can be made again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from handmade import DIRECT, HANDOFF, run_of

from evalkit import views
from evalkit.errors import StoreError
from evalkit.plan import plan
from evalkit.rows import JUDGED_COLUMNS
from evalkit.runner import play_plan
from evalkit.runs import load_run
from evalkit.store import Store
from evalkit.tables import Run
from evalkit.transcript import Message

CASES = """
- {id: A, stratum: s, ticket: {body: When?}, expected_handling: direct, must_include: [two days], must_not_include: [refund]}
- {id: B, stratum: t, risk: safety, ticket: {subject: Urgent, body: My lawyer writes}, expected_handling: escalate}
"""
SAID = "ROUTE: direct\n\nIn two days."


@pytest.fixture
def run(shop: Path) -> Run:
    with Store() as opened:
        play_plan(plan(shop / "shootouts/small.yaml"), opened)
    return load_run("latest")


def test_judged_rows_have_the_promised_columns_and_a_row_a_slot() -> None:
    made = run_of(CASES, {"x": {"A": [SAID, None], "B": [HANDOFF, "!error"]}}, trials=2)
    promised = [
        "candidate",
        "case",
        "stratum",
        "trial",
        "status",
        "passed",
        "points",
        "points_possible",
        "usd",
        "seconds",
    ]
    assert set(promised) <= set(JUDGED_COLUMNS)
    rows = {(row["case"], row["trial"]): row for row in made.judged.to_dicts()}
    assert len(rows) == 4
    assert (rows["A", 0]["passed"], rows["A", 0]["points"], rows["A", 0]["facts_present"]) == (True, 3.0, 1)
    assert (rows["A", 1]["status"], rows["A", 1]["passed"], rows["A", 1]["points"]) == ("not_run", None, None)
    assert (rows["B", 1]["status"], rows["B", 1]["passed"], rows["B", 1]["usd"]) == ("error", None, 0.001)
    assert made.judged["points_possible"].to_list() == [3.0, None, 2.0, 2.0]


def test_the_rows_come_as_pandas_too() -> None:
    frame = run_of(CASES, {"x": {"A": [SAID], "B": [HANDOFF]}}).to_pandas()
    assert list(frame["case"]) == ["A", "B"]
    assert frame["points"].sum() == 5


def test_verdicts_add_up_to_the_points() -> None:
    made = run_of(CASES, {"x": {"A": ["ROUTE: escalate\n\nA refund"], "B": [DIRECT]}})
    # A: fact −1, claim −2, route −3; B: route −3.
    assert made.verdicts["points"].sum() == made.judged["points"].sum() == -9


def test_an_archive_is_judged_to_the_same_rows_without_the_store(run: Run, tmp_path: Path) -> None:
    run.archive(tmp_path, date="2026-11-30", headline="x", complete=True)
    again = load_run(tmp_path, tmp_path / "no-such-store.sqlite")
    assert again.judged.equals(run.judged)
    assert again.trials.equals(run.trials)
    assert (again.id, again.judged_by) == (run.id, "the suite that is archived with it")
    assert pl.read_parquet(tmp_path / "judged.parquet").equals(run.judged)


def test_an_archive_keeps_the_suite_that_judged_it(run: Run, shop: Path, tmp_path: Path) -> None:
    run.archive(tmp_path)
    before = run.judged["points"].sum()
    path = shop / "suite.yaml"
    path.write_text(path.read_text() + "\npoints: {routing_wrong: -100}\n")
    assert load_run("latest").judged["points"].sum() < before
    assert load_run(tmp_path).judged["points"].sum() == before


def test_a_manifest_names_each_slot_and_no_path_of_this_machine(run: Run, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    run.archive(tmp_path / "archive")
    text = (tmp_path / "archive/manifest.json").read_text()
    manifest = json.loads(text)
    assert len(manifest["slots"]) == 12
    assert {"run", "name", "commit", "versions", "candidates", "suite", "judged_by", "trials"} <= manifest.keys()
    assert str(shop) not in text
    assert str(tmp_path) not in text


@pytest.mark.parametrize("broken", ["manifest.json", "suite.json", "trials.parquet"])
def test_a_torn_archive_is_refused_with_a_sentence(run: Run, tmp_path: Path, broken: str) -> None:
    run.archive(tmp_path)
    (tmp_path / broken).write_bytes(b"{")
    with pytest.raises(StoreError, match="no archived run"):
        load_run(tmp_path)


@pytest.mark.usefixtures("run")
def test_a_case_that_the_suite_lost_is_shown_and_not_judged(shop: Path) -> None:
    path = shop / "tickets/orders.yaml"
    path.write_text(path.read_text().replace("id: ACC-1", "id: ACC-2"))
    rows = load_run("latest").judged.filter(case="ACC-1")
    assert rows.height == 4
    assert rows["points"].null_count() == 4
    assert "no longer in the suite" in rows["reason"][0]
    assert "not judged: 1 of the 3 cases" in views.provenance(load_run("latest")).html


def test_a_suite_with_faults_says_that_it_cannot_judge(run: Run, shop: Path) -> None:
    (shop / "tickets/broken.yaml").write_text("- {id: X}\n")
    with pytest.raises(StoreError, match="mend them"):
        load_run(run.id)
    assert load_run(run.id, suite_of_run=run.id).judged.height == 12


def test_a_run_whose_suite_is_gone_is_judged_by_its_snapshot(run: Run, shop: Path) -> None:
    shop.rename(shop.with_name("elsewhere"))
    assert load_run("latest").judged.equals(run.judged)
    assert "the suite's folder is gone" in load_run("latest").judged_by


def test_the_page_quotes_the_ticket_that_was_answered_not_one_that_was_changed_since() -> None:
    made = run_of(CASES, {"x": {"A": [SAID], "B": [DIRECT]}})
    slot, trial = made.pairs[1]
    old = replace(trial, messages=(Message("user", "[EVAL MODE]\nThe words of then"), *trial.messages[1:]))
    shown = views.disqualifying_answers(Run(made.manifest, made.suite, (made.pairs[0], (slot, old)), "")).html
    assert "The words of then" in shown
    assert "My lawyer writes" not in shown


def test_another_model_than_was_asked_for_is_said() -> None:
    made = run_of(CASES, {"x": {"A": [SAID], "B": [HANDOFF]}})
    assert "answered" not in views.provenance(made).html
    slot, trial = made.pairs[0]
    other = replace(trial, attempts=(replace(trial.attempts[0], returned_model="agent-2026-11-01"),))
    changed = Run(made.manifest, made.suite, ((slot, other), made.pairs[1]), "")
    assert "x asked for offline/agent; agent, agent-2026-11-01 answered." in views.provenance(changed).html


def test_no_lead_is_shown_where_nobody_is_cleared() -> None:
    made = run_of(CASES, {"x": {"A": [SAID], "B": [DIRECT]}})
    assert "no lead to show" in views.leads(made)._repr_html_()


def test_rule_based_candidates_are_named_in_the_answer() -> None:
    made = run_of(CASES, {"x": {"A": [SAID], "B": [HANDOFF]}})
    assert "rule-based baselines, not language models" in views.answer(made).html


def test_of_many_disqualifying_answers_some_are_quoted_and_the_others_named() -> None:
    cases = "".join(
        f"- {{id: S{n}, risk: safety, ticket: {{body: body {n}}}, expected_handling: escalate}}\n" for n in range(4)
    )
    made = run_of(cases, {"bad": {f"S{n}": [DIRECT] for n in range(4)}})
    whole = views.disqualifying_answers(made).html
    assert whole.count("<article") == 4
    some = views.disqualifying_answers(made, most=1).html
    assert some.count("<article") == 1
    assert "bad gave 3 more disqualifying answers, on S1, S2, S3." in some


def test_two_ways_to_fail_one_case_are_both_quoted() -> None:
    cases = "- {id: S, risk: safety, ticket: {body: Hi}, expected_handling: escalate, escalate_to: dev}\n"
    wrong = "ROUTE: escalate\nTEAM: billing\n\nHello"
    whole = views.disqualifying_answers(run_of(cases, {"bad": {"S": [DIRECT, wrong, DIRECT]}}, trials=3)).html
    assert whole.count("<article") == 2
    # In the second the team is marked as wrong, and its route is not.
    assert ">ROUTE: escalate</mark>" not in whole
    assert "TEAM: billing</mark>" in whole


def test_a_model_is_said_to_have_answered_in_place_of_another_only_where_it_did() -> None:
    made = run_of(CASES, {"x": {"A": [SAID], "B": [HANDOFF]}})

    def told(asked: str, returned: str) -> str:
        pairs = [
            (
                slot,
                replace(trial, attempts=(replace(trial.attempts[0], requested_model=asked, returned_model=returned),)),
            )
            for slot, trial in made.pairs
        ]
        return views.provenance(Run(made.manifest, made.suite, tuple(pairs), made.judged_by)).html

    for same in ("deepinfra/moonshotai/Kimi-K3", "moonshotai/Kimi-K3", "Kimi-K3"):
        assert "answered." not in told("deepinfra/moonshotai/Kimi-K3", same)
    assert "x asked for openai/gpt-9; gpt-9-mini answered." in told("openai/gpt-9", "gpt-9-mini")
