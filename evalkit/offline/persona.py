"""What a persona's text tells of how a customer speaks: temper, patience, and words of its own."""

from __future__ import annotations

import re

from evalkit.offline.intents import says_yes
from evalkit.offline.voice import due, quotes

_INSISTS = re.compile(
    r"insist|repeat|demand|push|press|persist|stubborn|not (?:take|accept)|refuses? to accept|argu|furious|angry|"
    r"anger|aggress|threat|give up|keeps|again|impatien",
    re.IGNORECASE,
)
_YIELDS = re.compile(
    r"accepts?\b|easy-?going|relaxed|patient\b|shy|gives? in|content with|understanding", re.IGNORECASE
)
_CROSS = re.compile(r"angry|furious|annoyed|rude|irritated|upset|fed up|impatient|aggressive", re.IGNORECASE)
_LOST = re.compile(r"confus|unsure|elderly|lost\b|not good with|anxious|nervous|rambl", re.IGNORECASE)
# Where the things that a persona does part.
_CLAUSE = re.compile(r"(?<=[.;!])\s+|,\s+(?:and |but |who )?|\s+and (?=\w+s\b)|\n+")
_SPOKEN = re.compile(
    r"(?:(?:who|she|he|they|also|politely|falsely|wrongly|always|often|then)\s+)*((?:says(?! (?:yes|no|sorry|thanks|"
    r"hello|sie|tu)\b)|claims|mentions|threatens|brings up|admits|demands)\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_LATER = re.compile(r"mentions|threatens|brings up|demands", re.IGNORECASE)
_PASTES = re.compile(r"pastes|begins with|opens with|first message|writes|sends|forwards|adds", re.IGNORECASE)
_SOMETIME = re.compile(r"\bwhen\b|\bonce\b|\bif\b|confirm|\bevery\b|\beach\b|asked", re.IGNORECASE)
_PERSON = re.compile(
    r"(?<!not )(?<!never )(?:asks?|wants?|demands?|insists?)(?: (?:to|on)? ?(?:speak|talk|speaking|talking))? (?:to|"
    r"for|with) (?:a |the |some )?(?:real )?(?:person|human|manager|supervisor|superior)",
    re.IGNORECASE,
)
_CONFIRMS = re.compile(r"confirm|go ahead|read back|asked whether|is right|about the", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_SHORT_QUOTE = re.compile(r"[\"“„«]([^\"”“»]{2,40})[\"”“»]")
# A quotation of fewer words is a mannerism, and no message.
_PHRASE = 4


def is_cross(persona: str) -> bool:
    """Whether the customer begins angrily."""
    return _CROSS.search(persona) is not None


def is_lost(persona: str) -> bool:
    """Whether the customer begins with an apology for being confused."""
    return _LOST.search(persona) is not None


def insists(persona: str) -> bool:
    """Whether the customer does not take the first offer."""
    return _INSISTS.search(persona) is not None


def patience(persona: str) -> int:
    """How often the customer presses before it gives up."""
    return 1 if _YIELDS.search(persona) and not insists(persona) else 2


def wants_person(persona: str) -> bool:
    """Whether the customer asks for a person once it has been refused."""
    return _PERSON.search(persona) is not None


def spoken(persona: str, goal: str, *, later: bool) -> list[str]:
    """What the persona has the customer say at some time: claims at once, threats when the agent has answered."""
    found = [_SPOKEN.fullmatch(part.strip().rstrip(".")) for part in _CLAUSE.split(persona)]
    return [
        due(match[1], goal)
        for match in found
        if match and bool(_LATER.match(match[1])) == later and not quotes(match[1])
    ]


def pasted(persona: str) -> list[str]:
    """What the persona has the customer paste or write at the beginning, word for word."""
    parts = [part for part in _SENTENCES.split(persona) if _PASTES.search(part) and not _SOMETIME.search(part)]
    return [quote for part in parts for quote in quotes(part) if len(quote.split()) > _PHRASE]


def own_yes(persona: str) -> tuple[str, ...]:
    """The words that the persona has for a yes; none where it has none of its own."""
    parts = [part for part in _SENTENCES.split(persona) if _CONFIRMS.search(part)]
    said = [quote for part in parts for quote in _SHORT_QUOTE.findall(part) if says_yes(quote)]
    return tuple(quote if quote.endswith((".", "!")) else f"{quote}." for quote in said)
