"""One form for texts that look alike: quotes, dashes, spaces and hidden characters folded, offsets kept."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

_SINGLE = (
    "\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u02ca\u02cb\u055a\u05f3\u07f4\u07f5\u2018\u2019\u201a\u201b\u2032"
    "\u2035\u2039\u203a\u275b\u275c\u275f\u276e\u276f\ua78b\ua78c"
)
_DOUBLE = (
    "\u00ab\u00bb\u02ba\u02ee\u05f4\u201c\u201d\u201e\u201f\u2033\u2036\u275d\u275e\u2760\u2e42\u300c\u300d"
    "\u300e\u300f\u301d\u301e\u301f\ufe41\ufe42\ufe43\ufe44\U0001f676\U0001f677\U0001f678"
)
_DASH = (
    "\u058a\u05be\u1400\u1806\u2010\u2011\u2012\u2013\u2043\u2212\u2e17\u2e1a\u2e40\u2e5d\u301c\u3030\u30a0"
    "\ufe32\ufe63\uff0d\U00010ead"
)
# A dash that stands between clauses, with or without spaces around it.
_LONG_DASH = "\u2014\u2015\u2e3a\u2e3b\ufe31\ufe58"
# The white space that NFKC leaves as it is, but for the space itself.
_BLANKS = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\u1680\u2028\u2029"

_FIXED: Mapping[str, str] = {
    **dict.fromkeys(_SINGLE, "'"),
    **dict.fromkeys(_DOUBLE, '"'),
    **dict.fromkeys(_DASH + _LONG_DASH, "-"),
}
# What no reader sees: controls but white space, soft hyphens, joiners, bidi and variation selectors, tags.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_BACKTICK = re.compile(r"(?<=[^\W_])`(?=[^\W_])")
_NEWLINES = "\n\r\x0b\x0c\x85\u2028\u2029"
_LINE = re.compile(rf"[{_NEWLINES}]\s*")
_NEWLINE = re.compile(rf"\r\n|[{_NEWLINES}]")
_HIDDEN_BREAK = re.compile(f"[{_NEWLINES}{_LONG_DASH}]")
_HARD, _LONG = "\x00", "\x01"
_MARK = re.compile(f"[{_HARD}{_LONG}]")
_WORD = re.compile(r"\S+")
# More kinds of characters than this to exchange, and one table is faster than one `replace` for each.
_FEW = 64
_BLOCK = 512


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it was written (`source`) and as it is matched (`text`)."""

    source: str
    text: str
    _memo: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def breaks(self) -> tuple[int, ...]:
        """Sorted offsets into `text` where a clause ends that the folded text does not show.

        A hard line break (a blank line, or a line that does not begin with a lower-case letter) is given by
        the offset of what follows it, a long dash by its own offset.
        """
        if "breaks" not in self._memo:
            self._memo["breaks"] = _breaks(self.source)
        return self._memo["breaks"]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The offsets in `source` of the characters that `text[start:end]` was made from."""
        if self.text == self.source:
            return start, end
        if "blocks" not in self._memo:
            self._memo["blocks"] = _blocks(self.source)
        first, past = self._place(start, opening=True), self._place(max(end - 1, 0), opening=False)
        return first, max(first, past) if end > start else first

    def _place(self, offset: int, *, opening: bool) -> int:
        # A space between two blocks belongs to neither: it runs from the end of one to the start of the next.
        blocks = self._memo["blocks"]
        if not blocks:
            return 0
        number = max(bisect_right(blocks, offset, key=lambda block: block[0]) - 1, 0)
        starts, ends = self._spread(number)
        inside = offset - blocks[number][0]
        if inside < len(starts):
            return starts[inside] if opening else ends[inside]
        if opening or number + 1 == len(blocks):
            return ends[-1]
        after, until = self._spread(number + 1)
        return after[0] if after[0] > ends[-1] else until[0]

    def _spread(self, number: int) -> tuple[list[int], list[int]]:
        spreads = self._memo.setdefault("spreads", {})
        if number not in spreads:
            _, start, end = self._memo["blocks"][number]
            spreads[number] = _spread(self.source, start, end)
        return spreads[number]


def fold(text: str) -> Folded:
    """The text folded: NFKC, plain quotes and dashes, nothing invisible, single spaces and none at its ends.

    Halves of characters (lone surrogates) become U+FFFD, so that what is folded can always be encoded.
    """
    return Folded(text, _collapsed(_plain(text)))


@lru_cache(maxsize=1 << 16)
def fold_char(char: str) -> str:
    """What a single character folds to: '' where no reader sees it."""
    if char in _FIXED:
        return _FIXED[char]
    if _INVISIBLE.match(char):
        return ""
    if "\ud800" <= char <= "\udfff":
        return "\ufffd"
    return "".join(_FIXED.get(part, part) for part in unicodedata.normalize("NFKC", char))


@lru_cache(maxsize=1 << 16)
def _clings(char: str) -> bool:
    """Whether NFKC may join a character to what stands before it: combining marks and the tails of Hangul."""
    first = unicodedata.normalize("NFKD", char)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"


def _plain(text: str, fixed: Mapping[str, str] | None = None) -> str:
    # Folded, with its white space as it was. A text has few kinds of characters: each is looked at once.
    if text.isascii():
        kinds = set(_INVISIBLE.findall(text)) if _INVISIBLE.search(text) else set()
    else:
        kinds = set(text)
    exchange = {kind: new for kind in kinds if (new := (fixed or {}).get(kind, fold_char(kind))) != kind}
    if len(exchange) > _FEW:
        text = text.translate(str.maketrans(exchange))
    else:
        for old, new in exchange.items():
            text = text.replace(old, new)
    if any(map(_clings, kinds)):
        text = unicodedata.normalize("NFKC", text)
    return _BACKTICK.sub("'", text) if "`" in text else text


def _collapsed(plain: str) -> str:
    single = "  " not in plain and not any(blank in plain for blank in _BLANKS)
    return plain.strip() if single else " ".join(plain.split())


def _breaks(source: str) -> tuple[int, ...]:
    if not _HIDDEN_BREAK.search(source):
        return ()
    lined = _LINE.sub(_line, _plain(source, dict.fromkeys(_LONG_DASH, _LONG)).strip())
    found, extra = [], 0
    for mark in _MARK.finditer(" ".join(lined.split())):
        found.append(mark.start() - extra)
        # A hard break stands there as a word of its own, where the folded text has one space.
        extra += 2 if mark[0] == _HARD else 0
    return tuple(found)


def _line(run: re.Match[str]) -> str:
    soft = run.string[run.end()].islower() and len(_NEWLINE.findall(run[0])) < 2
    return " " if soft else f" {_HARD} "


def _blocks(source: str) -> list[tuple[int, int, int]]:
    """(offset in the folded text, start and end in the source) of pieces that fold by themselves."""
    blocks, offset, gap, start = [], 0, False, 0
    while start < len(source):
        end = min(start + _BLOCK, len(source))
        while end < len(source) and (not fold_char(source[end]) or _clings(source[end])):
            end += 1
        plain = _plain(source[start:end])
        if folded := _collapsed(plain):
            offset += bool(offset) and (gap or plain[0].isspace())
            blocks.append((offset, start, end))
            offset += len(folded)
            gap = plain[-1].isspace()
        else:
            gap = gap or bool(plain)
        start = end
    return blocks


def _spread(source: str, start: int, end: int) -> tuple[list[int], list[int]]:
    """For each folded character of a piece, where in the source it starts and ends."""
    piece = source[start:end]
    starts: list[int] = []
    ends: list[int] = []

    def emit(places: range, until: int) -> None:
        if starts:
            # A space may come out of the very character that follows it: NFKC's form of a lone accent.
            apart = ends[-1] < places[0]
            starts.append(ends[-1] if apart else places[0])
            ends.append(places[0] if apart else until)
        starts.extend(places)
        ends.extend([*places[1:], until])

    if all(len(fold_char(kind)) == 1 and not _clings(kind) for kind in set(piece)):
        for word in _WORD.finditer(_plain(piece)):
            emit(range(start + word.start(), start + word.end()), start + word.end())
        return starts, ends
    place, spaced = start, True
    while place < end:
        until = place + 1
        while until < end and (not fold_char(source[until]) or _clings(source[until])):
            until += 1
        for char in _plain(source[place:until]):
            if char.isspace():
                spaced = True
            elif spaced:
                emit(range(place, place + 1), until)
                spaced = False
            else:
                starts.append(place)
                ends.append(until)
        place = until
    return starts, ends
