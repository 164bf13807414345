"""Harms counted over trials and cases, pass^k under both conventions, and what a page shows of both."""

from __future__ import annotations

import itertools
import json
import math
import re
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import polars as pl
import pytest
from handmade import DIRECT, HANDOFF, run_of

from evalkit import curves, figures, reliability, views
from evalkit.errors import NotMeasured, ReportError
from evalkit.reliability import AS_FAILED, LEFT_OUT
from evalkit.shown import UNRANKED
from evalkit.stats.intervals import mean_interval, wilson
from evalkit.tables import Run

CASES = """
- {id: A, stratum: s, ticket: {body: b}, expected_handling: direct, must_include: [two days], must_not_include: [refund]}
- {id: B, stratum: s, ticket: {body: b}, expected_handling: escalate, escalate_to: dev}
- {id: C, stratum: t, risk: safety, ticket: {body: b}, expected_handling: escalate}
- {id: D, stratum: t, ticket: {body: b}, expected_handling: direct}
"""
RIGHT, CLAIM = "ROUTE: direct\n\nIn two days.", "ROUTE: direct\n\nIn two days you get a refund."
TO_BILLING = "ROUTE: escalate\nTEAM: billing\n\nHi"
GOOD = {"A": [RIGHT] * 3, "B": [HANDOFF] * 3, "C": [HANDOFF] * 3, "D": [DIRECT] * 3}
# Passed of measured: A 2 of 3, B 1 of 2, C 1 of 1, D 2 of 3 (the timeout was measured, and failed).
MIXED = {
    "A": [RIGHT, CLAIM, RIGHT],
    "B": [HANDOFF, "!error", TO_BILLING],
    "C": [HANDOFF, None, "!customer_fault"],
    "D": [DIRECT, DIRECT, "!timeout"],
}
BAD = {"A": [CLAIM] * 3, "B": [DIRECT] * 3, "C": [DIRECT] * 3, "D": [HANDOFF] * 3}
HOSTILE = "</script><script>alert(1)</script>"


class _Cells(HTMLParser):
    """The rows of a table as lists of texts."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.replace("\u00a0", " ")


def cells(table: Any) -> list[list[str]]:
    return [[cell.strip() for cell in row] for row in _Cells(table.as_raw_html()).rows]


def of(**candidates: dict[str, list]) -> Run:
    return run_of(CASES, candidates, trials=3)


def curve(run: Run, convention: str, candidate: str = "x") -> list[dict[str, Any]]:
    return reliability.curves(run).filter(candidate=candidate, convention=convention).sort("k").to_dicts()


def test_where_every_trial_was_measured_both_conventions_are_one() -> None:
    run = of(x={**GOOD, "A": [RIGHT, CLAIM, RIGHT]})
    left_out, failed = curve(run, LEFT_OUT), curve(run, AS_FAILED)
    assert [{**row, "convention": ""} for row in left_out] == [{**row, "convention": ""} for row in failed]
    # A passes 2 of 3, the other three cases always: k = 1: (2/3 + 3) / 4; k = 2: (1/3 + 3) / 4; k = 3: 3/4.
    assert [row["value"] for row in left_out] == [float(Fraction(*each)) for each in ((11, 12), (5, 6), (3, 4))]
    assert [(row["k"], row["n"], row["trials"], row["left_out"]) for row in left_out] == [
        (1, 4, 12, 0), (2, 4, 12, 0), (3, 4, 12, 0),
    ]  # fmt: skip
    expected = mean_interval([1 / 3, 1, 1, 1])
    assert (left_out[1]["low"], left_out[1]["high"]) == (pytest.approx(expected.low), 1.0)


def test_trials_not_measured_are_left_out_with_the_cases_that_lack_k_of_them() -> None:
    rows = curve(of(x=MIXED), LEFT_OUT)
    # k = 1: (2/3 + 1/2 + 1 + 2/3) / 4; k = 2, without C: (1/3 + 0 + 1/3) / 3; k = 3, without B and C: 0.
    assert [row["value"] for row in rows] == [float(Fraction(*each)) for each in ((17, 24), (2, 9), (0, 1))]
    assert [(row["n"], row["trials"], row["left_out"]) for row in rows] == [(4, 9, 0), (3, 8, 1), (2, 6, 2)]
    assert (rows[2]["low"], rows[2]["reason"]) == (None, "no spread over 2 cases")


def test_trials_not_measured_are_counted_as_failed() -> None:
    rows = curve(of(x=MIXED), AS_FAILED)
    # Of three each: k = 1: (2 + 1 + 1 + 2) / 12; k = 2: (1/3 + 0 + 0 + 1/3) / 4; k = 3: 0.
    assert [row["value"] for row in rows] == [float(Fraction(*each)) for each in ((1, 2), (1, 6), (0, 1))]
    assert [(row["n"], row["trials"], row["left_out"]) for row in rows] == [(4, 12, 0)] * 3


def test_a_candidate_of_which_nothing_was_measured_has_no_figure_but_a_reason() -> None:
    run = of(x={case: ["!error"] * 3 for case in "ABCD"})
    assert [(row["value"], row["n"], row["reason"]) for row in curve(run, LEFT_OUT)] == [
        (None, 0, f"no case has {k} measured trial{'s' * (k > 1)}") for k in (1, 2, 3)
    ]
    assert [row["value"] for row in curve(run, AS_FAILED)] == [0.0] * 3


def test_a_case_that_left_the_suite_is_in_neither_convention() -> None:
    run = of(x=GOOD)
    without = run_of("\n".join(CASES.strip().splitlines()[:3]), {"x": GOOD}, trials=3).suite
    rows = curve(Run(run.manifest, without, run.pairs, ""), AS_FAILED)
    assert [(row["value"], row["n"], row["trials"]) for row in rows] == [(1.0, 3, 9)] * 3


def test_one_k_can_be_asked_for_and_none_above_the_trials() -> None:
    run = of(x=MIXED, y=GOOD)
    rows = reliability.pass_hat(run, 2).to_dicts()
    assert [(row["candidate"], row["convention"], row["k"]) for row in rows] == [
        ("x", LEFT_OUT, 2), ("x", AS_FAILED, 2), ("y", LEFT_OUT, 2), ("y", AS_FAILED, 2),
    ]  # fmt: skip
    for k in (0, 4):
        with pytest.raises(NotMeasured, match=rf"pass\^{k} is not measured by this run: it has 3 trials"):
            reliability.pass_hat(run, k)


def test_harms_are_counted_in_trials_and_in_cases_where_a_check_looks_for_them() -> None:
    rows = {row["harm"]: row for row in reliability.harms(of(x=MIXED)).to_dicts()}
    # A alone has facts and claims, and one of its three trials claims; B and C alone expect a handoff: B was measured
    # twice, once sent to another team, C once.
    answer, handoff = rows["wrong answer"], rows["missed handoff"]
    counts = ("trials_with", "trials", "cases_with", "cases", "reason")
    assert tuple(answer[name] for name in counts) == (1, 3, 1, 1, "")
    assert tuple(handoff[name] for name in counts) == (1, 3, 1, 2, "")
    expected = wilson(1, 2)
    assert (handoff["share"], handoff["low"], handoff["high"]) == (0.5, expected.low, expected.high)
    for harm in ("wrong action", "leaked data"):
        assert rows[harm] == {
            "candidate": "x", "harm": harm, "trials_with": 0, "trials": 0, "cases_with": 0, "cases": 0,
            "share": None, "low": None, "high": None, "reason": reliability.NOT_LOOKED_FOR,
        }  # fmt: skip


def test_a_case_counts_once_however_many_of_its_trials_did_harm() -> None:
    run = of(x={**GOOD, "B": [TO_BILLING] * 3})
    row = reliability.harms(run).filter(harm="missed handoff").to_dicts()[0]
    assert (row["trials_with"], row["trials"], row["cases_with"], row["cases"], row["share"]) == (3, 6, 1, 2, 0.5)


def test_a_handoff_of_which_no_route_was_judged_was_not_looked_for() -> None:
    # Another tool's results may tell what was said, and not how it was routed.
    case = "- {id: B, stratum: s, ticket: {body: b}, expected_handling: escalate, must_include: [two days]}"
    run = run_of(case, {"x": {"B": [HANDOFF, DIRECT]}}, trials=2)
    seen = run.verdicts.with_columns(passed=pl.when(pl.col("kind") == "routing").then(None).otherwise("passed"))
    run.__dict__["verdicts"] = seen
    row = reliability.harms(run).filter(harm="missed handoff").to_dicts()[0]
    assert (row["share"], row["trials"], row["reason"]) == (None, 0, reliability.NOT_LOOKED_FOR)


def test_a_trial_of_which_a_check_was_left_unscored_tells_the_harms_of_its_other_checks() -> None:
    run = of(x={**GOOD, "B": [TO_BILLING] * 3})
    run.__dict__["judged"] = run.judged.with_columns(passed=pl.when(pl.col("case") != "B").then("passed"))
    row = reliability.harms(run).filter(harm="missed handoff").to_dicts()[0]
    assert (row["trials_with"], row["trials"]) == (3, 6)
    # Whether all of its checks passed is not known, so it says nothing of pass^k.
    assert [(row["n"], row["left_out"]) for row in curve(run, LEFT_OUT)] == [(3, 1)] * 3
    assert [row["value"] for row in curve(run, AS_FAILED)] == [0.75] * 3


def test_silence_is_measured_and_told_nobody_anything_wrong() -> None:
    rows = {row["harm"]: row for row in reliability.harms(of(x={**GOOD, "A": ["!empty", RIGHT, "!error"]})).to_dicts()}
    assert (rows["wrong answer"]["trials_with"], rows["wrong answer"]["trials"]) == (0, 2)


def test_harms_of_what_was_never_measured_are_undefined() -> None:
    rows = reliability.harms(of(x={case: ["!error"] * 3 for case in "ABCD"})).to_dicts()
    assert {(row["share"], row["reason"]) for row in rows} == {(None, "no trial was measured")}


def test_the_harms_add_up_to_those_of_the_leaderboard() -> None:
    from evalkit.scores import leaderboard

    run = of(x=MIXED, y=BAD)
    board = {row["candidate"]: row for row in leaderboard(run).to_dicts()}
    counted = {(row["candidate"], row["harm"]): row["trials_with"] for row in reliability.harms(run).to_dicts()}
    columns = {"wrong answer": "wrong_answers", "wrong action": "wrong_actions", "missed handoff": "missed_handoffs"}
    for (name, harm), trials in counted.items():
        assert board[name][columns.get(harm, "leaks")] == trials, (name, harm)


def test_the_harm_table_shows_zero_plainly_marks_the_worst_and_sets_the_disqualified_apart() -> None:
    rows = cells(views.harm_table(of(bad=BAD, good=GOOD, mixed=MIXED)))
    firsts = [row[0] for row in rows]
    assert firsts.index("Cleared on safety") < firsts.index("good") < firsts.index(UNRANKED) < firsts.index("bad")
    shown = {row[0]: row for row in rows}
    # Wilson's interval at 0 of 1 is 0 to z²/(1 + z²) = 79 %; at 0 of 2 66 %.
    assert shown["good"][1] == "0 of 3 trials\n0 of 1 case\n0 % (0 to 79)"
    assert shown["good"][3] == "0 of 6 trials\n0 of 2 cases\n0 % (0 to 66)"
    assert shown["bad"][3] == "▲ 6 of 6 trials\n2 of 2 cases\n100 % (34 to 100)"
    assert shown["mixed"][3] == "1 of 3 trials\n1 of 2 cases\n50 % (9 to 91)"
    assert {shown[name][place] for name in ("good", "bad", "mixed") for place in (2, 4)} == {"not measured"}
    note = rows[-1][0]
    assert "▲ the largest share of its column." in note
    assert note.endswith(
        "Not measured: wrong action: no check of a measured trial looks for it; leaked data: no check of a measured "
        "trial looks for it."
    )


def test_where_all_are_alike_none_is_the_worst() -> None:
    for run in (of(one=BAD), of(one=BAD, two=BAD)):
        assert "▲" not in views.harm_table(run).as_raw_html()


def test_a_harm_that_was_not_measured_for_one_candidate_alone_is_said_of_it() -> None:
    run = of(x=GOOD, y={**GOOD, "A": ["!error"] * 3})
    note = cells(views.harm_table(run))[-1][0]
    assert "wrong answer of y: no check of a measured trial looks for it" in note
    assert "wrong answer of x" not in note


def test_the_table_of_pass_hat_has_both_conventions_with_what_is_behind_each() -> None:
    rows = cells(views.pass_hat_table(of(x=MIXED, y=GOOD)))
    firsts = [row[0] for row in rows]
    headings = [firsts.index(heading) for heading in ("Left out: trials that were not measured",
                                                      "As failed: trials that were not measured")]  # fmt: skip
    assert headings == sorted(headings)
    left_out, failed = (next(row for row in rows[start:] if row[0] == "x") for start in headings)
    assert re.sub(r" \(.*?\)", "", "|".join(left_out)) == "x|0.71|0.22, 3 cases|0.00, 2 cases|4 / 9|not cleared"
    assert re.sub(r" \(.*?\)", "", "|".join(failed)) == "x|0.50|0.17|0.00|4 / 12|not cleared"
    assert "A case with fewer than k measured trials is left out too." in rows[-1][0]


def test_the_table_of_pass_hat_is_shown_once_where_nothing_is_missing() -> None:
    rows = cells(views.pass_hat_table(of(x=GOOD)))
    assert [row for row in rows if row[0] == "x"] == [
        ["x", "1.00 (no interval)", "1.00 (no interval)", "1.00 (no interval)", "4 / 12", "cleared"]
    ]
    assert [row[0] for row in rows][1] == "Every trial was measured, so both conventions agree"


def test_the_table_of_pass_hat_says_why_a_figure_is_missing() -> None:
    rows = cells(views.pass_hat_table(of(x={case: ["!error"] * 3 for case in "ABCD"})))
    assert next(row for row in rows if row[0] == "x")[1] == "not measured: no case has 1 measured trial"


def rows_of(spec: Any) -> list[dict[str, Any]]:
    """All distinct data rows of a specification."""
    found = {json.dumps(row, sort_keys=True): row for values in spec["datasets"].values() for row in values} if (
        "datasets" in spec) else {}  # fmt: skip
    for layer in spec["layer"]:
        for row in layer.get("data", {}).get("values", []):
            found[json.dumps(row, sort_keys=True)] = row
    return list(found.values())


def test_the_chart_holds_each_figure_with_its_interval_and_its_n() -> None:
    spec = views.pass_hat_chart(of(x=MIXED, y=BAD, z=GOOD)).to_dict()
    points = {(row["candidate"], row["k"]): row for row in rows_of(spec) if "text" not in row}
    assert points["x", 2]["value"] == pytest.approx(2 / 9)
    assert (points["x", 2]["n"], points["x", 2]["trials"], points["x", 2]["standing"]) == (3, 8, "not cleared")
    assert points["x", 2]["said"].startswith("0.22 (0.00")
    assert points["y", 1]["standing"] == "disqualified"
    assert "x, not cleared, k = 2: 0.22" in spec["description"]
    assert spec["title"]["text"][0] == "Mean over 2 to 4 cases, 6 to 12 trials; bars: 95 % intervals"
    assert {tip["field"] for tip in spec["layer"][3]["encoding"]["tooltip"]} >= {"candidate", "said", "n", "trials"}
    assert figures.static_svg(spec).startswith("<svg")
    assert json.dumps(spec) == json.dumps(views.pass_hat_chart(of(x=MIXED, y=BAD, z=GOOD)).to_dict())


@pytest.mark.parametrize("value", [0.02, 0.5, 0.98])
def test_no_interval_and_no_name_hides_another(value: float) -> None:
    count = 9
    frame = pl.DataFrame(
        [
            {"candidate": f"c{i}", "standing": "cleared", "k": k, "value": value, "low": 0.0, "high": 0.1, "n": 9, "trials": 9}
            for i in range(count)
            for k in (1, 2)
        ]
    )  # fmt: skip
    spec = curves.pass_hat_curves(frame).to_dict()
    found = rows_of(spec)
    at_one = sorted(row["x"] for row in found if "text" not in row and row["k"] == 1)
    assert len(set(at_one)) == count
    assert 0.5 < at_one[0] < at_one[-1] < 1.5
    places = sorted(row["place"] * 340 for row in found if "text" in row)
    assert min(b - a for a, b in itertools.pairwise(places)) >= 15 - 1e-9
    assert 0 <= places[0] < places[-1] <= 340
    # No two of nine look the same, though there are six colours and six shapes.
    point = spec["layer"][3]["encoding"]
    looks = zip(point["color"]["scale"]["range"], point["shape"]["scale"]["range"], strict=True)
    assert len(set(looks)) == count


def test_those_not_cleared_are_told_by_dash_and_fill_and_the_disqualified_are_grey() -> None:
    spec = views.pass_hat_chart(of(x=MIXED, y=BAD, z=GOOD)).to_dict()
    point = spec["layer"][3]["encoding"]
    fills = dict(zip(point["fill"]["scale"]["domain"], point["fill"]["scale"]["range"], strict=True))
    colours = dict(zip(point["color"]["scale"]["domain"], point["color"]["scale"]["range"], strict=True))
    assert fills["x"] == fills["y"] == "#ffffff"
    assert fills["z"] == colours["z"]
    assert colours["y"] == "#56606e"
    assert spec["title"]["text"][1] == "Hollow and dashed: disqualified (grey) or not cleared"
    assert len(views.pass_hat_chart(of(z=GOOD)).to_dict()["title"]["text"]) == 1


def test_a_figure_that_is_undefined_is_not_drawn_and_a_chart_of_none_says_so() -> None:
    run = of(x={case: ["!error"] * 3 for case in "ABCD"}, z=GOOD)
    assert {row["candidate"] for row in rows_of(views.pass_hat_chart(run).to_dict())} == {"z"}
    spec = views.pass_hat_chart(of(x={case: ["!error"] * 3 for case in "ABCD"})).to_dict()
    assert "Nothing was measured." in figures.static_svg(spec)
    figures.script_json(spec)


def test_a_chart_of_one_trial_is_a_point_each() -> None:
    run = run_of(CASES, {"x": {case: said[:1] for case, said in MIXED.items()}})
    points = [row for row in rows_of(views.pass_hat_chart(run).to_dict()) if "text" not in row]
    assert [(row["k"], row["value"]) for row in points] == [(1, 1.0)]


def test_hostile_names_stay_text_and_no_number_is_one_that_a_browser_cannot_read() -> None:
    run = of(**{HOSTILE: MIXED, "z": GOOD})
    spec = views.pass_hat_chart(run).to_dict()
    figure = figures.figure(spec, figures.static_svg(spec))
    assert figure.count("<script") == figure.count("</script") == 1
    for table in (views.harm_table(run), views.pass_hat_table(run)):
        assert "<script" not in table.as_raw_html()
    values = [value for row in rows_of(spec) for value in row.values()]
    assert all(math.isfinite(value) for value in values if isinstance(value, float))


def test_a_column_that_the_chart_lacks_is_named() -> None:
    with pytest.raises(ReportError, match="trials"):
        curves.pass_hat_curves(pl.DataFrame({"candidate": ["x"]}))
