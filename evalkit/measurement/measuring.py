"""The measurement of a run's grader: its agreement with people, and the decision that it allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from evalkit.errors import NotMeasured
from evalkit.grading.panel import Panel
from evalkit.labels import LabelSet
from evalkit.labels.items import Source
from evalkit.measurement.decision import Decision, decide
from evalkit.measurement.labelled import Labelled, labelled_by, labels_hash, sets_that_count
from evalkit.measurement.needed import Needed, for_a_tenth, for_the_threshold
from evalkit.measurement.sides import Side
from evalkit.settings import Trust
from evalkit.tables import Run, once_a_run


@dataclass(frozen=True, eq=False)
class Measurement:
    """A grader against people, on the label sets by its rubric; each figure is computed when it is first asked for.

    The decision is made on `held_out` alone. `source` says who labelled: "people", or None without any label set.
    """

    panel: Panel
    series: str
    thresholds: Trust
    sets: tuple[LabelSet, ...]
    labelled: tuple[Labelled, ...]

    @property
    def source(self) -> Source | None:
        """Whether people labelled the sets, or whether they are an example; None without any."""
        return self.sets[0].source if self.sets else None

    @cached_property
    def labels_hash(self) -> str:
        """SHA-256 of what the label sets measure."""
        return labels_hash(self.sets)

    @cached_property
    def held_out(self) -> Side:
        """The items of held-out cases: what the decision rests on."""
        return Side("held-out", tuple(each for each in self.labelled if each.held_out), self.panel.rubric)

    @cached_property
    def open(self) -> Side:
        """The other items: those that a rubric may be tuned on."""
        return Side("open", tuple(each for each in self.labelled if not each.held_out), self.panel.rubric)

    @cached_property
    def all(self) -> Side:
        """All items."""
        return Side("all", self.labelled, self.panel.rubric)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The three."""
        return self.held_out, self.open, self.all

    @cached_property
    def decision(self) -> Decision:
        """Whether the grader may be believed."""
        if not self.sets:
            said = f"No label set under labels/ is by the rubric {self.panel.rubric.name}"
            return Decision("not measured", (f"{said}; `evalkit labels sheet` draws one.",))
        return decide(self.held_out, self.thresholds, self.series)

    @property
    def raters(self) -> Mapping[str, int]:
        """How many items each rater labelled."""
        return self.all.people.raters

    @cached_property
    def for_a_tenth(self) -> Needed:
        """The held-out labels that tell kappa to within 0.1."""
        return for_a_tenth(self.held_out)

    @cached_property
    def for_the_threshold(self) -> Needed:
        """The held-out labels with which kappa's lower end reaches its threshold."""
        return for_the_threshold(self.held_out, self.thresholds)

    @cached_property
    def to_read(self) -> tuple[Labelled, ...]:
        """The open items that one passes and the other does not; no transcript that is held out is ever among them."""
        return tuple(each for each in self.open.labelled if each.disputed)

    @property
    def hidden(self) -> int:
        """How many held-out items one passes and the other does not."""
        return sum(each.disputed for each in self.held_out.labelled)


@once_a_run
def measure(run: Run) -> Measurement:
    """The agreement of a run's grader with people, by the grades of the run's series.

    Where people labelled sets by the rubric, they alone count; else the examples do. Raises NotMeasured where the run
    has no grader, CaseError where labels do not fit the rubric.
    """
    panel = run.panel
    if panel is None:
        raise NotMeasured(f"{run.no_panel}: there is no grader to measure")
    thresholds, sets = run.suite.settings.trust, sets_that_count(run.label_sets)
    found = labelled_by(sets, panel, run.grades, run.series, thresholds.held_out)
    return Measurement(panel, run.series, thresholds, sets, found)
