"""A run as tidy frames: one row a trial, with columns that stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import polars as pl

from evalkit import archive
from evalkit.archive import Pair
from evalkit.cases import Case
from evalkit.checks import Judgement, judge
from evalkit.client import Price
from evalkit.errors import ShootoutError
from evalkit.grading import LIVE, Grading, Panel, Subject, grading_of, panel_of_run, subject_of
from evalkit.labels import LabelSet, load_label_sets
from evalkit.store import Slot
from evalkit.suite import Suite
from evalkit.transcript import HARMS, NEVER_MEASURED, Grade, Trial

if TYPE_CHECKING:
    import pandas

REMOVED = "the case is no longer in the suite"
NOT_PLAYED = "not played yet, or the run was stopped"
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
class Run:
    """The trials of a run, judged by a suite.

    `judged_by` says by which: the suite as it stands, or the run's own snapshot. `grades` are those of its trials and
    of the labelled transcripts, by their fingerprints; `labels` the files of people's labels, by their names.
    """

    manifest: Mapping[str, Any]
    suite: Suite
    pairs: tuple[Pair, ...]
    judged_by: str
    grades: Mapping[str, Grade] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    _known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def id(self) -> str:
        """The run's id."""
        return self.manifest["run"]

    @property
    def name(self) -> str:
        """The name of its shootout."""
        return self.manifest["name"]

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The cases that were asked for, as the suite that judges has them; one that it lost is left out."""
        asked = dict.fromkeys(slot.case for slot, _ in self.pairs)
        return tuple(self.suite.by_id[name] for name in asked if name in self.suite.by_id)

    @cached_property
    def judgements(self) -> tuple[Judgement | None, ...]:
        """All verdicts on each slot's trial, in the order of `pairs`; None where nothing was played."""
        return tuple(
            judge(trial, self.suite.by_id[slot.case], self.suite)
            if trial is not None and slot.case in self.suite.by_id
            else None
            for slot, trial in self.pairs
        )

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """Each slot with its trial and judgement, in the order of `pairs`."""
        return tuple(
            Reading(slot, trial, found) for (slot, trial), found in zip(self.pairs, self.judgements, strict=True)
        )

    @property
    def series(self) -> str:
        """The series of the grades of labelled transcripts: "live", or a calibration's month."""
        return self.manifest.get("series", LIVE)

    @property
    def panel(self) -> Panel | None:
        """Who grades by what; None where the shootout names no grader, or `no_panel` says what of it is lost."""
        return self._panel[0]

    @property
    def no_panel(self) -> str:
        """Why there is no panel, '' where there is one: checks are read without it."""
        return self._panel[1]

    @cached_property
    def _panel(self) -> tuple[Panel | None, str]:
        try:
            panel = panel_of_run(self.manifest, self.suite)
        except ShootoutError as error:
            return None, str(error)
        return panel, "" if panel else "the run's shootout names no `grader`"

    @cached_property
    def subjects(self) -> tuple[Subject | None, ...]:
        """What of each slot's trial is graded, in the order of `pairs`; None where nothing is."""
        return tuple(
            subject_of(trial, self.suite.by_id[slot.case])
            if trial is not None and slot.case in self.suite.by_id
            else None
            for slot, trial in self.pairs
        )

    @cached_property
    def gradings(self) -> tuple[Grading | None, ...]:
        """What the graders say of each slot's trial, in the order of `pairs`; None where nothing is graded."""
        panel = self.panel
        return tuple(
            grading_of(panel, subject, self.grades) if panel is not None and subject is not None else None
            for subject in self.subjects
        )

    @cached_property
    def label_sets(self) -> tuple[LabelSet, ...]:
        """People's labels that are by the rubric of the run's grader."""
        name = self.panel and self.panel.rubric.name
        return tuple(each for each in load_label_sets(self.labels) if each.rubric == name)

    @cached_property
    def trials(self) -> pl.DataFrame:
        """One row a slot: how it ended, what it took and what was answered."""
        rows = []
        for slot, trial in self.pairs:
            case = self.suite.by_id.get(slot.case)
            usages = [attempt.usage for attempt in trial.attempts if attempt.usage] if trial else []
            last = trial.attempts[-1] if trial and trial.attempts else None
            rows.append(
                {
                    **self._slot_columns(slot, case, trial),
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
            )
        return pl.DataFrame(rows, schema=TRIAL_COLUMNS)

    @cached_property
    def judged(self) -> pl.DataFrame:
        """One row a slot: its verdicts, points and harms; null where it was not measured."""
        rows = []
        for (slot, trial), found in zip(self.pairs, self.judgements, strict=True):
            case = self.suite.by_id.get(slot.case)
            row = {
                **self._slot_columns(slot, case, trial),
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
                    "route": found.card and found.card.route,
                    "team": found.card and found.card.team,
                    "routing": found.routing,
                    "disqualifying": found.disqualifying,
                    "unclear": found.unclear,
                    **{harm.replace(" ", "_"): found.harms(harm) for harm in HARMS},
                }
            rows.append({name: row[name] for name in JUDGED_COLUMNS})
        return pl.DataFrame(rows, schema=JUDGED_COLUMNS)

    @cached_property
    def verdicts(self) -> pl.DataFrame:
        """One row a check of a trial."""
        rows = [
            (
                *(slot.candidate, slot.case, self.suite.by_id[slot.case].stratum, slot.number),
                *(verdict.check, verdict.kind, verdict.passed, verdict.points, verdict.harm, verdict.reason),
            )
            for (slot, _), found in zip(self.pairs, self.judgements, strict=True)
            if found is not None
            for verdict in found.verdicts
        ]
        return pl.DataFrame(rows, schema=VERDICT_COLUMNS, orient="row")

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

    def _slot_columns(self, slot: Slot, case: Case | None, trial: Trial | None) -> dict[str, Any]:
        if case is None:
            reason = REMOVED
        elif trial is None:
            alone = case.kind == "conversation" and "customer" not in self.manifest.get("shootout", {})
            reason = CONVERSATION if alone else NOT_PLAYED
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

    @property
    def complete(self) -> bool:
        """Whether every slot was measured, and every case is still in the suite that judges."""
        lost = self.manifest["suite"]["cases"] > len(self.cases)
        # By the trials themselves: a page on graders judges none of them.
        return not (lost or any(trial is None or trial.status in NEVER_MEASURED for _, trial in self.pairs))

    def to_pandas(self) -> pandas.DataFrame:
        """The judged rows as a pandas frame."""
        return self.judged.to_pandas()

    def archive(self, folder: Path, **more: Any) -> None:
        """Write the run into a folder, with `more` in its manifest; the suite written is the one that judged."""
        judged_by = {"judged_by": {"suite": self.suite.name, "snapshot": self.suite.snapshot, "as": self.judged_by}}
        manifest = {**self.manifest, **judged_by, **more}
        archive.write(folder, manifest, self.pairs, self.judged, self.suite.files, self.grades, self.labels)


Given = ParamSpec("Given")
Figures = TypeVar("Figures")


def once_a_run(figures: Callable[Concatenate[Run, Given], Figures]) -> Callable[Concatenate[Run, Given], Figures]:
    """What a function makes of a run, made once for each run and arguments: a page asks for it in many places."""

    @wraps(figures)
    def known(run: Run, *given: Given.args, **named: Given.kwargs) -> Figures:
        key = (figures, given, tuple(sorted(named.items())))
        if key not in run._known:
            run._known[key] = figures(run, *given, **named)
        return run._known[key]

    return known
