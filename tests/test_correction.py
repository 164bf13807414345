"""Pass rates corrected for the grader's error: known values, what is undefined, and what the intervals cover."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.stats.correction import (
    break_even,
    lee_adjusted,
    optimal_lambda,
    post_stratified,
    ppi,
    rogan_gladen,
    same_errors,
    weighted_post_stratified,
)
from evalkit.stats.errors_alike import holm

# 157 of 200 passed; Se 57/60, Sp 24/40.
OURS = (157, 200, 57, 60, 24, 40)
# Lee et al. 2025, README: p .4 of 1,000, Se .9, Sp .7, 200 labels of each class.
LEE = (400, 1000, 180, 200, 140, 200)

# 100 labelled trials: 75 passed by both, 7 by the grader alone, 3 by people alone, 15 by none; 340 of 400 others passed.
HUMAN = [1] * 75 + [0] * 7 + [1] * 3 + [0] * 15
GRADER = [1] * 82 + [0] * 18
REST = [1] * 340 + [0] * 60


def test_rogan_and_gladen_give_the_known_rate() -> None:
    got = rogan_gladen(*OURS)
    # (.785 + .6 − 1)/(.95 + .6 − 1) = .385/.55.
    assert got.value == pytest.approx(0.70, abs=1e-12)
    # (.785·.215/200 + .3²·.6·.4/40 + .7²·.95·.05/60)/.55².
    assert got.se == pytest.approx(0.076532, abs=5e-7)
    assert (got.low, got.high) == pytest.approx((0.5500, 0.8500), abs=5e-5)
    assert (got.n, got.labelled, got.method, got.reason, got.clipped) == (200, 100, "Rogan–Gladen", "", False)


def test_the_errors_of_the_labels_count() -> None:
    # With as many labels as one likes Se and Sp are known: √(.785·.215/200)/.55.
    assert rogan_gladen(157, 200, 57e12, 60e12, 24e12, 40e12).se == pytest.approx(0.052817, abs=5e-7)


def test_lees_example_is_met() -> None:
    got, adjusted = rogan_gladen(*LEE), lee_adjusted(*LEE)
    # (.4 + .7 − 1)/.6.
    assert got.value == adjusted.value == pytest.approx(1 / 6, abs=1e-12)
    assert got.se == pytest.approx(0.052219, abs=5e-7)
    assert (got.low, got.high) == pytest.approx((0.06432, 0.26901), abs=6e-6)
    assert (adjusted.low, adjusted.high) == pytest.approx((0.05635, 0.26273), abs=6e-6)


def test_lees_interval_of_our_example_is_the_known_one() -> None:
    got = lee_adjusted(*OURS)
    assert got.value == pytest.approx(0.70, abs=1e-12)
    assert (got.low, got.high) == pytest.approx((0.54099, 0.85636), abs=6e-6)


def test_the_raw_rate_is_too_high_below_the_break_even() -> None:
    # .4/.45.
    assert break_even(0.95, 0.6) == pytest.approx(8 / 9)
    assert round(break_even(0.95, 0.6), 4) == 0.8889
    for theta in (0.5, 0.88, 0.89, 0.95):
        naive = 0.55 * theta + 0.4
        assert (naive > theta) == (theta < break_even(0.95, 0.6))


def test_an_estimate_outside_0_to_1_is_cut_and_says_so() -> None:
    # (.35 + .6 − 1)/.55 = −.0909.
    got = rogan_gladen(70, 200, 57, 60, 24, 40)
    assert (got.value, got.clipped) == (0.0, True)
    assert got.reason == "the estimate -0.0909 lies outside 0 to 1 and was cut"
    assert got.low == 0.0 < got.high < 0.3
    above = rogan_gladen(198, 200, 57, 60, 24, 40)
    assert (above.value, above.high, above.clipped) == (1.0, 1.0, True)
    # Far outside, nothing is left of the interval.
    far = rogan_gladen(0, 2000, 570, 600, 240, 400)
    assert (far.value, far.low, far.high) == (0.0, None, None)
    assert far.reason.endswith("its whole interval lies outside")


@pytest.mark.parametrize("function", [rogan_gladen, lee_adjusted])
@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ((157, 200, 30, 60, 20, 40), "on the labels the grader tells passes from fails no better than chance"),
        ((157, 200, 6, 60, 12, 40), "on the labels the grader tells passes from fails no better than chance"),
        ((0, 0, 57, 60, 24, 40), "no trial was graded"),
        ((157, 200, 57, 60, 0, 0), "no label is a human fail, so nothing tells what the grader makes of one"),
        ((157, 200, 0, 0, 24, 40), "no label is a human pass, so nothing tells what the grader makes of one"),
    ],
)
def test_what_the_labels_do_not_tell_is_not_measured(function, counts, reason) -> None:
    got = function(*counts)
    assert (got.value, got.low, got.high, got.se, got.reason) == (None, None, None, None, reason)


@pytest.mark.parametrize("function", [rogan_gladen, lee_adjusted])
@pytest.mark.parametrize("counts", [(201, 200, 57, 60, 24, 40), (1, 2, -1, 60, 24, 40), (1, 2, 1, 2, math.nan, 3)])
def test_impossible_counts_are_refused(function, counts) -> None:
    with pytest.raises(ValueError, match="is impossible"):
        function(*counts)
    with pytest.raises(ValueError, match="a confidence"):
        function(*OURS, confidence=95)


def test_counts_may_be_effective_ones() -> None:
    got = rogan_gladen(78.5, 100, 28.5, 30, 12, 20)
    assert (got.value, got.labelled) == (pytest.approx(0.7), 50)
    assert got.se == pytest.approx(0.076532 * math.sqrt(2), abs=1e-6)


def test_labels_without_an_error_leave_an_interval_to_lees_alone() -> None:
    # Se = Sp = 1 and all passed: Wald's standard error is 0.
    plain, adjusted = (function(50, 50, 20, 20, 10, 10) for function in (rogan_gladen, lee_adjusted))
    assert (plain.value, plain.low, plain.high, plain.se) == (1.0, None, None, None)
    assert plain.reason == "verdicts and labels show no spread, so no interval"
    assert adjusted.value == adjusted.high == 1.0
    assert adjusted.low < 0.95


def test_labels_whose_gain_over_chance_hangs_on_a_few_have_no_adjusted_interval() -> None:
    # 9/10 + 150/1000 > 1, but 10/12 + 151/1002 < 1.
    got = lee_adjusted(180, 200, 9, 10, 150, 1000)
    assert (got.low, got.high, got.se) == (None, None, None)
    assert got.reason.endswith("too few labels for a standard error")


def test_prediction_powered_estimates_are_the_known_ones() -> None:
    classical, full, best = (ppi(HUMAN, GRADER, REST, lam) for lam in (0, 1, "optimal"))
    # 78/100, √(.78·.22/99).
    assert classical.value == pytest.approx(0.78)
    assert classical.se == pytest.approx(0.041633, abs=5e-7)
    # .85 + .78 − .82.
    assert full.value == pytest.approx(0.81)
    assert full.se == pytest.approx(0.036242, abs=5e-7)
    assert optimal_lambda(HUMAN, GRADER, REST) == pytest.approx(0.615950, abs=5e-7)
    assert best.value == pytest.approx(0.798478, abs=5e-7)
    assert best.se == pytest.approx(0.032349, abs=5e-7)
    assert best.method == "prediction-powered, λ = 0.616"
    assert (best.n, best.labelled) == (500, 100)
    assert float(np.mean(REST)) == 0.85
    # The grader makes the labels worth (.041633/.032349)² as many.
    assert (classical.se / best.se) ** 2 == pytest.approx(1.65, abs=0.01)


def test_ppi_py_differs_by_its_divisor_alone() -> None:
    # It divides by n: .0360936, .739258 to .880742.
    y, f, rest = (np.array(each) for each in (HUMAN, GRADER, REST))
    theirs = math.sqrt(rest.var() / 400 + (y - f).var() / 100)
    assert theirs == pytest.approx(0.0360936, abs=5e-8)
    assert (0.81 - 1.959964 * theirs, 0.81 + 1.959964 * theirs) == pytest.approx((0.739258, 0.880742), abs=1e-6)
    # Its λ is cov/(1 + n/N) over the variance among all trials: .800084, .736810 to .863357.
    lam = np.cov(y, f, ddof=0)[0, 1] / (1 + 100 / 400) / np.r_[f, rest].var(ddof=1)
    value = ppi(HUMAN, GRADER, REST, lam).value
    half = 1.959964 * math.sqrt(lam**2 * rest.var() / 400 + (y - lam * f).var() / 100)
    assert (value, value - half, value + half) == pytest.approx((0.800084, 0.736810, 0.863357), abs=1e-6)


def test_the_optimal_lambda_has_the_least_variance() -> None:
    best = ppi(HUMAN, GRADER, REST)
    assert all(best.se <= ppi(HUMAN, GRADER, REST, lam).se for lam in np.linspace(0, 1, 101))


def test_post_stratification_gives_the_known_rate() -> None:
    got = post_stratified(HUMAN, GRADER, REST)
    # .85 · 75/82 + .15 · 3/18.
    assert got.value == pytest.approx(0.85 * 75 / 82 + 0.15 * 3 / 18, abs=1e-12)
    assert got.value == pytest.approx(0.802439, abs=5e-7)
    # λ = cov/var of the labelled ones is that estimate too.
    slope = np.cov(HUMAN, GRADER)[0, 1] / np.var(GRADER, ddof=1)
    assert ppi(HUMAN, GRADER, REST, slope).value == pytest.approx(got.value, abs=1e-12)
    assert got.se == pytest.approx(ppi(HUMAN, GRADER, REST, slope).se, rel=0.03)
    assert (got.n, got.labelled, got.method, got.reason) == (400, 100, "post-stratified", "")


def test_rogan_and_gladen_on_the_same_data_are_less_sure() -> None:
    got = rogan_gladen(340, 400, 75, 78, 15, 22)
    assert (got.value, got.se) == pytest.approx((0.826630, 0.047633), abs=5e-7)
    assert got.se > post_stratified(HUMAN, GRADER, REST).se


def test_weights_undo_an_oversampling_of_likely_fails() -> None:
    # Of 1,000 trials the grader passes 800. People pass 720 of those and 40 of the 200: .76. Labelled are every fourth
    # fail of the grader's and every twentieth pass, at 1/4 and 1/20.
    labelled = [(1, int(i < 36), 20.0, f"p{i}") for i in range(40)] + [
        (0, int(i < 10), 4.0, f"f{i}") for i in range(50)
    ]
    grader = [1] * 800 + [0] * 200
    got = weighted_post_stratified(grader, labelled)
    assert got.value == pytest.approx(0.8 * 0.9 + 0.2 * 0.2)
    # Without strata: (36 + 10)/90 of the labels are passes.
    assert sum(item[1] for item in labelled) / 90 == pytest.approx(0.5111, abs=1e-4)
    # With one pass and one fail more, 37/42 and 11/52: .8²·(37/42)(5/42)/40 + .2²·(11/52)(41/52)/50, which is more than
    # .8²·.9·.1/40 + .2²·.2·.8/50, times 90/89; and (.9 − .2)²·.8·.2/999.
    least = 0.64 * 37 / 42 * 5 / 42 / 40 + 0.04 * 11 / 52 * 41 / 52 / 50
    assert got.se**2 == pytest.approx(least + 0.49 * 0.16 / 999, rel=1e-9)
    assert (got.n, got.labelled, got.method) == (1000, 90, "post-stratified, weighted")


def test_weights_within_a_verdict_are_hajeks() -> None:
    # Passes of the grader: weights 1 and 3 for a pass and a fail of people: 1/4. Fails: 2 of 2 and 6: 2/8.
    labelled = [(1, 1, 1, "a"), (1, 0, 3, "b"), (0, 1, 2, "c"), (0, 0, 6, "d")]
    assert weighted_post_stratified([1, 0], labelled).value == pytest.approx(0.25)
    assert weighted_post_stratified([1, 0], [(g, h, w * 7, c) for g, h, w, c in labelled]).value == pytest.approx(0.25)


def test_the_standard_error_is_over_cases() -> None:
    cases = [i for i in range(100) for _ in range(5)]
    human, grader = ([x for x in side for _ in range(5)] for side in (HUMAN, GRADER))
    rest, rest_cases = [x for x in REST for _ in range(5)], [i for i in range(400) for _ in range(5)]
    once = post_stratified(HUMAN, GRADER, REST)
    many = post_stratified(human, grader, rest, cases=cases, grader_cases=rest_cases)
    assert (many.value, many.se) == pytest.approx((once.value, once.se), abs=1e-12)
    assert post_stratified(human, grader, rest).se < many.se / 2


def test_labels_on_one_verdict_alone_do_not_tell_of_the_other() -> None:
    got = post_stratified([1, 0], [1, 1], [1, 1, 0])
    assert (got.value, got.reason) == (None, "no labelled trial is one that the grader failed")
    assert post_stratified([1, 0], [0, 0], [1, 0]).reason == "no labelled trial is one that the grader passed"
    # Where the grader passed all, its fails are not needed.
    assert post_stratified([1, 0], [1, 1], [1, 1, 1]).value == 0.5
    assert post_stratified([1, 0], [1, 0], []).reason == "no trial was graded"
    assert ppi([], [], [1, 0]).reason == ppi([1], [1], []).reason == "labelled and unlabelled trials are needed"


def test_what_shows_no_spread_or_has_too_few_labels_has_no_interval() -> None:
    got = post_stratified([1, 1], [1, 1], [1, 1, 1])
    assert (got.value, got.low, got.reason) == (1.0, None, "verdicts and labels show no spread, so no interval")
    assert ppi([1], [1], [1, 0], 1).reason == "too few labels for a standard error"
    one = weighted_post_stratified([1, 1], [(1, 1, 1, "a"), (1, 0, 1, "a")])
    assert (one.value, one.se, one.reason) == (0.5, None, "too few labels for a standard error")


@pytest.mark.parametrize(
    "call",
    [
        lambda: ppi([1, 0], [1], [1]),
        lambda: ppi([1, None], [1, 1], [1]),
        lambda: ppi([2], [1], [1]),
        lambda: post_stratified([1, 0], [1], [1]),
        lambda: post_stratified([1, 0], [1, 0.5], [1, 0]),
        lambda: post_stratified([1, 0], [1, 0], [1, None]),
        lambda: post_stratified([1, 0], [1, 0], [1], grader_cases=["a", "b"]),
        lambda: weighted_post_stratified([1], [(1, 1, 0, "a")]),
        lambda: weighted_post_stratified([1], [(1, 1, math.inf, "a")]),
        lambda: ppi([1, 0], [1, 0], [1, 0], confidence=1),
    ],
)
def test_what_is_no_verdict_or_no_weight_is_refused(call) -> None:
    with pytest.raises(ValueError, match=r"verdict|weight|confidence|case"):
        call()


def test_the_intervals_cover_the_true_rate() -> None:
    # 1,500 worlds of 300 graded trials, 100 of them labelled at random; the true rate is .7, Se .9, Sp .8.
    rng = np.random.default_rng(11)
    covered = {"ppi": 0, "post": 0, "weighted": 0, "rg": 0}
    for _ in range(1500):
        human = rng.random(400) < 0.7
        grader = np.where(human, rng.random(400) < 0.9, rng.random(400) < 0.2)
        y, f, rest = human[:100], grader[:100], grader[100:]
        found = {"ppi": ppi(y, f, rest), "post": post_stratified(y, f, rest)}
        chance = np.where(grader, 0.15, 0.6)
        drawn = rng.random(400) < chance
        items = list(zip(grader[drawn], human[drawn], 1 / chance[drawn], range(drawn.sum()), strict=True))
        found["weighted"] = weighted_post_stratified(grader, items)
        right = [int(rng.binomial(60, 0.9)), int(rng.binomial(40, 0.8))]
        found["rg"] = rogan_gladen(int(grader.sum()), 400, right[0], 60, right[1], 40)
        for name, each in found.items():
            covered[name] += each.low <= 0.7 <= each.high
    assert {name: count / 1500 for name, count in covered.items()} == pytest.approx(
        dict.fromkeys(covered, 0.95), abs=0.025
    )


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30), st.lists(st.booleans(), min_size=1))
def test_a_post_stratified_rate_is_never_outside_0_to_1(pairs, rest) -> None:
    got = post_stratified(*zip(*pairs, strict=True), rest)
    assert got.clipped is False
    if got.value is not None:
        assert 0 <= got.value <= 1
        if got.low is not None:
            assert 0 <= got.low <= got.value <= got.high <= 1


def test_a_candidate_that_the_grader_favours_is_found() -> None:
    # a: Se 28/40, the others 94/97 → Fisher; all else alike.
    tables = {"a": [[28, 12], [4, 16]], "b": [[49, 1], [4, 18]], "c": [[45, 2], [1, 2]]}
    got = {each.candidate: each for each in same_errors(tables)}
    assert list(got) == ["a", "b", "c"]
    a, c = got["a"], got["c"]
    assert (a.sensitivity, a.others_sensitivity) == (0.7, 94 / 97)
    assert (a.differs, a.reason) == (True, "")
    assert a.p_sensitivity < 0.001
    assert a.p_specificity == 1.0
    assert (c.p_specificity, c.specificity, c.others_specificity) == (None, 2 / 3, 34 / 42)
    assert c.reason == "human fails: its 3 are too few, 5 are needed"
    assert c.differs is None


def test_the_p_values_are_fishers_with_holms_correction() -> None:
    from scipy.stats import fisher_exact

    tables = {"a": [[29, 11], [5, 15]], "b": [[38, 2], [6, 14]]}
    sensitivity = fisher_exact([[29, 11], [38, 2]]).pvalue
    specificity = fisher_exact([[15, 5], [14, 6]]).pvalue
    first, second = same_errors(tables)
    # Of four tests the two on sensitivity are equal and least, so both times 4.
    assert first.p_sensitivity == second.p_sensitivity == pytest.approx(min(1, 4 * sensitivity))
    assert first.p_specificity == second.p_specificity == pytest.approx(min(1, 2 * specificity))
    assert 0.05 < first.p_sensitivity < 0.1
    assert (first.differs, second.differs) == (False, False)
    assert same_errors(tables, confidence=0.9)[0].differs is True


def test_a_candidate_alone_has_nothing_to_be_compared_with() -> None:
    (got,) = same_errors({"a": [[30, 10], [5, 15]]})
    assert (got.differs, got.p_sensitivity, got.others_sensitivity) == (None, None, None)
    assert got.reason == (
        "human passes: the others' 0 are too few, 5 are needed; human fails: the others' 0 are too few, 5 are needed"
    )
    assert same_errors({}) == ()


@pytest.mark.parametrize("table", [[[1, 2, 3], [4]], [[1, 2]], [[1, -2], [3, 4]], [[0.5, 1], [1, 1]]])
def test_a_table_that_is_none_is_refused(table) -> None:
    with pytest.raises(ValueError, match="whole counts"):
        same_errors({"a": table})


def test_holm_is_the_known_correction() -> None:
    # The pairs of a published ranking: 3–0, 7–0, 18–0, 6–2, 15–0, 11–0.
    p = [0.25, 0.015625, 2**-17, 0.2890625, 2**-14, 2**-10]
    assert holm(p) == pytest.approx([0.5, 0.046875, 6 * 2**-17, 0.5, 5 * 2**-14, 4 * 2**-10])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_keeps_the_order_and_lowers_nothing(p) -> None:
    got = holm(p)
    assert all(a <= b <= 1 for a, b in zip(p, got, strict=True))
    order = sorted(range(len(p)), key=lambda i: p[i])
    assert [got[i] for i in order] == sorted(got)
