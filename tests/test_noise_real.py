"""Bands of real trials: tau2 retail, 114 tasks played four times by each of three agents, and the agents compared."""

from __future__ import annotations

import csv
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from repeated import repeated_run

from evalkit.bands import bands_of, compared_by, noise_of
from evalkit.stats.noise import drops_out, null_variance
from evalkit.tables import Run

DATA = Path(__file__).parents[2] / "shared/data/tau2_retail_trial_matrices"
ARMS = {
    "steady": "base_gpt5nano_reasoning_high",
    "high": "mermaid_reasoning_high",
    "medium": "mermaid_reasoning_medium",
}
SIZES = (10, 20, 114)


def matrix(arm: str) -> np.ndarray:
    path = DATA / f"{ARMS[arm]}.csv"
    if not path.is_file():
        pytest.skip("the shared data set tau2_retail_trial_matrices is not here")
    with path.open(encoding="utf-8", newline="") as file:
        return np.array([[int(row[f"Trial_{at}"]) for at in range(1, 5)] for row in csv.DictReader(file)])


@pytest.fixture(scope="module")
def played() -> Run:
    """The three arms as one run of k = 1 with four repeats each."""
    arms = {arm: {f"T-{at}": " ".join(map(str, row)) for at, row in enumerate(matrix(arm))} for arm in ARMS}
    return repeated_run({"retail": arms.pop("steady")}, candidates=arms)


# SOURCE.md: of 114 tasks passed by trial 64 63 68 64, 84 85 80 85, 80 82 87 82.
@pytest.mark.parametrize(
    ("arm", "passed"), [("steady", [64, 63, 68, 64]), ("high", [84, 85, 80, 85]), ("medium", [80, 82, 87, 82])]
)
def test_the_trials_are_those_that_were_published(arm: str, passed: list[int]) -> None:
    assert matrix(arm).sum(axis=0).tolist() == passed


# V(114) is the mean squared difference of two trials' sums over 114²: base 2·(1 + 16 + 0 + 25 + 1 + 16)/12, and so on.
@pytest.mark.parametrize("arm", ARMS)
def test_the_band_on_all_tasks_is_counted_from_the_trials_sums(arm: str) -> None:
    sums = matrix(arm).sum(axis=0)
    counted = np.mean([(a - b) ** 2 for a, b in permutations(sums, 2)]) / 114**2
    assert null_variance(matrix(arm), 114) == pytest.approx(counted, rel=1e-12)


# w is 0.0943, 0.0877, 0.0972 of these; 2w/m decides everywhere, since here the trials' sums lie closer than single
# tasks make likely. A single stored repeat, z = 2: 2·√(2w/m); averaged over the four it is √(5/8) = 0.790569 of that.
@pytest.mark.parametrize(
    ("arm", "widths"),
    [("steady", (0.2747, 0.1942, 0.0813)), ("high", (0.2649, 0.1873, 0.0785)), ("medium", (0.2789, 0.1972, 0.0826))],
)
def test_the_bands_of_each_arm_at_each_size(played: Run, arm: str, widths: tuple[float, ...]) -> None:
    for m, width in zip(SIZES, widths, strict=True):
        (found,) = bands_of(played, arm, {"retail": m})
        assert (found.n, found.m, found.repeats, found.k) == (114, m, 4, 1)
        assert found.band.decided == "2w/m"
        assert found.band.value == pytest.approx(width * np.sqrt(5 / 8), abs=5e-5)
        # ± 9 to 12 % of the spread after four repeats of so many tasks: none is missing.
        assert found.achieved.margin == pytest.approx(0.1, abs=0.035)
        assert found.achieved.missing == 0
        assert found.worst is not None
        assert (found.worst.df, found.worst.rate) == (3, pytest.approx(0.0697, abs=5e-5))
        assert found.likely is not None
        assert found.likely.df == pytest.approx(3) if m == 114 else found.likely.df > 60


# Two trials of one agent on the same random tasks: the mean squared difference is V(m), and a drop beyond the band of a
# single stored repeat is about as rare as z = 2 says, 2.3 %.
@pytest.mark.parametrize(("arm", "m"), list(product(ARMS, (10, 20))))
def test_two_trials_of_one_agent_seldom_leave_its_band(arm: str, m: int) -> None:
    rng, trials = np.random.default_rng(7), matrix(arm)
    tasks = np.argsort(rng.random((20_000, 114)), axis=1)[:, :m]
    pairs = np.array(list(permutations(range(4), 2)))[rng.integers(12, size=20_000)]
    deltas = (trials[tasks, pairs[:, :1]] - trials[tasks, pairs[:, 1:]]).mean(axis=1)
    assert (deltas**2).mean() == pytest.approx(null_variance(trials, m), rel=0.05)
    width = 2 * np.sqrt(null_variance(trials, m))
    assert 0.005 < np.mean([drops_out(delta, width) for delta in deltas]) < 0.045


# Averages over four trials: base 0.5680, high 0.7325, medium 0.7259. From high to medium is a drop of 0.0066, to base
# one of 0.1645; the bands of high, averaged over four: 0.0620 at 114, 0.1481 at 20, 0.2094 at 10.
def test_the_arms_compared(played: Run) -> None:
    high, medium, base = (matrix(arm) for arm in ("high", "medium", "steady"))
    for m, width in zip(SIZES, (0.2094, 0.1481, 0.0620), strict=True):
        (found,) = bands_of(played, "high", {"retail": m})
        assert found.band.value == pytest.approx(width, abs=5e-5)
        assert not drops_out(medium.mean() - high.mean(), found.band.value)
        assert drops_out(base.mean() - high.mean(), found.band.value) == (m > 10)
    # One trial of a candidate against the four of the baseline, as a gate does: no trial of medium is blocked, each of
    # base is, on all tasks.
    (whole,) = bands_of(played, "high")
    assert whole.band.value is not None
    assert [drops_out(each - high.mean(), whole.band.value) for each in medium.mean(axis=0)] == [False] * 4
    assert [drops_out(each - high.mean(), whole.band.value) for each in base.mean(axis=0)] == [True] * 4


def test_twenty_points_are_seen_on_all_tasks_and_not_on_ten(played: Run) -> None:
    ten, whole = (noise_of(played, "high", compared_by(played.suite, m=m)) for m in (10, 114))
    assert (len(ten.seeing(0.2)), len(whole.seeing(0.2))) == (0, 1)
    assert ten.luck is not None
    assert whole.luck is not None
    # One stratum: below Φ(−2) = 2.3 % at one look, a tenth of it after the rerun.
    assert whole.luck.once == pytest.approx(0.0228, abs=0.006)
    assert whole.luck.rerun < whole.luck.once / 5
