"""One row of a flat file: its columns, and what may stand in each."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evalkit.transcript import STATUSES
from evalkit.written import NAME

# A completed trial of which the source says neither that it passed nor that it failed.
UNSCORED = "unscored"
_TRUE, _FALSE = ("true", "1", "yes", "pass"), ("false", "0", "no", "fail")
_NAME = re.compile(NAME.removesuffix("$") + r"\Z")
_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]*)?([eE][-+]?[0-9]{1,3})?|\.[0-9]+([eE][-+]?[0-9]{1,3})?", re.ASCII)
_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True)
class Row:
    """One imported trial as its source tells it; None where it does not. `line` is the row's first.

    Of `COLUMNS`, stratum, must_pass, route_expected and risk are the case's, the others the trial's.
    """

    line: int
    candidate: str
    case: str
    trial: int
    passed: bool | None
    stratum: str | None = None
    must_pass: bool | None = None
    route_expected: str | None = None
    route_actual: str | None = None
    risk: str | None = None
    usd: float | None = None
    seconds: float | None = None
    status: str | None = None


def empty(value: Any) -> bool:
    """Whether a cell says nothing."""
    return value is None or (isinstance(value, str) and not value.strip())


def short(value: Any) -> str:
    """A value as messages show it."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 60 else text[:57] + "…"


def _text(value: Any) -> str:
    if isinstance(value, (dict, list)):
        raise ValueError("is nested; a text, a number, true or false is needed")
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _name(longest: int) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        text = _text(value)
        if isinstance(value, (bool, float)):
            raise ValueError(f"a name is needed, not {short(value)}")
        if len(text) > longest:
            raise ValueError(f"is longer than {longest} characters")
        if not _NAME.match(text) or any("\ud800" <= char <= "\udfff" for char in text):
            raise ValueError("holds a character that is no text")
        return text

    return read


def _truth(value: Any) -> bool:
    word = _text(value).casefold()
    if isinstance(value, float) or word not in _TRUE + _FALSE:
        raise ValueError(f"is {short(value)}; write true or false (or 1 or 0, yes or no, pass or fail)")
    return word in _TRUE


def _passed(value: Any) -> bool:
    try:
        return _truth(value)
    except ValueError as error:
        if isinstance(value, (dict, list)):
            raise
        raise ValueError(f"{error}; a trial without a verdict has an empty cell and a status") from None


def _route(value: Any) -> str:
    word = _text(value).casefold()
    # A source often says whether a person took over.
    found = {"true": "escalate", "false": "direct"}.get(word, word)
    if found not in ("direct", "escalate"):
        raise ValueError(f"is {short(value)}; write direct or escalate (or, of a handoff, true or false)")
    return found


def _one_of(*words: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        word = _text(value).casefold()
        if word not in words:
            raise ValueError(f"is {short(value)}; write {', '.join(words[:-1])} or {words[-1]}")
        return word

    return read


def _trial(value: Any) -> int:
    if isinstance(value, (bool, float)) or not _WHOLE.fullmatch(_text(value)):
        raise ValueError(f"is {short(value)}; write a whole number from 0 on")
    return int(_text(value))


def _amount(value: Any) -> float:
    text = _text(value)
    if isinstance(value, bool) or not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        comma = "; write 0.5, not 0,5" if re.fullmatch(r"[0-9]+,[0-9]+", text) else ""
        raise ValueError(f"is {short(value)}; a finite number from 0 on is needed{comma}")
    return float(text)


# The columns of a flat file, in the order in which they are written: those that it must have come first.
COLUMNS: dict[str, Callable[[Any], Any]] = {
    "candidate": _name(200),
    "case": _name(500),
    "trial": _trial,
    "passed": _passed,
    "stratum": _name(200),
    "must_pass": _truth,
    "route_expected": _route,
    "route_actual": _route,
    "risk": _one_of("normal", "safety"),
    "usd": _amount,
    "seconds": _amount,
    "status": _one_of(*STATUSES, UNSCORED),
}
REQUIRED = ("candidate", "case", "trial", "passed")
OF_THE_CASE = ("stratum", "must_pass", "route_expected", "risk")
