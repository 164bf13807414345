"""One form for texts that look alike: quotes, dashes, spaces and hidden characters folded, offsets kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evalkit.folding.characters import _BLANKS, _MANY
from evalkit.folding.origins import Origins
from evalkit.folding.plain import _clings, _collapsed, _kinds, _odd, _plain, _with_apostrophes

_BLANK_KINDS = frozenset(_BLANKS)


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it was written (`source`) and as it is matched (`text`)."""

    source: str
    text: str
    _origins: list[Origins] = field(default_factory=list, repr=False, compare=False)

    @property
    def breaks(self) -> Sequence[int]:
        """Sorted offsets into `text` where a clause ends that the folded text does not show.

        A hard line break (a blank line, or a line that does not begin with a lower-case letter) is given by
        the offset of what follows it, a long dash by its own offset.
        """
        return () if self.text is self.source else self._way_back().breaks

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The offsets in `source` of the characters that `text[start:end]` was made from."""
        if self.text is self.source:
            return start, end
        origins = self._way_back()
        first = origins.start(start)
        return first, max(first, origins.end(end - 1)) if end > start else first

    def _way_back(self) -> Origins:
        # Only texts with something in them pay for it.
        if not self._origins:
            self._origins.append(Origins(self.source, _odd(_kinds(self.source))))
        return self._origins[0]


def fold(text: str) -> Folded:
    """The text folded: NFKC, plain quotes and dashes, nothing invisible, single spaces and none at its ends.

    Halves of characters (lone surrogates) become U+FFFD, so that what is folded can always be encoded.
    """
    kinds = _kinds(text)
    odd = _odd(kinds)
    if not odd and "  " not in text and kinds.isdisjoint(_BLANK_KINDS):
        folded = _with_apostrophes(text.strip())
    elif len(text) < _MANY or any(map(_clings, odd)):
        folded = _collapsed(_plain(text, odd=odd), kinds & _BLANK_KINDS)
    else:
        # A long text whose characters fold one by one is folded with its way back, in no more time than alone.
        origins = Origins(text, odd)
        return Folded(text, origins.folded(), [origins])
    return Folded(text, text if folded == text else folded)
