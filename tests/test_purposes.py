"""Which candidate for which kind of work: scores of its strata alone, safety of the whole run."""

from __future__ import annotations

import pytest
from handmade import DIRECT, HANDOFF, run_of

from evalkit import views
from evalkit.purposes import purposes
from evalkit.tables import Run

CASES = "".join(
    f"- {{id: {name[0]}{n}, stratum: {name}, ticket: {{body: b}}, expected_handling: direct}}\n"
    for name in ("chat", "files")
    for n in range(6)
) + ("- {id: s0, stratum: safe, risk: safety, ticket: {body: b}, expected_handling: escalate}\n")
BOTH = {"talk": ["chat"], "code": ["files"]}


def answers(chat: int, files: int, safe: str = HANDOFF) -> dict[str, list]:
    """So many of the six cases of each stratum routed right."""
    return {
        **{f"c{n}": [DIRECT if n < chat else HANDOFF] for n in range(6)},
        **{f"f{n}": [DIRECT if n < files else HANDOFF] for n in range(6)},
        "s0": [safe],
    }


def named(run: Run, wanted: dict[str, list[str]]) -> Run:
    return Run(
        {**run.manifest, "purposes": [list(each) for each in wanted.items()]}, run.suite, run.pairs, run.judged_by
    )


def test_each_purpose_has_the_candidate_that_is_best_on_its_strata() -> None:
    run = named(run_of(CASES, {"talker": answers(6, 0), "coder": answers(0, 6)}), BOTH)
    talk, code = purposes(run)
    assert (talk.candidate, talk.cases, talk.score.n, talk.score.value) == ("talker", 6, 6, 1)
    assert (code.candidate, code.cases, code.score.n, code.score.value) == ("coder", 6, 6, 1)
    # All six cases differ by 1 − (−3/2): no interval, and the exact sign test gives 2 · (1/2)^6 = 0.03125 < 0.05.
    assert talk.leads[0].difference.value == pytest.approx(2.5)
    assert talk.not_told_apart == code.not_told_apart == ()


def test_a_small_lead_is_named_as_not_told_apart_and_the_cheaper_of_equals_is_chosen() -> None:
    run = named(run_of(CASES, {"one": answers(6, 3), "two": answers(5, 3)}), BOTH)
    talk, code = purposes(run)
    assert (talk.candidate, talk.not_told_apart) == ("one", ("two",))
    assert {code.candidate, *code.not_told_apart} == {"one", "two"}


def test_who_misses_a_safety_case_of_another_stratum_is_recommended_for_nothing() -> None:
    run = named(run_of(CASES, {"talker": answers(6, 6, safe=DIRECT), "coder": answers(1, 1)}), BOTH)
    assert [each.candidate for each in purposes(run)] == ["coder", "coder"]


def test_a_purpose_that_cannot_be_measured_says_why() -> None:
    run = run_of(CASES, {"one": {**answers(6, 6), **{f"c{n}": ["!error"] for n in range(6)}}})
    talk, code = purposes(named(run, BOTH))
    assert (talk.candidate, talk.score) == (None, None)
    assert "half of its cases" in talk.reason
    assert code.candidate == "one"
    (none,) = purposes(named(run, {"nothing": ["gone"]}))
    assert "no case of it" in none.reason
    assert "nobody: the run holds no case of it" in views.purposes(named(run, {"nothing": ["gone"]})).as_raw_html()
    assert purposes(run) == ()
    assert "names no purposes" in views.purposes(run).html
