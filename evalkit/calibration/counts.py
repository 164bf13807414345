"""What grading the labelled transcripts of a month came to: verdicts, failures, calls and cost, and the two graders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from evalkit.calibration.months import Calibration, is_month
from evalkit.grading import Grading, Subject, grading_of
from evalkit.labels import subject_of_item
from evalkit.stats.audit import Disagreement, disagreement
from evalkit.transcript import Grade

WHICH: tuple[Literal["cheap", "strong"], ...] = ("cheap", "strong")


@dataclass(frozen=True)
class Spent:
    """The grades that one grader gave in one month's series.

    `usd` is None where the cost of a call is unknown. `reasons` counts why there is no verdict, by status and the word
    that a reason begins with.
    """

    month: str
    which: Literal["cheap", "strong"]
    model: str
    graded: int
    unscored: int
    errors: int
    calls: int
    usd: float | None
    reasons: Mapping[tuple[str, str], int]


def held_series(found: Calibration) -> tuple[str, ...]:
    """The months of which the run holds grades of this very grader, oldest first."""
    series = {grade.series for grade in found.run.grades.values() if is_month(grade.series)}
    return tuple(month for month in sorted(series) if any(_grades(found, which, month) for which in WHICH))


def transcripts(found: Calibration, month: str) -> Mapping[str, int]:
    """How many different labelled transcripts are "graded", "unscored", an "error" or "not graded" in a month."""
    return Counter(each.state for each in _gradings(found, month))


def spent(found: Calibration, month: str) -> tuple[Spent, ...]:
    """What each grader gave in a month's series; () where the run holds no grade of it."""
    if found.measurement is None:
        return ()
    panel, rows = found.measurement.panel, []
    for which in WHICH:
        grader, grades = panel.grader(which), _grades(found, which, month)
        if grader is None or not grades:
            continue
        states = Counter(grade.status for grade in grades)
        costs = [attempt.usd for grade in grades for attempt in grade.attempts]
        rows.append(
            Spent(
                month=month,
                which=which,
                model=grader.spec.model,
                graded=states["graded"],
                unscored=states["unscored"],
                errors=states["error"],
                calls=len(costs),
                usd=None if None in costs else float(sum(costs)),  # type: ignore[arg-type]
                reasons=Counter((grade.status, _word(grade.reason)) for grade in grades if grade.status != "graded"),
            )
        )
    return tuple(rows)


def cascade(found: Calibration, month: str) -> Disagreement | None:
    """How often both graders differ on a month's transcripts, weighted; None without a strong one."""
    if found.measurement is None or found.measurement.panel.strong is None:
        return None
    gradings = _gradings(found, month)
    return disagreement(
        [each.near for each in gradings],
        [each.audited for each in gradings],
        [each.cheap_passed for each in gradings],
        [each.strong_passed for each in gradings],
        [each.inclusion for each in gradings],
    )


def _subjects(found: Calibration) -> list[Subject]:
    """The labelled transcripts, equal ones once: they share a grade."""
    labelled = found.measurement.labelled if found.measurement else ()
    subjects = (subject_of_item(each.item) for each in labelled)
    return list({(each.content, each.reference): each for each in subjects}.values())


def _gradings(found: Calibration, month: str) -> list[Grading]:
    if found.measurement is None:
        return []
    return [grading_of(found.measurement.panel, each, found.run.grades, month) for each in _subjects(found)]


def _grades(found: Calibration, which: Literal["cheap", "strong"], month: str) -> list[Grade]:
    if found.measurement is None:
        return []
    panel = found.measurement.panel
    keys = (key for subject in _subjects(found) for key, _ in panel.asked_for(subject, which, month))
    return [found.run.grades[key] for key in keys if key in found.run.grades]


def _word(reason: str) -> str:
    return reason.partition(":")[0].strip() or "no reason given"
