"""What the strong grader says of the cheap one in a cascade: how often they differ, and the pass rate of both together.

The strong grader is asked about every trial near the threshold, and about a random part of the rest. What it was asked
about is no random part of the whole: each trial counts by the inverse of its probability to be asked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evalkit.stats.confusion import most_unseen
from evalkit.stats.corrected import z_value

Verdicts = Sequence[bool | None]


@dataclass(frozen=True)
class Disagreement:
    """How often both graders differ, over all trials; `value` is the figure to report.

    `random_part` is the share among the trials that were audited at random, the rate away from the threshold.
    `among_asked` is the naive share among all that the strong grader saw: biased, since it was asked where differences
    are likely. `near` and `audited` count the trials in which both have a verdict; `left_out` those in which one that
    was asked has none, and those near the threshold or audited are taken to be like the others there.
    """

    value: float | None
    low: float | None
    high: float | None
    se: float | None
    random_part: float | None
    among_asked: float | None
    trials: int
    near: int
    audited: int
    left_out: int
    method: str
    reason: str


@dataclass(frozen=True)
class PassRate:
    """The pass rate of the cascade, corrected by the audit; `value` is the figure to report.

    `cheap_alone` is the cheap grader's own rate, and `near_overridden` that with the strong one's verdicts near the
    threshold alone: both leave out what the audit found. The counts are those of `Disagreement`.
    """

    value: float | None
    low: float | None
    high: float | None
    se: float | None
    cheap_alone: float | None
    near_overridden: float | None
    trials: int
    near: int
    audited: int
    left_out: int
    method: str
    reason: str


@dataclass(frozen=True)
class _Part:
    """A mean over a part of the trials of which some were drawn: its variance, and its ends where all are alike."""

    mean: float
    variance: float
    ends: tuple[float, float] | None


@dataclass(frozen=True)
class _Split:
    """The trials near the threshold and the others, with which of them both graders have a verdict on."""

    cheap: np.ndarray
    strong: np.ndarray
    chance: np.ndarray
    near: np.ndarray
    audited: np.ndarray
    all_near: int
    trials: int
    left_out: int

    def reason(self) -> str:
        """Why there is no figure, '' where there is one."""
        rest = self.trials - self.all_near
        if not self.trials:
            return "no trial was graded"
        if self.all_near and not self.near.any():
            return f"the strong grader has no verdict on the {self.all_near} trials near the threshold"
        return (
            f"none of the {rest} trials away from the threshold was audited" if rest and not self.audited.any() else ""
        )

    def figure(self, of: np.ndarray, least: float, confidence: float) -> tuple[float, float, float, float]:
        """The mean over all trials of `of`, between `least` and 1, its interval and standard error."""
        value = variance = low_more = high_more = 0.0
        rest = self.trials - self.all_near
        for drawn, whole in ((self.near, self.all_near), (self.audited, rest)):
            if whole:
                # A near trial was asked for certain: only verdicts that did not come make these a sample.
                chance = np.full(drawn.sum(), drawn.sum() / whole) if drawn is self.near else self.chance[drawn]
                part, share = _part(of[drawn], chance, least, confidence), whole / self.trials
                value += share * part.mean
                variance += share**2 * part.variance
                if part.ends:
                    low_more += share * (part.mean - part.ends[0])
                    high_more += share * (part.ends[1] - part.mean)
        half = z_value(confidence) * math.sqrt(variance)
        return value, value - half - low_more, value + half + high_more, math.sqrt(variance)


def disagreement(
    near: Sequence[bool],
    audited: Sequence[bool],
    cheap_passed: Verdicts,
    strong_passed: Verdicts,
    inclusion: ArrayLike,
    confidence: float = 0.95,
) -> Disagreement:
    """How often the two graders differ, weighted by the inverse of each trial's probability to be asked.

    Args:
        near: whether the cheap grader's verdict was near the threshold, shape (trials,).
        audited: whether the trial was drawn at random for the strong grader, before any verdict was seen.
        cheap_passed, strong_passed: the verdicts; None where there is none, or none was asked for.
        inclusion: the probability with which each trial was asked about; that of near ones is 1, whatever is given.
        confidence: between 0 and 1.

    Raises:
        ValueError: lengths differ; an audited trial's probability is not above 0 and at most 1.

    The standard error is that of these trials, with the correction for a finite population: where all were asked, it is
    0. Where the audited part shows no spread, the ends are those of the exact bound on a share of which none was seen.
    """
    split = _split(near, audited, cheap_passed, strong_passed, inclusion)
    counts = (split.trials, int(split.near.sum()), int(split.audited.sum()), split.left_out)
    differ = (split.cheap != split.strong).astype(float)
    asked = split.near | split.audited
    naive = float(differ[asked].mean()) if asked.any() else None
    alone = None
    if split.audited.any():
        alone = float(np.average(differ[split.audited], weights=1 / split.chance[split.audited]))
    method, reason = "weighted by inclusion", split.reason()
    if reason:
        return Disagreement(None, None, None, None, alone, naive, *counts, method, reason)
    value, low, high, se = split.figure(differ, 0.0, confidence)
    return Disagreement(value, max(0.0, low), min(1.0, high), se, alone, naive, *counts, method, "")


def pass_rate(
    near: Sequence[bool],
    audited: Sequence[bool],
    cheap_passed: Verdicts,
    strong_passed: Verdicts,
    inclusion: ArrayLike,
    confidence: float = 0.95,
) -> PassRate:
    """The share that the strong grader would pass: its verdicts near the threshold, and elsewhere the cheap one's,
    corrected by what the audit changed.

    Arguments, errors and standard error are those of `disagreement`.
    """
    split = _split(near, audited, cheap_passed, strong_passed, inclusion)
    counts = (split.trials, int(split.near.sum()), int(split.audited.sum()), split.left_out)
    method, reason = "cheap, corrected by inclusion", split.reason()
    cheap = float(split.cheap.mean()) if split.trials else None
    if reason:
        return PassRate(None, None, None, None, cheap, None, *counts, method, reason)
    change = split.strong - split.cheap
    override = cheap + float(change[split.near].mean() if split.near.any() else 0) * split.all_near / split.trials
    value, low, high, se = split.figure(change, -1.0, confidence)
    return PassRate(
        cheap + value, max(0.0, cheap + low), min(1.0, cheap + high), se, cheap, override, *counts, method, ""
    )


def _split(
    near: Sequence[bool],
    audited: Sequence[bool],
    cheap_passed: Verdicts,
    strong_passed: Verdicts,
    inclusion: ArrayLike,
) -> _Split:
    close, drawn = np.asarray(near, dtype=bool), np.asarray(audited, dtype=bool)
    cheap, strong, chance = (np.array(each, dtype=float) for each in (cheap_passed, strong_passed, inclusion))
    if len({each.shape for each in (close, drawn, cheap, strong, chance)}) > 1 or cheap.ndim != 1:
        raise ValueError("each trial needs its near, audited, both verdicts and its inclusion")
    drawn = drawn & ~close
    if not ((chance[drawn] > 0) & (chance[drawn] <= 1)).all():
        raise ValueError("the probability to be audited lies above 0 and is at most 1; without it nothing is weighted")
    graded, answered = ~np.isnan(cheap), ~np.isnan(strong)
    left_out = int((~graded | ((close | drawn) & ~answered)).sum())
    kept = [each[graded] for each in (cheap, strong, chance, close & answered, drawn & answered)]
    return _Split(*kept, int((close & graded).sum()), int(graded.sum()), left_out)


def _part(of: np.ndarray, chance: np.ndarray, least: float, confidence: float) -> _Part:
    """Hájek's mean of what was drawn, each with its chance, with its variance by linearisation."""
    n, weight = of.size, 1 / chance
    mean = float(np.average(of, weights=weight))
    if (chance == 1).all():
        return _Part(mean, 0.0, None)
    if np.ptp(of) == 0:
        unseen = most_unseen(n, confidence)
        return _Part(mean, 0.0, (mean - unseen * (mean - least), mean + unseen * (1 - mean)))
    pull = weight * (of - mean) / weight.sum()
    return _Part(mean, float(((1 - chance) * pull**2).sum()) * n / (n - 1), None)
