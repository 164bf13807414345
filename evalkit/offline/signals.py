"""What in a customer's message speaks for handing it to a person, and to which team."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Signal:
    """A family of phrases; `weight` is how much one of them speaks for a handoff, 0 to 1."""

    name: str
    team: str
    weight: float
    phrases: re.Pattern[str]


def _signal(name: str, team: str, weight: float, *phrases: str) -> Signal:
    return Signal(name, team, weight, re.compile(rf"\b(?:{'|'.join(phrases)})", re.IGNORECASE))


# Written from what support desks everywhere hand off, not from any suite's tickets. Order settles ties of weight.
SIGNALS = (
    _signal(
        "harm to a person",
        "trust",
        1.0,
        r"suicid|self[- ]harm|kill (?:my|him|her|them)sel|(?:hurt|harm)(?:ing)? my ?self|end (?:it all|my life)",
        r"(?:want|wish) to die|don'?t want to (?:live|be here|go on)",
    ),
    _signal(
        "taken over",
        "trust",
        0.9,
        r"hacked|compromised|hijack|phish|stolen|unauthori[sz]ed|gehackt",
        r"someone (?:else )?(?:has |is )?(?:logged|changed|using|got)|(?:wasn'?t|not|isn'?t) me\b",
        r"did ?n[o']t (?:make|change|request|authori[sz]e)",
    ),
    _signal(
        "law",
        "trust",
        0.9,
        r"lawyer|attorney|solicitor|legal|sue\b|lawsuit|court|small claims|cease and desist|anwalt|abogado",
        r"copyright|dmca|infring",
    ),
    _signal("press", "trust", 0.8, r"journalist|reporter|newspaper|the press\b|regulator|trading standards|ombudsman"),
    _signal(
        "privacy",
        "trust",
        0.8,
        r"gdpr|ccpa|dsgvo|right to be forgotten|personal data",
        r"(?:delete|erase|remove)(?: \w+){0,3} (?:data|account|information|history)",
    ),
    _signal(
        "disputed payment",
        "billing",
        0.9,
        r"charge ?-?backs?|disput|fraud|scam|(?:my|the) (?:bank|card (?:issuer|company))",
        r"(?:reverse|reversing|stop|block) (?:the |this |that )?(?:payment|charge)",
    ),
    _signal(
        "charged wrongly",
        "billing",
        0.5,
        r"(?:charged|billed|paid) (?:me )?(?:twice|double|again|two times|3 times|three times)",
        r"double[- ]?(?:charg|bill)|overcharg|wrong amount|doppelt abgebucht",
    ),
    _signal("payment provider", "billing", 0.4, r"visa\b|mastercard|amex|american express|paypal|klarna"),
    _signal("money back", "billing", 0.3, r"refund|reimburs|(?:take|get|claim|claw|pull|want|give)\b.{0,40}\bback\b"),
    _signal("moderation", "community", 0.6, r"(?:un)?banned|(?:un)?ban\b|muted|kicked|harass|bull(?:y|ied)|moderator"),
    _signal(
        "fault in the product",
        "dev",
        0.5,
        r"bugs?\b|error (?:code )?\d{3}|5\d\d error|crash|exception|stack ?trace|corrupt",
        r"(?:white|blank) (?:page|screen)|(?:keeps|kept) (?:failing|spinning|looping)",
    ),
    _signal(
        "asks for a person",
        "billing",
        0.6,
        r"(?:speak|talk|chat|get) (?:to|with) (?:an? |some |the )?(?:real |actual |human |live )?"
        r"(?:human|person|agent|one|manager|supervisor|representative)",
        r"real (?:human|person)|human (?:support|agent|being)",
    ),
    _signal("anger", "billing", 0.2, r"unacceptable|ridiculous|furious|disgust|worst|last (?:time|chance|warning)"),
)
