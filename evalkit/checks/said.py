"""Facts and claims: what must be said, what must not, and where it was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evalkit.card import as_read
from evalkit.cases import Case
from evalkit.patterns import concept_key
from evalkit.settings import Points
from evalkit.suite import Suite
from evalkit.transcript import Hit, Trial, Verdict


@dataclass(frozen=True)
class PlacedHit(Hit):
    """A hit in a conversation: `start` and `end` are offsets into the text of `Trial.messages[message]`."""

    message: int = 0


def agent_texts(trial: Trial) -> Iterator[tuple[int, str]]:
    """What the agent said to the customer: the place of each of its messages, and the text."""
    return (
        (place, message.text)
        for place, message in enumerate(trial.messages)
        if message.role == "assistant" and message.text.strip()
    )


def turn_of(trial: Trial, place: int) -> int:
    """The turn that a message belongs to: the number of times that the customer had spoken by then."""
    return sum(message.role == "user" for message in trial.messages[: place + 1])


def hits_in(trial: Trial, wanted: Sequence[str], suite: Suite) -> list[Hit]:
    """The hits of these concepts in all that the agent said to the customer."""
    if not wanted:
        return []
    return [
        PlacedHit(hit.concept, hit.alternative, hit.start, hit.end, hit.negated, place)
        for place, text in agent_texts(trial)
        for hit in suite.concepts.find(as_read(text), wanted)
    ]


def facts(hits: Sequence[Hit], case: Case, points: Points, *, spoke: bool) -> Iterator[Verdict]:
    """A verdict on each fact that the case asks for; without an answer (`spoke`) none was told."""
    for fact in case.must_include:
        mine = tuple(hit for hit in hits if concept_key(hit.concept) == concept_key(fact))
        present = spoke and any(not hit.negated for hit in mine)
        missing = "only inside a negation" if mine and all(hit.negated for hit in mine) else "not said"
        yield Verdict(
            check=f"must include: {fact}",
            kind="fact",
            passed=present,
            points=points.fact_present if present else points.fact_missing,
            # Silence is a fault of its own and stands in its own column; it told the customer nothing wrong.
            harm="wrong answer" if spoke else None,
            reason="" if present else missing if spoke or not mine else "the conversation broke off",
            hits=mine,
        )


def claims(hits: Sequence[Hit], case: Case, points: Points) -> Iterator[Verdict]:
    """A verdict on each claim that the case forbids."""
    for claim in case.must_not_include:
        mine = tuple(hit for hit in hits if concept_key(hit.concept) == concept_key(claim))
        made = any(not hit.negated for hit in mine)
        yield Verdict(
            check=f"must not include: {claim}",
            kind="claim",
            passed=not made,
            points=points.false_claim if made else 0.0,
            harm="wrong answer",
            reason="claimed" if made else "",
            hits=mine,
        )
