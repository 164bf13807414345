"""Text in the cells of a spreadsheet: no formula, no control character, none too long; and back again."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from evalkit.grading.turns import Turn

# Excel cuts a cell at 32,767 UTF-16 units without a word; one is kept for the apostrophe, the rest is for neatness.
MAX_CELL = 32_000
_CUT = "\n\n[… {count:,} characters are left out here …]\n\n"
_HEADS = {"customer": "CUSTOMER", "agent": "AGENT", "call": "CALL", "result": "RESULT"}

# What a spreadsheet may take for the beginning of a formula or of a command, behind anything that it skips.
_SKIPPED = r"\s\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\"'`´‘’‚‛“”„‟«»‹›＂＇"
_STARTS = r"=+\-@|%\t\r\n＝＋－＠｜％﹢﹣﹦﹫﹪⁼⁺⁻₌₊₋−‐‑‒–—―➕➖"
_FORMULA = re.compile(rf"[{_SKIPPED}]*?[{_STARTS}]")


def defused(text: str) -> str:
    """The text as a cell that no spreadsheet runs: behind an apostrophe where it begins like a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def restored(cell: str) -> str:
    """The text that `defused` made a cell of.

    Example: `restored(defused("=1+1")) == "=1+1"`.
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell


def same(cell: str, text: str) -> bool:
    """Whether a cell that comes back from a spreadsheet still holds `text`.

    Spreadsheets change line ends, drop white space at the ends, and some the apostrophe that defuses.
    """
    return _core(cell) == _core(text)


def cleaned(text: str) -> str:
    """The text without control and format characters, which could hide or reorder words; U+FFFD stands for each."""
    lines = "\n".join(text.splitlines()) if text else ""
    return "".join(
        "\ufffd" if unicodedata.category(char) in ("Cc", "Cf", "Cs") and char not in "\n\t\u200d" else char
        for char in lines
    )


def bounded(text: str) -> str:
    """The text, cut in its middle where a cell could not hold it, with a mark that says so."""
    if _units(text) <= MAX_CELL:
        return text
    room = (MAX_CELL - 100) // 2
    head, tail = _fitting(text, room), _fitting(text[::-1], room)[::-1]
    return head + _CUT.format(count=len(text) - len(head) - len(tail)) + tail


def readable(turns: Sequence[Turn]) -> str:
    """What was said and done as text for people: a head for each turn, and its words indented below.

    No words can look like the head of a turn, since each of their lines is indented.
    """
    return "\n\n".join(f"{_head(turn)}\n{_indented(turn.text)}" for turn in turns)


def shown(text: str) -> str:
    """A text as a cell holds it: cleaned, then bounded."""
    return bounded(cleaned(text))


def _head(turn: Turn) -> str:
    return f"{_HEADS[turn.role]} {' '.join(cleaned(turn.tool).split())}".rstrip()


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in cleaned(text).split("\n")) or "  "


def _core(text: str) -> str:
    plain = restored(text).replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(line.rstrip() for line in plain.lstrip("'").strip().split("\n"))


def _units(text: str) -> int:
    return len(text) + sum(char > "\uffff" for char in text)


def _fitting(text: str, units: int) -> str:
    """As much of the beginning of a text as fits."""
    cut = text[:units]
    while _units(cut) > units:
        cut = cut[: len(cut) - (_units(cut) - units)]
    return cut
