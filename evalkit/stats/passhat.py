"""pass^k: how often all of k trials of a case pass, estimated without bias from n trials of each.

For a case with c passes in n trials it is C(c, k) / C(n, k), and for a suite the mean over its cases (τ-bench,
arXiv 2406.12045). It is not the suite's pass rate to the power of k: cases differ, and a power of their mean hides it.
Counts are whole numbers and are kept as such, so that no case is rounded and none is too long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from evalkit.errors import NotMeasured
from evalkit.stats.intervals import Interval, mean_interval


@dataclass(frozen=True)
class PassHat:
    """pass^k with its interval over cases, and what it rests on.

    `trials` counts the trials behind it; `left_out` the cases that had too few measured ones to say anything.
    """

    k: int
    interval: Interval
    trials: int
    left_out: int


def pass_hat_k(successes: ArrayLike, trials: ArrayLike, k: int) -> float:
    """The mean over cases of C(c, k) / C(n, k).

    Args:
        successes: passed trials of each case, shape (cases,).
        trials: all trials of each case, as many; or one number for all.
        k: at least 1, and at most the trials of any case.

    Raises:
        NotMeasured: there is no case.
        ValueError: k is more than a case's trials, or less than 1; counts that are not whole or not possible.

    Example: pass_hat_k([5, 4, 2, 0], 5, 2) is 0.425.
    """
    shares = case_shares(successes, trials, k)
    if not shares:
        raise NotMeasured(f"pass^{k} of no cases is undefined")
    return float(_mean(shares))


def case_shares(successes: ArrayLike, trials: ArrayLike, k: int) -> list[Fraction]:
    """C(c, k) / C(n, k) of each case, exactly. Arguments and errors are those of `pass_hat_k`."""
    k = _whole(k, "k")
    if k < 1:
        raise ValueError(f"pass^k asks for at least one trial; k = {k} does not")
    passed, tried = _counts(successes, trials)
    short = [n for n in tried if n < k]
    if short:
        raise ValueError(f"pass^{k} needs {k} trials of every case; {len(short)} of {len(tried)} had fewer")
    return [Fraction(math.comb(c, k), math.comb(n, k)) for c, n in zip(passed, tried, strict=True)]


def pass_hat_k_interval(successes: ArrayLike, trials: ArrayLike, k: int, confidence: float = 0.95) -> Interval:
    """pass^k with its t interval over cases, which ends at 0 and 1 where it would go beyond: no share does.

    Undefined as `mean_interval` is. Arguments and errors are those of `pass_hat_k`, but that no case is no error.
    """
    shares = case_shares(successes, trials, k)
    found = mean_interval([float(share) for share in shares], confidence)
    if not shares:
        return found
    low = None if found.low is None else max(0.0, found.low)
    high = None if found.high is None else min(1.0, found.high)
    return replace(found, value=float(_mean(shares)), low=low, high=high)


def as_failed(successes: ArrayLike, planned: ArrayLike, k: int, confidence: float = 0.95) -> PassHat:
    """pass^k where a planned trial that was not measured counts as failed: n is the planned trials of each case.

    Errors are those of `pass_hat_k_interval`.
    """
    _, tried = _counts(successes, planned)
    return PassHat(k, pass_hat_k_interval(successes, planned, k, confidence), sum(tried), 0)


def measured_alone(successes: ArrayLike, measured: ArrayLike, k: int, confidence: float = 0.95) -> PassHat:
    """pass^k where trials that were not measured are left out: n is the measured trials of each case.

    A case with fewer than k of them says nothing about k trials: it is left out as well, and counted. Where none is
    left, the interval is undefined and says so. Errors are those of `pass_hat_k_interval`, but that of too few trials.
    """
    passed, tried = _counts(successes, measured)
    kept = [(c, n) for c, n in zip(passed, tried, strict=True) if n >= k]
    found = pass_hat_k_interval([c for c, _ in kept], [n for _, n in kept], k, confidence)
    if not kept and tried:
        found = replace(found, reason=f"no case has {k} measured trial{'s' * (k > 1)}")
    return PassHat(k, found, sum(n for _, n in kept), len(tried) - len(kept))


def _mean(shares: Sequence[Fraction]) -> Fraction:
    return sum(shares, Fraction(0)) / len(shares)


def _counts(successes: ArrayLike, trials: ArrayLike) -> tuple[list[int], list[int]]:
    """Both as lists of whole numbers, as many of each."""
    passed, tried = np.atleast_1d(np.asarray(successes)), np.atleast_1d(np.asarray(trials))
    if passed.ndim != 1 or tried.ndim != 1:
        raise ValueError(f"one count a case is needed, not arrays of shape {passed.shape} and {tried.shape}")
    if tried.size not in (passed.size, 1):
        raise ValueError(f"counts need the same cases: {passed.size} of passed trials, {tried.size} of all")
    c = [_whole(value, "passed trials") for value in passed.tolist()]
    n = [_whole(value, "trials") for value in tried.tolist()]
    n = n * len(c) if len(n) != len(c) else n
    impossible = [f"{a} of {b}" for a, b in zip(c, n, strict=True) if not 0 <= a <= b]
    if impossible:
        raise ValueError(f"{impossible[0]} trials passed is impossible")
    return c, n


def _whole(value: object, what: str) -> int:
    try:
        whole = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        whole = None
    if whole is None or whole != value:
        raise ValueError(f"{what} are counted in whole numbers; {value!r} is none")
    return whole
