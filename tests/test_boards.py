"""Tables show every figure with what it rests on, and hostile names as text."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import polars as pl
import pytest

from evalkit import boards, shown
from evalkit.errors import ReportError

HOSTILE = "<script>alert(1)</script>"


class _Cells(HTMLParser):
    """The rows of a table as lists of texts."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[str] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip("\n ")


def candidate(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "candidate": name, "standing": "cleared", "rank": "1", "score": 0.71, "low": 0.6, "high": 0.81,
        "cases": 32, "measured": 96, "timed": 96, "wrong_answers": 12, "wrong_actions": 0, "missed_handoffs": 4, "leaks": 1,
        "escalations_caught": 35, "escalations": 36, "direct_kept": 51, "directs": 60, "unreadable": 2,
        "usd_per_ticket": 0.0021, "price_invented": False, "seconds_median": 0.012, "seconds_p95": 1.25,
        "not_completed": "",
    } | changes  # fmt: skip


def shown_rows(*rows: dict[str, Any]) -> list[list[str]]:
    return _Cells(boards.leaderboard(pl.DataFrame(list(rows))).as_raw_html()).rows


def row_of(rows: list[list[str]], name: str) -> list[str]:
    return next(row for row in rows if row and row[0].startswith(name))


def test_a_row_of_the_leaderboard_shows_every_figure_with_what_it_rests_on() -> None:
    row = [text.replace("\u00a0", " ") for text in row_of(shown_rows(candidate("steady")), "steady")]
    assert row == [
        "steady", "1", "0.71 (0.60 to 0.81)", "32 / 96", "12", "0", "4", "1", "35/36", "51/60", "2", "$0.0021",
        "12 ms / 1.2 s",
    ]  # fmt: skip


def test_the_disqualified_stand_in_a_group_of_their_own_below_and_have_no_rank() -> None:
    rows = shown_rows(
        candidate("out", standing="disqualified", rank="1", score=0.9),
        candidate("in", rank="1"),
    )
    firsts = [row[0] for row in rows if row]
    assert firsts.index("in") < firsts.index(boards.UNRANKED) < firsts.index("out")
    assert row_of(rows, "out")[1] == "–"


def test_candidates_that_are_not_cleared_stand_in_a_group_of_their_own() -> None:
    rows = shown_rows(candidate("unsure", standing="not cleared", rank=None))
    assert [row[0] for row in rows].index("Not cleared on safety – not ranked") < [row[0] for row in rows].index(
        "unsure"
    )
    assert any("Not cleared:" in cell for row in rows for cell in row)


def test_an_unknown_price_is_unknown_and_an_invented_one_is_marked() -> None:
    rows = shown_rows(
        candidate("unpriced", usd_per_ticket=None), candidate("free", usd_per_ticket=0.0),
        candidate("made-up", price_invented=True),
    )  # fmt: skip
    assert row_of(rows, "unpriced")[11] == "unknown"
    assert row_of(rows, "free")[11] == "$0.00"
    assert row_of(rows, "made-up")[11] == "$0.0021\u00a0†"
    assert any("invented price" in cell for row in rows for cell in row)
    assert not any("invented" in cell for row in shown_rows(candidate("x")) for cell in row)


def test_the_column_of_what_was_not_completed_is_there_when_something_was_not() -> None:
    rows = shown_rows(candidate("steady"), candidate("flaky", not_completed="2 empty, 1 timeout"))
    assert row_of(rows, "flaky")[-1] == "2 empty, 1 timeout"
    assert row_of(rows, "steady")[-1] == "–"
    assert any("Every trial was completed." in cell for row in shown_rows(candidate("x")) for cell in row)


@pytest.mark.parametrize("undefined", [None, float("nan"), float("inf")])
def test_an_undefined_score_or_latency_is_never_a_number(undefined: float | None) -> None:
    row = row_of(shown_rows(candidate("x", score=undefined, seconds_median=undefined)), "x")
    assert row[2] == "not measured"
    assert row[12].startswith("–")
    assert row_of(shown_rows(candidate("x", low=undefined)), "x")[2] == "0.71 (no\u00a0interval)"


def test_hostile_text_stays_text_in_every_place_of_a_table() -> None:
    frame = pl.DataFrame({"a": [HOSTILE], "b": [HOSTILE], "c": [HOSTILE]})
    board = boards.table(frame, {"a": HOSTILE + "a", "b": HOSTILE + "b", "c": "c"}, stub="a", group="c", note=HOSTILE)
    read = _Cells(board.as_raw_html())
    assert "script" not in read.tags
    assert sum(HOSTILE in cell for row in read.rows for cell in row) == 6
    leader = _Cells(boards.leaderboard(pl.DataFrame([candidate(HOSTILE, not_completed=HOSTILE)])).as_raw_html())
    assert "script" not in leader.tags


def test_a_table_shows_the_columns_that_its_labels_choose_in_their_order() -> None:
    frame = pl.DataFrame({"n": [3], "score": [0.5], "unseen": ["x"], "name": ["a"]})
    rows = _Cells(boards.table(frame, {"score": "Score", "n": "Cases"}, stub="name", digits=3).as_raw_html()).rows
    assert [row[-2:] for row in rows] == [["Score", "Cases"], ["0.500", "3"]]


def test_null_and_nan_show_as_a_dash() -> None:
    frame = pl.DataFrame({"a": [None, float("nan"), 1.0]}, schema={"a": pl.Float64})
    assert [row[0] for row in _Cells(boards.table(frame).as_raw_html()).rows[1:]] == ["–", "–", "1.00"]


def test_the_same_table_is_the_same_bytes() -> None:
    frame = pl.DataFrame([candidate("steady")])
    assert boards.leaderboard(frame).as_raw_html() == boards.leaderboard(frame).as_raw_html()


def test_a_frame_without_rows_says_that_there_is_nothing() -> None:
    empty = pl.DataFrame([candidate("x")]).head(0)
    assert "Nothing to show." in boards.leaderboard(empty).as_raw_html()
    assert "Nothing to show." in boards.table(empty, {"candidate": "C"}, note="n").as_raw_html()


def test_a_missing_column_is_named() -> None:
    with pytest.raises(ReportError, match=r"leaderboard needs the column\(s\) leaks"):
        boards.leaderboard(pl.DataFrame([candidate("x")]).drop("leaks"))


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "$0.00"), (12.345, "$12.35"), (0.5, "$0.50"), (0.0021, "$0.0021"), (0.00002149, "$0.000021"),
     (0.00000001, "< $0.000001"), (None, "unknown")],
)  # fmt: skip
def test_a_sum_of_money_keeps_two_digits_that_count(value: float | None, said: str) -> None:
    assert shown.usd(value) == said


@pytest.mark.parametrize(("value", "said"), [(-0.001, "0.00"), (-0.5, "−0.50"), (1.005, "1.00"), (0.995, "0.99")])
def test_a_number_has_a_true_minus_and_no_negative_zero(value: float, said: str) -> None:
    assert shown.number(value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(0.0004, "0\u00a0ms"), (0.9994, "999\u00a0ms"), (0.9996, "1.0\u00a0s"), (None, "–")]
)
def test_a_duration_is_said_in_its_own_unit(value: float | None, said: str) -> None:
    assert shown.seconds(value) == said


@pytest.mark.parametrize(("value", "said"), [(12.0, "+12"), (-3.5, "−3.5"), (0.0, "0"), (-0.04, "0")])
def test_points_carry_their_sign(value: float, said: str) -> None:
    assert shown.signed(value) == said
