"""How many labels a kappa needs, against the published checks and the table they give."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import NotMeasured
from evalkit.stats.confusion import how_far_apart, standard_errors
from evalkit.stats.labels_needed import half_width, labels_needed

SHARES = (0.5, 0.3, 0.2, 0.1, 0.05)


# For ± 0.1.
@pytest.mark.parametrize(
    ("kappa", "expected"),
    [
        (0.4, [323, 379, 489, 848, 1581]),
        (0.6, [246, 296, 392, 705, 1347]),
        (0.7, [196, 236, 314, 569, 1091]),
        (0.8, [139, 167, 222, 401, 768]),
        (0.9, [73, 88, 116, 209, 398]),
    ],
)
def test_the_labels_for_a_tenth_are_the_known_ones(kappa: float, expected: list[int]) -> None:
    assert [labels_needed(kappa, p) for p in SHARES] == expected


def test_the_published_checks_are_met() -> None:
    # STB-58: κ .1, p .2 has Q 1.182 and needs 114 for ± .2; Q = .9 [.9·.8 + .19/.32] = 1.182375.
    assert labels_needed(0.1, 0.2, 0.2) == 114
    assert half_width(0.1, 0.2, 1) ** 2 / 1.959964**2 == pytest.approx(1.182375, abs=5e-7)
    # κ 0 has Q 1: 100 · 1.959964² = 384.15, which is printed as 384; that many are a little too few.
    assert labels_needed(0, 0.1, 0.1) == 385
    assert half_width(0, 0.1, 384.15) == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize(
    ("n", "expected"),
    [(50, [0.222, 0.280, 0.375]), (100, [0.157, 0.198, 0.265]), (200, [0.111, 0.140, 0.188])],
)
def test_half_the_width_with_so_many_labels_is_the_known_one(n: int, expected: list[float]) -> None:
    assert [round(half_width(0.6, p, n), 3) for p in (0.5, 0.2, 0.1)] == expected


@given(st.floats(0, 0.98), st.floats(0.02, 0.98), st.floats(0.02, 0.5))
def test_the_labels_needed_are_the_fewest_that_are_narrow_enough(kappa: float, p: float, half: float) -> None:
    n = labels_needed(kappa, p, half)
    assert half_width(kappa, p, n) <= half * (1 + 1e-9)
    assert n == 1 or half_width(kappa, p, n - 1) > half * (1 - 1e-9)
    # Ends of the 1 − p share are those of p.
    assert abs(labels_needed(kappa, 1 - p, half) - n) <= 1


@given(st.floats(0, 0.95), st.floats(0.05, 0.5))
def test_the_formula_is_the_standard_error_of_a_table_with_equal_margins(kappa: float, p: float) -> None:
    # Both say the class in a share p, and agree beyond chance by κ.
    apart = p * (1 - p) * (1 - kappa)
    table = [[p - apart, apart], [apart, 1 - p - apart]]
    ase, _ = standard_errors(np.array(table), how_far_apart(None, 2))
    assert half_width(kappa, p, 1) == pytest.approx(1.959964 * ase, rel=1e-5)


def test_a_kappa_of_1_plans_nothing() -> None:
    for function in (labels_needed, half_width):
        with pytest.raises(NotMeasured, match="no error to plan with"):
            function(1.0, 0.2, 0.1)


@pytest.mark.parametrize(
    "arguments",
    [
        (0.6, 0, 0.1), (0.6, 1, 0.1), (0.6, 0.2, 0), (0.6, 0.2, -1), (1.2, 0.2, 0.1), (math.nan, 0.2, 0.1),
        (0.6, math.nan, 0.1), (0.6, 0.2, math.nan),
        # With a share of .1 on both sides kappa is −1/9 at least.
        (-0.2, 0.1, 0.1),
    ],
)  # fmt: skip
def test_what_no_table_has_is_refused(arguments: tuple[float, float, float]) -> None:
    for function in (labels_needed, half_width):
        with pytest.raises(ValueError, match=r"share|kappa|half|labels"):
            function(*arguments)
