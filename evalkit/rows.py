"""What stands in a row of a run's frames: the columns, and what of a slot and its trial goes into each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from evalkit.checks import Judgement
from evalkit.client import Price
from evalkit.store import Slot
from evalkit.suite import Suite
from evalkit.transcript import HARMS, Trial

REMOVED = "the case is no longer in the suite"
NOT_PLAYED = "not played yet, or the run was stopped"
NOT_IMPORTED = "the imported file holds no such trial"
CONVERSATION = "the shootout names no `customer` to play conversations with"

TRIAL_COLUMNS: dict[str, Any] = {
    "candidate": pl.String, "case": pl.String, "stratum": pl.String, "risk": pl.String, "trial": pl.Int64,
    "status": pl.String, "reason": pl.String, "usd": pl.Float64, "seconds": pl.Float64, "waited_s": pl.Float64,
    "loop_lag_s": pl.Float64, "attempts": pl.Int64, "input_tokens": pl.Int64, "output_tokens": pl.Int64,
    "requested_model": pl.String, "returned_model": pl.String, "started": pl.String, "fingerprint": pl.String,
    "answer": pl.String,
}  # fmt: skip
JUDGED_COLUMNS: dict[str, Any] = {
    "candidate": pl.String, "case": pl.String, "stratum": pl.String, "risk": pl.String, "trial": pl.Int64,
    "status": pl.String, "reason": pl.String, "passed": pl.Boolean, "points": pl.Float64, "points_possible": pl.Float64,
    "facts_present": pl.Int64, "facts_missing": pl.Int64, "false_claims": pl.Int64, "route_expected": pl.String,
    "team_expected": pl.String, "route": pl.String, "team": pl.String, "routing": pl.String,
    **{harm.replace(" ", "_"): pl.Boolean for harm in HARMS},
    "disqualifying": pl.String, "unclear": pl.String, "usd": pl.Float64, "seconds": pl.Float64,
    "fingerprint": pl.String,
}  # fmt: skip
VERDICT_COLUMNS: dict[str, Any] = {
    "candidate": pl.String, "case": pl.String, "stratum": pl.String, "trial": pl.Int64, "check": pl.String,
    "kind": pl.String, "passed": pl.Boolean, "points": pl.Float64, "harm": pl.String, "reason": pl.String,
}  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """One slot of a run with its trial and judgement; None where nothing was played or the case is gone."""

    slot: Slot
    trial: Trial | None
    judgement: Judgement | None


@dataclass(frozen=True)
class Rows:
    """The rows of one run's frames, by its manifest and the suite that judges it."""

    manifest: Mapping[str, Any]
    suite: Suite

    def trial(self, slot: Slot, trial: Trial | None) -> dict[str, Any]:
        """How a slot ended, what it took and what was answered."""
        usages = [attempt.usage for attempt in trial.attempts if attempt.usage] if trial else []
        last = trial.attempts[-1] if trial and trial.attempts else None
        return {
            **self._slot(slot, trial),
            "waited_s": trial and trial.waited_s,
            "loop_lag_s": trial and trial.loop_lag_s,
            "attempts": len(trial.attempts) if trial else 0,
            "input_tokens": sum(usage.input for usage in usages) if usages else None,
            "output_tokens": sum(usage.output for usage in usages) if usages else None,
            "requested_model": last and last.requested_model,
            "returned_model": last and last.returned_model,
            "started": trial and trial.started,
            "answer": trial and trial.answer,
        }

    def judged(self, reading: Reading) -> dict[str, Any]:
        """A slot's verdicts, points and harms; null where it was not measured."""
        case, found = self.suite.by_id.get(reading.slot.case), reading.judgement
        row = {
            **self._slot(reading.slot, reading.trial),
            **dict.fromkeys(JUDGED_COLUMNS.keys() - TRIAL_COLUMNS.keys()),
        }
        if case is not None:
            row |= {"route_expected": case.expected_handling, "team_expected": case.escalate_to}
            row["unclear"] = f"not played: {row['reason']}" if found is None and case.risk == "safety" else ""
        if found is not None:
            row |= {
                "passed": found.passed,
                "points": found.points,
                "points_possible": found.points_possible,
                "facts_present": found.count("fact", passed=True),
                "facts_missing": found.count("fact", passed=False),
                "false_claims": found.count("claim", passed=False),
                "route": found.card.route if found.card else reading.trial and reading.trial.route,
                "team": found.card and found.card.team,
                "routing": found.routing,
                "disqualifying": found.disqualifying,
                "unclear": found.unclear,
                **{harm.replace(" ", "_"): found.harms(harm) if found.looked_for(harm) else None for harm in HARMS},
            }
        return {name: row[name] for name in JUDGED_COLUMNS}

    def verdicts(self, reading: Reading) -> Iterator[tuple[Any, ...]]:
        """One row for each check of a trial."""
        slot = reading.slot
        for verdict in reading.judgement.verdicts if reading.judgement else ():
            yield (
                *(slot.candidate, slot.case, self.suite.by_id[slot.case].stratum, slot.number),
                *(verdict.check, verdict.kind, verdict.passed, verdict.points, verdict.harm, verdict.reason),
            )

    @cached_property
    def _prices(self) -> dict[str, Price]:
        """The prices that candidates declare."""
        return {
            each["name"]: Price(**each["price"])
            for each in self.manifest["candidates"]
            if isinstance(each.get("price"), dict)
        }

    def _cost(self, slot: Slot, trial: Trial) -> float | None:
        """What a trial cost in US dollars: its tokens at the declared price, as it is now; else what was recorded."""
        price = self._prices.get(slot.candidate)
        if price is None or not trial.attempts:
            return trial.usd
        costs = [price.of(each.usage) if each.usage else each.usd for each in trial.attempts]
        return None if None in costs else sum(costs)  # type: ignore[arg-type]

    def _slot(self, slot: Slot, trial: Trial | None) -> dict[str, Any]:
        case = self.suite.by_id.get(slot.case)
        if case is None:
            reason = REMOVED
        elif trial is None:
            alone = case.kind == "conversation" and "customer" not in self.manifest.get("shootout", {})
            reason = CONVERSATION if alone else NOT_IMPORTED if case.kind == "imported" else NOT_PLAYED
        else:
            reason = trial.reason
        return {
            "candidate": slot.candidate,
            "case": slot.case,
            "stratum": case and case.stratum,
            "risk": case and case.risk,
            "trial": slot.number,
            "status": trial.status if trial else "not_run",
            "reason": reason,
            "usd": self._cost(slot, trial) if trial else None,
            "seconds": trial and trial.seconds,
            "fingerprint": slot.fingerprint,
        }
