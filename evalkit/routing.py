"""How tickets were routed, both ways: handoffs caught and missed, direct answers kept and handed over needlessly."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from evalkit.card import team_key
from evalkit.cases import Case
from evalkit.checks import Judgement
from evalkit.checks.handoff import team_of
from evalkit.errors import ReportError
from evalkit.stats.intervals import Interval, share_over_cases
from evalkit.tables import Run
from evalkit.transcript import Trial

Expected = Literal["escalate", "direct"]
NOT_MEASURED = "not measured"
# What a slot can come to, by what its case expects: each slot counts under one of these, once.
OUTCOMES: dict[Expected, tuple[str, ...]] = {
    "escalate": ("right", "missed", "wrong team", "no team", "unreadable", NOT_MEASURED),
    "direct": ("right", "over-escalated", "unreadable", NOT_MEASURED),
}
KINDS = {"safety": "Safety cases", "normal": "Other cases", "all": "All cases"}
ANY_TEAM = "any team"
# What a slot that expects a handoff can come to beside a team of its own column.
OTHERWISE = {
    "another": "Another team", "no_team": "No team", "missed": "Answered itself", "unreadable": "Unreadable",
    "not_measured": "Not measured",
}  # fmt: skip
# A model may invent any number of teams; so many get a column of their own, or as many as are expected.
TEAM_COLUMNS = 6


@dataclass(frozen=True)
class Routed:
    """How one slot was routed. `expected` is None where its case asks for no route, or left the suite.

    `outcome` is one of OUTCOMES; `said` says in words what is wrong or missing, '' where the route is right.
    """

    candidate: str
    case: str
    stratum: str
    risk: str
    trial: int
    expected: Expected | None
    team_expected: str | None
    outcome: str
    team: str | None
    answered: bool
    said: str


@dataclass(frozen=True)
class Cost:
    """What handing over needlessly costs a candidate, in US dollars per 1,000 tickets, at stated prices.

    `needless` is the share of direct tickets handed over, over cases; `handoffs` that share priced, with its interval;
    `own` the model's own cost. None where something of it was not measured or has no known price.
    """

    candidate: str
    needless: Interval
    trials: int
    handoffs: Interval
    own: float | None
    month: float | None


def routed(run: Run) -> Iterator[Routed]:
    """Each slot of a run with how it was routed, in the order of the slots."""
    for each in run.readings:
        slot, trial, found = each.slot, each.trial, each.judgement
        case = run.suite.by_id.get(slot.case)
        fault = next((verdict.reason for verdict in found.verdicts if verdict.kind == "routing"), "") if found else ""
        yield Routed(
            candidate=slot.candidate,
            case=slot.case,
            stratum=case.stratum if case else "",
            risk=case.risk if case else "",
            trial=slot.number,
            expected=_expected(case),
            team_expected=case and case.escalate_to,
            outcome=(found and found.routing) or NOT_MEASURED,
            team=_team(trial, found),
            answered=trial is not None and trial.status == "completed",
            said=fault if found and found.routing else f"{trial.status}: {trial.reason}" if trial else "not played",
        )


def tally(run: Run, expected: Expected) -> pl.DataFrame:
    """How often each candidate's slots that expect this route came to each outcome, safety cases apart.

    A row for each kind of case (`kind`: a value of KINDS) and `candidate`, with `cases` and `trials` that were
    measured, `slots`, and for each outcome, in the spelling of `column`: `<outcome>` (trials), and but for
    `not_measured` `<outcome>_share`, `_low`, `_high`: the share of trials, averaged over cases (`share_over_cases`).
    """
    asked = _by_candidate(run, expected)
    present = {each.risk for mine in asked.values() for each in mine}
    kinds = [kind for kind in KINDS if kind in present or (kind == "all" and len(present) != 1)]
    rows = [
        {
            "kind": KINDS[kind],
            "candidate": name,
            **_counted([each for each in mine if kind in (each.risk, "all")], expected),
        }
        for kind in kinds
        for name, mine in asked.items()
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def column(outcome: str) -> str:
    """The name of an outcome's column: `over-escalated` is counted in `over_escalated`."""
    return outcome.replace(" ", "_").replace("-", "_")


def totals(run: Run) -> pl.DataFrame:
    """The slots of each `candidate` that expect a handoff (`escalate`), expect none (`direct`), ask for no route or
    whose case left the suite (`neither`), and their sum `slots`; `silent` of them are unreadable for want of any
    answer."""
    rows = []
    for name, mine in _by_candidate(run).items():
        found = Counter(each.expected or "neither" for each in mine)
        silent = sum(each.outcome == "unreadable" and not each.answered for each in mine)
        ends = {key: found[key] for key in ("escalate", "direct", "neither")}
        rows.append({"candidate": name, **ends, "slots": len(mine), "silent": silent})
    return pl.DataFrame(rows)


def both_ways(run: Run) -> pl.DataFrame:
    """The two rates that pull against each other, safety cases among them. Columns `expected` (escalate, direct),
    `candidate`, `score`, `low`, `high` (the share routed right, over cases; null where not measured), `n` (cases)."""
    rows = [
        {"expected": expected, "candidate": name, **_interval(mine, "right")}
        for expected in OUTCOMES
        for name, mine in _by_candidate(run, expected).items()
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def teams(run: Run) -> tuple[dict[str, str], pl.DataFrame]:
    """Which team was named where which was expected: what heads each column of trials, and the frame.

    The frame has a row for each `candidate` and `expected` team that the run asks for, `slots`, the column `right` (the
    name of the column that is right, '' where any team is), and the columns of trials: the teams expected, those most
    often named beside them, and what else came of it (OTHERWISE). Teams are told apart as the check of routes does it.
    """
    asked = _by_candidate(run, "escalate")
    mine = [each for slots in asked.values() for each in slots]
    spelt: dict[str, Counter[str]] = defaultdict(Counter)
    for each in mine:
        for team in filter(None, (each.team_expected, each.team if _is_named(each) else None)):
            spelt[team_key(team)][team] += 1
    wanted = {team_key(each.team_expected) for each in mine if each.team_expected}
    # An expected team has its column before any that a model made up, in the order of the rows.
    keys = sorted(spelt, key=lambda key: (key not in wanted, key not in wanted and -spelt[key].total(), key))[
        : max(TEAM_COLUMNS, len(wanted))
    ]
    places = {key: f"team_{place}" for place, key in enumerate(keys)}
    rows = []
    for name, slots in asked.items():
        by_team: dict[str | None, Counter[str]] = defaultdict(Counter)
        for each in slots:
            by_team[each.team_expected and team_key(each.team_expected)][_came_to(each, places)] += 1
        for key, counts in sorted(by_team.items(), key=lambda item: (item[0] is None, item[0] or "")):
            expected = spelt[key].most_common(1)[0][0] if key else ANY_TEAM
            found = {place: counts[place] for place in (*places.values(), *OTHERWISE)}
            right = places.get(key, "") if key else ""
            rows.append({"candidate": name, "expected": expected, "right": right, **found, "slots": counts.total()})
    frame, kept = pl.DataFrame(rows, infer_schema_length=None), {row["right"] for row in rows}
    heads = {places[key]: spelt[key].most_common(1)[0][0] for key in keys} | OTHERWISE
    return {place: head for place, head in heads.items() if place in kept or (rows and frame[place].sum())}, frame


def lost_by_stratum(run: Run) -> pl.DataFrame:
    """Handoffs that did not reach the right person, in each stratum that expects any. Columns `stratum`, `candidate`,
    `lost` (trials missed or sent to the wrong team) of `trials` measured of `slots`, `unclear` (no team, unreadable),
    `score`, `low`, `high` (the share lost, over cases), `n` (cases)."""
    rows = []
    asked = _by_candidate(run, "escalate")
    for stratum in run.suite.strata(run.cases):
        for name, slots in asked.items():
            mine = [each for each in slots if each.stratum == stratum]
            found = Counter(each.outcome for each in mine)
            counts = {
                "lost": found["missed"] + found["wrong team"],
                "unclear": found["no team"] + found["unreadable"],
                "trials": len(mine) - found[NOT_MEASURED],
                "slots": len(mine),
            }
            rows.append({"stratum": stratum, "candidate": name, **counts, **_interval(mine, "missed", "wrong team")})
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return frame.filter(pl.col("slots").sum().over("stratum") > 0) if rows else frame


def direct_share(run: Run) -> float | None:
    """The share of the run's cases that expect a direct answer, of those that expect a route; None without any."""
    expected = [route for route in map(_expected, run.cases) if route]
    return expected.count("direct") / len(expected) if expected else None


def costs(run: Run, handoff_usd: float, tickets_per_month: int = 1000, share: float | None = None) -> tuple[Cost, ...]:
    """What each candidate costs at `handoff_usd` a handled handoff and `tickets_per_month` tickets.

    `share` (0 to 1) of the tickets need no person; by default the run's own (`direct_share`). Raises ReportError where
    a price or number is negative or not finite, or the share is none.
    """
    if not (math.isfinite(handoff_usd) and handoff_usd >= 0):
        raise ReportError(f"handoff_usd is {handoff_usd}; a handoff costs 0 US dollars or more")
    if tickets_per_month < 0:
        raise ReportError(f"tickets_per_month is {tickets_per_month}; it is 0 or more")
    if share is not None and not 0 <= share <= 1:
        raise ReportError(f"direct_share is {share}; a share lies between 0 and 1, as 0.7 does")
    mix = direct_share(run) if share is None else share
    scale = None if mix is None else 1000 * mix * handoff_usd
    found = []
    for name, mine in _by_candidate(run, "direct").items():
        needless = share_over_cases(_shares(mine, "over-escalated"))
        ends = [None if None in (end, scale) else end * scale for end in (needless.value, needless.low, needless.high)]
        handoffs = Interval(*ends, needless.n, needless.method, needless.reason)
        spent = run.judged.filter((pl.col("candidate") == name) & pl.col("points").is_not_null())["usd"]
        own = None if spent.is_empty() or spent.null_count() else 1000 * float(spent.mean())
        both = None if None in (own, handoffs.value) else (own + handoffs.value) * tickets_per_month / 1000
        trials = sum(each.outcome != NOT_MEASURED for each in mine)
        found.append(Cost(name, needless, trials, handoffs, own, both))
    return tuple(found)


def _team(trial: Trial | None, found: Judgement | None) -> str | None:
    """The team that a card names, or that took a conversation over."""
    if found is None or trial is None:
        return None
    return team_of(trial) if trial.outcome else found.card and found.card.team


def _expected(case: Case | None) -> Expected | None:
    if case is None or not case.expects_routing:
        return None
    return "escalate" if case.expects_handoff else "direct"


def _by_candidate(run: Run, expected: Expected | None = None) -> dict[str, list[Routed]]:
    """The slots of each candidate, or those of them that expect this route."""
    slots: dict[str, list[Routed]] = {candidate["name"]: [] for candidate in run.manifest["candidates"]}
    for each in routed(run):
        if expected in (None, each.expected):
            slots[each.candidate].append(each)
    return slots


def _shares(mine: Sequence[Routed], *outcomes: str) -> list[float]:
    """For each case with a measured trial, the share of its measured trials that came to one of these outcomes."""
    by_case: dict[str, list[bool]] = defaultdict(list)
    for each in mine:
        if each.outcome != NOT_MEASURED:
            by_case[each.case].append(each.outcome in outcomes)
    return [sum(found) / len(found) for found in by_case.values()]


def _counted(mine: Sequence[Routed], expected: Expected) -> dict[str, Any]:
    found = Counter(each.outcome for each in mine)
    trials = len(mine) - found[NOT_MEASURED]
    row: dict[str, Any] = {"cases": len(_shares(mine)), "trials": trials, "slots": len(mine)}
    for outcome in OUTCOMES[expected]:
        key = column(outcome)
        row[key] = found[outcome]
        if outcome != NOT_MEASURED:
            share = _interval(mine, outcome)
            row |= {f"{key}_share": share["score"], f"{key}_low": share["low"], f"{key}_high": share["high"]}
    return row


def _interval(mine: Sequence[Routed], *outcomes: str) -> dict[str, Any]:
    found = share_over_cases(_shares(mine, *outcomes))
    return {"score": found.value, "low": found.low, "high": found.high, "n": found.n}


def _is_named(each: Routed) -> bool:
    return each.team is not None and each.outcome in ("right", "wrong team")


def _came_to(each: Routed, places: dict[str, str]) -> str:
    """The column that a slot is counted in, of those of the teams and OTHERWISE."""
    if _is_named(each):
        return places.get(team_key(each.team or ""), "another")
    return {NOT_MEASURED: "not_measured", "unreadable": "unreadable", "missed": "missed"}.get(each.outcome, "no_team")
