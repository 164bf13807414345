"""Pull requests played by chance: the gate's pieces block as often as the formulas say, and wrong bands do not."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import NotMeasured
from evalkit.stats import false_blocks, noise, simulated
from evalkit.stats.intervals import Interval
from evalkit.stats.simulated import Stratum, alike, at_worst, expected, fallen_to, flaking, power_of, simulate

# statistics.md B4: a trial passes with 0.95, a case with 0.95³ = 0.857375; ten cases are compared.
Q = 0.95**3
KNOWN = 0.312772
SIGMAS = 4


def off_by(found: Interval, says: float) -> float:
    """How many standard errors of the predicted share the simulated one lies away from it."""
    assert found.value is not None
    return abs(found.value - says) / math.sqrt(says * (1 - says) / found.n)


def twelve(band: float | None, **more: float) -> list[Stratum]:
    return [alike(10, Q, band=band, **more)] * 12


# B4: P(Δ ≤ −0.4) = 0.0122418 a stratum, 1 − (1 − p)^12 = 0.1374; the seed's 0.2 gives 0.0519732 and 0.4730. Averaged
# over five repeats the band is √(3/5) = 0.7746 of that for one.
@pytest.mark.parametrize(
    ("band", "averaged", "once", "rerun"),
    [
        (KNOWN, 1, 0.1374, 0.0049),
        (0.2, 1, 0.4730, None),
        (KNOWN * math.sqrt(3 / 5), 5, None, 0.018),
        (KNOWN * math.sqrt(2 / 3), 3, None, None),
    ],
)
def test_nothing_changed_is_blocked_as_often_as_predicted(
    band: float, averaged: int, once: float | None, rerun: float | None
) -> None:
    found = simulate(twelve(band), averaged=averaged, pull_requests=4000, seed=1)
    says = expected(twelve(band), averaged=averaged)
    assert says[0] == pytest.approx(once or says[0], abs=5e-4)
    assert says[1] == pytest.approx(rerun or says[1], abs=5e-4)
    assert off_by(found.once, says[0]) < SIGMAS
    assert off_by(found.rerun, says[1]) < SIGMAS
    for shares in found.by_stratum:
        assert off_by(shares[0], power_of(twelve(band)[0], averaged=averaged)[0]) < SIGMAS


# B4: 0.95 → 0.85 a trial is 0.287 at one look and 0.118 after the rerun at m = 10, 0.556/0.365 at 20, 0.804/0.679 at 40;
# over five repeats 0.477/0.246 at 10 and 0.934/0.874 at 40.
@pytest.mark.parametrize(
    ("m", "averaged", "once", "rerun"),
    [(10, 1, 0.287, 0.118), (20, 1, 0.556, 0.365), (40, 1, 0.804, 0.679), (10, 5, 0.477, 0.246), (40, 5, 0.934, 0.874)],
)
def test_a_true_drop_is_caught_as_often_as_predicted(m: int, averaged: int, once: float, rerun: float) -> None:
    band = false_blocks.exact(m, 0.95, 3, averaged=averaged).band
    fallen = [alike(m, Q, 0.85**3, band=band)]
    found = simulate(fallen, averaged=averaged, pull_requests=4000, seed=2)
    assert expected(fallen, averaged=averaged) == pytest.approx((once, rerun), abs=5e-4)
    assert off_by(found.once, once) < SIGMAS
    assert off_by(found.rerun, rerun) < SIGMAS


def test_a_drop_of_twenty_points_is_caught_as_often_as_predicted() -> None:
    fallen = [alike(10, Q, Q - 0.2, band=KNOWN)]
    found = simulate(fallen, pull_requests=4000, seed=3)
    once, rerun = expected(fallen)
    # P(Δ ≤ −0.4) with 0.857 → 0.657, counted over all pairs of counts.
    pairs = [(b, c) for b in range(11) for c in range(11) if b - c >= 4]
    counted = sum(_binomial(10, b, Q) * _binomial(10, c, Q - 0.2) for b, c in pairs)
    assert once == pytest.approx(counted, abs=1e-12)
    assert off_by(found.once, once) < SIGMAS
    assert off_by(found.rerun, rerun) < SIGMAS


def _binomial(n: int, k: int, p: float) -> float:
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)


# B4: scores in place of differences are √2 short, 0.626 over twelve; N = 100 at m = 10 is √(10/100) of it, 0.9745.
@pytest.mark.parametrize("wrong", [math.sqrt(1 / 2), math.sqrt(10 / 100)])
def test_a_wrong_band_is_not_what_the_right_one_predicts(wrong: float) -> None:
    right, found = twelve(KNOWN), simulate(twelve(KNOWN * wrong), seed=4)
    assert all(
        off_by(share, says) > 3 * SIGMAS for share, says in zip((found.once, found.rerun), expected(right), strict=True)
    )
    assert off_by(found.once, expected(twelve(KNOWN * wrong))[0]) < SIGMAS


@pytest.mark.parametrize("wrong", ["the root of two is lacking", "the full suite's number of cases"])
def test_an_error_in_the_gates_own_band_would_show(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # 60 repeats know the spread as well as they need; each of 100 cases flakes, so chance adds little.
    worlds = [alike(100, Q, m=10)] * 12
    says = expected(twelve(None), averaged=60)
    right = simulate(worlds, averaged=60, pull_requests=300, seed=5)
    assert off_by(right.once, says[0]) < SIGMAS

    def short(passed: np.ndarray, m: int, **more: float) -> noise.NoiseBand:
        if wrong == "the full suite's number of cases":
            return noise.band(passed, len(passed), **more)  # type: ignore[arg-type]
        return noise.band(passed, m, **{**more, "z": more["z"] / math.sqrt(2)})  # type: ignore[arg-type]

    monkeypatch.setattr(simulated, "band", short)
    assert off_by(simulate(worlds, averaged=60, pull_requests=300, seed=5).once, says[0]) > 2 * SIGMAS


def test_an_error_at_the_edge_would_show(monkeypatch: pytest.MonkeyPatch) -> None:
    # A band of 0.3 is three cases of ten: with a mere `<` on floats some drops of three would block, too.
    right = simulate(twelve(0.3), seed=6)
    assert off_by(right.once, expected(twelve(0.3))[0]) < SIGMAS
    monkeypatch.setattr(simulated, "drops_out", lambda delta, width: delta <= -width + 1e-9)
    assert off_by(simulate(twelve(0.3), seed=6).once, expected(twelve(0.3))[0]) > 2 * SIGMAS


def test_bands_from_few_repeats_block_more_often_than_known_ones() -> None:
    worlds, known = [alike(30, Q, m=10)] * 12, twelve(None)
    few = simulate(worlds, averaged=3, seed=7)
    many = simulate(worlds, averaged=40, pull_requests=500, seed=7)
    assert few.rerun.low is not None
    assert few.rerun.low > expected(known, averaged=3)[1]
    assert off_by(many.once, expected(known, averaged=40)[0]) < SIGMAS


# With cases unlike one another the case effect cancels: what is predicted takes each case's own chance.
def test_cases_of_unlike_chances_are_predicted_too() -> None:
    chances = (1.0, 1.0, 0.9, 0.7, 0.5, 0.2, 0.0, 0.95)
    own = [Stratum(chances, chances, 6, 0.3), Stratum(chances, tuple(c * 0.7 for c in chances), 8, 0.25)]
    found = simulate(own, k=2, averaged=2, pull_requests=4000, seed=8)
    for shares, each in zip(found.by_stratum, own, strict=True):
        for share, says in zip(shares, power_of(each, averaged=2), strict=True):
            assert off_by(share, says) < SIGMAS
    assert off_by(found.once, expected(own, averaged=2)[0]) < SIGMAS


def test_the_same_seed_gives_the_same_shares_and_another_others() -> None:
    worlds = [alike(12, 0.8, m=6)] * 2
    first = simulate(worlds, averaged=3, pull_requests=200, seed=9)
    assert first == simulate(worlds, averaged=3, pull_requests=200, seed=9)
    assert first != simulate(worlds, averaged=3, pull_requests=200, seed=10)
    # One stratum more leaves the luck of those before it as it was.
    assert simulate([*worlds, worlds[0]], averaged=3, pull_requests=200, seed=9).by_stratum[:2] == first.by_stratum


# Given the stored baseline only the candidate's luck is left: P(Bin(6, 0.8) ≤ 3) = 0.09888 at 1.00 with a band of 0.385,
# and its square at both looks. Averaged over what 0.8 could have stored it is another chance.
def test_a_stored_baseline_is_not_played_anew() -> None:
    stored = [Stratum((0.99,) * 6, (0.8,) * 6, 6, 0.3849, 1.0)]
    once = sum(_binomial(6, passed, 0.8) for passed in range(4))
    assert once == pytest.approx(0.09888, abs=5e-6)
    assert power_of(stored[0], averaged=3) == pytest.approx((once, once**2))
    found = simulate(stored, averaged=3, pull_requests=20_000, seed=11)
    assert off_by(found.once, once) < SIGMAS
    assert off_by(found.rerun, once**2) < SIGMAS
    anew = [Stratum((0.8,) * 6, (0.8,) * 6, 6, 0.3849)]
    assert off_by(found.once, power_of(anew[0], averaged=3)[0]) > 2 * SIGMAS


# 3, 0, 2 and 1 of 3: the variances are 0, 0, 1/3 and 1/3, so w = 1/6; μ = ½, and the mean weighs (1/6)/(1/4 − 1/6) = 2.
def test_the_flake_rate_is_pooled_and_draws_each_case_towards_all() -> None:
    found = flaking([3, 0, 2, 1], [3, 3, 3, 3])
    assert (found.rate, found.mean, found.weight) == pytest.approx((1 / 6, 1 / 2, 2.0))
    assert found.chance([3, 0, 2], [3, 3, 3]) == pytest.approx([4 / 5, 1 / 5, 3 / 5])
    # Of 12 repeats the own ones weigh more.
    assert found.chance(12, 12) == pytest.approx(13 / 14)
    # Cases that were never repeated say nothing of flakes.
    assert flaking([3, 0, 2, 1, 1], [3, 3, 3, 3, 1]) == found


def test_where_nothing_flaked_a_case_keeps_its_share_and_where_all_is_luck_it_has_the_mean() -> None:
    assert flaking([3, 3, 0], [3, 3, 3]).chance([3, 0], [3, 3]).tolist() == [1, 0]
    assert flaking([2, 2], [2, 2]).chance([2], [2]).tolist() == [1]
    # 1 of 2 twice: w = ½ is more than μ(1 − μ) = ¼.
    assert flaking([1, 1], [2, 2]).chance([2, 0], [2, 2]).tolist() == [0.5, 0.5]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=9))
def test_chances_stay_chances_in_the_order_of_what_was_seen(passed: list[int]) -> None:
    found = flaking(passed, [4] * len(passed))
    chances = found.chance(sorted(passed), [4] * len(passed))
    assert ((chances >= 0) & (chances <= 1)).all()
    assert (np.diff(chances) >= 0).all()


# f(1 − f) = 3/16 has the root f = ¼. A case is not taken to pass more often than it did, nor than is likely.
def test_at_worst_cases_fail_as_much_more_often_as_a_variance_allows() -> None:
    assert at_worst([1, 0.5, 0], [0.99, 0.5, 0.01], 3 / 16) == pytest.approx([0.75, 0.25, 0])
    assert at_worst([1], [0.6], 3 / 16) == pytest.approx([0.6])
    assert at_worst([1], [1], 7.0) == pytest.approx([0.5])
    with pytest.raises(ValueError, match="at least 0"):
        at_worst([1], [1], -0.1)


def test_a_fault_lowers_all_in_proportion_to_the_score_that_is_said() -> None:
    assert fallen_to([1.0, 0.5, 0.0], 0.25) == pytest.approx([0.5, 0.25, 0])
    assert fallen_to([0.99] * 6, 0.8) == pytest.approx([0.8] * 6)
    assert fallen_to([0.2, 0.2], 0.0) == pytest.approx([0, 0])
    # Upwards the chances to fail shrink: 0.5 and 1 by half.
    assert fallen_to([0.5, 0.0], 0.625) == pytest.approx([0.75, 0.5])
    assert fallen_to([0.0, 0.0], 0.0) == pytest.approx([0, 0])
    with pytest.raises(ValueError, match="lies between"):
        fallen_to([0.5], 1.2)


@pytest.mark.parametrize(
    ("strata", "more"),
    [([], {}), ([alike(3, 1.5)], {}), ([alike(3, 0.5, m=4)], {}), ([alike(3, 0.5, m=0)], {}),
     ([alike(3, 0.5)], {"k": 0}), ([alike(3, 0.5)], {"pull_requests": 0}), ([Stratum((0.5,), (0.5, 0.5), 1)], {}),
     ([Stratum((0.5,), (0.5,), 1, None, 0.5)], {}), ([Stratum((0.5,), (0.5,), 1, 0.3, 1.5)], {})],
)  # fmt: skip
def test_what_is_out_of_range_is_refused(strata: Sequence[Stratum], more: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"cannot be compared|at least|lies between"):
        simulate(strata, **{"averaged": 2, **more})  # type: ignore[arg-type]


def test_no_band_is_measured_from_one_repeat() -> None:
    with pytest.raises(NotMeasured, match="two repeats"):
        simulate([alike(3, 0.5)], averaged=1)
    with pytest.raises(NotMeasured, match="no case was repeated"):
        flaking([1, 0], [1, 1])
    with pytest.raises(ValueError, match="from none to all"):
        flaking([4], [3])
