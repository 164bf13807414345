"""Texts and single characters, folded."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Set
from functools import lru_cache
from operator import itemgetter

from evalkit.folding.characters import (
    _BLANKS,
    _FEW,
    _FIXED,
    _INVISIBLE,
    _LONG_DASH,
    _MANY,
    _ORDINARY,
    _REMEMBERED,
    _USUAL,
    BACKTICK,
)


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
    """Whether a character folds by itself, and to no white space among other characters."""
    folded = fold_char(char)
    return not _clings(char) and (len(folded) < 2 or not any(map(str.isspace, folded)))


def _plain(text: str, long_dash: str = "-", odd: Set[str] | None = None) -> str:
    # Folded, with its white space as it was. A text has few kinds of characters: each is looked at once.
    odd = _odd(_kinds(text)) if odd is None else odd
    folded = ((kind, long_dash if kind in _LONG_DASH else fold_char(kind)) for kind in odd)
    exchange = {kind: new for kind, new in folded if kind != new}
    if len(exchange) > _FEW:
        text = text.translate(str.maketrans(exchange))
    else:
        # What vanishes goes first, and so never takes away a mark that stands for something else.
        for old, new in sorted(exchange.items(), key=itemgetter(1)):
            text = text.replace(old, new)
    if any(map(_clings, odd)):
        text = unicodedata.normalize("NFKC", text)
    return _with_apostrophes(text)


def _with_apostrophes(text: str) -> str:
    """A text with apostrophes for the backticks that stand for one."""
    return BACKTICK.sub("'", text) if "`" in text else text


def _odd(kinds: Set[str]) -> set[str]:
    """Of the kinds of characters of a text those that do not fold to themselves, whatever stands around them."""
    kinds = kinds - _ORDINARY
    ordinary = {kind for kind in kinds if fold_char(kind) == kind and not _clings(kind)}
    if len(_ORDINARY) < _REMEMBERED:
        _ORDINARY.update(ordinary)
    return kinds - ordinary


def _kinds(text: str) -> set[str]:
    """The kinds of characters of a text, without some of those that fold to themselves and are in every text."""
    rare = text.encode("utf-8", "surrogatepass").translate(None, _USUAL).decode("utf-8", "surrogatepass")
    if len(rare) < _MANY:
        return set(rare)
    import numpy as np  # only long texts pay for it

    there = np.zeros(sys.maxunicode + 1, np.bool_)
    there[np.frombuffer(rare.encode("utf-32-le", "surrogatepass"), np.uint32)] = True
    return set(map(chr, np.flatnonzero(there).tolist()))


def _collapsed(plain: str, blanks: Set[str] = frozenset(_BLANKS)) -> str:
    """Text with single spaces for white space, of which it holds these kinds, and none at its ends."""
    for blank in blanks:
        plain = plain.replace(blank, " ")
    for _ in range(3):
        if "  " not in plain:
            return plain.strip()
        plain = plain.replace("  ", " ")
    return " ".join(plain.split())
