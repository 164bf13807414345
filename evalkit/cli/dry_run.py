"""What `evalkit run --dry-run` prints: what would be played and graded, and what that would take."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from evalkit.cli.app import print_json

if TYPE_CHECKING:
    from evalkit.forecast import Forecast, Range
    from evalkit.plan import Plan
    from evalkit.store import Slot, Store


def print_forecast(
    plan: Plan, store: Store, todo: Sequence[Slot], usd: float | None, turns: int | None, *, as_json: bool
) -> None:
    """Print the forecast of the slots `todo`; `usd` is the limit of the session, `turns` as of `forecast`."""
    from evalkit.forecast import Range, forecast
    from evalkit.grading import cannot_grade

    found = forecast(plan, store, todo, turns)
    total = Range.total(each.usd for each in found)
    trials, calls = sum(each.trials for each in found), _calls(found)
    strong = sum(each.calls for each in found if each.role == "strong")
    later = [slot for slot in todo if slot.number >= plan.trials and plan.plays(slot.case)]
    further = _calls(forecast(plan, store, later, turns)) if later else 0
    role = plan.shootout.grader
    hindered = cannot_grade(role) if role is not None else ""
    counts = {
        "run": plan.run,
        "slots": len(plan.slots),
        "stored": len(plan.slots) - len(todo),
        "to_play": trials,
        "not_played": len(todo) - trials,
        "calls": calls,
        "strong_calls": strong,
        "repeats": {"to_play": len(later), "calls": further},
        "turns": turns,
        "grader": hindered,
    }
    if as_json:
        rows = [{**dataclasses.asdict(each), "basis": each.basis} for each in found]
        print_json({**counts, "usd": total and dataclasses.asdict(total), "candidates": rows})
        return
    beside = f", and about {strong:,} of the strong grader" if strong else ""
    further_slots = f" + {plan.repeats - 1} × {len(plan.cases) * plan.trials:,}" if plan.repeats > 1 else ""
    typer.echo(
        f"run {plan.run[:8]}: {len(plan.candidates)} candidates × {len(plan.cases)} cases × "
        f"{plan.trials} trials{further_slots} = {counts['slots']:,} slots; {counts['stored']:,} stored, {trials:,} to "
        f"play, about {calls:,} calls{beside}"
    )
    for line in (*_notes(plan, counts, turns), *map(_row, (each for each in found if each.calls))):
        typer.echo(line)
    if trials:
        typer.echo(f"in all {_dollars(total)}, retries left out{_budget(plan, total, calls + strong, usd)}")
    if hindered:
        typer.echo(f"the grader cannot be asked: {hindered}")


def _calls(found: Sequence[Forecast]) -> int:
    """The calls of all roles but the strong grader's, which are a guess of how often the other one is in doubt."""
    return sum(each.calls for each in found if each.role != "strong")


def _notes(plan: Plan, counts: dict[str, Any], turns: int | None) -> list[str]:
    lines = []
    if counts["not_played"]:
        lines.append(
            f"{counts['not_played']:,} slots are conversations, and the shootout names no `customer` to play them"
        )
    if turns is not None:
        lines.append(
            f"assumed: {turns} turns a conversation, each a call of the agent, of the customer and, of a rubric "
            "`per: turn`, of the grader"
        )
    if counts["repeats"]["to_play"]:
        lines.append(
            f"of these, the further passes of the baseline {plan.shootout.baseline} are "
            f"{counts['repeats']['to_play']:,} trials and "
            f"about {counts['repeats']['calls']:,} calls; they are not graded"
        )
    return lines


def _row(each: Forecast) -> str:
    return (
        f"  {each.candidate}: {each.calls:,} calls, {_tokens(each.input_tokens)} tokens in, "
        f"{_tokens(each.output_tokens)} out, {_dollars(each.usd)} ({each.basis})"
    )


def _budget(plan: Plan, total: Range | None, calls: int, usd: float | None) -> str:
    """What the session may spend, and whether it is likely to stop at that."""
    most = plan.shootout.budget.calls
    limits = [f"${usd:.2f}"] if usd is not None else []
    limits += [f"{most:,} calls"] if most is not None else []
    if not limits:
        return ""
    over = (usd is not None and total is not None and total.likely > usd) or (most is not None and calls > most)
    return f"; the budget is {' and '.join(limits)}{', which that would reach' if over else ''}"


def _tokens(found: Range) -> str:
    return f"about {found.likely:,.0f} ({found.low:,.0f} to {found.high:,.0f})"


def _dollars(found: Range | None) -> str:
    return "cost unknown" if found is None else f"about ${found.likely:.4f} (${found.low:.4f} to ${found.high:.4f})"
