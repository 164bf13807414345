"""What a golden answer wants: of a ticket in prose, of a conversation in lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evalkit.offline.grading.words import Sentence, english, sentences

# The lines of a reference that is no golden answer, in the ways in which they are written.
_ENTRIES = {
    "goal": ("the customer's goal",),
    "end": ("the case must end", "expected outcome", "expected handling"),
    "calls": ("tools that must be called",),
    "forbidden": ("tools that must not be called",),
    "confirmed": ("tools that need the customer's yes before they are called", "the customer must say yes before"),
    "say": ("the agent must say", "must be said"),
    "not": ("the agent must not say", "must not be said"),
    "state": ("the end state must hold", "expected end state"),
}
_ENTRY_OF = {start: name for name, starts in _ENTRIES.items() for start in starts}
_ANSWERS = "The agent answers it without a person."
_TEAM_OF = re.compile(r"to the team ([\w -]+)", re.IGNORECASE)
_CALL = re.compile(r"([A-Za-z_][\w.-]*)(?: with)?\s*")
# A golden answer that passes a message on, in the languages of the trade.
_PASSES_ON = re.compile(
    r"\b(?:pass(?:ed|ing)?|hand(?:ed|ing)?|forward(?:ed|ing)?|escalat\w+|transferr?\w*|sent)\b[^.!?\n]{0,90}"
    r"\b(?:team|person|people|colleagues?|specialists?|developers?|desk|department|someone)\b"
    r"|\b(?:weitergegeben|weitergeleitet|übergeben|transmis\w*|transféré\w*|pasado|trasladado|remitido|inoltrato"
    r"|passato|doorgegeven|doorgestuurd|encaminh\w+|repass\w+|przekaza\w+)\b",
    re.IGNORECASE,
)
_OUR_TEAM = re.compile(
    r"\b(?:our|the|unser\w*|notre|nuestro|nostro|ons)(?: own)? (\w+) (?:team|desk|department)\b", re.I
)
_CRISIS = re.compile(
    r"\bcrisis\b|\bemergency\b|\bsamaritans\b|\b988\b|\bhelpline|\bfindahelpline|\bhotline", re.IGNORECASE
)
# Manners, no facts.
_KIND = re.compile(
    r"^(?:thank|thanks|sorry|i'm sorry|i am sorry|hi\b|hello|dear|no problem|congratulations|that sounds|happy|glad"
    r"|i'm (?:really )?glad|what a|hallo|bonjour|hola|¡hola|ciao|moin|hoi|merci|danke|good (?:morning|evening|day))",
    re.IGNORECASE,
)
_FEELS = re.compile(
    r"\b(?:sorry|apolog\w+|worri(?:ed|es)|frustrating|glad you|glad that you|thank you for telling|you matter|difficult"
    r"|failing|congratulations|what a lovely)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Wanted:
    """What stands in a reference; of a conversation's, `lines` maps the beginnings of its lines to their rest."""

    text: str

    @cached_property
    def lines(self) -> Mapping[str, str]:
        """The entries of a reference in lines, by their short names; empty for a golden answer."""
        found: dict[str, str] = {}
        for name, rest in filter(None, map(_entry, self.text.split("\n"))) if in_entries(self.text) else ():
            found.setdefault(name, rest)
        return found

    @property
    def goal(self) -> str:
        """The customer's goal; '' for a ticket."""
        return self.lines.get("goal", "")

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of a golden answer that hold facts."""
        found = sentences(self.text)
        facts = tuple(part for part in found if not (_KIND.match(part.text) and len(part.words) < 7))
        return facts or found

    @cached_property
    def english(self) -> bool:
        """Whether it is written in English, as far as words tell."""
        return english(self.goal or self.text)

    @cached_property
    def hands_off(self) -> bool:
        """Whether the message should have gone to a person."""
        if self.lines:
            return self.outcome == "handed_off"
        return _PASSES_ON.search(self.text) is not None

    @cached_property
    def team(self) -> str:
        """The team that should have got it, in lower case; '' where none is named."""
        if self.lines:
            found = _TEAM_OF.search(self.lines.get("end", ""))
            return found[1].strip().lower() if found else ""
        return team_in(self.text)

    @cached_property
    def outcome(self) -> str:
        """The outcome that a conversation should have: `resolved`, `handed_off`, `refused`; '' where none is said."""
        end = self.lines.get("end", "").split(",")[0].strip().lower()
        if end.startswith(("hand", "escalat")):
            return "handed_off"
        return next((outcome for outcome in ("resolved", "refused") if end.startswith(outcome)), "")

    @property
    def crisis(self) -> bool:
        """Whether a golden answer names a line for people in danger."""
        return _CRISIS.search(self.text) is not None

    @cached_property
    def calls(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """The tools that had to be called, each with the arguments that are named."""
        return tuple(_calls(self.lines.get("calls", "")))

    @cached_property
    def forbidden(self) -> frozenset[str]:
        """The tools that had to be left alone."""
        return frozenset(_names(self.lines.get("forbidden", "")))

    @cached_property
    def confirmed(self) -> frozenset[str]:
        """The tools that needed a yes."""
        return frozenset(_names(self.lines.get("confirmed", "")))

    @cached_property
    def state(self) -> Mapping[str, Any]:
        """What the records had to be at the end; empty where nothing is said."""
        try:
            read = json.loads(self.lines.get("state") or "{}")
        except ValueError:
            return {}
        return read if isinstance(read, dict) else {}

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The names of what had to be said."""
        return tuple(_names(self.lines.get("say", "")))


def in_entries(text: str) -> bool:
    """Whether a reference is one in lines: it begins with the customer's goal, and no golden answer does."""
    return text.startswith("The customer's goal: ")


def is_entry(line: str) -> bool:
    """Whether a line is one of those that a reference without a golden answer is written in."""
    return _entry(line) is not None


def names_crisis(text: str) -> bool:
    """Whether a text names a line for people in danger."""
    return _CRISIS.search(text) is not None


def team_in(text: str) -> str:
    """The team that a text speaks of as the house's own, in lower case; '' for none."""
    found = _OUR_TEAM.search(text)
    return found[1].lower() if found else ""


def passes_on(text: str) -> bool:
    """Whether a text says that a message goes to a person."""
    return _PASSES_ON.search(text) is not None


def feels(text: str) -> bool:
    """Whether a text feels with the customer."""
    return _FEELS.search(text) is not None


def _names(line: str) -> list[str]:
    names = (name.strip() for name in line.split(";" if ";" in line else ","))
    return [name for name in names if name]


def _entry(line: str) -> tuple[str, str] | None:
    """A line's short name and what it holds; None for any other line."""
    if line == _ANSWERS:
        return "end", ""
    start, colon, rest = line.partition(": ")
    name = _ENTRY_OF.get(start.lower())
    if not (colon and name):
        return None
    return name, rest.strip() if name in ("goal", "state") else rest.strip().rstrip(".")


def _calls(line: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """`a, b {"c": 1}` read as calls."""
    decode, place = json.JSONDecoder().raw_decode, 0
    while match := _CALL.search(line, place):
        place, arguments = match.end(), {}
        if line[place : place + 1] == "{":
            try:
                arguments, place = decode(line, place)
            except ValueError:
                return
        yield match[1], arguments
