"""Texts and single characters, folded."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from operator import itemgetter

from evalkit.folding.characters import (
    _BLANKS,
    _FEW,
    _FIXED,
    _GROWS,
    _INVISIBLE,
    _LONG_DASH,
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
