"""A grader's agreement from month to month: which months there are, what moved, and what may be said of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import Write
from measured import GRADER, RUBRIC, Row, label_lines, measured_run, table
from misbehaving_server import MisbehavingServer
from months import another, ledger, month_line, months_run, other_labels, without_verdicts

from evalkit.calibration import answer, calibrated, cascade, held_series, is_month, paired, row_of, settled, spent
from evalkit.errors import ReportError
from evalkit.graded import begin_measurement, grade_run
from evalkit.runs import load_run
from evalkit.tables import Run
from evalkit.transcript import Attempt, Grade

# People pass 160 and fail 40 in each. Kappa of the first 63/83 (interval .6384 to .8632), of the second, where p_o is
# 150/200 and p_e .8 · .75 + .2 · .25 = .65, (.75 − .65) / .35 = 2/7; the third differs from the first by two verdicts.
GOOD, BAD, SAME = table(150, 10, 6, 34), table(130, 30, 20, 20), table(149, 11, 7, 33)


@pytest.fixture(scope="module")
def good() -> dict:
    return {month: month_line(GOOD, month) for month in ("2026-08", "2026-09", "2026-10")}


def said(run: Run, month: str = "") -> str:
    found = answer(run, month)
    return "\n".join((found.says, *found.rests_on)).replace("\u00a0", " ")


# Months


@pytest.mark.parametrize("text", ["2026-10", "1999-01", "2026-12"])
def test_a_month_is_written_as_year_and_month(text: str) -> None:
    assert is_month(text)


@pytest.mark.parametrize(
    "text", ["2026-13", "2026-00", "2026-1", "26-10", "2026-10-01", "live", "", "2026-10\n", "２０２６-10"]
)
def test_what_is_no_month_is_refused_with_how_to_write_one(text: str) -> None:
    assert not is_month(text)
    if text:
        with pytest.raises(ReportError, match="no month; write it as 2026-10"):
            calibrated(measured_run(GOOD), text)


def test_the_row_of_months_has_no_gap_and_no_thousand_lines() -> None:
    assert row_of(["2027-01", "2026-11"], "2026-11") == ("2026-11", "2026-12", "2027-01")
    # One stray date on each side: 119 months before, 12 after.
    row = row_of(["0001-01", "2026-10", "9999-12"], "2026-10")
    assert (len(row), row[0], row[-1]) == (132, "2016-11", "2027-10")


def test_months_come_from_the_ledger_alone_where_the_run_graded_none(good: dict) -> None:
    run = measured_run(GOOD, ledger=ledger(good["2026-08"], good["2026-10"]))
    found = calibrated(run)
    assert found.month == "2026-10"
    assert [(each.month, each.line is not None) for each in found.months] == [
        ("2026-08", True), ("2026-09", False), ("2026-10", True),
    ]  # fmt: skip
    assert found.months[0].kappa["value"] == pytest.approx(63 / 83)
    assert found.months[1].why_not == "nobody graded the labelled transcripts anew in it"
    assert "Without a measurement: 2026-09." in said(run)


def test_the_newest_line_of_a_month_counts_and_lines_of_live_or_of_another_rubric_do_not(good: dict) -> None:
    newer = month_line(BAD, "2026-10", "2026-11-02")
    live = replace(good["2026-09"], series="live", date="2026-12-01")
    foreign = replace(good["2026-09"], rubric="another", date="2026-12-01")
    found = calibrated(measured_run(GOOD, ledger=ledger(good["2026-10"], newer, live, foreign)))
    (here,) = [each for each in found.months if each.line is not None]
    assert (here.month, here.line.date) == ("2026-10", "2026-11-02")
    assert here.kappa["value"] == pytest.approx(2 / 7)


def test_a_month_that_is_asked_for_is_seen_from_its_own_place(good: dict) -> None:
    run = measured_run(GOOD, ledger=ledger(*good.values()))
    assert [each.month for each in calibrated(run, "2026-09").before] == ["2026-08"]
    late = calibrated(run, "2027-01")
    assert [each.month for each in late.months][-3:] == ["2026-11", "2026-12", "2027-01"]
    assert answer(run, "2027-01").says.startswith("2027-01 is not measured: nobody graded the labelled transcripts")
    assert "make calibration MONTH=2027-01" in said(run, "2027-01")


def test_the_runs_own_month_is_measured_from_its_grades_and_marked_until_it_is_recorded(good: dict) -> None:
    run = months_run({"2026-10": GOOD})
    now = calibrated(run).now
    assert (now.recorded, now.kappa["value"], now.line.date) == (False, pytest.approx(63 / 83), "")
    assert "not recorded yet" in said(run)
    recorded = months_run({"2026-10": GOOD}, good["2026-10"])
    assert calibrated(recorded).now.recorded
    assert "not recorded yet" not in said(recorded)


@pytest.mark.parametrize("change", [another, other_labels])
def test_a_line_that_is_not_what_the_run_shows_leaves_the_month_unrecorded(good: dict, change) -> None:
    line = change(good["2026-10"], "prompt") if change is another else change(good["2026-10"])
    now = calibrated(months_run({"2026-10": GOOD}, line)).now
    assert (now.recorded, now.line.date) == (False, "")


def test_a_run_that_graded_nothing_yet_shows_the_line_that_is_there(good: dict) -> None:
    empty = [Row(row.people, None) for row in GOOD]
    assert calibrated(months_run({"2026-10": empty}, good["2026-10"])).now.line.date == "2026-10-28"
    nothing = months_run({"2026-10": empty})
    assert answer(nothing).says == (
        "2026-10 is not measured: 200 of 200 held-out items are not graded yet (series 2026-10); `evalkit grade` goes on."
    )


def test_only_grades_that_came_settle_a_run() -> None:
    assert settled(months_run({"2026-10": GOOD}))
    assert settled(months_run({"2026-10": [*GOOD, Row(grader="unscored")]}))
    for grader in (None, "error"):
        run = months_run({"2026-10": [*GOOD, Row(grader=grader)]})
        assert not settled(run)
        word = "1 are not graded" if grader is None else "1 ended in an error"
        assert answer(run).incomplete == f"Of 201 labelled transcripts {word}; `evalkit grade` goes on."
    assert not settled(months_run({"2026-10": GOOD}, labels={}))


def test_a_run_without_a_grader_and_one_without_months_say_so() -> None:
    assert answer(measured_run(GOOD, grader=None)).says.startswith("No grader is calibrated")
    bare = measured_run([], labels={})
    assert answer(bare).says.startswith("No month is measured")
    # Labels alone: the newest month in which people labelled stands in the row, and is not measured.
    assert answer(measured_run(GOOD)).says.startswith("2026-08 is not measured")


@pytest.mark.parametrize("text", ["{", '{"date": "2026-10-01"}', "[]\n"])
def test_a_ledger_that_cannot_be_read_is_said_first_and_measures_nothing(text: str) -> None:
    found = answer(measured_run(GOOD, ledger=text))
    assert found.rests_on[0].startswith("the ledger cannot be read: labels/trust.jsonl:1")


def test_labels_that_do_not_fit_the_rubric_are_said() -> None:
    bad = label_lines([Row(raters={"ann": {"right": "9", "kind": "3"}})])
    found = calibrated(measured_run([], labels={"hand.jsonl": bad, "trust.jsonl": ""}))
    assert found.measurement is None
    assert "the labels cannot be read" in found.faults[0]


# Changes


def test_the_difference_on_the_same_transcripts_is_that_of_the_two_kappas_with_its_interval() -> None:
    # 20 of the passes fail now, 14 of people's fails pass now. 2/7 − 63/83 = −275/581.
    people = ["pass"] * 160 + ["fail"] * 40
    before = ["pass"] * 150 + ["fail"] * 10 + ["pass"] * 6 + ["fail"] * 34
    now = ["pass"] * 130 + ["fail"] * 30 + ["pass"] * 20 + ["fail"] * 20
    found = paired(people, before, now)
    assert found.value == pytest.approx(-275 / 581)
    assert (found.n, found.cases, found.to_fail, found.to_pass) == (200, 200, 20, 14)

    def kappas(rows: np.ndarray, grader: np.ndarray, says: np.ndarray) -> np.ndarray:
        own, theirs = says[rows], grader[rows]
        seen = (own == theirs).mean(axis=1)
        passes = own.mean(axis=1), theirs.mean(axis=1)
        chance = passes[0] * passes[1] + (1 - passes[0]) * (1 - passes[1])
        return (seen - chance) / (1 - chance)

    # Drawn again row by row, with another generator.
    rows = np.random.default_rng(5).integers(0, 200, size=(10_000, 200))
    says, then, here = (np.array([each == "pass" for each in side]) for side in (people, before, now))
    ends = np.quantile(kappas(rows, here, says) - kappas(rows, then, says), [0.025, 0.975])
    assert (found.low, found.high) == pytest.approx(tuple(ends), abs=0.012)


def test_transcripts_of_one_case_are_drawn_together_and_gaps_are_left_out() -> None:
    people, before, now = ["pass", "fail"] * 20, ["pass", "fail"] * 20, ["pass", "pass", "pass", "fail"] * 10
    apart = paired(people, before, now)
    # Every four are of one case, each with the same counts: no case differs from another.
    together = paired(people, before, now, cases=[i // 4 for i in range(40)])
    assert (together.value, together.cases) == (apart.value, 10)
    assert (together.low, together.reason) == (None, "no spread over 10 cases")
    assert paired([None, *people], ["pass", *before], ["pass", *now]).n == 40


def test_where_no_verdict_changed_there_is_no_interval_and_one_class_is_not_measured() -> None:
    same = paired(["pass", "fail"] * 9, ["pass", "pass"] * 9, ["fail", "fail"] * 9)
    assert (same.value, same.reason) == (None, "before: rater b used one class; now: rater b used one class")
    still = paired(["pass", "fail"] * 9, ["pass", "fail"] * 9, ["pass", "fail"] * 9)
    assert (still.value, still.low, still.reason) == (0, None, "no verdict changed")


def test_with_the_grades_of_both_months_a_fall_is_told_on_the_same_transcripts() -> None:
    run = months_run({"2026-09": GOOD, "2026-10": BAD}, month_line(GOOD, "2026-09"))
    (change,) = calibrated(run).changes
    assert (change.since, change.moved, change.parts, change.same_labels) == ("2026-09", "fallen", (), True)
    assert change.paired.value == pytest.approx(-275 / 581)
    assert (change.paired.n, change.paired.confidence) == (200, 0.95)
    found = answer(run)
    assert found.tone == "bad"
    assert found.says.replace("\u00a0", " ").startswith(
        "By its thresholds the grader is not trusted in 2026-10. Agreement with people has fallen beyond chance "
        "against 2026-09: in 2026-10 kappa with people is 0.29 ("
    )
    assert found.says.endswith("The grader is the same: rubric, model and prompt.")


def test_a_rise_is_told_as_a_rise() -> None:
    run = months_run({"2026-09": BAD, "2026-10": GOOD}, month_line(BAD, "2026-09"))
    assert [each.moved for each in calibrated(run).changes] == ["risen"]
    assert (answer(run).tone, answer(run).says.split(" against")[0]) == (
        "warn", "Agreement with people has risen beyond chance",
    )  # fmt: skip


def test_two_verdicts_more_are_no_drift_beyond_chance() -> None:
    lenient = {"settings": "name: handmade\ntrust: {negative_low: 0.5}"}
    run = months_run({"2026-09": GOOD, "2026-10": SAME}, month_line(GOOD, "2026-09", **lenient), **lenient)
    (change,) = calibrated(run).changes
    assert (change.moved, change.paired.to_fail, change.paired.to_pass) == ("none seen", 1, 1)
    assert answer(run).tone == "good"
    assert answer(run).says.startswith(
        "No drift beyond chance is seen in 2026-10 against 2026-09: kappa with people is"
    )
    # Where the thresholds are not reached, that comes first, drift or not.
    strict = months_run({"2026-09": GOOD, "2026-10": SAME}, month_line(GOOD, "2026-09"))
    assert answer(strict).tone == "bad"
    assert answer(strict).says.startswith("By its thresholds the grader is not trusted in 2026-10. No drift beyond")


@pytest.mark.parametrize(("flips", "moved"), [(5, "none seen"), (6, "fallen")])
def test_so_few_changes_that_a_coin_could_have_made_them_are_no_drift(flips: int, moved: str) -> None:
    # All one way: 2 · 0.5⁵ = 1/16 and 2 · 0.5⁶ = 1/32, against 0.05. The bootstrap alone would call four of them one.
    worse = table(150 - flips, 10 + flips, 6, 34)
    run = months_run({"2026-09": GOOD, "2026-10": worse}, month_line(GOOD, "2026-09"))
    (change,) = calibrated(run).changes
    assert change.paired.high < 0
    assert (change.paired.changed, change.moved) == (flips, moved)


def test_against_more_months_each_interval_is_wider_so_that_all_err_together_in_5_per_cent() -> None:
    lines = [month_line(GOOD, f"2026-0{n}") for n in (6, 7, 8, 9)]
    graded = {f"2026-0{n}": GOOD for n in (6, 7, 8, 9)}
    found = calibrated(months_run({**graded, "2026-10": BAD}, *lines))
    assert [each.since for each in found.changes] == ["2026-09", "2026-08", "2026-07", "2026-06"]
    assert [each.paired.confidence for each in found.changes] == [0.9875] * 4
    alone = calibrated(months_run({"2026-09": GOOD, "2026-10": BAD}, lines[-1])).changes[0].paired
    wide = found.changes[0].paired
    assert wide.low < alone.low
    assert wide.high > alone.high


def test_from_the_ledger_alone_only_the_intervals_are_compared_and_that_is_said(good: dict) -> None:
    kept = without_verdicts(good["2026-09"])
    apart = measured_run(GOOD, ledger=ledger(kept, month_line(BAD, "2026-10")))
    (change,) = calibrated(apart).changes
    assert (change.paired, change.moved) == (None, "fallen")
    assert "0 of 200 transcripts have the grades of both months here" in change.why_unpaired
    assert "Against 2026-09 all that can be said is whether the 95 % intervals overlap" in said(apart)
    overlap = measured_run(GOOD, ledger=ledger(kept, month_line(SAME, "2026-10")))
    assert [each.moved for each in calibrated(overlap).changes] == ["none seen"]


def test_from_the_ledger_alone_months_are_compared_item_by_item(good: dict) -> None:
    # As in a clone with an empty store: the run holds no grade of either month.
    run = measured_run(GOOD, ledger=ledger(good["2026-09"], month_line(BAD, "2026-10")))
    (change,) = calibrated(run).changes
    assert change.paired.value == pytest.approx(-275 / 581)
    assert (change.paired.n, change.moved) == (200, "fallen")
    # Intervals that overlap hide a fall that the same transcripts show: twelve more let through.
    worse = table(150, 10, 18, 22)
    run = measured_run(GOOD, ledger=ledger(good["2026-09"], month_line(worse, "2026-10")))
    (change,) = calibrated(run).changes
    assert change.moved == "fallen"
    kept = measured_run(GOOD, ledger=ledger(without_verdicts(good["2026-09"]), month_line(worse, "2026-10")))
    assert [each.moved for each in calibrated(kept).changes] == ["none seen"]


def test_verdicts_on_other_labels_or_another_slice_are_compared_with_nothing(good: dict) -> None:
    run = measured_run(GOOD, ledger=ledger(other_labels(month_line(BAD, "2026-09")), good["2026-10"]))
    assert calibrated(run).changes[0].paired is None


def test_grades_of_some_of_the_transcripts_are_no_picture_of_the_month(good: dict) -> None:
    half = [row if n % 2 else replace(row, grader=None) for n, row in enumerate(GOOD)]
    run = months_run({"2026-09": half, "2026-10": GOOD}, without_verdicts(good["2026-09"]))
    (change,) = calibrated(run).changes
    assert (change.paired, change.why_unpaired) == (
        None, "100 of 200 transcripts have the grades of both months here",
    )  # fmt: skip


def test_other_labels_are_not_compared_by_their_intervals(good: dict) -> None:
    lines = other_labels(month_line(BAD, "2026-09")), good["2026-10"]
    run = measured_run(GOOD, ledger=ledger(*lines))
    (change,) = calibrated(run).changes
    assert (change.same_labels, change.moved) == (False, "not comparable")
    assert answer(run).says.startswith("Whether agreement has moved cannot be told")
    assert "Not comparable: 2026-09" in said(run)
    assert [each.same_labels for each in calibrated(run).months if each.line] == [False, True]


def test_a_rise_against_a_grader_that_was_another_long_ago_is_no_drift() -> None:
    old = another(month_line(BAD, "2026-08"), "model")
    run = months_run({"2026-09": GOOD, "2026-10": GOOD}, old, month_line(GOOD, "2026-09"))
    assert [each.moved for each in calibrated(run).changes] == ["none seen", "risen"]
    assert answer(run).tone == "good"
    assert answer(run).says.startswith("No drift beyond chance is seen in 2026-10 against 2026-09")
    assert "Against 2026-08, when the grader was another, agreement has risen beyond chance." in said(run)
    # Right after a change it is the news: fallen since the grader was another.
    fresh = months_run({"2026-10": BAD}, another(month_line(GOOD, "2026-09"), "model"))
    said_first = answer(fresh).says
    assert "2026-10 is the first month of this grader, so no drift of it can be told" in said_first
    assert "The grader's model has changed since 2026-09." in said_first
    assert said_first.endswith("with the grader before it, agreement with people has fallen beyond chance.")
    # Three graders in three months: the last one alone is the news, however much better the first one was.
    three = months_run(
        {"2026-10": BAD},
        another(month_line(GOOD, "2026-08"), "model"),
        another(another(month_line(BAD, "2026-09"), "model"), "prompt"),
    )
    assert "No difference beyond chance from the grader before it is seen against 2026-09" in answer(three).says
    assert "against 2026-08" not in answer(three).says


@pytest.mark.parametrize("parts", [("rubric",), ("model",), ("prompt",), ("rubric", "model", "prompt")])
def test_what_of_the_grader_changed_is_named(good: dict, parts: tuple[str, ...]) -> None:
    run = months_run({"2026-09": GOOD, "2026-10": GOOD}, another(good["2026-09"], *parts))
    found = calibrated(run)
    assert found.now.changed == parts
    # Its verdicts stand in the ledger, so the two are compared item by item all the same.
    assert (found.changes[0].parts, found.changes[0].paired.changed) == (parts, 0)
    names = {1: f"{parts[0]} has", 3: "rubric, model and prompt have"}[len(parts)]
    assert f"The grader's {names} changed since 2026-09." in answer(run).says
    assert answer(run).tone == "warn"


def test_a_change_of_the_grader_is_seen_across_a_month_without_a_measurement(good: dict) -> None:
    run = measured_run(GOOD, ledger=ledger(another(good["2026-08"], "model"), good["2026-10"]))
    found = calibrated(run)
    assert [each.changed for each in found.months] == [(), (), ("model",)]
    assert "The grader's model has changed since 2026-08." in answer(run).says


def test_a_month_that_is_not_measured_is_compared_with_nothing(good: dict) -> None:
    # People fail four: too few fails to judge anybody, whatever kappa says.
    few = month_line(table(100, 0, 1, 3), "2026-09")
    run = measured_run(GOOD, ledger=ledger(few, good["2026-10"]))
    assert calibrated(run).changes == ()
    assert answer(run).says.startswith("2026-10 is the first month measured")
    assert "Too few fails" in calibrated(run).months[-2].why_not
    assert answer(run, "2026-09").says.startswith("2026-09 is not measured: too few fails to judge the grader")


def test_a_run_whose_grader_is_no_longer_that_of_the_month_says_which_part(good: dict) -> None:
    run = measured_run(GOOD, ledger=ledger(good["2026-10"]), prompt="Grade the agent. Be kind.")
    assert "The grader of this run is not the one that was measured in 2026-10: its prompt is another." in said(run)


# What people labelled in each month


def test_new_transcripts_are_kept_apart_from_the_same_ones() -> None:
    def dated(rows: list[Row], month: str) -> list[Row]:
        verdict = {"pass": "3", "fail": "1"}
        return [
            replace(row, more={"ratings": [
                {"rater": "ann", "date": f"{month}-03", "verdicts": {"right": verdict[row.people], "kind": "3"}, "note": ""}
            ]})
            for row in rows
        ]  # fmt: skip

    # Easy ones in August, kappa 1; hard ones in October, [[6, 4], [4, 6]]: p_o .6, p_e .5, kappa .2. All: [[16, 4],
    # [4, 16]], kappa .6.
    rows = [*dated(table(10, 0, 0, 10), "2026-08"), *dated(table(6, 4, 4, 6), "2026-10")]
    found = calibrated(months_run({"2026-10": rows}))
    assert [(each.month, each.labelled) for each in found.months] == [("2026-08", 20), ("2026-09", 0), ("2026-10", 20)]
    assert [each.fresh and each.fresh["value"] for each in found.months] == [1, None, pytest.approx(0.2)]
    assert found.now.kappa["value"] == pytest.approx(0.6)


# Calls, cost and the two graders


PANEL = {**GRADER, "strong": {"model": "offline/grader-strong"}}
CASCADE = RUBRIC.replace("audit: 0", "near: [2]\naudit: 1")


def test_a_month_counts_grades_calls_and_cost_and_an_unknown_cost_is_unknown() -> None:
    run = months_run({"2026-10": [*table(5, 1, 1, 5), Row(grader="unscored"), Row(grader="error")]})

    def paid(grade: Grade, usd: float | None) -> Grade:
        return replace(grade, attempts=(Attempt("m", "m", 0.1, None, fault="rate"), Attempt("m", "m", 0.1, usd)))

    free = {key: replace(each, attempts=(Attempt("m", "m", 0.1, 0.25),)) for key, each in run.grades.items()}
    run = Run(run.manifest, run.suite, (), "", free, run.labels)
    (all_of,) = spent(calibrated(run), "2026-10")
    assert (all_of.which, all_of.graded, all_of.unscored, all_of.errors) == ("cheap", 12, 1, 1)
    assert (all_of.calls, all_of.usd) == (14, 3.5)
    assert all_of.reasons == {("unscored", "unscored"): 1, ("error", "error"): 1}
    first = next(iter(free))
    unknown = Run(run.manifest, run.suite, (), "", {**free, first: paid(free[first], 1.0)}, run.labels)
    (some,) = spent(calibrated(unknown), "2026-10")
    assert (some.calls, some.usd) == (15, None)
    assert spent(calibrated(run), "2026-09") == ()


def test_the_graders_differ_by_the_weighted_share_and_the_random_part_stands_apart() -> None:
    # Every transcript goes to the strong grader by the audit of all: no weight, and 3 of 12 differ.
    rows = table(6, 0, 0, 6)
    run = months_run({"2026-10": rows}, rubric=CASCADE, grader=PANEL)
    panel, found = run.panel, calibrated(run)
    from measured import grade

    from evalkit.labels import subject_of_item

    strong = {}
    for n, each in enumerate(found.measurement.labelled):
        for key, _ in panel.asked_for(subject_of_item(each.item), "strong", "2026-10"):
            cheap = "pass" if n < 6 else "fail"
            other = {"pass": "fail", "fail": "pass"}[cheap]
            strong[key] = grade(key, other if n < 3 else cheap, "2026-10")
    both = calibrated(Run(run.manifest, run.suite, (), "", {**run.grades, **strong}, run.labels))
    seen = cascade(both, "2026-10")
    assert (seen.value, seen.random_part, seen.audited, seen.near, seen.trials) == (0.25, 0.25, 12, 0, 12)
    # All were seen for certain, so nothing is left to chance.
    assert (seen.low, seen.high) == (0.25, 0.25)
    assert held_series(both) == ("2026-10",)
    assert [each.which for each in spent(both, "2026-10")] == ["cheap", "strong"]
    assert cascade(calibrated(months_run({"2026-10": rows})), "2026-10") is None
    assert cascade(found, "2026-10").reason


def test_each_month_asks_anew_and_its_page_counts_those_calls_alone(write: Write) -> None:
    criteria = [{"name": name, "reasoning": "so", "verdict": 3} for name in ("right", "kind")]
    with MisbehavingServer(reply=lambda _: json.dumps({"criteria": criteria})) as server:
        grader = json.dumps({"model": "openai/cheap", "api_base": server.url, "rubric": "quality"})
        shop: Path = write(
            {
                "rubrics/quality.yaml": RUBRIC,
                "prompts/grader.md": "Grade it.\n",
                "labels/hand.jsonl": label_lines(table(2, 0, 0, 1)),
                "shootouts/small.yaml": f"name: small\ngrader: {grader}\ncandidates:\n"
                "  - {name: a, model: offline/agent, prompt: desk.md}\n",
            }
        )
        counts = []
        for month in ("2026-09", "2026-10", "2026-10"):
            run = begin_measurement(shop / "shootouts/small.yaml", month=month)
            grade_run(run)
            found = calibrated(load_run(run))
            assert (found.month, sum(each.calls for each in spent(found, month))) == (month, 3)
            counts.append(len(server.requests))
        # Three labelled transcripts: three calls for each month, none for one that is there.
        assert counts == [3, 6, 6]
