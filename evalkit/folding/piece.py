"""A piece of a text that folds by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from evalkit.folding.characters import _INVISIBLE, _NEWLINE


class Piece(NamedTuple):
    """A piece of a text that folds to so many characters; most of it is found only when it is asked for.

    `folded` gives it folded, `breaks` the offsets of the clause breaks that it then hides, and `places` for each of its
    folded characters where what it was made from starts in the text, and where that of the last one ends. `before` and
    `after` are the white space around what is seen, `opening` begins with the first character of that, folded.
    """

    length: int
    folded: Callable[[], str]
    places: Callable[[], tuple[Sequence[int], int]]
    breaks: Callable[[], list[int]]
    before: str
    opening: str
    after: str


def unseen(text: str) -> Piece:
    """A piece of which nothing is seen."""
    return Piece(0, str, lambda: ((), 0), list, text, "", "")


def is_hard(gap: str, follows: str) -> bool:
    """Whether white space ends a clause: a blank line does, and a line that does not begin with a lower-case letter."""
    lines = len(_NEWLINE.findall(gap if gap.isspace() else _INVISIBLE.sub("", gap)))
    return lines > 1 or (lines == 1 and not follows[:1].islower())
