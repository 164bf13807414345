"""The windows in which alternatives are looked for in a long text: cut by what it says, so that repeats are found."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

# Bytes of a window, more or less.
_STEP = 2_000
# A text that nobody reads is cut into no more than these.
_MOST = 300
# Characters: no longer hit is sure to be found in a text that is cut. And the most bytes that each may take.
_REACH, _MOST_BYTES = 300, 4
REACH = _REACH * _MOST_BYTES
# What a place in a text is known by.
_LOADED = 8

_start = itemgetter(0)

# Where in a text an alternative, by its place in its concept, can stand: from byte to byte.
Place = tuple[int, int, int]


class Window(NamedTuple):
    """A piece of a text, in bytes: hits that start in [begin, until) are looked for up to `end`."""

    begin: int
    until: int
    end: int


class Kept(NamedTuple):
    """What of a text is searched: windows in a row as a `text`, and the `runs` of them, each with its place there."""

    text: bytes
    runs: list[tuple[int, Window]]

    def windows(self, places: list[Place], edge: int) -> Iterator[tuple[Window, list[int]]]:
        """Windows for all the places, none of them long, and the alternatives to look for in each.

        What begins at the edge or behind it is not looked for.
        """
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
            for window in self._shifted(begin, min(until, edge), min(end, until + REACH)):
                yield window, alternatives
            near = [each for each in near if each[1] > until]
            begin = until

    # From the text that is kept to the whole text.
    def _shifted(self, begin: int, until: int, end: int) -> Iterator[Window]:
        if len(self.runs) == 1:
            run = self.runs[0][1]
            if begin < until:
                yield Window(begin, min(until, run.until), min(end, run.end))
            return
        for place, run in self.runs[max(bisect_right(self.runs, begin, key=_start) - 1, 0) :]:
            if place >= until:
                return
            shift = run.begin - place
            window = Window(max(begin + shift, run.begin), min(until + shift, run.until), min(end + shift, run.end))
            if window.begin < window.until:
                yield window


def kept(data: bytes) -> Kept:
    """What of a long text of UTF-8 data is searched: all but what stands there again."""
    runs: list[Window] = []
    for piece in unrepeated(data, windows(data)):
        if runs and runs[-1].until == piece.begin:
            runs[-1] = Window(runs[-1].begin, piece.until, piece.end)
        else:
            runs.append(piece)
    if len(runs) == 1:
        return Kept(data[runs[0].begin : runs[0].end], [(0, runs[0])])
    places = accumulate((run.end - run.begin + 1 for run in runs), initial=0)
    return Kept(b" ".join(data[run.begin : run.end] for run in runs), list(zip(places, runs, strict=False)))


def windows(data: bytes) -> Iterator[Window]:
    """The pieces in which UTF-8 data are searched, in their order.

    Each ends at one of the spaces near its length, that before the bytes that are the greatest number. A text that goes
    round in circles, as a model's that found no end, is so cut at the same words each time round.
    """
    import numpy as np  # only long texts pay for it

    spaces = np.flatnonzero(np.frombuffer(data, np.uint8) == 0x20)
    behind = np.ndarray(len(data), ">u8", data + bytes(_LOADED), offset=1, strides=(1,))[spaces]
    step = max(_STEP, len(data) // _MOST)
    begin = 0
    while len(data) - begin > 2 * step:
        first, last = spaces.searchsorted((begin + step // 2, begin + step * 3 // 2)).tolist()
        until = int(spaces[first + behind[first:last].argmax()]) if first < last else boundary(data, begin + step)
        yield Window(begin, until, _reach(data, until))
        begin = until
    if begin < len(data):
        yield Window(begin, len(data), len(data))


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


def _reach(data: bytes, place: int) -> int:
    """Where the characters end that a hit may have which starts before a place, and is sure to be found."""
    near = data[place : place + _REACH]
    if not near.isascii():
        near = data[place : place + REACH].decode(errors="ignore")[:_REACH].encode()
    return place + len(near)


def boundary(data: bytes, place: int) -> int:
    """The first byte of the character that a byte belongs to."""
    while place < len(data) and data[place] & 0xC0 == 0x80:
        place -= 1
    return place
