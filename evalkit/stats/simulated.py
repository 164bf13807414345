"""Pull requests played by chance, to see whether the gate blocks as often as its formulas say.

Single trials are drawn, cases pass where all of their k trials do, and the gate's own pieces look at the difference:
`noise.band` and `noise.drops_out`. What is expected comes from `false_blocks`, which counts whole cases. So an error in
a band, in a factor or at an edge shows as a share that the formulas do not predict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evalkit.errors import NotMeasured
from evalkit.stats import false_blocks
from evalkit.stats.intervals import Interval, wilson
from evalkit.stats.noise import band, drops_out


@dataclass(frozen=True)
class Stratum:
    """A stratum of a simulated suite, of which the first `m` cases are compared.

    `before` and `after` are each case's chance to pass all k trials of a repeat, of the baseline and of the candidate.
    `band` is the width that the gate holds the difference against; None has the gate measure it in each simulated
    world, from that world's own repeats of all cases. `stored` is the score of a baseline that is stored already, on
    the compared cases; None has each world play its own. A stored one needs a band.
    """

    before: tuple[float, ...]
    after: tuple[float, ...]
    m: int
    band: float | None = None
    stored: float | None = None


@dataclass(frozen=True)
class Simulated:
    """The share of the pull requests in which some stratum left its band: at one look, and at the rerun as well.

    Both have Wilson's 95 % interval. `by_stratum` holds the same two for each stratum alone.
    """

    pull_requests: int
    once: Interval
    rerun: Interval
    by_stratum: tuple[tuple[Interval, Interval], ...]


def alike(
    n: int, chance: float, after: float | None = None, m: int | None = None, band: float | None = None
) -> Stratum:
    """A stratum of n cases with one chance to pass all k trials; nothing changes without `after`, all compared
    without `m`."""
    changed = chance if after is None else after
    return Stratum((chance,) * n, (changed,) * n, n if m is None else m, band)


def simulate(
    strata: Sequence[Stratum],
    *,
    k: int = 3,
    averaged: int = 1,
    z: float = 2.0,
    pull_requests: int = 2000,
    seed: int = 0,
) -> Simulated:
    """Plays pull requests by chance: baseline, candidate and its rerun, each with trials of its own.

    Args:
        strata: at least one.
        k: trials of a case, at least 1.
        averaged: over how many repeats the baseline is averaged, at least 1; where a band is measured, from these.
        z: of a band that is measured.
        pull_requests: how many, at least 1.
        seed: the same seed gives the same shares.

    Raises:
        ValueError: an argument is outside its range; a chance or a stored score is outside 0 to 1; m is not from 1 to
            all cases; a stored baseline has no band.
        NotMeasured: a band is to be measured from fewer than two repeats.
    """
    if not strata or k < 1 or averaged < 1 or pull_requests < 1:
        raise ValueError("at least one stratum, trial, repeat and pull request is needed")
    some = np.zeros((2, pull_requests), dtype=bool)
    by_stratum = []
    for at, stratum in enumerate(strata):
        # A generator a stratum: one more stratum leaves the others' luck as it was.
        looks = _looks(stratum, np.random.default_rng([seed, at]), k, averaged, z, pull_requests)
        some |= looks
        by_stratum.append((_share(looks[0]), _share(looks[1])))
    return Simulated(pull_requests, _share(some[0]), _share(some[1]), tuple(by_stratum))


def expected(strata: Sequence[Stratum], *, averaged: int = 1, z: float = 2.0) -> tuple[float, float]:
    """The exact chance that some stratum blocks, at one look and after the rerun, with bands that are known.

    A stratum without a band is expected to have z true standard deviations of a difference. Arguments and errors as
    `simulate`. Source: `false_blocks.power`, statistics.md B4.
    """
    looks = [power_of(each, averaged=averaged, z=z) for each in strata]
    return tuple(1 - math.prod(1 - chance for chance in each) for each in zip(*looks, strict=True))  # type: ignore[return-value]


def power_of(stratum: Stratum, *, averaged: int = 1, z: float = 2.0) -> tuple[float, float]:
    """The exact chance that this stratum blocks, at one look and after the rerun against the same baseline.

    Given a stored baseline the two looks are independent. Example: refunds of 6 cases stored at 1.00 with a band of
    0.385, of which each now passes with 0.8, block with P(Bin(6, 0.8) ≤ 3) = 0.0989 and 0.0098.
    """
    before, after, m = _checked(stratum)
    if stratum.stored is not None and stratum.band is not None:
        once = float(sum(chance for passed, chance in enumerate(_counts(after[:m]))
                         if drops_out(passed / m - stratum.stored, stratum.band)))  # fmt: skip
        return once, once**2
    # Chances of whole cases: one “trial” a case is all k of them.
    found = false_blocks.power(m, before[:m], after[:m], 1, band=stratum.band, z=z, averaged=averaged)  # type: ignore[arg-type]
    return found.once, found.same_baseline


@dataclass(frozen=True)
class Flaking:
    """How much cases flake, pooled over all that were repeated.

    `rate` is w, the mean over cases of the variance between one's own repeats, `mean` the mean share that passed, and
    `weight` how many repeats the mean counts for beside a case's own: none where nothing flaked, ∞ where cases differ
    by no more than luck.
    """

    rate: float
    mean: float
    weight: float

    def chance(self, passed: ArrayLike, of: ArrayLike) -> np.ndarray:
        """Each case's estimated chance to pass: (passed + weight·mean)/(of + weight), shape as `passed`.

        Example: Flaking(1/8, 1/2, 1.0).chance(3, 3) is 0.875.
        """
        mine, many = np.asarray(passed, dtype=float), np.asarray(of, dtype=float)
        if math.isinf(self.weight):
            return np.full(mine.shape, self.mean)
        return (mine + self.weight * self.mean) / (many + self.weight)


def flaking(passed: ArrayLike, of: ArrayLike) -> Flaking:
    """The flake rate of all cases together, from how often each passed, of how often: shapes (cases,).

    A case's chance is taken to be drawn from one Beta distribution of mean μ, of which weight = w/(μ(1 − μ) − w) is
    the sum of both parameters; so a case of a stratum in which nothing flaked is given what flaked elsewhere.

    Raises NotMeasured where no case was repeated; ValueError where more passed than were played.
    Source: the method of moments for the beta-binomial (empirical Bayes).
    Example: flaking([3, 0, 2, 1], [3, 3, 3, 3]).rate is 1/6.
    """
    mine, many = np.asarray(passed, dtype=float), np.asarray(of, dtype=float)
    if mine.shape != many.shape or (mine < 0).any() or (mine > many).any():
        raise ValueError("each case passes from none to all of its repeats")
    mine, many = mine[many >= 2], many[many >= 2]
    if not mine.size:
        raise NotMeasured("no case was repeated")
    rate = float((mine * (many - mine) / (many * (many - 1))).mean())
    mean = float((mine / many).mean())
    between = mean * (1 - mean) - rate
    return Flaking(rate, mean, rate / between if between > 1e-12 else math.inf if rate else 0.0)


def at_worst(shares: ArrayLike, likely: ArrayLike, variance: float) -> np.ndarray:
    """Each case's least chance to pass, if it may fail as much more often than it did as a variance within it allows.

    A case that always passed and flakes with the variance f(1 − f) fails with the chance f; no case is taken to pass
    more often than it did. So no chances that lie within f of what was seen block more often.

    Args:
        shares: of the repeats that each case passed, shape (cases,).
        likely: its likely chance, which the least does not exceed, shape (cases,).
        variance: at least 0; more than ¼ counts as ¼.

    Example: at_worst([1, 0], [0.99, 0.01], 3/16) is 0.75 and 0.
    """
    if not variance >= 0:
        raise ValueError(f"a variance is at least 0; {variance} is not")
    away = (1 - math.sqrt(1 - 4 * min(variance, 0.25))) / 2
    return np.minimum(np.maximum(np.asarray(shares, dtype=float) - away, 0.0), np.asarray(likely, dtype=float))


def fallen_to(chances: ArrayLike, mean: float) -> np.ndarray:
    """The chances after a fault that strikes each case in proportion, so that their mean is `mean`.

    Where the mean of the chances already is lower, their chances to fail are made smaller in proportion.
    Raises ValueError where `mean` is not from 0 to 1. Example: fallen_to([1.0, 0.5, 0.0], 0.25) is 0.5, 0.25 and 0.
    """
    if not 0 <= mean <= 1:
        raise ValueError(f"a chance to pass lies between 0 and 1; {mean} does not")
    before = np.asarray(chances, dtype=float)
    now = float(before.mean())
    return before * (mean / now) if now >= mean and now > 0 else 1 - (1 - before) * ((1 - mean) / (1 - now))


def _looks(
    stratum: Stratum, rng: np.random.Generator, k: int, averaged: int, z: float, pull_requests: int
) -> np.ndarray:
    """Whether the stratum left its band at the first look, and at both, shape (2, pull requests)."""
    before, after, m = _checked(stratum)
    candidate = _passes(rng, after[:m], k, 2, pull_requests)
    if stratum.stored is not None:
        score, width = np.full(pull_requests, stratum.stored), np.full(pull_requests, stratum.band)
    else:
        baseline = _passes(rng, before, k, averaged, pull_requests)
        width = np.full(pull_requests, stratum.band) if stratum.band is not None else _widths(baseline, m, z)
        score = baseline[:, :m].mean(axis=(1, 2))
    first, second = (_outside(candidate[:, :, look].mean(axis=1) - score, width) for look in (0, 1))
    return np.stack([first, first & second])


def _passes(rng: np.random.Generator, chances: np.ndarray, k: int, repeats: int, pull_requests: int) -> np.ndarray:
    """Which cases passed, shape (pull requests, cases, repeats): where all of k trials did."""
    trials = rng.random((pull_requests, len(chances), repeats, k))
    return (trials < (chances ** (1 / k))[None, :, None, None]).all(axis=3)


def _counts(chances: np.ndarray) -> np.ndarray:
    """The distribution of how many cases pass, 0 to all."""
    spread = np.ones(1)
    for chance in chances:
        spread = np.convolve(spread, (1 - chance, chance))
    return spread


def _widths(baseline: np.ndarray, m: int, z: float) -> np.ndarray:
    """The gate's band in each world, asked once for each spread that came up."""
    repeats = baseline.shape[2]
    if repeats < 2:
        raise NotMeasured("a band is measured from two repeats or more")
    by_case, by_repeat = baseline.sum(axis=2), baseline.sum(axis=1)
    # All that a band depends on, but n and R.
    spreads = np.stack([(by_case * (repeats - by_case)).sum(axis=1), (by_repeat**2).sum(axis=1),
                        by_repeat.sum(axis=1) ** 2], axis=1)  # fmt: skip
    _, worlds, which = np.unique(spreads, axis=0, return_index=True, return_inverse=True)
    values = [band(baseline[world], m, z=z, averaged=repeats).value for world in worlds]
    return np.array(values, dtype=float)[which.reshape(-1)]


def _outside(deltas: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """What the gate says of each difference, asked once for each pair that came up."""
    pairs, which = np.unique(np.stack([deltas, widths], axis=1), axis=0, return_inverse=True)
    return np.array([drops_out(float(delta), float(width)) for delta, width in pairs])[which.reshape(-1)]


def _share(blocked: np.ndarray) -> Interval:
    return wilson(int(blocked.sum()), blocked.size)


def _checked(stratum: Stratum) -> tuple[np.ndarray, np.ndarray, int]:
    before, after = (np.asarray(each, dtype=float) for each in (stratum.before, stratum.after))
    if before.shape != after.shape or not 1 <= stratum.m <= before.size:
        raise ValueError(f"{stratum.m} of {before.size} and {after.size} cases cannot be compared")
    if not all(((each >= 0) & (each <= 1)).all() for each in (before, after)):
        raise ValueError("a chance to pass lies between 0 and 1")
    if stratum.stored is not None and (stratum.band is None or not 0 <= stratum.stored <= 1):
        raise ValueError("a stored score lies between 0 and 1, and its band is known")
    return before, after, stratum.m
