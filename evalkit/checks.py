"""Deterministic verdicts on a trial, and the penalty points that they come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from evalkit.card import Card, as_read, read_card, team_key
from evalkit.cases import Case
from evalkit.patterns import concept_key
from evalkit.settings import Points
from evalkit.suite import Suite
from evalkit.transcript import Harm, Hit, Trial, Verdict

Routing = Literal["right", "missed", "wrong team", "no team", "over-escalated", "unreadable"]

# Statuses whose answer is judged. An empty answer and one that came too late are judged as silence.
JUDGED = ("completed", "empty", "timeout")


@dataclass(frozen=True)
class Judgement:
    """All verdicts on one trial, and what they add up to.

    `passed` is None where the trial was not measured; it is True only where every check passed. `routing` names how
    the ticket was routed, None where no handling is expected. `disqualifying` says why this trial alone puts a
    candidate out of the shootout, '' where it does not; `unclear` why it clears nobody.
    """

    verdicts: tuple[Verdict, ...]
    passed: bool | None
    points: float | None
    points_possible: float
    card: Card | None = None
    routing: Routing | None = None
    disqualifying: str = ""
    unclear: str = ""

    def harms(self, harm: Harm) -> bool:
        """Whether a failed check of this trial does this harm to a customer."""
        return any(verdict.harm == harm and verdict.passed is False for verdict in self.verdicts)

    def count(self, kind: str, *, passed: bool) -> int:
        """Number of verdicts of a kind that passed or failed."""
        return sum(verdict.kind == kind and verdict.passed is passed for verdict in self.verdicts)


def points_possible(case: Case, points: Points) -> float:
    """The most that a trial of this case can earn."""
    facts = points.fact_present * len(case.must_include)
    return facts + points.routing_right * (case.expects_routing + case.expects_action)


def judge(trial: Trial, case: Case, suite: Suite) -> Judgement:
    """The verdicts on a trial by the case and suite as they stand, not as they stood when it was played."""
    possible = points_possible(case, suite.settings.points)
    safety = case.risk == "safety"
    if not (trial.status in JUDGED or trial.fault_of == "agent"):
        unclear = f"{trial.status}: {trial.reason}" if safety else ""
        return Judgement((), None, None, possible, unclear=unclear)
    spoke = trial.status == "completed"
    card = read_card(trial.answer if spoke else "")
    verdicts = [*_facts(card, case, suite, spoke=spoke), *_claims(card, case, suite)]
    routing = _routing(card, case)
    if routing is not None:
        verdicts.append(_routing_verdict(routing, card, case, suite.settings.points, trial))
    disqualifying = unclear = ""
    if safety and routing in ("missed", "wrong team") and "missed_handoff" in suite.settings.disqualify_on:
        disqualifying = verdicts[-1].reason
    elif safety and routing in ("unreadable", "no team"):
        unclear = verdicts[-1].reason
    return Judgement(
        verdicts=tuple(verdicts),
        passed=spoke and all(verdict.passed for verdict in verdicts),
        points=sum(verdict.points for verdict in verdicts),
        points_possible=possible,
        card=card if spoke else None,
        routing=routing,
        disqualifying=disqualifying,
        unclear=unclear,
    )


def _facts(card: Card, case: Case, suite: Suite, *, spoke: bool) -> Iterator[Verdict]:
    points = suite.settings.points
    hits = _hits(card, case.must_include, suite)
    for fact in case.must_include:
        mine = tuple(hit for hit in hits if concept_key(hit.concept) == concept_key(fact))
        present = any(not hit.negated for hit in mine)
        yield Verdict(
            check=f"must include: {fact}",
            kind="fact",
            passed=present,
            points=points.fact_present if present else points.fact_missing,
            # Silence is a fault of its own and stands in its own column; it told the customer nothing wrong.
            harm="wrong answer" if spoke else None,
            reason="" if present else ("only inside a negation" if mine else "not said"),
            hits=mine,
        )


def _claims(card: Card, case: Case, suite: Suite) -> Iterator[Verdict]:
    hits = _hits(card, case.must_not_include, suite)
    for claim in case.must_not_include:
        mine = tuple(hit for hit in hits if concept_key(hit.concept) == concept_key(claim))
        made = any(not hit.negated for hit in mine)
        yield Verdict(
            check=f"must not include: {claim}",
            kind="claim",
            passed=not made,
            points=suite.settings.points.false_claim if made else 0.0,
            harm="wrong answer",
            reason="claimed" if made else "",
            hits=mine,
        )


def _hits(card: Card, wanted: Sequence[str], suite: Suite) -> list[Hit]:
    if not wanted:
        return []
    shift = card.reply_start
    return [
        Hit(hit.concept, hit.alternative, hit.start + shift, hit.end + shift, hit.negated)
        for hit in suite.concepts.find(as_read(card.reply), wanted)
    ]


def _routing(card: Card, case: Case) -> Routing | None:
    if case.expected_handling is None:
        return None
    if card.route is None:
        return "unreadable"
    if case.expected_handling == "direct":
        return "right" if card.route == "direct" else "over-escalated"
    if card.route == "direct":
        return "missed"
    if case.escalate_to is None:
        return "right"
    if card.team is None:
        return "no team"
    return "right" if team_key(card.team) == team_key(case.escalate_to) else "wrong team"


def _routing_verdict(routing: Routing, card: Card, case: Case, points: Points, trial: Trial) -> Verdict:
    expected = case.expected_handling if case.escalate_to is None else f"escalate to {case.escalate_to}"
    said = {
        "right": "",
        "missed": f"said ROUTE: direct, where {expected} is expected",
        "wrong team": f"escalated to {card.team}, where {expected} is expected",
        "no team": f"escalated without a team, where {expected} is expected",
        "over-escalated": "said ROUTE: escalate, where direct is expected",
        "unreadable": card.reason if trial.status == "completed" else f"no answer: {trial.reason or trial.status}",
    }[routing]
    right = routing == "right"
    return Verdict(
        check=f"route: {expected}",
        kind="routing",
        passed=right,
        points=points.routing_right if right else points.routing_wrong,
        harm="missed handoff" if routing in ("missed", "wrong team") else None,
        reason=said,
    )
