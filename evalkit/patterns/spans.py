"""Where alternatives stand in a text: spans, the windows in which they are looked for, and which of them are kept."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from operator import itemgetter
from typing import NamedTuple

# Bytes. A longer text is searched piece by piece: a hit is sure to be found there if it is no longer than REACH.
_STEP = 4_000
REACH = 1_200

_start = itemgetter(0)


class Found(NamedTuple):
    """An alternative, by its place in its concept, found in the folded text; offsets in bytes, then in characters."""

    start: int
    end: int
    alternative: int
    negated: bool = False


class Window(NamedTuple):
    """A piece of a text, in bytes: hits that start in [begin, until) are looked for up to `end`."""

    begin: int
    until: int
    end: int


def windows(data: bytes) -> Iterator[Window]:
    if len(data) <= 2 * _STEP:
        yield Window(0, len(data), len(data))
        return
    begin = 0
    while begin < len(data):
        until = boundary(data, min(begin + _STEP, len(data)))
        yield Window(begin, until, boundary(data, min(until + REACH, len(data))))
        begin = until


def boundary(data: bytes, place: int) -> int:
    while place < len(data) and data[place] & 0xC0 == 0x80:
        place -= 1
    return place


def in_chars(data: bytes, span: Found, begin: int, chars: int) -> Found:
    start = chars + len(data[begin : span.start].decode())
    return Found(start, start + len(data[span.start : span.end].decode()), span.alternative)


def outside(spans: list[Found], excluded: list[tuple[int, int]]) -> list[Found]:
    """The spans that lie in none of the excluded ones."""
    # For each start, the furthest end of all excluded spans that start there or before.
    starts: list[int] = []
    furthest: list[int] = []
    for start, end in sorted(excluded):
        starts.append(start)
        furthest.append(max(end, furthest[-1]) if furthest else end)
    return [span for span in spans if not (at := bisect_left(starts, span.start + 1)) or furthest[at - 1] < span.end]


def longest(spans: list[Found]) -> list[Found]:
    """Of those that overlap the longest (the first of equals), sorted by start."""
    if len(spans) < 2:
        return spans
    kept: list[Found] = []
    for span in sorted(spans, key=lambda each: (each.start - each.end, each.start)):
        at = bisect_left(kept, span.start, key=_start)
        after = kept[at].start if at < len(kept) else span.end
        before = kept[at - 1].end if at else span.start
        if before <= span.start and span.end <= after:
            kept.insert(at, span)
    return kept
