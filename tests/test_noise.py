"""The noise band of a stratum, to the fraction, and against every pair of repeats and every subset of cases."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import NotMeasured
from evalkit.stats import noise

# Rows are cases, columns repeats.
A = ["11111", "11101", "11101", "10101", "11110", "01000"]
B = ["1111", "1101", "1011", "0110", "1111", "0000"]
C = ["111", "101", "110", "001"]
D = ["111", "110", "100", "011", "110", "111"]

MATRICES = st.tuples(st.integers(1, 5), st.integers(2, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 1), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


def cases(rows: list[str]) -> list[list[int]]:
    return [[int(x) for x in row] for row in rows]


def by_brute_force(passed: list[list[int]], m: int) -> Fraction:
    """The mean of Δ² over all ordered pairs of repeats and all subsets of m cases."""
    squares = [
        Fraction(sum(passed[i][r] - passed[i][s] for i in subset), m) ** 2
        for r, s in permutations(range(len(passed[0])), 2)
        for subset in combinations(range(len(passed)), m)
    ]
    return sum(squares, Fraction(0)) / len(squares)


def of_means(passed: list[list[int]]) -> float:
    return float(np.var(np.mean(passed, axis=0), ddof=1))


# A: c = 5, 4, 4, 3, 4, 1 of R = 5, and a variance of c(5 − c)/20: 0, 4, 4, 6, 4, 4 twentieths, mean 22/120 = 11/60.
# The repeats pass 4, 5, 4, 2, 4 of 6: mean 19/5, squares 77, so s² = (77 − 361/5)/4/36 = 17/360.
# V(3) = 2·[17/360 + 3/(3·5)·(66/360 − 17/360)] = 2·(17/360 + 49/1800) = 134/900 = 67/450.
# B: c = 4, 3, 3, 2, 4, 0 of 4: 0, 3, 3, 4, 0, 0 twelfths, mean 10/72 = 5/36. Each repeat passes 4: s² = 0, so that
# V(m) = 2·(6 − m)/(5m)·5/36.
# C: c = 3, 2, 2, 1 of 3: 0, 2, 2, 2 sixths, mean 1/4. The repeats pass 3, 2, 3: s² = (1/3)/16 = 1/48.
# V(2) = 2·[1/48 + 2/(2·3)·(11/48)] = 2·14/144 = 7/36.
# D: c = 3, 2, 1, 2, 2, 3 of 3: 0, 2, 2, 2, 2, 0 sixths, mean 2/9. The repeats pass 5, 5, 3: s² = (4/3)/36 = 1/27, and
# that is w/6, so V(m) = 4/(9m).
@pytest.mark.parametrize(
    ("rows", "w", "s_run", "by_m"),
    [
        (A, "11/60", "17/360", ["11/30", "61/300", "67/450", "73/600", "79/750", "17/180"]),
        (B, "5/36", "0", ["5/18", "1/9", "1/18", "1/36", "1/90", "0"]),
        (C, "1/4", "1/48", ["1/2", "7/36", "5/54", "1/24"]),
        (D, "2/9", "1/27", ["4/9", "4/18", "4/27", "4/36", "4/45", "4/54"]),
    ],
    ids="ABCD",
)
def test_the_examples_are_right_to_the_fraction(rows: list[str], w: str, s_run: str, by_m: list[str]) -> None:
    passed = cases(rows)
    assert noise.within_variance(passed) == float(Fraction(w))
    assert of_means(passed) == pytest.approx(float(Fraction(s_run)), abs=1e-15)
    for m, variance in enumerate(by_m, 1):
        assert noise.null_variance(passed, m) == float(Fraction(variance))
        assert by_brute_force(passed, m) == Fraction(variance)


# 2·√(67/450) = 0.771722. Averaged over 5: √((1 + 1/5)/2) = √0.6 = 0.774597 of it.
def test_the_band_of_example_a() -> None:
    got = noise.band(cases(A), 3)
    assert got.value == pytest.approx(0.771722, abs=5e-7)
    assert (got.variance, got.measured, got.decided) == (float(Fraction(67, 450)), float(Fraction(67, 450)), "V(m)")
    assert (got.pooled, got.floor) == (float(Fraction(22, 180)), float(Fraction(2 * 3, 30 * 3)))
    assert (got.n, got.repeats, got.m, got.z, got.averaged, got.factor, got.df) == (6, 5, 3, 2.0, 1, 1.0, 4)
    assert got.t_multiplier == pytest.approx(2.869, abs=5e-4)
    assert got.reason == ""
    mean_of_five = noise.band(cases(A), 3, averaged=5)
    assert mean_of_five.factor == pytest.approx(0.7746, abs=5e-5)
    assert mean_of_five.value == pytest.approx(0.597773, abs=1e-6)
    assert mean_of_five.variance == got.variance
    assert noise.band(cases(A), 3, z=3).value == pytest.approx(1.5 * got.value)


# In example B the repeats' means are equal by chance: V(6) = 0, where 2w/6 = 5/108. The floor 3/24 on w is 1/8.
def test_a_measured_spread_that_is_too_small_gives_way_to_that_within_cases() -> None:
    got = noise.band(cases(B), 6)
    assert got.measured == 0
    assert (got.decided, got.variance) == ("2w/m", float(Fraction(5, 108)))
    assert got.pooled > got.floor == float(Fraction(1, 24))


# Example D has V(m) = 2w/m: of equal ones it is the measured one that decides.
@pytest.mark.parametrize("m", range(2, 7))
def test_of_equal_spreads_the_measured_one_is_named(m: int) -> None:
    assert noise.band(cases(D), m).decided == "V(m)"


# 20 cases, 5 repeats, all alike: w = 0, floored at 3/100; at m = 10 the band is 2·√(2·0.03/10) = 0.1549.
@pytest.mark.parametrize("outcome", [0, 1])
def test_repeats_that_are_all_alike_have_the_band_of_the_rule_of_three(outcome: int) -> None:
    got = noise.band([[outcome] * 5] * 20, 10)
    assert (got.measured, got.pooled, got.decided) == (0, 0, "floor")
    assert got.variance == got.floor == pytest.approx(0.006)
    assert got.value == pytest.approx(0.1549, abs=5e-5)


# T = 6, k = 3: C(c,3)/20 − C(c,6): c = 3 1/20, 4 4/20, 5 10/20, 6 1 − 1. T = 9: C(c,3)/84 − C(c,6)/84:
# c = 4 4/84, 5 10/84, 6 19/84, 7 28/84, 8 28/84, 9 0.
@pytest.mark.parametrize(
    ("trials", "first", "expected"),
    [
        (6, 0, ["0", "0", "0", "1/20", "1/5", "1/2", "0"]),
        (9, 4, ["1/21", "5/42", "19/84", "1/3", "1/3", "0"]),
    ],
)
def test_the_variance_from_single_trials(trials: int, first: int, expected: list[str]) -> None:
    got = [noise.variance_from_trials(c, trials, 3) for c in range(first, trials + 1)]
    assert got == [Fraction(v) for v in expected]


# p = 0.9: q = 0.729 and q(1 − q) = 0.197559.
def test_the_variance_from_single_trials_is_unbiased() -> None:
    p = Fraction(9, 10)
    chances = [math.comb(6, c) * p**c * (1 - p) ** (6 - c) for c in range(7)]
    got = sum(chance * noise.variance_from_trials(c, 6, 3) for c, chance in enumerate(chances))
    assert got == p**3 * (1 - p**3) == Fraction(197559, 1_000_000)


# The variance of a block's s² is (μ₄ − v²(R − 3)/(R − 1))/R with μ₄ = v(1 − 3v). Where trials mostly pass, single
# trials save 1 to 12 % of it; at p = 0.5 it would be half.
@pytest.mark.parametrize(("p", "repeats"), [(0.9, 2), (0.9, 3), (0.9, 5), (0.95, 2), (0.95, 3), (0.95, 5)])
def test_single_trials_are_little_better_than_blocks(p: float, repeats: int) -> None:
    trials, v = 3 * repeats, p**3 * (1 - p**3)
    chances = [math.comb(trials, c) * p**c * (1 - p) ** (trials - c) for c in range(trials + 1)]
    estimates = [float(noise.variance_from_trials(c, trials, 3)) for c in range(trials + 1)]
    variance = sum(w * (x - v) ** 2 for w, x in zip(chances, estimates, strict=True))
    blocks = (v * (1 - 3 * v) - v**2 * (repeats - 3) / (repeats - 1)) / repeats
    assert 0.88 <= variance / blocks <= 0.995


@pytest.mark.parametrize(("c", "trials", "k"), [(7, 6, 3), (-1, 6, 3), (3, 6, 0)])
def test_counts_that_cannot_be_have_no_variance(c: int, trials: int, k: int) -> None:
    with pytest.raises(ValueError, match="is impossible"):
        noise.variance_from_trials(c, trials, k)


def test_too_few_trials_have_no_variance() -> None:
    with pytest.raises(NotMeasured, match="needs 6 trials; there are 5"):
        noise.variance_from_trials(3, 5, 3)


# N = 30, R = 5, m = 10. Simulated: the relative sd of V(m) is 0.27, that of 2w/m 0.16. With cases independent both
# expect 2q(1 − q)/m. When whole repeats shift with a variance τ², V(m) expects 2(w̄/m + τ²) and 2w/m expects
# 2(w̄ + τ²)/m, so that it misses 2τ²(1 − 1/m): 0.0065 at τ = 0.06. (B5's 0.0288 − 0.0233 is 0.0055: its cases, which
# it does not print, are cut at 1 more often.)
def test_what_shifts_a_whole_repeat_is_seen_by_v_alone() -> None:
    random = np.random.default_rng(6)

    def spreads(shock: float) -> np.ndarray:
        q = np.clip(0.84 + shock * random.standard_normal((1500, 1, 5)), 0, 1)
        passed = random.random((1500, 30, 5)) < q
        return np.array([(noise.null_variance(x, 10), 2 * noise.within_variance(x) / 10) for x in passed])

    calm, shaken = spreads(0.0), spreads(0.06)
    assert calm.mean(axis=0) == pytest.approx([2 * 0.84 * 0.16 / 10] * 2, rel=0.03)
    assert calm.std(axis=0) / calm.mean(axis=0) == pytest.approx([0.27, 0.16], abs=0.02)
    assert shaken[:, 0].mean() - shaken[:, 1].mean() == pytest.approx(2 * 0.06**2 * 0.9, abs=0.0008)


@settings(deadline=None, max_examples=60)
@given(MATRICES)
def test_it_is_the_mean_over_all_pairs_and_all_subsets(passed: list[list[int]]) -> None:
    for m in range(1, len(passed) + 1):
        assert noise.null_variance(passed, m) == float(by_brute_force(passed, m))


@settings(deadline=None)
@given(MATRICES)
def test_one_case_alone_and_all_together(passed: list[list[int]]) -> None:
    assert noise.null_variance(passed, 1) == pytest.approx(2 * noise.within_variance(passed), abs=1e-15)
    assert noise.null_variance(passed, len(passed)) == pytest.approx(2 * of_means(passed), abs=1e-12)


# Turning each case's repeats by every amount, all combinations of them, makes the cases independent of one another.
@settings(deadline=None, max_examples=50)
@given(MATRICES)
def test_independent_cases_have_2w_over_m_on_average(passed: list[list[int]]) -> None:
    few = passed[:3]
    turns = list(product(range(len(few[0])), repeat=len(few)))
    for m in range(1, len(few) + 1):
        turned = ([np.roll(row, by) for row, by in zip(few, turn, strict=True)] for turn in turns)
        mean = np.mean([noise.null_variance(matrix, m) for matrix in turned])
        assert mean == pytest.approx(2 * noise.within_variance(few) / m, abs=1e-12)


@settings(deadline=None)
@given(MATRICES, st.data())
def test_the_band_is_never_narrower_than_any_of_its_three(passed: list[list[int]], data: st.DataObject) -> None:
    m = data.draw(st.integers(1, len(passed)))
    got = noise.band(passed, m)
    parts = {"V(m)": got.measured, "2w/m": got.pooled, "floor": got.floor}
    assert got.variance == max(parts.values()) == parts[got.decided] > 0
    assert got.value == pytest.approx(2 * math.sqrt(got.variance))
    assert noise.band([row[::-1] for row in passed[::-1]], m) == got


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        ([[1], [0]], "a band needs two repeats of the baseline, and there is one"),
        ([[], []], "a band needs two repeats of the baseline, and there are none"),
        ([], "no cases"),
    ],
)
def test_fewer_than_two_repeats_are_not_measured(passed: list[list[int]], words: str) -> None:
    with pytest.raises(NotMeasured, match=words):
        noise.null_variance(passed, 1)
    got = noise.band(passed, 1, averaged=3)
    assert got.reason == f"not measured: {words}"
    assert (got.value, got.variance, got.measured, got.pooled, got.floor, got.t_multiplier) == (None,) * 6
    assert not got.blind


@pytest.mark.parametrize("m", [0, 5, -1, 1.5, None, math.nan, math.inf])
def test_a_sample_outside_the_stratum_is_refused(m: object) -> None:
    for of in (noise.null_variance, noise.band):
        with pytest.raises(ValueError, match="from 1 to all 4 cases"):
            of(cases(C), m)


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        ([[1, None], [0, 1]], "what was not measured is neither"),
        ([[1, math.nan], [0, 1]], "what was not measured is neither"),
        ([[1, 2], [0, 1]], "passed or did not"),
        ([[1, 0.5], [0, 1]], "passed or did not"),
        ([[1, 0], [1]], "needs as many repeats"),
        ([["yes", "no"]], "needs as many repeats"),
        ([1, 0, 1], "one row a case"),
        (1, "one row a case"),
    ],
)
def test_what_is_not_zeros_and_ones_is_refused(passed: object, words: str) -> None:
    for of in (noise.null_variance, noise.band):
        with pytest.raises(ValueError, match=words):
            of(passed, 1)


def test_booleans_are_as_good_as_numbers() -> None:
    assert noise.band(np.array(cases(A)) == 1, 3) == noise.band(cases(A), 3)


@pytest.mark.parametrize("z", [0, -2.0, math.nan, math.inf])
def test_a_z_that_is_none_is_refused(z: float) -> None:
    with pytest.raises(ValueError, match="z lies above 0"):
        noise.band(cases(A), 3, z=z)


@pytest.mark.parametrize("averaged", [0, -1, 1.5, math.inf])
def test_a_baseline_averaged_over_nothing_is_refused(averaged: float) -> None:
    with pytest.raises(ValueError, match="whole repeats"):
        noise.band(cases(A), 3, averaged=averaged)


def test_a_baseline_cannot_be_averaged_over_more_repeats_than_there_are() -> None:
    with pytest.raises(ValueError, match="5 repeats cannot be averaged over 6"):
        noise.band(cases(A), 3, averaged=6)


# R = 1: √(2/2) = 1; ever more: √½.
def test_averaging_the_baseline_takes_away_its_own_noise_alone() -> None:
    factors = [noise.averaging_factor(r) for r in (1, 2, 3, 5, 10**9)]
    assert factors == pytest.approx([1, math.sqrt(3 / 4), math.sqrt(2 / 3), math.sqrt(0.6), math.sqrt(0.5)])


# t quantiles at 0.0227501, which z = 2 has.
@pytest.mark.parametrize(("df", "multiplier"), [(2, 4.527), (4, 2.869), (9, 2.320), (19, 2.140), (1e9, 2.0)])
def test_few_degrees_of_freedom_need_a_larger_multiplier(df: float, multiplier: float) -> None:
    assert noise.t_multiplier(df) == pytest.approx(multiplier, abs=5e-4)


@pytest.mark.parametrize("df", [0, -1, math.nan])
def test_no_degrees_of_freedom_have_no_multiplier(df: float) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        noise.t_multiplier(df)


# At a band of 0.2, 9/10 → 7/10 and 8/10 → 6/10 differ by 0.20000000000000007 as floats, 10/10 → 8/10 does not; at 0.3
# four of the eight equal drops would block.
@pytest.mark.parametrize(("band", "drop"), [(0.2, 2), (0.3, 3)])
def test_a_drop_as_large_as_the_band_blocks_nowhere(band: float, drop: int) -> None:
    deltas = [(before - drop) / 10 - before / 10 for before in range(drop, 11)]
    assert any(delta < -band for delta in deltas)
    assert not any(noise.drops_out(delta, band) for delta in deltas)
    assert all(noise.drops_out(delta - 0.1, band) for delta in deltas)
    assert not noise.drops_out(0.9, band)


@pytest.mark.parametrize(("delta", "band"), [(None, 0.2), (-0.5, None), (math.nan, 0.2), (-0.5, math.nan)])
def test_an_unmeasured_band_lets_nothing_pass(delta: float | None, band: float | None) -> None:
    with pytest.raises(NotMeasured, match="cannot be held against"):
        noise.drops_out(delta, band)


# A band of 0.3128 at m = 10 blocks from 4 cases on, the seed's 0.2 from 3.
@pytest.mark.parametrize(
    ("m", "band", "averaged", "least"), [(10, 0.2, 1, 3), (10, 0.3, 1, 4), (10, 0.3128, 1, 4), (10, 0.2423, 5, 13)]
)
def test_the_least_drop_is_a_whole_number_of_cases(m: int, band: float, averaged: int, least: int) -> None:
    assert noise.least_drop(m, band, averaged) == least


@settings(deadline=None)
@given(st.integers(1, 200), st.integers(1, 5), st.data())
def test_the_least_drop_is_the_first_that_leaves_the_band(m: int, averaged: int, data: st.DataObject) -> None:
    band = data.draw(st.one_of(st.integers(0, m).map(lambda i: i / m), st.floats(0, 1)))
    least = noise.least_drop(m, band, averaged)
    assert noise.drops_out(-least / (m * averaged), band)
    assert not noise.drops_out(-(least - 1) / (m * averaged), band)


# Two cases, three repeats all alike: the floor is 2·(3/6)/1 = 1 at m = 1, and the band 2. With 20 it is 0.63 wide.
@pytest.mark.parametrize(("n", "blind"), [(2, True), (20, False)])
def test_a_band_that_no_drop_can_leave_says_so(n: int, blind: bool) -> None:
    assert noise.band([[1, 1, 1]] * n, 1).blind is blind
