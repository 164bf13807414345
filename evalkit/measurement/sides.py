"""One side of the labelled items, held out or open, and the agreement of the grader with people on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from evalkit.grading.turns import content_hash
from evalkit.measurement.labelled import Labelled
from evalkit.measurement.people import CLASSES, PASS, People, in_words
from evalkit.rubrics import Rubric
from evalkit.stats.agreement import Agreement, kappa
from evalkit.stats.relatives import Relatives, relatives

Table = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, eq=False)
class OnCriterion:
    """Kappa on one criterion, over the rubric's menu; the weighted ones are None where the menu is no scale."""

    name: str
    plain: Agreement
    linear: Agreement | None
    quadratic: Agreement | None


@dataclass(frozen=True, eq=False)
class Side:
    """Labelled items, and each figure of them when it is first asked for.

    In every table the rows are people's verdicts and the columns the grader's, passes first.
    """

    name: str
    labelled: tuple[Labelled, ...]
    rubric: Rubric

    @cached_property
    def decided(self) -> tuple[Labelled, ...]:
        """The items on which people have a verdict."""
        return tuple(each for each in self.labelled if each.people is not None)

    @cached_property
    def in_order(self) -> tuple[Labelled, ...]:
        """The decided items in an order that does not hang on files or their names."""
        return tuple(sorted(self.decided, key=lambda each: (each.item.id, content_hash(each.item.turns))))

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.labelled)

    @property
    def cases(self) -> int:
        """How many cases they are of."""
        return len({each.item.case for each in self.labelled})

    @property
    def unrated(self) -> int:
        """Items that nobody rated."""
        return sum(not each.rated for each in self.labelled)

    @property
    def undecided(self) -> int:
        """Items that were rated, and have no verdict yet: raters differ, or a criterion is left out."""
        return self.items - len(self.decided) - self.unrated

    @cached_property
    def states(self) -> Mapping[str, int]:
        """How many of the decided items are "graded", "unscored", an "error" or "not graded"."""
        return Counter(each.grading.state for each in self.decided)

    @property
    def unread(self) -> int:
        """Decided items on which the grader was asked and has no verdict."""
        return self.states["unscored"] + self.states["error"]

    @cached_property
    def agreement(self) -> Agreement:
        """Kappa of people and grader on whether a transcript passes."""
        return kappa(*self._verdicts, labels=CLASSES, cases=self._cases)

    @cached_property
    def relatives(self) -> Relatives:
        """What is read beside kappa: raw and specific agreement, AC1, PABAK."""
        return relatives(*self._verdicts, labels=CLASSES, cases=self._cases, positive=PASS)

    @cached_property
    def criteria(self) -> tuple[OnCriterion, ...]:
        """Kappa on each criterion, with what people decided of it."""
        return tuple(self._criterion(name) for name in self.rubric.criterion_names)

    @cached_property
    def people(self) -> People:
        """Its raters, against one another."""
        return People(self.labelled, self.rubric)

    @cached_property
    def table(self) -> Table:
        """How often people and grader said what of the same item."""
        return self._table(lambda each: 1)

    @cached_property
    def weighted(self) -> Table:
        """The same, each item counted as the trials that it stands for: one over the chance of being drawn."""
        return self._table(lambda each: 1 / each.item.inclusion)

    @cached_property
    def by_stratum(self) -> Mapping[str, Side]:
        """The items of each stratum."""
        return self._by(lambda each: each.item.stratum)

    @cached_property
    def by_candidate(self) -> Mapping[str, Side]:
        """The items of each candidate: a grader may favour its own family."""
        return self._by(lambda each: each.item.candidate)

    @cached_property
    def by_month(self) -> Mapping[str, Side]:
        """The items by the month of their first rating, YYYY-MM."""
        return self._by(lambda each: each.item.month or "")

    @cached_property
    def _verdicts(self) -> tuple[list[str | None], list[str | None]]:
        return (
            [in_words(each.people) for each in self.decided],
            [in_words(each.grading.passed) for each in self.decided],
        )

    @cached_property
    def _cases(self) -> list[str]:
        return [each.item.case for each in self.decided]

    def _criterion(self, name: str) -> OnCriterion:
        rated = [each for each in self.labelled if each.item.verdict(name) is not None]
        people = [each.item.verdict(name) for each in rated]
        grader = [each.grading.verdicts.get(name) for each in rated]
        cases = [each.item.case for each in rated]

        def with_weights(weights: str | None) -> Agreement:
            return kappa(people, grader, labels=self.rubric.verdicts, weights=weights, cases=cases)

        scale = self.rubric.ordered
        return OnCriterion(
            name,
            with_weights(None),
            with_weights("linear") if scale else None,
            with_weights("quadratic") if scale else None,
        )

    def _table(self, weight: Callable[[Labelled], float]) -> Table:
        cells = dict.fromkeys(((row, column) for row in (True, False) for column in (True, False)), 0.0)
        for each in self.decided:
            if each.compared:
                cells[bool(each.people), bool(each.grading.passed)] += weight(each)
        return tuple(tuple(cells[row, column] for column in (True, False)) for row in (True, False))

    def _by(self, key: Callable[[Labelled], str]) -> Mapping[str, Side]:
        parts: dict[str, list[Labelled]] = {}
        for each in self.labelled:
            if each.rated:
                parts.setdefault(key(each), []).append(each)
        return {name: Side(name, tuple(parts[name]), self.rubric) for name in sorted(parts)}
