"""The words that alternatives need, numbered, and where they stand in a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from evalkit.patterns.blocks import BLOCK, SHORTEST, Blocks, lengthened

if TYPE_CHECKING:
    import numpy as np

# Letters and digits in lower case and spaces as they are; for all else another blank, which parts words as well.
_WORDS = bytes(
    ord(chr(code).lower()) if code < 0x80 and chr(code).isalnum() else 0x20 if code == 0x20 else 0x0A
    for code in range(0x100)
)
# Bytes of a word that are read at once.
_LOADED = 8
# Odd numbers without a pattern in their bits, by which keys are mixed.
_MIXERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
# A table is looked up by so many bits of the key, and stays small enough for a processor's own memory.
_BITS = 16


class Vocabulary:
    """Known words, numbered from 1."""

    def __init__(self, words: Iterable[bytes]) -> None:
        self.numbers = {word: number for number, word in enumerate(words, 1)}
        # A longer word than all that are known is told from them by its length.
        self._loads = -(-max(map(len, self.numbers), default=0) // _LOADED)

    def blocks(self, data: bytes) -> Blocks:
        """The blocks of UTF-8 `data`."""
        import numpy as np  # only long texts pay for it

        text = data.translate(_WORDS)
        chars = np.frombuffer(b" %b " % text, np.uint8)
        inside = chars > 0x20
        edges = np.flatnonzero(inside[1:] != inside[:-1])
        starts, ends = edges[::2], edges[1::2]
        numbers = self._numbers_of(_keys(text, starts, ends - starts, self._loads))
        spaces = chars[1:] == 0x20
        spaces[-1:] = False
        begins = np.flatnonzero(spaces)[BLOCK - 1 :: BLOCK] + 1
        known = np.flatnonzero(numbers != 0)
        blocks = np.cumsum(spaces, dtype=np.int32)[starts[known]] // BLOCK
        words, bits = _standing(numbers[known], blocks, len(begins) + 1)
        return Blocks(words, bits, np.concatenate([[0], begins, [len(data)]]))

    @cached_property
    def _tables(self) -> tuple[np.ndarray[Any, Any], list[np.ndarray[Any, Any]]]:
        """The key of each word by its number, and tables of numbers by parts of the keys.

        Where two words meet in a table, the second stands in the next one, by other bits.
        """
        import numpy as np

        text = b" ".join(self.numbers)
        lengths = np.fromiter(map(len, self.numbers), np.int64, len(self.numbers))
        ends = np.cumsum(lengths + 1) - 1
        keys = np.concatenate([np.zeros(1, np.uint64), _keys(text, ends - lengths, lengths, self._loads)])
        tables: list[np.ndarray[Any, Any]] = []
        left = np.arange(1, len(keys))
        while len(left):
            places, firsts = np.unique(_places(keys[left], len(tables)), return_index=True)
            # Numbers of 16 bits are sorted in a tenth of the time.
            table = np.zeros(1 << _BITS, np.uint16 if len(keys) <= 1 << 16 else np.int32)
            table[places] = left[firsts]
            tables.append(table)
            left = np.delete(left, firsts)
        return keys, tables

    def _numbers_of(self, keys: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The number of each word by its key, 0 for one that is not known."""
        import numpy as np

        known, tables = self._tables
        numbers = np.zeros(len(keys), tables[0].dtype if tables else np.uint16)
        left: np.ndarray[Any, Any] | slice = slice(None)
        for number, table in enumerate(tables):
            found = table[_places(keys[left], number)]
            found[known[found] != keys[left]] = 0
            numbers[left] = found
            left = np.flatnonzero(numbers == 0)
        return numbers


def _keys(text: bytes, starts: np.ndarray[Any, Any], lengths: np.ndarray[Any, Any], loads: int) -> np.ndarray[Any, Any]:
    """A number of 64 bits for each word of a text, by its length and so many times eight of its first bytes.

    It is the same for the same word, and hardly ever for another.
    """
    import numpy as np

    padded = text + bytes(_LOADED * (loads + 1))
    every = np.ndarray(len(padded) - _LOADED + 1, "<u8", padded, strides=(1,))
    seen = np.array([(1 << 8 * length) - 1 for length in range(_LOADED + 1)], np.uint64)
    keys = lengths.astype(np.uint64) * np.uint64(_MIXERS[0])
    for number in range(loads):
        begin = number * _LOADED
        here = np.flatnonzero(lengths > begin) if number else slice(None)
        loaded = every[starts[here] + begin] & seen[np.minimum(lengths[here] - begin, _LOADED)]
        keys[here] = (keys[here] ^ loaded) * np.uint64(_MIXERS[(number + 1) % len(_MIXERS)])
    return keys ^ (keys >> np.uint64(32))


def _places(keys: np.ndarray[Any, Any], number: int) -> np.ndarray[Any, Any]:
    import numpy as np

    return (keys * np.uint64(_MIXERS[number % len(_MIXERS)]) >> np.uint64(64 - _BITS)).view(np.int64)


def _standing(
    numbers: np.ndarray[Any, Any], blocks: np.ndarray[Any, Any], count: int
) -> tuple[frozenset[int], Callable[[int], int]]:
    """The words by these numbers that stand in these blocks, of so many, and of a word the bits of its places."""
    import numpy as np

    order = np.argsort(numbers, kind="stable")
    numbers, blocks = numbers[order], blocks[order]
    firsts = _changes(numbers)
    words = numbers[firsts]
    width = count // 8 + 1
    row = {word: number * width for number, word in enumerate(words.tolist())}
    bytes_ = np.repeat(np.arange(len(words)) * width, np.diff(firsts, append=len(numbers))) + (blocks >> 3)
    changes = _changes(bytes_)
    rows = np.zeros(len(words) * width, np.uint8)
    if len(changes):
        rows[bytes_[changes]] = np.bitwise_or.reduceat(np.left_shift(1, blocks & 7).astype(np.uint8), changes)
    held = rows.tobytes()

    @cache
    def bits_of(word: int) -> int:
        bits = int.from_bytes(held[row[word] : row[word] + width], "little")
        return lengthened(bits, SHORTEST, done=1)

    return frozenset(row), bits_of


def _changes(numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The places of the numbers that are others than those before them, the first among them."""
    import numpy as np

    return np.flatnonzero(np.concatenate([np.ones(min(len(numbers), 1), np.bool_), numbers[1:] != numbers[:-1]]))
