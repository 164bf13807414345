"""Kappa, its interval over cases and what is read beside it, against published and derived values."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from evalkit.stats.agreement import difference, kappa, landis_koch, relatives
from evalkit.stats.alpha import krippendorff
from evalkit.stats.confusion import how_far_apart, kappas, standard_errors

FEINSTEIN_1 = [[40, 9], [6, 45]]
FEINSTEIN_2 = [[80, 10], [5, 5]]
PARADOX = [[118, 5], [2, 0]]
ARTSTEIN = [[20, 20], [10, 50]]
SAS = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]
ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
OURS = [[150, 10], [6, 34]]

LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


def said(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """Both raters' labels 0, 1, … of a table, row by row."""
    pairs = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [i for i, _ in pairs], [j for _, j in pairs]


def of(table: list[list[int]], **more):
    return kappa(*said(table), labels=range(len(table)), **more)


# The large-sample interval is κ ± 1.959964 ASE.
@pytest.mark.parametrize(
    ("table", "raw", "value", "ase", "low", "high"),
    [
        # Feinstein & Cicchetti 1990: κ .70 and .32 at the same agreement. The second is 7/22.
        (FEINSTEIN_1, 0.85, 0.699519, 0.071394, 0.5596, 0.8394),
        (FEINSTEIN_2, 0.85, 7 / 22, 0.133457, 0.0566, 0.5798),
        (PARADOX, 0.944, -0.023392, 0.012287, -0.0475, 0.0007),
        # Artstein & Poesio: .348; po = .7, pe = .4·.3 + .6·.7 = .54, (.7 − .54)/.46 = 8/23.
        (ARTSTEIN, 0.70, 8 / 23, 0.095008, 0.1616, 0.5340),
        # SAS prints .4842, .1380, .2137, .7547.
        (SAS, 0.684211, 0.484163, 0.138014, 0.2137, 0.7547),
        (ABSTRACTORS, 0.89, 0.796409, 0.058911, 0.6809, 0.9119),
        # po = 184/200, pe = (160·156 + 40·44)/200² = .668: .252/.332 = 63/83.
        (OURS, 0.92, 63 / 83, 0.057098, 0.6471, 0.8709),
    ],
)
def test_kappa_and_its_standard_error_are_the_published_ones(table, raw, value, ase, low, high) -> None:
    got = of(table, resamples=0)
    assert got.value == pytest.approx(value, abs=5e-7)
    assert got.ase == pytest.approx(ase, abs=5e-7)
    ends = got.value - 1.959964 * got.ase, got.value + 1.959964 * got.ase
    assert ends == pytest.approx((low, high), abs=6e-5)
    assert relatives(*said(table), resamples=0).raw.value == pytest.approx(raw, abs=5e-7)
    assert got.table == tuple(map(tuple, table))
    assert (got.n, got.cases, got.measured) == (sum(map(sum, table)), got.n, True)


def test_the_interval_of_the_published_abstractors_is_that_with_a_t_quantile() -> None:
    # irrCAC prints .680 to .913: t with 99 degrees of freedom, 1.984217.
    got = of(ABSTRACTORS, resamples=0)
    assert [round(got.value + sign * 1.984217 * got.ase, 3) for sign in (-1, 1)] == pytest.approx(
        [0.680, 0.913], abs=1e-3
    )


@pytest.mark.parametrize(
    ("table", "ac1", "ac1_se", "pabak", "alpha2"),
    [
        (FEINSTEIN_1, 0.700748, 0.071352, 0.70, 0.700752),
        (FEINSTEIN_2, 0.808, 0.052129, 0.70, 0.317714),
        (PARADOX, 0.940776, 0.022965, 0.888, -0.024691),
        (ARTSTEIN, 0.449541, None, 0.40, 0.343956),
        (SAS, 0.555988, None, 0.526316, 0.467626),
        (ABSTRACTORS, 0.849331, 0.043217, 0.835, 0.797258),
        (OURS, 0.880275, 0.030461, 0.84, 0.759494),
    ],
)
def test_the_relatives_are_the_published_ones(table, ac1, ac1_se, pabak, alpha2) -> None:
    got = relatives(*said(table), labels=range(len(table)), resamples=0)
    assert (got.ac1, got.pabak, got.alpha2) == pytest.approx((ac1, pabak, alpha2), abs=6e-7)
    if ac1_se is not None:
        assert got.ac1_se == pytest.approx(ac1_se, abs=6e-7)


def test_the_published_interval_of_ac1_is_met() -> None:
    # irrCAC prints .76358 to .93508 for the abstractors: AC1 ± 1.984217 SE.
    got = relatives(*said(ABSTRACTORS), labels=range(3), resamples=0)
    ends = got.ac1 - 1.984217 * got.ac1_se, got.ac1 + 1.984217 * got.ac1_se
    assert ends == pytest.approx((0.76358, 0.93508), abs=1e-5)


@pytest.mark.parametrize(
    ("table", "weights", "value", "ase"),
    [
        (SAS, "linear", 0.470120, 0.145746),
        (SAS, "quadratic", 0.450161, 0.192233),
        (ABSTRACTORS, "linear", 0.842902, 0.047872),
        (ABSTRACTORS, "quadratic", 0.892157, 0.035352),
    ],
)
def test_weighted_kappa_is_the_published_one(table, weights, value, ase) -> None:
    got = of(table, weights=weights, resamples=0)
    assert (got.value, got.ase) == pytest.approx((value, ase), abs=5e-7)


def test_the_error_under_chance_is_that_of_sas() -> None:
    # SAS prints ASE0 .1484, z 3.2626, and weighted .1426, 3.2971.
    plain, linear = (of(SAS, weights=weights, resamples=0) for weights in (None, "linear"))
    assert (round(plain.ase_zero, 4), round(plain.z, 4)) == (0.1484, 3.2626)
    assert (round(linear.ase_zero, 4), round(linear.z, 4)) == (0.1426, 3.2971)


def test_kappa_is_that_of_the_vectors_in_scikit_learns_own_tests() -> None:
    # 46 zeros, 44 ones, 10 twos against 50, 40, 10.
    a, b = [0] * 46 + [1] * 44 + [2] * 10, [0] * 50 + [1] * 40 + [2] * 10
    got = [round(kappa(a, b, weights=weights, resamples=0).value, 4) for weights in (None, "linear", "quadratic")]
    assert got == [0.9315, 0.9412, 0.9541]
    # The example of its documentation: po = 4/5, pe = (2·3 + 2·1 + 1·1)/25: .44/.64.
    a, b = (
        ["negative", "positive", "negative", "neutral", "positive"],
        ["negative", "positive", "negative", "neutral", "negative"],
    )
    assert kappa(a, b, resamples=0).value == 0.6875


def test_weights_come_from_the_declared_scale_and_not_from_the_labels_seen() -> None:
    a, b = [0, 1, 3, 3, 1, 0, 3], [0, 3, 3, 1, 1, 1, 3]
    assert kappa(a, b, weights="linear", resamples=0).value == pytest.approx(0.487805, abs=5e-7)
    assert kappa(a, b, weights="linear", labels=range(4), resamples=0).value == pytest.approx(0.461538, abs=5e-7)
    plain = kappa(a, b, resamples=0).value
    assert kappa(a, b, labels=range(4), resamples=0).value == plain


def test_two_tables_of_one_agreement_differ_in_kappa_by_their_margins_alone() -> None:
    first, second = (relatives(*said(table), positive=0) for table in (FEINSTEIN_1, FEINSTEIN_2))
    assert (first.raw, first.pabak) == (second.raw, second.pabak)
    # (40 − 45)/100 and (80 − 5)/100; (9 − 6)/100 and (10 − 5)/100.
    assert (first.prevalence_index, second.prevalence_index) == (-0.05, 0.75)
    assert (first.bias_index, second.bias_index) == (0.03, 0.05)
    # (min(49, 46) + min(51, 54))/100 = .97: (.97 − .5008)/.4992; (.95 − .78)/.22.
    assert (first.kappa_max, second.kappa_max) == pytest.approx((0.4692 / 0.4992, 0.17 / 0.22))
    assert [round(each, 4) for each in (first.kappa_max, second.kappa_max)] == [0.9399, 0.7727]
    # 80/95, 90/105; 160/175, 10/25.
    assert (first.positive.value, first.negative.value) == pytest.approx((80 / 95, 90 / 105))
    assert (second.positive.value, second.negative.value) == pytest.approx((160 / 175, 10 / 25))
    assert [round(each.value, 3) for each in (first.positive, first.negative, second.positive, second.negative)] == [
        0.842,
        0.857,
        0.914,
        0.4,
    ]
    assert (second.counts_a, second.counts_b) == ((90, 10), (85, 15))
    # The bootstrap of 2d/(2d + b + c) is wide with 20 pairs: from .1 to .7 about.
    assert 0.05 < second.negative.low < 0.2 < 0.6 < second.negative.high < 0.7
    assert second.negative.n == 20


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [(FEINSTEIN_1, 0.5538, 0.8368), (FEINSTEIN_2, 0.0419, 0.5595), (OURS, 0.6384, 0.8632)],
)
def test_the_bootstrap_interval_is_the_known_one(table, low, high) -> None:
    got = of(table)
    assert (got.low, got.high) == pytest.approx((low, high), abs=0.005)
    assert (got.resamples, got.undefined, got.method) == (10_000, 0, "bootstrap over cases")
    assert of(table, seed=1).low == pytest.approx(low, abs=0.015)


def test_resamples_without_a_kappa_are_counted() -> None:
    # κ 4/9: po = .9, pe = .82. All 20 pairs come from the first cell in .85^20 = 3.88 % of the resamples.
    got = of([[17, 1], [1, 1]])
    assert got.value == pytest.approx(4 / 9)
    assert got.undefined / got.resamples == pytest.approx(0.85**20, abs=0.005)


def test_the_bootstrap_resamples_cases_and_not_trials() -> None:
    # Ten trials of each of 20 cases, all alike: as wide as 20 pairs, not as 200.
    a, b = said([[8, 2], [2, 8]])
    cases = [case for case in range(20) for _ in range(10)]
    many = kappa([x for x in a for _ in range(10)], [x for x in b for _ in range(10)], cases=cases)
    few = kappa(a, b)
    assert many.value == few.value == pytest.approx(0.6)
    assert (many.low, many.high) == pytest.approx((few.low, few.high), abs=1e-12)
    assert (many.n, many.cases) == (200, 20)
    loose = kappa([x for x in a for _ in range(10)], [x for x in b for _ in range(10)])
    assert loose.high - loose.low < (many.high - many.low) / 2


def test_the_bootstrap_of_unlike_cases_is_the_plain_one_over_cases() -> None:
    rng = np.random.default_rng(5)
    cases = rng.integers(0, 30, size=200)
    a = rng.integers(0, 2, size=200)
    b = np.where(rng.random(200) < 0.8, a, 1 - a)
    got = kappa(a, b, cases=cases, resamples=4000)
    tables = np.zeros((30, 2, 2))
    np.add.at(tables, (cases, a, b), 1)
    plain = [
        kappas(tables[rng.integers(0, 30, size=30)].sum(axis=0)[None], how_far_apart(None, 2))[0] for _ in range(4000)
    ]
    assert (got.low, got.high) == pytest.approx(tuple(np.quantile(plain, [0.025, 0.975])), abs=0.015)


def test_kappa_is_undefined_when_both_raters_use_one_class() -> None:
    for labels in (None, ["pass", "fail"]):
        got = kappa(["pass"] * 30, ["pass"] * 30, labels=labels)
        assert (got.value, got.reason, got.measured) == (None, "both raters used one class", False)
        assert (got.low, got.high, got.ase, got.z, got.undefined) == (None, None, None, None, 0)


def test_one_class_on_one_side_is_not_measured_though_the_formula_gives_0() -> None:
    # po = pe = 17/20: κ is 0 exactly, with no spread at all.
    got = of([[17, 3], [0, 0]])
    assert (got.value, got.ase, got.z) == (0.0, 0.0, None)
    assert (got.low, got.high, got.measured, got.reason) == (None, None, False, "rater a used one class")
    assert of([[17, 0], [3, 0]]).reason == "rater b used one class"
    beside = relatives(*said([[17, 3], [0, 0]]), labels=[0, 1], positive=0)
    assert beside.raw.value == 0.85
    # ε = 1/40: α = (39/40 · .85 + 1/40 − pe)/(1 − pe) with pe = .925² + .075².
    assert beside.alpha2 == pytest.approx(-0.054054, abs=5e-7)
    assert (beside.ac1, beside.pabak) == pytest.approx((0.825835, 0.70), abs=5e-7)


def test_raters_with_one_class_each_that_differ_have_a_kappa_of_0_that_measures_nothing() -> None:
    got = kappa([1] * 9, [0] * 9)
    assert (got.value, got.measured, got.reason) == (0.0, False, "each rater used one class, and not the same")


def test_a_grader_that_always_passes_agrees_in_95_of_100_and_has_a_kappa_of_0() -> None:
    human, grader = [True] * 95 + [False] * 5, [True] * 100
    got, beside = kappa(human, grader), relatives(human, grader)
    assert (got.value, got.measured, got.reason) == (0.0, False, "rater b used one class")
    assert (beside.raw.value, beside.counts_a, beside.counts_b) == (0.95, (5, 95), (0, 100))
    # π = .975 and .025: pe = 2·.975·.025 = .04875; (.95 − .04875)/.95125.
    assert beside.ac1 == pytest.approx(0.90125 / 0.95125)
    # None of the 5 cases in which either said fail was a fail of both: at most 1 − .025^(1/5) = .5218 of such are.
    assert (beside.negative.value, beside.negative.low) == (0.0, 0.0)
    assert beside.negative.high == pytest.approx(2 * 0.521824 / 1.521824, abs=1e-6)


def test_ac1_of_one_class_on_both_sides_is_1_only_where_two_are_declared() -> None:
    declared = relatives(["pass"] * 9, ["pass"] * 9, labels=["pass", "fail"], positive="pass")
    assert (declared.ac1, declared.pabak, declared.scott_pi, declared.alpha2) == (1.0, 1.0, None, None)
    assert (declared.negative.value, declared.negative.reason) == (None, "neither rater said 'fail'")
    seen = relatives(["pass"] * 9, ["pass"] * 9)
    assert (seen.ac1, seen.pabak, seen.raw.value, seen.reason) == (
        None,
        None,
        1.0,
        "two classes are needed; there is 1",
    )


def test_no_pair_is_kept_apart_from_pairs_that_never_agree() -> None:
    empty = kappa([None, "a"], ["b", None])
    assert (empty.value, empty.reason, empty.n, empty.left_out, empty.measured) == (None, "no pair", 0, 2, False)
    assert kappa([], []).reason == "no pair"
    # po 0, pe ½.
    never = kappa([0, 1] * 10, [1, 0] * 10)
    assert (never.value, never.measured) == (-1.0, True)
    beside = relatives([], [])
    assert (beside.raw.value, beside.ac1, beside.positive.value, beside.reason) == (None, None, None, "no pair")


def test_a_pair_that_one_rater_left_out_is_left_out_and_counted() -> None:
    full, gaps = kappa("ppff", "pfff"), kappa([*"ppff", None, "p"], [*"pfff", "f", None])
    assert (gaps.left_out, gaps.n, gaps.table) == (2, 4, full.table)
    assert gaps.value == full.value == 0.5


def test_without_any_disagreement_the_low_end_is_that_of_the_exact_bound() -> None:
    # At most 1 − .025^(1/10) = .308497 of cases disagree; by the margins ½ would: 1 − .308497/.5.
    got = of([[5, 0], [0, 5]])
    assert (got.value, got.high, got.ase) == (1.0, 1.0, 0.0)
    assert got.low == pytest.approx(1 - 0.308497 / 0.5, abs=1e-5)
    assert "exact bound" in got.method
    # Of five cases that either failed, both failed in .025^(1/5) = .478176 at least: 2·.478176/1.478176.
    beside = relatives(*said([[5, 0], [0, 5]]), positive=0)
    assert beside.negative.low == pytest.approx(2 * 0.478176 / 1.478176, abs=1e-6)
    assert beside.negative.high == 1.0


def test_the_exact_bound_of_a_weighted_kappa_takes_each_unseen_disagreement_for_the_worst() -> None:
    # Ten of each of three: at most 1 − .025^(1/30) = .115703 disagree; by the margins (4·½ + 2·1)/9 = 4/9 on average.
    table = [[10, 0, 0], [0, 10, 0], [0, 0, 10]]
    expected = 1 - 0.115703 / (4 / 9)
    assert of(table, weights="linear").low == pytest.approx(expected, abs=1e-5)
    assert of(table, weights=[[0, 5, 10], [5, 0, 5], [10, 5, 0]]).low == pytest.approx(expected, abs=1e-5)


def test_cases_that_are_all_alike_or_one_alone_have_no_interval() -> None:
    one = kappa("ppff", "pfff", cases=["c"] * 4)
    assert (one.value, one.low, one.high, one.reason) == (0.5, None, None, "one case shows no spread")
    two = kappa("ppff" * 2, "pfff" * 2, cases=["c"] * 4 + ["d"] * 4)
    assert (two.low, two.high, two.reason, two.measured) == (None, None, "no spread over 2 cases", True)


def test_without_resamples_there_is_a_value_and_no_interval() -> None:
    got = of(OURS, resamples=0)
    assert (got.low, got.high, got.resamples, got.reason) == (None, None, 0, "no resamples, so no interval")


def test_a_label_off_the_declared_scale_is_named() -> None:
    with pytest.raises(ValueError, match="'maybe' is not among the declared labels 'pass', 'fail'"):
        kappa(["pass", "maybe"], ["pass", "fail"], labels=["pass", "fail"])
    with pytest.raises(ValueError, match="'x' is not among"):
        relatives(["pass", "fail"], ["pass", "fail"], positive="x")


@pytest.mark.parametrize(
    ("arguments", "more", "words"),
    [
        (([1, 0], [1]), {}, "one label of each rater"),
        (([1, 0], [1, 0]), {"cases": ["c"]}, "one label of each rater"),
        (([1, 0], [1, 0]), {"cases": ["c", None]}, "name the case"),
        (([1, math.nan], [1, 0]), {}, "NaN is no label"),
        (([1, 0], [1, 0]), {"labels": [0, 1, 1]}, "declared twice"),
        (([1, 0], [1, 0]), {"weights": "cubic"}, "not 'cubic'"),
        (([1, 0], [1, 0]), {"weights": [[0, 1]]}, "a square"),
        (([1, 0], [1, 0]), {"weights": [[1, 1], [1, 0]]}, "0 on its diagonal"),
        (([1, 0], [1, 0]), {"confidence": 95}, "a confidence between 0 and 1"),
        (([1, 0], [1, 0]), {"resamples": -1}, "resamples from 0"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments, more, words) -> None:
    with pytest.raises(ValueError, match=words):
        kappa(*arguments, **more)


def test_figures_of_two_classes_are_none_with_a_reason_on_more() -> None:
    got = relatives(*said(ABSTRACTORS), resamples=0)
    assert (got.prevalence_index, got.bias_index, got.positive.value, got.negative.value) == (None,) * 4
    assert got.reason == got.positive.reason == "two classes are needed; there are 3"


def test_the_positive_class_is_said_or_true_and_never_guessed() -> None:
    a, b = ["fail", "pass", "pass"], ["fail", "fail", "pass"]
    for labels in (None, ["fail", "pass"]):
        got = relatives(a, b, labels=labels, resamples=0)
        assert (got.positive.value, got.reason) == (None, "say which class is the positive one")
    named = relatives(a, b, positive="pass", resamples=0)
    flags = relatives([x == "pass" for x in a], [x == "pass" for x in b], resamples=0)
    assert named.positive.value == flags.positive.value == 2 / 3
    assert named.negative.value == flags.negative.value == 2 / 3
    assert (named.prevalence_index, named.bias_index) == (flags.prevalence_index, flags.bias_index) == (0.0, 1 / 3)


def test_numpy_and_mixed_labels_are_labels() -> None:
    assert kappa(np.array([1, 1, 0, 0]), np.array([1, 0, 0, 0])).value == 0.5
    mixed = kappa([1, "n/a", 1, "n/a"], [1, "n/a", "n/a", "n/a"])
    assert (mixed.value, mixed.labels) == (0.5, (1, "n/a"))


def test_landis_and_kochs_words() -> None:
    values = [-0.1, 0, 0.2, 0.21, 0.4, 0.41, 0.6, 0.61, 0.8, 0.81, 1.0]
    words = ["poor", "slight", "slight", "fair", "fair", "moderate", "moderate", "substantial", "substantial"]
    assert [landis_koch(value) for value in values] == [*words, "almost perfect", "almost perfect"]


# (H1, H2, G): how many trials have the pattern.
PATTERNS = {"111": 70, "110": 4, "101": 3, "011": 4, "100": 3, "010": 2, "001": 2, "000": 12}


def three() -> list[list[str]]:
    return [[pattern[i] for pattern, count in PATTERNS.items() for _ in range(count)] for i in range(3)]


def test_a_grader_is_compared_with_people_on_the_same_trials() -> None:
    got = difference(*three(), labels=["1", "0"])
    # H1 and H2: 74 both, 6 and 6 apart, 14 neither: po .88, pe .8² + .2² = .68, .2/.32 = .625.
    assert got.humans.value == pytest.approx(0.625)
    assert got.first.value == pytest.approx(0.601227, abs=5e-7)
    assert got.second.value == pytest.approx(0.662577, abs=5e-7)
    assert got.mean == pytest.approx(0.631902, abs=5e-7)
    assert got.value == pytest.approx(0.006902, abs=5e-7)
    # 400,000 resamples give −.179, .178; 10,000 are some .003 off.
    assert (got.low, got.high) == pytest.approx((-0.175, 0.174), abs=0.005)
    assert (got.n, got.cases, got.resamples, got.undefined, got.reason) == (100, 100, 10_000, 0, "")
    assert got.first.labels == ("1", "0")
    assert krippendorff(list(zip(*three(), strict=True))).value == pytest.approx(0.630839, abs=5e-7)


def test_the_difference_is_of_trials_that_all_three_labelled() -> None:
    h1, h2, grader = three()
    got = difference([*h1, None, "1"], [*h2, "1", "0"], [*grader, "0", None], resamples=200)
    assert (got.n, got.left_out, got.humans.n, got.humans.left_out) == (100, 2, 100, 2)
    assert got.value == pytest.approx(0.006902, abs=5e-7)


def test_a_perfect_grader_is_above_the_humans_own_kappa_and_not_above_its_root() -> None:
    # Errors of .1, independent, at a prevalence of ½: people agree in .82 of trials, .41 each way; κ .64. A grader
    # without error agrees with each in .9: κ .8 = √.64.
    counts = {"111": 405, "101": 45, "011": 45, "001": 5, "000": 405, "010": 45, "100": 45, "110": 5}
    got = difference(*[[p[i] for p, count in counts.items() for _ in range(count)] for i in range(3)], resamples=500)
    assert got.humans.value == pytest.approx(0.64)
    assert (got.first.value, got.second.value) == pytest.approx((0.8, 0.8))
    assert got.ceiling == pytest.approx(0.8)
    assert got.low > 0


def test_a_difference_without_one_of_its_kappas_is_undefined_and_says_which() -> None:
    got = difference("ppff", "pfff", "pppp")
    assert (got.value, got.low, got.mean) == (None, None, None)
    assert (
        got.reason
        == "the grader and the first: rater a used one class; the grader and the second: rater a used one class"
    )
    same = difference("ppff", "ppff", "ppff")
    assert (same.value, same.low, same.reason) == (0.0, None, "no spread over 4 cases")
    assert difference("pp", "pp", "pp").ceiling is None


def test_weights_of_ones_own_are_cohens_of_1968() -> None:
    # Cohen 1968, 200 patients: weighted .348, plain .492.
    table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    weights = [[0, 1, 3], [1, 0, 6], [3, 6, 0]]
    assert round(of(table, weights=weights, resamples=0).value, 3) == 0.348
    assert round(of(table, resamples=0).value, 3) == 0.492
    assert of(table, weights=weights, resamples=0).weights == ((0, 1, 3), (1, 0, 6), (3, 6, 0))


@settings(deadline=None)
@given(LABELS, st.sampled_from([None, "linear", "quadratic"]))
def test_kappa_is_scikit_learns_and_that_of_the_resamples(pairs, weights) -> None:
    a, b = zip(*pairs, strict=True)
    got = kappa(a, b, labels=range(4), weights=weights, resamples=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = cohen_kappa_score(a, b, labels=range(4), weights=weights)
    apart = how_far_apart(weights, 4)
    own = kappas(np.array(got.table, dtype=float)[None], apart)[0]
    if got.value is None:
        assert math.isnan(theirs)
        assert math.isnan(own)
    else:
        assert got.value == pytest.approx(theirs, abs=1e-12)
        assert got.value == pytest.approx(own, abs=1e-12)


@settings(deadline=None)
@given(LABELS, st.sampled_from([None, "linear", "quadratic"]))
def test_kappa_is_symmetric(pairs, weights) -> None:
    a, b = zip(*pairs, strict=True)
    there, back = (kappa(*sides, labels=range(4), weights=weights, resamples=0) for sides in ((a, b), (b, a)))
    assert there.value == pytest.approx(back.value, abs=1e-12)
    assert there.ase == pytest.approx(back.ase, abs=1e-7)
    assert there.table == tuple(zip(*back.table, strict=True))


@settings(deadline=None)
@given(LABELS, st.permutations(range(4)))
def test_plain_kappa_does_not_care_what_labels_are_called(pairs, names) -> None:
    a, b = zip(*pairs, strict=True)
    renamed = kappa([names[x] for x in a], [names[x] for x in b], resamples=0)
    assert renamed.value == pytest.approx(kappa(a, b, resamples=0).value, abs=1e-12)
    plain, other = (
        relatives(*sides, labels=range(4), resamples=0)
        for sides in ((a, b), ([names[x] for x in a], [names[x] for x in b]))
    )
    assert (other.ac1, other.alpha2) == pytest.approx((plain.ac1, plain.alpha2), abs=1e-12)


@settings(deadline=None, max_examples=30)
@given(LABELS, st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_plays_no_part_in_value_or_interval(pairs, random) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)
    there, back = (
        kappa(*zip(*each, strict=True), weights="linear", labels=range(4), resamples=200) for each in (pairs, shuffled)
    )
    assert there == back


@settings(deadline=None)
@given(LABELS)
def test_quadratic_kappa_is_lins_concordance(pairs) -> None:
    # Fleiss & Cohen 1973: 2 cov / (var a + var b + (mean a − mean b)²), all with divisor n.
    a, b = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    below = a.var() + b.var() + (a.mean() - b.mean()) ** 2
    assume(below > 0)
    got = kappa(a.astype(int), b.astype(int), labels=range(4), weights="quadratic", resamples=0).value
    assert got == pytest.approx(2 * ((a - a.mean()) * (b - b.mean())).mean() / below, abs=1e-9)


@settings(deadline=None)
@given(LABELS)
def test_alpha_of_two_raters_is_krippendorffs(pairs) -> None:
    two, many = relatives(*zip(*pairs, strict=True), resamples=0).alpha2, krippendorff(pairs).value
    assert two == pytest.approx(many, abs=1e-12)


@settings(deadline=None)
@given(LABELS)
def test_pabak_and_ac1_stay_between_their_ends(pairs) -> None:
    got = relatives(*zip(*pairs, strict=True), labels=range(4), resamples=0)
    assert -1 / 3 - 1e-12 <= got.pabak <= 1 + 1e-12
    assert got.ac1 <= 1 + 1e-12
    assert got.pabak == pytest.approx((got.raw.value - 1 / 4) / (1 - 1 / 4))


def test_the_standard_error_is_that_of_the_spread_over_many_samples() -> None:
    # 20,000 samples of 400 pairs from the first table's shares.
    drawn = np.random.default_rng(3).multinomial(400, np.array(FEINSTEIN_1).ravel() / 100, size=20_000)
    spread = kappas(drawn.reshape(-1, 2, 2).astype(float), how_far_apart(None, 2)).std()
    expected, _ = standard_errors(np.array(FEINSTEIN_1, dtype=float) * 4, how_far_apart(None, 2))
    assert spread == pytest.approx(expected, rel=0.02)
