"""Where alternatives stand in a text: spans, the windows in which they are looked for, and which of them are kept."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

# A text of more bytes is cut into pieces: what it says again need not be read again. The first pieces that are searched
# together have so many bytes, the next ones so many times as many: a concept that is decided in a few is not looked for
# in many.
_WHOLE = 8_000
_STEP = 2_000
_TOGETHER, _GROWTH = 16_000, 8
# Characters: no longer hit is sure to be found then. And the most bytes that they take.
_REACH = 300
REACH = 4 * _REACH

# Bytes of a character but for its first.
_CONTINUING = bytes(range(0x80, 0xC0))

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


# Where in the text of a stretch an alternative, by its place in its concept, can stand: from byte to byte.
Place = tuple[int, int, int]


class Stretch(NamedTuple):
    """Windows that are searched together: their `text`, and the `runs` that it is made of, each with its place there.

    A text that is short is searched as a `whole`.
    """

    text: bytes
    runs: list[tuple[int, Window]]
    whole: bool

    def windows(self, places: list[Place]) -> Iterator[tuple[Window, list[int]]]:
        """Windows for all the places, none of them long, and the alternatives to look for in each."""
        if self.whole:
            yield self.runs[0][1], sorted({alternative for _, _, alternative in places})
            return
        places.sort()
        at = begin = 0
        near: list[Place] = []
        while near or at < len(places):
            if not near:
                near.append(places[at])
                begin, at = places[at][0], at + 1
            end, until = max(each[1] for each in near), begin + _STEP
            while at < len(places) and places[at][0] < min(end, until):
                near.append(places[at])
                end, at = max(end, places[at][1]), at + 1
            until = end if end <= until else boundary(self.text, until)
            alternatives = sorted({alternative for _, _, alternative in near})
            for window in self._shifted(begin, until, min(end, until + REACH)):
                yield window, alternatives
            near = [each for each in near if each[1] > until]
            begin = until

    # From the text of the stretch to the whole text.
    def _shifted(self, begin: int, until: int, end: int) -> Iterator[Window]:
        for place, run in self.runs[max(bisect_right(self.runs, begin, key=_start) - 1, 0) :]:
            if place >= until:
                return
            shift = run.begin - place
            window = Window(max(begin + shift, run.begin), min(until + shift, run.until), min(end + shift, run.end))
            if window.begin < window.until:
                yield window


def stretches(data: bytes, pieces: Iterable[Window]) -> Iterator[Stretch]:
    """The pieces, more and more of them together."""
    together: list[Window] = []
    length, most = 0, _TOGETHER
    for piece in pieces:
        if length > most:
            yield _stretch(data, together)
            together, length, most = [], 0, most * _GROWTH
        if together and together[-1].until == piece.begin:
            together[-1] = Window(together[-1].begin, piece.until, piece.end)
        else:
            together.append(piece)
        length += piece.until - piece.begin
    if together:
        yield _stretch(data, together)


def _stretch(data: bytes, runs: list[Window]) -> Stretch:
    if len(runs) == 1:
        return Stretch(data[runs[0].begin : runs[0].end], [(0, runs[0])], len(data) <= _WHOLE)
    places = accumulate((run.end - run.begin + 1 for run in runs), initial=0)
    return Stretch(b" ".join(data[run.begin : run.end] for run in runs), list(zip(places, runs, strict=False)), False)


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


class Characters:
    """Offsets into UTF-8 data, from bytes to characters."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._ascii = data.isascii()
        self._before = [0]

    def span(self, found: Found) -> Found:
        if self._ascii:
            return found
        return found._replace(start=self._counted(found.start), end=self._counted(found.end))

    def _counted(self, until: int) -> int:
        step = until // _STEP
        while len(self._before) <= step:
            begin = (len(self._before) - 1) * _STEP
            self._before.append(self._before[-1] + _characters(self._data[begin : begin + _STEP]))
        return self._before[step] + _characters(self._data[step * _STEP : until])


def _characters(data: bytes) -> int:
    return len(data.translate(None, _CONTINUING))


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
