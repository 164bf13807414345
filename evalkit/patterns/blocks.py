"""A long text by its words: where in it what an alternative needs stands together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import repeat
from math import ceil

from evalkit.patterns.words import Choice, Need

# Letters and digits in lower case and spaces as they are; for all else another blank, which parts words as well.
WORDS = bytes(
    ord(chr(code).lower()) if code < 0x80 and chr(code).isalnum() else 0x20 if code == 0x20 else 0x0A
    for code in range(0x100)
)
# Places in bytes, each with its begin and its end.
Places = list[tuple[int, int]]

# So many spaces make a block, of what stands before each. An alternative with no more spaces in it stands, with the
# character behind it, in two blocks in a row, one with up to twice as many in three, and so on. Whether these hold what
# it needs is told for all blocks at once, by whole numbers with a bit for the first of them.
_BLOCK = 8
# So few bits are sooner set, or found, one by one.
_FEW = 24


class Blocks:
    """A text cut into blocks; `words` are those that it holds of the ones that are known, which are numbered from 1."""

    def __init__(self, data: bytes, numbers: Mapping[bytes, int]) -> None:
        import numpy as np  # only long texts pay for it

        self._np = np
        plain = data.translate(WORDS)
        chars = np.frombuffer(b" " + plain, np.uint8)
        inside = chars > 0x20
        words = np.flatnonzero(inside[1:] > inside[:-1])
        last_spaces = np.flatnonzero(chars[1:] == 0x20)[_BLOCK - 1 :: _BLOCK]
        # The numbers of the text's words, and their blocks in the order of these numbers.
        known = np.fromiter(map(numbers.get, plain.split(), repeat(0)), np.int32, len(words))
        known = known.astype(np.uint16) if len(numbers) < 1 << 16 else known  # sorted in a tenth of the time
        order = np.argsort(known, kind="stable")
        self._blocks = np.searchsorted(last_spaces, words)[order]
        here, firsts = np.unique(known[order], return_index=True)
        spans = zip(firsts.tolist(), [*firsts.tolist()[1:], len(words)], strict=False)
        written = [b"", *numbers]
        self._spans = {written[number]: span for number, span in zip(here.tolist(), spans, strict=False) if number}
        self.words = frozenset(self._spans)
        self._begins = [0, *(last_spaces + 1).tolist(), len(data)]
        self._count = len(self._begins) - 1
        self._near: dict[tuple[bytes, int], int] = {}
        self._nearby: dict[tuple[Choice, int], int] = {}

    def places(self, need: Need, spaces: int) -> Places:
        """Where so many blocks in a row hold what is needed as an alternative with so many spaces reaches over."""
        # No fewer than two, so that most that is needed is needed in as many, and found once for all.
        length = max(ceil(min(need.spaces, spaces) / _BLOCK) + 1, 2)
        bits = -1
        for choice in need.choices:
            key = choice, length
            if (found := self._nearby.get(key)) is None:
                found = self._nearby[key] = self._any(choice, length)
            bits &= found
            if not bits:
                return []
        begins, last = self._begins, self._count
        return [(begins[first], begins[min(end + length, last)]) for first, end in self._runs(bits, length)]

    def _any(self, choice: Choice, length: int) -> int:
        found = 0
        for word in choice.words & self.words:
            found |= self._holding(word, length)
        for words in choice.phrases:
            if words <= self.words:
                bits = -1
                for word in words:
                    bits &= self._holding(word, length)
                found |= bits
        return found

    def _holding(self, word: bytes, length: int) -> int:
        """The bits of the blocks that begin so many in a row with a word in them."""
        key = word, length
        if (bits := self._near.get(key)) is None:
            if length == 1:
                bits = self._bits(*self._spans[word])
            else:
                shorter = (length + 1) // 2
                bits = self._holding(word, shorter)
                bits |= bits >> (length - shorter)
            self._near[key] = bits
        return bits

    def _bits(self, first: int, last: int) -> int:
        blocks = self._blocks[first:last]
        if last - first <= _FEW:
            few = bytearray(self._count // 8 + 1)
            for block in blocks.tolist():
                few[block >> 3] |= 1 << (block & 7)
            return int.from_bytes(few, "little")
        held = self._np.zeros(self._count, self._np.uint8)
        held[blocks] = 1
        return int.from_bytes(self._np.packbits(held, bitorder="little").tobytes(), "little")

    def _runs(self, bits: int, length: int) -> Iterator[tuple[int, int]]:
        """The first and the last of bits that are no further apart than so many blocks."""
        if bits.bit_count() <= _FEW:
            blocks = []
            while bits:
                lowest = bits & -bits
                blocks.append(lowest.bit_length() - 1)
                bits ^= lowest
        else:
            np = self._np
            held = np.frombuffer(bits.to_bytes(self._count // 8 + 1, "little"), np.uint8)
            blocks = np.flatnonzero(np.unpackbits(held, bitorder="little")).tolist()
        first = last = blocks[0]
        for block in blocks:
            if block > last + length:
                yield first, last
                first = block
            last = block
        yield first, last
