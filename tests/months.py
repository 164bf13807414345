"""Months of calibration made by hand: the same labels, and a grader whose every verdict is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from measured import Row, measured_run

from evalkit.fingerprint import sha256
from evalkit.measurement import measure
from evalkit.tables import Run
from evalkit.trust import TrustLine, line_of


def month_line(rows: Iterable[Row], month: str, day: str = "", **more: Any) -> TrustLine:
    """The line of the ledger that a month's grades give."""
    return line_of(measure(measured_run(rows, series=month, **more)), day or f"{month}-28")


def another(line: TrustLine, *parts: str) -> TrustLine:
    """The line as if these parts of its grader had been others."""
    grader = dict(line.grader) | {part: sha256(f"another {part}") for part in parts}
    grader["fingerprint"] = sha256({part: grader[part] for part in ("rubric", "model", "prompt")})
    return replace(line, grader=grader)


def other_labels(line: TrustLine) -> TrustLine:
    """The line as if it rested on other labels."""
    return replace(line, labels={**line.labels, "hash": "0" * 64})


def without_verdicts(line: TrustLine) -> TrustLine:
    """The line as if it did not keep the grader's verdicts, item by item."""
    return replace(line, figures={**line.figures, "verdicts": ""})


def ledger(*lines: TrustLine) -> str:
    return "".join(f"{line.to_json()}\n" for line in lines)


def months_run(graded: Mapping[str, list[Row]], *lines: TrustLine, series: str = "", **more: Any) -> Run:
    """A run that holds the grades of some months, of which `series` (default: the last) is its own.

    The label set is that of the last; all must have the same verdicts of people.
    """
    runs = {month: measured_run(rows, series=month, **more) for month, rows in graded.items()}
    grades = {key: grade for run in runs.values() for key, grade in run.grades.items()}
    last = runs[series or max(graded)]
    labels = {**last.labels, **({"trust.jsonl": ledger(*lines)} if lines else {})}
    return Run(last.manifest, last.suite, (), last.judged_by, grades, labels)
