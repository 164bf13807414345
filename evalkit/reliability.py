"""What a customer may rely on: how often each harm was done, and how often k trials of a case all pass."""

from __future__ import annotations

from typing import Any

import polars as pl

from evalkit.errors import NotMeasured
from evalkit.stats.intervals import wilson
from evalkit.stats.passhat import PassHat, as_failed, measured_alone
from evalkit.tables import Run
from evalkit.transcript import HARMS, Harm

LEFT_OUT, AS_FAILED = "left out", "as failed"
# What becomes of trials that were not measured.
CONVENTIONS = (LEFT_OUT, AS_FAILED)
NOT_LOOKED_FOR = "no check of a measured trial looks for it"
NO_TRIAL = "no trial was measured"

CURVE_COLUMNS: dict[str, Any] = {
    "candidate": pl.String, "convention": pl.String, "k": pl.Int64, "value": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "n": pl.Int64, "trials": pl.Int64, "left_out": pl.Int64, "reason": pl.String,
}  # fmt: skip
HARM_COLUMNS: dict[str, Any] = {
    "candidate": pl.String, "harm": pl.String, "trials_with": pl.Int64, "trials": pl.Int64, "cases_with": pl.Int64,
    "cases": pl.Int64, "share": pl.Float64, "low": pl.Float64, "high": pl.Float64, "reason": pl.String,
}  # fmt: skip


def curves(run: Run) -> pl.DataFrame:
    """pass^k of each candidate for k = 1 to the run's trials, under both conventions for trials not measured.

    Columns `candidate`; `convention` "left out" (the trial, and a case with fewer than k others) | "as failed"; `k`;
    `value`, `low`, `high` (95 % t interval over cases; null where undefined, with a `reason`); `n` cases and `trials`
    behind it; `left_out` cases. Measured is what passed or failed: a trial with a check that was left unscored did
    neither. A case that is no longer in the suite stands in neither convention.
    """
    planned = run.manifest["trials"]
    rows = []
    for name in _names(run):
        counted = (
            run.judged.filter((pl.col("candidate") == name) & pl.col("stratum").is_not_null())
            .group_by("case", maintain_order=True)
            .agg(passed=pl.col("passed").sum(), measured=pl.col("passed").count())
        )
        passed, measured = counted["passed"].to_list(), counted["measured"].to_list()
        rows += [_point(name, LEFT_OUT, measured_alone(passed, measured, k)) for k in range(1, planned + 1)]
        rows += [_point(name, AS_FAILED, as_failed(passed, planned, k)) for k in range(1, planned + 1)]
    return pl.DataFrame(rows, schema=CURVE_COLUMNS)


def pass_hat(run: Run, k: int) -> pl.DataFrame:
    """The rows of `curves` at one k. Raises NotMeasured where the run has fewer trials than k, or k is less than 1."""
    if not 1 <= k <= run.manifest["trials"]:
        raise NotMeasured(f"pass^{k} is not measured by this run: it has {run.manifest['trials']} trials of each case")
    return curves(run).filter(pl.col("k") == k)


def harms(run: Run) -> pl.DataFrame:
    """How often each candidate did each harm, in the cases in which a check of its trials looks for it.

    Columns `candidate`, `harm`; `trials_with` it of `trials` measured; `cases_with` it in any trial of `cases`
    measured; `share` of cases, `low`, `high` (Wilson's 95 % interval over cases; null where undefined, with a
    `reason`).
    """
    rows = []
    for name in _names(run):
        # A trial with a check that was left unscored neither passed nor failed, and its other checks tell their harms;
        # an imported one has no points.
        told = pl.col("points").is_not_null() | pl.col("passed").is_not_null()
        measured = run.judged.filter((pl.col("candidate") == name) & told)
        rows += [_harm(name, harm, measured, _looked_for(run, name, harm)) for harm in HARMS]
    return pl.DataFrame(rows, schema=HARM_COLUMNS)


def _names(run: Run) -> list[str]:
    return [candidate["name"] for candidate in run.manifest["candidates"]]


def _point(name: str, convention: str, found: PassHat) -> dict[str, Any]:
    each = found.interval
    return {
        "candidate": name, "convention": convention, "k": found.k, "value": each.value, "low": each.low,
        "high": each.high, "n": each.n, "trials": found.trials, "left_out": found.left_out, "reason": each.reason,
    }  # fmt: skip


def _looked_for(run: Run, name: str, harm: Harm) -> set[str]:
    """The cases of which a check of some trial could tell this harm. A check that was left unscored tells nothing."""
    told = run.verdicts.filter((pl.col("candidate") == name) & pl.col("passed").is_not_null())
    found = set(told.filter(harm=harm)["case"])
    if harm == "missed handoff":
        # A route that is right names no harm, though the same check looks for one.
        found |= {case.id for case in run.cases if case.expects_handoff} & set(told.filter(kind="routing")["case"])
    return found


def _harm(name: str, harm: Harm, measured: pl.DataFrame, looked_for: set[str]) -> dict[str, Any]:
    asked = measured.filter(pl.col("case").is_in(looked_for))
    done = asked.filter(pl.col(harm.replace(" ", "_")))
    found = wilson(done["case"].n_unique(), asked["case"].n_unique())
    return {
        "candidate": name, "harm": harm, "trials_with": done.height, "trials": asked.height,
        "cases_with": done["case"].n_unique(), "cases": found.n, "share": found.value, "low": found.low,
        "high": found.high, "reason": found.reason and (NO_TRIAL if measured.is_empty() else NOT_LOOKED_FOR),
    }  # fmt: skip
