"""What a run's repeats say of each case: passed or failed, a repeat at a time, or what was not measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from evalkit.errors import ShootoutError
from evalkit.tables import Reading, Run, once_a_run


@dataclass(frozen=True)
class Repeated:
    """A stratum's cases: those that every repeat measured, 0 or 1 a repeat, and the others with what is missing."""

    measured: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Span:
    """The time from the first trial's start to the last one's, of `trials` that have a date, of `of`."""

    first: str
    last: str
    length: timedelta
    trials: int
    of: int


def baseline_of(run: Run, candidate: str | None = None) -> str:
    """Whose bands a run has: `candidate`, else its baseline, else its only candidate.

    Raises ShootoutError where the run has no such candidate, or several and no baseline.
    """
    names = [each["name"] for each in run.manifest["candidates"]]
    chosen = candidate or run.baseline
    if chosen is None:
        raise ShootoutError(f"the run names no baseline; say whose bands are meant: {', '.join(names)}")
    if chosen not in names:
        raise ShootoutError(f"the run has no candidate {chosen}; it has: {', '.join(names)}")
    return chosen


def repeats_of(run: Run, candidate: str) -> dict[int, tuple[Reading, ...]]:
    """A candidate's readings by their block, without what a gate had played anew: that was chosen by how it went.

    A repeat that a gate took for its second look was played whatever came of the first, and stays.
    """
    reruns = set(run.manifest.get("reruns", {}).get(candidate, {}).values())
    own = run.passes(candidate)
    return {block: found for block, found in run.blocks(candidate).items() if block < own or block not in reruns}


@once_a_run
def by_stratum(run: Run, candidate: str) -> dict[str, Repeated]:
    """What the repeats say of each stratum that was asked for, in the suite's order."""
    k, blocks = run.manifest["trials"], {}
    for block, readings in repeats_of(run, candidate).items():
        by_case: dict[str, list[Reading]] = {}
        for reading in readings:
            by_case.setdefault(reading.slot.case, []).append(reading)
        blocks[block] = by_case
    asked = {slot.case for slot, _ in run.pairs if slot.candidate == candidate}
    found: dict[str, tuple[dict[str, tuple[int, ...]], dict[str, str]]] = {}
    for case in run.suite.active:
        if case.id not in asked:
            continue
        measured, missing = found.setdefault(case.stratum, ({}, {}))
        row = [_passed(by_case.get(case.id, []), k) for by_case in blocks.values()]
        if gaps := [f"repeat {at} {each}" for at, each in enumerate(row, 1) if isinstance(each, str)]:
            missing[case.id] = ", ".join(gaps)
        else:
            measured[case.id] = tuple(each for each in row if not isinstance(each, str))
    return {stratum: Repeated(*parts) for stratum, parts in found.items()}


def repeat_matrix(run: Run, candidate: str, stratum: str) -> tuple[tuple[str, ...], list[list[int]]]:
    """The cases of a stratum that every repeat measured, and for each whether it passed, 0 or 1 a repeat.

    A case passes a repeat where all its k trials do. The rows are what `stats.noise.band` takes, shape (cases,
    repeats).
    """
    measured = by_stratum(run, candidate).get(stratum, Repeated()).measured
    return tuple(measured), [list(row) for row in measured.values()]


def unmeasured(run: Run, candidate: str, stratum: str) -> dict[str, str]:
    """The cases of a stratum that some repeat did not measure, each with what is missing."""
    return dict(by_stratum(run, candidate).get(stratum, Repeated()).missing)


def trials_of(run: Run, candidate: str) -> dict[str, tuple[int, int]]:
    """How many single trials each case passed, of those that were measured, over all repeats."""
    found: dict[str, tuple[int, int]] = {}
    for readings in repeats_of(run, candidate).values():
        for each in readings:
            passed, of = found.get(each.slot.case, (0, 0))
            said = each.judgement.passed if each.judgement is not None else None
            found[each.slot.case] = (passed + (said is True), of + (said is not None))
    return found


def span_of(run: Run, candidate: str) -> Span | None:
    """The time that a candidate's repeats cover; None where no trial has a date."""
    readings = [each for found in repeats_of(run, candidate).values() for each in found]
    dated = sorted(
        (datetime.fromisoformat(each.trial.started), each.trial.started)
        for each in readings
        if each.trial is not None and each.trial.started
    )
    if not dated:
        return None
    return Span(dated[0][1], dated[-1][1], dated[-1][0] - dated[0][0], len(dated), len(readings))


def _passed(readings: list[Reading], k: int) -> int | str:
    """1 where all k trials passed, 0 where one failed, or what was not measured."""
    if len(readings) < k:
        return f"has {len(readings)} of {k} trials"
    for each in readings:
        if each.judgement is None or each.judgement.passed is None:
            status = each.trial.status if each.trial else "not_run"
            return f"trial {each.slot.number + 1}: {status if status != 'completed' else 'a check was left unscored'}"
    return int(all(each.judgement and each.judgement.passed for each in readings))
