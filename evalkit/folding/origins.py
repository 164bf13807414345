"""The way back from a folded text: where each of its characters comes from, and the clause breaks between them."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalkit.folding.pieces import is_hard, pieces
from evalkit.folding.plain import _with_apostrophes, fold_char

if TYPE_CHECKING:
    import numpy as np


class Origins:
    """Where the characters of a source come from once it is folded, and the clause breaks that it then hides.

    `odd` are the kinds of its characters that do not fold to themselves whatever stands around them.
    """

    def __init__(self, source: str, odd: Set[str]) -> None:
        import numpy as np  # only texts with something in them pay for the way back

        self._folded: list[Callable[[], str]] = []
        self._breaks: list[tuple[int, Callable[[], list[int]]]] = []
        origins = []
        length = self._stop = 0
        behind = ""  # the white space at the end of what was read
        for piece in pieces(source, odd):
            gap = behind + piece.before
            if not len(piece.origins):
                behind = gap
                continue
            behind = piece.after
            if length and gap:
                self._folded.append(lambda: " ")
                origins.append(np.array([self._stop]))
                length += 1
                if is_hard(gap, fold_char(source[piece.origins[0]])):
                    self._breaks.append((length, lambda: [0]))
            self._breaks.append((length, piece.breaks))
            self._folded.append(piece.folded)
            origins.append(piece.origins)
            length += len(piece.origins)
            self._stop = piece.stop
        self._origins = _joined(origins)

    @cached_property
    def breaks(self) -> list[int]:
        """The sorted offsets, into the folded source, of the clause breaks that it hides."""
        return [length + each for length, breaks in self._breaks for each in breaks()]

    def folded(self) -> str:
        """The source, folded."""
        return _with_apostrophes("".join(piece() for piece in self._folded))

    def start(self, offset: int) -> int:
        """Where in the source what a folded character was made from starts."""
        return int(self._origins[offset]) if offset < len(self._origins) else self._stop

    def end(self, offset: int) -> int:
        """Where in the source what a folded character was made from ends: what hides behind it belongs to it."""
        origins = self._origins
        behind = int(origins.searchsorted(origins[offset], side="right"))
        return int(origins[behind]) if behind < len(origins) else self._stop


def _joined(arrays: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    import numpy as np

    return arrays[0] if len(arrays) == 1 else np.concatenate([np.zeros(0, np.int64), *arrays])
