"""What of a run was not measured, as every page of it says in its watermark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import Write
from handmade import DIRECT, HANDOFF, run_of, trial

import evalkit
from evalkit import views
from evalkit.cards import Card
from evalkit.errors import BudgetExceeded
from evalkit.missing import missing, ranges
from evalkit.report.kinds import is_complete
from evalkit.runs import load_run
from evalkit.store import Slot
from evalkit.tables import Run
from evalkit.views.above import NAMED, above

CASES = """
- {id: A, risk: safety, ticket: {body: a}, expected_handling: escalate}
- {id: B, ticket: {body: b}, expected_handling: direct}
"""
HOSTILE = "<script>alert(1)</script>&amp;"
PAGES: dict[str, Callable[[Run], Card]] = {
    "10": views.answer,
    "20": views.safety_answer,
    "30": views.trust_answer,
    "40": lambda run: views.noise_answer(run, views.noise_bands(run)),
    "50": views.calibration_answer,
    "60": views.cases_answer,
}


class _Text(HTMLParser):
    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def read(markup: str) -> _Text:
    return _Text(markup)


def lacking(**of_one: list) -> Run:
    """Three trials of two cases: `one` lacks what is said, `two` was measured whole."""
    whole = {"A": [HANDOFF] * 3, "B": [DIRECT] * 3}
    return run_of(CASES, {"one": {**whole, **of_one}, "two": whole}, trials=3)


def noted(run: Run, **keys: object) -> Run:
    return replace(run, manifest={**run.manifest, **keys})


def test_a_whole_run_misses_nothing() -> None:
    assert not missing(lacking())
    assert (missing(lacking()).says, above(lacking())) == ("", [])


def test_what_is_missing_is_counted_by_candidate_and_named_slot_by_slot() -> None:
    found = missing(lacking(A=["!error", None, "!error"], B=[None, None, None]))
    assert found.says == (
        # 12 slots; of A trials 0 and 2 ended in an error, and trial 1 and B's three were never played.
        "6 of 12 slots were not measured. one: 2 error, 4 not_run. "
        "Not run: its playing was stopped before its end, or is not done yet; the same command goes on. "
        "2 × error: by hand."
    )
    assert [each.says for each in found.lost] == [
        "one · A · trials 0, 2: error",
        "one · A · trial 1: not_run",
        "one · B · trials 0–2: not_run",
    ]


def test_a_budget_that_stopped_the_run_is_the_reason() -> None:
    run = noted(lacking(A=[HANDOFF, HANDOFF, None]), stopped="budget reached: 5 of 5 calls made")
    assert missing(run).says == (
        "1 of 12 slots were not measured. one: 1 not_run. The run was stopped: budget reached: 5 of 5 calls made."
    )
    # A rerun that reached the budget may leave no slot of the shootout.
    assert missing(noted(lacking(), stopped="budget reached")).says == "The run was stopped: budget reached."


def test_a_repeat_that_was_not_played_is_missing() -> None:
    slots = [Slot("one", "A", number, f"later-{number}") for number in range(3, 9)]
    later = tuple((slot, trial(slot, HANDOFF) if slot.number < 5 else None) for slot in slots)
    run = replace(lacking(), later=later)
    assert missing(run).says.startswith("4 of 18 slots were not measured. one: 4 not_run.")
    assert [each.says for each in missing(run).lost] == ["one · A · trials 5–8: not_run"]
    assert not run.complete


def test_conversations_that_nobody_could_play_are_a_reason_of_their_own(write: Write) -> None:
    shop = write({"talks/t.yaml": "{id: T, persona: p, goal: g, expect: {outcome: resolved}}"})
    said = missing(evalkit.run(shop / "shootouts/small.yaml", quiet=True)).says
    # Two candidates, two trials each.
    assert said == (
        "4 of 16 slots were not measured. steady: 2 not_run; bold: 2 not_run. "
        "4 slots not run: the shootout names no `customer` to play conversations with."
    )


def test_a_case_that_the_suite_lost_is_said() -> None:
    run = noted(lacking(), suite={**lacking().manifest["suite"], "cases": 3})
    assert missing(run).says == "1 case of the run is no longer in the suite that judges it."


def test_reasons_of_providers_are_bounded() -> None:
    run = lacking()
    pairs = tuple((slot, trial(slot, None, "error", reason=f"{slot.number} {'x' * 5000}")) for slot, _ in run.pairs)
    said = missing(replace(run, pairs=pairs)).says
    # Three numbers, so three reasons, of which two are shown.
    assert "1 more reason is not shown." in said
    assert len(said) < 700


@pytest.mark.parametrize("page", PAGES)
def test_every_page_of_a_run_that_was_stopped_bears_the_watermark_and_names_the_slots(page: str) -> None:
    run = noted(lacking(B=[DIRECT, None, None]), stopped=f"budget reached {HOSTILE}")
    found = read(PAGES[page](run).html)
    assert "INCOMPLETE" in found.text
    assert f"The run was stopped: budget reached {HOSTILE}." in found.text
    assert "one · B · trials 1–2: not_run" in found.text
    assert "script" not in found.tags
    assert "INCOMPLETE" not in read(PAGES[page](lacking()).html).text


@pytest.mark.parametrize("page", PAGES)
def test_hostile_names_and_reasons_stay_text(page: str) -> None:
    run = lacking()
    pairs = [(replace(slot, candidate=HOSTILE), None) for slot, _ in run.pairs if slot.candidate == "one"]
    pairs += [(slot, trial(slot, None, "error", reason=HOSTILE)) for slot, _ in run.pairs if slot.candidate == "two"]
    manifest = {**run.manifest, "candidates": [{"name": HOSTILE}, {"name": "two"}]}
    found = read(PAGES[page](Run(manifest, run.suite, tuple(pairs), "the suite as it stands")).html)
    assert f"{HOSTILE} · A · trials 0–2: not_run" in found.text
    assert f"6 × error: {HOSTILE}." in found.text
    assert "script" not in found.tags


def test_the_list_of_slots_is_bounded_and_the_rest_counted() -> None:
    cases = "\n".join(f"- {{id: C{n}, ticket: {{body: b}}, expected_handling: direct}}" for n in range(NAMED + 30))
    answers = {f"C{n}": [None, None] for n in range(NAMED + 30)}
    found = read(above(run_of(cases, {"one": answers}, trials=2))[0].html)
    assert found.tags.count("li") == NAMED
    # 30 lines of two trials each.
    assert "and 60 more" in found.text


def test_a_stopped_grading_marks_the_run_and_names_what_has_no_grade(write: Write) -> None:
    shop = write(
        {
            "rubrics/quality.yaml": (
                "menu: [{verdict: bad, means: b, passes: false}, {verdict: good, means: g, passes: true}]\n"
                "criteria: [{name: tone, asks: Is it polite?}]\n"
            ),
            "prompts/grader.md": "Grade it.\n",
            "shootouts/small.yaml": (
                "name: small\ntrials: 2\nbaseline: steady\n"
                "grader: {model: offline/grader-cheap, rubric: quality}\n"
                "candidates: [{name: steady, model: offline/agent, prompt: desk.md}]\n"
            ),
        }
    )
    run = noted(evalkit.run(shop / "shootouts/small.yaml", quiet=True), grading_stopped="budget reached")
    assert (run.complete, is_complete(run)) == (True, False)
    assert missing(run).says == "Grading was stopped: budget reached. 6 transcripts have no grade."
    assert [each.says for each in missing(run).ungraded] == [
        f"steady · {case} · trials 0–1: not graded" for case in ("ORD-1", "ORD-2", "ACC-1")
    ]
    assert "INCOMPLETE" in read(views.answer(run).html).text


def test_a_run_that_its_budget_stopped_says_so_wherever_it_is_read(shop: Path, tmp_path: Path) -> None:
    path = shop / "shootouts/small.yaml"
    path.write_text(path.read_text() + "budget: {calls: 5}\n")
    with pytest.raises(BudgetExceeded):
        evalkit.run(path, quiet=True, sequential=True)
    run = load_run("latest")
    said = missing(run).says
    assert "7 of 12 slots were not measured." in said
    assert "The run was stopped: budget reached: 5 of 5 calls made." in said
    run.archive(tmp_path)
    assert missing(load_run(tmp_path)) == missing(run)


def test_neighbouring_numbers_are_a_range() -> None:
    assert ranges([4, 0, 1, 2, 7, 8]) == "0–2, 4, 7–8"
