"""Pieces of a text that fold by themselves, and where each of their folded characters comes from."""

from __future__ import annotations

from collections.abc import Iterator, Set

from evalkit.folding.arrays import read_array
from evalkit.folding.characters import _BLOCK, _GAP, _GAP_HERE, _LONG, _MANY
from evalkit.folding.piece import Piece, is_hard
from evalkit.folding.plain import _clings, _collapsed, _keeps_its_place, _kinds, _odd, _plain, fold_char
from evalkit.folding.runs import read_runs


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
    # Only long texts pay for the library that reads them faster.
    return (read_runs if end - start < _MANY else read_array)(text, start, end, odd)


def _joined(text: str, start: int, end: int) -> Piece:
    """A piece with characters that join, part or hold white space, once folded."""
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
    return Piece(
        len(folded) - lost,
        lambda: _collapsed(folded.replace(_LONG, "-")),
        lambda: _clusters(text, start, end),
        lambda: breaks,
        plain[:ahead],
        folded[:1],
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
