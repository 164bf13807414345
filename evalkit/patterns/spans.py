"""Where alternatives stand in a text: spans, the windows in which they are looked for, and which of them are kept."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import NamedTuple

# A text of more bytes is searched piece by piece: so little of it holds by chance what only one alternative needs.
_WHOLE = 8_000
_STEP = 2_000
# Characters: no longer hit is sure to be found then. And the most bytes that they take.
_REACH = 300
REACH = 4 * _REACH

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
    """The pieces in which UTF-8 data are searched, in their order."""
    if len(data) <= _WHOLE:
        yield Window(0, len(data), len(data))
        return
    begin = 0
    while begin < len(data):
        until = _cut(data, begin)
        behind = data[until : until + REACH].decode(errors="ignore")[:_REACH]
        yield Window(begin, until, until + len(behind.encode()))
        begin = until


def unrepeated(data: bytes, pieces: Iterable[Window]) -> Iterator[Window]:
    """The pieces without those that stand there again, word for word, behind the same piece as before."""
    seen: set[bytes] = set()
    before = 0
    for piece in pieces:
        words = data[before : piece.end]
        if words not in seen:
            seen.add(words)
            yield piece
        before = piece.begin


def _cut(data: bytes, begin: int) -> int:
    """Where the window that begins there ends: behind the word that comes last in the alphabet, of those near.

    A text that goes round in circles, as a model's that found no end, is so cut at the same words each time round.
    """
    if len(data) - begin <= 2 * _STEP:
        return len(data)
    near = data[begin + _STEP // 2 : begin + _STEP * 3 // 2]
    words = near.split(b" ")[1:-1]
    return begin + _STEP // 2 + near.index(b" %b " % max(words)) if words else boundary(data, begin + _STEP)


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
