"""What the safety page shows: the answer first, every count with its n, and nothing that is quoted as markup."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ROOT
from handmade import DIRECT, HANDOFF, run_of

from evalkit import boards, cards, figures, views
from evalkit.errors import ReportError
from evalkit.report import render
from evalkit.safety import safety_records
from evalkit.tables import Run
from evalkit.transcript import Message

NOTEBOOK = ROOT / "notebooks" / "20_escalation_safety.ipynb"
HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)>"
MUTE, TO_BILLING, NO_TEAM = "Hello", "ROUTE: escalate\nTEAM: billing\n\nHi", "ROUTE: escalate\n\nHi"
CASES = """
- {id: S0, stratum: s, risk: safety, ticket: {subject: Danger, body: b}, expected_handling: escalate, escalate_to: dev}
- {id: S1, stratum: s, risk: safety, ticket: {body: b}, expected_handling: escalate}
- {id: E, stratum: t, ticket: {body: b}, expected_handling: escalate}
- {id: A, stratum: t, ticket: {body: b}, expected_handling: direct}
"""
RIGHT = {"S0": [HANDOFF, HANDOFF], "S1": [HANDOFF, HANDOFF], "E": [HANDOFF, HANDOFF], "A": [DIRECT, DIRECT]}
FAULTY = {"S0": [TO_BILLING, NO_TEAM], "S1": [MUTE, "!error"], "E": [DIRECT, "!timeout"], "A": [HANDOFF, MUTE]}
ONE_CASE = "- {{id: X, stratum: s, {more}ticket: {{body: b}}, expected_handling: {expected}}}\n"


def of(**answers: Any) -> Run:
    return run_of(CASES, answers, trials=2)


def all_of(*said: str | None) -> dict[str, list]:
    """The same two answers to every case; one is given twice."""
    return {case: [said[0], said[-1]] for case in RIGHT}


# What a shootout can come to at its edges: the run, and who is cleared.
EDGES: dict[str, tuple[Run, list[str]]] = {
    "two of all and one of nothing": (of(good=RIGHT, twin=RIGHT, bad=FAULTY), ["good", "twin"]),
    "one candidate": (of(good=RIGHT), ["good"]),
    "all unreadable": (of(mute=all_of(MUTE)), []),
    "all silent": (of(mute=all_of("!empty", "!timeout")), []),
    "nothing played": (of(late=all_of(None)), []),
    "only direct cases": (run_of(ONE_CASE.format(more="", expected="direct"), {"a": {"X": [DIRECT]}}), []),
    "only escalations": (run_of(ONE_CASE.format(more="", expected="escalate"), {"a": {"X": [HANDOFF]}}), []),
    "a direct safety case": (
        run_of(ONE_CASE.format(more="risk: safety, ", expected="direct"), {"a": {"X": [HANDOFF]}}), [],
    ),
    "one safety case": (
        run_of(ONE_CASE.format(more="risk: safety, ", expected="escalate"), {"a": {"X": [HANDOFF]}}), ["a"],
    ),
    "no case that is still in the suite": (
        Run((whole := of(good=RIGHT)).manifest, run_of(ONE_CASE.format(more="", expected="direct"), {}).suite,
            whole.pairs, whole.judged_by), [],
    ),
}  # fmt: skip
edge = pytest.mark.parametrize(("run", "cleared"), EDGES.values(), ids=EDGES)


class _Reader(HTMLParser):
    """The text of a piece of a page, its tags, and the cells of its rows."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.text, self.tags, self.attributes = "", [], set()
        self.rows: list[list[str]] = []
        self._row: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "tr":
            self._row = []
            self.rows.append(self._row)
        elif tag in ("td", "th"):
            self._row.append("")
        elif tag == "br":
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr":
            self._row[:] = [cell.strip() for cell in self._row]
            self._row = []

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._row:
            self._row[-1] += data.replace("\u00a0", " ")


def shown(piece: Any) -> str:
    return piece.html if isinstance(piece, cards.Card) else piece.as_raw_html()


def pieces(run: Run) -> dict[str, str]:
    """Every piece of the page but its chart, as markup."""
    return {
        "answer": shown(views.safety_answer(run)),
        "cases": shown(views.case_grid(run)),
        "bounds": shown(views.bound_table(run)),
        "handoffs": shown(views.handoff_routes(run)),
        "directs": shown(views.direct_routes(run)),
        "teams": shown(views.team_table(run)),
        "strata": shown(views.strata_grid(run)),
        "price": shown(views.handoff_price(run, 6.0)),
        "cost": shown(views.handoff_cost(run, 6.0)),
        "needless": shown(views.needless_handoffs(run)),
        "unreadable": shown(views.unreadable_cards(run)),
    }


@edge
def test_at_every_edge_the_page_says_who_is_cleared_and_shows_no_nan(run: Run, cleared: list[str]) -> None:
    assert [record.candidate for record in safety_records(run) if record.standing == "cleared"] == cleared
    read = {name: _Reader(piece).text for name, piece in pieces(run).items()}
    first = re.search('<p class="ek-say">([^<]*)', views.safety_answer(run).html)[1]
    assert first.startswith("Nobody is cleared") is not bool(cleared)
    for name, text in read.items():
        assert not re.search(r"\b(nan|NaN|inf|None|null)\b", text), name
    figures.script_json(views.routing_chart(run).to_dict())


@edge
def test_at_every_edge_an_incomplete_run_alone_bears_the_watermark(run: Run, cleared: list[str]) -> None:  # noqa: ARG001
    assert ("ek-watermark" in views.safety_answer(run).html) is not run.complete


def test_hostile_text_stays_text_in_every_piece() -> None:
    # Quoted in YAML, where a quote is doubled.
    yaml = "'" + HOSTILE.replace("'", "''") + "'"
    cases = f"- {{id: {yaml}, stratum: {yaml}, risk: safety, ticket: {{subject: {yaml}, body: {yaml}}}, expected_handling: escalate, escalate_to: dev}}\n"
    cases += f"- {{id: A, stratum: {yaml}, ticket: {{body: {yaml}}}, expected_handling: direct}}\n"
    team = f"ROUTE: escalate\nTEAM: {HOSTILE[:60]}\n\n{HOSTILE}"
    run = run_of(cases, {HOSTILE: {HOSTILE: [team, HOSTILE], "A": [team, HOSTILE]}}, trials=2)
    said = tuple(
        (slot, replace(trial, messages=(Message("user", HOSTILE), *trial.messages[1:]))) for slot, trial in run.pairs
    )
    run = Run(run.manifest, run.suite, said, run.judged_by)
    for name, piece in pieces(run).items():
        read = _Reader(piece)
        assert not {"script", "img"} & set(read.tags), name
        assert not {name for name in read.attributes if name.startswith("on")}, name
    # The candidate twice in the answer; candidate and case in the grid, where the ticket is cut; candidate, ticket and
    # answer once in what was needless; candidate, case and two tickets with their answers in what was unreadable.
    for name, times in {"answer": 2, "cases": 2, "needless": 3, "unreadable": 6}.items():
        assert _Reader(pieces(run)[name]).text.count(HOSTILE) == times, name
    assert "<script>alert" not in str(figures.figure(views.routing_chart(run).to_dict())).partition("json")[2]


def test_the_table_of_handoffs_shows_every_count_with_its_share_and_interval() -> None:
    rows = _Reader(views.handoff_routes(of(good=RIGHT, bad=FAULTY)).as_raw_html()).rows
    assert rows[0] == [
        "Candidate", "Cases / trials", "Caught", "Missed", "Wrong team", "No team", "Unreadable", "Not measured", "Slots",
    ]  # fmt: skip
    bad = [row for row in rows if row[0] == "bad"]
    # Safety, other, all. S0: wrong team and no team; S1: unreadable and an error; E: missed and too late.
    # Of two cases half a case in one: (1/2 + 0) / 2, and all of the measured trial of the other: (0 + 1) / 2.
    assert [row[1] for row in bad] == ["2 / 3", "1 / 2", "3 / 5"]
    assert [re.match(r"\d+", cell)[0] for cell in bad[0][2:]] == ["0", "0", "1", "1", "1", "1", "4"]
    assert bad[0][4].startswith("1 25 % (")
    assert bad[0][6].startswith("1 50 % (")
    assert [re.match(r"\d+", cell)[0] for cell in bad[1][2:]] == ["0", "1", "0", "0", "1", "0", "2"]
    assert bad[2][-2:] == ["1", "6"]


def test_the_note_below_says_how_many_of_the_unreadable_were_no_answer_at_all() -> None:
    text = _Reader(views.handoff_routes(of(good=RIGHT, bad=FAULTY)).as_raw_html()).text
    assert "empty or too late (trials in both tables: 1 of bad)" in text
    assert "all 8 slots of a candidate" in text


def test_the_grid_of_cases_has_a_mark_for_each_trial_and_the_worst_case_first() -> None:
    found = _Reader(views.case_grid(of(good=RIGHT, bad=FAULTY)).html)
    assert found.rows == [
        ["Safety case", "good", "bad"], ["S0to dev · Danger", "✓✓", "✗?"], ["S1to a person · b", "✓✓", "?–"],
    ]  # fmt: skip
    titles = re.findall('aria-label="([^"]*)"', views.case_grid(of(bad=FAULTY)).html)
    assert titles[:2] == [
        "trial 0: escalated to billing, where escalate to dev is expected",
        "trial 1: escalated without a team, where escalate to dev is expected",
    ]
    worse = {**RIGHT, "S1": [DIRECT, HANDOFF]}
    assert [row[0][:2] for row in _Reader(views.case_grid(of(x=worse)).html).rows[1:]] == ["S1", "S0"]


def test_the_grid_of_strata_counts_what_was_lost_and_marks_what_could_not_be_read() -> None:
    found = _Reader(views.strata_grid(of(bad=FAULTY)).html)
    # s: one wrong team of three measured, (1/2 + 0) / 2; t: one missed of two.
    assert found.rows[1][1].startswith("1/325 % (")
    assert found.rows[1][1].endswith("n = 2")
    assert found.rows[2][1].startswith("1/250 % (")
    mute = views.strata_grid(of(mute=all_of(MUTE))).html
    assert "ek-s-warn" in mute
    assert "ek-s-bad" not in mute


def test_of_each_candidate_five_cases_are_quoted_and_the_rest_counted() -> None:
    cases = "".join(f"- {{id: A{n}, ticket: {{body: b}}, expected_handling: direct}}\n" for n in range(8))
    said = {f"A{n}": [HANDOFF, HANDOFF if n == 7 else DIRECT] for n in range(8)}
    found = _Reader(views.needless_handoffs(run_of(cases, {"shy": said, "bold": said}, trials=2)).html)
    assert found.tags.count("li") == 10
    assert found.text.count("and 3 more cases") == 2
    assert "shy: 9 trials of 8 cases" in found.text
    # The case handed over in both trials stands first, and its reply is quoted without the route.
    assert found.text.index("A7") < found.text.index("A0")
    assert "ROUTE: escalate TEAM" not in found.text


def test_unreadable_cards_are_quoted_and_silence_is_said_to_be_silence() -> None:
    text = _Reader(views.unreadable_cards(of(bad=FAULTY)).html).text
    assert "bad: 3 trials of 3 cases" in text
    assert "The candidate answered Hello" in text
    assert "(nothing) (timeout: by hand)" in text
    assert "no route stands before the reply" in text
    both = _Reader(views.unreadable_cards(of(mixed={**RIGHT, "E": [MUTE, "!timeout"]})).html).text
    assert "E · 2 of 2 trials: no route stands before the reply; no answer: by hand" in both
    assert "Every answer" in _Reader(views.unreadable_cards(of(good=RIGHT)).html).text


def test_the_price_is_said_to_be_assumed_and_the_mix_to_be_the_runs() -> None:
    run = of(good=RIGHT)
    assert re.search(r"not measured: .* costs \$12\.50\. .*25 % of its cases", views.handoff_price(run, 12.5).html)
    assert "40 % of tickets need no person" in views.handoff_price(run, 12.5, 0.4).html
    with pytest.raises(ReportError, match="handoff_usd"):
        views.handoff_price(run, -1)
    with pytest.raises(ReportError, match=r"direct_share is -0\.5"):
        views.handoff_cost(run, 6.0, 1000, -0.5)


def test_a_cost_is_that_of_needless_handoffs_and_of_the_model_for_a_months_tickets() -> None:
    rows = _Reader(views.handoff_cost(of(bad=FAULTY, good=RIGHT), 6.0, 500).as_raw_html()).rows
    assert [row[0] for row in rows[:5]] == ["Candidate", "Cleared", "good", "Disqualified on safety", "bad"]
    # bad: one of two measured direct trials; 1000 × 1/4 × 1/2 × 6 dollars; for 500 tickets half, and half a dollar.
    assert rows[4][2].startswith("50.0 (")
    assert rows[4][3].startswith("$750 (")
    assert rows[4][5] == "$376"


def test_the_cost_of_the_disqualified_stands_apart_and_below_however_cheap() -> None:
    run = of(cheap={**FAULTY, "A": [DIRECT, DIRECT]}, timid={**RIGHT, "A": [HANDOFF, HANDOFF]}, good=RIGHT)
    rows = _Reader(views.handoff_cost(run, 6.0).as_raw_html()).rows
    assert [row[0] for row in rows[1:6]] == ["Cleared", "good", "timid", "Disqualified on safety", "cheap"]


def test_an_invented_price_of_a_model_is_marked_and_an_unknown_cost_is_unknown() -> None:
    made_up = run_of(CASES, {"good": RIGHT}, trials=2, price={"input": 1000.0, "output": 0.0})
    # Ten tokens a trial at a thousand dollars a million: a cent, and for 1,000 tickets ten dollars.
    assert _Reader(views.handoff_cost(made_up, 6.0).as_raw_html()).rows[2][4] == "$10 †"
    assert "An invented price" in _Reader(views.handoff_cost(made_up, 6.0).as_raw_html()).text
    assert "†" not in _Reader(views.handoff_cost(of(good=RIGHT), 6.0).as_raw_html()).text
    late = of(good=RIGHT, late={**all_of(None), "A": ["!empty", "!error"]})
    unpriced = tuple(
        (slot, trial and replace(trial, attempts=() if slot.candidate == "late" else trial.attempts))
        for slot, trial in late.pairs
    )
    rows = _Reader(views.handoff_cost(Run(late.manifest, late.suite, unpriced, ""), 6.0).as_raw_html()).rows
    assert rows[-2][0] == "late"
    assert rows[-2][4:] == ["unknown", "not known"]


def test_who_was_called_is_marked_right_wrong_or_neither() -> None:
    rows = _Reader(views.team_table(of(bad=FAULTY)).as_raw_html()).rows
    assert rows[0] == [
        "Expected",
        "dev",
        "billing",
        "No team",
        "Answered itself",
        "Unreadable",
        "Not measured",
        "Slots",
    ]
    # S0, where dev is expected: billing, and no team. S1 and E, where any team may take over: unreadable, not measured,
    # answered, too late.
    assert rows[2] == ["dev", "·", "✗ 1", "? 1", "·", "·", "·", "2"]
    assert rows[3] == ["any team", "·", "·", "·", "✗ 1", "? 2", "– 1", "4"]
    right = _Reader(views.team_table(of(good={**RIGHT, "E": [NO_TEAM, TO_BILLING]})).as_raw_html()).rows
    assert right[2:4] == [["dev", "✓ 2", "·", "·", "2"], ["any team", "✓ 2", "✓ 1", "✓ 1", "4"]]


def test_a_suite_that_disqualifies_nobody_for_a_miss_does_not_say_that_none_was_missed() -> None:
    missing = {**RIGHT, "S1": [DIRECT, HANDOFF]}
    run = run_of(CASES, {"lax": missing}, trials=2, settings="{name: handmade, disqualify_on: [leak]}")
    text = _Reader(views.safety_answer(run).html).text
    assert "lax is cleared." in text
    assert "this suite disqualifies nobody for a miss" in text
    # One of two cases: at most one miss has the chance 1 − p² = 0.05, so p = √0.95.
    assert "with 1 of 2 missed, up to 97.5 %" in text
    assert "none was missed in any trial" in _Reader(views.safety_answer(of(good=RIGHT)).html).text


def test_faults_that_were_seen_are_coloured_and_others_are_not() -> None:
    alarm = f"color: {boards._ALARM}"
    assert alarm not in views.handoff_routes(of(good=RIGHT)).as_raw_html()
    # bad: wrong team among the safety cases, missed among the others, and both among all.
    assert views.handoff_routes(of(bad=FAULTY)).as_raw_html().count(alarm) == 4


def test_a_share_never_rounds_to_none_or_to_all() -> None:
    assert boards.percent_with_interval(0.004, 0.0, 0.996) == "<\u00a01\u00a0% (0 to >\u00a099)"
    assert boards.percent_with_interval(1.0, 0.5, 1.0) == "100\u00a0% (50 to 100)"
    assert boards.percent_with_interval(None, None, None) == "not measured"
    assert boards.percent_with_interval(0.5, float("nan"), 1.0) == "50\u00a0% (no\u00a0interval)"


def test_a_table_of_counts_names_a_column_that_is_missing() -> None:
    with pytest.raises(ReportError, match=r"tally needs the column\(s\) gone"):
        boards.tally(
            pl.DataFrame({"kind": [], "candidate": [], "cases": [], "trials": [], "slots": []}),
            {"gone": "Gone"},
            right="gone",
            faults=(),
        )


def test_the_page_of_a_run_in_which_nobody_is_cleared_says_so_first(tmp_path: Path) -> None:
    run = run_of(CASES, {"old": FAULTY, "new": {**RIGHT, "S0": [HANDOFF, "!timeout"]}}, trials=2, baseline="old")
    (tmp_path / "archive").mkdir()
    run.archive(tmp_path / "archive")
    text = render(NOTEBOOK, {"run": str(tmp_path / "archive"), "handoff_usd": 4.0}, tmp_path / "out").read_text("utf-8")
    first = re.search('<p class="ek-say">([^<]*)', text)[1]
    assert first == "Nobody is cleared. old is disqualified. new is not cleared."
    assert "The baseline old is disqualified" in text
    assert '<div class="ek-watermark"' in text
    assert "costs $4.00" in text
