"""pass^k to the fraction, without bias, and as published."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import NotMeasured
from evalkit.stats.intervals import mean_interval
from evalkit.stats.passhat import (
    as_failed,
    case_shares,
    measured_alone,
    pass_hat_k,
    pass_hat_k_interval,
)

AIRLINE = Path(__file__).parents[2] / "shared/data/tau_bench/runs/gpt-4o-airline.compact.jsonl"

CASES = st.integers(1, 12).flatmap(lambda n: st.tuples(st.lists(st.integers(0, n), min_size=1, max_size=9), st.just(n)))


# Four cases of five trials with 5, 4, 2 and 0 passes. C(5, k) = 5, 10, 10, 5, 1; C(4, k) = 4, 6, 4, 1, 0;
# C(2, k) = 2, 1, 0, 0, 0.
@pytest.mark.parametrize(
    ("k", "by_case", "suite"),
    [
        (1, ["1", "4/5", "2/5", "0"], "11/20"),
        (2, ["1", "3/5", "1/10", "0"], "17/40"),
        (3, ["1", "2/5", "0", "0"], "7/20"),
        (4, ["1", "1/5", "0", "0"], "3/10"),
        (5, ["1", "0", "0", "0"], "1/4"),
    ],
)
def test_pass_hat_k_is_right_to_the_fraction(k: int, by_case: list[str], suite: str) -> None:
    shares = case_shares([5, 4, 2, 0], [5, 5, 5, 5], k)
    assert shares == [Fraction(share) for share in by_case]
    assert sum(shares) / 4 == Fraction(suite)
    assert pass_hat_k([5, 4, 2, 0], [5, 5, 5, 5], k) == pass_hat_k([5, 4, 2, 0], 5, k) == float(Fraction(suite))


@pytest.mark.parametrize(
    ("n", "k", "expected", "plug_in"),
    [
        # At p = 7/10: p^2 = 49/100, where the mean of (c/4)^2 is 0.5425; p^3 = 343/1000, against 0.42784.
        (4, 2, Fraction(49, 100), Fraction(5425, 10000)),
        (5, 3, Fraction(343, 1000), Fraction(42784, 100000)),
    ],
)
def test_the_estimate_is_unbiased_where_the_plug_in_is_not(
    n: int, k: int, expected: Fraction, plug_in: Fraction
) -> None:
    p = Fraction(7, 10)
    chance = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    assert sum(chance) == 1
    assert sum(w * share for w, share in zip(chance, case_shares(range(n + 1), n, k), strict=True)) == expected
    assert sum(w * Fraction(c, n) ** k for c, w in enumerate(chance)) == plug_in


@settings(deadline=None)
@given(st.integers(1, 9), st.data())
def test_the_estimate_is_unbiased_whatever_the_chance(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, n))
    p = data.draw(st.fractions(0, 1, max_denominator=50))
    chance = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    assert sum(w * share for w, share in zip(chance, case_shares(range(n + 1), n, k), strict=True)) == p**k


@pytest.mark.parametrize("n", range(1, 8))
def test_it_is_the_share_of_the_choices_of_k_trials_that_all_passed(n: int) -> None:
    for c, k in product(range(n + 1), range(1, n + 1)):
        chosen = [all(choice) for choice in combinations([True] * c + [False] * (n - c), k)]
        assert case_shares([c], [n], k) == [Fraction(sum(chosen), len(chosen))]


@settings(deadline=None)
@given(CASES)
def test_it_never_rises_with_k_and_ends_at_the_share_of_cases_that_always_pass(cases: tuple[list[int], int]) -> None:
    passed, n = cases
    curve = [pass_hat_k(passed, n, k) for k in range(1, n + 1)]
    assert curve == sorted(curve, reverse=True)
    assert curve[0] == pytest.approx(sum(passed) / n / len(passed))
    assert curve[-1] == passed.count(n) / len(passed)


def test_one_failure_in_as_many_trials_as_are_asked_for_is_a_failure() -> None:
    assert pass_hat_k([2], [3], 3) == 0.0
    assert pass_hat_k([3], [3], 3) == 1.0


def test_cases_may_differ_in_their_trials() -> None:
    # C(2,2)/C(3,2) = 1/3, C(3,2)/C(4,2) = 1/2: their mean is 5/12.
    assert pass_hat_k([2, 3], [3, 4], 2) == float(Fraction(5, 12))


def test_k_above_the_trials_of_any_case_is_an_error() -> None:
    for function in (pass_hat_k, pass_hat_k_interval, case_shares, as_failed):
        with pytest.raises(ValueError, match=r"pass\^4 needs 4 trials of every case; 1 of 2 had fewer"):
            function([3, 3], [3, 4], 4)
    with pytest.raises(ValueError, match="1 of 1"):
        pass_hat_k([0], [0], 1)


@pytest.mark.parametrize("k", [0, -1, 1.5, math.nan, None])
def test_k_is_a_whole_number_of_at_least_one(k: float | None) -> None:
    for function in (pass_hat_k, pass_hat_k_interval):
        with pytest.raises(ValueError, match=r"at least one trial|whole numbers"):
            function([1], [2], k)


@pytest.mark.parametrize(
    ("successes", "trials", "said"),
    [
        ([3], [2], "3 of 2 trials passed is impossible"),
        ([-1], [2], "-1 of 2 trials passed is impossible"),
        ([0.5], [2], "whole numbers"),
        ([math.nan], [2], "whole numbers"),
        ([None], [2], "whole numbers"),
        ([1], [math.inf], "whole numbers"),
        ([1, 2], [3, 3, 3], "the same cases"),
        ([[1, 1], [0, 1]], [2, 2], "one count a case"),
    ],
)
def test_counts_that_are_none_are_refused(successes: list, trials: list, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        pass_hat_k(successes, trials, 1)


def test_no_case_has_no_pass_hat() -> None:
    with pytest.raises(NotMeasured, match=r"pass\^2 of no cases"):
        pass_hat_k([], [], 2)
    got = pass_hat_k_interval([], [], 2)
    assert (got.value, got.low, got.high, got.n, got.reason) == (None, None, None, 0, "no cases")


def test_counts_may_be_arrays_and_as_many_as_one_likes() -> None:
    assert pass_hat_k(np.array([5, 4, 2, 0]), np.array([5.0] * 4), np.int64(2)) == 0.425
    # C(1999, 1000)/C(2000, 1000) = 1/2, of numbers with 601 digits; a float ends at 309.
    assert pass_hat_k(np.array([1999]), np.array([2000]), 1000) == 0.5


def test_the_interval_is_the_one_over_cases_and_stays_between_0_and_1() -> None:
    # Cases 1, 3/5, 1/10, 0: mean 0.425, t with 3 degrees of freedom; below it would reach −0.32, above 1.17.
    whole = mean_interval([1, 0.6, 0.1, 0])
    got = pass_hat_k_interval([5, 4, 2, 0], 5, 2)
    assert whole.low < 0 < 1 < whole.high
    assert (got.value, got.low, got.high, got.n, got.method) == (0.425, 0.0, 1.0, 4, "t over cases")
    many = pass_hat_k_interval([5, 4, 2, 0] * 20, 5, 2)
    expected = mean_interval([1, 0.6, 0.1, 0] * 20)
    assert (many.low, many.high, many.n) == (expected.low, expected.high, 80)
    assert pass_hat_k_interval([5] * 3, 5, 5).reason == "no spread over 3 cases"


def test_what_was_not_measured_counts_as_failed_or_is_left_out() -> None:
    # Three planned trials each: 3 of 3 passed; 2 of 2, one not measured; 1 of 1, two not measured.
    passed, measured = [3, 2, 1], [3, 2, 1]
    failed = [as_failed(passed, [3] * 3, k) for k in (1, 2, 3)]
    # k = 1: (1 + 2/3 + 1/3) / 3; k = 2: (1 + 1/3 + 0) / 3; k = 3: 1/3.
    assert [each.interval.value for each in failed] == [float(Fraction(*each)) for each in ((2, 3), (4, 9), (1, 3))]
    assert [(each.interval.n, each.trials, each.left_out) for each in failed] == [(3, 9, 0)] * 3
    alone = [measured_alone(passed, measured, k) for k in (1, 2, 3)]
    assert [each.interval.value for each in alone] == [1.0, 1.0, 1.0]
    assert [(each.interval.n, each.trials, each.left_out) for each in alone] == [(3, 6, 0), (2, 5, 1), (1, 3, 2)]


def test_where_no_case_is_left_the_figure_is_undefined_with_a_reason() -> None:
    got = measured_alone([1, 0], [2, 0], 3)
    assert (got.interval.value, got.interval.n, got.trials, got.left_out) == (None, 0, 0, 2)
    assert got.interval.reason == "no case has 3 measured trials"
    with pytest.raises(ValueError, match="at least one trial"):
        measured_alone([1], [2], 0)


@settings(deadline=None)
@given(CASES, st.integers(1, 12))
def test_both_conventions_agree_where_every_trial_was_measured(cases: tuple[list[int], int], k: int) -> None:
    passed, n = cases
    if k <= n:
        assert as_failed(passed, n, k) == measured_alone(passed, [n] * len(passed), k)


@pytest.mark.skipif(not AIRLINE.is_file(), reason="the shared data set tau_bench is not here")
def test_the_published_airline_trajectories_give_the_published_curve() -> None:
    passed: Counter[int] = Counter()
    trials: Counter[int] = Counter()
    for line in AIRLINE.read_text("utf-8").splitlines():
        row = json.loads(line)
        trials[row["task_id"]] += 1
        passed[row["task_id"]] += row["reward"] >= 1 - 1e-6
    tasks = sorted(trials)
    c, n = [passed[task] for task in tasks], [trials[task] for task in tasks]
    assert (len(tasks), set(n)) == (50, {4})
    # Passes 0 to 4 on 14, 12, 10, 4 and 10 tasks: (12 + 20 + 12 + 40) / 200, (10 + 12 + 60) / 300, (4 + 40) / 200,
    # 10 / 50. Printed as 0.420, 0.273, 0.220, 0.200.
    assert [pass_hat_k(c, n, k) for k in (1, 2, 3, 4)] == [0.42, 82 / 300, 0.22, 0.2]
    assert round(pass_hat_k(c, n, 2), 5) == 0.27333
