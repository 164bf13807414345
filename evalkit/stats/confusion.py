"""Tables of what two raters said, and what is computed from one, or from many at once.

A table has a row for each label of the first rater and a column for each of the second.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Weights = str | Sequence[Sequence[float]] | None

OVER_CASES = "bootstrap over cases"


def one_class(table: np.ndarray) -> str:
    """Why a table measures no agreement: '' where both raters used more than one class."""
    first, second = table.any(axis=1), table.any(axis=0)
    if not first.any():
        return "no pair"
    if first.sum() == second.sum() == 1:
        same = (first == second).all()
        return "both raters used one class" if same else "each rater used one class, and not the same"
    return "rater a used one class" if first.sum() == 1 else "rater b used one class" if second.sum() == 1 else ""


def how_far_apart(weights: Weights, size: int) -> np.ndarray:
    """How far apart each two labels are, from 0 to 1."""
    place = np.arange(size)
    distance = np.abs(place[:, None] - place)
    if weights is None:
        return (distance > 0).astype(float)
    if isinstance(weights, str):
        if weights not in ("linear", "quadratic"):
            raise ValueError(f'weights are None, "linear", "quadratic" or a matrix, not {weights!r}')
        return (distance / max(1, size - 1)) ** (1 if weights == "linear" else 2)
    matrix = np.asarray(weights, dtype=float)
    right = matrix.shape == (size, size) and np.isfinite(matrix).all() and (matrix >= 0).all()
    if not right or matrix.diagonal().any() or not matrix.any():
        raise ValueError(f"weights say how far apart each two of {size} labels are: a square, 0 on its diagonal alone")
    return matrix / matrix.max()


def expected(tables: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """The disagreement that is expected from the margins alone, a share, of tables of shape (some, labels, labels)."""
    rows, columns, n = tables.sum(axis=2), tables.sum(axis=1), tables.sum(axis=(1, 2))
    with np.errstate(invalid="ignore"):
        return ((rows @ apart) * columns).sum(axis=1) / n**2


def kappas(tables: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """1 − observed / expected disagreement of each table; NaN where none is expected."""
    rows, columns, n = tables.sum(axis=2), tables.sum(axis=1), tables.sum(axis=(1, 2))
    # In whole numbers as far as it goes, so that what is 0 by the formula is 0.
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - (tables * apart).sum(axis=(1, 2)) * n / ((rows @ apart) * columns).sum(axis=1)


def standard_errors(table: np.ndarray, apart: np.ndarray) -> tuple[float, float]:
    """The standard error of kappa, and that under no agreement beyond chance; Fleiss, Cohen & Everitt 1969."""
    share, near, n = table / table.sum(), 1 - apart, table.sum()
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    mean = (near @ columns)[:, None] + rows @ near
    seen, chance = float((share * near).sum()), float(rows @ near @ columns)
    if one_class(table):
        return 0.0, 0.0
    spread = (share * (near * (1 - chance) - mean * (1 - seen)) ** 2).sum() - (seen * chance - 2 * chance + seen) ** 2
    by_chance = (np.outer(rows, columns) * (near - mean) ** 2).sum() - chance**2
    if not (table * apart).any():
        spread = 0.0
    return math.sqrt(max(0.0, spread) / n) / (1 - chance) ** 2, math.sqrt(max(0.0, by_chance) / n) / (1 - chance)


def landis_koch(value: float) -> str:
    """The usual word for a kappa (Landis & Koch 1977). The bands are a habit, and decide nothing here."""
    words = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"), (1.0, "almost perfect"))
    return "poor" if value < 0 else next(word for most, word in words if value <= most)


def most_unseen(n: int, confidence: float) -> float:
    """The upper end of the exact interval of a share of which nothing was seen in n (Clopper & Pearson 1934)."""
    return 1 - ((1 - confidence) / 2) ** (1 / n)
