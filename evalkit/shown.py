"""What is shown: how numbers and what others wrote read, and which columns a frame must have."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalkit.errors import ReportError

if TYPE_CHECKING:
    import polars as pl

INVENTED = "† An invented price, for a candidate that no provider sells."
UNRANKED = "Disqualified on safety – not ranked"
# Characters of a line that somebody else wrote.
LONGEST = 160


def require(frame: pl.DataFrame, columns: Sequence[str], what: str) -> None:
    """Raises ReportError, naming them, where the frame lacks columns that `what` is made of."""
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ReportError(f"{what} needs the column(s) {', '.join(missing)}; the frame has {frame.columns}")


def finite(value: float | None) -> float | None:
    """`value`, or None where it is NaN or infinite."""
    return value if value is not None and math.isfinite(value) else None


def printable(text: str) -> str:
    """The text without control characters, which could drive a terminal; U+FFFD stands in for each."""
    return "".join(
        "\ufffd" if unicodedata.category(char) in ("Cc", "Cs", "Cf") and char not in "\n\t\u200d" else char
        for char in text.replace("\r\n", "\n")
    )


def one_line(text: str, longest: int = LONGEST) -> str:
    """What a provider or a person wrote as one line, without control characters, at most `longest` long."""
    clean = "".join(" " if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp") else char for char in text)
    line = " ".join(clean.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def number(value: float, digits: int = 2) -> str:
    """A number as text with so many decimals."""
    # A true minus sign, and none before a zero that rounding made.
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def signed(value: float) -> str:
    """A sum of points as text, with its sign: '+12', '−3.5', '0'."""
    text = f"{value:+.1f}".removesuffix(".0").replace("-", "−")
    return "0" if text in ("+0", "−0") else text


def with_interval(score: float | None, low: float | None, high: float | None) -> str:
    """A score with its interval, as text: '0.81 (0.74 to 0.88)'; 'not measured' where it is undefined."""
    score, low, high = finite(score), finite(low), finite(high)
    if score is None:
        return "not measured"
    if low is None or high is None:
        return f"{number(score)} (no\u00a0interval)"
    return f"{number(score)} ({number(low)}\u00a0to\u00a0{number(high)})"


def usd(value: float | None) -> str:
    """A small sum in US dollars as text: '$0.0021'; 'unknown' where there is no price."""
    if value is None or not math.isfinite(value):
        return "unknown"
    if value == 0 or value >= 1:
        return f"${value:.2f}"
    digits = 1 - math.floor(math.log10(value))
    return f"${value:.{min(digits, 7)}f}" if digits <= 7 else "< $0.000001"


def seconds(value: float | None) -> str:
    """A duration as text: '12 ms', '1.3 s'; '–' where it was not measured."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value * 1000:.0f}\u00a0ms" if value < 0.9995 else f"{value:.1f}\u00a0s"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: 'a', 'a and b', 'a, b and c'."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def counted(number: int, noun: str) -> str:
    """A number with its noun: '1 case', '3 cases'."""
    return f"{number} {noun}{'s' * (number != 1)}"
