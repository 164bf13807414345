"""A run's scores as frames: by candidate, by stratum, by kind of points."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import polars as pl

from evalkit.safety import SafetyRecord, safety_records
from evalkit.stats.intervals import Interval, mean_interval
from evalkit.stats.ranking import competition_ranks
from evalkit.tables import Run, once_a_run
from evalkit.transcript import STATUSES

# Fewer of the cases than this, and a score is no ground for a rank.
COVERAGE_FLOOR = 0.5
KINDS = {"fact": "facts", "claim": "false claims", "routing": "routing"}


@once_a_run
def case_scores(run: Run) -> pl.DataFrame:
    """The score of each candidate on each case: the mean over its measured trials of points over points possible.

    Columns `candidate`, `case`, `stratum`, `score`, `trials`.
    """
    return (
        run.judged.filter(pl.col("points").is_not_null())
        .with_columns(score=pl.col("points") / pl.col("points_possible"))
        .group_by("candidate", "case", "stratum", maintain_order=True)
        .agg(pl.col("score").mean(), trials=pl.len())
    )


@dataclass(frozen=True)
class Field:
    """Who is compared, and on what: the cleared candidates that were measured on at least half of the cases, and the
    cases that were measured for each of them. Nobody is compared where these are fewer than half."""

    candidates: tuple[str, ...]
    cases: frozenset[str]


@once_a_run
def field_of(run: Run, strata: Collection[str] | None = None) -> Field:
    """The candidates that may be ranked against one another, on cases that are the same for all.

    With `strata`, on the cases of these alone; who is cleared is asked of the whole run all the same.
    """
    scores, cases = case_scores(run), run.manifest["suite"]["cases"]
    if strata is not None:
        scores = scores.filter(pl.col("stratum").is_in(list(strata)))
        cases = sum(count for name, count in run.manifest["suite"]["strata"].items() if name in strata)
    floor = COVERAGE_FLOOR * cases
    cleared = [record.candidate for record in safety_records(run) if record.standing == "cleared"]
    measured = {name: frozenset(scores.filter(candidate=name)["case"]) for name in cleared}
    candidates = tuple(name for name in cleared if measured[name] and len(measured[name]) >= floor)
    shared = frozenset.intersection(*(measured[name] for name in candidates)) if candidates else frozenset()
    return Field(candidates, shared) if shared and len(shared) >= floor else Field((), frozenset())


@once_a_run
def leaderboard(run: Run) -> pl.DataFrame:
    """One row a candidate, the ranked first by score, then those not cleared, then the disqualified.

    Ranked candidates are scored on the cases that were measured for all of them (`field_of`), the others on their own.
    The columns are those of `boards.leaderboard`, and `points`, `points_possible` (sums over trials), `passed`
    (trials that passed every check) of `measured`, `wrong_team`, `over_escalated`, `miss_bound`, `why`, `model`.
    """
    field, scores = field_of(run), case_scores(run)
    rows = []
    for record in safety_records(run):
        mine = scores.filter(candidate=record.candidate)
        if record.candidate in field.candidates:
            mine = mine.filter(pl.col("case").is_in(field.cases))
        rows.append(_row(run, mine["score"].to_list(), record))
    order = {"cleared": 0, "not cleared": 1, "disqualified": 2}
    # Sums of floats differ in their last digits; what is equal but for these keeps the order of the shootout.
    rows.sort(
        key=lambda row: (order[row["standing"]], row["candidate"] not in field.candidates, -_sortable(row["score"]))
    )
    ranked = [row for row in rows if row["candidate"] in field.candidates]
    for row, rank in zip(ranked, competition_ranks([row["score"] for row in ranked]), strict=True):
        row["rank"] = rank
    return pl.DataFrame(rows, infer_schema_length=None)


def by_stratum(run: Run) -> pl.DataFrame:
    """The score of each candidate in each stratum, with its interval over cases.

    Columns `candidate`, `stratum`, `score`, `low`, `high`, `n` (cases).
    """
    scores = case_scores(run)
    names = [each["name"] for each in run.manifest["candidates"]]
    rows = []
    for stratum in run.suite.strata(run.cases):
        for name in names:
            found = score_interval(_scores_of(scores, candidate=name, stratum=stratum))
            rows.append({"candidate": name, "stratum": stratum, **_columns(found), "n": found.n})
    return pl.DataFrame(rows, infer_schema_length=None)


def points_by_kind(run: Run) -> pl.DataFrame:
    """Where each candidate's points come from. Columns `candidate`, `kind`, `points` (their sum over its trials)."""
    said = pl.col("kind").replace_strict(KINDS, default=pl.col("kind"))
    gained = pl.when(pl.col("points") > 0).then(pl.lit("present or right")).otherwise(pl.lit("missing or wrong"))
    kind = pl.when(pl.col("kind") == "claim").then(said).otherwise(pl.concat_str(said, gained, separator=" "))
    order = {each["name"]: place for place, each in enumerate(run.manifest["candidates"])}
    return (
        run.verdicts.with_columns(kind=kind)
        .group_by("candidate", "kind", maintain_order=True)
        .agg(pl.col("points").sum())
        .sort(pl.col("candidate").replace_strict(order), "kind", maintain_order=True)
    )


def score_interval(scores: Sequence[float]) -> Interval:
    """The mean of the cases' scores with its t interval, which ends at 1 where it would go beyond: no score does."""
    found = mean_interval(scores)
    return replace(found, high=min(found.high, 1.0)) if found.high is not None else found


def statuses(run: Run) -> pl.DataFrame:
    """How the slots of each candidate ended: one column a status, and their sum."""
    rows = []
    for each in run.manifest["candidates"]:
        counts = Counter(run.judged.filter(pl.col("candidate") == each["name"])["status"])
        rows.append(
            {
                "candidate": each["name"],
                **{status: counts[status] for status in STATUSES},
                "slots": counts.total(),
            }
        )
    return pl.DataFrame(rows)


def price_invented(candidate: Mapping[str, Any]) -> bool:
    """Whether a candidate of a manifest has a price that nobody asks: a declared one, for a model that is offline."""
    return (candidate.get("model") or "").startswith("offline/") and "price" in candidate


def _sortable(score: float | None) -> float:
    return float("-inf") if score is None else round(score, 9)


def _row(run: Run, scores: Sequence[float], record: SafetyRecord) -> dict[str, Any]:
    candidate = next(each for each in run.manifest["candidates"] if each["name"] == record.candidate)
    mine = run.judged.filter(pl.col("candidate") == record.candidate)
    measured = mine.filter(pl.col("points").is_not_null())
    routing = Counter(measured["routing"])
    score = score_interval(scores)
    expected = Counter(measured["route_expected"])
    caught = measured.filter((pl.col("route_expected") == "escalate") & (pl.col("routing") == "right")).height
    kept = measured.filter((pl.col("route_expected") == "direct") & (pl.col("routing") == "right")).height
    seconds = _latencies(run, record.candidate)
    ended = Counter(mine["status"])
    return {
        "candidate": record.candidate,
        "model": candidate.get("model") or candidate.get("agent"),
        "standing": record.standing,
        "rank": None,
        **_columns(score),
        "cases": score.n,
        "trials": run.manifest["trials"],
        "measured": measured.height,
        "passed": measured["passed"].sum(),
        "points": measured["points"].sum(),
        "points_possible": measured["points_possible"].sum(),
        "wrong_answers": measured["wrong_answer"].sum(),
        "wrong_actions": measured["wrong_action"].sum(),
        "missed_handoffs": measured["missed_handoff"].sum(),
        "leaks": measured["leaked_data"].sum(),
        "escalations_caught": caught,
        "escalations": expected["escalate"],
        "direct_kept": kept,
        "directs": expected["direct"],
        "wrong_team": routing["wrong team"] + routing["no team"],
        "over_escalated": routing["over-escalated"],
        "unreadable": routing["unreadable"],
        "usd_per_ticket": mean_cost(measured),
        "price_invented": price_invented(candidate),
        "seconds_median": median(seconds) if seconds else None,
        "timed": len(seconds),
        "seconds_p95": _quantile(seconds, 0.95),
        "not_completed": ", ".join(f"{ended[name]} {name}" for name in STATUSES if name != "completed" and ended[name]),
        "miss_bound": record.miss_bound,
        "why": record.why,
    }


def _scores_of(scores: pl.DataFrame, **where: str) -> list[float]:
    return scores.filter(**where)["score"].to_list()


def _columns(interval: Interval) -> Mapping[str, float | None]:
    return {"score": interval.value, "low": interval.low, "high": interval.high}


def mean_cost(measured: pl.DataFrame) -> float | None:
    """US dollars a ticket over the measured trials; None where one of them has no known cost, or none was measured."""
    costs = measured["usd"]
    return None if costs.is_empty() or costs.null_count() else float(costs.mean())  # type: ignore[arg-type]


def _latencies(run: Run, candidate: str) -> list[float]:
    """Seconds that each answer took: its requests, without the waits between them. A timeout counts with its limit."""
    return [
        sum(attempt.seconds for attempt in trial.attempts)
        for slot, trial in run.pairs
        if slot.candidate == candidate and trial is not None and trial.status in ("completed", "timeout")
    ]


def _quantile(values: Iterable[float], share: float) -> float | None:
    """The smallest value that at least this share of the values does not pass; None without values."""
    ordered = sorted(values)
    return ordered[math.ceil(len(ordered) * share) - 1] if ordered else None
