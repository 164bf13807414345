"""What was asked beside what was answered: a ticket, or of a conversation what decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalkit.cards import brief
from evalkit.cases import Case
from evalkit.checks import Judgement
from evalkit.checks.said import PlacedHit
from evalkit.marks import deciding_line
from evalkit.suite import Suite
from evalkit.talk import Called, Said, decided, is_conversation, last_words, opening, spoken
from evalkit.transcript import Hit, Trial

# Characters of a tool's result that stand below its call.
MAX_RESULT = 600


@dataclass(frozen=True)
class Offending:
    """What disqualified a candidate, as a card shows it; the keywords are those of `cards.disqualifying_answer`."""

    subject: str
    body: str
    answer: str
    route: tuple[int, int] | None
    hits: tuple[Hit, ...]
    asked: str = "The customer wrote"
    answered: str = "The candidate answered"


def as_answered(case: Case, trial: Trial, tag: str = "") -> tuple[str, str]:
    """The subject and the text that a trial answered; of a conversation the customer's goal and first words.

    The suite as it stands may hold another text than the one that was answered; then all that was sent is the text.
    `tag` is the suite's eval-mode tag.
    """
    if is_conversation(case, trial):
        return case.goal or "", opening(trial.asked, tag)[1]
    ticket = case.ticket
    if ticket is not None and ticket.body.strip() in trial.asked:
        return ticket.subject, ticket.body
    return "", trial.asked


def offending(case: Case, trial: Trial, judgement: Judgement, suite: Suite) -> Offending:
    """The answer that disqualified; of a conversation the turn or the call that did, below the customer's goal."""
    tag = suite.settings.eval_mode_tag
    subject, body = as_answered(case, trial, tag)
    if not is_conversation(case, trial):
        hits = tuple(hit for verdict in judgement.verdicts for hit in verdict.hits)
        return Offending(subject, body, trial.answer, deciding_line(judgement), hits)
    said = [*spoken(trial)]
    found = decided(judgement, trial, suite)
    if found is None:
        found = next((each for each in said if each.place == last_words(trial)), None)
    if found is None:
        return Offending(subject, body, "", None, (), asked="The customer wanted")
    body = _heard(said, found.place, tag)
    if isinstance(found, Called):
        result = f"\n→ {brief(found.result, MAX_RESULT)}" if found.result is not None else ""
        answered, answer, hits = f"On turn {found.turn} the candidate called", f"{found.words}{result}", ()
    else:
        answered, answer = f"On turn {found.turn} the candidate said", found.text
        hits = tuple(
            hit
            for verdict in judgement.verdicts
            for hit in verdict.hits
            if isinstance(hit, PlacedHit) and hit.message == found.place
        )
    return Offending(subject, body, answer, None, hits, asked="The customer wanted", answered=answered)


def _heard(said: Sequence[Said | Called], place: int, tag: str) -> str:
    """What the customer had said before a place, a paragraph a turn: what had to be heeded may stand in any."""
    turns = [each for each in said if isinstance(each, Said) and each.who == "customer" and each.place < place]
    words = [opening(each.text, tag)[1] if number == 0 else each.text for number, each in enumerate(turns)]
    return "\n\n".join(f"Turn {each.turn}: {text}" for each, text in zip(turns, words, strict=True))
