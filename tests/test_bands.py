"""The bands of a run: repeats read block by block, the cases compared, and what a gate would see of each stratum."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import timedelta
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
from evalkit.stats.noise import band
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
# the score is 17/30. At m = 3 the cases' likely chances have q(1 − q) = variance·3/2 on average, and the exact count takes those.
def test_the_chances_are_counted_exactly_for_cases_that_flake_as_the_band_says() -> None:
    rows = ["11111", "11111", "10101", "00000", "01111", "00000"]
    (found,) = bands_of(repeated_run({"orders": written(rows)}), m={"orders": 3})
    assert found.band.pooled == pytest.approx(2 * (0.5 / 6) / 3)
    quiet = found.sights[0].plays
    assert quiet is not None
    assert quiet.band == found.band.value
    assert sum(quiet.before) / 6 == pytest.approx(17 / 30)
    assert sum(q * (1 - q) for q in quiet.before) / 6 == pytest.approx((found.band.variance or 0) * 3 / 2)
    looks = false_blocks.power(3, quiet.before[:3], quiet.before[:3], 1, band=found.band.value, averaged=5)
    assert found.sight(0.0) == looks
    caught = found.sight(0.2)
    assert caught is not None
    assert caught.same_baseline > looks.same_baseline
    fallen = found.sights[2].plays
    assert fallen is not None
    assert sum(fallen.before[:3]) / 3 - sum(fallen.after[:3]) / 3 == pytest.approx(0.2)


# Example A at m = 6 has V(6)·6/2 = 0.283, more than cases of a score of 0.7 can flake each by itself, 0.21: then all
# have the score for their chance. Where nothing flaked the floor's share goes before the score.
def test_no_case_flakes_more_than_its_score_or_the_floor_allows() -> None:
    (found,) = bands_of(example())
    assert found.sights[0].plays is not None
    assert found.sights[0].plays.before == pytest.approx((0.7,) * 6)
    (still,) = bands_of(repeated_run({"orders": {f"A-{at}": "11 11 11" for at in range(10)}}))
    assert still.sights[0].plays is not None
    assert still.sights[0].plays.before == pytest.approx((0.5 + math.sqrt(0.6) / 2,) * 10)


def test_a_drop_deeper_than_the_score_has_no_chance() -> None:
    rows = ["100", "000", "000", "000", "000", "010", "000", "000", "000", "000", "000", "000"]
    (found,) = bands_of(repeated_run({"orders": written(rows)}))
    assert found.sight(0.2) is None
    assert cases_needed(found, 0.2, 0.8) is None


# B4: a drop of 2.842 sd is caught 80 % of the time at one look; with ρ = 1/6 it takes about 3.22. The number of cases is
# that whose band would be so narrow, so at it the curve says 80 %.
def test_so_many_cases_would_catch_a_drop() -> None:
    (found,) = bands_of(example())
    needed = cases_needed(found, 0.2, 0.8)
    assert needed is not None
    sd = found.band.factor * math.sqrt((found.band.variance or 0) * 6 / needed)
    assert false_blocks.caught(0.2, 1 / 6, 2.0, sd) == pytest.approx(0.8, abs=0.01)
    assert false_blocks.caught(0.2, 1 / 6, 2.0, sd * math.sqrt(needed / (needed - 1))) < 0.8


def test_the_chance_that_some_stratum_blocks_is_counted_over_the_strata() -> None:
    run = repeated_run({"orders": written(A), "account": written(A[:4], "D")})
    found = noise_of(run)
    luck = found.luck
    assert luck is not None
    looks = [each.sight(0.0) for each in found.strata]
    assert luck.once == pytest.approx(1 - math.prod(1 - each.once for each in looks if each))
    assert luck.rerun == pytest.approx(1 - math.prod(1 - each.same_baseline for each in looks if each))
    assert (luck.strata, luck.z, luck.rho) == (2, 2.0, pytest.approx(1 / 6))
    assert luck.curve_once == pytest.approx(false_blocks.family(2))
    assert luck.curve_rerun == pytest.approx(false_blocks.family(2, 1 / 6))
    # P(t₄ < −2) = 0.0581 a stratum.
    assert luck.worst == pytest.approx(1 - (1 - 0.0581) ** 2, abs=2e-4)
    assert luck.z_once == pytest.approx(false_blocks.z_for(2))


def test_the_curve_of_a_stratum_rises_with_the_drop() -> None:
    (found,) = bands_of(example())
    points = curve(found, [0, 0.1, 0.2, 0.4, 0.9])
    assert [drop for drop, _ in points] == [0, 0.1, 0.2, 0.4]
    chances = [looks.same_baseline for _, looks in points]
    assert chances == sorted(chances)
    assert chances[2] == pytest.approx((found.sight(0.2) or points[0][1]).same_baseline)


def test_the_self_check_agrees_with_the_formulas() -> None:
    run = repeated_run({"orders": written(A), "account": written(A[:4], "D")})
    found = self_check(noise_of(run), 2000, 1)
    assert [each.group for each in found].count("This suite's own strata") == 3
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
    assert {each.group for each in found} == {"12 strata as in a textbook"}


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
    assert "some of 2 strata blocks though nothing changed" in done.output


def test_the_command_takes_the_suites_sample_and_prints_json(archived: Path) -> None:
    told = json.loads(called(str(archived), "--json").output)
    assert told["compared"] == "the sample “pr” of suite.yaml (2 cases)"
    whole = json.loads(called(str(archived), "--m", "3", "--json").output)
    assert whole["strata"]["orders"]["band"]["value"] == pytest.approx(0.597773, abs=1e-6)
    assert whole["strata"]["account"]["sees_nothing"] is True
    assert whole["luck"]["strata"] == 2
    assert whole["repeats"] == 5


def test_the_command_fails_where_nothing_is_measured(tmp_path: Path) -> None:
    repeated_run({"orders": {"A-1": "11"}}).archive(tmp_path)
    done = called(str(tmp_path))
    assert done.exit_code == 1
    assert "not measured" in done.output
    assert "`evalkit run SHOOTOUT --repeats 3`" in done.output
    assert json.loads(called(str(tmp_path), "--json").stdout)["luck"] is None
    assert called(str(tmp_path), "--sample", "nightly").exit_code == 1
