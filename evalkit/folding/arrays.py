"""Long pieces of a text whose characters fold one by one, read all at once."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Set
from functools import cache
from typing import TYPE_CHECKING, Any

from evalkit.folding.characters import _BLANKS, _INVISIBLES, _LINES, _LONG_DASH, _WHITES
from evalkit.folding.piece import Piece, unseen
from evalkit.folding.plain import fold_char

if TYPE_CHECKING:
    import numpy as np

    Ints = np.ndarray[Any, Any]

# What a character is, a bit for each.
_IS_UNSEEN, _IS_WHITE, _IS_LINE, _IS_DASH = 1, 2, 4, 8


def read_array(text: str, start: int, end: int, odd: Set[str]) -> Piece:
    """A piece whose characters fold one by one, with the `odd` kinds of characters that may stand in it."""
    import numpy as np

    codes = np.frombuffer(text[start:end].encode("utf-32-le", "surrogatepass"), np.uint32)
    traits = _traits()[codes]
    seen = None
    if not all(map(fold_char, odd)):
        seen = ((traits & _IS_UNSEEN) == 0).nonzero()[0]
        codes, traits = codes[seen], traits[seen]
    # A space for the first of several white characters, and none at the rims.
    dark = (traits & _IS_WHITE) == 0
    keeps = dark.copy()
    keeps[1:] |= dark[:-1]
    units = keeps.nonzero()[0]
    if len(units) and not dark[units[-1]]:
        units = units[:-1]
    if not len(units):
        return unseen(text[start:end])
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

    return Piece(
        len(origins),
        lambda: _folded(codes[units], odd, sizes),
        lambda: (origins, stop),
        breaks,
        text[start:first],
        fold_char(text[first]),
        text[stop:end],
    )


@cache
def _traits() -> Ints:
    """What each character is."""
    import numpy as np

    traits = np.zeros(sys.maxunicode + 1, np.uint8)
    for trait, members in (
        (_IS_UNSEEN, _INVISIBLES),
        (_IS_WHITE, f" {_WHITES}"),
        (_IS_LINE, _LINES),
        (_IS_DASH, _LONG_DASH),
    ):
        for first, last in re.findall("(.)(?:-(.))?", members, re.DOTALL):
            traits[ord(first) : ord(last or first) + 1] |= trait
    return traits


def _sizes(codes: Ints, units: Ints, odd: Set[str]) -> Ints | None:
    """How many characters each unit folds to, None where all fold to one."""
    import numpy as np

    longer = {ord(kind): len(fold_char(kind)) for kind in odd if len(fold_char(kind)) > 1}
    return _by_code(np.ones(int(codes.max()) + 1, np.int64), longer)[codes[units]] if longer else None


def _folded(codes: Ints, odd: Set[str], sizes: Ints | None) -> str:
    """What characters of these sizes fold to."""
    import numpy as np

    new = {ord(blank): " " for blank in _BLANKS} | {ord(kind): fold_char(kind) for kind in odd if fold_char(kind)}
    same = np.arange(int(codes.max()) + 1, dtype=np.uint32)
    made = _by_code(same.copy(), {code: ord(folded[0]) for code, folded in new.items()})[codes]
    if sizes is not None:
        offsets, made = np.cumsum(sizes) - sizes, np.repeat(made, sizes)
        for place in range(1, int(sizes.max())):
            longer = sizes > place
            table = _by_code(same.copy(), {code: ord(each[place]) for code, each in new.items() if len(each) > place})
            made[offsets[longer] + place] = table[codes[longer]]
    return str(made.data, "utf-32-le")


def _by_code(table: Ints, values: Mapping[int, int]) -> Ints:
    """The table with a value for each of these characters, as far as it goes."""
    for code, value in values.items():
        if code < len(table):
            table[code] = value
    return table


def _breaks(codes: Ints, traits: Ints, units: Ints) -> list[int]:
    """The sorted numbers of the units before which a clause ends, and of those that are long dashes."""
    marks = (traits & (_IS_LINE | _IS_DASH)).nonzero()[0]
    if not len(marks):
        return []
    inside = units.searchsorted(marks, side="right") - 1
    before, follows = codes[marks - 1].tolist(), codes[units[(inside + 1).clip(max=len(units) - 1)]].tolist()
    breaks: list[int] = []
    last = -1
    for mark, unit, previous, following in zip(marks.tolist(), inside.tolist(), before, follows, strict=True):
        if traits[mark] & _IS_DASH:
            breaks.append(unit)
            continue
        if (previous == 0x0D and mark and codes[mark] == 0x0A) or not 0 <= unit < len(units) - 1:
            continue
        # The second new line in white space ends a clause for sure.
        if (unit == last or not fold_char(chr(following))[:1].islower()) and breaks[-1:] != [unit + 1]:
            breaks.append(unit + 1)
        last = unit
    return breaks
