"""One form for texts that look alike: quotes, dashes, spaces and hidden characters folded, offsets kept."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

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
# Typed for an apostrophe; elsewhere it marks code.
BACKTICK = re.compile(r"(?<=[^\W_])`(?=[^\W_])")
_NEWLINES = "\n\r\x0b\x0c\x85\u2028\u2029"
_NEWLINE = re.compile(rf"\r\n|[{_NEWLINES}]")
_LONG = "\x01"
# White space that folding changes, and the long dashes, once they have been marked.
_GAP = re.compile(rf"\s\s+|[^\S ]|{_LONG}")
_HIDDEN_ASCII = dict.fromkeys((*range(0x09), *range(0x0E, 0x1C), 0x7F))
# Characters that have been looked at and fold to themselves. It only spares time, and is bounded.
_ORDINARY: set[str] = set()
_REMEMBERED = 1 << 14
# More kinds of characters than this to exchange, and one table is faster than one `replace` for each.
_FEW = 64
_BLOCK = 1_024

# Offsets of folded characters at which something begins, and where that comes from in the source: one character
# with its start and end, or (end None) a stretch of characters that were folded one by one.
_Spread = tuple[list[int], list[tuple[int, int | None]]]


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it was written (`source`) and as it is matched (`text`)."""

    source: str
    text: str
    _scans: list[_Scan] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def breaks(self) -> tuple[int, ...]:
        """Sorted offsets into `text` where a clause ends that the folded text does not show.

        A hard line break (a blank line, or a line that does not begin with a lower-case letter) is given by
        the offset of what follows it, a long dash by its own offset.
        """
        return tuple(self.breaks_until(len(self.text)))

    def breaks_until(self, offset: int) -> Sequence[int]:
        """The `breaks`, complete up to an offset into `text`, without a look at what follows it."""
        if self.text == self.source:
            return ()
        return self._scan(offset).breaks

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The offsets in `source` of the characters that `text[start:end]` was made from."""
        if self.text == self.source:
            return start, end
        scan = self._scan(end)
        first = scan.place(start, opening=True)
        return first, max(first, scan.place(end - 1, opening=False)) if end > start else first

    def _scan(self, offset: int) -> _Scan:
        # Only texts with something in them pay for the way back, and only as far as it stands.
        if not self._scans:
            self._scans.append(_Scan(self.source))
        self._scans[0].reach(offset)
        return self._scans[0]


def fold(text: str) -> Folded:
    """The text folded: NFKC, plain quotes and dashes, nothing invisible, single spaces and none at its ends.

    Halves of characters (lone surrogates) become U+FFFD, so that what is folded can always be encoded.
    """
    return Folded(text, _collapsed(_plain(text)))


@lru_cache(maxsize=1 << 14)
def fold_char(char: str) -> str:
    """What a single character folds to: '' where no reader sees it."""
    if char in _FIXED:
        return _FIXED[char]
    if _INVISIBLE.match(char):
        return ""
    if "\ud800" <= char <= "\udfff":
        return "\ufffd"
    return "".join(_FIXED.get(part, part) for part in unicodedata.normalize("NFKC", char))


@lru_cache(maxsize=1 << 14)
def _clings(char: str) -> bool:
    """Whether NFKC may join a character to what stands before it: combining marks and the tails of Hangul."""
    first = unicodedata.normalize("NFKD", char)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"


def _plain(text: str, long_dash: str = "-") -> str:
    # Folded, with its white space as it was. A text has few kinds of characters: each is looked at once.
    if text.isascii():
        text = text.translate(_HIDDEN_ASCII)
        return BACKTICK.sub("'", text) if "`" in text else text
    kinds = _odd(text)
    folded = ((kind, long_dash if kind in _LONG_DASH else fold_char(kind)) for kind in kinds)
    exchange = {kind: new for kind, new in folded if kind != new}
    if len(exchange) > _FEW:
        text = text.translate(str.maketrans(exchange))
    else:
        # What vanishes goes first, and so never takes away a mark that stands for something else.
        for old, new in sorted(exchange.items(), key=itemgetter(1)):
            text = text.replace(old, new)
    if any(map(_clings, kinds)):
        text = unicodedata.normalize("NFKC", text)
    return BACKTICK.sub("'", text) if "`" in text else text


def _odd(text: str) -> set[str]:
    """The kinds of characters of a text but for those that fold to themselves, whatever stands around them."""
    kinds = set(text) - _ORDINARY
    ordinary = {kind for kind in kinds if fold_char(kind) == kind and not _clings(kind)}
    if len(_ORDINARY) < _REMEMBERED:
        _ORDINARY.update(ordinary)
    return kinds - ordinary


def _collapsed(plain: str) -> str:
    single = "  " not in plain and not any(blank in plain for blank in _BLANKS)
    return plain.strip() if single else " ".join(plain.split())


class _Block(NamedTuple):
    """A piece of the source that folds by itself: its start and end there, and its length once folded.

    `text` is where it begins with more than white space, `gaps` are the white space from there on that folding changes
    (start and end), for pieces that are folded character by character.
    """

    start: int
    end: int
    length: int
    text: int
    gaps: list[tuple[int, int]]


class _Scan:
    """A source read block by block, as far as it is asked for: its breaks, and where its folded text comes from."""

    def __init__(self, source: str) -> None:
        self.breaks: list[int] = []
        self._source = source
        self._blocks: list[_Block] = []
        self._firsts: list[int] = []  # where each block stands in the folded text
        self._spreads: dict[int, _Spread] = {}
        self._read = self._length = 0
        self._behind = ""  # the white space at the end of what was read

    def reach(self, offset: int) -> None:
        """Reads on until the folded text is known beyond an offset."""
        while self._read < len(self._source) and self._length <= offset:
            start = self._read
            self._read = self._cut(start)
            plain = _plain(self._source[start : self._read], _LONG)
            text = plain.strip()
            if not text:
                self._behind += plain
                continue
            ahead = len(plain) - len(plain.lstrip())
            gap = self._behind + plain[:ahead]
            self._behind = plain[ahead + len(text) :]
            if self._length and gap:
                self._length += 1
                if _is_hard(gap, text[0]):
                    self.breaks.append(self._length)
            length, gaps = self._measured(text)
            self._blocks.append(_Block(start, self._read, length, ahead, gaps))
            self._firsts.append(self._length)
            self._length += length

    def _cut(self, start: int) -> int:
        # White space, and what clings to the character before it, stay with the block.
        end = min(start + _BLOCK, len(self._source))
        while end < len(self._source) and (self._source[end].isspace() or _stays(self._source[end])):
            end += 1
        return end

    def _measured(self, text: str) -> tuple[int, list[tuple[int, int]]]:
        """The length of a text once folded and its gaps; its breaks are noted."""
        lost, gaps = 0, []
        for gap in _GAP.finditer(text):
            start, end = gap.span()
            if gap[0] == _LONG:
                self.breaks.append(self._length + start - lost)
                continue
            if _is_hard(gap[0], text[end]):
                self.breaks.append(self._length + start - lost + 1)
            gaps.append((start, end))
            lost += end - start - 1
        return len(text) - lost, gaps

    def place(self, offset: int, *, opening: bool) -> int:
        """Where in the source a folded character, that has been reached, starts or ends."""
        # A space between two blocks belongs to neither: it runs from the end of one to the start of the next.
        if not self._blocks:
            return 0
        number = max(bisect_right(self._firsts, offset) - 1, 0)
        inside, length = offset - self._firsts[number], self._blocks[number].length
        if inside < length:
            return self._spot(number, inside)[0 if opening else 1]
        last = self._spot(number, length - 1)[1]
        if opening or number + 1 == len(self._blocks):
            return last
        after, until = self._spot(number + 1, 0)
        return after if after > last else until

    def _spot(self, number: int, offset: int) -> tuple[int, int]:
        if number not in self._spreads:
            self._spreads[number] = _spread(self._source, self._blocks[number])
        offsets, places = self._spreads[number]
        at = bisect_right(offsets, offset) - 1
        start, end = places[at]
        return (start, end) if end is not None else (start + offset - offsets[at], start + offset - offsets[at] + 1)


def _is_hard(gap: str, follows: str) -> bool:
    lines = len(_NEWLINE.findall(gap))
    return lines > 1 or (lines == 1 and not follows.islower())


def _stays(char: str) -> bool:
    return not fold_char(char) or _clings(char)


def _joins(before: str, char: str) -> bool:
    """Whether a character is one with what stands before it; a Hangul tail is only where NFKC joins the two."""
    if not "\u1160" <= fold_char(char)[:1] <= "\u11ff":
        return _stays(char)
    return len(_plain(before + char)) < len(_plain(before)) + len(_plain(char))


def _spread(source: str, block: _Block) -> _Spread:
    """Where in the source each folded character of a block comes from."""
    piece = source[block.start : block.end]
    places: list[tuple[int, int | None]] = []
    if all(len(fold_char(kind)) == 1 and not _clings(kind) for kind in _odd(piece)):
        offsets, lost, text = [0], 0, block.start + block.text
        places.append((text, None))
        for start, end in block.gaps:
            offsets += (start - lost, start - lost + 1)
            places += ((text + start, text + end), (text + end, None))
            lost += end - start - 1
        return offsets, places
    place, spaced = block.start, False
    while place < block.end:
        until = place + 1
        while until < block.end and _joins(source[place:until], source[until]):
            until += 1
        for char in _plain(source[place:until]):
            if char.isspace():
                spaced = bool(places)
                continue
            if spaced:
                # A space may come out of the very character that follows it: NFKC's form of a lone accent.
                before = places[-1][1] or 0
                places.append((before, place) if before < place else (place, until))
            places.append((place, until))
            spaced = False
        place = until
    return list(range(len(places))), places
