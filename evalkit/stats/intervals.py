"""Intervals for a mean over cases and for a share of cases; and a bound for what was never seen to fail.

Undefined is None with a reason. A value that is not a finite number raises NotMeasured, so that what was not
measured cannot pass for a number; impossible counts raise ValueError.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evalkit.errors import NotMeasured


@dataclass(frozen=True)
class Interval:
    """A figure with its interval: `low` and `high` are None where it has none, `value` too where n is 0.

    `n` counts what was averaged or tried; `reason` says what is undefined and why, '' where nothing is.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    method: str
    reason: str = ""


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """The mean over cases with its two-sided t interval (n − 1 degrees of freedom).

    Args:
        values: one number a case, shape (n,): the mean over the case's trials. If each has as many, this is
            the interval of errors clustered by case with √(G/(G−1)) (Miller 2024, arXiv 2411.00640).
        confidence: between 0 and 1.

    Raises:
        NotMeasured: a value is None, NaN or infinite.
    """
    return t_interval(case_means(values), confidence, "t over cases")


def case_means(values: ArrayLike) -> np.ndarray:
    """`values` as a float array of shape (n,).

    Raises:
        NotMeasured: a value is None, NaN or infinite.
        ValueError: the shape is another.
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 1:
        raise ValueError(f"one number a case is needed, not an array of shape {array.shape}")
    if not np.isfinite(array).all():
        count = int((~np.isfinite(array)).sum())
        raise NotMeasured(f"{count} of {array.size} cases have no finite value; leave them out and say so")
    return array


def t_interval(values: np.ndarray, confidence: float, method: str) -> Interval:
    """The mean of finite `values`, shape (n,), with a t interval under the name `method`."""
    _check_confidence(confidence)
    n = values.size
    if n == 0:
        return Interval(None, None, None, 0, method, "no cases")
    mean = float(values.mean())
    if n == 1:
        return Interval(mean, None, None, 1, method, "one case shows no spread")
    # Equal means of trials can differ in their last bits; such a spread is none.
    if np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())):
        return Interval(mean, None, None, n, method, f"no spread over {n} cases")
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, (1 + confidence) / 2)) * float(values.std(ddof=1)) / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, n, method)


def wilson(successes: int, n: int, confidence: float = 0.95) -> Interval:
    """The share of successes with Wilson's score interval; for reporting.

    Source: Wilson 1927. Example: wilson(21, 23) is 0.913 [0.732, 0.976].
    """
    successes, n = _counts(successes, n, confidence)
    if n == 0:
        return Interval(None, None, None, 0, "Wilson", "nothing was tried")
    return _wilson(successes / n, n, confidence, "Wilson")


def share_over_cases(shares: Sequence[float], confidence: float = 0.95) -> Interval:
    """The mean of shares, one a case and each from 0 to 1, with Wilson's interval over cases.

    Trials of one case are not independent, so a case counts once, however many trials it had. Wilson's formula takes
    m(1 − m) for the spread of 0s and 1s; shares in between spread less (Bhatia & Davis 2000), so the interval errs on
    the wide side. With one trial a case it is `wilson` itself.
    """
    _check_confidence(confidence)
    n = len(shares)
    if n == 0:
        return Interval(None, None, None, 0, "Wilson over cases", "no case was measured")
    return _wilson(math.fsum(shares) / n, n, confidence, "Wilson over cases")


def clopper_pearson(successes: int, n: int, confidence: float = 0.95) -> Interval:
    """The share of successes with the exact interval, which covers at least at `confidence`; for decisions.

    Source: Clopper & Pearson 1934. Example: clopper_pearson(21, 23) is 0.913 [0.720, 0.989].
    """
    successes, n = _counts(successes, n, confidence)
    if n == 0:
        return Interval(None, None, None, 0, "Clopper–Pearson", "nothing was tried")
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return Interval(successes / n, low, high, n, "Clopper–Pearson")


def upper_bound(misses: int, n: int, confidence: float = 0.95) -> float:
    """The exact one-sided upper bound on the rate of misses, where `misses` of `n` were seen.

    With no miss it is 1 − (1 − confidence)^(1/n). Example: upper_bound(0, 23) is 0.1221.

    Raises:
        NotMeasured: n is 0; no bound can be given.
        ValueError: more misses than n, a negative or fractional count, a confidence outside 0 to 1.
    """
    misses, n = _counts(misses, n, confidence)
    if n == 0:
        raise NotMeasured("no case was measured, so nothing bounds the rate of misses")
    if misses == n:
        return 1.0
    from scipy.special import betaincinv

    return float(betaincinv(misses + 1, n - misses, confidence))


def _wilson(share: float, n: int, confidence: float, method: str) -> Interval:
    from scipy.special import ndtri

    z = float(ndtri((1 + confidence) / 2))
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At the ends the formula gives 0 and 1 but for rounding.
    low = 0.0 if share == 0 else max(0.0, middle - half)
    high = 1.0 if share == 1 else min(1.0, middle + half)
    return Interval(share, low, high, n, method)


def _counts(successes: int, n: int, confidence: float) -> tuple[int, int]:
    _check_confidence(confidence)
    if not (float(successes).is_integer() and float(n).is_integer() and 0 <= successes <= n):
        raise ValueError(f"{successes} of {n} is impossible; whole numbers from 0 to n are needed")
    return int(successes), int(n)


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, as 0.95 does; {confidence} does not")
