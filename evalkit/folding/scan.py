"""The way back from a folded text: where each of its characters comes from, and the clause breaks between them."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from typing import NamedTuple

from evalkit.folding.characters import (
    _BLOCK,
    _GAP,
    _GAP_HERE,
    _INVISIBLE,
    _LONG,
    _LONG_DASH,
    _NEWLINE,
    _SPOTS,
    _SPOTS_OF_SPACES,
    _UNSEEN_HERE,
)
from evalkit.folding.plain import _clings, _keeps_its_place, _odd, _plain, fold_char

# Offsets of folded characters at which something begins, and where that comes from in the source: one character
# with its start and end, or (end None) a stretch of characters that were folded one by one.
_Spread = tuple[list[int], list[tuple[int, int | None]]]


class _Block(NamedTuple):
    """A piece of the source that folds by itself: its start and end there, and its length once folded.

    `before` and `after` are the white space around what is seen of it, `opening` the first character of that.
    `breaks` are offsets into it once folded; its `spread` is None where it is found only when it is asked for.
    """

    start: int
    end: int
    length: int
    before: str
    opening: str
    after: str
    breaks: list[int]
    spread: _Spread | None = None


class _Scan:
    """A source read block by block, as far as it is asked for: its breaks, and where its folded text comes from."""

    def __init__(self, source: str) -> None:
        self.breaks: list[int] = []
        self._source = source
        self._blocks: list[_Block] = []
        self._firsts: list[int] = []  # where each block stands in the folded text
        self._spreads: dict[int, _Spread] = {}
        self._read = self._length = 0
        self._behind = ""  # the white space at the end of what was read

    def reach(self, offset: int) -> None:
        """Reads on until the folded text is known beyond an offset."""
        while self._read < len(self._source) and self._length <= offset:
            start = self._read
            self._read = self._cut(start)
            one_by_one = all(map(_keeps_its_place, _odd(self._source[start : self._read])))
            block = (_read_spots if one_by_one else _read_folded)(self._source, start, self._read)
            gap = self._behind + block.before
            if not block.length:
                self._behind = gap
                continue
            self._behind = block.after
            if self._length and gap:
                self._length += 1
                if _is_hard(gap, block.opening):
                    self.breaks.append(self._length)
            self.breaks += [self._length + each for each in block.breaks]
            self._blocks.append(block)
            self._firsts.append(self._length)
            self._length += block.length

    def _cut(self, start: int) -> int:
        # White space, and what clings to the character before it, stay with the block.
        end = _end(_GAP_HERE, self._source, min(start + _BLOCK, len(self._source)))
        while end < len(self._source) and _clings(self._source[end]):
            end = _end(_GAP_HERE, self._source, end + 1)
        return end

    def place(self, offset: int, *, opening: bool) -> int:
        """Where in the source a folded character, that has been reached, starts or ends."""
        # A space between two blocks belongs to neither: it runs from the end of one to the start of the next.
        if not self._blocks:
            return 0
        number = max(bisect_right(self._firsts, offset) - 1, 0)
        inside, length = offset - self._firsts[number], self._blocks[number].length
        if inside < length:
            return self._spot(number, inside)[0 if opening else 1]
        last = self._spot(number, length - 1)[1]
        if opening or number + 1 == len(self._blocks):
            return last
        after, until = self._spot(number + 1, 0)
        return after if after > last else until

    def _spot(self, number: int, offset: int) -> tuple[int, int]:
        if number not in self._spreads:
            block = self._blocks[number]
            self._spreads[number] = block.spread or _spread(self._source, block.start, block.end)
        offsets, places = self._spreads[number]
        at = bisect_right(offsets, offset) - 1
        start, end = places[at]
        return (start, end) if end is not None else (start + offset - offsets[at], start + offset - offsets[at] + 1)


def _end(pattern: re.Pattern[str], text: str, start: int, until: int = sys.maxsize) -> int:
    found = pattern.match(text, start, until)
    return found.end() if found else start


def _is_hard(gap: str, follows: str) -> bool:
    lines = len(_NEWLINE.findall(gap if gap.isspace() else _INVISIBLE.sub("", gap)))
    return lines > 1 or (lines == 1 and not follows[:1].islower())


def _read_spots(source: str, start: int, end: int) -> _Block:
    """A block whose characters fold one by one, read from spot to spot."""
    offsets: list[int] = []
    places: list[tuple[int, int | None]] = []
    breaks: list[int] = []
    at = first = _end(_GAP_HERE, source, start, end)
    length, after = 0, ""
    spots = _SPOTS_OF_SPACES if source.find("  ", at, end) >= 0 else _SPOTS
    for spot in spots.finditer(source, at, end):
        begin, until = spot.span()
        size = 0 if source[begin].isspace() else len(fold_char(source[begin]))
        if not size and begin > at and source[begin - 1] == " ":
            begin -= 1
        # What hides behind a character belongs to it.
        gap = begin if size else _end(_UNSEEN_HERE, source, begin, until)
        if begin > at:
            offsets.append(length)
            places.append((at, None))
            length += begin - at
            if gap > begin:
                offsets.append(length - 1)
                places.append((begin - 1, gap))
        at = until
        if size:
            breaks += [length] * (source[begin] in _LONG_DASH)
            offsets += range(length, length + size)
            places += [(begin, until)] * size
            length += size
        elif until == end:
            after = source[gap:until]
        elif gap < until:
            offsets.append(length)
            places.append((gap, until))
            length += 1
            breaks += [length] * _is_hard(source[gap:until], fold_char(source[until]))
    if at < end:
        offsets.append(length)
        places.append((at, None))
        after = " " if source[end - 1] == " " else ""
        length += end - at - len(after)
    opening = fold_char(source[first]) if first < end else ""
    return _Block(start, end, length, "", opening, after, breaks, (offsets, places))


def _read_folded(source: str, start: int, end: int) -> _Block:
    """A block with characters that join, part or hold white space, once folded."""
    plain = _plain(source[start:end], _LONG)
    text = plain.strip()
    ahead = len(plain) - len(plain.lstrip())
    lost, breaks = 0, []
    for gap in _GAP.finditer(text):
        first, last = gap.span()
        if gap[0] == _LONG:
            breaks.append(first - lost)
            continue
        if _is_hard(gap[0], text[last]):
            breaks.append(first - lost + 1)
        lost += last - first - 1
    return _Block(start, end, len(text) - lost, plain[:ahead], text[:1], plain[ahead + len(text) :], breaks)


def _spread(source: str, start: int, end: int) -> _Spread:
    """Where in the source each folded character of a block comes from."""
    staying = {kind for kind in _odd(source[start:end]) if not fold_char(kind) or _clings(kind)}
    places: list[tuple[int, int | None]] = []
    place, spaced = start, False
    while place < end:
        until = place + 1
        while until < end and source[until] in staying and _joins(source[place:until], source[until]):
            until += 1
        for char in fold_char(source[place]) if until == place + 1 else _plain(source[place:until]):
            if char.isspace():
                spaced = bool(places)
                continue
            if spaced:
                # A space may come out of the very character that follows it: NFKC's form of a lone accent.
                before = places[-1][1] or 0
                places.append((before, place) if before < place else (place, until))
            places.append((place, until))
            spaced = False
        place = until
    return list(range(len(places))), places


def _joins(before: str, char: str) -> bool:
    """Whether a character that stays with others does so here; a Hangul tail does where NFKC joins the two."""
    if not "\u1160" <= fold_char(char)[:1] <= "\u11ff":
        return True
    return len(_plain(before + char)) < len(_plain(before)) + len(_plain(char))
