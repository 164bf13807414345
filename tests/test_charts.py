"""Charts hold exactly the figures they were given, and nothing that a browser cannot read."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl
import pytest

from evalkit import charts, figures
from evalkit.errors import ReportError

HOSTILE = "</script><script>alert(1)</script><!-- \u2028"

SCORES = pl.DataFrame(
    {
        "candidate": ["out", "steady", "unsure"],
        "standing": ["disqualified", "cleared", "not cleared"],
        "score": [0.9, 0.7, -0.4],
        "low": [0.8, 0.6, None],
        "high": [1.0, 0.8, None],
        "n": [32, 32, 30],
    }
)
STRATA = pl.DataFrame(
    {
        "candidate": ["steady", "bold", "steady", "bold"],
        "stratum": ["billing", "billing", "discord", "discord"],
        "score": [0.7, 0.6, 0.5, None],
        "low": [0.6, float("nan"), float("-inf"), None],
        "high": [0.8, 0.7, 0.6, None],
        "n": [4, 4, 4, 0],
    }
)
POINTS = pl.DataFrame(
    {
        "candidate": ["steady"] * 4 + ["bold"],
        "kind": ["fact present", "routing right", "fact missing", "routing wrong", "fact present"],
        "points": [88.0, 174.0, -30.0, -27.0, float("nan")],
    }
)
ALL: list[tuple[Callable[[pl.DataFrame], Any], pl.DataFrame]] = [
    (charts.score_intervals, SCORES),
    (charts.score_by_stratum, STRATA),
    (charts.points_by_kind, POINTS),
]
each = pytest.mark.parametrize(("chart", "frame"), ALL, ids=lambda value: getattr(value, "__name__", ""))


def rows(spec: Any) -> Iterator[dict[str, Any]]:
    """All data rows anywhere in a specification."""
    if isinstance(spec, dict):
        yield from spec.get("values") or []
        for values in spec.get("datasets", {}).values():
            yield from values
        for value in spec.values():
            yield from rows(value)
    elif isinstance(spec, list):
        for item in spec:
            yield from rows(item)


def unique(spec: Any) -> list[dict[str, Any]]:
    return list({json.dumps(row, sort_keys=True): row for row in rows(spec) if isinstance(row, dict)}.values())


@each
def test_a_chart_can_be_drawn_and_is_the_same_bytes_again(chart: Callable[..., Any], frame: pl.DataFrame) -> None:
    spec = chart(frame).to_dict()
    assert figures.static_svg(spec).startswith("<svg")
    assert json.dumps(spec) == json.dumps(chart(frame).to_dict())


@each
def test_a_chart_holds_no_number_that_a_browser_cannot_read(chart: Callable[..., Any], frame: pl.DataFrame) -> None:
    figures.script_json(chart(frame).to_dict())
    values = [value for row in unique(chart(frame).to_dict()) for value in row.values()]
    assert all(math.isfinite(value) for value in values if isinstance(value, float))


@each
def test_a_frame_without_rows_gives_a_chart_that_says_so(chart: Callable[..., Any], frame: pl.DataFrame) -> None:
    spec = chart(frame.head(0)).to_dict()
    assert "Nothing was measured." in figures.static_svg(spec)


@each
def test_a_missing_column_is_named(chart: Callable[..., Any], frame: pl.DataFrame) -> None:
    with pytest.raises(ReportError, match="candidate"):
        chart(frame.drop("candidate"))


@each
def test_hostile_names_are_data_and_their_script_stays_text(chart: Callable[..., Any], frame: pl.DataFrame) -> None:
    hostile = frame.with_columns(candidate=pl.lit(HOSTILE + "'+alert(1)+'") + pl.col("candidate"))
    spec = chart(hostile).to_dict()
    figure = figures.figure(spec, figures.static_svg(spec))
    assert figure.count("<script") == figure.count("</script") == 1
    assert "<!--" not in figure
    # What a browser reads out of the element is what was put in.
    inside = figure.partition('<script type="application/json">')[2].partition("</script>")[0]
    assert json.loads(inside) == spec
    assert "alert" not in json.dumps([layer.get("transform") for layer in spec["layer"]])


@each
def test_a_chart_describes_itself_for_those_who_cannot_see_it(chart: Callable[..., Any], frame: pl.DataFrame) -> None:
    spec = chart(frame).to_dict()
    assert "steady" in spec["description"]
    assert f'alt="{spec["description"][:12]}' in figures.figure(spec, "<svg/>")


def test_the_disqualified_stand_below_a_line_of_their_own() -> None:
    lines = sorted(unique(charts.score_intervals(SCORES).to_dict()), key=lambda row: row["line"])
    assert [line["name"] for line in lines] == [
        "steady", "unsure (not cleared)", "Disqualified on safety – not ranked", "out",
    ]  # fmt: skip


def test_a_score_is_drawn_with_its_interval_and_its_n() -> None:
    lines = {line["candidate"]: line for line in unique(charts.score_intervals(SCORES).to_dict()) if "score" in line}
    assert (lines["out"]["score"], lines["out"]["low"], lines["out"]["high"]) == (0.9, 0.8, 1.0)
    assert lines["out"]["value"].replace("\u00a0", " ") == "0.90 (0.80 to 1.00), n = 32"
    assert lines["unsure"]["value"].replace("\u00a0", " ") == "−0.40 (no interval), n = 30"


def test_an_interval_is_drawn_up_to_the_best_score_possible_and_written_as_it_is() -> None:
    wide = SCORES.with_columns(high=pl.lit(1.7))
    found = [line for line in unique(charts.score_intervals(wide).to_dict()) if "score" in line]
    assert {line["drawn"] for line in found} == {1.0}
    assert "1.70" in found[0]["value"]


def test_a_standing_is_told_by_shape_and_by_fill_beside_colour() -> None:
    point = charts.score_intervals(SCORES).to_dict()["layer"][-1]["encoding"]
    seen = {
        standing: (shape, fill)
        for standing, shape, fill in zip(
            point["shape"]["scale"]["domain"],
            point["shape"]["scale"]["range"],
            point["fill"]["scale"]["range"],
            strict=True,
        )
    }
    assert seen["disqualified"] == ("circle", "#ffffff")
    assert seen["cleared"][0] != seen["not cleared"][0]


def test_strata_and_candidates_keep_the_order_of_the_frame() -> None:
    lines = sorted(unique(charts.score_by_stratum(STRATA).to_dict()), key=lambda row: row["line"])
    assert [line.get("candidate", line.get("name")) for line in lines] == [
        "billing", "steady", "bold", "discord", "steady", "bold",
    ]  # fmt: skip
    assert lines[1]["short"] == "0.70, n 4"
    assert lines[5]["short"] == "not measured"


def test_gains_are_stacked_to_the_right_of_zero_and_losses_to_the_left() -> None:
    spec = charts.points_by_kind(POINTS).to_dict()
    parts = {row["kind"]: (row["start"], row["end"]) for row in unique(spec) if "kind" in row}
    # Gains end to end from 0: 88, then 88 + 174 = 262. Losses: −30, then −30 − 27 = −57.
    assert parts == {
        "fact present": (0, 88),
        "routing right": (88, 262),
        "fact missing": (0, -30),
        "routing wrong": (-30, -57),
    }


def test_the_parts_of_a_bar_are_written_out_below_it_each_on_a_line() -> None:
    found = unique(charts.points_by_kind(POINTS).to_dict())
    # 88 + 174 − 30 − 27 = 205; bold's only figure is not a number.
    assert {row["candidate"]: row["sum"] for row in found if "sum" in row} == {
        "steady": "+205 points in all",
        "bold": "0 points in all",
    }
    parts = sorted((row for row in found if "text" in row), key=lambda row: (row["points"] < 0, row["written"]))
    assert [part["text"] for part in parts] == [
        "+88 fact present",
        "+174 routing right",
        "−30 fact missing",
        "−27 routing wrong",
    ]
    assert 0 < parts[0]["written"] < parts[1]["written"] < 1


def test_a_chart_that_reads_its_data_from_elsewhere_is_refused() -> None:
    spec = {"data": {"url": "https://example.org/rows.json"}, "mark": "point", "encoding": {}}
    with pytest.raises(ReportError, match="not allowed"):
        figures.static_svg(spec)


def test_not_a_number_in_a_chart_is_an_error_and_not_a_broken_page() -> None:
    with pytest.raises(ReportError, match="NaN"):
        figures.script_json({"values": [float("nan")]})


def test_a_report_gets_the_specification_and_jupyterlab_a_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = charts.score_intervals(SCORES).to_dict()
    monkeypatch.setenv("EVALKIT_REPORT", "1")
    assert set(figures._renderer(spec)) == {figures.MIME, "text/plain"}
    monkeypatch.delenv("EVALKIT_REPORT")
    lab = figures._renderer(spec)
    assert set(lab) == {"text/html", "text/plain"}
    assert "evalkitDraw" in lab["text/html"]
    assert "https://" not in lab["text/html"].replace(spec["$schema"], "")
