"""The way back from a folded text: where each of its characters comes from, and the clause breaks between them."""

from __future__ import annotations

from collections.abc import Set

from evalkit.folding.characters import BACKTICK
from evalkit.folding.pieces import is_hard, pieces


class Origins:
    """Where the characters of a source once `folded` come from, and the sorted offsets of its hidden `breaks`.

    `odd` are the kinds of its characters that do not fold to themselves whatever stands around them.
    """

    def __init__(self, source: str, odd: Set[str]) -> None:
        import numpy as np  # only texts with something in them pay for the way back

        folded, origins, breaks = [], [], []
        length = stop = 0
        behind = ""  # the white space at the end of what was read
        for piece in pieces(source, odd):
            gap = behind + piece.before
            if not len(piece.origins):
                behind = gap
                continue
            behind = piece.after
            if length and gap:
                folded.append(" ")
                origins.append([stop])
                length += 1
                if is_hard(gap, piece.folded):
                    breaks.append([length])
            breaks.append(piece.breaks + length)
            folded.append(piece.folded)
            origins.append(piece.origins)
            length += len(piece.origins)
            stop = piece.stop
        text = "".join(folded)
        self.folded = BACKTICK.sub("'", text) if "`" in text else text
        self.breaks: list[int] = np.concatenate(breaks).tolist() if breaks else []
        self._origins = np.concatenate(origins) if origins else np.zeros(0, np.int64)
        self._stop = stop

    def start(self, offset: int) -> int:
        """Where in the source what a folded character was made from starts."""
        return int(self._origins[offset]) if offset < len(self._origins) else self._stop

    def end(self, offset: int) -> int:
        """Where in the source what a folded character was made from ends: what hides behind it belongs to it."""
        origins = self._origins
        behind = int(origins.searchsorted(origins[offset], side="right"))
        return int(origins[behind]) if behind < len(origins) else self._stop
