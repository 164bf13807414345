"""The noise band of a stratum: how far two repeats of the unchanged baseline lie apart on the same m cases.

With nothing changed, a case's own difficulty cancels in the difference, and only what a case does from repeat to repeat
is left. So the band is no spread over cases, and none of scores, which lacks √2; it is that of differences, at the
sample's own m. Everything up to the square root is computed in fractions: no band hangs on a rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from evalkit.errors import NotMeasured

# Shares such as 0.9 − 0.7 and 0.2 are equal on paper and not as floats; no two real shares lie so close.
EDGE = 1e-9
MEASURED, POOLED, FLOOR = "V(m)", "2w/m", "floor"


@dataclass(frozen=True)
class NoiseBand:
    """A stratum's band: `value` is z × factor × √variance, None where it was not measured, and `reason` says why.

    `variance` is the largest of `measured` (V(m)), `pooled` (2w/m) and `floor` (2/m times the rule of three's
    3/(R·N)), and `decided` names which it was. `n` counts the stratum's cases, `m` those of the sample. `factor` is
    √((1 + 1/`averaged`)/2): 1 for a single stored repeat, less for a baseline averaged over several. `df` is
    R − 1, the fewest degrees of freedom the band can have (`repeats.effective_df` estimates those it has), and
    `t_multiplier` what would stand in for z with them.
    """

    value: float | None
    variance: float | None
    measured: float | None
    pooled: float | None
    floor: float | None
    decided: str
    n: int
    repeats: int
    m: int
    z: float
    averaged: int
    factor: float
    df: int
    t_multiplier: float | None
    reason: str = ""

    @property
    def blind(self) -> bool:
        """Whether the band is so wide that not even a drop from all passed to none passed would leave it."""
        return self.value is not None and not drops_out(-1.0, self.value)


def null_variance(passed: ArrayLike, m: int) -> float:
    """V(m): the mean squared difference between two repeats, over all ordered pairs and all subsets of m cases.

    V(m) = 2·[s² + (N − m)/(m(N − 1))·(w − s²)], where w is the mean over cases of the variance between repeats, and
    s² the variance between repeats of the stratum's mean (both ddof 1). V(1) = 2w and V(N) = 2s². Where cases are
    independent, 2w/m is expected; where a whole repeat shifts, V(m) sees it and 2w/m does not.

    Args:
        passed: 0 and 1, or False and True, shape (cases, repeats).
        m: how many of the cases are compared, from 1 to all.

    Raises:
        NotMeasured: there are fewer than two repeats, or no cases.
        ValueError: m is outside 1 to N; something in `passed` is not 0 or 1, as None and NaN are not; another shape.

    Source: derived in statistics.md B5, after the parts that eval-arena calls var(E) and E(var).
    Example: null_variance([[1, 1, 1], [1, 0, 1], [1, 1, 0], [0, 0, 1]], 2) is 7/36.
    """
    counts = outcomes(passed)
    return float(_null_variance(*_spreads(counts), counts.shape[0], _sample(m, counts.shape[0])))


def within_variance(passed: ArrayLike) -> float:
    """w: the mean over cases of the variance between a case's repeats (ddof 1).

    Arguments and errors are those of `null_variance`, but m. Example: within_variance([[1, 1, 0], [1, 1, 1]]) is 1/6.
    """
    return float(_spreads(outcomes(passed))[0])


def variance_from_trials(successes: int, trials: int, k: int) -> Fraction:
    """One case's variance of “all k passed” from single trials: C(c, k)/C(T, k) − C(c, 2k)/C(T, 2k), unbiased.

    It is little better than the variance between blocks of k where trials mostly pass, and blind to what shifts a
    whole repeat; the band is therefore made of repeats, and this is a check on it.

    Args:
        successes: passed trials c, 0 to T.
        trials: all trials T, at least 2k.
        k: the trials that have to pass together, at least 1.

    Raises:
        NotMeasured: there are fewer than 2k trials.
        ValueError: k is less than 1, or more trials passed than there are.

    Source: statistics.md B5. Example: variance_from_trials(4, 6, 3) is 1/5.
    """
    if k < 1 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} trials passed, {k} at a time, is impossible")
    if trials < 2 * k:
        raise NotMeasured(f"the variance of {k} trials together needs {2 * k} trials; there are {trials}")
    once = Fraction(math.comb(successes, k), math.comb(trials, k))
    return once - Fraction(math.comb(successes, 2 * k), math.comb(trials, 2 * k))


def band(passed: ArrayLike, m: int, *, z: float = 2.0, averaged: int = 1) -> NoiseBand:
    """The band for a difference on m cases: z × √max(V(m), 2w/m, floor) × the factor of the baseline.

    Chance can make V(m) far too small, even 0, so 2w/m stands below it. Repeats that are all alike would give a band
    of 0, and one flake would block: so w is no less than 3/(R·N), the rule of three's bound for what was never seen.

    Args:
        passed: 0 and 1, or False and True, shape (cases, repeats): shape (cases, 1) is one repeat.
        m: how many of the cases are compared, from 1 to all.
        z: the multiplier, above 0.
        averaged: over how many of the repeats the baseline's own score is averaged, at least 1.

    Raises:
        ValueError: as `null_variance`; z is not above 0; `averaged` is not among the repeats.

    With fewer than two repeats, or no cases, nothing is raised: the band is None, and its reason says what is missing.
    Source: statistics.md B5. Example: the floor gives 20 cases that pass all of 5 repeats a band of 0.1549 at m = 10.
    """
    array = outcomes(passed)
    n, repeats = array.shape
    factor, df = averaging_factor(averaged), max(0, repeats - 1)
    _check_z(z)
    missing = _missing(n, repeats)
    if missing:
        nothing = (None, None, None, None, None, "")
        return NoiseBand(*nothing, n, repeats, m, z, averaged, factor, df, None, f"not measured: {missing}")
    if averaged > repeats:
        raise ValueError(f"a baseline of {repeats} repeats cannot be averaged over {averaged}")
    m = _sample(m, n)
    w, of_means = _spreads(array)
    candidates = {
        MEASURED: _null_variance(w, of_means, n, m),
        POOLED: 2 * w / m,
        FLOOR: 2 * Fraction(3, repeats * n) / m,
    }
    # Of equal ones the first, that which was measured, decides.
    decided = max(candidates, key=lambda name: candidates[name])
    variance = float(candidates[decided])
    figures = (z * factor * math.sqrt(variance), variance, *(float(each) for each in candidates.values()))
    return NoiseBand(*figures, decided, n, repeats, m, z, averaged, factor, df, t_multiplier(df, z))


def averaging_factor(averaged: int) -> float:
    """√((1 + 1/R)/2): what averaging the baseline over R repeats makes of a band for a single one.

    The candidate's own noise stays, the baseline's shrinks. Raises ValueError where R is no whole number above 0.
    Source: statistics.md B5. Example: averaging_factor(5) is 0.7746.
    """
    if averaged < 1 or not float(averaged).is_integer():
        raise ValueError(f"a baseline is averaged over whole repeats, at least 1; {averaged} is none")
    return math.sqrt((1 + 1 / averaged) / 2)


def t_multiplier(df: float, z: float = 2.0) -> float:
    """What to multiply a spread of `df` degrees of freedom by, to block as rarely as z does with the true spread.

    Raises ValueError where df or z is not above 0. Source: statistics.md B4. Example: t_multiplier(4) is 2.869.
    """
    _check_z(z)
    if not df > 0:
        raise ValueError(f"degrees of freedom lie above 0; {df} does not")
    from scipy.special import ndtr, stdtrit

    return -float(stdtrit(df, ndtr(-z)))


def drops_out(delta: float, width: float) -> bool:
    """Whether `delta`, candidate less baseline, is a drop by more than the band; a drop as large as the band is not.

    Raises NotMeasured where either is None or NaN: an unmeasured band must not let anything pass.
    Example: drops_out(0.7 - 0.9, 0.2) is False, though the floats differ.
    """
    if delta is None or width is None or math.isnan(delta) or math.isnan(width):
        raise NotMeasured(f"a drop of {delta} cannot be held against a band of {width}")
    return delta < -width - EDGE


def least_drop(m: int, width: float, averaged: int = 1) -> int:
    """The least drop that blocks, in cases of m × `averaged`; more than that where no drop does.

    Example: least_drop(10, 0.2) is 3: two cases fewer of ten are the band, not more.
    """
    return math.floor(m * averaged * (width + EDGE)) + 1


def outcomes(passed: ArrayLike) -> np.ndarray:
    """`passed` as whole numbers 0 and 1, shape (cases, repeats); shape (0, 0) where there are no cases.

    Raises ValueError where something is not 0 or 1, or the shape is another.
    """
    try:
        array = np.asarray(passed, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError("each case needs as many repeats, and each of them passed or did not, 1 or 0") from error
    if array.size == 0 and array.ndim == 1:
        array = array.reshape(0, 0)
    if array.ndim != 2:
        raise ValueError(f"one row a case and one column a repeat are needed, not an array of shape {array.shape}")
    if not np.isin(array, (0.0, 1.0)).all():
        raise ValueError("each case of each repeat passed or did not, 1 or 0; what was not measured is neither")
    return array.astype(np.int64)


def _missing(n: int, repeats: int) -> str:
    if not n:
        return "no cases"
    return "" if repeats >= 2 else f"a band needs two repeats of the baseline, and there {_are(repeats)}"


def _are(repeats: int) -> str:
    return "is one" if repeats == 1 else "are none"


def _spreads(array: np.ndarray) -> tuple[Fraction, Fraction]:
    """w and the variance between the repeats' means, exactly."""
    n, repeats = array.shape
    missing = _missing(n, repeats)
    if missing:
        raise NotMeasured(missing)
    by_case, by_repeat = array.sum(axis=1), array.sum(axis=0)
    # The variance of zeros and ones, c of R of them ones, is c(R − c)/(R(R − 1)).
    w = Fraction(int((by_case * (repeats - by_case)).sum()), n * repeats * (repeats - 1))
    scatter = repeats * int((by_repeat**2).sum()) - int(by_repeat.sum()) ** 2
    return w, Fraction(scatter, repeats * (repeats - 1) * n**2)


def _null_variance(w: Fraction, of_means: Fraction, n: int, m: int) -> Fraction:
    # All cases are one subset; with one case N − 1 would be 0 below.
    return 2 * (of_means if m == n else of_means + Fraction(n - m, m * (n - 1)) * (w - of_means))


def _sample(m: int, n: int) -> int:
    if m is None or not 1 <= m <= n or not float(m).is_integer():
        raise ValueError(f"a sample has from 1 to all {n} cases; {m} is outside")
    return int(m)


def _check_z(z: float) -> None:
    if not 0 < z < math.inf:
        raise ValueError(f"z lies above 0; {z} does not")
