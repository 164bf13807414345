"""Which candidate for which kind of work: a recommendation for each purpose that a shootout names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from evalkit.recommend import TOLERANCE, Lead, cheapest, lead_over
from evalkit.scores import case_scores, field_of, mean_cost, price_invented, score_interval
from evalkit.stats.intervals import Interval
from evalkit.tables import Run


@dataclass(frozen=True)
class Purpose:
    """The recommendation for one kind of work: its strata, and who scores highest on their cases.

    Safety is asked of the whole run: who is not cleared is recommended for nothing. `candidate` is None, with a
    `reason`, where nobody can be. `cases` are those that were asked for, `score` says on how many it is measured.
    """

    name: str
    strata: tuple[str, ...]
    cases: int
    candidate: str | None
    score: Interval | None
    usd_per_ticket: float | None
    price_invented: bool = False
    leads: tuple[Lead, ...] = ()
    reason: str = ""

    @property
    def not_told_apart(self) -> tuple[str, ...]:
        """The cleared candidates whose scores on these cases may differ by chance alone."""
        return tuple(lead.over for lead in self.leads if not lead.told_apart)


def purposes(run: Run) -> tuple[Purpose, ...]:
    """The recommendation for each of the shootout's purposes, in their order; none where it names none."""
    return tuple(_purpose(run, name, tuple(strata)) for name, strata in run.manifest.get("purposes", ()))


def _purpose(run: Run, name: str, strata: Sequence[str]) -> Purpose:
    asked = sum(count for stratum, count in run.manifest["suite"]["strata"].items() if stratum in strata)
    field = field_of(run, strata)
    if not asked or not field.candidates:
        why = "no cleared candidate was measured on half of its cases" if asked else "the run holds no case of it"
        return Purpose(name, tuple(strata), asked, None, None, None, reason=why)
    scores = case_scores(run).filter(pl.col("case").is_in(field.cases))
    rows = [
        {
            "candidate": candidate,
            "score": score_interval(scores.filter(candidate=candidate)["score"].to_list()),
            "usd_per_ticket": mean_cost(
                run.judged.filter(
                    (pl.col("candidate") == candidate)
                    & pl.col("case").is_in(field.cases)
                    & pl.col("points").is_not_null()
                )
            ),
        }
        for candidate in field.candidates
    ]
    highest = max(row["score"].value for row in rows)
    best = cheapest([row for row in rows if highest - row["score"].value < TOLERANCE])
    return Purpose(
        name=name,
        strata=tuple(strata),
        cases=asked,
        candidate=best["candidate"],
        score=best["score"],
        usd_per_ticket=best["usd_per_ticket"],
        price_invented=any(
            price_invented(each) for each in run.manifest["candidates"] if each["name"] == best["candidate"]
        ),
        leads=tuple(
            lead_over(run, field.cases, best["candidate"], row["candidate"]) for row in rows if row is not best
        ),
    )
