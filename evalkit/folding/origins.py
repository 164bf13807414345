"""The way back from a folded text: where each of its characters comes from, and the clause breaks between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from functools import cached_property

from evalkit.folding.piece import Piece, is_hard
from evalkit.folding.pieces import pieces
from evalkit.folding.plain import _with_apostrophes


class Origins:
    """Where the characters of a source come from once it is folded, and the clause breaks that it then hides.

    `odd` are the kinds of its characters that do not fold to themselves whatever stands around them.
    """

    def __init__(self, source: str, odd: Set[str]) -> None:
        # The pieces in which something is seen, and the offset at which each begins once folded. A space between two of
        # them belongs to neither: it runs from the end of one to the start of the next.
        self._pieces: list[Piece] = []
        self._firsts: list[int] = []
        self._hard: list[int] = []
        self._places: dict[int, tuple[Sequence[int], int]] = {}
        length = 0
        behind = ""  # the white space at the end of what was read
        for piece in pieces(source, odd):
            gap = behind + piece.before
            if not piece.length:
                behind = gap
                continue
            behind = piece.after
            if length and gap:
                length += 1
                if is_hard(gap, piece.opening):
                    self._hard.append(length)
            self._pieces.append(piece)
            self._firsts.append(length)
            length += piece.length

    @cached_property
    def breaks(self) -> list[int]:
        """The sorted offsets, into the folded source, of the clause breaks that it hides."""
        inside = (
            first + each for first, piece in zip(self._firsts, self._pieces, strict=True) for each in piece.breaks()
        )
        return sorted([*inside, *self._hard])

    def folded(self) -> str:
        """The source, folded."""
        parts = []
        length = 0
        for first, piece in zip(self._firsts, self._pieces, strict=True):
            parts += [" " * (first - length), piece.folded()]
            length = first + piece.length
        return _with_apostrophes("".join(parts))

    def start(self, offset: int) -> int:
        """Where in the source what a folded character was made from starts."""
        if not self._pieces:
            return 0
        number, inside = self._place(offset)
        origins, stop = self._origins(number)
        return int(origins[inside]) if inside < len(origins) else stop

    def end(self, offset: int) -> int:
        """Where in the source what a folded character was made from ends: what hides behind it belongs to it."""
        if not self._pieces:
            return 0
        number, inside = self._place(offset)
        origins, stop = self._origins(number)
        if inside >= len(origins):
            if number + 1 == len(self._pieces):
                return stop
            # The space may come out of the very character that follows it.
            after = self.start(self._firsts[number + 1])
            return after if after > stop else self.end(self._firsts[number + 1])
        behind = bisect_right(origins, origins[inside], inside)
        return int(origins[behind]) if behind < len(origins) else stop

    def _place(self, offset: int) -> tuple[int, int]:
        """The number of the piece that a folded character is in, or stands behind, and the offset into it."""
        number = bisect_right(self._firsts, offset) - 1
        return number, offset - self._firsts[number]

    def _origins(self, number: int) -> tuple[Sequence[int], int]:
        if number not in self._places:
            self._places[number] = self._pieces[number].places()
        return self._places[number]
