"""Which of many alternatives can stand in a short text, told in one pass over it by an automaton of their pieces.

It grows with what it sees, and a long text of many words shows it more than it can keep: there `prefilter` looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import re2

from evalkit.patterns.alternatives import Alternative, options
from evalkit.patterns.skeleton import pieces

# One automaton looks for the pieces of so many alternatives. It grows with what it sees, up to so many bytes; whole
# alternatives, with gaps such as .{0,40}, would grow beyond all memory.
_TOGETHER = 2_000
_MEMORY = 48 << 20
# Folded text holds no control characters, and so never this.
_PROBE = "\x01\x02\x01"


class ShortPrefilter:
    """All alternatives, by number: `candidates` gives those that may stand in a text, and others now and then."""

    def __init__(self, alternatives: Sequence[Alternative]) -> None:
        self._always: list[int] = []
        self._automata: list[_Automaton] = []
        read = {}
        for number, each in enumerate(alternatives):
            branches = pieces(each.source, left=each.left, right=each.right)
            if branches is None:
                self._always.append(number)
            else:
                read[number] = branches
        numbers = list(read)
        for start in range(0, len(numbers), _TOGETHER):
            self._add({number: read[number] for number in numbers[start : start + _TOGETHER]})

    def candidates(self, data: bytes) -> list[int]:
        """Sorted numbers of the alternatives that can stand in UTF-8 `data`."""
        # Pieces ask for boundaries of words, which the ends of a text are.
        padded = b" %b " % data
        found = set(self._always)
        for automaton in self._automata:
            automaton.look(padded, found)
        return sorted(found)

    def _add(self, branches: Mapping[int, list[list[str]]]) -> None:
        try:
            self._automata.append(_Automaton(branches))
        except re2.error:
            numbers = list(branches)
            middle = len(numbers) // 2
            if not middle:
                self._always += numbers
                return
            for half in (numbers[:middle], numbers[middle:]):
                self._add({number: branches[number] for number in half})


class _Automaton:
    """The pieces of some alternatives, by number and branch; raises re2.error where they are too many."""

    def __init__(self, branches: Mapping[int, list[list[str]]]) -> None:
        bounded = options()
        bounded.max_mem = _MEMORY
        self._set = re2.Set.SearchSet(bounded)
        probe = self._set.Add(_PROBE)
        places: dict[str, int] = {}
        # By the first piece of a branch: the alternative, and the other pieces that it needs.
        self._needs: dict[int, list[tuple[int, frozenset[int]]]] = {}
        for number, its_branches in branches.items():
            for branch in its_branches:
                for piece in branch:
                    if piece not in places:
                        places[piece] = self._set.Add(piece)
                first, *others = (places[piece] for piece in branch)
                self._needs.setdefault(first, []).append((number, frozenset(others)))
        self._set.Compile()
        if self._set.Match(_PROBE.encode()) != [probe]:
            raise re2.error("too many pieces")

    def look(self, data: bytes, found: set[int]) -> None:
        """Add to those `found` the numbers of the alternatives that can stand in UTF-8 `data`."""
        here = set(self._set.Match(data) or ())
        for piece in here & self._needs.keys():
            for number, others in self._needs[piece]:
                if others <= here:
                    found.add(number)
