"""The days of both sides' trials, and a baseline that is too old to compare with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta

from evalkit.gate.advice import measure
from evalkit.gate.decision import Note, Reason, SideRecord
from evalkit.gate.scope import Scope
from evalkit.gate.sides import Side
from evalkit.settings import Gate
from evalkit.shown import counted


def record(side: Side, scope: Scope) -> SideRecord:
    """A side as it was read, with the days of its trials that count."""
    days, _ = _days(side, scope)
    return SideRecord(
        name=side.name,
        run=side.run,
        k=side.k,
        repeats=side.repeats,
        first=min(days).isoformat() if days else "",
        last=max(days).isoformat() if days else "",
        snapshot=side.suite.snapshot if side.suite is not None else "",
        judged_by=side.judged_by,
        commit=side.commits[-1] if side.commits else "",
    )


def reasons(scope: Scope) -> Iterator[Reason]:
    """The reason where the baseline's oldest trial that is compared is too old, or nobody can tell."""
    side, today = scope.baseline, scope.asked.today
    if side is None or not scope.compares or not any(scope.strata.values()):
        return
    if today is None:
        if scope.after is not None:
            yield Reason("stale", "baseline", "the baseline's age is not known: no date was given; pass --date", False)
        return
    days, dateless = _days(side, scope)
    if dateless:
        says = (
            f"{counted(dateless, 'trial')} of the baseline bear{'s' * (dateless == 1)} no date, so its age is not known"
        )
        yield Reason("stale", "baseline", f"{says}; {measure(scope, fresh=True)}", measured=False)
        return
    most = (scope.after.settings.gate if scope.after else Gate()).max_age_days
    age, first, last = (today - min(days)).days, min(days), max(days)
    if age > most:
        says = f"the baseline is too old: its first trial is of {first}, {age} days before {today}, and {most} are"
        yield Reason(
            "stale", "baseline", f"{says} allowed (gate.max_age_days); {measure(scope, fresh=True)}", measured=False
        )
    # A day ahead is another time zone; more is a wrong date.
    if last > today + timedelta(days=1):
        says = f"the baseline's last trial is of {last}, after {today}, the date that was given; pass today's"
        yield Reason("stale", "baseline", says, measured=False)


def notes(scope: Scope) -> Iterator[Note]:
    """That nobody asked for the baseline's age."""
    if scope.compares and scope.asked.today is None and scope.after is None:
        yield Note("stale", "baseline", "the baseline's age was not looked at: no date was given")


def day_of(started: str) -> date | None:
    """The day of a trial in UTC; None where it bears no date."""
    try:
        moment = datetime.fromisoformat(started)
    except ValueError:
        return None
    return (moment.astimezone(UTC) if moment.tzinfo is not None else moment).date()


def _days(side: Side, scope: Scope) -> tuple[list[date], int]:
    """The days of the trials that count, and how many of them bear none."""
    started = list(_started(side, scope))
    days = [day for each in started if (day := day_of(each)) is not None]
    return days, len(started) - len(days)


def _started(side: Side, scope: Scope) -> Iterable[str]:
    """When each trial that counts was begun: what is compared of a baseline, and all that was asked of a candidate."""
    if side is scope.baseline and scope.compares:
        for name in (name for names in scope.strata.values() for name in names):
            for block in range(side.repeats):
                yield from (t.started for t in side.cases[name].block(block, scope.k) if t.passed is not None)
        return
    for name in scope.expected:
        if name in side.cases:
            yield from (t.started for t in side.cases[name].trials if t.passed is not None)
