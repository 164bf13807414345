"""Cohen's kappa with its interval over cases, the figures to read beside it, and graders against people's own kappa.

Kappa alone deceives: with few fails it is low at high agreement, and with one class on a side it is 0 whatever the
other side says. So each figure carries its table, and kappa is shown with raw and specific agreement.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from evalkit.stats.confusion import (
    OVER_CASES,
    Weights,
    expected,
    how_far_apart,
    kappas,
    landis_koch,
    most_unseen,
    one_class,
    standard_errors,
)
from evalkit.stats.relatives import Relatives, relatives
from evalkit.stats.resampling import Coded, Resampled, bootstrap, coded

Labels = Sequence[Hashable]

__all__ = ["Agreement", "Difference", "Relatives", "difference", "kappa", "landis_koch", "relatives"]


@dataclass(frozen=True)
class Agreement:
    """Kappa of two raters, and the table that it comes from.

    `value` is what the formula gives, None where that is 0/0 or there is no pair; `reason` says what is undefined and
    why. Where a side used one class, the value says nothing and has no interval: see `measured`. `undefined` counts
    the resamples without a kappa, of `resamples`; the interval is of the others.
    """

    value: float | None
    reason: str
    low: float | None
    high: float | None
    n: int
    table: tuple[tuple[int, ...], ...]
    labels: tuple[Hashable, ...]
    weights: Weights
    method: str
    cases: int
    left_out: int
    resamples: int
    undefined: int
    ase: float | None
    ase_zero: float | None
    z: float | None

    @property
    def measured(self) -> bool:
        """Whether both raters used more than one class: only then does kappa measure agreement."""
        return min((sum(map(any, side)) for side in (self.table, zip(*self.table, strict=True))), default=0) > 1


def kappa(
    a: Labels,
    b: Labels,
    *,
    labels: Labels | None = None,
    weights: Weights = None,
    cases: Sequence[Hashable] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Agreement:
    """Cohen's kappa, plain or weighted, with the percentile interval of a bootstrap over cases.

    The value is that of scikit-learn, which is not loaded for it; the standard errors are those of Fleiss, Cohen &
    Everitt 1969, which take each pair for independent. Without any disagreement the bootstrap shows no spread; then the
    low end is that of the exact bound on the share of cases that disagree.

    Args:
        a, b: what each rater said, shape (n,); None where one said nothing: the pair is left out and counted.
        labels: the declared scale in order; without it the labels seen, sorted. Weights go by places on this scale,
            so a class that nobody used changes a weighted kappa.
        weights: None, "linear", "quadratic", or the disagreement of each two labels as a square matrix.
        cases: the case of each pair; without it each pair is a case of its own.
        resamples: 0 for no interval.
        seed: of the resampling.
        confidence: of the interval, between 0 and 1.

    Raises:
        ValueError: lengths differ, a label is not declared, the weights are none.

    Example: kappa("ppff", "pfff").value is 0.5.
    """
    return _kappa(coded([a, b], labels, cases), weights, resamples, seed, confidence)


def _kappa(pairs: Coded, weights: Weights, resamples: int, seed: int, confidence: float) -> Agreement:
    size, counts = len(pairs.labels), pairs.by_case()
    apart = how_far_apart(weights, size)
    table = counts.sum(axis=0).reshape(size, size)
    value, ase, ase_zero, reason = None, None, None, one_class(table)
    if len(pairs.codes) and not math.isnan(kappas(table[None], apart)[0]):
        # As scikit-learn has it (a test compares them), without the second that loading it takes on every page.
        value = float(kappas(table[None], apart)[0])
        ase, ase_zero = standard_errors(table, apart)
    found, method = Resampled(None, None, 0, 0, reason), OVER_CASES
    if not reason:
        (found,) = bootstrap(
            counts, lambda drawn: [kappas(drawn.reshape(-1, size, size), apart)], resamples, seed, confidence
        )
        if value == 1 and resamples:
            low = 1 - most_unseen(pairs.cases, confidence) / expected(table[None], apart)[0]
            found = Resampled(max(-1.0, float(low)), 1.0, found.undefined, found.resamples)
            method = f"exact bound, no disagreement in {pairs.cases} cases"
    return Agreement(
        value=value,
        reason=found.reason,
        low=found.low,
        high=found.high,
        n=len(pairs.codes),
        table=tuple(tuple(int(count) for count in row) for row in table),
        labels=pairs.labels,
        weights=weights if weights is None or isinstance(weights, str) else tuple(map(tuple, weights)),
        method=method,
        cases=pairs.cases,
        left_out=pairs.left_out,
        resamples=found.resamples,
        undefined=found.undefined,
        ase=ase,
        ase_zero=ase_zero,
        z=value / ase_zero if value is not None and ase_zero else None,
    )


@dataclass(frozen=True)
class Difference:
    """How a grader agrees with two people, against how they agree with one another, on the same trials.

    `value` is the mean of `first` and `second`, the grader's kappa with each, less that of the `humans`, with the
    interval of a paired bootstrap over cases. `undefined` counts the resamples in which one of the three has no kappa.
    """

    value: float | None
    low: float | None
    high: float | None
    mean: float | None
    humans: Agreement
    first: Agreement
    second: Agreement
    n: int
    cases: int
    left_out: int
    resamples: int
    undefined: int
    method: str
    reason: str

    @property
    def ceiling(self) -> float | None:
        """√κ of the humans: what a grader without error reaches, with independent errors and classes of equal size.

        A grader above the humans' own kappa is no sign of overfitting; one above this is.
        """
        return math.sqrt(self.humans.value) if self.humans.value is not None and self.humans.value > 0 else None


def difference(
    h1: Labels,
    h2: Labels,
    grader: Labels,
    *,
    labels: Labels | None = None,
    weights: Weights = None,
    cases: Sequence[Hashable] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Difference:
    """The grader's mean kappa with two people less theirs, over the trials that all three labelled.

    Arguments and errors are those of `kappa`. Undefined where one of the three kappas is not measured.
    """
    triples = coded([h1, h2, grader], labels, cases)
    size, apart = len(triples.labels), how_far_apart(weights, len(triples.labels))
    sides = [
        _kappa(
            Coded(triples.codes[:, columns], triples.labels, triples.case, triples.left_out),
            weights, resamples, seed, confidence,
        )
        for columns in ([0, 1], [2, 0], [2, 1])
    ]  # fmt: skip

    def differences(drawn: np.ndarray) -> list[np.ndarray]:
        cube = drawn.reshape(-1, size, size, size)
        own, first, second = (kappas(cube.sum(axis=axis), apart) for axis in (3, 2, 1))
        return [(first + second) / 2 - own]

    names = ("the two people", "the grader and the first", "the grader and the second")
    reason = "; ".join(f"{who}: {side.reason}" for who, side in zip(names, sides, strict=True) if not side.measured)
    found, value, mean = Resampled(None, None, 0, 0, reason), None, None
    if not reason:
        mean = (sides[1].value + sides[2].value) / 2
        value = mean - sides[0].value
        (found,) = bootstrap(triples.by_case(), differences, resamples, seed, confidence)
    return Difference(
        value, found.low, found.high, mean, *sides, len(triples.codes), triples.cases, triples.left_out,
        found.resamples, found.undefined, f"paired {OVER_CASES}", found.reason,
    )  # fmt: skip
