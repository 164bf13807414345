from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalkit.errors import NotMeasured
from evalkit.stats.intervals import clopper_pearson, mean_interval, upper_bound, wilson

COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
CONFIDENCES = st.floats(0.5, 0.999)


def standard_error(interval) -> float:
    return (interval.high - interval.low) / 2 / stats.t.ppf(0.975, interval.n - 1)


def clustered_error(values: np.ndarray, cluster: np.ndarray) -> float:
    """Miller 2024, appendix A, with √(G/(G−1)): √(Σ_c (Σ_{i∈c} (s_i − s̄))²)/n."""
    groups = np.unique(cluster)
    sums = [((values - values.mean())[cluster == group]).sum() for group in groups]
    return math.sqrt(sum(s * s for s in sums)) / values.size * math.sqrt(groups.size / (groups.size - 1))


def test_the_mean_over_cases_has_the_error_clustered_by_case():
    trials = np.array([[1, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1]])
    got = mean_interval(trials.mean(axis=1))
    # 7 of 12 trials; case means 1, 2/3, 0, 2/3 with sd 0.419435, so SE = sd/√4 = 0.209718.
    assert got.value == pytest.approx(7 / 12)
    assert standard_error(got) == pytest.approx(0.209718, abs=5e-7)
    assert standard_error(got) == pytest.approx(clustered_error(trials.ravel(), np.repeat(range(4), 3)))
    # t with 3 degrees of freedom is 3.182446: 7/12 ± 0.667417.
    assert (got.low, got.high) == pytest.approx((-0.084083, 1.250750), abs=2e-6)
    assert (got.n, got.method, got.reason) == (4, "t over cases", "")


def test_the_published_clustered_error_comes_out():
    # inspect's own test: values 0..19 in clusters i mod 4, printed 0.645. Cluster means 8, 9, 10, 11.
    means = [np.arange(20)[i::4].mean() for i in range(4)]
    assert standard_error(mean_interval(means)) == pytest.approx(0.6454972, abs=5e-8)


@given(st.lists(st.floats(-3, 1), min_size=2, max_size=30), CONFIDENCES)
def test_the_mean_interval_is_the_one_of_scipy(values, confidence):
    got = mean_interval(values, confidence)
    assert got.value == pytest.approx(float(np.mean(values)))
    if got.reason:
        assert np.ptp(values) < 1e-9
        return
    expected = stats.ttest_1samp(values, 0).confidence_interval(confidence)
    assert (got.low, got.high) == pytest.approx((expected.low, expected.high), rel=1e-6, abs=1e-9)


def test_no_case_has_no_mean():
    got = mean_interval([])
    assert (got.value, got.low, got.high, got.n, got.reason) == (None, None, None, 0, "no cases")


def test_one_case_has_a_mean_and_no_interval():
    got = mean_interval([0.5])
    assert (got.value, got.low, got.high, got.n) == (0.5, None, None, 1)
    assert got.reason == "one case shows no spread"


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0], [0.3, 0.1 + 0.2, 0.3], [0, 0, 0]])
def test_equal_cases_have_no_interval_of_width_zero(values):
    got = mean_interval(values)
    assert got.value == pytest.approx(values[0])
    assert (got.low, got.high, got.n, got.reason) == (None, None, 3, "no spread over 3 cases")


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf, None])
def test_a_case_that_was_not_measured_is_no_number(odd):
    with pytest.raises(NotMeasured, match="1 of 3 cases"):
        mean_interval([1.0, odd, 0.0])


def test_trials_in_place_of_cases_are_refused():
    with pytest.raises(ValueError, match="one number a case"):
        mean_interval([[1, 0], [1, 1]])


def test_wilson_and_clopper_pearson_give_the_known_intervals():
    # 21 of 23, the first seed's escalations (2 missed).
    got = wilson(21, 23)
    assert (got.value, got.n, got.method) == (21 / 23, 23, "Wilson")
    assert (got.low, got.high) == pytest.approx((0.7320, 0.9758), abs=5e-5)
    exact = clopper_pearson(21, 23)
    assert (exact.value, exact.n, exact.method) == (21 / 23, 23, "Clopper–Pearson")
    assert (exact.low, exact.high) == pytest.approx((0.7196, 0.9893), abs=5e-5)
    assert wilson(23, 23).low == pytest.approx(0.8569, abs=5e-5)
    assert wilson(23, 23).high == 1.0
    assert clopper_pearson(0, 23).low == wilson(0, 23).low == 0.0


@given(COUNTS, CONFIDENCES)
def test_intervals_of_shares_are_those_of_scipy(counts, confidence):
    test = stats.binomtest(*counts)
    for got, method in (
        (wilson(*counts, confidence), "wilson"),
        (clopper_pearson(*counts, confidence), "exact"),
    ):
        expected = test.proportion_ci(confidence, method=method)
        assert (got.low, got.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
        assert 0 <= got.low <= got.value <= got.high <= 1


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_a_share_of_nothing_is_undefined(interval):
    got = interval(0, 0)
    assert (got.value, got.low, got.high, got.n, got.reason) == (None, None, None, 0, "nothing was tried")


def test_no_miss_seen_is_not_no_miss():
    # 1 − 0.05^(1/n).
    assert upper_bound(0, 23) == pytest.approx(0.1221, abs=5e-5)
    assert upper_bound(0, 90) == pytest.approx(0.0327, abs=5e-5)
    assert upper_bound(0, 8) == pytest.approx(1 - 0.05 ** (1 / 8))
    assert upper_bound(0, 1, 0.9) == pytest.approx(0.9)
    assert type(upper_bound(0, 23)) is float


@given(COUNTS, CONFIDENCES)
def test_the_upper_bound_is_where_so_few_misses_become_improbable(counts, confidence):
    misses, n = counts
    bound = upper_bound(misses, n, confidence)
    if misses == n:
        assert bound == 1.0
    else:
        assert misses / n < bound < 1
        assert stats.binom.cdf(misses, n, bound) == pytest.approx(1 - confidence, rel=1e-6)


def test_nothing_measured_has_no_upper_bound():
    with pytest.raises(NotMeasured, match="no case was measured"):
        upper_bound(0, 0)


@pytest.mark.parametrize("function", [upper_bound, wilson, clopper_pearson])
@pytest.mark.parametrize("counts", [(3, 2), (-1, 2), (0.5, 2), (0, -1), (math.nan, 2)])
def test_impossible_counts_are_refused(function, counts):
    with pytest.raises(ValueError, match="is impossible"):
        function(*counts)


def test_whole_numbers_of_any_kind_are_counts():
    assert upper_bound(np.int64(0), 23.0) == upper_bound(0, 23)
    assert wilson(np.float64(21), np.int32(23)) == wilson(21, 23)


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.5, math.nan])
def test_a_confidence_lies_between_0_and_1(confidence):
    with pytest.raises(ValueError, match="between 0 and 1"):
        upper_bound(0, 23, confidence)
    with pytest.raises(ValueError, match="between 0 and 1"):
        mean_interval([0, 1], confidence)


def test_importing_the_intervals_and_pairs_loads_no_scipy():
    code = "import sys, evalkit.stats.paired, evalkit.stats.ranking; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
