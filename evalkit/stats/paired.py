"""Two candidates on the same cases: the difference of their means, and McNemar's exact test."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from evalkit.stats.intervals import Interval, case_means, t_interval

LEAST_DISCORDANT = 6


@dataclass(frozen=True)
class McNemar:
    """McNemar's test over cases: `b` were passed by the first alone, `c` by the second alone.

    `p` is exact and two-sided, and decides; `p_mid` is shown beside it. `reason` says why so few cases cannot
    reach 0.05 however they fall, '' where they can.
    """

    b: int
    c: int
    p: float
    p_mid: float
    reason: str = ""


def paired_difference(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Interval:
    """The mean over cases of a − b, with its two-sided t interval; undefined as `mean_interval` is.

    Args:
        a, b: one number a case (the mean over its trials), shape (n,), the same cases in the same order.
        confidence: between 0 and 1.

    Raises:
        NotMeasured: a value is None, NaN or infinite.
        ValueError: a and b differ in length.
    """
    first, second = case_means(a), case_means(b)
    if first.size != second.size:
        raise ValueError(f"pairs need the same cases: {first.size} on one side, {second.size} on the other")
    return t_interval(first - second, confidence, "paired t over cases")


def mcnemar(b: int, c: int) -> McNemar:
    """McNemar's test with both its p-values, and whether so few cases could have told anything."""
    reason = ""
    if b + c < LEAST_DISCORDANT:
        reason = f"cannot be significant: {b + c} cases differ, at least {LEAST_DISCORDANT} are needed"
    return McNemar(int(b), int(c), mcnemar_exact(b, c), mcnemar_mid_p(b, c), reason)


def mcnemar_exact(b: int, c: int) -> float:
    """The exact two-sided p-value: twice the smaller binomial tail at ½, 1 at most and where none differ.

    Args:
        b: cases passed by the first candidate alone.
        c: cases passed by the second alone.

    Raises:
        ValueError: a count is negative or fractional.

    Example: mcnemar_exact(5, 1) is 0.21875.
    """
    n, least = _discordant(b, c)
    return min(1.0, 2 * _tail(n, least))


def mcnemar_mid_p(b: int, c: int) -> float:
    """The mid-p value, less strict than the exact one; 1 where none differ.

    Source: Fagerland, Lydersen & Laake 2013 (BMC Med Res Methodol 13:91).
    Example: mcnemar_mid_p(5, 1) is 0.125.
    """
    n, least = _discordant(b, c)
    if n == 0:
        return 1.0
    here = math.comb(n, least) / 2**n
    return 1 - here / 2 if b == c else 2 * _tail(n, least) - here


def _discordant(b: int, c: int) -> tuple[int, int]:
    if not (float(b).is_integer() and float(c).is_integer() and b >= 0 and c >= 0):
        raise ValueError(f"counts of cases are whole and not negative; {b} and {c} are not")
    return int(b) + int(c), min(int(b), int(c))


def _tail(n: int, least: int) -> float:
    """P(X ≤ least) for X binomial with n tries at ½, from whole numbers."""
    return sum(math.comb(n, i) for i in range(least + 1)) / 2**n
