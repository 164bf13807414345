"""Which words of a customer are a matter for a person, in a conversation whose tools can look things up."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from evalkit.folding import fold
from evalkit.offline.agent import Manner
from evalkit.offline.intents import orders_in
from evalkit.offline.signal import Signal, signal
from evalkit.offline.signals import SIGNALS

# Whoever can look up an order and refund it judges these by the record, not by the words.
_BY_RECORD = frozenset({"money back", "much money back", "charged wrongly", "payment provider"})
_NO_ORDER = "paid and nothing came"
_PLEA = re.compile(r"\b(?:an?|the|one|any) (?:\w+ )?exception\b", re.IGNORECASE)
_DANGER = "harm to a person"
# What people say in a chat, and seldom in a ticket.
_MORE = (
    signal(
        "law",
        "trust",
        0.9,
        r"(?:my|a|the|our|with|to|of) (?:lawyer|solicitor|attorney)(?! by (?:trade|profession))",
        r"small claims",
    ),
    signal(
        "taken over",
        "trust",
        0.9,
        r"(?:stranger|somebody|someone|intruder)(?: else)?(?: \S+){0,6} (?:in|into|of|from|inside|chang\w+|"
        r"spen[dt]) (?:\S+ ){0,3}(?:account|email|credits)",
        r"log-?ins? (?:from|in|at)\b(?: \S+){0,12} (?:asleep|not me|never|did not|didn'?t)",
    ),
    signal(
        "harm to a person",
        "trust",
        1.0,
        r"(?:counted|saved up|collected|swallow\w*|took all) (?:\S+ ){0,3}pills|pills (?:\S+ ){0,2}(?:counted|ready|"
        r"lie|lined)",
        r"(?:nobody|no one)(?: is)? left who|after (?:today|tonight|tomorrow|\w+day) (?:there is|there'?s) nobody",
    ),
    signal(
        "paid and nothing came",
        "dev",
        0.7,
        r"no order (?:ever |has |number |at all )?(?:showed|shown|anywhere|appeared|came|exists)",
    ),
    signal(
        "fault that has a code",
        "dev",
        0.8,
        r"(?:ended|ends|stopped|stops|fails?|failed|says|box|message|spite) (?:\S+ ){0,5}[\"']?[a-z]{1,4}-?\d{3,}\b",
        r"(?:members|colleagues|people|others|users|friends) (?:\S+ ){0,3}(?:see|saw|meet|met|get|got|"
        r"have) (?:\S+ ){0,2}same",
    ),
    signal("personal data", "trust", 0.9, r"dados pessoais|apag\w+(?: \S+){0,6} dados|copy of (?:all )?(?:\S+ )?data"),
    signal(
        "disputed payment",
        "billing",
        0.9,
        r"charge ?-?back|(?:card company|bank|paypal)(?: \S+){0,8} (?:form|dispute|claim|revers\w+|pull|case)",
        r"(?:form|dispute|claim|case)(?: \S+){0,5} (?:card company|bank|paypal)",
    ),
)


def danger(said: Sequence[str]) -> bool:
    """Whether somebody may come to harm, by anything that the customer said."""
    return any(sign.name == _DANGER for text in said for sign in _signals(text))


def matter(said: Sequence[str], manner: Manner, known: bool) -> tuple[str, str] | None:
    """The team and the reason of a handoff that the customer's words call for; None where they call for none.

    `known` says that the customer wants something that a tool can do; then faint signs are left to the record.
    """
    found = {sign for text in said for sign in _signals(text)}
    found = {sign for sign in found if sign.name not in _BY_RECORD and (not known or sign.weight >= 0.5)}
    if any(orders_in(text) for text in said):
        found = {sign for sign in found if sign.name != _NO_ORDER}
    # Two lists may know one sign; it is one doubt.
    weights = {sign.name: max(each.weight for each in found if each.name == sign.name) for sign in found}
    strength = 1 - math.prod(1 - weight for weight in weights.values())
    if not found or strength < manner.escalate_at:
        return None
    strongest = max((sign for sign in (*SIGNALS, *_MORE) if sign in found), key=lambda sign: sign.weight)
    return strongest.team, strongest.name


@lru_cache(maxsize=8192)
def _signals(text: str) -> tuple[Signal, ...]:
    # Who begs for an exception reports no fault.
    folded = _PLEA.sub(" ", fold(text).text)
    return tuple(sign for sign in (*SIGNALS, *_MORE) if sign.stands_in(folded))
