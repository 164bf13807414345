"""The characters that folding exchanges or hides, and the expressions that find them."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
_WHITES = f"{_BLANKS}\u00a0\u2000-\u200a\u202f\u205f\u3000"

_FIXED: Mapping[str, str] = {
    **dict.fromkeys(_SINGLE, "'"),
    **dict.fromkeys(_DOUBLE, '"'),
    **dict.fromkeys(_DASH + _LONG_DASH, "-"),
}
# What no reader sees: controls but white space, soft hyphens, joiners, bidi and variation selectors, tags.
_INVISIBLES = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_INVISIBLE = re.compile(f"[{_INVISIBLES}]")
# Typed for an apostrophe; elsewhere it marks code.
BACKTICK = re.compile(r"`(?<=[^\W_]`)(?=[^\W_])")
# What begins a new line; "\r\n" begins one.
_LINES = "\n\r\x0b\x0c\x85\u2028\u2029"
_NEWLINE = re.compile(f"\r\n|[{_LINES}]")
_LONG = "\x01"
# White space that folding changes, and the long dashes, once they have been marked.
_GAP = re.compile(rf"\s\s+|[^\S ]|{_LONG}")
_GAP_HERE = re.compile(f"[ {_WHITES}{_INVISIBLES}]*")
# The bytes of what folds to itself and is in every text.
_USUAL = bytes(range(0x20, 0x7F))
# Characters that have been looked at and fold to themselves. It only spares time, and is bounded.
_ORDINARY: set[str] = set()
_REMEMBERED = 1 << 14
# More kinds of characters than this to exchange, and one table is faster than one `replace` for each.
_FEW = 64
# So many characters are sooner read with arrays.
_MANY = 10_000
_BLOCK = 1_024
