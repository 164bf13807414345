"""Which candidate should answer next: the sentence, what it rests on, and what would change it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from evalkit.reliability import LEFT_OUT, pass_hat
from evalkit.safety import SafetyRecord, safety_records
from evalkit.scores import case_scores, field_of, leaderboard
from evalkit.shown import counted, listed, usd, with_interval
from evalkit.stats.intervals import Interval
from evalkit.stats.paired import mcnemar_exact, paired_difference
from evalkit.tables import Run, once_a_run

SIGNIFICANCE = 0.05
# What sums of floats differ by.
TOLERANCE = 1e-9
# Candidates of an imported run that a headline names.
MOST_NAMED = 5


@dataclass(frozen=True)
class Lead:
    """By how much the recommended candidate's score leads over another, on the cases measured for all compared."""

    over: str
    difference: Interval

    @property
    def told_apart(self) -> bool:
        """Whether the paired interval by case lies above 0.

        Where every case differs by the same amount there is no interval, and the exact sign test decides.
        """
        value, low = self.difference.value, self.difference.low
        if value is None or value < TOLERANCE:
            return False
        return low > 0 if low is not None else mcnemar_exact(self.difference.n, 0) < SIGNIFICANCE


@dataclass(frozen=True)
class Recommendation:
    """The answer of a shootout in sentences.

    `headline` says who should answer and who is not told apart, or that nobody is fit and why; `beside` who is out.
    `candidate` is None where nobody is fit.
    """

    candidate: str | None
    headline: str
    beside: str
    rests_on: str
    would_change: str
    leads: tuple[Lead, ...] = ()
    tone: Literal["good", "warn", "bad"] = "good"


@once_a_run
def recommend(run: Run) -> Recommendation:
    """The cleared candidate of the highest score, with whom it is not told apart from; or why nobody is fit."""
    if "imported" in run.manifest:
        return _imported(run)
    board = leaderboard(run).to_dicts()
    records = {record.candidate: record for record in safety_records(run)}
    field = field_of(run)
    fit = [row for row in board if row["candidate"] in field.candidates]
    if not fit:
        return _nobody(board, run)
    cleared = sum(row["standing"] == "cleared" for row in board)
    equal = [row for row in fit if fit[0]["score"] - row["score"] < TOLERANCE]
    best = cheapest(equal)
    others = [row for row in fit if row is not best]
    leads = tuple(lead_over(run, field.cases, best["candidate"], row["candidate"]) for row in others)
    close = [row for row, lead in zip(others, leads, strict=True) if not lead.told_apart]
    beside = [*_put_out(board, field.candidates), *_baseline(run, board, best["candidate"])]
    return Recommendation(
        candidate=best["candidate"],
        headline=" ".join(filter(None, [_first(best, fit, equal, cleared), _not_told_apart(best, close)])),
        beside=" ".join(beside),
        rests_on=_rests_on(run, best, leads),
        would_change=_would_change(run, records[best["candidate"]], close),
        leads=leads,
        tone="warn" if close or not run.complete else "good",
    )


def leads(run: Run) -> pl.DataFrame:
    """The recommended candidate's lead over each other cleared one, paired by case.

    Columns `over`, `lead`, `low`, `high`, `n` (cases), `told_apart` (yes or no).
    """
    rows = [
        {
            "over": lead.over,
            "lead": lead.difference.value,
            "low": lead.difference.low,
            "high": lead.difference.high,
            "n": lead.difference.n,
            "told_apart": "yes" if lead.told_apart else "no",
        }
        for lead in recommend(run).leads
    ]
    types = {
        "over": pl.String,
        "lead": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "n": pl.Int64,
        "told_apart": pl.String,
    }
    return pl.DataFrame(rows, schema=types)


def _first(best: dict[str, Any], fit: list[dict[str, Any]], equal: list[dict[str, Any]], cleared: int) -> str:
    if len(fit) == 1:
        only = "cleared candidate" if cleared == 1 else "cleared candidate with enough measured cases"
        return f"{best['candidate']} should answer next: it is the only {only}."
    has = "shares the highest score" if len(equal) > 1 else "has the highest score"
    return f"{best['candidate']} should answer next: it {has} of the {len(fit)} cleared candidates."


def cheapest(equal: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Of rows of equal score that of the lowest `usd_per_ticket`; an unknown cost comes last."""
    return min(equal, key=lambda row: float("inf") if row["usd_per_ticket"] is None else row["usd_per_ticket"])


def lead_over(run: Run, cases: Collection[str], best: str, other: str) -> Lead:
    """By how much one candidate's score leads over another's on these cases, paired by case."""
    scores = case_scores(run)
    mine, theirs = (dict(scores.filter(candidate=name).select("case", "score").iter_rows()) for name in (best, other))
    shared = sorted(cases)
    return Lead(other, paired_difference([mine[case] for case in shared], [theirs[case] for case in shared]))


def _nobody(board: list[dict[str, Any]], run: Run) -> Recommendation:
    counts = Counter(row["standing"] for row in board)
    out = counts["disqualified"]
    why = [
        f"{out} {'is' if out == 1 else 'are'} disqualified on safety" if out else "",
        f"of {counts['not cleared']} the safety cases were not all measured and read" if counts["not cleared"] else "",
        f"{counts['cleared']} cannot be compared on half of the cases" if counts["cleared"] else "",
    ]
    if not any(case.risk == "safety" and case.expects_handoff for case in run.cases):
        why = ["the run holds no safety case that expects a handoff, so nothing shows that a candidate is safe"]
    return Recommendation(
        candidate=None,
        headline=f"No candidate is fit to answer: of {len(board)}, {', and '.join(filter(None, why))}.",
        beside=" ".join([*_put_out(board, ()), *_baseline(run, board, "")]),
        rests_on=_asked(run) + ".",
        would_change="A candidate is recommended once every safety case of it was read and none was missed.",
        tone="bad",
    )


def _imported(run: Run) -> Recommendation:
    """What an imported run shows: how often cases pass, by its source's verdicts."""
    trials = run.manifest["trials"]
    passes = pass_hat(run, trials).filter(convention=LEFT_OUT).sort("value", descending=True, nulls_last=True)
    said = [
        f"{row['candidate']} {with_interval(row['value'], row['low'], row['high'])} of {counted(row['n'], 'case')}"
        for row in passes.head(MOST_NAMED).to_dicts()
    ]
    said += [f"{passes.height - MOST_NAMED} more below"] if passes.height > MOST_NAMED else []
    out = [f"{each.candidate} is disqualified: {each.why}." for each in safety_records(run) if each.offences]
    each = "" if trials == 1 else f", each {trials} times of {trials}"
    return Recommendation(
        candidate=None,
        headline=f"Nobody is recommended: these trials were imported, without points. Passed{each}: {listed(said)}.",
        beside=" ".join(out),
        rests_on=f"{_asked(run)}. Whether a trial passed is its source's verdict; nothing was judged anew.",
        would_change="A shootout over a suite of your own, whose checks give points, recommends a candidate.",
        tone="bad" if out else "warn",
    )


def _put_out(board: list[dict[str, Any]], compared: tuple[str, ...]) -> list[str]:
    said = {
        "disqualified": "is disqualified",
        "not cleared": "is not cleared",
        "cleared": "is cleared but not compared",
    }
    return [
        f"{row['candidate']} {said[row['standing']]}: "
        f"{row['why'] if row['standing'] != 'cleared' else 'too few cases were measured'}. "
        f"Its score is {with_interval(row['score'], row['low'], row['high'])} on {counted(row['cases'], 'case')}."
        for row in board
        if row["candidate"] not in compared
    ]


def _baseline(run: Run, board: list[dict[str, Any]], best: str) -> list[str]:
    name = run.manifest.get("baseline")
    row = next((row for row in board if row["candidate"] == name), None)
    if row is None or name == best:
        return []
    if row["standing"] == "disqualified":
        return [f"{name} is the baseline: what answers customers today is not safe to keep."]
    if row["standing"] == "not cleared":
        return [f"{name} is the baseline: this run does not show that what answers customers today is safe."]
    return []


def _not_told_apart(best: dict[str, Any], close: list[dict[str, Any]]) -> str:
    if not close:
        return ""
    costs = listed([f"{row['candidate']} ({usd(row['usd_per_ticket'])})" for row in close])
    invented = ", at invented prices" * all(row["price_invented"] for row in (best, *close))
    return f"It is not told apart from {costs}; it costs {usd(best['usd_per_ticket'])}, each a ticket{invented}."


def _rests_on(run: Run, best: dict[str, Any], leads: tuple[Lead, ...]) -> str:
    score = with_interval(best["score"], best["low"], best["high"])
    cases = counted(best["cases"], "case")
    has = "" if best["low"] is None else ", with its 95 % interval"
    sentences = [f"{_asked(run)}. {best['candidate']} scores {score}{has} over {cases}."]
    if best["cases"] < run.manifest["suite"]["cases"]:
        sentences.append("Compared are the cases that were measured for all cleared candidates.")
    sentences += [
        f"Its lead over {lead.over} is {with_interval(*_ends(lead.difference))} on {counted(lead.difference.n, 'case')}"
        f"{'' if lead.told_apart else ', which may be chance'}."
        for lead in leads
    ]
    return " ".join(sentences)


def _ends(interval: Interval) -> tuple[float | None, float | None, float | None]:
    return interval.value, interval.low, interval.high


def _would_change(run: Run, record: SafetyRecord, close: list[Any]) -> str:
    bound = f"{100 * record.miss_bound:.1f} %" if record.miss_bound is not None else "an unknown share"
    strict = "missed_handoff" in run.suite.settings.disqualify_on
    sentences = [
        ("One missed handoff on a safety case, in any trial, would disqualify it: " if strict else "")
        + f"{record.missed} of {record.measured} safety cases missed still allows for a true share of up to {bound} "
        "(exact one-sided 95 % bound, by case)."
    ]
    if close:
        sentences.append("More cases would tell it apart from those that are as good by these, or show that they are.")
    return " ".join(sentences)


def _asked(run: Run) -> str:
    cases, trials = run.manifest["suite"]["cases"], run.manifest["trials"]
    return f"{counted(cases, 'case')} of the suite {run.suite.name}, {counted(trials, 'trial')} each"
