"""A long text by its words: in which blocks of it what an alternative needs stands together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

# So many spaces make a block, of what stands before each. An alternative with no more spaces in it stands, with the
# character behind it, in two blocks in a row, one with up to twice as many in three, and so on. Whether these hold what
# it needs is told for all blocks at once, by whole numbers with a bit for the first of them.
BLOCK = 12
# What is needed in fewer blocks is looked for in as many, and so found once for nearly all that needs it.
SHORTEST = 2

# The blocks of so many alternatives are looked at together as are not more than these.
_TOGETHER = 1 << 20

# Places in bytes, each with its begin and its end.
Places = list[tuple[int, int]]


class Blocks(NamedTuple):
    """The blocks of a text: the numbers of the known `words` in it, and of each the `bits` of the places it stands in.

    A place is a block with the next one. `begins` has the byte at which each block begins, and where the text ends.
    """

    words: Set[int]
    bits: Callable[[int], int]
    begins: np.ndarray[Any, Any]

    def of_any(self, words: Iterable[int], length: int) -> int:
        """The bits of the blocks that begin so many in a row with any of the words in them."""
        found = 0
        for word in words:
            found |= self.bits(word)
        return lengthened(found, length)

    def of_all(self, words: Iterable[int], length: int) -> int:
        """The bits of the blocks that begin so many in a row with all of the words in them."""
        found = -1
        for word in words:
            found &= lengthened(self.bits(word), length)
        return found

    def places(self, bits: Sequence[int], lengths: Sequence[int], begin: int, end: int) -> Iterator[Places]:
        """For each of some `bits` what they stand for, so many blocks in a row, as far as it begins from byte to byte.

        What overlaps or meets is one place.
        """
        first, last = self.begins[:-1].searchsorted((begin, end)).tolist()
        together = max(_TOGETHER // max(last - first, 1), 1)
        for start in range(0, len(bits), together):
            stop = start + together
            yield from self._places(bits[start:stop], lengths[start:stop], first, last)

    def _places(self, bits: Sequence[int], lengths: Sequence[int], first: int, last: int) -> list[Places]:
        import numpy as np

        count, mask = len(self.begins) - 1, (1 << last - first) - 1
        width = (last - first) // 8 + 1
        held = np.frombuffer(b"".join([(each >> first & mask).to_bytes(width, "little") for each in bits]), np.uint8)
        filled = np.flatnonzero(held != 0)
        byte, bit = np.divmod(np.flatnonzero(np.unpackbits(held[filled], bitorder="little").view(np.bool_)), 8)
        row, block = filled[byte] // width, filled[byte] % width * 8 + bit + first
        long = np.array(lengths, np.int64)
        begun = np.flatnonzero((np.diff(row, prepend=-1) != 0) | (np.diff(block, prepend=0) > long[row]))
        final = block[np.append(begun[1:], len(block)) - 1] if len(begun) else begun
        row = row[begun]
        ends = self.begins[np.minimum(final + long[row], count)]
        places = list(zip(self.begins[block[begun]].tolist(), ends.tolist(), strict=True))
        return [places[start:end] for start, end in pairwise(np.searchsorted(row, np.arange(len(bits) + 1)).tolist())]


def length_of(spaces: int) -> int:
    """How many blocks in a row an alternative with so many spaces stands in."""
    return max(ceil(spaces / BLOCK) + 1, SHORTEST)


def lengthened(bits: int, length: int, done: int = SHORTEST) -> int:
    """The bits of the blocks that begin so many in a row with what those that begin fewer have in them."""
    while done < length:
        step = min(done, length - done)
        bits |= bits >> step
        done += step
    return bits
