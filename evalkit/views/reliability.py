"""What `10_shootout` shows of harms and of reliability: counts over trials and cases, and pass^k."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from evalkit import boards, curves, reliability, safety
from evalkit.reliability import AS_FAILED, LEFT_OUT
from evalkit.shown import UNRANKED, counted, with_interval
from evalkit.tables import Run
from evalkit.transcript import HARMS, Harm

if TYPE_CHECKING:
    from altair import LayerChart
    from great_tables import GT

STANDINGS = {
    "cleared": "Cleared on safety",
    "not cleared": "Not cleared on safety – not ranked",
    "disqualified": UNRANKED,
}
HEADINGS: dict[Harm, str] = {
    "wrong answer": "Wrong answers",
    "wrong action": "Wrong actions",
    "missed handoff": "Missed handoffs",
    "leaked data": "Leaked data",
}
WORST = "▲"
BOTH = "Every trial was measured, so both conventions agree"
MISSING = (
    "Not measured are errors, faults of the simulated customer, what was not played and what a check left unscored; an "
    "empty answer and one that came too late are failures. A case with fewer than k measured trials is left out too. "
    "Errors that strike hard cases make the first convention too kind; the second is the least that the trials would "
    "have come to."
)
KEPT = {LEFT_OUT: "Left out: trials that were not measured", AS_FAILED: "As failed: trials that were not measured"}


def harm_table(run: Run) -> GT:
    """How often each candidate did each of the four harms, in trials and in cases, the disqualified apart."""
    from great_tables import loc, style

    found = reliability.harms(run)
    rows = []
    for standing, name in _by_standing(run):
        mine = {row["harm"]: row for row in found.filter(candidate=name).to_dicts()}
        cells = {harm: _harm(mine[harm], found.filter(harm=harm)) for harm in HARMS}
        rows.append({"standing": STANDINGS[standing], "candidate": name, **cells})
    marked = any(row[harm].startswith(WORST) for row in rows for harm in HARMS)
    most = f" {WORST} the largest share of its column." if marked else ""
    board = boards.table(
        pl.DataFrame(rows, schema=["standing", "candidate", *HARMS]),
        labels={"candidate": "Candidate", **HEADINGS},
        stub="candidate",
        group="standing",
        right=HARMS,
        alarm=WORST,
        note="Of the measured trials and cases in which a check looks for the harm. A case counts where any of its "
        "trials did harm; the share of cases has Wilson's 95 % interval. None seen is not a rate of 0: the interval "
        f"says how many may be behind it.{most}{_not_measured(found)}",
    )
    return board.tab_style(style.css("white-space: pre-line"), loc.body(columns=list(HARMS)))


def pass_hat_chart(run: Run) -> LayerChart:
    """pass^k against k, a line a candidate, trials that were not measured left out."""
    standing = {name: standing for standing, name in _by_standing(run)}
    frame = reliability.curves(run).filter(convention=LEFT_OUT)
    return curves.pass_hat_curves(frame.with_columns(standing=pl.col("candidate").replace_strict(standing)))


def pass_hat_table(run: Run) -> GT:
    """pass^k of each candidate under both conventions for trials that were not measured, with what is behind it."""
    found = reliability.curves(run)
    same = _agree(found)
    rows = []
    for convention, heading in {LEFT_OUT: BOTH}.items() if same else KEPT.items():
        for standing, name in _by_standing(run):
            mine = found.filter(candidate=name, convention=convention).sort("k").to_dicts()
            rows.append(
                {
                    "convention": heading,
                    "candidate": name,
                    **{f"k{row['k']}": _value(row, mine[0]) for row in mine},
                    "n": f"{mine[0]['n']}\u00a0/\u00a0{mine[0]['trials']}",
                    "standing": standing,
                }
            )
    ks = sorted(set(found["k"]))
    return boards.table(
        pl.DataFrame(rows, infer_schema_length=None),
        labels={
            "candidate": "Candidate",
            **{f"k{k}": f"k\u00a0=\u00a0{k}" for k in ks},
            "n": "Cases / trials",
            "standing": "Standing",
        },
        stub="candidate",
        group="convention",
        right=(*(f"k{k}" for k in ks), "n", "standing"),
        note="The mean over cases of C(c, k) / C(n, k), for c of a case's n trials passed, with its 95 % interval (t, "
        "over cases). A trial passes where every check of it passes." + ("" if same else f" {MISSING}"),
    )


def _by_standing(run: Run) -> list[tuple[str, str]]:
    """Each candidate with its standing: the cleared first, the disqualified last, else in the shootout's order."""
    order = list(STANDINGS)
    found = [(record.standing, record.candidate) for record in safety.safety_records(run)]
    return sorted(found, key=lambda pair: order.index(pair[0]))


def _harm(row: Mapping[str, Any], column: pl.DataFrame) -> str:
    if row["share"] is None:
        return "not measured"
    share = boards.percent_with_interval(row["share"], row["low"], row["high"])
    said = f"{row['trials_with']} of {counted(row['trials'], 'trial')}\n"
    said += f"{row['cases_with']} of {counted(row['cases'], 'case')}\n{share}"
    least, most = column["share"].min(), column["share"].max()
    worst = row["share"] == most and most != least
    return (f"{WORST} {said}" if worst else said).replace(" ", "\u00a0")


def _not_measured(found: pl.DataFrame) -> str:
    """Why harms were not measured, in a sentence; '' where all were."""
    unseen = found.filter(pl.col("reason") != "")
    said = [f"{row['harm']} of {row['candidate']}: {row['reason']}" for row in unseen.to_dicts()]
    everywhere = [
        f"{harm}: {rows['reason'][0]}"
        for (harm,), rows in unseen.group_by("harm", maintain_order=True)
        if rows.height == found["candidate"].n_unique() and rows["reason"].n_unique() == 1
    ]
    whole = {each.partition(":")[0] for each in everywhere}
    said = everywhere + [each for each in said if each.partition(" of ")[0] not in whole]
    return f" Not measured: {'; '.join(said)}." if said else ""


def _value(row: Mapping[str, Any], first: Mapping[str, Any]) -> str:
    if row["value"] is None:
        return f"not measured: {row['reason']}"
    rests = f", {counted(row['n'], 'case')}" if row["n"] != first["n"] else ""
    return with_interval(row["value"], row["low"], row["high"]) + rests


def _agree(found: pl.DataFrame) -> bool:
    """Whether no trial is missing, so that both conventions rest on the same trials."""
    kept = ["candidate", "k", "n", "trials", "left_out"]
    return found.filter(convention=LEFT_OUT).select(kept).equals(found.filter(convention=AS_FAILED).select(kept))
