"""How sure a noise band is of its own width after R repeats, and how many repeats are missing.

Two answers: for one number a repeat, the stratum's mean, the repeats alone count; for the variance within cases, pooled
over a stratum, each case that flakes counts too, and cases that always end alike say nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evalkit.stats.corrected import z_value
from evalkit.stats.noise import null_variance, outcomes, within_variance

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

    `flaky` counts the cases that were seen both to pass and to fail. The stratum is as precise as `alike` cases that
    all pass with the chance `q`; `needed` is how many repeats reach the tolerance and `missing` how many of them are
    still to play. `reason` says what is undefined and why, '' where nothing is.
    """

    repeats: int
    flaky: int
    alike: float | None
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
    Source: statistics.md B6. Example: pooled(0.5, 10, 3).margin is 0.179.
    """
    v, repeats = _variance(q), _repeats(repeats)
    if n_flaky < 1 or not float(n_flaky).is_integer():
        raise ValueError(f"flaky cases are counted in whole numbers, at least 1; {n_flaky} is none")
    return _pooled(v, n_flaky, repeats, confidence)


def needed(q: float, n_flaky: int, within: float = WITHIN, confidence: float = 0.95) -> int:
    """The fewest repeats, at least 2, with which the pooled sd is within the tolerance.

    Arguments and errors are those of `pooled` and `run_level`; ValueError too where a million would not do.
    Example: needed(0.857, 20) is 6.
    """
    _check_within(within)
    # Asked once with its checks, so that what is out of range is refused before the search.
    pooled(q, n_flaky, 2, confidence)
    return _fewest(lambda repeats: _pooled(_variance(q), n_flaky, repeats, confidence).margin <= within)


def achieved(passed: ArrayLike, within: float = WITHIN, confidence: float = 0.95) -> Achieved:
    """What the repeats of a stratum reached, and how many are still missing for the tolerance.

    How many cases flake, and how much, is estimated from Σv and Σv² over all cases: counting those that were seen to
    flake would leave out what is not known of the others, and claim half the ± with five repeats. Fewer than four
    repeats say nothing of v²; then all cases are taken to flake alike, which errs on the wide side (Jensen).

    Args:
        passed: 0 and 1, shape (cases, repeats), as in `noise.band`.
        within, confidence: as in `needed`.

    Raises:
        ValueError: as `noise.null_variance`, `run_level` and `pooled`.
    """
    _check_within(within)
    z_value(confidence)
    array = outcomes(passed)
    (cases, repeats), undefined = array.shape, (None,) * 6
    if not cases or repeats < 2:
        lack = "fewer than two repeats" if cases else "no cases"
        return Achieved(repeats, 0, *undefined, f"not measured: {lack}")
    w = within_variance(passed)
    flaky = int((np.ptp(array, axis=1) > 0).sum())
    if not flaky:
        return Achieved(repeats, 0, *undefined, f"no case flaked in {repeats} repeats")
    # An estimated variance can be up to ½; no chance to pass has more than ¼.
    v = min(0.25, max(w, _squares(array) / w))
    alike = min(float(cases), cases * w / v)
    reached = _pooled(v, alike, repeats, confidence)
    enough = _fewest(lambda r: _pooled(v, alike, r, confidence).margin <= within)
    q = (1 + math.sqrt(1 - 4 * v)) / 2
    return Achieved(repeats, flaky, alike, q, reached.margin, reached.df, enough, max(0, enough - repeats))


def effective_df(passed: ArrayLike, m: int) -> float | None:
    """The degrees of freedom of V(m), from R − 1 where it is the repeats' own spread to the pooled ones of w/m.

    A band of m cases out of many rests on the cases more than on the repeats: R − 1 degrees of freedom are the worst
    case, which m = N comes near to. None where no case flaked, or there are fewer than two repeats, or no cases.

    Arguments and errors are those of `noise.null_variance`, but those of too few repeats.
    Source: Satterthwaite 1946, of the two parts of V(m) (statistics.md B5) with the degrees of freedom of B6.
    Example: with 30 cases that pass with 0.857, 5 repeats and m = 10, about 30, where R − 1 is 4.
    """
    reached = achieved(passed)
    if reached.df is None:
        return None
    n = len(outcomes(passed))
    null_variance(passed, m)
    # V(m) is linear in 1/m: this is the weight of w, 1 at m = 1 and 0 at m = N.
    weight = (n - m) / (m * (n - 1)) if m < n else 0.0
    w = within_variance(passed)
    # The repeats' means can be alike by chance; they spread at least as independent cases do.
    run, case = (1 - weight) * max(null_variance(passed, n) / 2, w / n), weight * w
    return (run + case) ** 2 / (run**2 / (reached.repeats - 1) + case**2 / reached.df)


def _pooled(v: float, n: float, repeats: int, confidence: float) -> Pooled:
    of_one = (v * (1 - 3 * v) - v**2 * (repeats - 3) / (repeats - 1)) / repeats
    relative = math.sqrt(of_one / n) / v / 2
    return Pooled(relative, z_value(confidence) * relative, 2 * v**2 * n / of_one)


def _squares(array: np.ndarray) -> float:
    """The mean over cases of v², estimated without bias from pairs of passes and of fails; 0 below four repeats."""
    c, r = array.sum(axis=1), array.shape[1]
    return float((c * (c - 1) * (r - c) * (r - c - 1)).mean()) / (r * (r - 1) * (r - 2) * (r - 3)) if r > 3 else 0.0


def _fewest(reached: Callable[[int], bool]) -> int:
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
    if repeats < 2 or not float(repeats).is_integer():
        raise ValueError(f"a spread needs at least two repeats, in whole numbers; {repeats} is not enough")
    return int(repeats)


def _check_within(within: float) -> None:
    if not 0 < within < 1:
        raise ValueError(f"a tolerance lies between 0 and 1, as 0.2 does; {within} does not")
