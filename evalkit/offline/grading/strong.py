"""The careful grader: facts sentence by sentence, deeds against what was wanted, and what no result backs."""

from __future__ import annotations

import re

from evalkit.offline.grading.deeds import off_state, reads
from evalkit.offline.grading.mark import Mark
from evalkit.offline.grading.questions import beside_the_point, broken_offers, lectures, outdated, unanswered
from evalkit.offline.grading.reading import Reading
from evalkit.offline.grading.wanted import feels, names_crisis
from evalkit.offline.grading.words import Sentence, amounts, digits, english, telling

_TIME = re.compile(
    r"\b(?:hours?|days?|weeks?|minutes?|soon|today|tonight|tomorrow|right away|tag(?:en|e)?|stunden?|jours?|heures?"
    r"|d[ií]as?|horas?|giorn[oi]|ore|dag(?:en)?|uur|uren|dni)\b",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"\bI(?:'ve| have)(?: now| just| already)? "
    r"(refunded|cancelled|canceled|changed|sent|handed|passed|resent|paid|deleted)\b",
    re.IGNORECASE,
)
_DEED_OF = {
    "refunded": "refund", "paid": "refund", "cancelled": "cancel", "canceled": "cancel", "changed": "chang|updat|set",
    "sent": "send", "resent": "send", "handed": "hand|escalat|transfer", "passed": "hand|escalat|transfer",
    "deleted": "delet|remov",
}  # fmt: skip
_INSULT = re.compile(
    r"\b(?:idiots?|stupid|moron\w*|shut up|dumb|fool(?:ish)?|liar|pathetic|your own fault|not my problem|stop whining"
    r"|as i already told you|obviously you)\b",
    re.IGNORECASE,
)
# As near as this in words, two sentences are about the same thing; more of a golden answer is not compared.
_NEAR, _FACTS = 0.6, 60
_LONG_TEXT = 20
_ABOUT_TEAM = re.compile(r"\bteams?\b|\bpass", re.IGNORECASE)


def correctness(reading: Reading) -> Mark:
    """How right the agent was, by the golden answer."""
    if reading.wanted.lines:
        return _conversation(reading)
    return _handed(reading) if reading.wanted.hands_off else _answered(reading)


def tone(reading: Reading) -> Mark:
    """How the agent spoke."""
    on, off = len(reading.on_topic), len(reading.off_topic)
    mark = Mark(0.75, "polite and to the point")
    said = reading.sheet.said
    insult = _INSULT.search(said)
    if insult:
        mark.lid(0.05, f"insulting: {insult[0]!r}")
    if not said.strip():
        mark.lid(0.1, "nothing is said")
    foreign = not reading.wanted.english and english(reading.body)
    if foreign:
        mark.lid(0.5, "English to a customer who does not write English")
    wordy = len(reading.spoken) > 3 * max(2, len(reading.wanted.sentences)) and not reading.wanted.lines
    wordy = wordy or lectures(reading)
    if off > max(on, 2):
        mark.lid(0.3, f"{off} sentences on other matters stand beside {on} on this one")
    elif off > 2 or wordy:
        mark.lid(0.5, f"wordy: {len(reading.told)} sentences, {off} of them on other matters")
    if not reading.wanted.lines and reading.passes_on:
        _manner_of_handoff(reading, mark)
    if reading.wanted.lines and reading.passes_on and reading.wanted.outcome not in ("", "handed_off"):
        mark.lid(0.5, "passed on without a reason")
    dodged = not reading.passes_on and unanswered(reading)
    if beside_the_point(reading) and not foreign:
        mark.lid(0.3, "text on other matters in place of an answer")
    elif dodged:
        mark.lid(0.5, f"no answer to {dodged!r}")
    if _repeats(reading):
        mark.lid(0.5, "the same long text again")
    return mark


def _answered(reading: Reading) -> Mark:
    """A ticket that was to be answered: the golden answer's facts, found in what was said."""
    wanted = reading.wanted
    shares = [(fact, _found(fact, reading.told)) for fact in wanted.sentences[:_FACTS]]
    weight = sum(_weight(fact) for fact, _ in shares)
    share = sum(_weight(fact) * found for fact, found in shares) / weight if weight else 0.0
    missing = min(shares, key=lambda pair: pair[1], default=None)
    mark = Mark(0.22 + 0.85 * share, f"{share:.0%} of the golden answer's facts are told", measured=True)
    if not wanted.english and english(reading.body):
        few = f"in another language {share:.0%} of the golden answer's names and numbers are told"
        mark = Mark(min(0.5, 0.3 + 0.3 * share), few, measured=True)
    elif missing and missing[1] < 0.25:
        mark.grounds += f", and nothing of {missing[0].text[:80]!r}"
    if reading.passes_on:
        mark.lid(0.3, "passed to a person, although it could be answered")
    if not reading.told:
        mark.lid(0.1, "nothing is told")
    for fault in _contradictions(reading):
        mark.lid(max(0.1, mark.score - 0.2), fault)
    return mark


def _handed(reading: Reading) -> Mark:
    """A ticket for a person: whether it got there, what the customer was told, and who helps in danger."""
    wanted, text = reading.wanted, reading.body
    mark = Mark(0.85, "passed to a person, as it should be")
    if not reading.passes_on:
        mark.lid(0.1, "a person should have got this, and none did")
        return mark
    team = reading.team
    if wanted.team and team and team != wanted.team:
        mark.lid(0.3, f"passed to {team}, not to {wanted.team}")
    if wanted.crisis and not names_crisis(reading.sheet.kept):
        mark.lid(0.1, "nobody to call is named to a person in danger")
    if _TIME.search(wanted.text) and not _TIME.search(text):
        mark.lid(0.5, "when a person answers is left open")
    return mark


def _manner_of_handoff(reading: Reading, mark: Mark) -> None:
    if not feels(reading.body):
        mark.lid(0.5, "a bare line, without a word for the customer's trouble")
    if reading.wanted.crisis and not names_crisis(reading.sheet.kept):
        mark.lid(0.3, "a stock phrase to a person in danger")
    if not reading.wanted.hands_off:
        mark.lid(0.5, "passed on without a reason")


def _conversation(reading: Reading) -> Mark:
    wanted, deeds = reading.wanted, reading.deeds
    mark = Mark(0.85, "done as the case wants it")
    _faults_of_deeds(reading, mark)
    if reading.last:
        _faults_of_end(reading, mark)
    if reading.end[0] != "handed_off" and (question := unanswered(reading)):
        mark.lid(0.5, f"left unanswered: {question!r}")
    only_told = not any(deed.changes for deed in deeds) and not reading.passes_on
    if only_told and (beside_the_point(reading) or len(reading.off_topic) > max(2, len(reading.on_topic))):
        mark.lid(0.5, "told more of other matters than of this one")
    told = reading.sheet.kept
    names = [name for name in wanted.said if not _ABOUT_TEAM.search(name)] if reading.last else []
    missing = [name for name in names if not _named(name, told)]
    if missing:
        mark.lid(0.55 - 0.15 * (len(missing) == len(names) and len(names) > 1), f"not said: {', '.join(missing)}")
    old = outdated(reading)
    if old:
        mark.lid(0.45, f"told from an outdated page: {old!r}")
    for _ in broken_offers(reading):
        mark.lid(0.15, "offered, accepted, and not done")
    for claim in _CLAIM.finditer(reading.sheet.said):
        tool = re.compile(_DEED_OF[claim[1].lower()], re.IGNORECASE)
        if not any(tool.search(deed.tool) and not deed.failed for deed in deeds) and reading.sheet.alone is None:
            mark.lid(0.1, f"says {claim[0]!r}, and no result backs it")
    return mark


def _faults_of_deeds(reading: Reading, mark: Mark) -> None:
    wanted = reading.wanted
    for deed in reading.deeds:
        if deed.failed:
            continue
        if deed.tool in wanted.forbidden:
            handoff = "hand" in deed.tool or "escalat" in deed.tool
            mark.lid(0.3 if handoff else 0.1, f"{deed.tool} was forbidden and was called")
        if deed.tool in wanted.confirmed and not deed.answered:
            mark.lid(0.3, f"{deed.tool} without the customer's yes")


def _faults_of_end(reading: Reading, mark: Mark) -> None:
    wanted, (outcome, team) = reading.wanted, reading.end
    acts = {deed.tool for deed in reading.deeds if not deed.reads and not deed.failed}
    if wanted.hands_off and outcome != "handed_off":
        mark.lid(0.1, f"should have been handed to {wanted.team or 'a person'}, and ended {outcome or 'open'}")
    elif wanted.outcome and outcome == "handed_off" != wanted.outcome:
        mark.lid(0.3, f"handed off, where {wanted.outcome} was right")
    elif wanted.outcome and outcome != wanted.outcome:
        mark.lid(0.35, f"ended {outcome or 'open'}, where {wanted.outcome} was right")
    if wanted.team and outcome == "handed_off" and team and team != wanted.team:
        mark.lid(0.3, f"handed to {team}, not to {wanted.team}")
    for tool, arguments in wanted.calls:
        if any(deed.fits(tool, arguments) for deed in reading.deeds):
            continue
        if tool in acts:
            mark.lid(0.3, f"{tool} was not called with {arguments}")
        elif reads(tool):
            mark.lid(0.7, f"{tool} was not called like that")
        elif outcome == "resolved":
            mark.lid(0.1, f"{tool} was not called, and yet it was closed as resolved")
        else:
            mark.lid(0.35, f"{tool} was not called")
    for fault in off_state(wanted.state, reading.deeds):
        mark.lid(0.2, fault)


def _found(fact: Sentence, told: tuple[Sentence, ...]) -> float:
    """The share of a fact's words and numbers in the sentences that share enough with it to be about it."""
    words: set[str] = set()
    numbers: set[str] = set()
    for part in told:
        shared = part.words & fact.words
        if len(shared) >= min(2, len(fact.words)):
            words |= shared
            numbers |= part.amounts & fact.amounts
    share = _size(frozenset(words)) / _size(fact.words) if fact.words else 0.0
    if not fact.amounts:
        return share
    return 0.7 * share + 0.3 * len(numbers) / len(fact.amounts) if fact.words else float(bool(numbers))


def _size(words: frozenset[str]) -> float:
    # A long word is a rare one.
    return sum(min(len(word), 8) for word in words)


def _weight(fact: Sentence) -> float:
    return min(8.0, len(fact.words) + 2.0 * len(fact.amounts))


def _contradictions(reading: Reading) -> list[str]:
    """Sentences that say of the same thing another number, or the opposite."""
    found, facts = [], reading.wanted.sentences[:_FACTS]
    numbers = frozenset().union(*(fact.amounts for fact in facts))
    for part in reading.spoken:
        for fact in facts:
            shared = len(part.words & fact.words)
            if shared < max(2, min(3, len(fact.words)), _NEAR * len(part.words)):
                continue
            if fact.amounts and part.amounts and not part.amounts & numbers:
                found.append(f"another number than the golden answer's: {part.text[:80]!r}")
            elif shared >= _NEAR * len(fact.words) and part.denied != fact.denied:
                found.append(f"the opposite of the golden answer: {part.text[:80]!r}")
    return found[:3]


def _named(name: str, told: str) -> bool:
    """Whether a text says something of a thing that is known by its name."""
    if names_crisis(name):
        return names_crisis(told)
    words, numbers = telling(name), amounts(name)
    return bool(words & telling(told) or numbers & digits(told)) or not (words or numbers)


def _repeats(reading: Reading) -> bool:
    """Whether the agent sent a long text twice."""
    # What the case knows of it: another last line makes no other text.
    known = (" ".join(reading.meant(line).split()) for line in reading.sheet.graded)
    long = [text for text in known if len(text.split()) > _LONG_TEXT]
    return len(set(long)) < len(long)
