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
from evalkit.stats.noise import band, drops_out, outcomes


@dataclass(frozen=True)
class Stratum:
    """A stratum of a simulated suite, of which the first `m` cases are compared.

    `before` and `after` are each case's chance to pass all k trials of a repeat, of the baseline and of the candidate.
    `band` is the width that the gate holds the difference against; None has the gate measure it in each simulated
    world, from that world's own repeats of all cases.
    """

    before: tuple[float, ...]
    after: tuple[float, ...]
    m: int
    band: float | None = None


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
        ValueError: an argument is outside its range; a chance is outside 0 to 1; m is not from 1 to all cases.
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
    """The exact chance that this stratum blocks, at one look and after the rerun against the same baseline."""
    before, after, m = _checked(stratum)
    # Chances of whole cases: one “trial” a case is all k of them.
    found = false_blocks.power(m, before[:m], after[:m], 1, band=stratum.band, z=z, averaged=averaged)  # type: ignore[arg-type]
    return found.once, found.same_baseline


def case_chances(passed: ArrayLike, variance: float) -> np.ndarray:
    """Each case's likely chance to pass a repeat, shape (cases,), so that on average q(1 − q) is `variance`.

    The shares that few repeats show lie further apart than the chances behind them, so they are drawn towards the
    stratum's mean until they flake as much as the band says. Where the mean itself cannot vary so much, as with cases
    that all passed, all have the one chance that does, on the mean's side of ½.

    Args:
        passed: 0 and 1, shape (cases, repeats), as in `noise.band`.
        variance: within a case, between repeats: a band's variance × m/2. More than ¼ counts as ¼.

    Raises:
        ValueError: as `noise.null_variance`; the variance is negative.
        NotMeasured: there are no cases.

    Example: case_chances([[1, 1], [1, 0], [0, 0]], 1 / 6) is 0.8536, 0.5 and 0.1464.
    """
    array = outcomes(passed)
    if not array.size:
        raise NotMeasured("no case was repeated")
    if not variance >= 0:
        raise ValueError(f"a variance is at least 0; {variance} is not")
    shares, v = array.mean(axis=1), min(variance, 0.25)
    score = float(shares.mean())
    between = score * (1 - score) - v
    if between <= 0:
        away = math.sqrt(1 - 4 * v) / 2
        return np.full(len(shares), 0.5 + (away if score >= 0.5 else -away))
    apart = float(shares.var())
    drawn = math.sqrt(between / apart) if between < apart else 1.0
    return np.clip(score + drawn * (shares - score), 0.0, 1.0)


def dropped(chances: ArrayLike, drop: float, m: int | None = None) -> np.ndarray | None:
    """The chances after a fault that strikes each case alike and lowers the mean of the first m, or of all, by `drop`.

    None where that mean is lower than the drop. Example: dropped([1.0, 0.5, 0.0], 0.25) is 0.5, 0.25 and 0.
    """
    before = np.asarray(chances, dtype=float)
    mean = float(before[:m].mean())
    # A mean of floats can fall short of the drop by its last bit.
    return before * max(0.0, 1 - drop / mean) if mean > 0 and mean >= drop - 1e-12 else None


def _looks(
    stratum: Stratum, rng: np.random.Generator, k: int, averaged: int, z: float, pull_requests: int
) -> np.ndarray:
    """Whether the stratum left its band at the first look, and at both, shape (2, pull requests)."""
    before, after, m = _checked(stratum)
    baseline = _passes(rng, before, k, averaged, pull_requests)
    candidate = _passes(rng, after[:m], k, 2, pull_requests)
    width = np.full(pull_requests, stratum.band) if stratum.band is not None else _widths(baseline, m, z)
    score = baseline[:, :m].mean(axis=(1, 2))
    first, second = (_outside(candidate[:, :, look].mean(axis=1) - score, width) for look in (0, 1))
    return np.stack([first, first & second])


def _passes(rng: np.random.Generator, chances: np.ndarray, k: int, repeats: int, pull_requests: int) -> np.ndarray:
    """Which cases passed, shape (pull requests, cases, repeats): where all of k trials did."""
    trials = rng.random((pull_requests, len(chances), repeats, k))
    return (trials < (chances ** (1 / k))[None, :, None, None]).all(axis=3)


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
    return before, after, stratum.m
