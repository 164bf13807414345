"""Where alternatives stand in a text: spans, in bytes and in characters, and which of them are kept."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

# So many bytes are sooner counted than indexed.
_FEW = 10_000
# Bytes of a character but for its first.
_CONTINUING = bytes(range(0x80, 0xC0))

_start = itemgetter(0)


class Found(NamedTuple):
    """An alternative, by its place in its concept, found in the folded text; offsets in bytes, then in characters."""

    start: int
    end: int
    alternative: int
    negated: bool = False


class Characters:
    """Offsets into UTF-8 data, from bytes to characters."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._ascii = data.isascii()

    def span(self, found: Found) -> Found:
        """What was found, with offsets in characters."""
        if self._ascii:
            return found
        return found._replace(start=self._counted(found.start), end=self._counted(found.end))

    def _counted(self, until: int) -> int:
        if len(self._data) <= _FEW:
            return len(self._data[:until].translate(None, _CONTINUING))
        return until - int(self._inside.searchsorted(until))

    @cached_property
    def _inside(self) -> np.ndarray[Any, Any]:
        """The places of the bytes that begin no character."""
        import numpy as np  # only long texts pay for it

        # As signed numbers these are the lowest.
        return np.flatnonzero(np.frombuffer(self._data, np.int8) < -0x40)


def outside(spans: list[Found], excluded: list[tuple[int, int]]) -> list[Found]:
    """The spans that lie in none of the excluded ones."""
    # For each start, the furthest end of all excluded spans that start there or before.
    starts: list[int] = []
    furthest: list[int] = []
    for start, end in sorted(excluded):
        starts.append(start)
        furthest.append(max(end, furthest[-1]) if furthest else end)
    return [span for span in spans if not (at := bisect_left(starts, span.start + 1)) or furthest[at - 1] < span.end]


def longest(spans: list[Found]) -> list[Found]:
    """Of those that overlap the longest (the first of equals), sorted by start."""
    if len(spans) < 2:
        return spans
    kept: list[Found] = []
    for span in sorted(spans, key=lambda each: (each.start - each.end, each.start)):
        at = bisect_left(kept, span.start, key=_start)
        after = kept[at].start if at < len(kept) else span.end
        before = kept[at - 1].end if at else span.start
        if before <= span.start and span.end <= after:
            kept.insert(at, span)
    return kept
