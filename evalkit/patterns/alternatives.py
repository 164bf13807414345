"""One alternative of a concept, read and checked, and where it stands in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import re2

from evalkit.folding import fold
from evalkit.patterns.translation import UNSPACED, WORDS, Unreadable, escaped, is_word, translate

MAX_CHARS = 1_000
MAX_MEMORY = 4 << 20
# RE2's instructions for one alternative, in which every repetition counts as often as it may repeat.
MAX_PROGRAM = 40_000

# Every character that is no ASCII letter or digit may part words here; is_word then says whether it does.
_OTHER = "[^0-9A-Za-z]"
_APART = f"[^{WORDS}]|[{UNSPACED}]"
_ASCII_BOUNDARY = re.compile(r"(?<!\\)(?:\\\\)*\\[bB]")


@dataclass(frozen=True)
class Alternative:
    """An alternative as it was `written`, and its RE2 `source` for folded text, without capturing groups.

    `left` and `right` say whether a word must begin or end there: an edge that is punctuation, a symbol or of a
    script without spaces asks for no boundary. `notice` says what is no fault, but not needed.
    """

    written: str
    source: str
    left: bool
    right: bool
    notice: str = ""

    def spans(self, data: bytes, begin: int, until: int, end: int) -> Iterator[tuple[int, int]]:
        """Where it stands in UTF-8 `data`: byte spans that start in [begin, until) and end before or at `end`.

        The spans do not overlap, and a separator shared by two of them serves both.
        """
        place, floor = (_previous(data, begin) if self.left else begin), begin
        while place <= end and (found := self._lenient.search(data, place, end)) is not None:
            start, stop = found.span(1)
            if start >= until:
                return
            if start < floor or start == stop:
                place = floor = max(floor, _next(data, start))
                continue
            if self.left and start and _continues(data, _previous(data, start)):
                place, floor = start, _next(data, start)
                continue
            if self.right and _continues(data, stop):
                # Another branch, or a shorter repetition, may end at a boundary.
                strict = self._strict.match(data, start, end)
                if strict is None:
                    floor = _next(data, start)
                    place = start if self.left else floor
                    continue
                stop = strict.end(1)
            yield start, stop
            floor = stop
            place = _previous(data, stop) if self.left else stop

    @cached_property
    def _lenient(self) -> re2._Regexp:
        left = f"(?:^|{_OTHER})" if self.left else ""
        right = f"(?:$|{_OTHER})" if self.right else ""
        return re2.compile(f"{left}({self.source}){right}", options())

    @cached_property
    def _strict(self) -> re2._Regexp:
        return re2.compile(f"({self.source})(?:$|{_APART})", options())


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


def read(written: str) -> Alternative:
    """An alternative as a person writes it; raises Unreadable with what to write instead."""
    if len(written) > MAX_CHARS:
        raise Unreadable(f"is longer than {MAX_CHARS:,} characters; split it into several alternatives")
    source, edges = translate(written)
    try:
        compiled = re2.compile(source, options())
    except re2.error as error:
        raise Unreadable(_remedy(error)) from None
    if compiled.programsize > MAX_PROGRAM:
        raise Unreadable("repeats too much; write smaller numbers in {…}, or several alternatives")
    if edges.empty:
        raise Unreadable("can match no text at all; require one of its parts (no ?, * or {0,…} behind it)")
    notice = r"\b is not needed: an alternative matches whole words, in any script"
    asks = _ASCII_BOUNDARY.search(written) is not None
    return Alternative(written, source, edges.first, edges.last, notice if asks else "")


def _remedy(error: re2.error) -> str:
    said = error.args[0]
    said = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    if "too large" in said or "repetition size" in said:
        return f"repeats too much ({said}); write smaller numbers in {{…}}, or several alternatives"
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


def _continues(data: bytes, place: int) -> bool:
    # ASCII characters have been looked at by RE2.
    return place < len(data) and data[place] >= 0x80 and is_word(data[place : _next(data, place)].decode())
