"""What a prompt states of refunds: the limit, the window, today's date, and what happens outside of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_MONEY = re.compile(r"\$ ?(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?) ?(?:US dollars|dollars|USD)", re.IGNORECASE)
_BOUND = re.compile(r"limit|over|above|more than|up to|at most|beyond|exceed|maximum|within", re.IGNORECASE)
_DAYS = re.compile(
    r"(?:at most|within|up to|in the|the first|no more than) (\d{1,3}|seven|ten|fourteen|thirty) (?:calendar )?days?\b",
    re.IGNORECASE,
)
_BUYING = re.compile(r"\border|refund|purchase|payment|bought", re.IGNORECASE)
_NUMBERS = {"seven": 7, "ten": 10, "fourteen": 14, "thirty": 30}
_TODAY = re.compile(
    r"\btoday\W+(?:is\W+|date\W+|\w+day\W+){0,3}(\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]+ \d{4})", re.IGNORECASE
)
_PASS_ON = re.compile(
    r"hand[_ -]?(?:off|over|it|them|to|that)|pass(?:ed)? (?:it |them |that )?(?:on|to)|escalate|a person|billing",
    re.IGNORECASE,
)
_REFUSE = re.compile(r"refus|declin|no refund|not refund|never refund|cannot be refunded|say no", re.IGNORECASE)
_OUTSIDE = re.compile(
    r"outside|after (?:that|the|\d)|later|older|window|too late|downloaded|renewal|(?:every|any|all) (?:other|else)",
    re.IGNORECASE,
)
# What a record must show as untouched, and what alone is paid back.
_UNTOUCHED = re.compile(r"`(\w+)` is (?:false|empty|no\b|0)", re.IGNORECASE)
_ONLY = {"first payment": r"first payment", "pledge": r"presale|pledge"}
_FOREIGN = re.compile(
    r"(?:another|other|someone else|somebody else|different|not (?:theirs|the customer))", re.IGNORECASE
)
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = _MONTH_NAMES.split()
_HELP = "# Help-centre articles"


@dataclass(frozen=True)
class Policy:
    """The rules of a prompt; None where it states none. `passes_on`: what it hands off, out of 'outside', 'foreign'."""

    limit: float | None = None
    days: int | None = None
    today: date | None = None
    untouched: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()
    passes_on: frozenset[str] = frozenset()
    crisis: str = ""
    data_days: str = ""


@lru_cache(maxsize=256)
def policy_of(prompt: str) -> Policy:
    """The rules that stand in a prompt; what its articles say counts for nothing."""
    own, _, _ = prompt.partition(_HELP)
    # A list of conditions belongs to the line that opens it.
    own = re.sub(r"(?<=:)\n+(?=- )", " ", own)
    refunds = [s for s in _SENTENCE.split(own) if re.search(r"refund|money", s, re.IGNORECASE)]
    sums = [float((m[1] or m[2]).replace(",", "")) for s in refunds if _BOUND.search(s) for m in _MONEY.finditer(s)]
    days = [
        _NUMBERS.get(m[1].lower()) or int(m[1])
        for s in _SENTENCE.split(own)
        if _BUYING.search(s)
        for m in _DAYS.finditer(s)
    ]
    told = " ".join(refunds)
    touched = {name for s in _SENTENCE.split(own) for name in _UNTOUCHED.findall(s)}
    if not touched and re.search(r"download", told, re.IGNORECASE):
        touched = {"downloaded", "downloads", "download_count"}
    outside = [
        s for s in _SENTENCE.split(own) if _OUTSIDE.search(s) and re.search(r"refund|window|money", s, re.IGNORECASE)
    ]
    foreign = [
        s for s in _SENTENCE.split(own) if _FOREIGN.search(s) and re.search(r"order|record|account", s, re.IGNORECASE)
    ]
    passes = {
        name
        for name, found in (("outside", outside), ("foreign", foreign))
        if any(_PASS_ON.search(s) for s in found) and not any(_REFUSE.search(s) for s in found)
    }
    day = _TODAY.search(own)
    data = re.search(r"personal data\b[^.\n]{0,90}within (\d+ days)", own, re.IGNORECASE)
    line = re.search(r"988[^.\n)]*|116 123[^.\n)]*", own)
    return Policy(
        limit=min(sums, default=None),
        days=min(days, default=None),
        today=day_of(day[1]) if day else None,
        untouched=frozenset(touched),
        only=frozenset(name for name, words in _ONLY.items() if re.search(words, told, re.IGNORECASE)),
        passes_on=frozenset(passes),
        data_days=data[1] if data else "",
        crisis=line[0].strip() if line else "",
    )


def day_of(text: Any) -> date | None:
    """The day that a text names as 2026-11-16 or 16 November 2026; None where it names none."""
    found = re.search(r"(\d{4})-(\d\d)-(\d\d)|(\d{1,2}) ([A-Za-z]+) (\d{4})", str(text))
    if not found or (found[5] and found[5].lower() not in _MONTHS):
        return None
    try:
        if found[1]:
            return date(int(found[1]), int(found[2]), int(found[3]))
        return date(int(found[6]), _MONTHS.index(found[5].lower()) + 1, int(found[4]))
    except ValueError:
        return None


def field(record: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that a record holds, else one whose name begins so; None where it holds none."""
    for name in names:
        if name in record:
            return record[name]
    return next((value for name in names for key, value in record.items() if key.startswith(name)), None)


def number(value: Any) -> float | None:
    """A sum as a number, '1,093.34' too; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(str(value).replace(",", "").strip("$ ").removesuffix("USD").strip())
    except ValueError:
        return None


def objection(record: Mapping[str, Any], policy: Policy) -> str:
    """Why the prompt's rules give no refund for this order, in words for the customer; '' where they do."""
    status = str(field(record, "status") or "").lower()
    paid, back = number(field(record, "total", "amount", "price", "paid")) or 0.0, _back(record)
    if "refunded" in status or (back and back >= paid):
        return "it was refunded already"
    bought = day_of(field(record, "date", "ordered", "placed", "paid_on", "purchased", "bought", "charged", "created"))
    if policy.days is not None and policy.today and bought and (policy.today - bought).days > policy.days:
        return f"it is older than the {policy.days} days of our refund window"
    if any(
        str(record.get(name) or "no").lower() not in ("no", "never", "false", "0", "[]") for name in policy.untouched
    ):
        return "its files were downloaded already"
    bought_what = " ".join(str(record.get(name) or "") for name in ("kind", "type", "items", "item")).lower()
    if policy.only and bought_what.strip() and not any(_fits(name, bought_what) for name in policy.only):
        return "it is not one of the payments that can be refunded here"
    return ""


def _fits(name: str, bought: str) -> bool:
    if name == "first payment":
        return "membership" in bought and "renewal" not in bought
    return re.search(_ONLY[name], bought) is not None


def left_of(record: Mapping[str, Any]) -> float | None:
    """What of an order's price has not been paid back; None where it names no price."""
    paid = number(field(record, "total", "amount", "price", "paid"))
    return None if paid is None else round(paid - _back(record), 2)


def _back(record: Mapping[str, Any]) -> float:
    return number(field(record, "refunded", "refunded_usd", "refund_total")) or 0.0
