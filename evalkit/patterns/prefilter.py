"""Which of many alternatives can stand in a text at all, told in one pass over it."""

from __future__ import annotations

from collections.abc import Sequence

import re2

from evalkit.patterns.alternatives import options

# RE2 looks for the words that an alternative cannot do without, never for the alternative itself: an automaton of
# whole alternatives grows beyond all memory where they hold gaps such as .{0,40}.
_TOGETHER = 2_000
# Folded text holds no control characters, and so never this.
_PROBE = "\x01\x02\x01"


class Prefilter:
    """All alternatives, by number: `candidates` gives those that may stand in a text, and others now and then."""

    def __init__(self, sources: Sequence[str]) -> None:
        self._parts: list[tuple[int, int, re2.Filter | None]] = []
        for start in range(0, len(sources), _TOGETHER):
            self._add(sources, start, min(start + _TOGETHER, len(sources)))

    def candidates(self, data: bytes) -> list[int]:
        """Sorted numbers of the alternatives that can stand in UTF-8 `data`."""
        found: list[int] = []
        for start, end, part in self._parts:
            if part is None:
                found.extend(range(start, end))
            else:
                found.extend(start + number for number in part.Match(data, True) or ())
        return found

    def _add(self, sources: Sequence[str], start: int, end: int) -> None:
        part = re2.Filter()
        for source in (*sources[start:end], _PROBE):
            part.Add(source, options())
        try:
            part.Compile()
            works = end - start in (part.Match(_PROBE.encode(), True) or ())
        except re2.error:
            works = False
        if works or end - start == 1:
            self._parts.append((start, end, part if works else None))
        else:
            middle = (start + end) // 2
            self._add(sources, start, middle)
            self._add(sources, middle, end)
