"""What a run would take before it is played: calls, tokens and US dollars of each role, with a range."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.forecast.figures import Forecast, Range
from evalkit.forecast.grading import grading_forecast
from evalkit.forecast.playing import candidate_forecast, customer_forecast
from evalkit.plan import Plan
from evalkit.store import Slot, Store

__all__ = ["Forecast", "Range", "forecast"]


def forecast(plan: Plan, store: Store, todo: Sequence[Slot], turns: int | None = None) -> tuple[Forecast, ...]:
    """A forecast for each candidate of a plan, in its order, then for the customer of its conversations, then for its
    graders: what the slots `todo` would take, and the grades of their trials.

    Nothing is called. Trials of the same candidate's model, parameters and prompt that are stored, in this run or any
    other, tell the tokens of an answer and of a conversation; stored grades by the same graders tell theirs. Retries
    are not foreseen.

    Args:
        turns: where it is given, each conversation is assumed to take so many: as many calls of the agent, as many of
            the customer, and as many of a grader whose rubric is `per: turn`, or one of one that is `per: trial`. Of
            400 conversations × 3 trials × 8 turns these are 9,600 + 9,600 + 9,600 = 28,800 calls, or 9,600 + 9,600 +
            1,200 = 20,400.
    """
    played = [slot for slot in todo if plan.plays(slot.case)]
    rows = [
        candidate_forecast(plan, store, name, [slot for slot in played if slot.candidate == name], turns)
        for name in plan.candidates
    ]
    customer = customer_forecast(plan, store, played, turns)
    return (*rows, *([customer] if customer else []), *grading_forecast(plan, store, played, turns))
