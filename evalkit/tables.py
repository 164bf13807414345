"""A run as tidy frames: one row a trial, with columns that stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import polars as pl

from evalkit import archive
from evalkit.archive import Pair
from evalkit.cases import Case
from evalkit.checks import Judgement, judge
from evalkit.errors import ShootoutError
from evalkit.grading import LIVE, Grading, Panel, Subject, grading_of, panel_of_run, subject_of
from evalkit.labels import LabelSet, load_label_sets
from evalkit.rows import JUDGED_COLUMNS, TRIAL_COLUMNS, VERDICT_COLUMNS, Reading, Rows
from evalkit.store import Slot
from evalkit.suite import Suite
from evalkit.transcript import NEVER_MEASURED, Grade, Trial

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Run:
    """The trials of a run, judged by a suite.

    `judged_by` says by which: the suite as it stands, or the run's own snapshot. `pairs` are the shootout's own, of
    trial numbers below `manifest["trials"]`; `later` are those above: the baseline's further passes, and what a gate
    had played anew. `grades` are those of its trials and of the labelled transcripts, by their fingerprints; `labels`
    the files of people's labels, by their names.
    """

    manifest: Mapping[str, Any]
    suite: Suite
    pairs: tuple[Pair, ...]
    judged_by: str
    grades: Mapping[str, Grade] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    later: tuple[Pair, ...] = ()
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
        return tuple(each.judgement for each in self.readings)

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """Each slot with its trial and judgement, in the order of `pairs`."""
        return tuple(self._read(*pair) for pair in self.pairs)

    @cached_property
    def later_readings(self) -> tuple[Reading, ...]:
        """As `readings`, of the trials above the shootout's own, in the order of `later`."""
        return tuple(self._read(*pair) for pair in self.later)

    @property
    def baseline(self) -> str | None:
        """The candidate that stands for production: the one that is named, or the only one; None where neither is."""
        names = [each["name"] for each in self.manifest["candidates"]]
        return self.manifest.get("baseline") or (names[0] if len(names) == 1 else None)

    def passes(self, candidate: str) -> int:
        """How many passes over the cases a candidate was asked for: the baseline its repeats, any other one."""
        return self.manifest.get("repeats", 1) if candidate == self.baseline else 1

    def blocks(self, candidate: str) -> dict[int, tuple[Reading, ...]]:
        """A candidate's readings by their block, the numbers from b × trials on: 0 is the shootout's own."""
        found: dict[int, list[Reading]] = {}
        for reading in (*self.readings, *self.later_readings):
            if reading.slot.candidate == candidate:
                found.setdefault(reading.slot.number // self.manifest["trials"], []).append(reading)
        return {block: tuple(found[block]) for block in sorted(found)}

    def judged_by_suite(self, suite: Suite, says: str) -> Run:
        """The same trials, judged by another suite; `says` names it."""
        return replace(self, suite=suite, judged_by=says)

    def _read(self, slot: Slot, trial: Trial | None) -> Reading:
        case = self.suite.by_id.get(slot.case)
        return Reading(slot, trial, judge(trial, case, self.suite) if trial is not None and case is not None else None)

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
    def rows(self) -> Rows:
        """What makes a row of a slot."""
        return Rows(self.manifest, self.suite)

    @cached_property
    def trials(self) -> pl.DataFrame:
        """One row a slot: how it ended, what it took and what was answered."""
        return pl.DataFrame([self.rows.trial(*pair) for pair in self.pairs], schema=TRIAL_COLUMNS)

    @cached_property
    def judged(self) -> pl.DataFrame:
        """One row a slot: its verdicts, points and harms; null where it was not measured."""
        return pl.DataFrame([self.rows.judged(each) for each in self.readings], schema=JUDGED_COLUMNS)

    @cached_property
    def verdicts(self) -> pl.DataFrame:
        """One row a check of a trial."""
        rows = [row for each in self.readings for row in self.rows.verdicts(each)]
        return pl.DataFrame(rows, schema=VERDICT_COLUMNS, orient="row")

    @property
    def complete(self) -> bool:
        """Whether every slot was measured, and every case is still in the suite that judges."""
        lost = self.manifest["suite"]["cases"] > len(self.cases)
        # By the trials themselves: a page on graders judges none of them.
        played = (trial for _, trial in (*self.pairs, *self.later))
        return not (lost or any(trial is None or trial.status in NEVER_MEASURED for trial in played))

    def to_pandas(self) -> pandas.DataFrame:
        """The judged rows as a pandas frame."""
        return self.judged.to_pandas()

    def archive(self, folder: Path, **more: Any) -> None:
        """Write the run into a folder, with `more` in its manifest; the suite written is the one that judged."""
        judged_by = {"judged_by": {"suite": self.suite.name, "snapshot": self.suite.snapshot, "as": self.judged_by}}
        manifest = {**self.manifest, **judged_by, **more}
        pairs = (*self.pairs, *self.later)
        archive.write(folder, manifest, pairs, self.judged, self.suite.files, self.grades, self.labels)


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
