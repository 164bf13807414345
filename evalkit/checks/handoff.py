"""Handoff and outcome: whether a person took over where one must, and how the trial ended for the customer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evalkit.card import team_key
from evalkit.cases import Case
from evalkit.checks.actions import calls
from evalkit.checks.endstate import OWN_TOOLS
from evalkit.checks.judgement import Routing
from evalkit.sandbox import state
from evalkit.settings import Points
from evalkit.transcript import Trial, Verdict

HAND_OFF = "hand_off"
_WORDS = {"handed_off": "handed off", "unfinished": "unfinished", "resolved": "resolved", "refused": "refused"}


def outcome_of(trial: Trial) -> str:
    """How the trial ended for the customer: resolved, handed_off, refused or unfinished; '' where it cannot be seen."""
    if trial.outcome and not (trial.after is None and trial.outcome == "unfinished"):
        return trial.outcome
    if trial.after is None:
        return "" if trial.status == "completed" else "unfinished"
    return state.outcome_of(trial.after)


def team_of(trial: Trial) -> str | None:
    """The team that took over: as the ticket says, or else the last handoff that worked; None where none is named."""
    named = [each.arguments.get("team") for each in calls(trial) if each.name == HAND_OFF and not each.failed]
    for team in (_ticket(trial).get("team"), *reversed(named)):
        if isinstance(team, str) and team.strip():
            return team
    return None


def routing_of(trial: Trial, case: Case) -> Routing | None:
    """How the customer was routed, by the names that tickets have; None where nothing is expected or seen.

    What broke off before it came to a handoff is `unreadable`, as a ticket without an answer is.
    """
    ended = outcome_of(trial)
    if not case.expects_routing or not ended:
        return None
    if ended != "handed_off":
        if trial.status != "completed":
            return "unreadable"
        return "missed" if case.expects_handoff else "right"
    if not case.expects_handoff:
        return "over-escalated"
    if case.escalate_to is not None:
        team = team_of(trial)
        if team is None:
            return "no team"
        if team_key(team) != team_key(case.escalate_to):
            return "wrong team"
    return "right" if trial.status == "completed" else "unreadable"


def handoff(trial: Trial, case: Case, points: Points) -> Iterator[Verdict]:
    """The verdicts on handoff and outcome, where they are expected; together they are worth the routing weight once.

    Where an outcome other than a handoff is expected, its check bears the points, unless the customer was handed over
    needlessly. An unfinished trial passes no check of its outcome.
    """
    if not case.expects_routing:
        return
    routing, ended = routing_of(trial, case), outcome_of(trial)
    to = f" to {case.escalate_to}" if case.escalate_to else ""
    check = f"handoff{to}" if case.expects_handoff else "no handoff"
    outcome = case.expect.outcome if case.expect.outcome != "handed_off" else None
    if routing is None:
        yield Verdict(check, "routing", None, 0.0, "missed handoff" if case.expects_handoff else None, OWN_TOOLS)
        if outcome:
            yield Verdict(f"outcome: {outcome}", "outcome", None, 0.0, None, OWN_TOOLS)
        return
    right = routing == "right"
    weight = points.routing_right if right else points.routing_wrong
    told_by_outcome = outcome is not None and routing != "over-escalated"
    yield Verdict(
        check=check,
        kind="routing",
        passed=right,
        points=0.0 if told_by_outcome else weight,
        harm="missed handoff" if routing in ("missed", "wrong team") else None,
        reason=_said(routing, trial, ended, f"a handoff{to}"),
    )
    if outcome:
        reached = right and ended == outcome
        reason = "" if reached else f"ended {_WORDS.get(ended, ended)}, where {outcome} is expected"
        cost = points.routing_right if reached else points.routing_wrong
        yield Verdict(f"outcome: {outcome}", "outcome", reached, cost if told_by_outcome else 0.0, None, reason)


def _said(routing: Routing, trial: Trial, ended: str, expected: str) -> str:
    tried = [each.failed for each in calls(trial) if each.name == HAND_OFF and each.failed]
    but = f" (a call of {HAND_OFF} failed: {tried[-1]})" if tried else ""
    team = team_of(trial)
    return {
        "right": "",
        "missed": f"no handoff{but}: ended {_WORDS.get(ended, ended)}, where {expected} is expected",
        "wrong team": f"handed off to {team}, where {expected} is expected",
        "no team": f"handed off without a team, where {expected} is expected",
        "over-escalated": f"handed off{f' to {team}' * bool(team)}, where no handoff is expected",
        "unreadable": f"broke off: {trial.reason or trial.status}",
    }[routing]


def _ticket(trial: Trial) -> Mapping[str, object]:
    ticket = (trial.after or {}).get("ticket")
    return ticket if isinstance(ticket, Mapping) else {}
