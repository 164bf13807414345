from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalkit.errors import NotMeasured
from evalkit.stats.ranking import competition_ranks


def test_ties_share_a_place_and_leave_the_next_one_empty():
    assert competition_ranks([9, 7, 7, 3]) == ["1", "2=", "2=", "4"]
    assert competition_ranks([3, 7, 9, 7]) == ["4", "2=", "1", "2="]
    assert competition_ranks([1, 1, 1]) == ["1=", "1=", "1="]
    assert competition_ranks([5]) == ["1"]
    assert competition_ranks([]) == []


def test_rounding_parts_no_tie():
    # 0.1 + 0.2 is 0.30000000000000004.
    assert competition_ranks([0.3, 0.1 + 0.2, 0.2]) == ["1=", "1=", "3"]
    assert competition_ranks([0.3, 0.300001]) == ["2", "1"]


def test_a_chain_of_small_steps_is_not_one_tie():
    # Each step is 0.8e-9, under the tolerance of 1e-9; the third score lies 1.6e-9 under the first.
    assert competition_ranks([1.0, 1.0 - 0.8e-9, 1.0 - 1.6e-9]) == ["1=", "1=", "3"]


@given(st.lists(st.integers(-20, 20), max_size=12))
def test_places_are_the_min_ranks_of_scipy(scores):
    ranks = competition_ranks(scores)
    expected = stats.rankdata([-score for score in scores], method="min") if scores else []
    assert [int(rank.rstrip("=")) for rank in ranks] == list(expected)
    assert [rank.endswith("=") for rank in ranks] == [scores.count(score) > 1 for score in scores]


@pytest.mark.parametrize("odd", [None, math.nan, math.inf])
def test_a_score_that_was_not_measured_has_no_place(odd):
    with pytest.raises(NotMeasured):
        competition_ranks([1.0, odd])
