from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalkit.errors import NotMeasured
from evalkit.stats.intervals import mean_interval
from evalkit.stats.paired import mcnemar, mcnemar_exact, mcnemar_mid_p, paired_difference


def standard_error(interval) -> float:
    return (interval.high - interval.low) / 2 / stats.t.ppf(0.975, interval.n - 1)


def test_twenty_cases_give_the_known_difference():
    # Both pass 12, only A 5, only B 1, neither 2: A 17/20, B 13/20.
    a = [1] * 12 + [1] * 5 + [0] * 1 + [0] * 2
    b = [1] * 12 + [0] * 5 + [1] * 1 + [0] * 2
    got = paired_difference(a, b)
    assert got.value == pytest.approx(0.2)
    assert standard_error(got) == pytest.approx(0.116980, abs=5e-7)
    assert (got.low, got.high) == pytest.approx((-0.04484, 0.44484), abs=5e-6)
    assert (got.n, got.method, got.reason) == (20, "paired t over cases", "")
    # √(SE_A² + SE_B² − 2ρ SE_A SE_B) with ρ = 0.278900.
    errors = [standard_error(mean_interval(side)) for side in (a, b)]
    assert math.hypot(*errors) == pytest.approx(0.136690, abs=5e-7)
    shared = 2 * 0.278900 * errors[0] * errors[1]
    assert standard_error(got) == pytest.approx(math.sqrt(math.hypot(*errors) ** 2 - shared), abs=1e-6)


def test_four_cases_of_three_trials_give_the_known_difference():
    a = np.array([[1, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1]]).mean(axis=1)
    b = np.array([[1, 0, 1], [1, 0, 0], [0, 0, 0], [0, 0, 1]]).mean(axis=1)
    # d = 1/3, 1/3, 0, 1/3: mean 1/4, sd 1/6, SE 1/12; t with 3 degrees of freedom 3.182446.
    got = paired_difference(a, b)
    assert got.value == pytest.approx(1 / 4)
    assert standard_error(got) == pytest.approx(1 / 12)
    assert (got.low, got.high) == pytest.approx((-0.0152, 0.5152), abs=5e-5)


@given(st.lists(st.tuples(st.floats(-3, 1), st.floats(-3, 1)), min_size=2, max_size=20))
def test_swapping_the_sides_turns_the_difference_round(pairs):
    a, b = zip(*pairs, strict=True)
    there, back = paired_difference(a, b), paired_difference(b, a)
    assert there.value == pytest.approx(-back.value, abs=1e-12)
    assert there.reason == back.reason
    if not there.reason:
        assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-12)


@pytest.mark.parametrize(("a", "b", "value"), [([1, 0, 1], [1, 0, 1], 0.0), ([1, 1], [0, 0], 1.0)])
def test_differences_without_spread_have_no_interval(a, b, value):
    got = paired_difference(a, b)
    assert (got.value, got.low, got.high) == (value, None, None)
    assert got.reason == f"no spread over {len(a)} cases"


def test_no_pairs_have_no_difference():
    assert paired_difference([], []).value is None


def test_sides_of_different_length_are_refused():
    with pytest.raises(ValueError, match="same cases: 2 on one side, 1 on the other"):
        paired_difference([1, 0], [1])


def test_a_case_measured_on_one_side_alone_is_no_pair():
    with pytest.raises(NotMeasured):
        paired_difference([1, 0], [1, None])


@pytest.mark.parametrize(
    ("b", "c", "exact", "mid"),
    [
        # 2·(C(6,0) + C(6,1))/64 = 14/64; less C(6,1)/64.
        (5, 1, 14 / 64, 8 / 64),
        # Bentur's data in Fagerland, Lydersen & Laake 2013: 2·(1 + 8)/256, less 8/256.
        (1, 7, 0.0703125, 0.0390625),
        # Twice the tail is 2·42/64 = 1.3125, so 1; mid-p 1 − ½·20/64.
        (3, 3, 1.0, 1 - 10 / 64),
        (0, 0, 1.0, 1.0),
        # 2/64 and 2/32: six one way are the least that reach 0.05.
        (6, 0, 0.03125, 0.015625),
        (0, 5, 0.0625, 0.03125),
        # The pairs of a published ranking example: 3–0, 7–0, 6–2, 11–0.
        (3, 0, 0.25, 0.125),
        (7, 0, 0.015625, 0.0078125),
        (6, 2, 0.2890625, 0.1796875),
        (11, 0, 0.0009765625, 0.00048828125),
    ],
)
def test_mcnemar_gives_the_known_values(b, c, exact, mid):
    assert mcnemar_exact(b, c) == mcnemar_exact(c, b) == exact
    assert mcnemar_mid_p(b, c) == mcnemar_mid_p(c, b) == mid


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_the_sign_test_of_scipy(b, c):
    expected = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(expected, rel=1e-9)
    assert 0 < mcnemar_mid_p(b, c) <= mcnemar_exact(b, c)


def test_mcnemar_holds_for_many_cases():
    assert mcnemar_exact(3000, 2000) == pytest.approx(stats.binomtest(3000, 5000).pvalue, rel=1e-6)


def test_fewer_than_six_discordant_cases_cannot_be_significant():
    got = mcnemar(5, 0)
    assert (got.b, got.c, got.p, got.p_mid) == (5, 0, 0.0625, 0.03125)
    assert got.reason == "cannot be significant: 5 cases differ, at least 6 are needed"
    assert mcnemar(6, 0).reason == ""
    assert mcnemar(3, 3).reason == ""


@pytest.mark.parametrize("counts", [(-1, 2), (1, -2), (1.5, 2), (math.nan, 1)])
def test_impossible_counts_are_refused(counts):
    with pytest.raises(ValueError, match="counts of cases"):
        mcnemar_exact(*counts)
    with pytest.raises(ValueError, match="counts of cases"):
        mcnemar_mid_p(*counts)


def test_counts_of_numpy_are_counts():
    assert mcnemar_exact(np.int64(5), np.int64(1)) == 0.21875
    assert type(mcnemar(np.int64(5), np.int64(1)).b) is int
