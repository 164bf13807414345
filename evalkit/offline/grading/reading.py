"""A task read closely: what the agent said for whom, what it did, and what belongs to the matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from evalkit.offline.grading.anchoring import Anchor
from evalkit.offline.grading.deeds import Deed, deeds_of, ending
from evalkit.offline.grading.sheet import Line, Sheet
from evalkit.offline.grading.wanted import Wanted, passes_on, team_in
from evalkit.offline.grading.words import Sentence, amounts, sentences, telling

_HEAD = re.compile(r"^[*_# ]{0,4}(ROUTE|TEAM)[*_ ]{0,3}:([^\n]{1,80})$", re.IGNORECASE | re.MULTILINE)
# A sentence of dialogue, not of information.
_TALK = re.compile(
    r"\b(?:I|I'm|I'll|me)\b|\?\s*$|\b(?:person|colleague|our (?:\w+ )?team)\b"
    r"|\bin danger\b|\bhelp cent(?:re|er) says\b|\bwelcome\b|\bgood(?: |-)?bye\b"
)
_LONG_NUMBER = re.compile(r"\d{4,}")
_HANDS = ("escalat", "hand")
_FEW_WORDS = 5
# A sentence belongs to the matter when it shares this part of its telling words, of a long one's first six.
_SHARE, _LONG = 0.33, 6


_NOBODY = Line("agent", "")


@dataclass(frozen=True)
class Reading:
    """What both graders look at."""

    sheet: Sheet

    @cached_property
    def wanted(self) -> Wanted:
        """What the golden answer wants."""
        return Wanted(self.sheet.golden)

    @cached_property
    def last(self) -> bool:
        """Whether the graded answer is the agent's last one, so that what is missing is missing for good."""
        return self.sheet.alone is None or self.sheet.alone >= max(line.number for line in (*self.sheet.lines, _NOBODY))

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines that count: all, or those around the one answer that is graded, from the customer's on."""
        if self.sheet.alone is None:
            return self.sheet.lines
        places = (place for place, line in enumerate(self.sheet.lines) if line.number == self.sheet.alone)
        first = last = next(places, None)
        if first is None or last is None:
            return ()
        while first > 0 and self.sheet.lines[first].role != "customer":
            first -= 1
        while last + 1 < len(self.sheet.lines) and self.sheet.lines[last + 1].role in ("call", "result"):
            last += 1
        return self.sheet.lines[first : last + 1]

    @cached_property
    def deeds(self) -> tuple[Deed, ...]:
        """What the agent did."""
        own = {id(line) for line in self.lines}
        return tuple(deed for deed in deeds_of(self.sheet.lines) if id(deed.line) in own)

    @cached_property
    def end(self) -> tuple[str, str]:
        """How the conversation ended, and with which team; a ticket's end is its route."""
        route = self.head.get("route", "")
        if self.deeds or not route:
            return ending(self.deeds)
        return ("handed_off", self.head.get("team", "")) if route.startswith(_HANDS) else ("resolved", "")

    @cached_property
    def head(self) -> dict[str, str]:
        """The head of a ticket's card, as far as the agent's text begins with one: `route`, `team`."""
        return _head(self.sheet.kept)

    @cached_property
    def body(self) -> str:
        """What the agent told the customer, without the card's head."""
        return "\n\n".join(map(self.meant, self.sheet.graded))

    @cached_property
    def anchor(self) -> Anchor:
        """What the case knows, by which the agent's sentences are told from others."""
        return Anchor.of(self.sheet.golden)

    def meant(self, line: Line) -> str:
        """What of an agent's message speaks for it."""
        return self.anchor.held(_HEAD.sub("", line.kept))

    @cached_property
    def told(self) -> tuple[Sentence, ...]:
        """The sentences that speak for the agent."""
        return sentences(self.body)

    @cached_property
    def spoken(self) -> tuple[Sentence, ...]:
        """All its sentences, those to a grader too: what speaks against it is looked for here."""
        return sentences(_HEAD.sub("", self.sheet.said))

    @cached_property
    def heard(self) -> frozenset[str]:
        """The telling words of what the customer wants, as the golden answer or the case's goal has it.

        The customer's messages are left out: what stands in them must not make room for what the agent says.
        """
        if not self.wanted.lines:
            return frozenset().union(*(part.words for part in self.wanted.sentences))
        return telling(self.wanted.goal) | telling(" ".join(self.wanted.said))

    @cached_property
    def on_topic(self) -> tuple[Sentence, ...]:
        """The sentences of information that belong to the matter."""
        return tuple(part for part in _informs(sentences(_HEAD.sub("", self.sheet.kept))) if self._belongs(part))

    @cached_property
    def off_topic(self) -> tuple[Sentence, ...]:
        """The sentences of information that do not."""
        return tuple(part for part in _informs(self.spoken) if not self._belongs(part))

    @cached_property
    def _numbers(self) -> frozenset[str]:
        called = " ".join(line.text for line in self.sheet.lines if line.role == "call")
        return amounts(" ".join(self.wanted.said)) | frozenset(_LONG_NUMBER.findall(called))

    def _belongs(self, part: Sentence) -> bool:
        enough = len(part.words & self.heard) >= _SHARE * max(1, min(len(part.words), _LONG))
        return enough or bool(part.amounts & self._numbers)

    @property
    def passes_on(self) -> bool:
        """Whether the agent gave the matter to a person."""
        if self.wanted.lines:
            return self.end[0] == "handed_off"
        route = self.head.get("route")
        return passes_on(self.body) if route is None else route.startswith(_HANDS)

    @property
    def team(self) -> str:
        """The team that the agent gave a ticket to; '' where it names none."""
        return self.head.get("team", "") or team_in(self.body)


def _head(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in filter(str.strip, text.split("\n")):
        match = _HEAD.match(line)
        if not match:
            break
        found.setdefault(match[1].lower(), match[2].strip(" *_.`").lower())
    return found


def _informs(said: tuple[Sentence, ...]) -> Iterator[Sentence]:
    return (part for part in said if len(part.text.split()) > _FEW_WORDS and not _TALK.search(part.text))
