"""What `50_calibration` shows of who labelled, what grading cost, and what the figures rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from evalkit import boards, cards
from evalkit.calibration import Calibration, Month, calibrated, cascade, held_series, spent, transcripts
from evalkit.cards import Card
from evalkit.measurement import Side
from evalkit.shown import number, usd, with_interval
from evalkit.stats.intervals import wilson
from evalkit.tables import Run
from evalkit.views.calibration import named, unbroken

if TYPE_CHECKING:
    from great_tables import GT

    from evalkit.stats.agreement import Agreement
    from evalkit.stats.audit import Disagreement

NO_GRADER = "The run's shootout names no grader, so there is nothing to show."
NO_GRADES = (
    "The run holds no grades of a month's series by this grader: the ledger keeps what agreement came to, and not the "
    "grades. `make calibration MONTH=YYYY-MM` makes them."
)
NO_LABELS = "No transcript is labelled by the rubric of the run's grader."


def month_cascade(run: Run, month: str = "") -> GT | Card:
    """How often the cheap and the strong grader differ, weighted, and the part that was drawn at random."""
    found = calibrated(run, month)
    if found.measurement is None:
        return cards.prose(NO_GRADER)
    if found.measurement.panel.strong is None:
        return cards.prose("The shootout names one grader and no `strong` one, so there are no two to differ.")
    series = held_series(found)
    if not series:
        return cards.prose(NO_GRADES)
    rows = [{"month": named(each, found), **_disagreement(cascade(found, each))} for each in series]
    table = boards.table(
        pl.DataFrame(rows),
        labels={
            "month": "Month",
            "value": "They differ on (weighted)",
            "random": "Of those drawn at random",
            "near": "Near the threshold",
            "trials": "Transcripts",
            "left": "Left out",
        },
        stub="month",
        right=("value", "random", "near", "trials", "left"),
        note="Whether a transcript passes. The strong grader sees every transcript near the threshold and a random "
        "part of the rest, drawn before any verdict; each counts by one over its chance to be seen. The share among "
        "all that it saw would overstate the difference, and is not shown. The labelled transcripts are no random "
        "sample of trials: likely fails were drawn more often.",
    )
    return unbroken(table)


def month_raters(run: Run, month: str = "") -> GT | Card:
    """How many transcripts each rater labelled in each month, and how far the raters agree with one another."""
    found = calibrated(run, month)
    if found.measurement is None or not found.months or not found.measurement.labelled:
        return cards.prose(NO_LABELS)
    sides = found.measurement.all.by_month
    rows = [{"month": named(each.month, found), **_raters(sides.get(each.month))} for each in found.months]
    rows.append({"month": "All months", **_raters(found.measurement.all)})
    return unbroken(
        boards.table(
            pl.DataFrame(rows),
            labels={
                "month": "Month",
                "raters": "Labels by rater",
                "own": "The raters among themselves: kappa (95 % interval)",
                "open": "Not decided yet",
            },
            stub="month",
            right=("open",),
            note="All labelled transcripts, held-out and open, by the month of their first rating. Kappa of two raters "
            "is on whether a transcript passes, over those that both rated, before the lead decided. A grader cannot "
            "be told to drift where people have.",
        ),
        ["raters", "own"],
    )


def month_reading(run: Run, month: str = "") -> GT | Card:
    """How many replies of each grader could not be read or did not come, and why."""
    found = calibrated(run, month)
    rows = [
        {
            "month": named(series, found),
            "model": f"{each.model} ({each.which})",
            "graded": each.graded,
            "unscored": _share(each.unscored, each.graded + each.unscored + each.errors),
            "errors": _share(each.errors, each.graded + each.unscored + each.errors),
            "why": "\n".join(f"{status}, {word}: {n}" for (status, word), n in sorted(each.reasons.items())) or "–",
        }
        for series in held_series(found)
        for each in spent(found, series)
    ]
    if not rows:
        return cards.prose(NO_GRADES if found.measurement else NO_GRADER)
    waiting = [f"{n} in {each}" for each in held_series(found) if (n := transcripts(found, each)["not graded"])]
    more = f" Transcripts that are not graded yet: {', '.join(waiting)}." if waiting else ""
    return unbroken(
        boards.table(
            pl.DataFrame(rows),
            labels={
                "month": "Month",
                "model": "Grader",
                "graded": "Read",
                "unscored": "Unscored",
                "errors": "Errors",
                "why": "Why",
            },
            stub="month",
            right=("unscored", "errors"),
            note="Grades of the labelled transcripts. Unscored: a reply that cannot be read, which is neither a pass "
            f"nor a fail; an error: no reply. Shares of the grades asked for, with Wilson's 95 % interval.{more}",
        ),
        ["unscored", "errors", "why"],
    )


def month_cost(run: Run, month: str = "") -> GT | Card:
    """What grading a month's transcripts took in calls and dollars."""
    found = calibrated(run, month)
    rows = []
    invented = any(each.model.startswith("offline/") for series in held_series(found) for each in spent(found, series))
    for series in held_series(found):
        parts = spent(found, series)
        grades = [each.graded + each.unscored + each.errors for each in parts]
        for each, n in zip(parts, grades, strict=True):
            name = f"{each.model} ({each.which})"
            rows.append(_cost_row(named(series, found), name, n, each.calls, each.usd))
        costs = [each.usd for each in parts]
        whole = None if None in costs else sum(costs)  # type: ignore[arg-type]
        if len(parts) > 1:
            calls = sum(each.calls for each in parts)
            rows.append(_cost_row(named(series, found), "both", sum(grades), calls, whole))
    if not rows:
        return cards.prose(NO_GRADES if found.measurement else NO_GRADER)
    table = boards.table(
        pl.DataFrame(rows),
        labels={
            "month": "Month",
            "model": "Grader",
            "grades": "Grades",
            "calls": "Calls",
            "usd": f"Cost in USD{' †' * invented}",
        },
        stub="month",
        right=("usd",),
        digits=0,
        note="Calls are requests, retries among them. A month that is not here was graded elsewhere, and its cost is "
        "not known here." + (" † An invented price: the offline graders are no language models." if invented else ""),
    )
    return unbroken(table)


def month_grounds(run: Run, month: str = "") -> GT | Card:
    """Which grader, labels and thresholds each month's figures rest on."""
    found = calibrated(run, month)
    rows = [row for each in found.months if (row := _ground(each, found))]
    if not rows:
        return cards.prose("No month is measured, so there is nothing that a figure rests on.")
    # Said once where they are the same in each month: four more lines in every row would say nothing.
    every = {row["thresholds"] for row in rows}
    same = f" Thresholds in each month: {next(iter(every)).replace(chr(10), ', ')}." if len(every) == 1 else ""
    columns = {} if same else {"thresholds": "Thresholds"}
    return unbroken(
        boards.table(
            pl.DataFrame(rows),
            labels={
                "month": "Month",
                "date": "Recorded",
                "models": "Cheap and strong grader",
                "rubric": "Rubric",
                "model": "Model",
                "prompt": "Prompt",
                "labels": "Labels",
                **columns,
            },
            stub="month",
            note="The first twelve digits of each SHA-256. ● another than in the month measured before. Rubric, model "
            "(with parameters, address and audit seed) and prompt are what a grader is made of. A set's name may "
            "change and its hash not: that is of transcripts, verdicts and their dates." + same,
        ),
        ["models", "labels", *columns],
    )


def month_labels(run: Run, month: str = "") -> GT | Card:
    """The label sets that are there now, with their hashes."""
    found = calibrated(run, month)
    if found.measurement is None or not found.measurement.sets:
        return cards.prose(NO_LABELS)
    rows = [
        {
            "set": each.name,
            "source": "EXAMPLE, not collected from people" if each.source == "example" else "people",
            "items": len(each.items),
            "rubric": each.rubric,
            "hash": each.hash[:12],
        }
        for each in found.measurement.sets
    ]
    labels = {"set": "Set", "source": "Labelled by", "items": "Transcripts", "rubric": "Rubric", "hash": "Hash"}
    together = f"All sets together: {found.measurement.labels_hash[:12]}."
    share = number(100 * found.measurement.thresholds.held_out, 0)
    return boards.table(
        pl.DataFrame(rows),
        labels=labels,
        stub="set",
        note=f"{together} Held out: about {share} % of the cases, by hash.",
    )


def _disagreement(found: Disagreement | None) -> dict[str, str]:
    if found is None:
        return dict.fromkeys(("value", "random", "near", "trials", "left"), "–")
    value = boards.percent_with_interval(found.value, found.low, found.high)
    random = "none was drawn"
    if found.audited and found.random_part is not None:
        # Every one of them was drawn with the same chance, so the weighted share is the plain one.
        part = wilson(round(found.random_part * found.audited), found.audited)
        random = f"{boards.percent_with_interval(part.value, part.low, part.high)}, n {found.audited}"
    return {
        "value": f"not measured: {found.reason}" if found.reason else value,
        "random": random,
        "near": str(found.near),
        "trials": str(found.trials),
        "left": str(found.left_out) if found.left_out else "none",
    }


def _raters(side: Side | None) -> dict[str, str]:
    if side is None:
        return {"raters": "no labels", "own": "–", "open": "–"}
    own = [f"{pair.first} and {pair.second}: {_agreement(pair.agreement)}" for pair in side.people.pairs]
    return {
        "raters": "\n".join(f"{name}: {n}" for name, n in side.people.raters.items()) or "no labels",
        "own": "\n".join(own) or "no two raters judged the same transcript",
        "open": f"{side.undecided} of {len(side.labelled) - side.unrated}",
    }


def _agreement(found: Agreement) -> str:
    if not found.measured:
        return f"not measured, n {found.n} ({found.reason})"
    return f"{with_interval(found.value, found.low, found.high)}, n {found.n}"


def _share(count: int, of: int) -> str:
    found = wilson(count, of)
    return f"{count} of {of}\n{boards.percent_with_interval(found.value, found.low, found.high)}".replace(" ", "\u00a0")


def _cost_row(month: str, model: str, grades: int, calls: int, cost: float | None) -> dict[str, str | int]:
    return {"month": month, "model": model, "grades": grades, "calls": calls, "usd": usd(cost)}


def _ground(month: Month, found: Calibration) -> dict[str, str] | None:
    line = month.line
    if line is None:
        return None
    grader = line.grader
    marked = {
        part: f"● {grader[part][:12]}" if part in month.changed else (grader[part] or "")[:12]
        for part in ("rubric", "model", "prompt")
    }
    sets = "\n".join(f"{name}: {n}" for name, n in line.labels["sets"].items())
    told = "EXAMPLE" if line.source == "example" else "people"
    return {
        "month": named(month.month, found),
        "date": line.date or "not recorded yet",
        "models": "\n".join(filter(None, [grader["cheap"], grader["strong"]])),
        **marked,
        "labels": f"{line.labels['hash'][:12]} ({told})\n{sets}",
        "thresholds": "\n".join(f"{name} {value:g}" for name, value in line.thresholds.items()),
    }
