"""Pieces of a text that fold by themselves, and where each of their folded characters comes from."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Set
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from evalkit.folding.characters import (
    _BLANKS,
    _BLOCK,
    _GAP,
    _GAP_HERE,
    _INVISIBLE,
    _INVISIBLES,
    _LINES,
    _LONG,
    _LONG_DASH,
    _NEWLINE,
    _WHITES,
)
from evalkit.folding.plain import _clings, _collapsed, _keeps_its_place, _kinds, _odd, _plain, fold_char

if TYPE_CHECKING:
    import numpy as np

    Ints = np.ndarray[Any, Any]

# What a character is, a bit for each.
_UNSEEN, _WHITE, _LINE, _DASH = 1, 2, 4, 8


class Piece(NamedTuple):
    """A piece of a text; `folded` gives it folded, and `breaks` the offsets of the clause breaks that it then hides.

    `origins` has for each folded character where what it was made from starts in the text, and `stop` is where that of
    the last one ends.
    `before` and `after` are the white space around what is seen.
    """

    folded: Callable[[], str]
    origins: Ints
    stop: int
    breaks: Callable[[], list[int]]
    before: str
    after: str


def pieces(text: str, odd: Set[str]) -> Iterator[Piece]:
    """The pieces of a text with these `odd` kinds of characters.

    All that folds one by one stands together, and characters that join or part in blocks of their own.
    """
    if all(map(_keeps_its_place, odd)):
        yield _one_by_one(text, 0, len(text), odd)
        return
    begin = start = 0
    while start < len(text):
        end = _cut(text, start)
        if not all(map(_keeps_its_place, _odd(_kinds(text[start:end])))):
            if begin < start:
                yield _one_by_one(text, begin, start, odd)
            yield _joined(text, start, end)
            begin = end
        start = end
    if begin < start:
        yield _one_by_one(text, begin, start, odd)


def is_hard(gap: str, follows: str) -> bool:
    """Whether white space ends a clause: a blank line does, and a line that does not begin with a lower-case letter."""
    lines = len(_NEWLINE.findall(gap if gap.isspace() else _INVISIBLE.sub("", gap)))
    return lines > 1 or (lines == 1 and not follows[:1].islower())


def _cut(text: str, start: int) -> int:
    # White space, and what clings to the character before it, stay with the block.
    end = _behind_gap(text, min(start + _BLOCK, len(text)))
    while end < len(text) and _clings(text[end]):
        end = _behind_gap(text, end + 1)
    return end


def _behind_gap(text: str, start: int) -> int:
    found = _GAP_HERE.match(text, start)
    return found.end() if found else start


def _one_by_one(text: str, start: int, end: int, odd: Set[str]) -> Piece:
    """A piece whose characters fold one by one, with the `odd` kinds of characters that may stand in it."""
    import numpy as np

    codes = np.frombuffer(text[start:end].encode("utf-32-le", "surrogatepass"), np.uint32)
    traits = _traits()[codes]
    seen = None
    if not all(map(fold_char, odd)):
        seen = ((traits & _UNSEEN) == 0).nonzero()[0]
        codes, traits = codes[seen], traits[seen]
    # A space for the first of several white characters, and none at the rims.
    dark = (traits & _WHITE) == 0
    keeps = dark.copy()
    keeps[1:] |= dark[:-1]
    units = keeps.nonzero()[0]
    if len(units) and not dark[units[-1]]:
        units = units[:-1]
    if not len(units):
        return Piece(str, units, start, list, text[start:end], "")
    # Where in the text the units are, and what stands behind them.
    places, behind = (units if seen is None else seen[units]), int(units[-1]) + 1
    stop = end if behind == len(codes) else start + (behind if seen is None else int(seen[behind]))
    first = start + int(places[0])
    origins, offsets = places + start if start else places, None
    sizes = _sizes(codes, units, odd)
    if sizes is not None:
        origins, offsets = np.repeat(origins, sizes), np.cumsum(sizes) - sizes

    def breaks() -> list[int]:
        found = _breaks(codes, traits, units)
        return found if offsets is None else offsets[found].tolist()

    return Piece(lambda: _folded(codes[units], odd, sizes), origins, stop, breaks, text[start:first], text[stop:end])


@cache
def _traits() -> Ints:
    """What each character is."""
    import numpy as np

    traits = np.zeros(sys.maxunicode + 1, np.uint8)
    for trait, members in ((_UNSEEN, _INVISIBLES), (_WHITE, f" {_WHITES}"), (_LINE, _LINES), (_DASH, _LONG_DASH)):
        for first, last in re.findall("(.)(?:-(.))?", members, re.DOTALL):
            traits[ord(first) : ord(last or first) + 1] |= trait
    return traits


def _sizes(codes: Ints, units: Ints, odd: Set[str]) -> Ints | None:
    """How many characters each unit folds to, None where all fold to one."""
    import numpy as np

    longer = {ord(kind): len(fold_char(kind)) for kind in odd if len(fold_char(kind)) > 1}
    if not longer:
        return None
    sizes, codes = np.ones(len(units), np.int64), codes[units]
    for code, size in longer.items():
        sizes[codes == code] = size
    return sizes


def _folded(codes: Ints, odd: Set[str], sizes: Ints | None) -> str:
    """What characters of these sizes fold to."""
    import numpy as np

    new = {ord(blank): " " for blank in _BLANKS} | {ord(kind): fold_char(kind) for kind in odd if fold_char(kind)}
    table = np.arange(int(codes.max()) + 1, dtype=np.uint32)
    for code, folded in new.items():
        if code < len(table):
            table[code] = ord(folded[0])
    made = table[codes]
    if sizes is not None:
        offsets, made = np.cumsum(sizes) - sizes, np.repeat(made, sizes)
        for code, folded in new.items():
            for place, char in enumerate(folded[1:], 1):
                made[offsets[codes == code] + place] = ord(char)
    return str(made.data, "utf-32-le")


def _breaks(codes: Ints, traits: Ints, units: Ints) -> list[int]:
    """The sorted numbers of the units before which a clause ends, and of those that are long dashes."""
    marks = (traits & (_LINE | _DASH)).nonzero()[0]
    if not len(marks):
        return []
    inside = units.searchsorted(marks, side="right") - 1
    before, follows = codes[marks - 1].tolist(), codes[units[(inside + 1).clip(max=len(units) - 1)]].tolist()
    breaks: list[int] = []
    last = -1
    for mark, unit, previous, following in zip(marks.tolist(), inside.tolist(), before, follows, strict=True):
        if traits[mark] & _DASH:
            breaks.append(unit)
            continue
        if (previous == 0x0D and mark and codes[mark] == 0x0A) or not 0 <= unit < len(units) - 1:
            continue
        # The second new line in white space ends a clause for sure.
        if (unit == last or not fold_char(chr(following))[:1].islower()) and breaks[-1:] != [unit + 1]:
            breaks.append(unit + 1)
        last = unit
    return breaks


def _joined(text: str, start: int, end: int) -> Piece:
    """A piece with characters that join, part or hold white space, once folded."""
    import numpy as np

    plain = _plain(text[start:end], _LONG)
    folded = plain.strip()
    ahead = len(plain) - len(plain.lstrip())
    lost, breaks = 0, []
    for gap in _GAP.finditer(folded):
        first, last = gap.span()
        if gap[0] == _LONG:
            breaks.append(first - lost)
            continue
        if is_hard(gap[0], folded[last]):
            breaks.append(first - lost + 1)
        lost += last - first - 1
    origins, stop = _clusters(text, start, end)
    return Piece(
        lambda: _collapsed(folded.replace(_LONG, "-")),
        np.array(origins, np.int64),
        stop,
        lambda: breaks,
        plain[:ahead],
        plain[ahead + len(folded) :],
    )


def _clusters(text: str, start: int, end: int) -> tuple[list[int], int]:
    """Where what each folded character of a piece was made from starts, and where that of the last one ends."""
    staying = {kind for kind in _odd(_kinds(text[start:end])) if not fold_char(kind) or _clings(kind)}
    origins: list[int] = []
    place, stop, spaced = start, start, False
    while place < end:
        until = place + 1
        while until < end and text[until] in staying and _joins(text, place, until):
            until += 1
        for char in fold_char(text[place]) if until == place + 1 else _plain(text[place:until]):
            if char.isspace():
                spaced = bool(origins)
                continue
            if spaced:
                # A space may come out of the very character that follows it: NFKC's form of a lone accent.
                origins.append(stop if stop < place else place)
            origins.append(place)
            stop, spaced = until, False
        place = until
    return origins, stop


def _joins(text: str, start: int, place: int) -> bool:
    """Whether a character that stays with others does so here; a Hangul tail does where NFKC joins the two."""
    if not "\u1160" <= fold_char(text[place])[:1] <= "\u11ff":
        return True
    before, char = text[start:place], text[place]
    return len(_plain(before + char)) < len(_plain(before)) + len(_plain(char))
