"""Agreement of many raters, with gaps, against published values."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.stats.alpha import count, krippendorff, many_raters

_ = None
# Krippendorff's canonical four observers and twelve units; a row is an observer.
CANONICAL = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
# The three coders and fifteen units of the encyclopedia's article.
ARTICLE = [
    [_, _, _, _, _, 3, 4, 1, 2, 1, 1, 3, 3, _, 3],
    [1, _, 2, 1, 3, 3, 4, 3, _, _, _, _, _, _, _],
    [_, _, 2, 1, 3, 4, 4, _, 2, 1, 1, 3, 3, _, 4],
]

UNITS = st.lists(st.lists(st.sampled_from([None, 0, 1, 2]), max_size=5), min_size=1, max_size=12)


def units(raters: list[list]) -> list[tuple]:
    return list(zip(*raters, strict=True))


@pytest.mark.parametrize(
    ("level", "value"),
    [("nominal", 904 / 1216), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)],
)
def test_the_canonical_example_has_its_published_alphas(level: str, value: float) -> None:
    got = krippendorff(units(CANONICAL), level=level)
    assert got.value == pytest.approx(value, abs=5e-7)
    # The last unit was labelled by one observer and pairs with nothing: 11 units, 40 ratings.
    assert (got.n, got.ratings, got.reason) == (11, 40, "")


def test_the_article_s_example_has_its_published_alphas() -> None:
    assert krippendorff(units(ARTICLE)).value == pytest.approx(0.691358, abs=5e-7)
    assert krippendorff(units(ARTICLE), level="interval").value == pytest.approx(0.810845, abs=5e-7)
    assert krippendorff(units(ARTICLE)).ratings == 26


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        # The last unit has 4 unlike ordered pairs over m − 1 = 2: Do 2/12. Seven ones, five zeros: De 2·35/(12·11).
        # α = 1 − (2/12)/(70/132) = 1 − 264/840.
        ([[1, 1, 1], [0, 0, 0], [1, 1, 1], [0, 0, 1]], 1 - 132 / 420),
        # Four of each: Do 1, De 2·16/(8·7) = 4/7.
        ([[0, 1]] * 4, -0.75),
        # 4 unlike ordered pairs over 2: Do 2/5. Two ones, three zeros: De 2·6/(5·4) = 3/5.
        ([[1, 1, 0], [0, 0]], 1 / 3),
    ],
)
def test_small_examples_have_the_alphas_that_a_hand_gives(rows: list, value: float) -> None:
    assert krippendorff(rows).value == pytest.approx(value, abs=1e-12)


def test_alpha_is_undefined_where_all_used_one_class_and_where_no_unit_has_two_ratings() -> None:
    got = krippendorff([[1, 1], [1, 1, None]])
    assert (got.value, got.reason, got.n, got.ratings) == (None, "all raters used one class", 2, 4)
    for rows in ([], [[1], [None, 0]], [[None]]):
        got = krippendorff(rows)
        assert (got.value, got.reason, got.n, got.ratings) == (None, "no unit has two ratings", 0, 0)


def test_an_order_goes_by_the_declared_scale() -> None:
    words = {1: "bad", 2: "poor", 3: "fair", 4: "good", 5: "best"}
    named = [[words.get(label) for label in unit] for unit in units(CANONICAL)]
    got = krippendorff(named, level="ordinal", labels=list(words.values()))
    assert got.value == pytest.approx(0.815388, abs=5e-7)
    with pytest.raises(ValueError, match="declare the scale"):
        krippendorff(named, level="ordinal")


def test_numbers_may_be_texts() -> None:
    texts = [[None if label is None else str(label) for label in unit] for unit in units(CANONICAL)]
    assert krippendorff(texts, level="interval", labels=list("12345")).value == pytest.approx(0.849107, abs=5e-7)


@pytest.mark.parametrize(
    ("rows", "more", "words"),
    [
        ([["a", "b"]], {"level": "interval"}, "needs numbers"),
        ([[-1, 1]], {"level": "ratio"}, "from 0"),
        ([[float("inf"), 1]], {"level": "interval"}, "finite"),
        ([[0, 1]], {"level": "cardinal"}, "not 'cardinal'"),
        ([[0, 2]], {"labels": [0, 1]}, "2 is not among"),
        ([[0, float("nan")]], {}, "NaN is no label"),
    ],
)
def test_what_has_no_distance_is_refused(rows: list, more: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        krippendorff(rows, **more)


@settings(deadline=None)
@given(UNITS)
def test_alpha_is_that_of_all_pairs_within_units_against_all_pairs(rows: list) -> None:
    paired = [[label for label in row if label is not None] for row in rows]
    paired = [row for row in paired if len(row) > 1]
    every = [label for row in paired for label in row]
    got = krippendorff(rows)
    assert (got.n, got.ratings) == (len(paired), len(every))
    apart = sum(a != b for a, b in permutations(every, 2))
    if not apart:
        assert got.value is None
        return
    within = sum(Fraction(sum(a != b for a, b in permutations(row, 2)), len(row) - 1) for row in paired)
    expected = 1 - within / len(every) / Fraction(apart, len(every) * (len(every) - 1))
    assert got.value == pytest.approx(float(expected), abs=1e-12)


@settings(deadline=None)
@given(UNITS)
def test_levels_agree_where_there_are_two_labels_alone(rows: list) -> None:
    two = [[min(label, 1) if label is not None else None for label in row] for row in rows]
    values = {level: krippendorff(two, level=level).value for level in ("nominal", "ordinal", "interval", "ratio")}
    assert all(value == pytest.approx(values["nominal"], abs=1e-12) for value in values.values())


# counts, raw agreement, Fleiss, free: Randolph's calculator.
@pytest.mark.parametrize(
    ("table", "agreement", "fleiss", "free"),
    [
        ([[7, 1], [3, 5]], 0.607143, 0.161905, 0.214286),
        ([[6, 1, 0], [0, 7, 0]], 0.857143, 0.708333, 0.785714),
        ([[6.99, 0.01], [6.99, 0.01]], 0.996671, -0.166667, 0.993343),
    ],
)
def test_many_raters_have_the_published_kappas(table: list, agreement: float, fleiss: float, free: float) -> None:
    got = many_raters(table)
    assert (got.agreement, got.fleiss, got.free) == pytest.approx((agreement, fleiss, free), abs=1.5e-6)


def test_one_class_among_many_raters_is_undefined_beyond_raw_agreement() -> None:
    got = many_raters(count([[1, 1], [1, 1]], [0, 1]))
    assert (got.agreement, got.fleiss, got.ac1, got.free) == (1.0, None, 1.0, 1.0)
    assert got.reason == "all raters used one class"
    assert many_raters([[3], [2]]).reason == "one class is declared"
    assert many_raters([[1, 0], [0, 0]]).reason == "no unit has two ratings"


@pytest.mark.parametrize("table", [[1, 2], [[-1, 2]], [[np.nan, 2]]])
def test_counts_that_are_none_are_refused(table: list) -> None:
    with pytest.raises(ValueError, match="none is negative"):
        many_raters(table)


def test_gaps_are_not_counted() -> None:
    got = count([["a", None, "b"], ["b", "b"], []], ["a", "b"])
    assert got.tolist() == [[1, 1], [0, 2], [0, 0]]
    assert Counter(got.sum(axis=1).tolist()) == {2: 2, 0: 1}
