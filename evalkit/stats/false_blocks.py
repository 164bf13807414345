"""How often the gate blocks by luck though nothing changed, and how often it catches a true drop.

Once with the normal curve, for bands as the gate draws them, and once exactly, for few cases, where a drop is a whole
number of cases. A rerun is a second look at a blocked stratum; what it is worth depends on the baseline: a second look
at the same stored baseline repeats the part of the luck that was the baseline's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evalkit.stats.noise import averaging_factor, least_drop


@dataclass(frozen=True)
class Looks:
    """The chance that one stratum blocks: at one look, and after a rerun with the same or with a fresh baseline.

    `band` is the width it was computed with, and `least` the least drop that leaves it, in cases of m × averaged.
    """

    band: float
    least: int
    once: float
    same_baseline: float
    fresh_baseline: float


def family(strata: int, rho: float | None = None, z: float = 2.0) -> float:
    """The chance that at least one of the strata blocks though nothing changed, if the strata are independent.

    Args:
        strata: how many there are, 0 or more.
        rho: the correlation of the two looks' differences; None for no rerun. 0 where both sides are played anew,
            1/(R + 1) with the mean of R stored repeats (`rerun_correlation`), so 1/2 with a single stored one.
        z: how many true standard deviations wide the band is.

    Raises:
        ValueError: strata is negative or no whole number; rho is outside 0 to 1; z is no number.

    Source: statistics.md B4. Example: family(12) is 0.2413, family(12, 1/2) is 0.0476.
    """
    return any_of(strata, caught(0.0, rho, z))


def any_of(strata: int, chance: float) -> float:
    """1 − (1 − chance)^strata: that at least one of so many independent strata blocks. Errors as `family`."""
    if strata < 0 or not float(strata).is_integer():
        raise ValueError(f"strata are counted in whole numbers; {strata} is none")
    if not 0 <= chance <= 1:
        raise ValueError(f"a chance lies between 0 and 1; {chance} does not")
    # For tiny chances 1 − chance would lose its digits.
    return 1.0 if chance == 1 and strata else -math.expm1(strata * math.log1p(-chance)) if strata else 0.0


def rerun_correlation(averaged: int) -> float:
    """1/(R + 1): the correlation of two looks that share a stored baseline averaged over R repeats.

    Each look has its own candidate, of variance 1, and both have the baseline's 1/R. Example: 1 gives 1/2, 5 gives 1/6.
    """
    averaging_factor(averaged)
    return 1 / (averaged + 1)


def caught(drop: float, rho: float | None = None, z: float = 2.0, sd: float = 1.0) -> float:
    """The chance that a stratum with this true drop blocks: at one look, or at both with `rho`.

    Args:
        drop: the true drop, 0 for none, in the units of `sd`.
        rho: as in `family`.
        z: how many standard deviations wide the band is.
        sd: the standard deviation of the difference, above 0; 1 for a drop counted in them.

    Raises:
        ValueError: rho is outside 0 to 1; sd is not above 0; drop or z is no number.

    Source: Owen 1956 for both looks, P(X < h, Y < h) = Φ(h) − 2T(h, √((1 − ρ)/(1 + ρ))).
    Example: caught(3) is 0.841, caught(3, 1/2) is 0.745.
    """
    if not 0 < sd < math.inf or not math.isfinite(drop) or not math.isfinite(z):
        raise ValueError(f"a drop of {drop}, {z} standard deviations of {sd}: these are no finite numbers above 0")
    if rho is not None and not 0 <= rho <= 1:
        raise ValueError(f"two looks correlate from 0 to 1; {rho} is outside")
    from scipy.special import ndtr, owens_t

    h = drop / sd - z
    once = float(ndtr(h))
    if rho is None:
        return once
    return max(0.0, once - 2 * float(owens_t(h, math.sqrt((1 - rho) / (1 + rho)))))


def z_for(strata: int, rate: float = 0.05, rho: float | None = None) -> float:
    """The z at which `family` is `rate`: Šidák's where there is no rerun.

    Raises ValueError as `family`, and where rate is not between 0 and 1 or there is no stratum.
    Example: z_for(12) is 2.6303, z_for(12, rho=1/2) is 1.9845.
    """
    if not 0 < rate < 1 or strata < 1:
        raise ValueError(f"a rate lies between 0 and 1, over at least one stratum; {rate} over {strata} does not")
    from scipy.optimize import brentq

    return float(brentq(lambda z: family(strata, rho, z) - rate, -10.0, 10.0, xtol=1e-12))


def few_repeats(df: float, z: float = 2.0) -> float:
    """P(t < −z): the chance of a false block where the spread is estimated with `df` degrees of freedom.

    Raises ValueError where df is not above 0. Source: statistics.md B4. Example: few_repeats(4) is 0.0581.
    """
    if not df > 0 or not math.isfinite(z):
        raise ValueError(f"degrees of freedom lie above 0, and z is a number; {df} and {z} do not fit")
    from scipy.special import stdtr

    return float(stdtr(df, -z))


def exact(
    m: int,
    p: float | Sequence[float],
    k: int,
    *,
    band: float | None = None,
    z: float = 2.0,
    averaged: int = 1,
) -> Looks:
    """The exact chance that a stratum of m cases blocks though nothing changed. Arguments as `power`, `p` for both.

    Source: statistics.md B4. Example: exact(10, 0.95, 3).once is 0.01224, where the normal curve says 0.0228.
    """
    return power(m, p, p, k, band=band, z=z, averaged=averaged)


def power(
    m: int,
    before: float | Sequence[float],
    after: float | Sequence[float],
    k: int,
    *,
    band: float | None = None,
    z: float = 2.0,
    averaged: int = 1,
) -> Looks:
    """The exact chance that a stratum of m cases blocks, where a trial passes with `before` and then with `after`.

    Args:
        m: the sample's cases, at least 1.
        before, after: the chance that a single trial passes: one for all cases, or one a case, shape (m,).
        k: a case passes where all of its k trials do.
        band: the band's width; without it z true standard deviations of a difference of two baselines.
        z: the multiplier of that.
        averaged: over how many repeats the baseline is averaged.

    Raises:
        ValueError: m or k is below 1; a chance is outside 0 to 1; chances are not m; `averaged` is below 1.

    Source: statistics.md B4. Example: power(10, 0.95, 0.85, 3).once is 0.287, .same_baseline 0.118.
    """
    if m < 1 or k < 1:
        raise ValueError(f"at least one case and one trial are needed; {m} cases of {k} trials are fewer")
    old, new = (_chances(each, m) ** k for each in (before, after))
    factor = averaging_factor(averaged)
    if band is None:
        band = z * factor * math.sqrt(2 * float((old * (1 - old)).sum())) / m
    least = least_drop(m, band, averaged)
    baseline, candidate = _passes(np.repeat(old, averaged)), _passes(new)
    # The candidate's c cases count `averaged` times each, as the baseline's repeats do.
    most = (np.arange(baseline.size) - least) // averaged
    at_most = np.concatenate([[0.0], np.cumsum(candidate)])
    blocks = at_most[np.clip(most + 1, 0, m + 1)]
    once = float(baseline @ blocks)
    # Two looks at one baseline are independent only once that baseline is given.
    return Looks(float(band), least, once, float(baseline @ blocks**2), once**2)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """The p-values, in the order given, adjusted so that a share of those called at a level is false (BH 1995).

    For tables that explore strata; a gate's decisions use `family`. Raises ValueError where one is outside 0 to 1.
    Example: benjamini_hochberg([0.01, 0.04]) is [0.02, 0.04].
    """
    wrong = [p for p in p_values if not 0 <= p <= 1]
    if wrong:
        raise ValueError(f"a p-value lies between 0 and 1; {wrong[0]} does not")
    adjusted, least = [0.0] * len(p_values), 1.0
    # From the largest down: none may exceed the next larger one's.
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for rank in range(len(order), 0, -1):
        least = min(least, p_values[order[rank - 1]] * len(order) / rank)
        adjusted[order[rank - 1]] = least
    return adjusted


def _chances(given: float | Sequence[float], m: int) -> np.ndarray:
    chances = np.asarray(given, dtype=float)
    if chances.shape not in ((), (m,)):
        raise ValueError(f"one chance for all or one for each of {m} cases is needed, not shape {chances.shape}")
    if not ((chances >= 0) & (chances <= 1)).all():
        raise ValueError("a chance to pass lies between 0 and 1")
    return np.broadcast_to(chances, (m,))


def _passes(chances: np.ndarray) -> np.ndarray:
    """The distribution of how many pass, 0 to all, where each does with a chance of its own."""
    spread = np.ones(1)
    for chance in chances:
        spread = np.convolve(spread, (1 - chance, chance))
    return spread
