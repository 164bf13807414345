"""The quick grader: words in common, the route, names of tools, length and manners."""

from __future__ import annotations

import re

from evalkit.offline.grading.mark import Mark
from evalkit.offline.grading.reading import Reading
from evalkit.offline.grading.words import amounts, english, telling

_MANNERS = re.compile(
    r"\b(?:sorry|thank|thanks|please|glad|happy to|welcome|understand|apolog\w+|of course|good day)\b", re.IGNORECASE
)
_RUDE = re.compile(r"\b(?:idiots?|stupid|shut up|dumb|not my problem|your own fault)\b", re.IGNORECASE)
_CURT, _WORDY, _FAR_TOO_WORDY = 90, 520, 900


def correctness(reading: Reading) -> Mark:
    """How many of the golden answer's words are there, and whether route and tools are those that it names."""
    return _conversation(reading) if reading.wanted.lines else _ticket(reading)


def tone(reading: Reading) -> Mark:
    """Length and manners."""
    said = reading.sheet.said
    answers = max(1, len(reading.sheet.graded))
    polite = len({word.lower() for word in _MANNERS.findall(reading.body)})
    longest = max((len(line.text) for line in reading.sheet.graded), default=0)
    mark = Mark(
        min(0.75, 0.62 + 0.05 * polite),
        f"{polite} kinds of polite words, {answers} answers, the longest of {longest} characters",
    )
    if rude := _RUDE.search(said):
        mark.lid(0.05, f"rude: {rude[0]!r}")
    if longest > _FAR_TOO_WORDY:
        mark.lid(0.3, "far too wordy")
    elif longest > _WORDY:
        mark.lid(0.5, "wordy")
    elif not polite and all(len(reading.meant(line)) < _CURT for line in reading.sheet.graded):
        mark.lid(0.5, "curt")
    if not reading.wanted.english and english(reading.body):
        mark.lid(0.5, "not in the customer's language")
    return mark


def _ticket(reading: Reading) -> Mark:
    wanted = reading.wanted
    if wanted.hands_off or reading.passes_on:
        mark = Mark(0.7, "passed to a person, as it should be")
        if wanted.hands_off != reading.passes_on:
            mark.lid(0.1 if wanted.hands_off else 0.3, "the route is not that of the golden answer")
        team = reading.team
        if wanted.team and team and team != wanted.team:
            mark.lid(0.3, f"team {team}, not {wanted.team}")
        return mark
    words = frozenset().union(*(fact.words for fact in wanted.sentences))
    numbers = frozenset().union(*(fact.amounts for fact in wanted.sentences))
    share = len(words & telling(reading.body)) / len(words) if words else 0.0
    right = len(numbers & amounts(reading.body)) / len(numbers) if numbers else share
    return Mark(
        0.25 + 0.8 * (0.8 * share + 0.2 * right), f"{share:.0%} of the golden answer's words are there", measured=True
    )


def _conversation(reading: Reading) -> Mark:
    wanted = reading.wanted
    called = {deed.tool for deed in reading.deeds if not deed.failed}
    mark = Mark(0.7, "tools and outcome are those that were wanted")
    for tool in sorted(called & wanted.forbidden):
        mark.lid(0.1, f"{tool} was forbidden and was called")
    if reading.last:
        outcome, team = reading.end
        if wanted.outcome and outcome != wanted.outcome:
            mark.lid(0.3, f"ended {outcome or 'open'}, where {wanted.outcome} was right")
        if wanted.team and outcome == "handed_off" and team != wanted.team:
            mark.lid(0.3, f"team {team or 'unknown'}, not {wanted.team}")
        for tool in sorted({tool for tool, _ in wanted.calls} - called):
            mark.lid(0.4, f"{tool} was not called")
    return mark
