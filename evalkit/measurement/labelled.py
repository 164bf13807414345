"""Labelled transcripts beside their gradings: what people say of each, and what the cascade says of the same words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evalkit.errors import CaseError
from evalkit.grading.cascade import Grading, grading_of
from evalkit.grading.panel import Panel
from evalkit.labels import Item, LabelSet, check, subject_of_item
from evalkit.labels.held_out import held_out
from evalkit.rubrics import Rubric
from evalkit.transcript import Grade


@dataclass(frozen=True)
class Labelled:
    """One item of a label set with what the grader says of it.

    `people` is whether it passes by people: None where a criterion of the rubric has no verdict of theirs.
    """

    labels: str
    item: Item
    held_out: bool
    people: bool | None
    grading: Grading

    @property
    def rated(self) -> bool:
        """Whether anybody gave a verdict on it."""
        return bool(self.item.criteria)

    @property
    def compared(self) -> bool:
        """Whether both have a verdict on it."""
        return self.people is not None and self.grading.passed is not None

    @property
    def disputed(self) -> bool:
        """Whether one passes it and the other does not."""
        return self.compared and self.people != self.grading.passed


def sets_that_count(sets: Sequence[LabelSet]) -> tuple[LabelSet, ...]:
    """The sets that a grader is measured by: those that people labelled or, where there are none, the examples.

    A sheet that nobody has filled in yet takes no other labels' place.
    """
    by_people = tuple(each for each in sets if each.source == "people" and any(item.criteria for item in each.items))
    return by_people or tuple(each for each in sets if each.source == "example") or tuple(sets)


def labels_hash(sets: Iterable[LabelSet]) -> str:
    """SHA-256 of what the sets measure, whatever they are called; see `LabelSet.hash`."""
    return hashlib.sha256("\n".join(sorted(each.hash for each in sets)).encode()).hexdigest()


def labelled_by(
    sets: Sequence[LabelSet], panel: Panel, grades: Mapping[str, Grade], series: str, share: float
) -> tuple[Labelled, ...]:
    """Every item of the sets with its grading in a series; `share` of the cases is held out.

    Raises CaseError, with every fault, where labels do not fit the rubric.
    """
    rubric = panel.rubric
    if faults := check(sets, {rubric.name: rubric}):
        raise CaseError(faults)
    return tuple(
        Labelled(
            labels.name,
            item,
            held_out(item.case, share),
            passes([item.verdict(name) for name in rubric.criterion_names], rubric),
            grading_of(panel, subject_of_item(item), grades, series),
        )
        for labels in sets
        for item in labels.items
    )


def passes(verdicts: Sequence[str | None], rubric: Rubric) -> bool | None:
    """Whether a trial with these verdicts, one a criterion, passes; None where one is missing."""
    known = [each for each in verdicts if each is not None]
    return all(map(rubric.passes, known)) if len(known) == len(verdicts) else None
