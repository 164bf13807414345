"""The cascade: the cheap grader grades everything, the strong one what is in doubt and a share drawn beforehand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evalkit.grading.panel import LIVE, Grader, Panel, Subject, Which
from evalkit.transcript import Grade

NOTHING_SAID = "no answer: the agent said nothing that could be graded"
NOT_ASKED = "not graded yet; `evalkit grade` goes on"


@dataclass(frozen=True)
class Verdicts:
    """What one grader says of one transcript: a verdict a criterion, and whether they pass; None where unscored."""

    passed: bool | None
    by_criterion: Mapping[str, str | None] = field(default_factory=dict)
    reasoning: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grading:
    """What the cascade says of one transcript.

    `passed` and `verdicts` are those that stand: the strong grader's wherever it was asked. `near` says that a verdict
    of the cheap one lies near the threshold, `audited` that the transcript was drawn for the strong one before any
    verdict was seen; `inclusion` is the chance with which the strong one was asked. `usd` is None where a cost is
    unknown.
    """

    state: Literal["graded", "unscored", "error", "not graded"]
    passed: bool | None
    verdicts: Mapping[str, str | None]
    by: Which
    cheap_passed: bool | None
    strong_passed: bool | None
    near: bool
    audited: bool
    inclusion: float
    reason: str
    reasoning: Mapping[str, str]
    flags: tuple[str, ...]
    usd: float | None


def audited(panel: Panel, subject: Subject) -> bool:
    """Whether a transcript goes to the strong grader whatever the cheap one says; no verdict has a part in it."""
    drawn = hashlib.sha256(f"audit:{panel.audit_seed}:{subject.content}:{subject.reference}".encode()).digest()
    return int.from_bytes(drawn[:8]) / 2**64 < panel.rubric.audit


def is_near(panel: Panel, grades: Sequence[Grade]) -> bool:
    """Whether a verdict among these of the cheap grader lies near the threshold."""
    return any(each.verdict in panel.rubric.near for grade in grades for each in grade.criteria)


def next_asked(
    panel: Panel, subject: Subject, grades: Mapping[str, Grade], series: str, *, retry_unscored: bool = False
) -> Iterator[tuple[Grader, str, int | None]]:
    """The grades that are still to be asked for: of the cheap grader, and once it has spoken of the strong one."""
    again = ("error", "unscored") if retry_unscored else ("error",)

    def missing(grader: Grader) -> Iterator[tuple[Grader, str, int | None]]:
        for key, answer in panel.asked_for(subject, grader.which, series):
            if key not in grades or grades[key].status in again:
                yield grader, key, answer

    yield from missing(panel.cheap)
    if panel.strong is None:
        return
    given = [grades[key] for key, _ in panel.asked_for(subject, "cheap", series) if key in grades]
    if audited(panel, subject) or is_near(panel, given):
        yield from missing(panel.strong)


def grading_of(panel: Panel, subject: Subject, grades: Mapping[str, Grade], series: str = LIVE) -> Grading:
    """What the cascade says of a transcript, from the grades there are."""
    cheap = _given(panel, subject, "cheap", grades, series)
    near, drawn = is_near(panel, cheap or ()), audited(panel, subject)
    to_strong = panel.strong is not None and (near or drawn)
    strong = _given(panel, subject, "strong", grades, series) if to_strong else None
    by: Which = "strong" if to_strong else "cheap"
    first = _verdicts(panel, cheap)
    second = _verdicts(panel, strong) if to_strong else None
    state = _state(cheap, strong, to_strong=to_strong)
    # A verdict that would not stand once the other grader has spoken is none.
    stands = (second or first) if state != "not graded" else Verdicts(None, reason=NOT_ASKED)
    asked = [each for each in (cheap, strong if to_strong else ()) if each is not None]
    return Grading(
        state=state,
        passed=stands.passed,
        verdicts=stands.by_criterion,
        by=by,
        cheap_passed=first.passed,
        strong_passed=second.passed if second else None,
        near=near,
        audited=drawn,
        inclusion=(1.0 if near else panel.rubric.audit) if panel.strong is not None else 0.0,
        reason=stands.reason,
        reasoning=stands.reasoning,
        flags=stands.flags,
        usd=_sum(attempt.usd for grades_ in asked for grade in grades_ for attempt in grade.attempts),
    )


def _given(
    panel: Panel, subject: Subject, which: Which, grades: Mapping[str, Grade], series: str
) -> tuple[Grade, ...] | None:
    """A grader's grades of a transcript, one an answer or one in all; None where one is still to be asked for."""
    keys = [key for key, _ in panel.asked_for(subject, which, series)]
    return tuple(grades[key] for key in keys) if all(key in grades for key in keys) else None


def _state(
    cheap: Sequence[Grade] | None, strong: Sequence[Grade] | None, *, to_strong: bool
) -> Literal["graded", "unscored", "error", "not graded"]:
    if cheap is None or (to_strong and strong is None):
        return "not graded"
    statuses = {grade.status for grade in (strong if to_strong and strong is not None else cheap)} or {"unscored"}
    return "error" if "error" in statuses else "unscored" if "unscored" in statuses else "graded"


def _verdicts(panel: Panel, grades: Sequence[Grade] | None) -> Verdicts:
    """The verdict on each criterion, the worst of its answers'; unscored where any of the grades is."""
    rubric = panel.rubric
    if grades is None:
        return Verdicts(None, reason=NOT_ASKED)
    if not grades:
        return Verdicts(None, reason=NOTHING_SAID)
    unread = [grade for grade in grades if grade.status != "graded"]
    if unread:
        return Verdicts(None, reason=unread[0].reason, reasoning=_reasons(grades))
    given = {
        name: rubric.worst([each.verdict for grade in grades for each in grade.criteria if each.name == name])
        for name in rubric.criterion_names
    }
    flags = tuple(dict.fromkeys(flag for grade in grades for flag in grade.flags))
    return Verdicts(all(rubric.passes(verdict) for verdict in given.values()), given, _reasons(grades), flags=flags)


def _reasons(grades: Sequence[Grade]) -> dict[str, str]:
    said: dict[str, list[str]] = {}
    for grade in grades:
        place = "" if grade.turn is None else f"Answer {grade.turn + 1}: "
        for each in grade.criteria:
            said.setdefault(each.name, []).extend([place + each.reasoning] if each.reasoning else [])
    return {name: " ".join(each) for name, each in said.items()}


def _sum(costs: Iterator[float | None]) -> float | None:
    known = list(costs)
    return None if None in known else float(sum(known))  # type: ignore[arg-type]
