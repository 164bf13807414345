"""The way back from a folded text: where each of its characters comes from, and the clause breaks between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence, Set
from functools import cached_property
from itertools import chain

from evalkit.folding.piece import is_hard
from evalkit.folding.pieces import pieces
from evalkit.folding.plain import _with_apostrophes, fold_char


class Origins:
    """Where the characters of a source come from once it is folded, and the clause breaks that it then hides.

    `odd` are the kinds of its characters that do not fold to themselves whatever stands around them.
    """

    def __init__(self, source: str, odd: Set[str]) -> None:
        self._folded: list[Callable[[], str]] = []
        self._breaks: list[tuple[int, Callable[[], list[int]]]] = []
        origins: list[Sequence[int]] = []
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
                origins.append([self._stop])
                length += 1
                if is_hard(gap, fold_char(source[int(piece.origins[0])])):
                    self._breaks.append((length, lambda: [0]))
            self._breaks.append((length, piece.breaks))
            self._folded.append(piece.folded)
            origins.append(piece.origins)
            length += len(piece.origins)
            self._stop = piece.stop
        self._origins = origins[0] if len(origins) == 1 else list(chain.from_iterable(origins))

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
        behind = bisect_right(origins, origins[offset], offset)
        return int(origins[behind]) if behind < len(origins) else self._stop
