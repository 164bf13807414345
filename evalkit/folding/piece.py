"""A piece of a text that folds by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from evalkit.folding.characters import _INVISIBLE, _NEWLINE


class Piece(NamedTuple):
    """A piece of a text; `folded` gives it folded, and `breaks` the offsets of the clause breaks that it then hides.

    `origins` has for each folded character where what it was made from starts in the text, and `stop` is where that of
    the last one ends.
    `before` and `after` are the white space around what is seen.
    """

    folded: Callable[[], str]
    origins: Sequence[int]
    stop: int
    breaks: Callable[[], list[int]]
    before: str
    after: str


def is_hard(gap: str, follows: str) -> bool:
    """Whether white space ends a clause: a blank line does, and a line that does not begin with a lower-case letter."""
    lines = len(_NEWLINE.findall(gap if gap.isspace() else _INVISIBLE.sub("", gap)))
    return lines > 1 or (lines == 1 and not follows[:1].islower())
