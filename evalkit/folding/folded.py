"""One form for texts that look alike: quotes, dashes, spaces and hidden characters folded, offsets kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evalkit.folding.plain import _collapsed, _plain
from evalkit.folding.scan import _Scan


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it was written (`source`) and as it is matched (`text`)."""

    source: str
    text: str
    _scans: list[_Scan] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def breaks(self) -> tuple[int, ...]:
        """Sorted offsets into `text` where a clause ends that the folded text does not show.

        A hard line break (a blank line, or a line that does not begin with a lower-case letter) is given by
        the offset of what follows it, a long dash by its own offset.
        """
        return tuple(self.breaks_until(len(self.text)))

    def breaks_until(self, offset: int) -> Sequence[int]:
        """The `breaks`, complete up to an offset into `text`, without a look at what follows it."""
        if self.text is self.source:
            return ()
        return self._scan(offset).breaks

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The offsets in `source` of the characters that `text[start:end]` was made from."""
        if self.text is self.source:
            return start, end
        scan = self._scan(end)
        first = scan.place(start, opening=True)
        return first, max(first, scan.place(end - 1, opening=False)) if end > start else first

    def _scan(self, offset: int) -> _Scan:
        # Only texts with something in them pay for the way back, and only as far as it stands.
        if not self._scans:
            self._scans.append(_Scan(self.source))
        self._scans[0].reach(offset)
        return self._scans[0]


def fold(text: str) -> Folded:
    """The text folded: NFKC, plain quotes and dashes, nothing invisible, single spaces and none at its ends.

    Halves of characters (lone surrogates) become U+FFFD, so that what is folded can always be encoded.
    """
    folded = _collapsed(_plain(text))
    return Folded(text, text if folded == text else folded)
