"""One alternative of a concept, read and checked, and where it stands in a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import re2

from evalkit.folding import fold
from evalkit.patterns.translation import (
    UNSPACED,
    WIDE_SIZE,
    WORDS,
    Unreadable,
    escaped,
    is_word,
    translate,
)

MAX_CHARS = 1_000
# Characters of an alternative with its counted repetitions written out: at worst, RE2's time grows by their number.
MAX_SIZE = 400
# Bytes that RE2 may use for one alternative and what it remembers of it.
MAX_MEMORY = 4 << 20

# Of RE2's binding: anchor, bytes, first and last place → (start, end) of the whole and of each group, −1 for none.
Match = Callable[[Any, bytes, int, int], list[tuple[int, int]]]
_UNANCHORED = re2._Anchor.UNANCHORED

# Taken for a boundary: whatever is no ASCII letter or digit. It compiles in a tenth of the time of the strict one,
# which is asked where this one was wrong.
_LENIENT = "[^0-9A-Za-z]"

_ASCII_BOUNDARY = re.compile(r"(?<!\\)(?:\\\\)*\\[bB]")


@dataclass(frozen=True)
class Alternative:
    """An alternative as it was `written`, and its RE2 `source` for folded text, without capturing groups.

    `left` and `right` say whether a word must begin or end there: an edge that is always punctuation, a symbol or of
    a script without spaces asks for no boundary. `notice` says what is no fault, but not needed.
    """

    written: str
    source: str
    left: bool
    right: bool
    notice: str = ""

    def spans(self, data: bytes, begin: int, until: int, end: int) -> list[tuple[int, int]]:
        """Where it stands in UTF-8 `data`: byte spans that start in [begin, until) and end at `end` or before.

        The spans do not overlap, and a separator shared by two of them serves both.
        """
        place, floor, search = (_previous(data, begin) if self.left and begin else begin), begin, self._lenient
        found: list[tuple[int, int]] = []
        while place <= end:
            span = start, stop = search(_UNANCHORED, data, place, end)[1]
            if start < 0 or start >= until:
                return found
            if search is self._lenient and self._joined(data, start, stop):
                search = self._strict
            elif start < floor or start == stop:
                place = floor = max(floor, _next(data, start))
            else:
                found.append(span)
                floor, place = stop, _previous(data, stop) if self.left else stop
        return found

    def may_stand(self, data: bytes) -> bool:
        """Whether it stands in UTF-8 `data`, or seems to where a word goes on in another script."""
        return self._lenient(_UNANCHORED, data, 0, len(data))[0][0] >= 0

    def _joined(self, data: bytes, start: int, stop: int) -> bool:
        """Whether what was found goes on as a word on a side that asks for a boundary."""
        return (self.left and start > 0 and _is_word(data, _previous(data, start))) or (
            self.right and _is_word(data, stop)
        )

    @cached_property
    def _lenient(self) -> Match:
        return _compiled(self.bounded(_LENIENT, "("))

    @cached_property
    def _strict(self) -> Match:
        return _compiled(self.bounded(f"[^{WORDS}]|[{UNSPACED}]", "("))

    def bounded(self, boundary: str, group: str = "(?:") -> str:
        """RE2's source for it in a group of its own, between boundaries of words where it asks for them."""
        left, right = f"(?:^|{boundary})" if self.left else "", f"(?:$|{boundary})" if self.right else ""
        return f"{left}{group}{self.source}){right}"


def any_may_stand(alternatives: Iterable[Alternative]) -> Callable[[bytes, int, int], bool]:
    """Whether any of them stands in UTF-8 data from byte to byte, or seems to, told by a single look at these."""
    try:
        search = _compiled("|".join(each.bounded(_LENIENT) for each in alternatives))
    except re2.error:
        return lambda data, begin, end: True
    return lambda data, begin, end: search(_UNANCHORED, data, begin, end)[0][0] >= 0


def _compiled(source: str) -> Match:
    # RE2's own function, which gives the spans of the whole and of the group: the objects that the package wraps
    # them in take longer to make than a search takes, and each reply is searched some forty times.
    return re2.compile(source, options())._regexp.Match


def options() -> re2.Options:
    """How alternatives are compiled: without regard to case, in bounded memory, quietly."""
    chosen = re2.Options()
    chosen.case_sensitive = False
    chosen.log_errors = False
    chosen.max_mem = MAX_MEMORY
    return chosen


def literal(written: str) -> Alternative:
    """A phrase that is looked for as it stands; raises Unreadable where there is nothing of it to be seen."""
    text = fold(written).text
    if not text:
        raise Unreadable("holds nothing to look for; write the words that an answer must or must not say")
    if len(text) > MAX_CHARS:
        raise Unreadable(f"is longer than {MAX_CHARS:,} characters; write a concept with alternatives instead")
    return Alternative(written, escaped(text), is_word(text[0]), is_word(text[-1]))


@lru_cache(maxsize=1 << 12)
def read(written: str) -> Alternative:
    """An alternative as a person writes it; raises Unreadable with what to write instead."""
    if len(written) > MAX_CHARS:
        raise Unreadable(f"is longer than {MAX_CHARS:,} characters; split it into several alternatives")
    source, edges = translate(written)
    try:
        re2.compile(source, options())
    except re2.error as error:
        raise Unreadable(_remedy(error)) from None
    if edges.size > MAX_SIZE:
        raise Unreadable(
            f"is too large: {edges.size:,} characters with its repetitions written out (a class such as \\w counts as "
            f"{WIDE_SIZE}), and {MAX_SIZE} are possible; write smaller numbers in {{…}}, or several alternatives"
        )
    if edges.empty:
        raise Unreadable("can match no text at all; require one of its parts (no ?, * or {0,…} behind it)")
    notice = r"\b is not needed: an alternative matches whole words, in any script"
    asks = _ASCII_BOUNDARY.search(written) is not None
    return Alternative(written, source, edges.first, edges.last, notice if asks else "")


def shown(alternative: str) -> str:
    """An alternative as it stands in a message: on one line, and cut where it is long."""
    line = " ".join(alternative.split())
    return f"`{line if len(line) <= 80 else line[:79] + '…'}`"


def _remedy(error: re2.error) -> str:
    said = error.args[0]
    said = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    if "too large" in said or "repetition size" in said:
        return f"repeats too much ({said}); write smaller numbers in {{…}}, or several alternatives"
    if "perl operator" in said:
        return f"RE2 lacks it: {said}; of the flags it has i, m, s and U, and case never counts"
    if "escape" in said:
        return f"RE2 lacks it: {said}; write the character itself, and \\ before it if it is punctuation"
    if "repetition" in said:
        return rf"repeats nothing ({said}); write \*, \+ or \? for the character itself"
    return f"RE2 cannot read it: {said}; github.com/google/re2/wiki/Syntax says what it can"


def _previous(data: bytes, place: int) -> int:
    place = max(place - 1, 0)
    while place and data[place] & 0xC0 == 0x80:
        place -= 1
    return place


def _next(data: bytes, place: int) -> int:
    place += 1
    while place < len(data) and data[place] & 0xC0 == 0x80:
        place += 1
    return place


def _is_word(data: bytes, place: int) -> bool:
    # RE2 has looked at the ASCII characters.
    return place < len(data) and data[place] >= 0x80 and is_word(data[place : _next(data, place)].decode())
