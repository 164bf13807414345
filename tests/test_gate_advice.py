"""What a gate's reasons tell people to do next: each names a command that helps, and never one that cannot."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from test_gate import ALL, ORDERS, K, cases, failing, gate, kinds, run, suite

from evalkit.gate import lines
from evalkit.tables import Run

NIGHTLY = "`make nightly` on the target branch measures it (a run of your store: `evalkit run SHOOTOUT --repeats 3`)"
FRESH = NIGHTLY.replace("--repeats 3", "--repeats 3 --fresh")


def because(given: Run, reason: str) -> Run:
    """The run with its errors' reason."""
    pairs = [(s, replace(t, reason=reason) if t is not None and t.status == "error" else t) for s, t in given.pairs]
    return replace(given, pairs=tuple(pairs))


def test_what_the_baseline_lacks_is_played_by_the_nightly() -> None:
    assert gate(run({"O-3": "11e111111"}, repeats=3), band=None).reason.endswith(f"; {NIGHTLY}")
    assert gate(run({"O-3": "111111"}, repeats=3), band=None).reason.endswith(f"; {NIGHTLY}")
    assert gate(run(played=ALL[1:]), band=0.25).reason.endswith(f"; {NIGHTLY}")
    stopped = run({"O-3": "11-"}, stopped="the budget of 10 calls is reached")
    assert gate(stopped).reason.endswith(f"; with a larger budget {NIGHTLY}")


# Trials of an agent that did not change are read again: only afresh are they young.
def test_a_baseline_that_is_too_old_is_played_afresh() -> None:
    assert gate(run(started="2026-11-01T10:00:00+00:00")).reason.endswith(f"; {FRESH}")
    assert gate(run(started="")).reason.endswith(f"; {FRESH}")


def test_what_the_candidate_lacks_is_played_by_the_same_run() -> None:
    assert gate(after=run({"O-3": "11e"}, name="new")).reason.endswith("; the same `evalkit run` plays it again")
    assert gate(after=run({"O-3": "11"}, name="new")).reason.endswith("; the same `evalkit run` plays the rest")


@pytest.mark.parametrize(
    ("reason", "refused"),
    [
        ("the API key was refused (HTTP 401): no", True),
        ("the request was refused (400): no", True),
        ("no such model or address (HTTP 404): no", True),
        ("the provider does not take seed for this model: remove it from the candidate", True),
        ("too many requests (HTTP 429): wait", False),
        ("the provider ran out of time (HTTP 408): wait", False),
        ("the provider failed (HTTP 500): code (401)", False),
        ("the provider failed (HTTP 503): busy", False),
    ],
)
def test_a_request_that_was_refused_is_mended_before_it_is_sent_again(reason: str, refused: bool) -> None:
    decision = gate(after=because(run({"O-3": "11e"}, name="new"), reason))
    mend = "; mend the key, the model's name or the request, then the same `evalkit run` plays it again"
    assert decision.reason.endswith(mend) is refused


def test_a_case_that_fails_says_how_it_is_seen() -> None:
    assert gate(after=run(failing("MUST-1", letters="011"), name="new"), band=1.0).reason.endswith(
        "; `evalkit show cccccccc MUST-1` shows it"
    )
    two = run(failing("MUST-1"), name="new", baseline=None, candidates=[{"name": "new"}, {"name": "other one"}])
    decision = gate(after=replace(two, manifest={**two.manifest, "baseline": "other one"}), band=1.0)
    assert "; `evalkit show cccccccc MUST-1 --candidate new --trial 1` shows it" in decision.reason
    safe = suite({"tickets/all.yaml": cases(O_1="\n  risk: safety").replace(
        "O-1\n  stratum: orders\n  ticket: {body: Hello}\n  expected_handling: direct",
        "O-1\n  stratum: orders\n  ticket: {body: Hello}\n  expected_handling: escalate")})  # fmt: skip
    decision = gate(run({"O-1": "000"}, of=safe), run({"O-1": "001"}, of=safe, name="new"))
    assert kinds(decision) == [("disqualified", "O-1")]
    assert decision.reason.endswith("; `evalkit show cccccccc O-1 --trial 2` shows it")


# O-0 failed before as well, in two passes of three, so that it is none that the change broke.
def test_a_stratum_that_dropped_names_the_cases_that_passed_before_and_fail_now() -> None:
    before = run({"O-0": "101101111"}, repeats=3)
    decision = gate(before, run(failing(*ORDERS[:4]), name="new"))
    assert decision.reason.endswith("--rerun; passed before and fail now: O-1, O-2, O-3")
    decision = gate(before, run(failing(*ORDERS), name="new"))
    assert decision.reason.endswith("; passed before and fail now: O-1, O-2, O-3, O-4, O-5 and 4 more")


def test_where_nothing_of_a_stratum_was_measured_there_is_no_score_and_no_change() -> None:
    decision = gate(after=run(dict.fromkeys(["P-0", "P-1"], "eee"), name="new"))
    look = next(each for each in decision.strata if each.stratum == "post")
    assert (look.candidate, look.delta, look.verdict) == (None, None, "not measured")
    assert [(each.candidate, each.delta, each.out) for each in look.looks] == [(None, None, None)]
    (row,) = [line for line in lines(decision) if line.startswith("post")]
    # m, the baseline's score, and – for the candidate's and the change.
    assert row.split()[3:7] == ["2", "1.00", "–", "–"]
    assert "-1.00" not in row
    assert decision.verdict == "not measured"


def test_a_second_look_at_which_nothing_was_measured_neither_clears_nor_blocks() -> None:
    results = dict.fromkeys(ORDERS, "101eee")
    decision = gate(after=run(results, name="new", reruns={"new": {"orders": 1}}))
    look = next(each for each in decision.strata if each.stratum == "orders")
    assert (look.verdict, look.looks[1].delta) == ("not measured", None)
    assert decision.verdict == "not measured"


# The first look drops by 0.3, the second is as the baseline: -0.0 has no sign.
def test_a_change_of_nothing_has_no_sign() -> None:
    results = dict.fromkeys(ORDERS, "111111") | dict.fromkeys(ORDERS[:3], "101111")
    decision = gate(after=run(results, name="new", reruns={"new": {"orders": 1}}))
    text = "\n".join(lines(decision))
    assert "left its band at the first look and not at the second (-0.30 and 0.00): allowed" in text
    assert "-0.00" not in text
    assert "+0.00" not in text


def test_the_advice_is_one_line_whatever_a_case_is_called() -> None:
    hostile = suite({"tickets/all.yaml": cases() + '- {id: "X\\u202e`$(id)", stratum: orders, must_pass: true, '
                     'ticket: {body: Hello}, expected_handling: direct}\n'})  # fmt: skip
    name = "X\u202e`$(id)"
    decision = gate(run(of=hostile), run({name: "0" * K}, of=hostile, name="new"), today=date(2026, 11, 30))
    assert "\u202e" not in "\n".join(lines(decision))
    assert "'X `$(id)'" in decision.reason
