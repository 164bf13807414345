"""How often the gate blocks by luck, and how often it catches a true drop: every figure of statistics.md B4."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.stats import false_blocks
from evalkit.stats.errors_alike import holm

RHO = st.one_of(st.none(), st.floats(0, 1))


# Φ(−2) = 0.0227501; for independent looks its square. 1 − (1 − p)^12.
@pytest.mark.parametrize(
    ("rho", "chance", "twelve"),
    [
        (None, 0.0227501, 0.24130),
        (0, 0.00051757, 0.00619),
        (1 / 6, 0.00118608, 0.01414),
        (1 / 2, 0.00405295, 0.04757),
    ],
)
def test_twelve_strata_at_two_standard_deviations(rho: float | None, chance: float, twelve: float) -> None:
    assert false_blocks.caught(0, rho) == pytest.approx(chance, abs=5e-8)
    assert false_blocks.family(12, rho) == pytest.approx(twelve, abs=5e-6)
    assert false_blocks.family(1, rho) == pytest.approx(chance, abs=5e-8)


# Two looks share the baseline: of (1 + 1/R) parts of variance 1/R are the same.
@pytest.mark.parametrize(("averaged", "rho"), [(1, 1 / 2), (3, 1 / 4), (5, 1 / 6)])
def test_the_looks_correlate_by_what_the_baseline_shares(averaged: int, rho: float) -> None:
    assert false_blocks.rerun_correlation(averaged) == pytest.approx(rho) == (1 / averaged) / (1 + 1 / averaged)


# Šidák: Φ(−z) = 1 − 0.95^(1/12) = 0.0042653; Bonferroni takes 0.05/12. With an independent rerun the root of the first.
def test_the_multiplier_for_five_percent_over_twelve() -> None:
    assert false_blocks.z_for(12) == pytest.approx(2.6303, abs=5e-5)
    assert false_blocks.z_for(1, 0.05 / 12) == pytest.approx(2.6383, abs=5e-5)
    assert false_blocks.z_for(12, rho=0) == pytest.approx(1.5117, abs=5e-5)
    assert false_blocks.z_for(12, rho=1 / 2) == pytest.approx(1.9845, abs=5e-5)


# Φ(d − 2): 0.5, Φ(1), Φ(2); their squares; at 2 with ρ = ½ a quarter and asin(½)/2π, one third.
@pytest.mark.parametrize(
    ("rho", "power"), [(None, (0.500, 0.841, 0.977)), (0, (0.250, 0.708, 0.955)), (1 / 2, (0.333, 0.745, 0.959))]
)
def test_a_true_drop_of_two_three_and_four_standard_deviations(rho: float | None, power: tuple[float, ...]) -> None:
    assert [false_blocks.caught(drop, rho) for drop in (2, 3, 4)] == pytest.approx(power, abs=5e-4)
    assert [false_blocks.caught(drop * 0.1, rho, sd=0.1) for drop in (2, 3, 4)] == pytest.approx(power, abs=5e-4)


@pytest.mark.parametrize(("df", "chance"), [(2, 0.0918), (4, 0.0581), (9, 0.0383), (19, 0.0300), (1e9, 0.02275)])
def test_a_spread_known_from_few_repeats_blocks_more_often(df: float, chance: float) -> None:
    assert false_blocks.few_repeats(df) == pytest.approx(chance, abs=5e-5)


def test_twelve_strata_known_from_five_repeats() -> None:
    assert false_blocks.any_of(12, false_blocks.few_repeats(4)) == pytest.approx(0.512, abs=5e-4)


# The sd of scores is √½ of that of differences; at N = 100 the band is √(10/100) of what m = 10 needs.
@pytest.mark.parametrize(
    ("too_narrow", "chance", "twelve"), [(math.sqrt(1 / 2), 0.0786, 0.626), (math.sqrt(10 / 100), 0.2635, 0.9745)]
)
def test_bands_built_wrongly(too_narrow: float, chance: float, twelve: float) -> None:
    assert false_blocks.caught(0, z=2 * too_narrow) == pytest.approx(chance, abs=6e-5)
    assert false_blocks.family(12, z=2 * too_narrow) == pytest.approx(twelve, abs=5e-4)


# p = 0.95, k = 3: q = 0.857375, sd(Δ) = √(2·0.857375·0.142625/10) = 0.156386, the band twice that: more than 3 of 10.
def test_ten_cases_exactly() -> None:
    got = false_blocks.exact(10, 0.95, 3)
    assert got.band == pytest.approx(2 * 0.156386, abs=1e-6)
    assert got.band == pytest.approx(0.3128, abs=5e-5)
    assert got.least == 4
    assert got.once == pytest.approx(0.0122418, abs=5e-8)
    assert false_blocks.any_of(12, got.once) == pytest.approx(0.1374, abs=5e-5)
    # B4 prints 0.0048; the sum over the baseline's passes of P(B = b)·P(C ≤ b − 4)² is 0.00040975, and 0.00491 over 12.
    assert got.same_baseline == pytest.approx(0.00040975, abs=5e-9)
    assert false_blocks.any_of(12, got.same_baseline) == pytest.approx(0.0048, abs=1.5e-4)


# The seed's band of 0.2 blocks from 3 cases on: two of ten are the band itself.
def test_the_seeds_band_of_a_fifth() -> None:
    got = false_blocks.exact(10, 0.95, 3, band=0.2)
    assert (got.band, got.least) == (0.2, 3)
    assert got.once == pytest.approx(0.0519732, abs=5e-8)
    assert false_blocks.any_of(12, got.once) == pytest.approx(0.4730, abs=6e-5)


# 0.95 → 0.85 a trial is 0.857375 → 0.614125 a case. The band is 2·√((1 + 1/R)·q(1 − q)/m).
@pytest.mark.parametrize(
    ("m", "averaged", "once", "rerun"),
    [
        (10, 1, 0.287, 0.118),
        (20, 1, 0.556, 0.365),
        (40, 1, 0.804, 0.679),
        (10, 5, 0.477, 0.246),
        (40, 5, 0.934, 0.874),
    ],
)
def test_power_is_the_weak_side(m: int, averaged: int, once: float, rerun: float) -> None:
    got = false_blocks.power(m, 0.95, 0.85, 3, averaged=averaged)
    assert (got.once, got.same_baseline) == pytest.approx((once, rerun), abs=5e-4)
    assert got.band == pytest.approx(2 * math.sqrt((1 + 1 / averaged) * 0.857375 * 0.142625 / m))


@pytest.mark.parametrize(("m", "twelve"), [(10, 0.018), (40, 0.017)])
def test_twelve_strata_against_the_mean_of_five_repeats(m: int, twelve: float) -> None:
    got = false_blocks.exact(m, 0.95, 3, averaged=5)
    assert false_blocks.any_of(12, got.same_baseline) == pytest.approx(twelve, abs=5e-4)


# pitfalls.md G1, simulated: with 2 sd of one score 5–9 % a stratum and 47–69 % over twelve, with the sd of the
# difference 1–3 % and 14–27 %. Which it is depends on where m puts the steps of whole cases.
@pytest.mark.parametrize("m", [10, 20, 40])
def test_a_band_of_scores_blocks_every_other_pull_request(m: int) -> None:
    right = false_blocks.exact(m, 0.95, 3)
    wrong = false_blocks.exact(m, 0.95, 3, band=right.band / math.sqrt(2))
    assert 0.05 <= wrong.once <= 0.09
    assert 0.465 <= false_blocks.any_of(12, wrong.once) <= 0.69
    assert 0.01 <= right.once <= 0.03
    assert 0.135 <= false_blocks.any_of(12, right.once) <= 0.27


# Holm: times 12, 11, 10 …, none below the one before. BH: times 12/rank, none above the one after:
# 0.039·12/3 = 0.156 and 0.041·12/4 = 0.123 give way to 0.042·12/5 = 0.1008.
def test_tables_that_explore_strata() -> None:
    p = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216, 0.222, 0.251]
    expected = [0.012, 0.048, 0.1008, 0.1008, 0.1008, 0.12, 0.126857] + [0.242182] * 4 + [0.251]
    assert holm(p)[:3] == pytest.approx([0.012, 0.088, 0.39])
    assert false_blocks.benjamini_hochberg(p) == pytest.approx(expected, abs=5e-7)
    assert false_blocks.benjamini_hochberg(p[::-1]) == pytest.approx(expected[::-1], abs=5e-7)


def test_no_p_values_need_no_adjusting() -> None:
    assert false_blocks.benjamini_hochberg([]) == []


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_what_is_no_p_value_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="p-value lies between 0 and 1"):
        false_blocks.benjamini_hochberg([0.5, p])


def by_brute_force(before: list[float], after: list[float], least: int, averaged: int) -> tuple[float, float]:
    """Both looks, over everything that the baseline's repeats and two candidates can do."""
    m = len(before)

    def outcomes(chances: list[float]) -> list[tuple[float, int]]:
        every = product((0, 1), repeat=len(chances))
        return [(math.prod(p if x else 1 - p for p, x in zip(chances, xs, strict=True)), sum(xs)) for xs in every]

    once = twice = 0.0
    for weight, b in outcomes(before * averaged):
        drops = [w for w, c in outcomes(after) if b - averaged * c >= least]
        assert len(drops) <= 2**m
        once += weight * sum(drops)
        twice += weight * sum(drops) ** 2
    return once, twice


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 4), st.integers(1, 2), st.data())
def test_the_exact_chance_is_that_of_all_outcomes(m: int, averaged: int, data: st.DataObject) -> None:
    chances = st.lists(st.floats(0, 1), min_size=m, max_size=m)
    before, after, band = data.draw(chances), data.draw(chances), data.draw(st.floats(0, 1))
    got = false_blocks.power(m, before, after, 1, band=band, averaged=averaged)
    expected = by_brute_force(before, after, got.least, averaged)
    assert (got.once, got.same_baseline) == pytest.approx(expected, abs=1e-12)
    assert got.fresh_baseline == pytest.approx(got.once**2)


# q = 1/2, m = 2, a band of 0.5 blocks only at 2 → 0: a quarter times a quarter; both looks, 1/4·1/16.
def test_two_coins() -> None:
    got = false_blocks.exact(2, 0.5, 1, band=0.5)
    assert [Fraction(x) for x in (got.once, got.same_baseline, got.fresh_baseline)] == [
        Fraction(1, 16),
        Fraction(1, 64),
        Fraction(1, 256),
    ]


def test_one_chance_for_all_cases_is_as_good_as_one_for_each() -> None:
    one, each = (false_blocks.power(4, b, a, 3) for b, a in ((0.9, 0.6), ([0.9] * 4, [0.6] * 4)))
    assert one == each


def test_many_cases_come_to_what_the_normal_curve_says() -> None:
    got = false_blocks.exact(400, 0.95, 3, averaged=5)
    assert got.once == pytest.approx(0.02275, abs=3e-3)
    assert got.same_baseline == pytest.approx(0.00118608, abs=3e-4)


# Two looks that share their baseline, as drawn.
@pytest.mark.parametrize(("averaged", "drop"), [(1, 0.0), (1, 3.0), (5, 1.0)])
def test_both_looks_are_as_often_out_as_simulated(averaged: int, drop: float) -> None:
    random, n = np.random.default_rng(4), 400_000
    shared = random.standard_normal(n) / math.sqrt(averaged)
    sd = math.sqrt(1 + 1 / averaged)
    out = [(random.standard_normal(n) - shared) / sd < drop - 2 for _ in range(2)]
    expected = false_blocks.caught(drop, false_blocks.rerun_correlation(averaged))
    assert (out[0] & out[1]).mean() == pytest.approx(expected, abs=4 * math.sqrt(expected / n))


@settings(deadline=None)
@given(st.floats(-3, 6), st.floats(0, 5), RHO, st.integers(0, 40))
def test_a_rerun_takes_away_and_never_more_than_all_but_the_square(drop, z, rho, strata):
    once, twice = false_blocks.caught(drop, None, z), false_blocks.caught(drop, rho, z)
    assert once**2 - 1e-12 <= twice <= once + 1e-12
    assert 0 <= false_blocks.family(strata, rho, z) <= false_blocks.family(strata + 1, rho, z) <= 1


@settings(deadline=None)
@given(st.integers(1, 60), st.floats(0.001, 0.5), RHO)
def test_the_multiplier_gives_the_rate_it_was_asked_for(strata: int, rate: float, rho: float | None) -> None:
    assert false_blocks.family(strata, rho, false_blocks.z_for(strata, rate, rho)) == pytest.approx(rate, abs=1e-8)


def test_no_strata_never_block_and_certain_ones_always_do() -> None:
    assert false_blocks.family(0) == false_blocks.any_of(0, 1.0) == false_blocks.any_of(5, 0.0) == 0
    assert false_blocks.any_of(3, 1.0) == 1
    assert false_blocks.any_of(12, 1e-18) == pytest.approx(12e-18, rel=1e-9, abs=0)


@pytest.mark.parametrize("strata", [-1, 1.5, math.nan, math.inf])
def test_strata_that_are_no_whole_number_are_refused(strata: float) -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        false_blocks.family(strata)


@pytest.mark.parametrize("rho", [-0.1, 1.1, math.nan])
def test_looks_that_cannot_correlate_so_are_refused(rho: float) -> None:
    with pytest.raises(ValueError, match="correlate from 0 to 1"):
        false_blocks.family(12, rho)


@pytest.mark.parametrize(
    "arguments", [{"sd": 0}, {"sd": -1}, {"sd": math.nan}, {"sd": math.inf}, {"z": math.nan}, {"drop": math.inf}]
)
def test_what_is_no_number_has_no_power(arguments: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="no finite numbers"):
        false_blocks.caught(**{"drop": 1.0, **arguments})


@pytest.mark.parametrize(("strata", "rate"), [(0, 0.05), (12, 0), (12, 1), (12, math.nan)])
def test_a_rate_that_is_none_has_no_multiplier(strata: int, rate: float) -> None:
    with pytest.raises(ValueError, match="a rate lies between 0 and 1"):
        false_blocks.z_for(strata, rate)


@pytest.mark.parametrize(("df", "z"), [(0, 2), (math.nan, 2), (4, math.nan)])
def test_no_degrees_of_freedom_say_nothing(df: float, z: float) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        false_blocks.few_repeats(df, z)


@pytest.mark.parametrize("chance", [-0.1, 1.1, math.nan])
def test_what_is_no_chance_is_refused(chance: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        false_blocks.any_of(3, chance)
    with pytest.raises(ValueError, match="between 0 and 1"):
        false_blocks.exact(3, chance, 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 0.9, 0.9, 3), "at least one case"),
        ((10, 0.9, 0.9, 0), "at least one case and one trial"),
        ((3, [0.9, 0.9], 0.9, 1), "one for each of 3 cases"),
    ],
)
def test_cases_that_are_none_are_refused(arguments: tuple, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        false_blocks.power(*arguments)
