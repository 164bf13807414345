"""One form for texts that look alike: quotes, dashes, spaces and hidden characters folded, offsets kept."""

from __future__ import annotations

import re
import sys
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
# The white space that NFKC leaves as it is, but for the space itself; and all white space but the space itself.
_BLANKS = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\u1680\u2028\u2029"
_WHITE = f"{_BLANKS}\u00a0\u2000-\u200a\u202f\u205f\u3000"

_FIXED: Mapping[str, str] = {
    **dict.fromkeys(_SINGLE, "'"),
    **dict.fromkeys(_DOUBLE, '"'),
    **dict.fromkeys(_DASH + _LONG_DASH, "-"),
}
# What no reader sees: controls but white space, soft hyphens, joiners, bidi and variation selectors, tags.
_UNSEEN = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_INVISIBLE = re.compile(f"[{_UNSEEN}]")
# Typed for an apostrophe; elsewhere it marks code.
BACKTICK = re.compile(r"`(?<=[^\W_]`)(?=[^\W_])")
_NEWLINE = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_LONG = "\x01"
# White space that folding changes, and the long dashes, once they have been marked.
_GAP = re.compile(rf"\s\s+|[^\S ]|{_LONG}")
# What folds to several characters, and is common.
_LONGER = "\u2025\u2026\u2116\u2122\u00bc-\u00be\ufb00-\ufb04"
# The spots of a text at which more than a character is exchanged for another: white space but single spaces, with what
# hides in it; a long dash, or a character that folds to several, with what hides behind it.
_GAPS = f"{_WHITE}{_UNSEEN}"
_SPOT = f"[{_GAPS}{_LONGER}{_LONG_DASH}]"
_REST = f"(?:(?<=[ {_GAPS}])[ {_GAPS}]*|[{_UNSEEN}]*)"
_SPOTS, _SPOTS_OF_SPACES = re.compile(_SPOT + _REST), re.compile(f"(?:{_SPOT}| (?= )){_REST}")
_GAP_HERE, _UNSEEN_HERE, _GROWS = re.compile(f"[ {_GAPS}]*"), re.compile(f"[{_UNSEEN}]*"), re.compile(f"[{_LONGER}]")
# The bytes of what folds to itself and is in every text.
_USUAL = bytes(range(0x20, 0x7F))
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
        if self.text is self.source:
            return ()
        return self._scan(offset).breaks

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The offsets in `source` of the characters that `text[start:end]` was made from."""
        if self.text is self.source:
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
    folded = _collapsed(_plain(text))
    return Folded(text, text if folded == text else folded)


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


@lru_cache(maxsize=1 << 14)
def _keeps_its_place(char: str) -> bool:
    """Whether a character folds by itself to a single one or to none, or is known to fold to more than one."""
    folded = fold_char(char)
    return (len(folded) < 2 or _GROWS.match(char) is not None) and not _clings(char)


def _plain(text: str, long_dash: str = "-") -> str:
    # Folded, with its white space as it was. A text has few kinds of characters: each is looked at once.
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
    rare = text.encode("utf-8", "surrogatepass").translate(None, _USUAL)
    kinds = set(rare.decode("utf-8", "surrogatepass")) - _ORDINARY
    ordinary = {kind for kind in kinds if fold_char(kind) == kind and not _clings(kind)}
    if len(_ORDINARY) < _REMEMBERED:
        _ORDINARY.update(ordinary)
    return kinds - ordinary


def _collapsed(plain: str) -> str:
    for blank in _BLANKS:
        plain = plain.replace(blank, " ")
    for _ in range(3):
        if "  " not in plain:
            return plain.strip()
        plain = plain.replace("  ", " ")
    return " ".join(plain.split())


class _Block(NamedTuple):
    """A piece of the source that folds by itself: its start and end there, and its length once folded.

    `before` and `after` are the white space around what is seen of it, `opening` the first character of that.
    `breaks` are offsets into it once folded; its `spread` is None where it is found only when it is asked for.
    """

    start: int
    end: int
    length: int
    before: str
    opening: str
    after: str
    breaks: list[int]
    spread: _Spread | None = None


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
            one_by_one = all(map(_keeps_its_place, _odd(self._source[start : self._read])))
            block = (_read_spots if one_by_one else _read_folded)(self._source, start, self._read)
            gap = self._behind + block.before
            if not block.length:
                self._behind = gap
                continue
            self._behind = block.after
            if self._length and gap:
                self._length += 1
                if _is_hard(gap, block.opening):
                    self.breaks.append(self._length)
            self.breaks += [self._length + each for each in block.breaks]
            self._blocks.append(block)
            self._firsts.append(self._length)
            self._length += block.length

    def _cut(self, start: int) -> int:
        # White space, and what clings to the character before it, stay with the block.
        end = _end(_GAP_HERE, self._source, min(start + _BLOCK, len(self._source)))
        while end < len(self._source) and _clings(self._source[end]):
            end = _end(_GAP_HERE, self._source, end + 1)
        return end

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
            block = self._blocks[number]
            self._spreads[number] = block.spread or _spread(self._source, block.start, block.end)
        offsets, places = self._spreads[number]
        at = bisect_right(offsets, offset) - 1
        start, end = places[at]
        return (start, end) if end is not None else (start + offset - offsets[at], start + offset - offsets[at] + 1)


def _end(pattern: re.Pattern[str], text: str, start: int, until: int = sys.maxsize) -> int:
    found = pattern.match(text, start, until)
    return found.end() if found else start


def _is_hard(gap: str, follows: str) -> bool:
    lines = len(_NEWLINE.findall(gap if gap.isspace() else _INVISIBLE.sub("", gap)))
    return lines > 1 or (lines == 1 and not follows[:1].islower())


def _read_spots(source: str, start: int, end: int) -> _Block:
    """A block whose characters fold one by one, read from spot to spot."""
    offsets: list[int] = []
    places: list[tuple[int, int | None]] = []
    breaks: list[int] = []
    at = first = _end(_GAP_HERE, source, start, end)
    length, after = 0, ""
    spots = _SPOTS_OF_SPACES if source.find("  ", at, end) >= 0 else _SPOTS
    for spot in spots.finditer(source, at, end):
        begin, until = spot.span()
        size = 0 if source[begin].isspace() else len(fold_char(source[begin]))
        if not size and begin > at and source[begin - 1] == " ":
            begin -= 1
        # What hides behind a character belongs to it.
        gap = begin if size else _end(_UNSEEN_HERE, source, begin, until)
        if begin > at:
            offsets.append(length)
            places.append((at, None))
            length += begin - at
            if gap > begin:
                offsets.append(length - 1)
                places.append((begin - 1, gap))
        at = until
        if size:
            breaks += [length] * (source[begin] in _LONG_DASH)
            offsets += range(length, length + size)
            places += [(begin, until)] * size
            length += size
        elif until == end:
            after = source[gap:until]
        elif gap < until:
            offsets.append(length)
            places.append((gap, until))
            length += 1
            breaks += [length] * _is_hard(source[gap:until], fold_char(source[until]))
    if at < end:
        offsets.append(length)
        places.append((at, None))
        after = " " if source[end - 1] == " " else ""
        length += end - at - len(after)
    opening = fold_char(source[first]) if first < end else ""
    return _Block(start, end, length, "", opening, after, breaks, (offsets, places))


def _read_folded(source: str, start: int, end: int) -> _Block:
    """A block with characters that join, part or hold white space, once folded."""
    plain = _plain(source[start:end], _LONG)
    text = plain.strip()
    ahead = len(plain) - len(plain.lstrip())
    lost, breaks = 0, []
    for gap in _GAP.finditer(text):
        first, last = gap.span()
        if gap[0] == _LONG:
            breaks.append(first - lost)
            continue
        if _is_hard(gap[0], text[last]):
            breaks.append(first - lost + 1)
        lost += last - first - 1
    return _Block(start, end, len(text) - lost, plain[:ahead], text[:1], plain[ahead + len(text) :], breaks)


def _spread(source: str, start: int, end: int) -> _Spread:
    """Where in the source each folded character of a block comes from."""
    staying = {kind for kind in _odd(source[start:end]) if not fold_char(kind) or _clings(kind)}
    places: list[tuple[int, int | None]] = []
    place, spaced = start, False
    while place < end:
        until = place + 1
        while until < end and source[until] in staying and _joins(source[place:until], source[until]):
            until += 1
        for char in fold_char(source[place]) if until == place + 1 else _plain(source[place:until]):
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


def _joins(before: str, char: str) -> bool:
    """Whether a character that stays with others does so here; a Hangul tail does where NFKC joins the two."""
    if not "\u1160" <= fold_char(char)[:1] <= "\u11ff":
        return True
    return len(_plain(before + char)) < len(_plain(before)) + len(_plain(char))
