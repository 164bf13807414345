"""The bands of a run: repeats read block by block, the cases compared, and what a gate would see of each stratum."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest
from click.testing import Result
from repeated import repeated_run
from typer.testing import CliRunner

from evalkit.bands import (
    bands_of,
    baseline_of,
    cases_needed,
    compared_by,
    curve,
    must_pass_of,
    noise_of,
    repeat_matrix,
    self_check,
    span_of,
    unmeasured,
    usual,
)
from evalkit.bands.measuring import NOT_DRAWN
from evalkit.cli import app
from evalkit.errors import CaseError, ShootoutError
from evalkit.stats import false_blocks
from evalkit.stats.noise import band, drops_out
from evalkit.tables import Run

# Example A of statistics.md B5, with k = 2: a repeat passes where both its trials do.
PASSED, FAILED = "11", "01"
A = ["11111", "11101", "11101", "10101", "11110", "01000"]


def written(rows: list[str], name: str = "C") -> dict[str, str]:
    return {f"{name}-{at}": " ".join(PASSED if each == "1" else FAILED for each in row) for at, row in enumerate(rows)}


def example(**more: object) -> Run:
    return repeated_run({"orders": written(A)}, **more)  # type: ignore[arg-type]


def test_a_repeat_passes_where_all_its_trials_do() -> None:
    ids, rows = repeat_matrix(example(), "steady", "orders")
    assert ids == ("C-0", "C-1", "C-2", "C-3", "C-4", "C-5")
    assert rows == [[int(each) for each in row] for row in A]
    assert repeat_matrix(example(), "steady", "unknown") == ((), [])


# Example A at m = 3: 2√(67/450) = 0.771722, and √(3/5) of it for a baseline averaged over five: 0.597773. Its score is
# the mean of 5, 4, 4, 3, 4, 1 of 5: 0.7.
def test_the_band_is_that_of_the_statistics_at_the_compared_cases() -> None:
    (found,) = bands_of(example(), m={"orders": 3})
    assert found.band.value == pytest.approx(0.597773, abs=1e-6)
    assert found.band.value == pytest.approx(0.771722 * math.sqrt(3 / 5), abs=1e-6)
    assert (found.n, found.m, found.repeats, found.k) == (6, 3, 5, 2)
    assert found.whole.value == band([[int(each) for each in row] for row in A], 6, averaged=5).value
    assert found.score.value == pytest.approx(0.7)
    assert found.worst is not None
    assert (found.worst.rate, found.worst.multiplier) == pytest.approx((0.0581, 2.869), abs=5e-5 * 10)


def test_z_is_the_suites_and_the_callers_goes_before() -> None:
    run = example(settings="name: handmade\ngate: {z: 3}")
    assert bands_of(run)[0].band.z == 3
    assert bands_of(run, z=1)[0].band.value == pytest.approx((bands_of(run)[0].band.value or 0) / 3)


def test_fewer_than_two_repeats_are_not_measured() -> None:
    found = noise_of(repeated_run({"orders": {"A-1": "11", "A-2": "10"}}))
    assert found.luck is None
    assert found.why == "a band needs two repeats of the baseline, and there is one"
    (only,) = found.strata
    assert (only.band.value, only.sights, only.worst, only.sees_nothing) == (None, (), None, False)
    assert only.score.value == 0.5
    assert cases_needed(only, 0.2, 0.8) is None
    assert curve(only, [0, 0.1]) == []


@pytest.mark.parametrize(
    ("trials", "why"),
    [
        ("11 1e", "repeat 2 trial 4: error"),
        ("n1 11", "repeat 1 trial 1: not_run"),
        ("11 e1", "repeat 2 trial 3: error"),
    ],
)
def test_a_case_that_a_repeat_did_not_measure_is_left_out_and_named(trials: str, why: str) -> None:
    run = repeated_run({"orders": {"A-1": "11 11", "A-2": trials, "A-3": "11 01"}})
    assert repeat_matrix(run, "steady", "orders") == (("A-1", "A-3"), [[1, 1], [1, 0]])
    assert unmeasured(run, "steady", "orders") == {"A-2": why}
    (found,) = bands_of(run)
    assert (found.n, found.m, found.left_out) == (2, 2, {"A-2": why})
    assert found.band.value is not None


def test_a_failed_trial_beside_one_that_was_not_measured_is_no_fail() -> None:
    run = repeated_run({"orders": {"A-1": "11 11", "A-2": "0e 11"}})
    assert unmeasured(run, "steady", "orders") == {"A-2": "repeat 1 trial 2: error"}


SAMPLED = "name: handmade\nsamples: {pr: {draw: 2, seed: 1}}"


def test_a_case_of_the_sample_that_was_not_measured_leaves_its_stratum_not_measured() -> None:
    whole = repeated_run({"orders": {f"A-{at}": "11 11" for at in range(4)}}, settings=SAMPLED)
    drawn = compared_by(whole.suite, "pr").cases
    assert drawn is not None
    assert len(drawn) == 2
    inside, outside = sorted(drawn)[0], min({f"A-{at}" for at in range(4)} - drawn)
    for lost, measured in ((inside, False), (outside, True)):
        cases = {f"A-{at}": "11 1e" if f"A-{at}" == lost else "11 11" for at in range(4)}
        run = repeated_run({"orders": cases}, settings=SAMPLED)
        (found,) = bands_of(run, m=compared_by(run.suite, "pr"))
        assert (found.band.value is not None) == measured
        assert found.m == 2
        if not measured:
            assert found.band.reason == f"not measured: {lost}, repeat 2 trial 4: error"


def test_nothing_but_gaps_says_which() -> None:
    (found,) = bands_of(repeated_run({"orders": {"A-1": "11 1e"}}))
    assert found.band.reason == "not measured: A-1, repeat 2 trial 4: error"
    assert found.score.value is None


def test_a_stratum_that_the_sample_leaves_out_has_no_band_there_and_one_on_all() -> None:
    settings = "name: handmade\nsamples: {pr: {draw: 3, strata: [orders]}}"
    run = repeated_run({"orders": {"A-1": "11 11"}, "account": {"B-1": "11 01", "B-2": "11 11"}}, settings=settings)
    orders, account = bands_of(run, m=compared_by(run.suite, "pr"))
    assert orders.band.value is not None
    assert (account.band.value, account.band.reason, account.m) == (None, f"not measured: {NOT_DRAWN}", 0)
    assert account.whole.value is not None
    luck = noise_of(run, None, compared_by(run.suite, "pr")).luck
    assert luck is not None
    assert luck.strata == 1


def test_the_drawn_cases_own_score_and_chances_count() -> None:
    cases = {"A-1": "11 11", "A-2": "11 11", "A-3": "00 00", "A-4": "11 01"}
    run = repeated_run({"orders": cases}, settings=SAMPLED)
    compared = compared_by(run.suite, "pr")
    (found,) = bands_of(run, m=compared)
    shares = {"A-1": 1, "A-2": 1, "A-3": 0, "A-4": 0.5}
    assert compared.cases is not None
    assert found.compared == pytest.approx(sum(shares[name] for name in compared.cases) / 2)
    plays = found.sights[0].plays
    assert plays is not None
    assert (len(plays.before), plays.m) == (4, 2)


def test_what_is_compared_is_said_and_the_page_falls_back_on_a_number() -> None:
    suite = example(settings=SAMPLED).suite
    assert compared_by(suite).says == "all cases of each stratum"
    assert compared_by(suite, "pr", 4).most == 4
    assert usual(suite, "pr", 10, suite.by_id).says == "the sample “pr” of suite.yaml (2 cases)"
    assert usual(suite, "nightly", 10, suite.by_id).most == 10
    # What was not played is no baseline of the sample.
    assert usual(suite, "pr", 10, {*suite.by_id} - {max(compared_by(suite, "pr").cases)}).most == 10
    with pytest.raises(CaseError, match="no sample nightly; under `samples:` it has pr"):
        compared_by(suite, "nightly")
    with pytest.raises(CaseError, match="at least 1; 0 is fewer"):
        compared_by(suite, m=0)


def test_more_cases_asked_for_than_there_are_compare_all() -> None:
    run = example()
    assert bands_of(run, m=compared_by(run.suite, m=50))[0].m == 6


def test_the_baseline_is_meant_and_another_candidate_where_it_is_named() -> None:
    run = repeated_run({"orders": {"A-1": "11 11"}}, candidates={"bold": {"A-1": "11"}})
    assert baseline_of(run) == "steady"
    assert baseline_of(run, "bold") == "bold"
    assert noise_of(run, "bold").repeats == 1
    with pytest.raises(ShootoutError, match="no candidate timid; it has: steady, bold"):
        baseline_of(run, "timid")
    nobody = replace(run, manifest={**run.manifest, "baseline": None})
    with pytest.raises(ShootoutError, match="names no baseline"):
        baseline_of(nobody)


def test_what_a_gate_had_played_anew_is_no_repeat() -> None:
    run = repeated_run(
        {"orders": {"A-1": "11 11"}},
        candidates={"bold": {"A-1": "00 11"}},
        manifest={"reruns": {"bold": {"orders": 1}}},
    )
    assert repeat_matrix(run, "bold", "orders") == (("A-1",), [[0]])
    assert noise_of(run, "bold").repeats == 1


def test_the_repeats_cover_the_time_between_the_first_and_the_last_trial() -> None:
    span = span_of(example(apart=timedelta(hours=5)), "steady")
    assert span is not None
    assert (span.length, span.trials, span.of) == (timedelta(hours=20), 60, 60)
    assert (span.first, span.last) == ("2026-11-02T10:00:00+00:00", "2026-11-03T06:00:00+00:00")
    undated = example()
    bare = [
        tuple((slot, trial and replace(trial, started="")) for slot, trial in part)
        for part in (undated.pairs, undated.later)
    ]
    assert span_of(replace(undated, pairs=bare[0], later=bare[1]), "steady") is None


# Two cases that always pass, R = 2: the floor is w = 3/4, variance 2·(3/4)/2 = 3/4, the factor √(3/4): 2·0.75 = 1.5.
def test_a_band_that_reaches_the_score_sees_nothing() -> None:
    (found,) = bands_of(repeated_run({"orders": {"A-1": "11 11", "A-2": "11 11"}}))
    assert (found.band.value, found.band.decided) == (pytest.approx(1.5), "floor")
    assert found.sees_nothing
    # A band of 0.4 would see a fall from 0.7, and none from 0.4.
    (wide,) = bands_of(example())
    assert not wide.sees_nothing
    assert replace(wide, compared=wide.band.value).sees_nothing
    assert replace(wide, compared=(wide.band.value or 0) + 0.01).sees_nothing is False


# Two cases of six flake: 3 of 5 repeats have the variance 3·2/(5·4) = 0.3, 4 of 5 have 4·1/20 = 0.2, so w = 0.5/6, and
# the mean is μ = 17/30: the weight of the mean is w/(μ(1 − μ) − w) = 75/146 repeats.
def test_each_case_has_its_own_chance_drawn_towards_all_by_the_flakes_that_were_seen() -> None:
    rows = ["11111", "11111", "10101", "00000", "01111", "00000"]
    (found,) = bands_of(repeated_run({"orders": written(rows)}))
    assert found.band.pooled == pytest.approx(2 * (0.5 / 6) / 6)
    quiet = found.sights[0].plays
    assert quiet is not None
    assert (quiet.band, quiet.stored) == (found.band.value, pytest.approx(17 / 30))
    weight = 75 / 146
    chances = [(passed + weight * 17 / 30) / (5 + weight) for passed in (5, 5, 3, 0, 4, 0)]
    assert sorted(quiet.before) == pytest.approx(sorted(chances))
    # Counted over all 2⁶ outcomes of the candidate; the baseline's score is known.
    for sight, mean in zip(found.sights[1:], (17 / 30 - 0.1, 17 / 30 - 0.2), strict=True):
        fallen = [each * mean / (sum(chances) / 6) for each in chances]
        once = sum(
            math.prod(q if won else 1 - q for q, won in zip(fallen, outcome, strict=True))
            for outcome in product((0, 1), repeat=6)
            if drops_out(sum(outcome) / 6 - 17 / 30, found.band.value)
        )
        assert sight.looks is not None
        assert (sight.looks.once, sight.looks.rerun) == pytest.approx((once, once**2))


# Refunds: 6 cases that passed all of 3 repeats, band 0.3849. The candidate's score moves in sixths: 0.50 is the least
# drop that leaves it. At 0.8 each, P(Bin(6, 0.8) ≤ 3) = 0.09888, and 0.00978 at both looks, since the baseline is stored.
def test_the_least_drop_and_the_power_are_those_against_the_stored_baseline() -> None:
    cases = {"refunds": {f"R-{at}": "11 11 11" for at in range(6)}, "other": {"O-1": "11 11 01", "O-2": "11 00 11"}}
    refunds = bands_of(repeated_run(cases))[0]
    assert refunds.band.value == pytest.approx(0.3849, abs=5e-5)
    assert refunds.least == pytest.approx(0.5)
    caught = refunds.sight(0.2)
    assert caught is not None
    assert (caught.once, caught.rerun) == pytest.approx((0.09888, 0.00978), abs=5e-6)
    # 14 of 21 passes of 7 cases, band 0.252: 0.667 − 2/7 is the least. 4 of 21: none does.
    seven = replace(refunds, m=7, band=replace(refunds.band, value=0.252), compared=14 / 21)
    assert seven.least == pytest.approx(0.381, abs=5e-4)
    assert replace(seven, compared=4 / 21).least is None
    # A drop as large as the band stays inside: 2/6.
    assert replace(refunds, band=replace(refunds.band, value=1 / 3)).least == pytest.approx(0.5)


# Of four of six cases with 17 of 30 passes only the number is known: 11.33 of 20 are nearest to 11 of 20.
def test_a_score_of_cases_of_which_only_the_number_is_known_is_one_that_they_can_have() -> None:
    rows = ["11111", "11111", "10101", "00000", "01111", "00000"]
    assert bands_of(repeated_run({"orders": written(rows)}), m={"orders": 4})[0].compared == pytest.approx(11 / 20)
    (found,) = bands_of(repeated_run({"orders": written(rows)}), m={"orders": 3})
    # Spread evenly over the order of their shares 0 0 3 4 5 5: the second, the fourth and the sixth.
    assert found.sights[0].plays is not None
    weight = 75 / 146
    chances = [(passed + weight * 17 / 30) / (5 + weight) for passed in (0, 4, 5)]
    assert found.sights[0].plays.before[:3] == pytest.approx(chances)


# 10 cases, R = 3: the floor is w = 3/30 = 0.1, and f(1 − f) = 0.1 has the root f = ½ − √0.6/2: so often each may fail.
def test_at_most_every_case_fails_as_much_more_often_as_its_band_allows() -> None:
    (still,) = bands_of(repeated_run({"orders": {f"A-{at}": "11 11 11" for at in range(10)}}))
    assert still.most is not None
    assert still.most.plays is not None
    assert still.most.plays.after == pytest.approx((0.5 + math.sqrt(0.6) / 2,) * 10)
    # Nothing flaked, so nothing blocks by what was seen; the bound is another thing.
    assert (still.sight(0.0).once, still.sight(0.0).rerun) == (0, 0)
    assert still.most.looks is not None
    assert still.most.looks.once > 0
    (found,) = bands_of(example())
    assert found.most is not None
    assert found.most.looks.once >= found.sight(0.0).once > 0
    assert found.most.looks.rerun == pytest.approx(found.most.looks.once**2)


def test_a_case_of_a_still_stratum_is_given_what_flaked_elsewhere() -> None:
    still = {f"A-{at}": "11 11 11" for at in range(10)}
    found = noise_of(repeated_run({"still": still, "flaky": {"B-1": "11 01 11", "B-2": "00 00 01"}}))
    # One variance of 1/3 in 12 cases; the mean is 32/36.
    assert found.flaking is not None
    assert (found.flaking.rate, found.flaking.mean) == pytest.approx((1 / 36, 32 / 36))
    plays = found.strata[0].sights[0].plays
    assert plays is not None
    weight = (1 / 36) / (32 * 4 / 36**2 - 1 / 36)
    assert plays.before == pytest.approx(((3 + weight * 32 / 36) / (3 + weight),) * 10)


def test_a_drop_deeper_than_the_score_has_no_chance() -> None:
    rows = ["100", "000", "000", "000", "000", "010", "000", "000", "000", "000", "000", "000"]
    (found,) = bands_of(repeated_run({"orders": written(rows)}))
    assert found.sees_nothing
    assert found.least is None
    # What sees nothing blocks nothing, whatever the drop.
    for drop in (0.0, 0.1, 0.2):
        assert (found.sight(drop).once, found.sight(drop).rerun) == (0, 0)
    assert cases_needed(found, 0.2, 0.8) is None
    (low,) = bands_of(repeated_run({"orders": {f"C-{at}": "11 11" if at < 15 else "00 00" for at in range(100)}}))
    assert not low.sees_nothing
    assert (low.sight(0.1) is None, low.sight(0.2)) == (False, None)
    assert cases_needed(low, 0.2, 0.8) is None


# At 80 % after the rerun one look catches √0.8 = 0.8944 of drops: 1.2503 standard errors of the fallen candidate more
# than the band. Both shrink with the root of the cases, so at their number the drop is as large as both.
def test_so_many_cases_would_catch_a_drop() -> None:
    (found,) = bands_of(example())
    needed = cases_needed(found, 0.2, 0.8)
    assert needed is not None
    after = found.sights[2].plays.after
    sd = math.sqrt(sum(each * (1 - each) for each in after) / 6)
    both = [found.band.value * math.sqrt(6 / n) + 1.2503 * sd / math.sqrt(n) for n in (needed, needed - 1)]
    assert both[0] <= 0.2 < both[1]


def test_the_chance_that_some_stratum_blocks_is_counted_over_the_strata() -> None:
    run = repeated_run({"orders": written(A), "account": written(A[:4], "D")})
    found = noise_of(run)
    luck = found.luck
    assert luck is not None
    looks = [each.sight(0.0) for each in found.strata]
    assert luck.once == pytest.approx(1 - math.prod(1 - each.once for each in looks if each))
    assert luck.rerun == pytest.approx(1 - math.prod(1 - each.rerun for each in looks if each))
    most = [each.most.looks for each in found.strata]
    assert luck.most_once == pytest.approx(1 - math.prod(1 - each.once for each in most))
    assert luck.most_rerun == pytest.approx(1 - math.prod(1 - each.rerun for each in most))
    assert luck.most_rerun > luck.rerun
    assert (luck.strata, luck.z, luck.rho) == (2, 2.0, pytest.approx(1 / 6))
    assert luck.curve_once == pytest.approx(false_blocks.family(2))
    assert luck.curve_rerun == pytest.approx(false_blocks.family(2, 1 / 6))
    # P(t₄ < −2) = 0.0581 a stratum.
    assert luck.worst == pytest.approx(1 - (1 - 0.0581) ** 2, abs=2e-4)
    assert luck.z_once == pytest.approx(false_blocks.z_for(2))


def flagged(cases: dict[str, str], settings: str = "name: handmade") -> Run:
    """A run all of whose cases must pass."""
    run = repeated_run({"orders": cases}, settings=settings)
    for case in run.suite.active:
        object.__setattr__(case, "must_pass", True)
    return run


# Three repeats of k = 2. A-0 fails all six trials and blocks always; A-1 fails one of six; none. Those two
# pass all 12 trials with Π p⁶, no less than 0.05, so a pull request's with 0.05^(1/3) or more. A-1's chance to fail is
# at most Clopper and Pearson's u with P(Bin(6, u) ≤ 1) = 0.05: u = 0.5818.
def test_must_pass_cases_that_always_fail_block_and_the_others_by_luck() -> None:
    found = noise_of(flagged({"A-0": "00 00 00", "A-1": "11 01 11", "A-2": "11 11 11", "A-3": "11 11 11"})).must_pass
    assert (found.cases, found.always, found.sometimes, found.others) == (4, ("A-0",), ("A-1",), 3)
    u = 0.58180
    assert (1 - u) ** 6 + 6 * u * (1 - u) ** 5 == pytest.approx(0.05, abs=1e-4)
    assert found.most == pytest.approx(1 - 0.05 ** (1 / 3) * (1 - u) ** 2, abs=1e-4)
    # By what was seen: one case passes five of six trials, two at a time; the others never failed.
    assert found.likely == pytest.approx(1 - (5 / 6) ** 2)


def test_must_pass_cases_outside_the_sample_or_in_quarantine_are_not_counted() -> None:
    run = flagged({f"A-{at}": "11 11" for at in range(4)}, SAMPLED)
    compared = compared_by(run.suite, "pr")
    # The draw holds all must-pass cases; of two that are compared two count.
    two = replace(compared, cases=frozenset({"A-0", "A-3"}))
    assert must_pass_of(run, "steady", two).cases == 2
    object.__setattr__(run.suite, "quarantine", {"A-3": None})
    kept = must_pass_of(run, "steady", two)
    assert (kept.cases, kept.quarantined, kept.others) == (1, ("A-3",), 1)
    assert (kept.likely, kept.most) == pytest.approx((0.0, 1 - 0.05 ** (1 / 2)))


def test_the_command_says_what_must_pass_cases_add(monkeypatch: pytest.MonkeyPatch) -> None:
    run = flagged({"A-0": "00 00 00", "A-1": "11 01 11", "A-2": "11 11 11", "A-3": "11 11 11"})
    monkeypatch.setattr("evalkit.runs.load_run", lambda name, store: run)
    said = called("whatever").output
    found = noise_of(run).must_pass
    assert "must-pass cases compared: 4, of which 2 failed a trial of the baseline" in said
    assert "failed every trial, so that every pull request is blocked: A-0" in said
    assert "failed some of their trials: A-1" in said
    shares = f"{100 * found.likely:.1f} % by the flakes that were seen of them, at most {100 * found.most:.1f} %"
    assert f"some of the 3 that passed a trial blocks by luck: {shares}" in said
    told = json.loads(called("whatever", "--json").output)["must_pass"]
    assert (told["cases"], told["always"], told["sometimes"], told["others"]) == (4, ["A-0"], ["A-1"], 3)
    assert (told["likely"], told["most"]) == (found.likely, found.most)


def test_without_must_pass_cases_strata_alone_block() -> None:
    found = noise_of(example())
    assert (found.must_pass.cases, found.must_pass.likely, found.must_pass.most) == (0, 0, 0)
    assert found.by_luck == pytest.approx((found.luck.rerun, found.luck.most_rerun))
    lost = noise_of(flagged({"A-0": "ee ee", "A-1": "11 11"})).must_pass
    assert (lost.unmeasured, lost.others) == (("A-0",), 1)


def test_the_curve_of_a_stratum_rises_with_the_drop() -> None:
    (found,) = bands_of(example())
    points = curve(found, [0, 0.1, 0.2, 0.4, 0.9])
    assert [drop for drop, _ in points] == [0, 0.1, 0.2, 0.4]
    chances = [looks.rerun for _, looks in points]
    assert chances == sorted(chances)
    assert chances[2] == pytest.approx((found.sight(0.2) or points[0][1]).rerun)


def test_the_self_check_agrees_with_the_formulas() -> None:
    run = repeated_run({"orders": written(A), "account": written(A[:4], "D")})
    found = self_check(noise_of(run), 2000, 1)
    own = [each for each in found if each.group == "This suite's own strata"]
    assert [each.what.split(";")[0] for each in own] == [
        "Nothing changed, flakes as seen (“likely”), 20,000 pull requests",
        "Nothing changed, failing as often as the bands allow (“at most”)",
        "A stratum falls by 20 points, on average over 2",
        "Nothing changed, flakes as seen",
    ]
    luck = noise_of(run).luck
    # What is put to the test is what the page says.
    assert (own[0].says_once, own[0].says_rerun) == pytest.approx((luck.once, luck.rerun))
    assert (own[1].says_once, own[1].says_rerun) == pytest.approx((luck.most_once, luck.most_rerun))
    for each in found:
        if each.fair:
            for share, says in ((each.once, each.says_once), (each.rerun, each.says_rerun)):
                assert share.value is not None
                assert abs(share.value - says) < 4 * math.sqrt(says * (1 - says) / share.n), each
    # B4's dozen, with a single stored baseline.
    assert (found[0].says_once, found[0].says_rerun) == pytest.approx((0.1374, 0.0049), abs=5e-5)
    assert len([each for each in found if not each.fair]) == 2


def test_without_measured_strata_the_twelve_are_checked_alone() -> None:
    found = self_check(noise_of(repeated_run({"orders": {"A-1": "11"}})), 50)
    assert {each.group for each in found} == {"12 strata as in a textbook (baselines played anew)"}


@pytest.fixture
def archived(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    folder.mkdir()
    repeated_run({"orders": written(A), "account": {"D-1": "11 11 11 11 11"}}, settings=SAMPLED).archive(folder)
    return folder


def called(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["noise", *arguments])


def test_the_command_prints_each_band_and_what_luck_does(archived: Path) -> None:
    done = called(str(archived), "--m", "3")
    assert done.exit_code == 0
    assert any(line.split()[:5] == ["orders", "6", "3", "0.70", "0.60"] for line in done.output.splitlines())
    assert "steady: 5 repeats of 2 trials a case, z = 2; compared: 3 cases of each stratum" in done.output
    assert "account: even a drop to none stays inside the band" in done.output
    assert "some of 2 strata blocks though nothing changed, by the flakes that were seen: " in done.output
    assert "must-pass cases compared: 0, of which 0 failed a trial of the baseline" in done.output


def test_the_command_takes_the_suites_sample_and_prints_json(archived: Path) -> None:
    told = json.loads(called(str(archived), "--json").output)
    assert told["compared"] == "the sample “pr” of suite.yaml (2 cases)"
    whole = json.loads(called(str(archived), "--m", "3", "--json").output)
    assert whole["strata"]["orders"]["band"]["value"] == pytest.approx(0.597773, abs=1e-6)
    assert whole["strata"]["account"]["sees_nothing"] is True
    assert whole["luck"]["strata"] == 2
    assert whole["repeats"] == 5
    assert whole["strata"]["account"]["least_drop"] is None
    assert [each["once"] for each in whole["strata"]["account"]["chances"]] == [0, 0, 0]
    assert whole["luck"]["most_rerun"] > whole["luck"]["rerun"]
    assert (whole["must_pass"]["cases"], whole["must_pass"]["always"]) == (0, [])
    assert whole["flaking"]["rate"] > 0


def test_the_command_fails_where_nothing_is_measured(tmp_path: Path) -> None:
    repeated_run({"orders": {"A-1": "11"}}).archive(tmp_path)
    done = called(str(tmp_path))
    assert done.exit_code == 1
    assert "not measured" in done.output
    assert "`evalkit run SHOOTOUT --repeats 3`" in done.output
    assert json.loads(called(str(tmp_path), "--json").stdout)["luck"] is None
    assert called(str(tmp_path), "--sample", "nightly").exit_code == 1
