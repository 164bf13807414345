"""Texts searched for values whatever spaces, case and separators stand in them, in linear time."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from evalkit.checks.endstate import number
from evalkit.folding import fold

# A value of fewer letters and digits says nothing.
SHORTEST = 4
# So many characters that are neither letter nor digit may stand between two of a value's own.
GAP = 6
# Letters before a number are a word of their own: PLM90002 is the order 90002. One letter is a part of it.
_RUN = re.compile(r"[^\W\d_]{2,}(?=\d)|[^\W_]+")
_AMOUNT = re.compile(
    r"(?<![^\W_])(?<!\d[.,])(?:[1-9]\d{0,2}(?:,\d{3})+|\d{1,30})(?:[.,]\d{1,2})?(?![^\W_]|[.,]\d)", re.ASCII
)
_MONEY_BEFORE = re.compile(r"[$€£¥]\s?$|(?:usd|eur|gbp)\s?$", re.IGNORECASE)
_MONEY_BEHIND = re.compile(r"\s?(?:[$€£¥]|(?:usd|eur|gbp|dollars?|euros?|pounds?)\b)", re.IGNORECASE)


@dataclass(frozen=True)
class Value:
    """What is looked for: letters and digits alone (`text`, '' where none), or an amount, by its value."""

    text: str
    amount: Decimal | None = None


def value_of(leaf: Any) -> Value | None:
    """A field's value as it is looked for; None where it is too short to say anything, or no text or number.

    Whole numbers are looked for as they are written, and by value; others by value alone.
    """
    if isinstance(leaf, bool) or not isinstance(leaf, str | int | float):
        return None
    text = "".join(_plain(run) for run in _RUN.findall(fold(str(leaf)).text))
    amount = None if isinstance(leaf, str) else number(leaf)
    if len(text) < SHORTEST or isinstance(leaf, float):
        # An amount, however small, is told by the currency beside it.
        return None if amount is None else Value("", amount)
    return Value(text, amount)


def _plain(run: str) -> str:
    """A run of letters and digits in lower case, its digits as 0 to 9."""
    if run.isascii():
        return run.lower()
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in run.casefold())


class Searched:
    """A text that is searched for values, read once."""

    def __init__(self, text: str) -> None:
        self._folded = fold(text)
        self._spans = [found.span() for found in _RUN.finditer(self._folded.text)]
        runs = [_plain(self._folded.text[start:end]) for start, end in self._spans]
        self._joined = "".join(runs)
        self._starts: list[int] = []
        self._ends: dict[int, int] = {}  # where a run ends in the joined text, and its number
        at = 0
        for place, run in enumerate(runs):
            self._starts.append(at)
            at += len(run)
            self._ends[at] = place

    def find(self, value: Value) -> list[tuple[int, int]]:
        """Where the value was said, in the text as it was written.

        No letter or digit stands directly before or behind it. An amount that is written without cents counts from
        four digits on, or with a currency beside it.
        """
        spans = [*self._runs(value), *(span for span, clear in self._amounts.get(value.amount, ()) if clear)]
        return [self._folded.original(*span) for span in dict.fromkeys(spans)]

    def holds(self, value: Value) -> bool:
        """Whether the value stands in the text at all, an amount with or without its cents."""
        return value.amount in self._amounts or any(True for _ in self._runs(value))

    def _runs(self, value: Value) -> Iterator[tuple[int, int]]:
        size, at = len(value.text), self._joined.find(value.text) if value.text else -1
        while at >= 0:
            first = bisect_left(self._starts, at)
            begins = first < len(self._starts) and self._starts[first] == at
            last = self._ends.get(at + size) if begins else None
            if last is not None and self._is_near(first, last) and not self._is_part(value, first, last):
                yield self._spans[first][0], self._spans[last][1]
                first = last
            following = first + 1 if begins else first
            if following >= len(self._starts):
                return
            at = self._joined.find(value.text, self._starts[following])

    def _is_near(self, first: int, last: int) -> bool:
        gaps = (self._spans[place + 1][0] - self._spans[place][1] for place in range(first, last))
        return all(gap <= GAP for gap in gaps)

    def _is_part(self, value: Value, first: int, last: int) -> bool:
        """Whether a number is a piece of a longer one, as 1093 is of 1093.34."""
        if value.amount is None:
            return False
        text, (start, _), (_, end) = self._folded.text, self._spans[first], self._spans[last]
        behind = text[end : end + 1] in (".", ",") and text[end + 1 : end + 2].isdigit()
        before = text[start - 1 : start] in (".", ",") and text[max(0, start - 2) : start - 1].isdigit()
        return behind or before

    @cached_property
    def _amounts(self) -> dict[Decimal | None, list[tuple[tuple[int, int], bool]]]:
        """Each amount in the text with its places, and whether it is clear there that it is one."""
        found: dict[Decimal | None, list[tuple[tuple[int, int], bool]]] = {}
        text = self._folded.text
        for match in _AMOUNT.finditer(text):
            start, end = match.span()
            said = match[0]
            if re.search(r",\d{1,2}$", said):
                said = f"{said[:-3]}.{said[-2:]}" if said[-3] == "," else f"{said[:-2]}.{said[-1]}"
            money = _MONEY_BEFORE.search(text, max(0, start - 4), start) or _MONEY_BEHIND.match(text, end)
            clear = bool(money) or sum(char.isdigit() for char in said) >= SHORTEST
            found.setdefault(Decimal(said.replace(",", "")), []).append(((start, end), clear))
        return found
