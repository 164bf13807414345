"""Runs with labels and grades made by hand, so that every figure of a measurement can be told in advance."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from evalkit.labels import load_label_sets, subject_of_item
from evalkit.labels.held_out import held_out
from evalkit.loading import check_files
from evalkit.tables import Run
from evalkit.transcript import CriterionGrade, Grade

# A scale of three, of which the lowest fails; nobody is audited, and no verdict is near.
RUBRIC = """
ordered: true
menu:
  - {verdict: 1, means: Bad., passes: false}
  - {verdict: 2, means: Fair., passes: true}
  - {verdict: 3, means: Good., passes: true}
audit: 0
criteria:
  - {name: right, asks: Is it right?}
  - {name: kind, asks: Is it kind?}
"""
PROMPT = "Grade the agent."
GRADER = {"model": "offline/grader-cheap", "rubric": "quality"}
VERDICT = {"pass": "3", "fail": "1"}
TICKET = "- {id: T, ticket: {subject: s, body: b}, expected_handling: direct, reference: {golden_answer: Yes}}"


@dataclass(frozen=True)
class Row:
    """One labelled transcript: people's verdicts and the grader's.

    `people` and `grader` are "pass" or "fail"; `grader` may be "unscored", "error" or None, for not graded yet.
    `raters` overrides what each rater said: rater → criterion → verdict.
    """

    people: str = "pass"
    grader: str | None = "pass"
    held: bool = True
    raters: Mapping[str, Mapping[str, str]] | None = None
    lead: Mapping[str, str] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


def table(both: int, missed: int, let_through: int, agreed: int, **more: Any) -> list[Row]:
    """Rows that make this table: people's verdicts in rows, the grader's in columns, passes first."""
    cells = zip(("pass", "pass", "fail", "fail"), ("pass", "fail", "pass", "fail"), strict=True)
    counts = (both, missed, let_through, agreed)
    return [Row(people, grader, **more) for (people, grader), n in zip(cells, counts, strict=True) for _ in range(n)]


def case_names(held: bool, share: float = 0.5) -> Iterable[str]:
    """Names of cases that are held out, or that are open."""
    return (name for number in count() if held_out(name := f"C{number}", share) == held)


def label_lines(rows: Iterable[Row], *, source: str = "example", name: str = "hand", share: float = 0.5) -> str:
    """The text of a label set; each row is of a case of its own."""
    names = {held: iter(case_names(held, share)) for held in (True, False)}
    head = {"labels": name, "source": source, "rubric": "quality", "about": "By hand."}
    lines = [head]
    for number, row in enumerate(rows):
        says = VERDICT[row.people]
        raters = row.raters or {rater: {"right": says, "kind": "3"} for rater in ("ann", "bob")}
        item = {
            "item": f"L{number:03}", "case": next(names[row.held]), "stratum": "tickets", "candidate": "steady",
            "trial": 0, "kind": "ticket", "inclusion": 1.0,
            "transcript": [{"role": "customer", "text": "Hi"}, {"role": "agent", "text": f"Answer {number}"}],
            "reference": "Yes",
            "ratings": [
                {"rater": rater, "date": "2026-08-04", "verdicts": said, "note": ""} for rater, said in raters.items()
            ],
            "adjudication": row.lead and {"lead": "eve", "date": "2026-08-06", "verdicts": row.lead, "rule": "So."},
        }  # fmt: skip
        lines.append({**item, **row.more})
    return "".join(json.dumps(line) + "\n" for line in lines)


def measured_run(
    rows: Iterable[Row],
    *,
    settings: str = "name: handmade",
    rubric: str = RUBRIC,
    prompt: str = PROMPT,
    grader: Mapping[str, Any] | None = GRADER,
    ledger: str | None = None,
    series: str = "live",
    labels: Mapping[str, str] | None = None,
) -> Run:
    """A run of no trial, with a label set of these rows and a grade for each; `labels` overrides the files of labels."""
    rows = list(rows)
    texts = {"rubrics/quality.yaml": rubric, "prompts/grader.md": prompt, "suite.yaml": settings, "t.yaml": TICKET}
    checked = check_files({path: text.encode() for path, text in texts.items()}, name="handmade")
    assert checked.suite is not None, checked.faults
    suite = checked.suite
    files = dict(labels) if labels is not None else {"hand.jsonl": label_lines(rows)}
    if ledger is not None:
        files["trust.jsonl"] = ledger
    manifest = {
        "run": "f" * 64, "name": "handmade", "started": "2026-11-02T10:00:00+00:00", "trials": 1, "baseline": None,
        "suite": {"name": "handmade", "snapshot": suite.snapshot, "cases": 0, "strata": {}, "safety_cases": []},
        "candidates": [], "shootout": {"grader": dict(grader)} if grader else {}, "series": series,
    }  # fmt: skip
    run = Run(manifest, suite, (), "the suite as it stands", labels=files)
    if run.panel is None:
        return run
    items = [item for labels_ in load_label_sets(files) for item in labels_.items]
    grades = {}
    for row, item in zip(rows, items, strict=False):
        for key, _ in run.panel.asked_for(subject_of_item(item), "cheap", series):
            if row.grader is not None:
                grades[key] = grade(key, row.grader, series)
    return Run(manifest, suite, (), "the suite as it stands", grades, files)


def grade(key: str, said: str, series: str = "live") -> Grade:
    """A grade that passes or fails on `right`, or that is "unscored" or an "error"."""
    if said in ("unscored", "error"):
        return Grade(key, said, reason=f"{said}: by hand", series=series)  # type: ignore[arg-type]
    given = (CriterionGrade("right", VERDICT[said], "Because."), CriterionGrade("kind", "3", "Kind enough."))
    return Grade(key, "graded", given, model="offline/grader-cheap", series=series)
