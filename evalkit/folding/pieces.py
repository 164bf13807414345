"""Pieces of a text that fold by themselves, and where each of their folded characters comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any, NamedTuple

from evalkit.folding.characters import _BLANKS, _BLOCK, _GAP, _GAP_HERE, _INVISIBLE, _LINES, _LONG, _LONG_DASH, _NEWLINE
from evalkit.folding.plain import _clings, _collapsed, _keeps_its_place, _odd, _plain, fold_char

if TYPE_CHECKING:
    import numpy as np

    Ints = np.ndarray[Any, Any]

# What a character is, a bit for each.
_UNSEEN, _WHITE, _LINE, _DASH = 1, 2, 4, 8


class Piece(NamedTuple):
    """A piece of a text, and the `folded` one.

    `origins` has for each folded character where what it was made from starts in the text, and `stop` is where that of
    the last one ends. `breaks` are offsets into what is folded, of the clause breaks that it does not show.
    `before` and `after` are the white space around what is seen.
    """

    folded: str
    origins: Ints
    stop: int
    breaks: Ints
    before: str
    after: str


def pieces(text: str, kinds: Set[str]) -> Iterator[Piece]:
    """The pieces of a text with these odd kinds of characters.

    All that folds one by one stands together, and characters that join or part in blocks of their own.
    """
    if all(map(_keeps_its_place, kinds)):
        yield _one_by_one(text, 0, len(text), kinds)
        return
    begin = start = 0
    while start < len(text):
        end = _cut(text, start)
        if not all(map(_keeps_its_place, _odd(text[start:end]))):
            if begin < start:
                yield _one_by_one(text, begin, start, kinds)
            yield _joined(text, start, end)
            begin = end
        start = end
    if begin < start:
        yield _one_by_one(text, begin, start, kinds)


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


def _one_by_one(text: str, start: int, end: int, kinds: Set[str]) -> Piece:
    """A piece whose characters fold one by one, with the odd `kinds` of characters that may stand in it."""
    import numpy as np

    codes = np.frombuffer(text[start:end].encode("utf-32-le", "surrogatepass"), np.uint32)
    most = int(codes.max(initial=0))
    odd = {ord(kind): fold_char(kind) for kind in kinds if ord(kind) <= most}
    traits = _traits(odd, most)[codes]
    seen = None if all(odd.values()) else np.flatnonzero((traits & _UNSEEN) == 0)
    if seen is not None:
        codes, traits = codes[seen], traits[seen]
    white = (traits & _WHITE) != 0
    # A space for the first of several white characters, and none at the rims.
    units = np.flatnonzero(~white | np.concatenate([[False], ~white[:-1]]))
    if len(units) and white[units[-1]]:
        units = units[:-1]
    if not len(units):
        return Piece("", units, start, units, text[start:end], "")
    # Where in the text the units are, and what stands behind them.
    places, behind = (units, int(units[-1]) + 1) if seen is None else (seen[units], int(units[-1]) + 1)
    stop = end if behind == len(codes) else start + (behind if seen is None else int(seen[behind]))
    first = start + int(places[0])
    folded, sizes = _folded(codes if len(units) == len(codes) else codes[units], odd, most)
    origins, offsets = places + start if start else places, np.arange(len(units))
    if sizes is not None:
        origins, offsets = np.repeat(origins, sizes), np.cumsum(sizes) - sizes
    breaks = _breaks(codes, traits, units, offsets)
    return Piece(folded, origins, stop, breaks, text[start:first], text[stop:end])


def _traits(odd: Mapping[int, str], most: int) -> Ints:
    """What each character up to the last is, but for those that fold to themselves and are nothing else."""
    import numpy as np

    traits = np.zeros(most + 1, np.uint8)
    for code in {*map(ord, f"{_BLANKS} "), *odd}:
        if code <= most:
            char = chr(code)
            traits[code] = (
                _UNSEEN * (odd.get(code) == "")
                | _WHITE * char.isspace()
                | _LINE * (char in _LINES)
                | _DASH * (char in _LONG_DASH)
            )
    return traits


def _folded(codes: Ints, odd: Mapping[int, str], most: int) -> tuple[str, Ints | None]:
    """What characters fold to one by one, and to how many each; None where each folds to one."""
    import numpy as np

    new = {code: folded for code, folded in odd.items() if folded}
    new |= {code: " " for code in map(ord, _BLANKS) if code <= most}
    table = np.arange(most + 1, dtype=np.uint32)
    for code, folded in new.items():
        table[code] = ord(folded[0])
    made, sizes = table[codes], None
    longer = {code: folded for code, folded in new.items() if len(folded) > 1}
    if longer:
        lengths = np.ones(most + 1, np.uint8)
        for code, folded in longer.items():
            lengths[code] = len(folded)
        sizes = lengths[codes].astype(np.int64)
        offsets, made = np.cumsum(sizes) - sizes, np.repeat(made, sizes)
        for code, folded in longer.items():
            for place, char in enumerate(folded[1:], 1):
                made[offsets[codes == code] + place] = ord(char)
    return str(made.data, "utf-32-le"), sizes


def _breaks(codes: Ints, traits: Ints, units: Ints, offsets: Ints) -> Ints:
    """The offsets of breaks: by what is seen, the units that it folds to, and the offset of each of them."""
    import numpy as np

    dashes = np.flatnonzero((traits & _DASH) != 0)
    dashes = offsets[np.searchsorted(units, dashes)]
    lines = np.flatnonzero((traits & _LINE) != 0)
    lines = lines[~((codes[lines] == 0x0A) & (lines > 0) & (codes[lines - 1] == 0x0D))]
    # The unit that each new line is in, of those within.
    unit, counts = np.unique(np.searchsorted(units, lines, side="right") - 1, return_counts=True)
    within = (unit >= 0) & (unit < len(units) - 1)
    unit, counts = unit[within], counts[within]
    follows = codes[units[unit + 1]]
    hard = [
        number
        for number, count, code in zip(unit.tolist(), counts.tolist(), follows.tolist(), strict=True)
        if count > 1 or not fold_char(chr(code))[:1].islower()
    ]
    return np.sort(np.concatenate([dashes, offsets[np.array(hard, np.int64)] + 1]))


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
        _collapsed(folded.replace(_LONG, "-")),
        np.array(origins, np.int64),
        stop,
        np.array(breaks, np.int64),
        plain[:ahead],
        plain[ahead + len(folded) :],
    )


def _clusters(text: str, start: int, end: int) -> tuple[list[int], int]:
    """Where what each folded character of a piece was made from starts, and where that of the last one ends."""
    staying = {kind for kind in _odd(text[start:end]) if not fold_char(kind) or _clings(kind)}
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
