"""The figures of a measurement as plain JSON values: what a line of the ledger and the command line hold."""

from __future__ import annotations

from typing import Any

from evalkit.grading.panel import Panel
from evalkit.measurement.measuring import Measurement
from evalkit.measurement.needed import Needed
from evalkit.measurement.people import People
from evalkit.measurement.sides import Side
from evalkit.stats.agreement import Agreement
from evalkit.stats.intervals import Interval

# The grader's verdict on one item, in the row of all.
_LETTER = {True: "p", False: "f", None: "-"}


def measurement_figures(found: Measurement) -> dict[str, Any]:
    """A measurement with all its figures; held-out disagreements are counted, open ones named."""
    return {
        "decision": found.decision.word,
        "reasons": list(found.decision.reasons),
        "grader": grader_figures(found.panel),
        "rubric": found.panel.rubric.name,
        "series": found.series,
        "labels": {**label_figures(found), "raters": dict(found.raters)},
        "thresholds": found.thresholds.model_dump(mode="json"),
        "held_out": side_figures(found.held_out),
        "open": side_figures(found.open),
        "all": side_figures(found.all),
        "needed": {
            "a_tenth": needed_figures(found.for_a_tenth),
            "the_threshold": needed_figures(found.for_the_threshold),
        },
        "disagreements": {"open": [each.item.id for each in found.to_read], "held_out": found.hidden},
    }


def grader_figures(panel: Panel) -> dict[str, str | None]:
    """Which grader: its fingerprint, the hashes that it is made of, and its models."""
    models = {"cheap": panel.cheap.spec.model, "strong": panel.strong and panel.strong.spec.model}
    return {"fingerprint": panel.fingerprint, **panel.identity, **models}


def label_figures(found: Measurement) -> dict[str, Any]:
    """Which labels: the hash of what they measure, who labelled, and the items of each set."""
    sets = {labels.name: len(labels.items) for labels in found.sets}
    return {"hash": found.labels_hash, "source": found.source, "sets": sets}


def side_figures(side: Side) -> dict[str, Any]:
    """All figures of a side; tables are counts, people's verdicts in rows, and no transcript is among them.

    `candidates` holds their tables weighted by one over the chance of being drawn as well, so that a pass rate can be
    corrected without the labels; `verdicts` holds a letter for each decided item, by which months are compared.
    """
    beside = side.relatives
    return {
        "items": side.items,
        "cases": side.cases,
        "unrated": side.unrated,
        "undecided": side.undecided,
        "not_graded": side.states["not graded"],
        "unscored": side.states["unscored"],
        "errors": side.states["error"],
        "kappa": kappa_figures(side.agreement),
        "raw": interval_figures(beside.raw),
        "ac1": beside.ac1,
        "pabak": beside.pabak,
        "positive": interval_figures(beside.positive),
        "negative": interval_figures(beside.negative),
        "criteria": {
            each.name: {
                weights: found and kappa_figures(found)
                for weights, found in (("plain", each.plain), ("linear", each.linear), ("quadratic", each.quadratic))
            }
            for each in side.criteria
        },
        "humans": human_figures(side.people),
        "candidates": {
            name: {"items": part.items, "table": _whole(part.table), "weighted": part.weighted}
            for name, part in side.by_candidate.items()
        },
        "strata": {name: kappa_figures(part.agreement) for name, part in side.by_stratum.items()},
        "months": {name: kappa_figures(part.agreement) for name, part in side.by_month.items()},
        "raters": dict(side.people.raters),
        "verdicts": "".join(_LETTER[each.grading.passed] for each in side.in_order),
    }


def kappa_figures(found: Agreement) -> dict[str, Any]:
    """A kappa with all that it takes to read it."""
    return {
        "value": found.value if found.measured else None,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "cases": found.cases,
        "table": found.table,
        "undefined": found.undefined,
        "resamples": found.resamples,
        "reason": found.reason,
    }


def interval_figures(found: Interval) -> dict[str, Any]:
    """A share with its interval."""
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n, "reason": found.reason}


def human_figures(people: People) -> dict[str, Any] | None:
    """People against people, and the grader against that; None where no two raters share an item."""
    against = people.against_grader
    if against is None:
        return None
    best = people.pairs[0]
    return {
        "raters": [best.first, best.second],
        "kappa": kappa_figures(best.agreement),
        "difference": {
            "value": against.value,
            "low": against.low,
            "high": against.high,
            "n": against.n,
            "reason": against.reason,
        },
        "alpha": people.alpha.value,
    }


def needed_figures(needed: Needed) -> dict[str, Any]:
    """How many labels are needed, there, and missing."""
    return {"items": needed.items, "have": needed.have, "more": needed.more, "reason": needed.reason}


def _whole(table: Any) -> list[list[int]]:
    return [[int(count) for count in row] for row in table]
