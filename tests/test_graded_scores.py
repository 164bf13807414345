"""Graded pass rates: raw, corrected by labels of the same trials or of others, and shown only where they are trusted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from measured import PROMPT, RUBRIC, grade

from evalkit.graded_scores import cheap_against_strong, graded_scores
from evalkit.grading import subject_of
from evalkit.labels import load_label_sets, subject_of_item
from evalkit.loading import check_files
from evalkit.measurement import measure
from evalkit.store import Slot
from evalkit.tables import Run
from evalkit.transcript import Message, Trial
from evalkit.trust import line_of
from evalkit.views.graded import graded_answer, graded_table

SETTINGS = "name: handmade\ntrust: {held_out: 1, kappa_low: -1, negative_low: 0, least_rarer: 1}"
Told = tuple[str, str | None]


def label(number: int, case: str, candidate: str, answer: str, says: str, inclusion: float = 1.0) -> dict[str, Any]:
    verdicts = {"right": "3" if says == "pass" else "1", "kind": "3"}
    return {
        "item": f"L{number}", "case": case, "stratum": "t", "candidate": candidate, "trial": 0, "kind": "ticket",
        "inclusion": inclusion, "reference": "Yes",
        "transcript": [{"role": "customer", "text": f"Q {case}"}, {"role": "agent", "text": answer}],
        "ratings": [{"rater": "ann", "date": "2026-08-04", "verdicts": verdicts, "note": ""}], "adjudication": None,
    }  # fmt: skip


def graded_run(
    told: dict[str, Sequence[str | None]],
    labels: Sequence[tuple[dict[str, Any], str | None]],
    *,
    source: str = "people",
    grader: dict[str, Any] | None = None,
    rubric: str = RUBRIC,
) -> Run:
    """A run in which each candidate's answer to case n is graded as told; labels with what the grader says of each."""
    cases = max(len(each) for each in told.values())
    tickets = "".join(
        f"- {{id: C{n}, ticket: {{subject: s, body: b}}, expected_handling: direct, "
        "reference: {golden_answer: Yes}}\n"
        for n in range(cases)
    )
    texts = {"rubrics/quality.yaml": rubric, "prompts/grader.md": PROMPT, "suite.yaml": SETTINGS, "t.yaml": tickets}
    suite = check_files({path: text.encode() for path, text in texts.items()}, name="handmade").suite
    assert suite is not None
    head = {"labels": "hand", "source": source, "rubric": "quality", "about": "By hand."}
    files = {"hand.jsonl": "".join(json.dumps(line) + "\n" for line in (head, *(item for item, _ in labels)))}
    manifest = {
        "run": "e" * 64, "name": "handmade", "started": "2026-11-02T10:00:00+00:00", "trials": 1, "baseline": None,
        "suite": {"name": "handmade", "snapshot": suite.snapshot, "cases": cases, "strata": {}, "safety_cases": []},
        "candidates": [{"name": name} for name in told],
        "shootout": {"grader": {"model": "offline/grader-cheap", "rubric": "quality"} | (grader or {})},
    }  # fmt: skip
    pairs = tuple(
        (slot, Trial(slot.fingerprint, slot.case, 0, "completed", _said(candidate, slot.case)))
        for candidate, verdicts in told.items()
        for slot in (Slot(candidate, f"C{n}", 0, f"{candidate}-{n}") for n in range(len(verdicts)))
    )
    run = Run(manifest, suite, pairs, "the suite as it stands", labels=files)
    panel, grades = run.panel, {}
    assert panel is not None
    wanted = [verdict for verdicts in told.values() for verdict in verdicts]
    subjects = [subject_of(trial, suite.by_id[slot.case]) for slot, trial in pairs]
    subjects += [subject_of_item(item) for each in load_label_sets(files) for item in each.items]
    for subject, verdict in zip(subjects, [*wanted, *(verdict for _, verdict in labels)], strict=True):
        assert subject is not None
        for key, _ in panel.asked_for(subject, "cheap"):
            if verdict is not None:
                grades.setdefault(key, grade(key, verdict, "live"))
    return replace(run, grades=grades)


def _said(candidate: str, case: str) -> tuple[Message, ...]:
    return Message("user", f"Q {case}"), Message("assistant", f"A of {candidate}")


def recorded(run: Run) -> Run:
    """The run with a line for its own measurement in its ledger."""
    line = line_of(measure(run), "2026-11-03")
    return replace(run, labels={**run.labels, "trust.jsonl": line.to_json() + "\n"})


def own_labels(*kinds: tuple[int, str, str, float]) -> list[tuple[dict[str, Any], str]]:
    """Labels of the run's own trials: so many of each kind, what people and the grader say, and the chance to be drawn.

    Those that the grader passes are of the first cases, those that it fails of the last ten of forty.
    """
    places = {"pass": iter(range(30)), "fail": iter(range(30, 40))}
    rows = [(next(places[grader]), people, grader, chance) for n, people, grader, chance in kinds for _ in range(n)]
    return [(label(n, f"C{n}", "steady", "A of steady", people, chance), grader) for n, people, grader, chance in rows]


TOLD = {"steady": ["pass"] * 30 + ["fail"] * 10}


def test_labels_of_the_runs_own_trials_correct_by_what_people_pass_of_each_verdict() -> None:
    # 30 of 40 passed. People pass 8 of the 12 labelled trials that the grader passes, and none of the 10 that it fails:
    # 30/40 · 8/12 + 10/40 · 0 = 1/2.
    kinds = ((8, "pass", "pass", 0.5), (4, "fail", "pass", 0.5), (10, "fail", "fail", 0.5))
    (score,) = graded_scores(graded_run(TOLD, own_labels(*kinds)))
    assert (score.raw.value, score.raw.n) == (0.75, 40)
    assert score.corrected.value == pytest.approx(0.5)
    assert (score.corrected.method, score.corrected.labelled) == ("post-stratified, weighted", 22)


def test_a_trial_that_was_likelier_to_be_drawn_counts_for_fewer() -> None:
    # Of what the grader passes, people pass 6 labels, each drawn for certain, and fail 6, each drawn with 1/3, which
    # stand for three each: 6/(6 + 18) = 1/4. So 3/4 · 1/4 + 1/4 · 0 = 3/16.
    kinds = ((6, "pass", "pass", 1.0), (6, "fail", "pass", 1 / 3), (10, "fail", "fail", 1.0))
    (score,) = graded_scores(graded_run(TOLD, own_labels(*kinds)))
    assert score.corrected.value == pytest.approx(3 / 16)


def test_labels_that_are_too_few_or_all_alike_give_no_rate_without_an_interval() -> None:
    # Of the ten that the grader passes people fail all, and of those that it fails too: 0 % would look like certainty.
    (alike,) = graded_scores(graded_run(TOLD, own_labels((10, "fail", "pass", 1.0), (10, "fail", "fail", 1.0))))
    assert alike.corrected.value is None
    few = own_labels((7, "pass", "pass", 1.0), (6, "fail", "pass", 1.0), (9, "fail", "fail", 1.0))
    (score,) = graded_scores(graded_run(TOLD, few))
    assert score.corrected.method == "Rogan–Gladen"


def test_labels_that_were_judged_by_another_golden_answer_are_not_of_the_runs_own_trials() -> None:
    kinds = ((8, "pass", "pass", 0.5), (4, "fail", "pass", 0.5), (10, "fail", "fail", 0.5))
    old = [({**item, "reference": "No"}, grader) for item, grader in own_labels(*kinds)]
    (score,) = graded_scores(graded_run(TOLD, old))
    assert score.corrected.method == "Rogan–Gladen"


def others(*counts: int, candidate: str = "elsewhere") -> list[tuple[dict[str, Any], str]]:
    """Labels of other transcripts, each of a case of its own: people and grader pass, people alone, grader alone, none."""
    said = (("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("fail", "fail"))
    rows = [pair for pair, count in zip(said, counts, strict=True) for _ in range(count)]
    return [
        (label(n, f"L{n}", candidate, f"{candidate} {n}", people), grader) for n, (people, grader) in enumerate(rows)
    ]


def test_labels_of_other_trials_correct_by_sensitivity_and_specificity() -> None:
    # B11: 157 of 200 passed, Se 57/60, Sp 24/40: (.785 + .6 − 1) / (.95 + .6 − 1) = .70.
    run = graded_run({"steady": ["pass"] * 157 + ["fail"] * 43}, others(57, 3, 16, 24))
    (score,) = graded_scores(run)
    assert score.raw.value == pytest.approx(0.785)
    assert score.corrected.value == pytest.approx(0.70)
    assert score.corrected.se == pytest.approx(0.076532, abs=5e-7)
    assert score.corrected.method == "Rogan–Gladen"


def test_a_candidate_that_the_grader_favours_is_not_corrected_by_its_errors_on_the_others() -> None:
    # Of its own 30 failing transcripts it passes 20; of the others' 40 it passes 4.
    labels = others(20, 2, 4, 36)
    own = [(label(900 + n, f"M{n}", "cousin", f"c {n}", "fail"), "pass" if n < 20 else "fail") for n in range(30)]
    cousin, steady = graded_scores(graded_run({"cousin": ["pass"] * 9, "steady": ["pass"] * 9}, [*labels, *own]))
    assert cousin.alike is not None
    assert cousin.alike.differs is True
    assert (cousin.corrected.value, cousin.corrected.reason) == (
        None,
        "not corrected: the grader errs otherwise on it than on the others",
    )
    assert steady.corrected.value is not None


def test_what_is_not_graded_counts_for_nothing_and_is_counted() -> None:
    # 57 of 60 have a verdict: 5 % left out, and no more.
    told = ["pass"] * 38 + ["fail"] * 19 + ["unscored", "error", None]
    (score,) = graded_scores(graded_run({"steady": told}, others(9, 1, 1, 9)))
    assert (score.raw.value, score.raw.n) == (pytest.approx(38 / 57), 57)
    assert dict(score.states) == {"graded": 57, "unscored": 1, "error": 1, "not graded": 1}


def test_with_more_than_a_twentieth_left_out_no_rate_is_given() -> None:
    # The strong grader did not answer: what is left are the trials that were clear to the cheap one.
    run = graded_run({"steady": ["pass"] * 15 + [None]}, others(9, 1, 1, 9))
    (score,) = graded_scores(run)
    assert (score.raw.value, score.corrected.value) == (None, None)
    assert score.raw.reason == "1 of 16 trials have no verdict, and at most 5 % may be left out"
    said = said_of(recorded(run))
    assert "INCOMPLETE" in said
    assert "not measured: 1 of 16 trials" in said
    assert "INCOMPLETE" not in said_of(recorded(graded_run({"steady": ["pass"] * 15}, others(9, 1, 1, 9))))


def test_where_the_labelled_transcripts_are_not_graded_whole_nothing_is_corrected() -> None:
    (score,) = graded_scores(
        graded_run({"steady": ["pass"] * 9}, [*others(9, 1, 1, 9), (label(99, "X", "e", "x", "pass"), None)])
    )
    assert score.raw.value == 1
    assert (score.corrected.value, score.corrected.reason) == (
        None,
        "the labelled transcripts are not graded whole in this run",
    )


def test_without_a_strong_grader_there_is_no_disagreement_to_tell() -> None:
    assert cheap_against_strong(graded_run({"steady": ["pass", "fail"]}, others(1, 0, 0, 1))).value is None


def said_of(run: Run) -> str:
    return graded_answer(run)._repr_html_() + graded_table(run)._repr_html_()


def test_the_table_stands_only_where_a_line_of_the_ledger_fits() -> None:
    run = graded_run({"steady": ["pass"] * 8 + ["fail"] * 2}, others(20, 2, 2, 20))
    untrusted = said_of(run)
    assert "No graded score" in untrusted
    assert "no ledger" in untrusted
    assert "80" not in untrusted
    trusted = said_of(recorded(run))
    assert "80\u00a0% (" in trusted
    assert "EXAMPLE LABELS" not in trusted
    example = said_of(recorded(graded_run({"steady": ["pass"] * 8}, others(20, 2, 2, 20), source="example")))
    assert "EXAMPLE LABELS" in example


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"grader": {"model": "offline/grader-strong"}}, "model"),
        ({"rubric": RUBRIC.replace("Is it right?", "Is it rite?")}, "rubric"),
    ],
)
def test_a_changed_grader_takes_the_score_away_and_the_page_says_what_changed(
    change: dict[str, Any], part: str
) -> None:
    told, labels = {"steady": ["pass"] * 8 + ["fail"] * 2}, others(20, 2, 2, 20)
    ledger = recorded(graded_run(told, labels)).labels["trust.jsonl"]
    changed = graded_run(told, labels, **change)
    said = said_of(replace(changed, labels={**changed.labels, "trust.jsonl": ledger}))
    assert f"the grader&#x27;s {part} has changed" in said
    assert "80" not in said.replace("2026-08", "")


def test_a_run_without_a_grader_says_so() -> None:
    run = graded_run({"steady": ["pass"]}, others(1, 0, 0, 1))
    alone = Run({**run.manifest, "shootout": {}}, run.suite, run.pairs, run.judged_by)
    assert "Nothing is graded here: the run&#x27;s shootout names no `grader`." in said_of(alone)
