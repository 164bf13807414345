"""Short pieces of a text whose characters fold one by one, read run by run."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Set

from evalkit.folding.characters import _INVISIBLES, _LONG_DASH, _WHITES
from evalkit.folding.piece import Piece, is_hard, unseen
from evalkit.folding.plain import _collapsed, _plain, fold_char

_GAPS = f" {_WHITES}{_INVISIBLES}"
# A single space between what is seen folds to itself.
_RUN = re.compile(f"(?P<seen>[^{_GAPS}]+(?: [^{_GAPS}]+)*)|[{_GAPS}]+")
_SPACE = re.compile(f"[ {_WHITES}]")


def read_runs(text: str, start: int, end: int, odd: Set[str]) -> Piece:
    """A piece whose characters fold one by one, with the `odd` kinds of characters that may stand in it."""
    sizes = {kind: len(fold_char(kind)) for kind in odd if len(fold_char(kind)) > 1}
    origins: list[int] = []
    # Behind which folded character there is white space, and from where to where.
    gaps: list[tuple[int, int, int]] = []
    stop = first = start
    space: int | None = None
    for run in _RUN.finditer(text, start, end):
        begin, until = run.span()
        if not run["seen"]:
            # What hides behind a character belongs to it.
            found = _SPACE.search(text, begin, until)
            stop, space = (found.start(), found.start()) if found else (until, None)
            continue
        if not origins:
            first = begin
        elif space is not None:
            gaps.append((len(origins), space, begin))
            origins.append(space)
        if not sizes or sizes.keys().isdisjoint(run["seen"]):
            origins += range(begin, until)
        else:
            origins += [place for place in range(begin, until) for _ in range(sizes.get(text[place], 1))]
        stop, space = until, None
    if not origins:
        return unseen(text[start:end])

    def breaks() -> list[int]:
        dashes = [place for place in range(start, end) if text[place] in _LONG_DASH] if odd & {*_LONG_DASH} else []
        hard = [offset + 1 for offset, begin, until in gaps if is_hard(text[begin:until], fold_char(text[until]))]
        return sorted([*(bisect_left(origins, place) for place in dashes), *hard])

    return Piece(
        len(origins),
        lambda: _collapsed(_plain(text[start:end])),
        lambda: (origins, stop),
        breaks,
        text[start:first],
        fold_char(text[first]),
        text[stop:end],
    )
