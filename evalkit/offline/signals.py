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
    _signal("harm to a person", "trust", 1.0, r"suicid", r"kill (?:my|him|her|them)sel", r"(?:hurt|harm)(?:ing)? my ?self",
            r"self[- ]harm", r"end (?:it all|my life)", r"(?:want|wish) to die", r"don'?t want to (?:live|be here|go on)"),
    _signal("taken over", "trust", 0.9, r"hacked", r"compromised", r"hijack", r"phish", r"stolen", r"someone (?:else )?(?:has |is )?"
            r"(?:logged|changed|using|got)", r"(?:wasn'?t|not|isn'?t) me\b", r"did ?n[o']t (?:make|change|request|authori[sz]e)",
            r"unauthori[sz]ed", r"gehackt"),
    _signal("law", "trust", 0.9, r"lawyer", r"attorney", r"solicitor", r"legal", r"sue\b", r"lawsuit", r"court", r"small claims",
            r"cease and desist", r"copyright", r"dmca", r"infring", r"anwalt", r"abogado"),
    _signal("press", "trust", 0.8, r"journalist", r"reporter", r"newspaper", r"the press\b", r"regulator", r"trading standards",
            r"ombudsman"),
    _signal("privacy", "trust", 0.8, r"gdpr", r"ccpa", r"(?:delete|erase|remove)(?: \w+){0,3} (?:data|account|information|history)",
            r"right to be forgotten", r"personal data", r"dsgvo"),
    _signal("disputed payment", "billing", 0.9, r"charge ?-?backs?", r"disput", r"fraud", r"(?:my|the) (?:bank|card (?:issuer|company))",
            r"(?:reverse|reversing|stop|block) (?:the |this |that )?(?:payment|charge)", r"scam"),
    _signal("charged wrongly", "billing", 0.5, r"(?:charged|billed|paid) (?:me )?(?:twice|double|again|two times|3 times|three times)",
            r"double[- ]?(?:charg|bill)", r"overcharg", r"wrong amount", r"doppelt abgebucht"),
    _signal("payment provider", "billing", 0.4, r"visa\b", r"mastercard", r"amex", r"american express", r"paypal", r"klarna"),
    _signal("money back", "billing", 0.3, r"refund", r"reimburs", r"(?:take|get|claim|claw|pull|want|give)\b.{0,40}\bback\b"),
    _signal("moderation", "community", 0.6, r"(?:un)?banned", r"(?:un)?ban\b", r"muted", r"kicked", r"harass", r"bull(?:y|ied)",
            r"moderator"),
    _signal("fault in the product", "dev", 0.5, r"bugs?\b", r"error (?:code )?\d{3}", r"\b5\d\d error", r"crash", r"exception",
            r"stack ?trace", r"(?:white|blank) (?:page|screen)", r"(?:keeps|kept) (?:failing|spinning|looping)", r"corrupt"),
    _signal("asks for a person", "billing", 0.6, r"(?:speak|talk|chat|get) (?:to|with) (?:a|an|some|the) ?(?:real |actual |human |live )?"
            r"(?:human|person|agent|one|manager|supervisor|representative)", r"real (?:human|person)", r"human (?:support|agent|being)"),
    _signal("anger", "billing", 0.2, r"unacceptable", r"ridiculous", r"furious", r"disgust", r"worst", r"last (?:time|chance|warning)"),
)  # fmt: skip
