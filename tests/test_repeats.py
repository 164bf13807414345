"""How precise a band is after R repeats, and how many are missing: statistics.md B6."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evalkit.stats import noise, repeats


# df·s²/σ² is χ² with df = R − 1: P(0.8 ≤ s/σ ≤ 1.2) = P(0.64·df ≤ χ² ≤ 1.44·df), and σ/s from √(df/χ²_0.975) to
# √(df/χ²_0.025): at df 4 √(4/11.1433) to √(4/0.484419).
@pytest.mark.parametrize(
    ("r", "low", "high"),
    [(5, 0.599, 2.874), (10, 0.688, 1.826), (20, 0.760, 1.461), (30, 0.796, 1.344), (50, 0.835, 1.246)],
)
def test_one_number_a_repeat(r: int, low: float, high: float) -> None:
    got = repeats.run_level(r)
    assert (got.repeats, got.df) == (r, r - 1)
    assert (got.low, got.high) == pytest.approx((low, high), abs=5e-4)
    curve = stats.chi2(r - 1)
    assert got.chance == pytest.approx(curve.cdf(1.44 * (r - 1)) - curve.cdf(0.64 * (r - 1)))


def test_five_repeats_are_seldom_within_a_fifth() -> None:
    assert repeats.run_level(5).chance == pytest.approx(0.416, abs=5e-4)


# df 48, 34, 21 and 13 are the first with such a chance.
@pytest.mark.parametrize(("chance", "df"), [(0.95, 48), (0.90, 34), (0.80, 21), (0.68, 13)])
def test_the_repeats_that_one_number_needs(chance: float, df: int) -> None:
    assert repeats.run_level_needed(chance) == df + 1
    assert repeats.run_level(df).chance < chance <= repeats.run_level(df + 1).chance


# v = q(1 − q), μ₄ = v(1 − 3v), Var(s²) = (μ₄ − v²(R − 3)/(R − 1))/R, relSE = ½√(Var(s²)/n)/v, 1.96·relSE ≤ 0.2.
# q = ½, n = 30, R = 2: v = ¼, μ₄ = 1/16, Var = (1/16 + 1/16)/2 = 1/16, relSE = ½·√(1/480)·4 = 0.0913, ± 0.179.
@pytest.mark.parametrize(
    ("q", "row"),
    [(0.50, (4, 3, 3, 2)), (0.729, (7, 5, 3, 3)), (0.857, (21, 11, 6, 4)), (0.95, (83, 42, 21, 14))],
)
def test_the_repeats_that_flaky_cases_need(q: float, row: tuple[int, ...]) -> None:
    assert tuple(repeats.needed(q, n) for n in (5, 10, 20, 30)) == row


# “Five repeats suffice only for strata with about 25 mildly flaky cases.”
def test_five_repeats_suffice_for_twenty_five_flaky_cases_alone() -> None:
    assert repeats.needed(0.857, 25) == 5
    assert repeats.needed(0.857, 20) > 5


# As above; the df of a χ² of the same precision are 2v²n/Var(s²) = 2·(1/16)·30·16 = 60.
def test_thirty_coins_twice() -> None:
    got = repeats.pooled(0.5, 30, 2)
    assert got.relative_se == pytest.approx(math.sqrt(1 / 120))
    assert got.margin == pytest.approx(0.1789, abs=5e-5)
    assert got.df == pytest.approx(60)


# The variance of s² over everything that R repeats of one case can do.
@pytest.mark.parametrize("r", [2, 3, 4, 5, 9])
@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(9, 10), Fraction(729, 1000)])
def test_the_variance_of_a_cases_variance_is_exact(r: int, q: Fraction) -> None:
    v = q * (1 - q)
    chances = [math.comb(r, c) * q**c * (1 - q) ** (r - c) for c in range(r + 1)]
    spreads = [Fraction(c * (r - c), r * (r - 1)) for c in range(r + 1)]
    assert sum(w * s for w, s in zip(chances, spreads, strict=True)) == v
    variance = sum(w * (s - v) ** 2 for w, s in zip(chances, spreads, strict=True))
    got = repeats.pooled(float(q), 7, r)
    assert got.relative_se == pytest.approx(math.sqrt(variance / 7) / float(v) / 2)
    assert got.df == pytest.approx(float(2 * v**2 * 7 / variance))


@settings(deadline=None)
@given(st.floats(0.02, 0.98), st.integers(1, 50), st.floats(0.05, 0.6))
def test_needed_is_the_first_that_reaches_the_tolerance(q: float, n: int, within: float) -> None:
    enough = repeats.needed(q, n, within)
    assert repeats.pooled(q, n, enough).margin <= within
    assert enough == 2 or repeats.pooled(q, n, enough - 1).margin > within
    assert repeats.needed(q, n + 1, within) <= enough
    # A case that fails as often as another passes is as flaky; floats may differ in the last bit.
    assert repeats.pooled(1 - q, n, enough).margin == pytest.approx(repeats.pooled(q, n, enough).margin)


@settings(deadline=None)
@given(st.integers(2, 200), st.floats(0.05, 0.5))
def test_more_repeats_are_never_less_sure(r: int, within: float) -> None:
    less, more = repeats.run_level(r, within), repeats.run_level(r + 1, within)
    assert less.chance <= more.chance + 1e-12
    assert less.low < more.low < 1 < more.high < less.high


# Example A of B5: five of six cases flake, w = 11/60, and Σv² is estimated by 3·2·2·1/120 = 1/10, which is less than
# 6w² = 0.2017: six cases alike, v = 11/60, q = (1 + √(1 − 44/60))/2 = 0.758199. With c = (4R − 6)/(R − 1) the relative
# variance is (1 − cv)/(6Rv): R = 5: 0.358333/5.5, ± 1.96·½·√ of it = 0.2501, df = 2/0.065152 = 30.698.
# R = 7: 0.2022, R = 8: 0.1866: three repeats are missing. For ± 0.3, R = 3 has 0.3619 and R = 4 0.2913.
def test_what_the_repeats_of_a_stratum_reached() -> None:
    passed = [[int(x) for x in row] for row in ("11111", "11101", "11101", "10101", "11110", "01000")]
    got = repeats.achieved(passed)
    assert (got.repeats, got.flaky, got.needed, got.missing, got.reason) == (5, 5, 8, 3, "")
    assert (got.alike, got.q) == pytest.approx((6, 0.758199), abs=5e-7)
    assert got.margin == pytest.approx(0.2501, abs=5e-5)
    assert got.df == pytest.approx(30.698, abs=5e-4)
    enough = repeats.achieved(passed, within=0.3)
    assert (enough.needed, enough.missing) == (4, 0)


# c = 3, 3, 2 of 4: Σv = (3 + 3 + 4)/12 = 5/6 and Σv² = 2·1·2·1/24 = 1/6, so v = 1/5, as of (5/6)²·6 = 25/6 cases.
def test_cases_that_always_end_alike_do_not_count() -> None:
    flaky = [[1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0]]
    few, many = (repeats.achieved([*flaky, *[[1] * 4, [0] * 4] * n]) for n in (3, 100))
    assert (few.flaky, few.needed) == (many.flaky, many.needed)
    for got in (few, many):
        assert (got.alike, got.q * (1 - got.q)) == pytest.approx((25 / 6, 1 / 5))
        assert got.margin == pytest.approx(few.margin)


# Thirty cases that pass with 0.857, and twenty of them among forty that always do. Counted by what was seen to flake, the
# first would be ± 0.10.
@pytest.mark.parametrize(("flaky", "still"), [(30, 0), (20, 40)])
def test_the_margin_reached_is_that_of_the_true_chances(flaky: int, still: int) -> None:
    random = np.random.default_rng(9)
    passed = random.random((600, flaky + still, 8)) < np.array([0.857] * flaky + [1.0] * still)[:, None]
    found = [repeats.achieved(x).margin for x in passed]
    assert np.median(found) == pytest.approx(repeats.pooled(0.857, flaky, 8).margin, rel=0.12)


# Two repeats that differ have a variance of ½, and no chance to pass has more than ¼: q = ½.
def test_two_repeats_that_differ_are_a_coin() -> None:
    got = repeats.achieved([[1, 0]] * 10)
    assert (got.q, got.flaky, got.alike) == (0.5, 10, 10)
    assert got.margin == pytest.approx(repeats.pooled(0.5, 10, 2).margin)


@pytest.mark.parametrize(
    ("passed", "reason"),
    [
        ([], "not measured: no cases"),
        ([[1], [0]], "not measured: fewer than two repeats"),
        ([[], []], "not measured: fewer than two repeats"),
        ([[1, 1, 1], [0, 0, 0]], "no case flaked in 3 repeats"),
    ],
)
def test_what_says_nothing_has_no_margin(passed: list[list[int]], reason: str) -> None:
    got = repeats.achieved(passed)
    assert got.reason == reason
    assert (got.flaky, got.alike, got.q, got.margin, got.df, got.needed, got.missing) == (0, *[None] * 6)


def test_what_was_not_measured_is_refused_as_by_the_band() -> None:
    for of in (repeats.achieved, lambda passed: noise.band(passed, 1)):
        with pytest.raises(ValueError, match="what was not measured is neither"):
            of([[1, None], [1, 0]])


# Thirty cases that pass with 0.857: how far the estimated sd lies from the true one, as drawn.
def test_the_margin_is_the_spread_of_the_estimate() -> None:
    random, q, r = np.random.default_rng(5), 0.857, 5
    passed = random.random((4000, 30, r)) < q
    sds = np.sqrt(passed.var(axis=2, ddof=1).mean(axis=1))
    assert sds.std() / math.sqrt(q * (1 - q)) == pytest.approx(repeats.pooled(q, 30, r).relative_se, rel=0.08)


# Example A, m = 3: V/2 = 67/900 of which 3/15·11/60 = 33/900 is the cases', with 30.698 degrees of freedom, and 34/900
# the repeats', with 4: 67²/(34²/4 + 33²/30.698) = 13.835. At m = 6 only the repeats' is left, at m = 1 the cases'.
@pytest.mark.parametrize(("m", "df"), [(1, 30.698), (3, 13.835), (6, 4.0)])
def test_the_degrees_of_freedom_of_a_band(m: int, df: float) -> None:
    passed = [[int(x) for x in row] for row in ("11111", "11101", "11101", "10101", "11110", "01000")]
    assert repeats.effective_df(passed, m) == pytest.approx(df, abs=5e-3)


# Equal means of all repeats: V(N) = 0, and only that there were four repeats is known.
def test_a_spread_of_nothing_has_the_repeats_degrees_of_freedom() -> None:
    passed = [[int(x) for x in row] for row in ("1111", "1101", "1011", "0110", "1111", "0000")]
    assert repeats.effective_df(passed, 6) == 3


@pytest.mark.parametrize("passed", [[], [[1], [0]], [[1, 1], [0, 0]]])
def test_what_never_flaked_has_no_degrees_of_freedom(passed: list[list[int]]) -> None:
    assert repeats.effective_df(passed, 1) is None


def test_a_sample_outside_the_stratum_has_no_degrees_of_freedom() -> None:
    for m in (0.5, 3, math.nan):
        with pytest.raises(ValueError, match="from 1 to all 2 cases"):
            repeats.effective_df([[1, 0], [1, 1]], m)


# A relative variance of V(m) of 2/df, over bands as drawn: 30 cases that pass with 0.857, five repeats, m = 10.
def test_the_degrees_of_freedom_are_those_of_the_spread_drawn() -> None:
    random = np.random.default_rng(8)
    passed = random.random((800, 30, 5)) < 0.857
    drawn = np.array([noise.null_variance(x, 10) for x in passed])
    found = np.median([repeats.effective_df(x, 10) for x in passed])
    assert found == pytest.approx(2 * drawn.mean() ** 2 / drawn.var(), rel=0.35)
    assert found > 4 * (5 - 1)


@pytest.mark.parametrize("r", [1, 0, 2.5, math.nan, math.inf])
def test_fewer_than_two_repeats_show_no_spread(r: float) -> None:
    for of in (repeats.run_level, lambda r: repeats.pooled(0.5, 5, r)):
        with pytest.raises(ValueError, match="at least two repeats"):
            of(r)


@pytest.mark.parametrize("within", [0, 1, -0.2, math.nan])
def test_a_tolerance_that_is_none_is_refused(within: float) -> None:
    for of in (
        lambda: repeats.run_level(5, within),
        lambda: repeats.run_level_needed(0.95, within),
        lambda: repeats.needed(0.5, 5, within),
        lambda: repeats.achieved([[1, 0]], within),
    ):
        with pytest.raises(ValueError, match="a tolerance lies between 0 and 1"):
            of()


@pytest.mark.parametrize("confidence", [0, 1, math.nan])
def test_a_confidence_that_is_none_is_refused(confidence: float) -> None:
    for of in (
        lambda: repeats.run_level(5, confidence=confidence),
        lambda: repeats.run_level_needed(confidence),
        lambda: repeats.pooled(0.5, 5, 5, confidence),
        lambda: repeats.achieved([[1, 1]], confidence=confidence),
    ):
        with pytest.raises(ValueError, match="a confidence lies between 0 and 1"):
            of()


@pytest.mark.parametrize("q", [0, 1, -0.1, math.nan])
def test_a_case_that_never_flakes_has_no_precision(q: float) -> None:
    with pytest.raises(ValueError, match="a case that flakes"):
        repeats.needed(q, 5)


@pytest.mark.parametrize("n", [0, -1, 1.5, math.nan])
def test_flaky_cases_that_are_none_are_refused(n: float) -> None:
    for of in (lambda: repeats.pooled(0.5, n, 5), lambda: repeats.needed(0.5, n)):
        with pytest.raises(ValueError, match="flaky cases are counted"):
            of()


def test_a_tolerance_that_nothing_reaches_says_so() -> None:
    with pytest.raises(ValueError, match="not even 1000000 repeats"):
        repeats.needed(0.999999, 1, 0.001)
