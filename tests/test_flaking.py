"""Flaking: passes and fails among the trials of one candidate at one case."""

from __future__ import annotations

from dataclasses import replace

from evalkit.flaking import Tally, by_baseline, flakes, tallies, why_no_flake
from evalkit.store import Slot
from evalkit.tables import Run
from tests.handmade import DIRECT, HANDOFF, run_of, trial

CASES = """
- {id: A, stratum: s, must_pass: true, ticket: {body: Hi}, expected_handling: direct}
- {id: B, stratum: s, ticket: {body: Hi}, expected_handling: direct}
"""


def run(old: list, new: list | None = None, *, baseline: str | None = "old", b: list | None = None) -> Run:
    """A run in which `old`, and `new` where given, answered case A so, and case B always rightly."""
    answers = {"old": old, **({"new": new} if new else {})}
    by_case = {name: {"A": said, "B": b or [DIRECT] * len(said)} for name, said in answers.items()}
    return run_of(CASES, by_case, trials=len(old), baseline=baseline)


def with_later(found: Run, *answers: str | None, candidate: str = "old") -> Run:
    """The run with these answers to case A as the candidate's next trials."""
    slots = [Slot(candidate, "A", len(found.pairs) + at, f"later-{at}") for at in range(len(answers))]
    pairs = [(slot, said and trial(slot, said)) for slot, said in zip(slots, answers, strict=True)]
    return replace(found, later=tuple(pairs))


def test_a_case_flakes_where_one_candidate_both_passes_and_fails_it() -> None:
    assert flakes(run([DIRECT, HANDOFF, DIRECT])) == (Tally("old", "A", True, 2, 1, 0),)
    assert flakes(run([DIRECT] * 3)) == ()
    assert flakes(run([HANDOFF] * 3)) == ()


def test_what_was_not_measured_is_neither_a_pass_nor_a_fail() -> None:
    assert flakes(run([DIRECT, "!error", None])) == ()
    assert flakes(run([HANDOFF, "!error", None])) == ()
    assert tallies(run(["!error", None, DIRECT]))[0] == Tally("old", "A", True, 1, 0, 2)
    # A timeout is judged, as silence, and so is a fail.
    assert flakes(run([DIRECT, "!timeout", None])) == (Tally("old", "A", True, 1, 1, 1),)


def test_two_candidates_are_two_identities() -> None:
    assert flakes(run([DIRECT] * 2, [HANDOFF] * 2)) == ()
    assert [(each.candidate, each.passed) for each in flakes(run([DIRECT, HANDOFF], [HANDOFF, DIRECT]))] == [
        ("old", 1),
        ("new", 1),
    ]


def test_repeats_and_reruns_count_as_well() -> None:
    steady = run([DIRECT] * 2)
    assert flakes(with_later(steady, DIRECT, HANDOFF, None)) == (Tally("old", "A", True, 3, 1, 1),)
    # What another candidate did later says nothing of this one.
    assert flakes(with_later(run([DIRECT] * 2, [HANDOFF] * 2), HANDOFF, candidate="new")) == ()


def test_a_case_that_the_suite_lost_is_left_out() -> None:
    found = run([DIRECT, HANDOFF])
    smaller = replace(found.suite, cases=found.suite.cases[1:])
    assert [each.case for each in tallies(found.judged_by_suite(smaller, "a smaller one"))] == ["B"]


def test_a_case_that_need_not_pass_flakes_too() -> None:
    (found,) = flakes(run([DIRECT] * 2, b=[DIRECT, HANDOFF]))
    assert (found.case, found.must_pass, found.measured) == ("B", False, 2)


def test_by_whom_a_case_is_said_to_flake() -> None:
    assert run([DIRECT]).baseline == "old"
    assert run([DIRECT], baseline=None).baseline == "old"  # the only one
    both = run([DIRECT], [HANDOFF], baseline=None)
    assert both.baseline is None
    assert {each.candidate for each in by_baseline(both)} == {"old", "new"}
    assert {each.candidate for each in by_baseline(run([DIRECT], [HANDOFF]))} == {"old"}


def test_why_a_case_does_not_flake_is_said_with_its_counts() -> None:
    assert why_no_flake(run([DIRECT, HANDOFF]), "A") is None
    said = why_no_flake(run([DIRECT] * 3), "A")
    assert said == (
        "A passed 3 of 3 by old in run ffffffff: it does not flake; more trials may show it: play more with --trials "
        "or --repeats"
    )
    assert "passed 0 of 2 by old" in str(why_no_flake(run([HANDOFF] * 2), "A"))
    assert "no flake, it is broken; mend the agent" in str(why_no_flake(run([HANDOFF] * 2), "A"))
    assert "not measured; play it there first" in str(why_no_flake(run(["!error", None]), "A"))
    assert "not measured" in str(why_no_flake(run([DIRECT]), "C"))


def test_a_candidate_that_flakes_where_the_baseline_does_not_is_a_regression_and_no_flaking_case() -> None:
    assert "does not flake" in str(why_no_flake(run([DIRECT] * 2, [DIRECT, HANDOFF]), "A"))
    assert why_no_flake(run([DIRECT] * 2, [DIRECT, HANDOFF], baseline=None), "A") is None
    # One passes always and one never: two identities, of which neither flakes.
    assert "no candidate flakes" in str(why_no_flake(run([DIRECT] * 2, [HANDOFF] * 2, baseline=None), "A"))
