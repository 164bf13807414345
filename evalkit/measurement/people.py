"""People against people, on the same transcripts that a grader is measured on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from evalkit.labels import Item
from evalkit.measurement.labelled import Labelled, passes
from evalkit.rubrics import Rubric
from evalkit.stats.agreement import Agreement, Difference, difference, kappa
from evalkit.stats.alpha import Alpha, krippendorff

PASS, FAIL = "pass", "fail"
CLASSES = (PASS, FAIL)


def in_words(passed: bool | None) -> str | None:
    """A verdict as agreement is counted by: "pass", "fail", or None where there is none."""
    return None if passed is None else PASS if passed else FAIL


@dataclass(frozen=True, eq=False)
class Pair:
    """Two raters, and their kappa on the items that both rated."""

    first: str
    second: str
    agreement: Agreement


@dataclass(frozen=True, eq=False)
class People:
    """The raters of some items, by whether a transcript passes; each figure is computed when it is first asked for."""

    labelled: tuple[Labelled, ...]
    rubric: Rubric

    @cached_property
    def raters(self) -> Mapping[str, int]:
        """How many items each rater gave a verdict on."""
        rated = Counter(rating.rater for each in self.labelled for rating in each.item.ratings if rating.verdicts)
        return dict(sorted(rated.items()))

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Each two raters who rated items in common, those with the most in common first."""
        found = [
            Pair(first, second, kappa(self._said(first), self._said(second), labels=CLASSES, cases=self._cases))
            for first, second in combinations(self.raters, 2)
        ]
        return tuple(sorted((each for each in found if each.agreement.n), key=lambda each: -each.agreement.n))

    @cached_property
    def against_grader(self) -> Difference | None:
        """The grader's kappa with the two raters who have most in common, less theirs; None where no two have any."""
        if not self.pairs:
            return None
        first, second = (self._said(name) for name in (self.pairs[0].first, self.pairs[0].second))
        grader = [in_words(each.grading.passed) for each in self.labelled]
        return difference(first, second, grader, labels=CLASSES, cases=self._cases)

    @cached_property
    def alpha(self) -> Alpha:
        """Krippendorff's alpha of all raters, gaps and all."""
        return krippendorff([[in_words(self._of(each.item, name)) for name in self.raters] for each in self.labelled])

    @cached_property
    def _cases(self) -> list[str]:
        return [each.item.case for each in self.labelled]

    def _said(self, rater: str) -> list[str | None]:
        return [in_words(self._of(each.item, rater)) for each in self.labelled]

    def _of(self, item: Item, rater: str) -> bool | None:
        given = next((rating.verdicts for rating in item.ratings if rating.rater == rater), {})
        return passes([given.get(name) for name in self.rubric.criterion_names], self.rubric)
