"""What became of a conversation's questions and offers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise, takewhile

from evalkit.offline.grading.deeds import consent, read, reads
from evalkit.offline.grading.reading import Reading
from evalkit.offline.grading.sheet import Line
from evalkit.offline.grading.words import english, sentences, telling

_CLAUSE = re.compile(r"[^.!?\n]+[.!?]?")
# Asked for the sake of the talk.
_MORE = re.compile(
    r"\b(?:more about|tell me more|a little more|is there more|anything else|(?:what|how) about)\b", re.IGNORECASE
)
_EVADES = re.compile(
    r"\bno more on that\b|\bthat is all (?:that )?(?:our|the|i)\b|\bsays? nothing (?:about|on)\b|\bcould not find\b"
    r"|\bcannot tell you\b|\b(?:do not|don't) know\b|\bno information\b",
    re.IGNORECASE,
)
_OFFERS = re.compile(r"\b(?:shall|should) i\b|\b(?:do you want|would you like) me to\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:updated|published|last changed|as of|\d{1,2} \w+)\D{0,20}(20\d\d)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SHORT, _MANY = 20, 5
_ABOUT, _LONG = 0.2, 6


def unanswered(reading: Reading) -> str:
    """The customer's last question, where the agent's next message says nothing of it; '' where it does."""
    last, known = "", reading.heard | telling(" ".join(line.text for line in reading.lines if line.role == "call"))
    for asked, said in _exchanges(reading.lines) if reading.wanted.lines else ():
        for question in _CLAUSE.findall(asked.kept):
            words = telling(question) if question.endswith("?") else frozenset()
            # A question that the case does not know is no matter of the customer's: it may be meant for a grader.
            if not words & known or _MORE.search(question):
                continue
            deaf = english(question) and not _answers(words, said)
            last = " ".join(question.split())[:80] if deaf or _EVADES.search(said.text) else ""
    return last


def _answers(asked: frozenset[str], said: Line) -> bool:
    """Whether a sentence of a message is about what was asked, by enough of its words."""
    return any(
        len(part.words & asked) >= _ABOUT * min(len(part.words), _LONG) for part in sentences(said.kept) if part.words
    )


def beside_the_point(reading: Reading) -> bool:
    """Whether a message of the agent's in a conversation informs, and of nothing that the customer is after."""
    if not reading.wanted.lines:
        return False
    off = {part.text for part in reading.off_topic}
    on = {part.text for part in reading.on_topic}
    for line in reading.sheet.graded:
        parts = set(_SENTENCE.split(line.text))
        if parts & off and not parts & on:
            return True
    return False


def lectures(reading: Reading) -> bool:
    """Whether a message in a conversation holds more sentences of information than anybody reads in a chat."""
    if not reading.wanted.lines:
        return False
    facts = {part.text for part in (*reading.on_topic, *reading.off_topic)}
    return any(sum(part in facts for part in _SENTENCE.split(line.text)) > _MANY for line in reading.sheet.graded)


def broken_offers(reading: Reading) -> Iterator[str]:
    """The offers that a customer took, and after which nothing was done."""
    lines = reading.lines
    talk = [(place, line) for place, line in enumerate(lines) if line.role in ("agent", "customer")]
    for (_, first), (place, second), (then, third) in zip(talk, talk[1:], talk[2:], strict=False):
        taken = first.role == "agent" and _OFFERS.search(first.text) and second.role == "customer"
        if taken and third.role == "agent" and consent(second) and not _OFFERS.search(reading.meant(third)):
            # A message may carry its calls with it, and then they stand behind it.
            behind = takewhile(lambda line: line.role != "customer", lines[then + 1 :])
            done = {line.tool for line in (*lines[place + 1 : then], *behind) if line.role == "call"}
            if all(map(reads, done)):
                yield first.text[:80]


def outdated(reading: Reading) -> str:
    """A sentence that the agent took from a page that is older by a year than the newest it was given; '' for none."""
    pages = [page for line in reading.lines if line.role == "result" for page in _pages(line)]
    newest = max((year for _, year in pages), default=0)
    old = {
        part for text, year in pages if 0 < year < newest - 1 for part in _SENTENCE.split(text) if len(part) > _SHORT
    }
    fresh = {part for text, year in pages if year >= newest - 1 for part in _SENTENCE.split(text)}
    for line in reading.sheet.graded if old else ():
        for part in _SENTENCE.split(line.text):
            if part in old and part not in fresh:
                return part[:80]
    return ""


def _pages(line: Line) -> Iterator[tuple[str, int]]:
    found = read(line.text)
    for page in found if isinstance(found, list) else ():
        if isinstance(page, Mapping) and isinstance(page.get("text"), str):
            years = _YEAR.search(page["text"][:200])
            yield page["text"], int(years[1]) if years else 0


def _exchanges(lines: tuple[Line, ...]) -> Iterator[tuple[Line, Line]]:
    talk = [line for line in lines if line.role in ("agent", "customer")]
    for first, second in pairwise(talk):
        if first.role == "customer" and second.role == "agent":
            yield first, second
