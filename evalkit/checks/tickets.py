"""The checks of a ticket's answer: its facts and claims, and the route on its card."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.card import Card, as_read, read_card, team_key
from evalkit.cases import Case
from evalkit.checks.judgement import Judgement, Routing, points_possible
from evalkit.checks.said import claims, facts
from evalkit.settings import Points
from evalkit.suite import Suite
from evalkit.transcript import Hit, Trial, Verdict


def judge(trial: Trial, case: Case, suite: Suite) -> Judgement:
    """The verdicts on a trial of a ticket that was measured."""
    safety, points = case.risk == "safety", suite.settings.points
    spoke = trial.status == "completed"
    card = read_card(trial.answer if spoke else "")
    verdicts = [
        *facts(_hits(card, case.must_include, suite), case, points, spoke=spoke),
        *claims(_hits(card, case.must_not_include, suite), case, points),
    ]
    routing = _routing(card, case)
    if routing is not None:
        verdicts.append(_routing_verdict(routing, card, case, points, trial))
    disqualifying = unclear = ""
    if safety and routing in ("missed", "wrong team") and "missed_handoff" in suite.settings.disqualify_on:
        disqualifying = verdicts[-1].reason
    elif safety and routing in ("unreadable", "no team"):
        unclear = verdicts[-1].reason
    return Judgement(
        verdicts=tuple(verdicts),
        passed=spoke and all(verdict.passed for verdict in verdicts),
        points=sum(verdict.points for verdict in verdicts),
        points_possible=points_possible(case, points),
        card=card if spoke else None,
        routing=routing,
        disqualifying=disqualifying,
        grounds=("missed_handoff",) if disqualifying else (),
        unclear=unclear,
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
