"""What the page on agreement shows: the decision first, figures with what they say, and no held-out transcript."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from measured import GRADER, RUBRIC, VERDICT, Row, label_lines, measured_run, table

from evalkit import agreement_cards, cards, figures, views
from evalkit.errors import ReportError
from evalkit.grading.turns import Turn
from evalkit.labels import load_label_sets, subject_of_item
from evalkit.measurement import measure
from evalkit.report import render
from evalkit.rubrics import load_rubric
from evalkit.tables import Run
from evalkit.transcript import CriterionGrade, Grade
from evalkit.trust import line_of

NOTEBOOK = ROOT / "notebooks" / "30_grader_agreement.ipynb"
HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)>"
PIECES = (
    "trust_answer", "trust_would_change", "threshold_chart", "confusion_table", "agreement_table", "criterion_table",
    "criterion_grids", "stratum_agreement", "candidate_agreement", "favours", "people_agreement", "rater_table",
    "more_labels", "slice_table", "left_out_table", "disputed_transcripts", "measured_grader",
)  # fmt: skip
# [[150, 10], [6, 34]]: kappa 63/83 = .759 [.638, .863], raw .92, AC1 .880, PABAK .84, on fails 68/84 = .810, on passes
# 300/316 = .949, prevalence (150 − 34)/200 = .58, bias (10 − 6)/200 = .02; statistics.md B7.
GOOD = table(150, 10, 6, 34)
PARADOX = table(80, 10, 5, 5)


def shown(piece: Any) -> str:
    if isinstance(piece, cards.Card):
        return piece.html
    return piece.as_raw_html() if hasattr(piece, "as_raw_html") else json.dumps(piece.to_dict(), ensure_ascii=False)


def text(run: Run, name: str, *given: Any) -> str:
    """What a piece says, its markup taken out."""
    return " ".join(
        html.unescape(
            re.sub(r"<style>.*?</style>|<[^>]+>", " ", shown(getattr(views, name)(run, *given)), flags=re.DOTALL)
        ).split()
    )


def by_people(rows: Iterable[Row], **more: Any) -> Run:
    rows = list(rows)
    return measured_run(rows, labels={"hand.jsonl": label_lines(rows, source="people")}, **more)


def with_strong(rows: list[Row], said: dict[str, Grade]) -> Run:
    """A run whose verdict 1 is near, so that the strong grader is asked; `said` is its grade by item."""
    grader = {**GRADER, "strong": {"model": "offline/grader-strong"}}
    run = measured_run(rows, rubric=RUBRIC + "near: [1]\n", grader=grader)
    assert run.panel is not None
    grades = dict(run.grades)
    for item in load_label_sets(run.labels)[0].items:
        for key, _ in run.panel.asked_for(subject_of_item(item), "strong"):
            if item.id in said:
                grades[key] = replace(said[item.id], fingerprint=key)
    return replace(run, grades=grades)


def item_of(words: str, **more: Any) -> dict[str, Any]:
    """What of an item is other: an agent that says so."""
    return {"transcript": [{"role": "customer", "text": "Hi"}, {"role": "agent", "text": words}], **more}


EDGES: dict[str, Run] = {
    "a good grader": measured_run(GOOD),
    "no grader": measured_run([], grader=None),
    "no label set": measured_run([], labels={}),
    "an empty label set": measured_run([]),
    "labels that do not fit the rubric": measured_run([], labels={"hand.jsonl": label_lines(GOOD).replace('"3"', '"9"')}),
    "nothing graded yet": measured_run([Row(grader=None)] * 9),
    "one class on both sides": measured_run(table(20, 0, 0, 0)),
    "one class of people": measured_run(table(17, 3, 0, 0)),
    "one class of the grader": measured_run(table(17, 0, 9, 0)),
    "no agreement at all": measured_run(table(0, 7, 7, 0)),
    "no disagreement at all": measured_run(table(9, 0, 0, 9)),
    "one item": measured_run([Row()]),
    "nothing held out": measured_run(table(5, 1, 1, 5, held=False)),
    "all unscored": measured_run([Row(grader="unscored")] * 6),
    "one rater": measured_run([Row(raters={"ann": {"right": "3", "kind": "3"}})] * 4),
    "nobody rated": measured_run([Row(more={"ratings": []})] * 4),
    "a menu without an order": measured_run(GOOD[:50], rubric=RUBRIC.replace("ordered: true", "ordered: false")),
    "an error": measured_run([Row(grader="error"), *table(5, 1, 1, 5)]),
}  # fmt: skip
edge = pytest.mark.parametrize("run", EDGES.values(), ids=EDGES)


@edge
def test_every_piece_works_and_says_nothing_undefined_as_a_number(run: Run) -> None:
    for name in PIECES:
        said = text(run, name)
        assert said
        assert not re.search(r"\b(nan|NaN|None|inf)\b", said), (name, said)


@pytest.mark.parametrize("name", ["no grader", "no label set", "labels that do not fit the rubric"])
def test_without_a_grader_or_a_label_one_card_says_so_and_the_rest_points_to_it(name: str) -> None:
    run = EDGES[name]
    said = text(run, "trust_answer")
    assert "Not measured: " in said
    assert {"no grader": "no grader", "no label set": "labels sheet"}.get(name, "do not fit") in said
    for piece in set(PIECES) - {"trust_answer", "measured_grader"}:
        assert text(run, piece) == "Not measured, for the reason that stands at the top of this page."


def test_the_decision_stands_first_with_what_it_rests_on() -> None:
    said = text(by_people(GOOD), "trust_answer")
    assert "Trusted: the verdicts of offline/grader-cheap by the rubric quality may be believed." in said
    assert "Kappa with people is 0.76 (0.64 to 0.86) on 200 held-out items of 200 cases" in said
    assert "Agreement on fails is 0.81 (" in said
    assert said.count("reaches the threshold of") == 2
    assert "Not recorded, so no report shows a graded score" in said
    assert "EXAMPLE" not in said


def test_what_rests_on_example_labels_stands_under_their_mark() -> None:
    markup = shown(views.trust_answer(measured_run(GOOD)))
    assert markup.startswith('<div class="ek-whole-page"><div class="ek-watermark ek-example" role="alert">')
    assert "EXAMPLE LABELS" in markup
    assert "Trusted, but on example labels alone" in markup
    assert "ek-good" not in markup
    assert "Labels of your own raters replace the examples" in text(measured_run(GOOD), "trust_would_change")


def test_the_line_of_the_ledger_is_told_and_one_that_says_otherwise() -> None:
    line = line_of(measure(by_people(GOOD)), "2026-10-02")
    files = {"hand.jsonl": label_lines(GOOD, source="people"), "trust.jsonl": line.to_json() + "\n"}
    said = text(measured_run(GOOD, labels=files), "trust_answer")
    assert "Recorded: the line of 2026-10-02 (series live) in labels/trust.jsonl says trusted." in said
    files["trust.jsonl"] = replace(line, decision="not trusted").to_json() + "\n"
    assert "The ledger says otherwise, and reports go by it" in text(measured_run(GOOD, labels=files), "trust_answer")


def test_what_would_change_the_decision_is_told_for_each() -> None:
    # .6384 − .4 = .24; the lower end on fails is told by the measurement itself.
    assert "if kappa's lower end fell by more than 0.24" in text(measured_run(GOOD), "trust_would_change")
    # Kappa 7/22 = .318 is itself below .4, and on fails it is .40.
    low = text(measured_run(PARADOX), "trust_would_change")
    assert "It would be trusted if kappa's lower end rose from 0.04 to 0.40 and the lower end" in low
    assert "more labels do not help" in low
    assert "The agreement on fails itself is not above its threshold" in low
    assert "once what stands above is mended" in text(measured_run(table(17, 3, 0, 0)), "trust_would_change")


def test_the_chart_shows_both_figures_beside_their_thresholds() -> None:
    said = views.threshold_chart(measured_run(GOOD)).to_dict()["description"].replace("\u00a0", " ")
    assert "Kappa: 0.76 (0.64 to 0.86), n = 200, threshold 0.40" in said
    assert re.search(r"Agreement on fails: 0.81 \(.*\), n = 50, threshold 0.70", said)
    one_class = views.threshold_chart(measured_run(table(17, 3, 0, 0))).to_dict()["description"]
    assert "Kappa: not measured: people used one class" in one_class
    assert "0.00" not in one_class


def test_the_table_says_who_is_stricter() -> None:
    said = text(measured_run(GOOD), "confusion_table")
    assert "People pass 150 both pass 10 the grader is too strict 160" in said
    assert "People fail 6 the grader lets through 34 both fail 40 All 156 44 200" in said
    assert "The grader lets through 6 that people fail, and fails 10 that people pass." in said
    assert "no pass rate" not in said
    drawn = [replace(row, more={"inclusion": 1.0 if row.people == "fail" else 0.5}) for row in GOOD]
    assert "no pass rate is to be read from this table" in text(measured_run(drawn), "confusion_table")


def test_each_figure_has_its_interval_its_n_and_a_sentence() -> None:
    said = text(measured_run(GOOD), "agreement_table")
    for part in (
        "Cohen's kappa decides", "called “substantial”", "0.76 (0.64 to 0.86) 200 items, 200 cases",
        "the other says so too in 81 of 100. 0.81 (", "50 items that one calls a fail",
        "the other says so too in 95 of 100. 0.95 (", "They say the same of 92 of 100 transcripts.", "0.92 (0.87 to 0.95)",
        "0.88 200 items", "0.84 200 items", "passes outnumber fails", "0.58 200 items",
        "People pass 160 and the grader passes 156 of 200: it is stricter than people. 0.02",
    ):  # fmt: skip
        assert part in said, part
    assert "Why is kappa low" not in said


def test_resamples_without_a_kappa_are_counted() -> None:
    # n = 20, [[17, 1], [1, 1]]: 3.9 % of resamples are undefined (statistics.md B7).
    said = text(measured_run(table(17, 1, 1, 1)), "agreement_table")
    found = re.search(r"Of 10,000 resamples (\d+) had no kappa", said)
    assert found
    assert 340 <= int(found[1]) <= 440


def test_the_paradox_is_told_where_it_applies_and_nowhere_else() -> None:
    # p_o = .85, kappa = 7/22, so p_e = (.85 − 7/22)/(1 − 7/22) = .78; kappa_max .7727; on fails .40.
    said = text(measured_run(PARADOX), "agreement_table")
    assert "Why is kappa low although they say the same of 85 of 100?" in said
    assert "would already agree on 78 of 100; with these counts kappa could reach 0.77 at most" in said
    assert "where one says fail, the other does in 40 of 100" in said
    # The same raw agreement with as many fails as passes: kappa .70.
    assert "Why is kappa low" not in text(measured_run(table(40, 9, 6, 45)), "agreement_table")
    # The other way round: most fail.
    assert "where one says pass, the other does in 40 of 100" in text(
        measured_run(table(5, 10, 5, 80)), "agreement_table"
    )


def test_one_class_on_a_side_is_not_measured_with_raw_agreement_beside_it() -> None:
    said = text(measured_run(table(17, 3, 0, 0)), "agreement_table")
    assert "Says nothing here: people used one class. Look at the raw agreement" in said
    assert "not measured 20 items, 20 cases" in said
    assert "0.85 (0.64 to 0.95)" in said


def test_a_criterion_shows_plain_and_weighted_kappa_and_its_grid() -> None:
    said = text(measured_run(GOOD), "criterion_table")
    # On `right` the verdicts are 3 and 1 alone, so all three kappas are that of the table; on `kind` all say 3.
    assert "right 200 / 200 184 of 200 0.76 (0.64 to 0.86) 0.76 (0.64 to 0.86) 0.76 (0.64 to 0.86)" in said
    assert "kind 200 / 200 200 of 200 not measured not measured not measured" in said
    assert "The menu: 1, 2, 3, worst first." in said
    grids = text(measured_run(GOOD), "criterion_grids")
    assert "1 34 0 6 40 2 0 0 0 0 3 10 0 150 160 All 44 0 156 200" in grids
    assert shown(views.criterion_grids(measured_run(GOOD))).count('<tr class="ek-parted">') == 2
    flat = text(EDGES["a menu without an order"], "criterion_table")
    assert "no scale" in flat
    assert "linear" not in flat


def test_parts_say_how_few_they_are_and_where_the_grader_errs_on_one_candidate() -> None:
    rows = [replace(row, more={"candidate": "old", "stratum": "s1"}) for row in table(20, 0, 0, 20)]
    rows += [replace(row, more={"candidate": "own", "stratum": "s2"}) for row in table(6, 0, 9, 1)]
    run = measured_run(rows)
    said = text(run, "candidate_agreement")
    assert "old 40 / 40 1.00 (" in said
    assert "own 16 / 16 ° 0.44 (" in said
    assert said.index("9 0", said.index("own")) > 0
    assert "s2 16 / 16 °" in text(run, "stratum_agreement")
    # Of the fails of `old` 20 of 20 are failed, of `own` 1 of 10: Fisher's p is far below .05.
    favours = text(run, "favours")
    assert "own 6 of 6 100 % 1 of 10 100 % 0.000 no: it is treated differently" in favours
    alone = measured_run([replace(row, more={"candidate": "own"}) for row in table(6, 0, 9, 1)])
    assert "Fewer than two candidates" in text(alone, "favours")


def test_people_are_set_beside_one_another_and_are_no_ceiling() -> None:
    # The patterns (H1, H2, G) of statistics.md B10: kappas .625, .601 and .663; mean less people's .0069.
    patterns = {"111": 70, "110": 4, "101": 3, "011": 4, "100": 3, "010": 2, "001": 2, "000": 12}
    rows = []
    for pattern, n in patterns.items():
        first, second, grader = ("pass" if each == "1" else "fail" for each in pattern)
        raters = {"ann": {"right": VERDICT[first], "kind": "3"}, "bob": {"right": VERDICT[second], "kind": "3"}}
        rows += [Row(first, grader, raters=raters, lead=None) for _ in range(n)]
    said = text(measured_run(rows), "people_agreement")
    # .625 lies between two of two decimals; in binary on either side.
    assert re.search(r"ann and bob People with one another. 0.6[23] \(", said)
    assert "The grader and ann The grader with one person, before the lead decided anything. 0.60 (" in said
    assert "The grader and bob The grader with one person, before the lead decided anything. 0.66 (" in said
    less = re.search(r"no difference is told apart. 0.01 \((\S+) to (\S+)\) 100 items", said)
    assert less
    assert [float(end.replace("−", "-")) for end in less.groups()] == pytest.approx([-0.175, 0.174], abs=0.011)
    # √.625 = .79; the mean .632 lies between.
    assert "no ceiling for the grader" in said
    assert "would reach about 0.79 with one of them" in said
    assert "no sign of a fault" in said
    raters = text(measured_run(rows), "rater_table")
    assert "ann 100 100 0 2026-08-04 2026-08-04" in raters
    # 110 and 001 agree; ann and bob differ on 101, 011, 100 and 010: 3 + 4 + 3 + 2.
    assert "Raters gave different verdicts on 12 of 100 items; the lead decided all but 12." in raters


def test_how_many_more_labels_is_told_or_why_not() -> None:
    said = text(measured_run(GOOD), "more_labels")
    needed = measure(measured_run(GOOD)).for_a_tenth
    assert f"Kappa is known to within ±0.1 A figure to compare months by. There are 200. {needed.items}" in said
    assert "none" in said
    assert "kappa itself is not above the threshold" in text(measured_run(PARADOX), "more_labels")


def test_what_is_left_out_is_counted_with_its_kind_of_reason_alone() -> None:
    differ = {"ann": {"right": "1", "kind": "3"}, "bob": {"right": "3", "kind": "3"}}
    rows = [*table(5, 1, 1, 5), Row(grader="unscored"), Row(grader="error"), Row(grader=None), Row(raters=differ),
            Row(more={"ratings": []}), *table(3, 0, 2, 3, held=False)]  # fmt: skip
    run = measured_run(rows)
    # Held out: 12 compared, one unscored, one error, one not graded, one undecided, one that nobody rated.
    slices = text(run, "slice_table")
    assert "held-out 17 / 17 1 1 3 12" in slices
    assert "open 8 / 8 0 0 0 8" in slices
    assert "all 25 / 25 1 1 3 20" in slices
    why = text(run, "left_out_table")
    assert "Unscored unscored 1 0 0" in why
    assert "Error error 1 0 0" in why
    # What stands behind the kind may quote a held-out transcript.
    assert "by hand" not in why
    assert "1 labelled item is left out since people have not decided" in why


def test_only_open_disagreements_are_shown_and_those_let_through_first() -> None:
    rows = [Row("fail", "pass", held=True, more=item_of("HELD-OUT WORDS", reference="HELD-OUT GOLDEN"))]
    rows += [Row("pass", "fail", held=False, more=item_of("too strict here"))]
    rows += [Row("fail", "pass", held=False, more=item_of("let through here"))]
    rows += table(4, 0, 0, 4, held=False)
    run = measured_run(rows)
    said = text(run, "disputed_transcripts")
    assert "Of 10 open items that both judged, people and the grader differ on 2" in said
    assert "lets through 1 that people fail, and fails 1 that they pass" in said
    assert "1 held-out item more on which they differ is not shown" in said
    assert said.index("let through here") < said.index("too strict here")
    for name in PIECES:
        assert "HELD-OUT" not in shown(getattr(views, name)(run)), name


def test_disagreements_beyond_the_first_are_folded_and_beyond_the_limit_counted() -> None:
    run = measured_run(table(0, 0, 5, 0, held=False))
    markup = shown(views.disputed_transcripts(run, 4))
    assert markup.count('<details class="ek-dispute" open>') == 3
    assert markup.count('<details class="ek-dispute"') == 4
    assert "The first 4 are shown" in markup
    with pytest.raises(ReportError, match="limit is 0"):
        views.disputed_transcripts(run, 0)


def test_a_disagreement_quotes_people_the_lead_and_both_graders() -> None:
    raters = {"ann": {"right": "1", "kind": "3"}, "bob": {"right": "3", "kind": "3"}}
    rows = [Row("pass", "fail", held=False, raters=raters, lead={"right": "3"})]
    given = (CriterionGrade("right", "1", "Strongly wrong."), CriterionGrade("kind", "2", "Fair."))
    run = with_strong(rows, {"L000": Grade("", "graded", given, model="offline/grader-strong")})
    said = text(run, "disputed_transcripts")
    for part in (
        "The grader fails what people pass people: right 3, kind 3 – grader: right 1, kind 2", "ann 2026-08-04 right 1 ✗ kind 3 ✓", "bob 2026-08-04 right 3 ✓ kind 3 ✓",
        "eve 2026-08-06, decided right 3 ✓ kind 3 ✓ rule: So.",
        "Cheap grader, offline/grader-cheap right 1 ✗ kind 3 ✓ right: Because. kind: Kind enough.",
        "Strong grader, offline/grader-strong right 1 ✗ kind 2 ✓ right: Strongly wrong. kind: Fair.",
        "since a verdict of the cheap one lay near the threshold", "The golden answer Yes", "Agent Answer 0",
    ):  # fmt: skip
        assert part in said, part


def test_nothing_that_is_quoted_becomes_markup() -> None:
    transcript = [
        {"role": "customer", "text": f"[EVAL MODE]\nAccount x: {HOSTILE}\n\n{HOSTILE}"},
        {"role": "call", "text": json.dumps({"q": HOSTILE}), "tool": HOSTILE},
        {"role": "result", "text": HOSTILE * 200, "tool": HOSTILE},
        {"role": "agent", "text": f"{HOSTILE}\u202e\x00 {'long ' * 5000}"},
    ]
    hostile = {"transcript": transcript, "reference": HOSTILE, "candidate": HOSTILE, "stratum": HOSTILE}
    says = {"right": "1", "kind": "3"}
    hostile["ratings"] = [
        {"rater": "ann <b>", "date": "2026-08-04", "verdicts": says, "note": HOSTILE},
        {"rater": "bob", "date": "2026-08-04", "verdicts": says, "note": ""},
    ]
    rows = [Row("fail", "pass", held=held, more=hostile) for held in (True, False)]
    run = measured_run(rows)
    grades = {
        key: replace(each, criteria=tuple(replace(one, reasoning=HOSTILE) for one in each.criteria))
        for key, each in run.grades.items()
    }
    run = replace(run, grades=grades)
    for name in PIECES:
        piece = getattr(views, name)(run)
        if name == "threshold_chart":
            continue
        markup = shown(piece)
        assert "<script" not in markup, name
        assert "<img" not in markup, name
        assert "ann <b>" not in markup, name
        assert "\u202e" not in markup, name
        assert "\x00" not in markup, name
    disputed = shown(views.disputed_transcripts(run))
    assert "more characters)" in disputed
    assert "&lt;script&gt;" in disputed


def test_a_square_table_shades_by_count_and_parts_what_passes_from_what_fails() -> None:
    card = agreement_cards.crossed("t", ((1, 0, 9), (0, 0, 0), (0, 2, 9)), ("1", "2", "3"), passing=(False, True, True))
    assert card.html.count('<tr class="ek-parted">') == 1
    cells = re.findall(r'<td class="(ek-h[^"]*)"><b>(\d)', card.html)
    # In each row the line stands before the second column; one of 9 is the first of four steps.
    assert cells == [
        ("ek-h1 ek-h-same", "1"), ("ek-h0 ek-h-other ek-parted", "0"), ("ek-h4 ek-h-other", "9"),
        ("ek-h0 ek-h-other", "0"), ("ek-h0 ek-h-same ek-parted", "0"), ("ek-h0 ek-h-other", "0"),
        ("ek-h0 ek-h-other", "0"), ("ek-h1 ek-h-other ek-parted", "2"), ("ek-h4 ek-h-same", "9"),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="zip"):
        agreement_cards.crossed("t", ((1, 2), (3, 4)), ("a", "b", "c"))


def test_a_transcript_in_which_nobody_spoke_says_so() -> None:
    rubric = load_rubric("rubrics/quality.yaml", RUBRIC.encode())
    item = replace(load_label_sets({"hand.jsonl": label_lines([Row()])})[0].items[0], turns=(), reference="")
    markup = agreement_cards.dispute(item, [], rubric, said="s", tag="", opened=False).html
    assert "(nothing was said)" in markup
    assert "(none is written)" in markup
    silent = replace(item, turns=(Turn("agent", ""),))
    assert "(no text)" in agreement_cards.dispute(silent, [], rubric, said="s", tag="", opened=False).html


def test_the_styles_of_the_page_are_joined_to_those_of_every_page() -> None:
    assert "agreement.css" in figures.PARTS


@pytest.mark.parametrize("name", ["a good grader", "no grader", "nothing graded yet"])
def test_the_page_renders_from_an_archive_with_the_decision_first(name: str, tmp_path: Path) -> None:
    secret = item_of("HELD-OUT WORDS", reference="HELD-OUT WORDS")
    rows = [replace(row, more=secret) if row.people != row.grader else row for row in GOOD]
    rows += table(2, 1, 2, 2, held=False)
    run = measured_run(rows) if name == "a good grader" else EDGES[name]
    (tmp_path / "archive").mkdir()
    run.archive(tmp_path / "archive")
    page = render(NOTEBOOK, {"run": str(tmp_path / "archive"), "limit": 2}, tmp_path / "out").read_text("utf-8")
    first = re.search('<p class="ek-say">([^<]*)', page)[1]
    assert first.startswith("Trusted, but on example labels" if name == "a good grader" else "Not measured")
    assert "Traceback (most recent call last)" not in page
    assert "HELD-OUT WORDS" not in page
    if name == "a good grader":
        assert page.count('<details class="ek-dispute"') == 2
        assert page.index("EXAMPLE LABELS") < page.index(first)
