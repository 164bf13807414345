"""The end state: what a trial left behind beside what is expected, field by field and by value."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from evalkit.cases import Case
from evalkit.folding import fold
from evalkit.settings import Points
from evalkit.transcript import Trial, Verdict

MAX_DIFFERENCES = 12
OWN_TOOLS = "the agent's own tools are not seen here"
# A number as people write it; what begins with a zero, as 007 does, is a name.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)?(?:\.\d+)?", re.ASCII)
_LONGEST_NUMBER = 60
# Sums of floats are off by less than this; sums of money are not.
_NOISE = Decimal("1e-9")
_SHOWN_CHARS = 80


class _Absent:
    """What stands for a value that is not there."""

    def __repr__(self) -> str:
        return "missing"


ABSENT = _Absent()


@dataclass(frozen=True)
class Difference:
    """One field that is not as expected: its keys with dots, and ABSENT where there is no such field."""

    path: str
    expected: Any
    actual: Any

    @property
    def said(self) -> str:
        """The difference in words: "ticket.status: expected 'escalated', was 'open'"."""
        field = f"{self.path}: " if self.path else ""
        return f"{field}expected {shown(self.expected)}, was {shown(self.actual)}"


def shown(value: Any, chars: int = _SHOWN_CHARS) -> str:
    """A value in a sentence: a text in quotes, all else as JSON, cut where it is long."""
    if value is ABSENT:
        return "missing"
    text = f"'{value}'" if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= chars else f"{text[: chars - 1]}…"


def end_state(trial: Trial, case: Case, points: Points) -> Iterator[Verdict]:
    """The verdict on the end state, where one is expected; unscored where the state is not known."""
    expected = case.expect.final_state
    if expected is None:
        return
    if trial.after is None:
        yield Verdict("end state", "action", None, 0.0, "wrong action", OWN_TOOLS)
        return
    found = differences(expected, trial.after)
    more = len(found) - MAX_DIFFERENCES
    said = [each.said for each in found[:MAX_DIFFERENCES]] + [f"and {more} more"] * (more > 0)
    yield Verdict(
        check="end state",
        kind="action",
        passed=not found,
        points=points.routing_wrong if found else 0.0,
        harm="wrong action",
        reason="; ".join(said),
    )


def differences(expected: Any, actual: Any) -> tuple[Difference, ...]:
    """The fields in which `actual` is not as `expected`, in the order of the expectation.

    Of mappings the named keys are compared, an expected null is a field that is null or missing. Lists are compared
    whole: their length, and their order unless they hold mappings alone. Numbers are compared by value, written as
    text or not ('1,093.34' is 1093.34); True is no number. Texts are compared folded, in their case.
    """
    return tuple(_compare("", expected, actual))


def _compare(path: str, expected: Any, actual: Any) -> Iterator[Difference]:
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for key, value in expected.items():
            yield from _compare(f"{path}.{key}" if path else str(key), value, actual.get(key, ABSENT))
    elif _is_list(expected) and _is_list(actual) and len(expected) == len(actual):
        for place, (wanted, found) in enumerate(_paired(expected, actual)):
            yield from _compare(f"{path}[{place}]", wanted, found)
    elif not _same(expected, actual):
        yield Difference(path, expected, actual)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _same(expected: Any, actual: Any) -> bool:
    if expected is None:
        return actual is None or actual is ABSENT
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    one, other = number(expected), number(actual)
    if one is not None and other is not None:
        inexact = isinstance(expected, float) or isinstance(actual, float)
        return one == other or (inexact and abs(one - other) <= _NOISE * max(1, abs(one)))
    if isinstance(expected, str) and isinstance(actual, str):
        return fold(expected).text == fold(actual).text
    return False


def number(value: Any) -> Decimal | None:
    """The exact value of a number, or of a text that is written as one; None for all else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(value)) if math.isfinite(value) else None
    if not isinstance(value, str) or len(value) > _LONGEST_NUMBER:
        return None
    text = fold(value).text
    return Decimal(text.replace(",", "")) if _NUMBER.fullmatch(text) and text[-1:].isdigit() else None


def _paired(expected: Sequence[Any], actual: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Each expected item beside an actual one: by place, or, where all are mappings, so that as many as can agree."""
    if not all(isinstance(item, Mapping) for item in (*expected, *actual)):
        yield from zip(expected, actual, strict=True)
        return
    fits = [[place for place, item in enumerate(actual) if not differences(wanted, item)] for wanted in expected]
    mates = _matched(fits)
    left = iter(sorted({*range(len(actual))} - {*mates.values()}))
    for number_, wanted in enumerate(expected):
        yield wanted, actual[mates[number_] if number_ in mates else next(left)]


def _matched(fits: Sequence[Sequence[int]]) -> dict[int, int]:
    """A largest matching (augmenting paths): to each item that can have one, its own place among those that fit it."""
    mates: dict[int, int] = {}
    owners: dict[int, int] = {}
    for item in range(len(fits)):
        reached: dict[int, int] = {}  # a place → the item from which it was reached
        queue, free = [item], None
        for current in queue:
            for place in fits[current]:
                if place in reached:
                    continue
                reached[place] = current
                if place not in owners:
                    free = place
                    break
                queue.append(owners[place])
            if free is not None:
                break
        while free is not None:
            current = reached[free]
            before = mates.get(current)
            mates[current], owners[free] = free, current
            free = before if current != item else None
    return mates
