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
from evalkit.stats.simulated import Stratum, alike, case_chances, dropped, expected, power_of, simulate

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


# A third each 1, ½, 0: mean ½ and variance of the shares 1/6. q(1 − q) is to be 1/6 on average, so the spread 1/12:
# λ = √½, and the ends lie ½ ± √½/2.
def test_chances_flake_as_much_as_the_band_says() -> None:
    found = case_chances([[1, 1], [1, 0], [0, 0]], 1 / 6)
    assert found == pytest.approx([0.5 + math.sqrt(0.5) / 2, 0.5, 0.5 - math.sqrt(0.5) / 2])
    assert float((found * (1 - found)).mean()) == pytest.approx(1 / 6)


# All passed, N = 10, R = 3: the floor is w = 3/30 = 0.1, and q(1 − q) = 0.1 has the roots ½ ± √0.6/2.
def test_cases_that_never_flaked_are_taken_to_flake_as_the_floor_allows() -> None:
    assert case_chances([[1] * 3] * 10, 0.1) == pytest.approx([0.5 + math.sqrt(0.6) / 2] * 10)
    assert case_chances([[0] * 3] * 10, 0.1) == pytest.approx([0.5 - math.sqrt(0.6) / 2] * 10)
    assert case_chances([[1] * 3] * 10, 7.0) == pytest.approx([0.5] * 10)
    assert case_chances([[1, 1], [1, 1]], 0.0) == pytest.approx([1, 1])


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=9), st.floats(0, 0.25))
def test_chances_stay_chances_and_keep_the_score_where_it_can_vary_so_much(rows: list[list[bool]], v: float) -> None:
    found, shares = case_chances(rows, v), np.mean(rows, axis=1)
    assert ((found >= 0) & (found <= 1)).all()
    if shares.mean() * (1 - shares.mean()) > v >= (shares * (1 - shares)).mean():
        assert found.mean() == pytest.approx(shares.mean())
        assert (found * (1 - found)).mean() == pytest.approx(v)


def test_a_drop_is_of_the_compared_cases_and_of_none_below_it() -> None:
    assert dropped([1.0, 0.5, 0.0], 0.25) == pytest.approx([0.5, 0.25, 0])
    assert dropped([1.0, 0.5, 0.0], 0.25, 2) == pytest.approx([2 / 3, 1 / 3, 0])
    assert dropped([0.2, 0.2], 0.2) == pytest.approx([0, 0])
    assert dropped([0.1, 0.2], 0.2) is None
    assert dropped([0.0], 0.2) is None


@pytest.mark.parametrize(
    ("strata", "more"),
    [([], {}), ([alike(3, 1.5)], {}), ([alike(3, 0.5, m=4)], {}), ([alike(3, 0.5, m=0)], {}),
     ([alike(3, 0.5)], {"k": 0}), ([alike(3, 0.5)], {"pull_requests": 0}), ([Stratum((0.5,), (0.5, 0.5), 1)], {})],
)  # fmt: skip
def test_what_is_out_of_range_is_refused(strata: Sequence[Stratum], more: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"cannot be compared|at least|lies between"):
        simulate(strata, **{"averaged": 2, **more})  # type: ignore[arg-type]


def test_no_band_is_measured_from_one_repeat() -> None:
    with pytest.raises(NotMeasured, match="two repeats"):
        simulate([alike(3, 0.5)], averaged=1)
    with pytest.raises(NotMeasured, match="no case"):
        case_chances([], 0.1)
    with pytest.raises(ValueError, match="at least 0"):
        case_chances([[1, 0]], -0.1)
