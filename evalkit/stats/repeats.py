"""How sure a noise band is of its own width after R repeats, and how many repeats are missing.

Two answers: for one number a repeat, the stratum's mean, the repeats alone count; for the variance within cases, pooled
over a stratum, each case that flakes counts too, and cases that always end alike say nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evalkit.stats.corrected import z_value
from evalkit.stats.noise import within_variance

WITHIN = 0.2
MOST = 1_000_000


@dataclass(frozen=True)
class RunLevel:
    """What R repeats tell about the spread of one number a repeat.

    `chance` is the probability that the estimated sd lies within the tolerance of the true one; `low` and `high` are
    the interval of true over estimated sd: the band may have to be so much narrower or wider.
    """

    repeats: int
    df: int
    chance: float
    low: float
    high: float


@dataclass(frozen=True)
class Pooled:
    """What R repeats of flaky cases tell about the sd within cases.

    `relative_se` is the sd's standard error over the sd, `margin` that times the normal quantile (± so much, as a
    share), and `df` the degrees of freedom of a χ² that is as precise.
    """

    relative_se: float
    margin: float
    df: float


@dataclass(frozen=True)
class Achieved:
    """What a stratum's repeats reached: `margin` is the ± of the pooled sd, None where no case flaked.

    `flaky` counts the cases that both passed and failed, `q` is the pass rate that goes with their mean variance;
    `needed` is how many repeats reach the tolerance and `missing` how many of them are still to play. `reason` says
    what is undefined and why, '' where nothing is.
    """

    repeats: int
    flaky: int
    q: float | None
    margin: float | None
    df: float | None
    needed: int | None
    missing: int | None
    reason: str = ""


def run_level(repeats: int, within: float = WITHIN, confidence: float = 0.95) -> RunLevel:
    """What R repeats tell about the sd of a number that each repeat gives once, as normal as a mean is.

    Args:
        repeats: R, at least 2.
        within: the tolerance, above 0 and below 1; 0.2 is ± 20 %.
        confidence: of the interval, between 0 and 1.

    Raises:
        ValueError: there are fewer than two repeats; a tolerance or confidence outside 0 to 1.

    Source: statistics.md B6, from χ² with R − 1 degrees of freedom.
    Example: run_level(5) is within ± 20 % with a chance of 0.416, its interval [0.599, 2.874].
    """
    df = _repeats(repeats) - 1
    _check_within(within)
    z_value(confidence)
    from scipy.special import chdtr, chdtri

    chance = float(chdtr(df, df * (1 + within) ** 2) - chdtr(df, df * (1 - within) ** 2))
    tail = (1 - confidence) / 2
    low, high = (math.sqrt(df / float(chdtri(df, upper))) for upper in (tail, 1 - tail))
    return RunLevel(int(repeats), df, chance, low, high)


def run_level_needed(chance: float = 0.95, within: float = WITHIN) -> int:
    """The fewest repeats with which `run_level` is within the tolerance with at least this chance.

    Raises ValueError where either is not between 0 and 1. Example: run_level_needed() is 49.
    """
    z_value(chance)
    return _fewest(lambda repeats: run_level(repeats, within).chance >= chance)


def pooled(q: float, n_flaky: int, repeats: int, confidence: float = 0.95) -> Pooled:
    """How precise the sd within cases is, pooled over the flaky cases of a stratum.

    Args:
        q: the chance that a flaky case passes a repeat (all of its k trials), above 0 and below 1.
        n_flaky: how many cases flake, at least 1.
        repeats: R, at least 2.
        confidence: of the margin, between 0 and 1.

    Raises:
        ValueError: an argument is outside its range.

    With v = q(1 − q) and μ₄ = v(1 − 3v), a case's variance has the variance (μ₄ − v²(R − 3)/(R − 1))/R.
    Source: statistics.md B6. Example: pooled(0.5, 10, 3).margin is 0.196.
    """
    v, repeats = _variance(q), _repeats(repeats)
    if n_flaky < 1 or int(n_flaky) != n_flaky:
        raise ValueError(f"flaky cases are counted in whole numbers, at least 1; {n_flaky} is none")
    of_one = (v * (1 - 3 * v) - v**2 * (repeats - 3) / (repeats - 1)) / repeats
    relative = math.sqrt(of_one / n_flaky) / v / 2
    return Pooled(relative, z_value(confidence) * relative, 2 * v**2 * n_flaky / of_one)


def needed(q: float, n_flaky: int, within: float = WITHIN, confidence: float = 0.95) -> int:
    """The fewest repeats, at least 2, with which the pooled sd is within the tolerance.

    Arguments and errors are those of `pooled` and `run_level`.
    Example: needed(0.857, 20) is 6.
    """
    _check_within(within)
    return _fewest(lambda repeats: pooled(q, n_flaky, repeats, confidence).margin <= within)


def achieved(passed: ArrayLike, within: float = WITHIN, confidence: float = 0.95) -> Achieved:
    """What the repeats of a stratum reached, and how many are still missing for the tolerance.

    Flaky is taken to be what was seen to flake. With few repeats some cases that flake were not, so that both their
    number and their spread are estimates, and the ± is one too: it is to be shown beside the band, not to decide.

    Args:
        passed: 0 and 1, shape (cases, repeats), as in `noise.band`.
        within, confidence: as in `needed`.

    Raises:
        ValueError: as `noise.null_variance`, `run_level` and `pooled`.
    """
    _check_within(within)
    z_value(confidence)
    array = np.asarray(passed, dtype=float)
    cases, repeats = array.shape if array.ndim == 2 else (array.size, 0)
    if not array.size or repeats < 2:
        lack = "fewer than two repeats" if cases else "no cases"
        return Achieved(repeats, 0, None, None, None, None, None, f"not measured: {lack}")
    w = within_variance(passed)
    flaky = int((np.ptp(array, axis=1) > 0).sum())
    if not flaky:
        return Achieved(repeats, 0, None, None, None, None, None, f"no case flaked in {repeats} repeats")
    # A variance of two repeats estimates up to ½; no chance to pass has more than ¼.
    v = min(0.25, w * cases / flaky)
    q = (1 + math.sqrt(1 - 4 * v)) / 2
    reached, enough = pooled(q, flaky, repeats, confidence), needed(q, flaky, within, confidence)
    return Achieved(repeats, flaky, q, reached.margin, reached.df, enough, max(0, enough - repeats))


def _fewest(reached) -> int:
    """The least number from 2 on for which `reached` holds; it holds for all above."""
    low, high = 1, 2
    while not reached(high):
        low, high = high, 2 * high
        if high > MOST:
            raise ValueError(f"not even {MOST} repeats would do; the tolerance is too small")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _variance(q: float) -> float:
    if not 0 < q < 1:
        raise ValueError(f"a case that flakes passes with a chance above 0 and below 1; {q} is none")
    return q * (1 - q)


def _repeats(repeats: int) -> int:
    if repeats < 2 or int(repeats) != repeats:
        raise ValueError(f"a spread needs at least two repeats, in whole numbers; {repeats} is not enough")
    return int(repeats)


def _check_within(within: float) -> None:
    if not 0 < within < 1:
        raise ValueError(f"a tolerance lies between 0 and 1, as 0.2 does; {within} does not")
