"""The stratified draw: which transcripts people are asked to judge, and with which probability each was taken."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evalkit.errors import NotMeasured
from evalkit.grading.turns import reference_of, turns_of
from evalkit.labels.items import Item
from evalkit.suite import Suite

_DIGITS = 6


class Played(Protocol):
    """A run as far as a draw looks at it; each of its `readings` has a slot, and a trial and a judgement or None."""

    @property
    def id(self) -> str: ...
    @property
    def suite(self) -> Suite: ...
    @property
    def readings(self) -> Sequence[Any]: ...


@dataclass(frozen=True)
class _Member:
    """One trial that may be drawn, of the `trials` completed ones of its candidate and case."""

    reading: Any
    trials: int

    @property
    def names(self) -> tuple[str, str]:
        return self.reading.slot.candidate, self.reading.slot.case


def draw(run: Played, items: int, seed: int) -> tuple[Item, ...]:
    """About `items` transcripts of a run for people to judge, in an order that says nothing, without ratings.

    The population is one random completed trial of each candidate and case. Its cells are stratum × likely fail, which
    is what the deterministic checks fail; half of the items are likely fails, where there are so many. Within each half
    the strata have their shares, and each cell has one item at least, so that no part of the population is without a
    chance. An item's inclusion is drawn ÷ available in its cell ÷ the completed trials of its candidate and case.

    All choices hang on hashes of the seed and the names: a new case changes how many are taken from a cell, never the
    order in which they are. Raises NotMeasured where nothing was completed.
    """
    cells = _cells(run, seed)
    if not cells:
        raise NotMeasured(f"run {run.id[:8]} has no completed trial to label")
    wanted = _wanted(cells, items)
    drawn: list[tuple[_Member, float]] = []
    for (fails, stratum), members in sorted(cells.items()):
        want = wanted[fails] * len(members) / sum(len(cell) for (each, _), cell in cells.items() if each is fails)
        number = min(max(1, math.floor(want + chance("round", seed, fails, stratum))), len(members))
        members = sorted(members, key=lambda member: chance("item", seed, *member.names))
        drawn += [(member, number / len(members)) for member in members[:number]]
    drawn.sort(key=lambda each: chance("order", seed, *each[0].names))
    digits = max(3, len(str(len(drawn))))
    return tuple(
        _item(run, f"L{place:0{digits}}", member, share / member.trials)
        for place, (member, share) in enumerate(drawn, start=1)
    )


def chance(*parts: object) -> float:
    """A number in [0, 1) that hangs on nothing but the parts."""
    return int(hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:8], 16) / 2**32


def _cells(run: Played, seed: int) -> dict[tuple[bool, str], list[_Member]]:
    completed: dict[tuple[str, str], list[Any]] = {}
    for each in run.readings:
        if each.trial is not None and each.trial.status == "completed" and each.judgement is not None:
            completed.setdefault((each.slot.candidate, each.slot.case), []).append(each)
    cells: dict[tuple[bool, str], list[_Member]] = {}
    for pair, trials in completed.items():
        one = min(trials, key=lambda each: chance("trial", seed, *pair, each.slot.number))
        cell = (one.judgement.passed is False, run.suite.by_id[one.slot.case].stratum)
        cells.setdefault(cell, []).append(_Member(one, len(trials)))
    return cells


def _wanted(cells: Mapping[tuple[bool, str], Sequence[_Member]], items: int) -> dict[bool, float]:
    """How many likely fails are wanted, and how many others: half each, or more where the other side has too few."""
    available = Counter(dict.fromkeys((True, False), 0))
    for (fails, _), members in cells.items():
        available[fails] += len(members)
    others = min(items - min(items / 2, available[True]), available[False])
    return {True: min(items - others, available[True]), False: others}


def _item(run: Played, name: str, member: _Member, inclusion: float) -> Item:
    slot, trial = member.reading.slot, member.reading.trial
    case = run.suite.by_id[slot.case]
    place = (slot.case, case.stratum, slot.candidate, slot.number, case.kind)
    turns = turns_of(trial.messages)
    return Item(name, *place, round(inclusion, _DIGITS), turns, reference_of(case))
