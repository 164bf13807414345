"""Agreement of more than two raters, or of raters with gaps: Krippendorff's alpha, and what else is published of it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from evalkit.stats.resampling import scale_of

Level = Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha; `value` is None where it is undefined, and `reason` says why.

    `n` counts the units that two raters or more labelled, `ratings` what these units hold.
    """

    value: float | None
    reason: str
    n: int
    ratings: int


def krippendorff(
    ratings: Sequence[Sequence[Hashable]], *, level: Level = "nominal", labels: Sequence[Hashable] | None = None
) -> Alpha:
    """Krippendorff's alpha from the coincidences within units.

    Args:
        ratings: for each unit its ratings, shape (units, raters), None for a gap. Who gave a rating plays no part, so
            units may differ in length.
        level: how far apart two labels are: "nominal" all alike, "ordinal" by the ratings between them, "interval" by
            the square of their difference, "ratio" by that as a share of their sum.
        labels: the declared scale in order; without it the labels seen, sorted.

    Raises:
        ValueError: a label is off the scale; the order or the numbers that the level needs are not there.

    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability".
    Example: krippendorff([[1, 1, 0], [0, 0]]).value is 1/3.
    """
    units = [[label for label in unit if label is not None] for unit in ratings]
    scale = scale_of({label for unit in units for label in unit}, labels)
    if level == "ordinal" and labels is None and any(isinstance(label, str) for label in scale):
        raise ValueError("texts have no order of their own; declare the scale with labels, worst first")
    counts = count(ratings, scale)
    counts = counts[counts.sum(axis=1) > 1]
    found = len(counts), int(counts.sum())
    if not len(counts):
        return Alpha(None, "no unit has two ratings", *found)
    share = counts / (counts.sum(axis=1, keepdims=True) - 1)
    together = counts.T @ share - np.diag(share.sum(axis=0))
    margin = counts.sum(axis=0)
    apart = _distance(level, scale, margin)
    expected = float(margin @ apart @ margin) / (margin.sum() - 1)
    if not expected:
        return Alpha(None, "all raters used one class", *found)
    return Alpha(1 - float((together * apart).sum()) / expected, "", *found)


def count(ratings: Sequence[Sequence[Hashable]], labels: Sequence[Hashable]) -> np.ndarray:
    """How often each unit was given each of `labels`, shape (units, labels); gaps are not counted."""
    place = {label: code for code, label in enumerate(labels)}
    counts = np.zeros((len(ratings), len(place)))
    for row, unit in zip(counts, ratings, strict=True):
        for label in unit:
            if label is not None:
                row[place[label]] += 1
    return counts


def _distance(level: Level, scale: Sequence[Hashable], margin: np.ndarray) -> np.ndarray:
    """The squared distance of each two labels; `margin` says how often each was given."""
    if level == "nominal":
        return 1 - np.eye(len(scale))
    if level == "ordinal":
        # From the middle of one label's ratings to the middle of the other's.
        middle = margin.cumsum() - margin / 2
        return (middle[:, None] - middle) ** 2
    if level not in ("interval", "ratio"):
        raise ValueError(f"a level is nominal, ordinal, interval or ratio, not {level!r}")
    try:
        numbers = np.array([float(label) for label in scale])  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueError(f"the level {level} needs numbers; {', '.join(map(repr, scale))} are not all") from None
    if not np.isfinite(numbers).all() or (level == "ratio" and (numbers < 0).any()):
        raise ValueError(f"the level {level} needs finite numbers{' from 0' * (level == 'ratio')}")
    apart = numbers[:, None] - numbers
    if level == "ratio":
        both = numbers[:, None] + numbers
        apart = np.divide(apart, both, out=np.zeros_like(apart), where=both > 0)
    return apart**2


@dataclass(frozen=True)
class ManyRaters:
    """Raw agreement of the pairs of raters within a unit, and what is left of it beyond chance.

    Chance is the labels' own use for Fleiss' kappa, its like among raters who are seldom in doubt for Gwet's `ac1`, and
    each label alike for `free` (Brennan & Prediger; Randolph). None where undefined, and `reason` says why.
    """

    agreement: float | None
    fleiss: float | None
    ac1: float | None
    free: float | None
    n: int
    reason: str


def many_raters(counts: ArrayLike) -> ManyRaters:
    """Fleiss' kappa and its relatives. Units with one rating tell how labels are used, but nothing of agreement.

    Args:
        counts: how often each unit was given each label of the declared scale, shape (units, labels); see `count`.

    Raises:
        ValueError: the shape is another; a count is negative or not finite.

    Sources: Fleiss 1971; Gwet 2014, also for gaps. Example: many_raters([[7, 1], [3, 5]]).fleiss is 0.1619.
    """
    table = np.asarray(counts, dtype=float)
    if table.ndim != 2 or not np.isfinite(table).all() or (table < 0).any():
        raise ValueError("counts are a table of units by labels, and none is negative")
    table = table[table.sum(axis=1) > 0]
    each = table.sum(axis=1)
    several = table[each > 1]
    size, n = table.shape[1], len(several)
    if not n:
        return ManyRaters(None, None, None, None, 0, "no unit has two ratings")
    raters = several.sum(axis=1)
    seen = float(((several * (several - 1)).sum(axis=1) / (raters * (raters - 1))).mean())
    use = (table / each[:, None]).mean(axis=0)
    if size < 2:
        return ManyRaters(seen, None, None, None, n, "one class is declared")
    chance = {"fleiss": float(use @ use), "ac1": float(use @ (1 - use)) / (size - 1), "free": 1 / size}
    beyond = {
        name: None if math.isclose(by, 1, abs_tol=1e-12) else (seen - by) / (1 - by) for name, by in chance.items()
    }
    return ManyRaters(seen, **beyond, n=n, reason="" if beyond["fleiss"] is not None else "all raters used one class")
