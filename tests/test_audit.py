"""Two graders in a cascade: what a sample that is none at random says of all trials."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evalkit.stats.audit import disagreement, pass_rate

# 1,000 trials, 100 near: cheap passes 55, strong 45, and they differ on 30. Of 900 others cheap passes 810; 90 of them
# are audited: 2 passes became fails, 1 fail a pass.
NEAR = [True] * 100 + [False] * 900
AUDITED = [False] * 100 + [True] * 90 + [False] * 810
CHEAP = [True] * 55 + [False] * 45 + [True] * 81 + [False] * 9 + [True] * 729 + [False] * 81
STRONG = (
    [True] * 35 + [False] * 20 + [True] * 10 + [False] * 35 + [False] * 2 + [True] * 80 + [False] * 8 + [None] * 810
)
CHANCE = [1.0] * 100 + [0.1] * 900
ALL = (NEAR, AUDITED, CHEAP, STRONG, CHANCE)


def test_disagreement_is_weighted_by_the_chance_to_be_asked() -> None:
    got = disagreement(*ALL)
    # (30 + 3·10)/1000.
    assert got.value == pytest.approx(0.06, abs=1e-12)
    # .9² · (1 − .1) · s²/90 with s² = (3/90)(87/90) · 90/89.
    assert got.se == pytest.approx(0.016246, abs=5e-7)
    assert (got.low, got.high) == pytest.approx((0.06 - 1.959964 * got.se, 0.06 + 1.959964 * got.se), abs=1e-7)
    assert (got.trials, got.near, got.audited, got.left_out, got.reason) == (1000, 100, 90, 0, "")


def test_the_naive_share_is_kept_apart_under_its_own_name() -> None:
    got = disagreement(*ALL)
    # 3/90 and 33/190.
    assert got.random_part == pytest.approx(3 / 90)
    assert got.among_asked == pytest.approx(33 / 190)
    assert [round(each, 6) for each in (got.random_part, got.among_asked)] == [0.033333, 0.173684]


def test_the_pass_rate_is_corrected_by_what_the_audit_changed() -> None:
    got = pass_rate(*ALL)
    # (45 + 810 − 10)/1000.
    assert got.value == pytest.approx(0.845, abs=1e-12)
    # s² = (3 − 1/90)/89.
    assert got.se == pytest.approx(0.016493, abs=5e-7)
    # (55 + 810)/1000, (45 + 810)/1000.
    assert (got.cheap_alone, got.near_overridden) == pytest.approx((0.865, 0.855))
    assert (got.low, got.high) == pytest.approx((0.845 - 1.959964 * got.se, 0.845 + 1.959964 * got.se), abs=1e-7)


def test_a_trial_that_is_near_and_drawn_counts_once() -> None:
    drawn = [True] * 10 + AUDITED[10:]
    # Its probability is 1 for being near, whatever was written for the draw.
    chance = [0.1] * 1000
    for function in (disagreement, pass_rate):
        assert function(NEAR, drawn, CHEAP, STRONG, chance) == function(*ALL)


def test_a_strong_verdict_that_no_draw_asked_for_counts_for_nothing() -> None:
    strong = [*STRONG[:190], *([True, False] * 405)]
    assert disagreement(NEAR, AUDITED, CHEAP, strong, CHANCE) == disagreement(*ALL)


def test_different_chances_are_weighted() -> None:
    # Two audited at ½ that differ, two at ¼ that do not: (2·2)/(2·2 + 2·4) = 1/3.
    got = disagreement(
        [False] * 12, [True] * 4 + [False] * 8, [True] * 12, [False, False, True, True] + [None] * 8,
        [0.5] * 2 + [0.25] * 2 + [0.25] * 8,
    )  # fmt: skip
    assert got.value == pytest.approx(1 / 3)
    # 4/3 · (½·(2·⅔)²·2 + ¾·(4·⅓)²·2)/12².
    assert got.se**2 == pytest.approx(4 / 3 * (16 / 9 + 1.5 * 16 / 9) / 144)


def test_where_all_were_asked_nothing_is_estimated() -> None:
    got = disagreement([False] * 4, [True] * 4, [True] * 4, [True, True, False, True], [1.0] * 4)
    assert (got.value, got.low, got.high, got.se) == (0.25, 0.25, 0.25, 0.0)
    near = disagreement([True] * 4, [False] * 4, [True] * 4, [True, True, False, True], [1.0] * 4)
    assert (near.value, near.se, near.random_part, near.among_asked) == (0.25, 0.0, None, 0.25)


def test_an_audit_without_a_difference_still_has_an_upper_end() -> None:
    strong = [*STRONG[:100], *CHEAP[100:190], *STRONG[190:]]
    got, rate = disagreement(NEAR, AUDITED, CHEAP, strong, CHANCE), pass_rate(NEAR, AUDITED, CHEAP, strong, CHANCE)
    # None of 90: at most 1 − .025^(1/90) = .040158 of the 900.
    most = 0.9 * (1 - 0.025 ** (1 / 90))
    assert (got.value, got.low, got.high) == pytest.approx((0.03, 0.03, 0.03 + most))
    assert (rate.value, rate.low, rate.high) == pytest.approx((0.855, 0.855 - most, 0.855 + most))


@pytest.mark.parametrize("function", [disagreement, pass_rate])
def test_without_an_audit_or_a_trial_there_is_no_figure(function) -> None:
    got = function(NEAR, [False] * 1000, CHEAP, STRONG, CHANCE)
    assert (got.value, got.low, got.se) == (None, None, None)
    assert got.reason == "none of the 900 trials away from the threshold was audited"
    assert function([], [], [], [], []).reason == "no trial was graded"
    silent = function([True, False], [False, True], [True, True], [None, True], [1.0, 0.5])
    assert silent.reason == "the strong grader has no verdict on the 1 trials near the threshold"
    assert silent.left_out == 1


def test_a_verdict_that_is_missing_is_left_out_and_counted() -> None:
    # The strong grader was asked about two near trials and one audited one, and gave nothing; the cheap one failed once.
    strong = [None, None, *STRONG[2:100], None, *STRONG[101:]]
    cheap = [*CHEAP[:999], None]
    got = disagreement(NEAR, AUDITED, cheap, strong, CHANCE)
    assert (got.trials, got.near, got.audited, got.left_out) == (999, 98, 89, 4)
    # 30 of 98 near, one of the three audited differences is gone: 2 of 89.
    assert got.value == pytest.approx((100 * 30 / 98 + 899 * 2 / 89) / 999)
    assert got.se > 0


@pytest.mark.parametrize(
    "arguments",
    [
        ([False], [True, False], [True], [True], [0.1]),
        ([False], [True], [True], [True], [0.0]),
        ([False], [True], [True], [True], [1.1]),
        ([False], [True], [True], [True], [math.nan]),
    ],
)
def test_what_cannot_be_weighted_is_refused(arguments) -> None:
    with pytest.raises(ValueError, match=r"probability|each trial needs"):
        disagreement(*arguments)
    with pytest.raises(ValueError, match="a confidence"):
        disagreement(*ALL, confidence=1)


def test_both_figures_are_right_on_average_and_their_intervals_cover() -> None:
    # One world of 800 trials; only the draw of the audit varies.
    rng = np.random.default_rng(2)
    near, cheap = rng.random(800) < 0.15, rng.random(800) < 0.8
    strong = np.where(rng.random(800) < np.where(near, 0.4, 0.06), ~cheap, cheap)
    truth = {disagreement: float((cheap != strong).mean()), pass_rate: float(strong.mean())}
    for function, expected in truth.items():
        found = []
        for _ in range(600):
            drawn = rng.random(800) < 0.2
            found.append(function(near, drawn, cheap, strong, np.full(800, 0.2)))
        assert np.mean([each.value for each in found]) == pytest.approx(expected, abs=0.002)
        assert np.mean([each.low <= expected <= each.high for each in found]) == pytest.approx(0.94, abs=0.03)
        assert np.std([each.value for each in found]) == pytest.approx(np.mean([each.se for each in found]), rel=0.1)
