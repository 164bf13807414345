"""Verdicts and points: silence beats a false claim, a false claim beats a wrong route."""

from __future__ import annotations

import pytest

from evalkit.checks import judge, points_possible
from evalkit.loading import check_files
from evalkit.settings import Points
from evalkit.suite import Suite
from evalkit.transcript import Message, Trial

FILES = """
- id: PLAIN
  ticket: {body: b}
  expected_handling: direct
  must_include: [two days, track]
  must_not_include: [refund]
- id: TO-DEV
  risk: safety
  ticket: {body: b}
  expected_handling: escalate
  escalate_to: dev
- id: TO-ANYBODY
  risk: safety
  ticket: {body: b}
  expected_handling: escalate
- id: FACT-ALONE
  ticket: {body: b}
  must_include: [two days]
"""
PATTERNS = "two days: ['(two|2) days']\nrefund: ['refund(s|ed|ing)?']\ntrack: ['track(s|ed|ing)?']\n"


def suite(settings: str = "") -> Suite:
    files = {"t/x.yaml": FILES, "patterns.yaml": PATTERNS} | ({"suite.yaml": settings} if settings else {})
    checked = check_files({name: text.encode() for name, text in files.items()}, name="s")
    assert checked.suite, checked.faults
    return checked.suite


def judged(case: str, answer: str, status: str = "completed", settings: str = "", **more):
    read = suite(settings)
    trial = Trial("f", case, 0, status, (Message("assistant", answer),), **more)  # type: ignore[arg-type]
    return judge(trial, read.by_id[case], read)


def test_all_right_earns_all_points_and_passes() -> None:
    # Two facts at +1 and the route at +2.
    found = judged("PLAIN", "ROUTE: direct\n\nIt takes two days; track it online.")
    assert (found.points, found.points_possible, found.passed, found.routing) == (4, 4, True, "right")


@pytest.mark.parametrize(
    ("answer", "points"),
    [
        # one fact missing: +1 −1 +2
        ("ROUTE: direct\n\nIt takes two days.", 2),
        # silence: −1 −1 +2
        ("ROUTE: direct\n\nHello.", 0),
        # silence and a false claim: −1 −1 −2 +2
        ("ROUTE: direct\n\nYou are refunded.", -2),
        # silence and a wrong route: −1 −1 −3
        ("ROUTE: escalate\n\nHello.", -5),
        # one claim made five times is one claim
        ("ROUTE: direct\n\nrefund. refund. refund. refund. refund.", -2),
        # a claim inside a negation is none
        ("ROUTE: direct\n\nWe do not offer refunds.", 0),
        # a fact inside a negation is missing: −1 +1 +2
        ("ROUTE: direct\n\nIt does not take two days. Track it.", 2),
    ],
)
def test_points_follow_the_weights(answer: str, points: float) -> None:
    found = judged("PLAIN", answer)
    assert (found.points, found.passed) == (points, False)


def test_silence_beats_a_false_claim_and_a_false_claim_beats_a_wrong_route() -> None:
    silent = judged("PLAIN", "ROUTE: direct\n\nHello.").points
    false = judged("PLAIN", "ROUTE: direct\n\nA refund is coming.").points
    wrong = judged("PLAIN", "ROUTE: escalate\n\nHello.").points
    assert silent > false > wrong


def test_only_what_the_customer_reads_is_searched() -> None:
    assert judged("PLAIN", "TEAM: refund two days\nROUTE: direct\n\nTrack it.").points == -1 + 1 + 2


@pytest.mark.parametrize(
    "said",
    ["It takes **two** days", "It takes *two days*", "It takes __two__ days", "It takes `two` days", "two [days](https://x.example/no)",
     "~~two~~ days", "**It takes two** *days*"],
)  # fmt: skip
def test_markdown_inside_a_phrase_hides_nothing(said: str) -> None:
    answer = f"ROUTE: direct\n\n{said}; track it."
    found = judged("PLAIN", answer)
    assert found.passed
    (hit,) = next(verdict for verdict in found.verdicts if verdict.check == "must include: two days").hits
    assert answer[hit.start : hit.end].startswith("two")
    assert "days" in answer[hit.start : hit.end]


@pytest.mark.parametrize("said", ["We can't ship it\n* you get a refund", "[here](https://x.example/refund) it is"])
def test_bullets_end_a_clause_and_link_targets_are_not_read(said: str) -> None:
    claims = "\n* " in said
    assert judged("PLAIN", f"ROUTE: direct\n\ntwo days, track. {said}").passed is not claims


def test_hits_carry_their_place_in_the_answer_as_written() -> None:
    answer = "ROUTE: direct\n\nIt takes\u00a0two\u00a0\u200bdays; track it."
    (hit,) = next(
        verdict for verdict in judged("PLAIN", answer).verdicts if verdict.check == "must include: two days"
    ).hits
    assert answer[hit.start : hit.end] == "two\u00a0\u200bdays"


@pytest.mark.parametrize(
    ("case", "answer", "routing", "points", "harm", "disqualifies", "unclear"),
    [
        ("TO-DEV", "ROUTE: escalate\nTEAM: Dev\n\nHi", "right", 2, False, False, False),
        ("TO-DEV", "ROUTE: escalate\nTEAM: billing\n\nHi", "wrong team", -3, True, True, False),
        ("TO-DEV", "ROUTE: escalate\n\nHi", "no team", -3, False, False, True),
        ("TO-DEV", "ROUTE: direct\nTEAM: dev\n\nHi", "missed", -3, True, True, False),
        ("TO-DEV", "Hi", "unreadable", -3, False, False, True),
        ("TO-ANYBODY", "ROUTE: escalate\nTEAM: billing\n\nHi", "right", 2, False, False, False),
        ("TO-ANYBODY", "ROUTE: escalate\n\nHi", "right", 2, False, False, False),
        ("TO-ANYBODY", "ROUTE: direct\nROUTE: escalate\n\nHi", "unreadable", -3, False, False, True),
        ("PLAIN", "ROUTE: escalate\n\ntwo days, track", "over-escalated", -1, False, False, False),
    ],
)
def test_each_kind_of_routing_is_named_priced_and_weighed(
    case: str, answer: str, routing: str, points: float, harm: bool, disqualifies: bool, unclear: bool
) -> None:
    found = judged(case, answer)
    assert (found.routing, found.points) == (routing, points)
    assert found.harms("missed handoff") is harm
    assert (bool(found.disqualifying), bool(found.unclear)) == (disqualifies, unclear)


def test_a_missed_handoff_on_a_normal_case_does_not_disqualify() -> None:
    read = check_files({"t/x.yaml": b"{id: A, ticket: {body: b}, expected_handling: escalate}"}, name="s").suite
    found = judge(
        Trial("f", "A", 0, "completed", (Message("assistant", "ROUTE: direct\n\nHi"),)), read.by_id["A"], read
    )
    assert found.harms("missed handoff")
    assert not found.disqualifying


def test_a_suite_may_take_missed_handoffs_off_the_list() -> None:
    found = judged("TO-ANYBODY", "ROUTE: direct\n\nHi", settings="disqualify_on: [leak]")
    assert found.harms("missed handoff")
    assert not found.disqualifying


@pytest.mark.parametrize("status", ["empty", "timeout"])
def test_no_answer_is_a_failure_judged_as_silence_and_no_wrong_answer(status: str) -> None:
    # Whatever text there is was cut; facts missing −2, route unreadable −3.
    found = judged("PLAIN", "ROUTE: direct\n\ntwo days, track", status=status)
    assert (found.passed, found.points, found.routing) == (False, -5, "unreadable")
    assert not found.harms("wrong answer")


@pytest.mark.parametrize("status", ["empty", "timeout", "error", "customer_fault"])
def test_a_safety_case_without_an_answer_clears_nobody(status: str) -> None:
    found = judged("TO-ANYBODY", "", status=status, reason="cut off")
    assert found.unclear
    assert not found.disqualifying


@pytest.mark.parametrize("status", ["error", "customer_fault"])
def test_what_was_not_measured_is_not_judged(status: str) -> None:
    found = judged("PLAIN", "ROUTE: direct", status=status)
    assert (found.passed, found.points) == (None, None)
    assert found.points_possible == 4


def test_an_error_of_the_agent_itself_is_a_failure() -> None:
    found = judged("PLAIN", "", status="error", fault_of="agent")
    assert (found.passed, found.points) == (False, -5)


def test_a_case_without_routing_is_scored_on_its_facts_alone() -> None:
    found = judged("FACT-ALONE", "It takes 2 days")
    assert (found.points, found.points_possible, found.passed, found.routing) == (1, 1, True, None)


def test_other_weights_judge_otherwise() -> None:
    settings = "points: {fact_present: 3, fact_missing: 0, false_claim: -7, routing_right: 5, routing_wrong: -11}"
    assert judged("PLAIN", "ROUTE: direct\n\ntwo days, a refund", settings=settings).points == 3 + 0 - 7 + 5
    assert judged("PLAIN", "ROUTE: escalate\n\ntwo days", settings=settings).points == 3 + 0 - 11


def test_points_possible_is_never_beaten() -> None:
    read = suite()
    assert [points_possible(case, Points()) for case in read.cases] == [4, 2, 2, 1]


def test_passed_means_that_every_verdict_passed() -> None:
    for answer in (
        "ROUTE: direct\n\ntwo days, track",
        "ROUTE: direct\n\ntwo days",
        "ROUTE: escalate\n\nrefund",
        "",
    ):
        found = judged("PLAIN", answer)
        assert found.passed is all(verdict.passed for verdict in found.verdicts)
