"""A grader's agreement with people: its figures, the decision they allow, and what is never shown."""

import json
import math
from pathlib import Path

import pytest
from measured import GRADER, RUBRIC, Row, case_names, grade, label_lines, measured_run, table

from evalkit.errors import CaseError, NotMeasured
from evalkit.labels import label_files, load_label_sets, subject_of_item
from evalkit.measurement import measure
from evalkit.measurement.decision import decide
from evalkit.measurement.figures import measurement_figures
from evalkit.measurement.words import lines
from evalkit.settings import Trust
from evalkit.tables import Run
from evalkit.transcript import CriterionGrade, Grade

STRICT = "name: handmade\ntrust: {kappa_low: 0.6, negative_low: 0.6}"


def decided(rows: list[Row], **more) -> tuple[str, str]:
    found = measure(measured_run(rows, **more)).decision
    return found.word, " ".join(found.reasons).replace("\u00a0", " ")


def test_the_figures_of_the_held_out_side_are_those_of_its_table() -> None:
    # [[150, 10], [6, 34]]: kappa 63/83, AC1 .880275, PABAK .84; on fails 2·34 / (40 + 44), on passes 300 / (160 + 156).
    side = measure(measured_run(table(150, 10, 6, 34))).held_out
    assert side.table == side.agreement.table == ((150, 10), (6, 34))
    assert side.agreement.value == pytest.approx(63 / 83)
    assert (side.agreement.low, side.agreement.high) == (
        pytest.approx(0.6384, abs=0.005),
        pytest.approx(0.8632, abs=0.005),
    )
    beside = side.relatives
    assert (beside.raw.value, beside.ac1, beside.pabak) == pytest.approx((0.92, 0.880275, 0.84), abs=1e-6)
    assert (beside.negative.value, beside.positive.value) == pytest.approx((68 / 84, 300 / 316))
    assert (side.items, side.cases, side.agreement.n, side.undecided, side.unread) == (200, 200, 200, 0, 0)


def test_a_grader_is_trusted_where_both_lower_ends_reach_their_thresholds() -> None:
    word, why = decided(table(150, 10, 6, 34), settings=STRICT)
    assert word == "trusted"
    assert "Kappa with people is 0.76 (0.64 to 0.86) on 200 held-out items of 200 cases; its lower end reaches" in why
    assert "Agreement on fails is 0.81" in why
    assert "people fail 40 and the grader 44 of 200 items" in why
    assert "Raw agreement is 0.92" in why


def test_the_lower_end_decides_and_not_the_point() -> None:
    # Kappa .6995, of which the lower end .5538 stays below 0.6.
    word, why = decided(table(40, 9, 6, 45), settings=STRICT)
    assert word == "not trusted"
    assert (
        "Kappa with people is 0.70 (0.55 to 0.84) on 100 held-out items of 100 cases; its lower end must reach" in why
    )
    assert "its lower end reaches the threshold of 0.60" in why


def test_high_raw_agreement_trusts_nobody_who_misses_the_fails() -> None:
    # The paradox of the same raw agreement .85: here kappa is .318, and agreement on fails .40.
    word, why = decided(table(80, 10, 5, 5))
    assert word == "not trusted"
    assert why.count("its lower end must reach the threshold") == 2
    assert "Raw agreement is 0.85" in why


def test_kappa_alone_trusts_nobody() -> None:
    word, why = decided(table(150, 10, 6, 34), settings="name: handmade\ntrust: {negative_low: 0.8}")
    assert word == "not trusted"
    assert "its lower end reaches the threshold of 0.40" in why
    assert "its lower end must reach the threshold of 0.80" in why


def test_a_threshold_between_two_decimals_is_told_with_more_of_them() -> None:
    side = measure(measured_run(table(150, 10, 6, 34))).held_out
    almost = side.agreement.low + 0.001
    word = decide(side, Trust(kappa_low=almost), "live")
    assert word.word == "not trusted"
    assert f"its lower end, {side.agreement.low:.3f}, must reach the threshold of {almost:.3f}" in word.reasons[0]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ((17, 3, 0, 0), "People pass all of 20 compared held-out items"),
        ((17, 0, 9, 0), "The grader passes all of 26 compared held-out items"),
        ((0, 0, 3, 17), "People fail all of 20"),
    ],
)
def test_one_class_on_a_side_is_not_measured_with_raw_agreement_beside_it(cells, said: str) -> None:
    word, why = decided(table(*cells))
    assert word == "not measured"
    assert said in why
    assert "with one class on a side, kappa measures nothing" in why
    assert f"Raw agreement is {(cells[0] + cells[3]) / sum(cells):.2f}" in why
    assert "Kappa with people is" not in why


@pytest.mark.parametrize(("fails", "word"), [(4, "not measured"), (5, "trusted")])
def test_too_few_of_the_rarer_class_judge_nobody(fails: int, word: str) -> None:
    # Without any disagreement the lower end is the exact bound, and with the least threshold it always reaches.
    settings = "name: handmade\ntrust: {kappa_low: -1, negative_low: 0}"
    found, why = decided(table(100, 0, 0, fails), settings=settings)
    assert found == word
    assert ("Too few fails to judge the grader: people pass 100 and fail 4" in why) == (fails == 4)


def test_too_few_passes_are_too_few_as_well() -> None:
    assert "Too few passes" in decided(table(3, 0, 2, 40))[1]


def test_without_a_held_out_item_nothing_is_measured() -> None:
    word, why = decided(table(150, 10, 6, 34, held=False))
    assert (word, why) == (
        "not measured",
        "No labelled item is of a held-out case, and trust rests on held-out cases alone.",
    )


def test_open_items_have_no_part_in_the_decision() -> None:
    rows = table(150, 10, 6, 34)
    wrong = table(0, 50, 50, 0, held=False)
    assert decided(rows + wrong) == decided(rows)
    found = measure(measured_run(rows + wrong))
    assert (found.open.agreement.value, found.open.agreement.n, found.all.agreement.n) == (-1, 100, 300)


def test_the_share_held_out_is_the_suites_own() -> None:
    found = measure(measured_run(table(150, 10, 6, 34, held=False), settings="name: handmade\ntrust: {held_out: 1}"))
    assert (found.held_out.items, found.open.items) == (200, 0)


def test_one_item_that_is_not_graded_yet_leaves_it_open() -> None:
    word, why = decided([*table(150, 10, 6, 34), Row(grader=None)])
    assert word == "not measured"
    assert "1 of 201 held-out items is not graded yet (series live); `evalkit grade` goes on." in why


def test_nothing_graded_is_not_measured_and_has_no_figures() -> None:
    word, why = decided([Row(grader=None), Row("fail", None)])
    assert (word, why.count(".")) == ("not measured", 1)
    assert "2 of 2 held-out items are not graded yet" in why


def test_a_grade_of_another_series_is_none_of_this_one() -> None:
    run = measured_run(table(150, 10, 6, 34), series="2026-10")
    live = Run({**run.manifest, "series": "live"}, run.suite, (), "", run.grades, run.labels)
    assert measure(run).decision.word == "trusted"
    assert measure(live).held_out.states["not graded"] == 200


@pytest.mark.parametrize(("unread", "word"), [(10, "trusted"), (11, "not measured")])
def test_more_than_one_in_twenty_without_a_verdict_leaves_it_open(unread: int, word: str) -> None:
    # 10 of 210 are 4.8 %, 11 of 211 are 5.2 %.
    rows = [*table(150, 10, 6, 34), Row(grader="error"), *[Row(grader="unscored")] * (unread - 1)]
    found, why = decided(rows)
    assert found == word
    if word == "trusted":
        assert "10 of 210 held-out items are left out: the grader has no verdict." in why
    else:
        assert "The grader has no verdict on 11 of 211 held-out items (10 unscored, 1 error)" in why
    assert measure(measured_run(rows)).held_out.agreement.n == 200


DIFFER = {"ann": {"right": "3", "kind": "3"}, "bob": {"right": "1", "kind": "3"}}


@pytest.mark.parametrize(("open_", "word"), [(10, "trusted"), (11, "not measured")])
def test_what_people_have_not_decided_is_left_out_and_too_much_of_it_leaves_it_open(open_: int, word: str) -> None:
    found, why = decided([*table(150, 10, 6, 34), *[Row(raters=DIFFER)] * open_])
    assert found == word
    assert f"{open_} held-out items are left out" in why or "People have not decided 11 of the 211" in why


def test_items_that_nobody_rated_are_counted_apart() -> None:
    nobody = {"ann": {}, "bob": {}}
    side = measure(measured_run([*table(150, 10, 6, 34), *[Row(raters=nobody)] * 50])).held_out
    assert (side.unrated, side.undecided, len(side.decided)) == (50, 0, 200)


def test_nobody_having_decided_is_not_measured() -> None:
    assert decided([Row(raters=DIFFER)])[1] == "People have no verdict yet on any of the 1 held-out item."


def test_the_lead_decides_where_raters_differ_and_a_missing_criterion_decides_nothing() -> None:
    half = {"ann": {"right": "1"}}
    rows = [Row(raters=DIFFER, lead={"right": "1"}), Row(raters=DIFFER, lead={"right": "2"}), Row(raters=half)]
    side = measure(measured_run(rows)).held_out
    assert [each.people for each in side.labelled] == [False, True, None]
    # On the criterion itself the third counts: 1 against the grader's 3.
    assert [each.plain.n for each in side.criteria] == [3, 2]


def test_one_criterion_that_fails_fails_the_transcript() -> None:
    unkind = {rater: {"right": "3", "kind": "1"} for rater in ("ann", "bob")}
    assert measure(measured_run([Row(raters=unkind)])).held_out.table == ((0, 0), (1, 0))


def test_criteria_are_weighed_on_the_declared_scale() -> None:
    # People say 3, 3, 1, 2, the grader 3, 3, 1, 1. Plain: p_o 3/4, p_e (1·2 + 1·0 + 2·2)/16 = 3/8, kappa 3/5. Linear:
    # seen 1/2 · 1/4 = 1/8; expected over people 1/4, 1/4, 1/2 and grader 1/2, 0, 1/2: (1/4)(1/2) + (1/4)(1/4 + 1/4) +
    # (1/2)(1/2) = 1/2, kappa 3/4. Quadratic: seen 1/16; expected (1/4)(1/2) + (1/4)(1/8 + 1/8) + (1/2)(1/2) = 7/16,
    # kappa 6/7.
    both = {rater: {"right": "2", "kind": "3"} for rater in ("ann", "bob")}
    rows = [Row(), Row(), Row("fail", "fail"), Row("pass", "fail", raters=both)]
    right, kind = measure(measured_run(rows)).held_out.criteria
    assert right.name == "right"
    assert right.plain.labels == ("1", "2", "3")
    assert [each.value for each in (right.plain, right.linear, right.quadratic)] == pytest.approx([3 / 5, 3 / 4, 6 / 7])
    assert not kind.plain.measured


def test_a_verdict_that_nobody_gave_keeps_its_place_on_the_scale() -> None:
    # Linear kappa is .461538 on the declared scale 0 to 3, of which 2 is unseen; without it .487805.
    menu = "".join(f"  - {{verdict: {each}, means: m., passes: {str(each > 0).lower()}}}\n" for each in range(4))
    rubric = f"ordered: true\nmenu:\n{menu}criteria: [{{name: right, asks: Is it?}}]\n"
    people, grader = "0133103", "0331113"
    rows = [Row(raters={"ann": {"right": each}}) for each in people]
    run = measured_run(rows, rubric=rubric)
    keys = [next(run.panel.asked_for(subject_of_item(item), "cheap"))[0] for item in run.label_sets[0].items]
    grades = {
        key: Grade(key, "graded", (CriterionGrade("right", said),)) for key, said in zip(keys, grader, strict=True)
    }
    again = Run(run.manifest, run.suite, (), "", grades, run.labels)
    assert measure(again).held_out.criteria[0].linear.value == pytest.approx(0.461538, abs=1e-6)


def test_a_menu_that_is_no_scale_has_no_weighted_kappa() -> None:
    rubric = RUBRIC.replace("ordered: true", "ordered: false")
    right = measure(measured_run(table(5, 1, 1, 5), rubric=rubric)).held_out.criteria[0]
    assert (right.plain.measured, right.linear, right.quadratic) == (True, None, None)


def test_sets_that_people_labelled_count_alone() -> None:
    rows = table(150, 10, 6, 34)
    files = {"a.jsonl": label_lines(rows, source="people", name="own"), "b.jsonl": label_lines(rows, name="example")}
    run = measured_run(rows, labels=files)
    found = measure(run)
    assert (found.source, [each.name for each in found.sets], found.held_out.items) == ("people", ["own"], 200)
    example = measure(measured_run(rows))
    assert example.source == "example"
    assert next(line for line in lines(example) if "EXAMPLE" in line)
    assert not [line for line in lines(found) if "EXAMPLE" in line]


def test_each_candidate_has_its_table_and_its_weighted_one() -> None:
    # Of bold 2 items stand for 4 trials each, of steady 3 for one each.
    rows = [
        *[Row("fail", "pass", more={"candidate": "bold", "inclusion": 0.25})] * 2,
        *[Row(more={"candidate": "steady"})] * 3,
    ]
    found = measurement_figures(measure(measured_run(rows)))["held_out"]["candidates"]
    assert found == {
        "bold": {"items": 2, "table": [[0, 0], [2, 0]], "weighted": ((0, 0), (8, 0))},
        "steady": {"items": 3, "table": [[3, 0], [0, 0]], "weighted": ((3, 0), (0, 0))},
    }


def test_strata_and_months_are_measured_each_by_itself() -> None:
    late = {rater: {"right": "1", "kind": "3"} for rater in ("ann",)}
    other = {"rater": "ann", "date": "2026-09-30", "verdicts": late["ann"], "note": ""}
    rows = [*table(5, 1, 1, 5), *[Row("fail", "fail", more={"stratum": "talks", "ratings": [other]})] * 2]
    side = measure(measured_run(rows)).held_out
    assert {name: part.agreement.n for name, part in side.by_stratum.items()} == {"talks": 2, "tickets": 12}
    assert {name: part.agreement.value for name, part in side.by_month.items()} == {
        "2026-08": pytest.approx(2 / 3),
        "2026-09": None,
    }


def test_trials_of_one_case_are_resampled_together() -> None:
    names = iter(case_names(held=True))
    cases = [next(names) for _ in range(10)]
    rows = [
        Row(row.people, row.grader, more={"case": cases[number % 10]}) for number, row in enumerate(table(5, 5, 5, 5))
    ]
    side = measure(measured_run(rows)).held_out
    assert (side.cases, side.agreement.cases, side.agreement.n) == (10, 10, 20)


# Who passes an item: the first rater, the second, the grader; and how many such items there are.
PATTERNS = {"111": 70, "110": 4, "101": 3, "011": 4, "100": 3, "010": 2, "001": 2, "000": 12}


def people_and_grader() -> list[Row]:
    rows = []
    for (first, second, grader), n in PATTERNS.items():
        says = {
            name: {"right": "3" if it == "1" else "1", "kind": "3"} for name, it in (("ann", first), ("bob", second))
        }
        lead = {"right": "1"} if first != second else None
        rows += [Row("pass", "pass" if grader == "1" else "fail", raters=says, lead=lead)] * n
    return rows


def test_people_are_measured_against_one_another_on_the_same_items() -> None:
    # Kappa of the two .625000, of the grader with each .601227 and .662577, so .006902 above theirs on average.
    people = measure(measured_run(people_and_grader())).held_out.people
    found = people.against_grader
    assert (found.humans.value, found.first.value, found.second.value) == pytest.approx(
        (0.625, 0.601227, 0.662577), abs=1e-6
    )
    assert found.value == pytest.approx(0.006902, abs=1e-6)
    assert (found.low, found.high) == (pytest.approx(-0.175, abs=0.01), pytest.approx(0.174, abs=0.01))
    # Two raters without gaps: ((1 − 1/200) · .88 + 1/200 − .68) / (1 − .68).
    assert people.alpha.value == pytest.approx(0.626875)
    assert people.raters == {"ann": 100, "bob": 100}


def test_of_three_raters_the_two_with_most_in_common_stand_against_the_grader() -> None:
    rows = people_and_grader()
    three = [
        Row(raters={"cleo" if name == "bob" and number < 20 else name: says for name, says in row.raters.items()},
            grader=row.grader, lead=row.lead)
        for number, row in enumerate(rows)
    ]  # fmt: skip
    people = measure(measured_run(three)).held_out.people
    assert [(each.first, each.second, each.agreement.n) for each in people.pairs] == [
        ("ann", "bob", 80),
        ("ann", "cleo", 20),
    ]
    assert people.against_grader.n == 80
    assert people.raters == {"ann": 100, "bob": 80, "cleo": 20}
    # Who said what plays no part in alpha.
    assert people.alpha.value == pytest.approx(0.626875)


def test_one_rater_alone_has_nobody_to_be_measured_against() -> None:
    rows = [Row(raters={"ann": {"right": "3", "kind": "3"}})]
    found = measure(measured_run(rows))
    assert found.held_out.people.against_grader is None
    assert "people among themselves: no two raters judged the same item" in list(lines(found))


def test_it_says_how_many_labels_are_missing() -> None:
    # 250 items, people and grader fail 50 each, 34 in common: kappa .6 at 20 % fails, which takes 392 for ± 0.1, and a
    # fourth of that to reach 0.4, which is 0.2 below.
    found = measure(measured_run(table(184, 16, 16, 34), settings="name: handmade\ntrust: {negative_low: 0.1}"))
    assert found.held_out.agreement.value == pytest.approx(0.6)
    assert (found.for_a_tenth.items, found.for_a_tenth.more) == (392, 142)
    assert (found.for_the_threshold.items, found.for_the_threshold.more) == (98, 0)


def test_no_number_of_labels_lifts_a_kappa_that_lies_below_the_threshold() -> None:
    found = measure(measured_run(table(80, 10, 5, 5)))
    assert (found.for_the_threshold.items, found.for_the_threshold.more) == (None, None)
    assert "more labels do not help" in found.for_the_threshold.reason
    assert measure(measured_run(table(9, 0, 0, 0))).for_a_tenth.reason == "kappa is not measured yet"
    assert "a kappa of 1" in measure(measured_run(table(9, 0, 0, 9))).for_a_tenth.reason


def test_only_open_disagreements_are_ever_shown() -> None:
    held, open_ = table(10, 3, 2, 10), table(10, 1, 2, 10, held=False)
    found = measure(measured_run(held + open_))
    assert (len(found.to_read), found.hidden) == (3, 5)
    assert not any(each.held_out for each in found.to_read)
    assert all(each.people != each.grading.passed for each in found.to_read)
    assert found.to_read[0].grading.reasoning["right"] == "Because."
    told = measurement_figures(found)
    assert told["disagreements"] == {"open": [each.item.id for each in found.to_read], "held_out": 5}
    assert "Answer" not in json.dumps(told)
    assert "Answer" not in "\n".join(lines(found))


def test_the_figures_are_plain_json_without_a_number_that_is_none() -> None:
    for rows in (table(150, 10, 6, 34), table(3, 0, 0, 0), [], [Row(grader=None)], [Row(raters=DIFFER)]):
        found = measure(measured_run(rows))
        assert json.loads(json.dumps(measurement_figures(found), allow_nan=False))["decision"] == found.decision.word
        assert next(lines(found)).startswith(f"{found.decision.word}: offline/grader-cheap")


def test_the_strong_graders_verdict_stands_where_it_was_asked() -> None:
    rubric = RUBRIC.replace("audit: 0", "near: [1]\naudit: 0")
    strong = {**GRADER, "strong": {"model": "offline/grader-strong"}}
    run = measured_run([Row("pass", "fail")], rubric=rubric, grader=strong)
    assert measure(run).held_out.states["not graded"] == 1
    (item,) = run.label_sets[0].items
    ((key, _),) = run.panel.asked_for(subject_of_item(item), "strong")
    again = Run(run.manifest, run.suite, (), "", {**run.grades, key: grade(key, "pass")}, run.labels)
    assert measure(again).held_out.table == ((1, 0), (0, 0))


def test_a_run_without_a_grader_has_none_to_measure() -> None:
    with pytest.raises(NotMeasured, match="names no `grader`"):
        measure(measured_run([], grader=None))


def test_a_run_without_labels_by_its_rubric_is_not_measured() -> None:
    found = measure(measured_run([], labels={}))
    assert found.source is None
    assert found.decision.word == "not measured"
    assert "No label set under labels/ is by the rubric quality" in found.decision.reasons[0]


def test_labels_that_do_not_fit_the_rubric_are_faults_with_their_lines() -> None:
    odd = {"ann": {"right": "9", "kind": "3"}}
    with pytest.raises(CaseError, match=r"hand\.jsonl:2: L000: right: '9' is not on the menu: 1, 2, 3"):
        measure(measured_run([Row(raters=odd)]))


def test_a_labelled_transcript_has_the_key_of_the_trial_it_was_drawn_from() -> None:
    (labels,) = load_label_sets({"hand.jsonl": label_lines([Row(), Row()])})
    first, second = map(subject_of_item, labels.items)
    assert first.content != second.content
    assert (first.reference, first.answers, first.turns) == ("Yes", 1, labels.items[0].turns)


def test_the_files_of_labels_are_read_as_texts(tmp_path: Path) -> None:
    assert label_files(tmp_path / "none") == {}
    for name in ("a.jsonl", "trust.jsonl", "guide.md", "sentences.yaml", ".a.jsonl.7", ".b.jsonl"):
        (tmp_path / name).write_text(f"{name}\r\n", newline="")
    assert label_files(tmp_path) == {name: f"{name}\r\n" for name in ("a.jsonl", "trust.jsonl", "guide.md")}


def test_a_label_file_that_is_no_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(label_lines([Row()]).encode() + b"caf\xe9\n")
    with pytest.raises(CaseError, match=r"a\.jsonl:3: is not UTF-8"):
        load_label_sets(label_files(tmp_path))


def test_a_sheet_that_nobody_filled_in_takes_no_examples_place() -> None:
    empty = label_lines([Row(more={"ratings": []})], source="people", name="empty")
    rated = label_lines([Row(), Row("fail", "fail")])
    labels = {"rated.jsonl": rated, "empty.jsonl": empty}
    assert [each.name for each in measure(measured_run([], labels=labels)).sets] == ["hand"]


def test_the_labels_that_the_decision_needs_count_the_agreement_on_fails_too() -> None:
    # Agreement on fails is 2·34/(2·34 + 32) = .68. To lie .08 above its threshold instead of as far as now, the interval
    # must narrow by their ratio, and that takes its square times the items.
    settings = "name: handmade\ntrust: {negative_low: 0.6}"
    found = measure(measured_run(table(184, 16, 16, 34), settings=settings))
    fails = found.held_out.relatives.negative
    assert fails.value == pytest.approx(0.68)
    assert found.decision.word == "not trusted"
    assert found.for_the_threshold.items == math.ceil(250 * ((0.68 - fails.low) / 0.08) ** 2)
    assert found.for_the_threshold.more > 0
    above = measure(measured_run(table(184, 16, 16, 34), settings="name: handmade\ntrust: {negative_low: 0.7}"))
    assert (above.for_the_threshold.items, above.for_the_threshold.reason) == (
        None,
        "the agreement on fails itself is not above its threshold; more labels do not help",
    )
