"""Charts: one function, one Altair chart, drawn to be read on a phone and without colour.

Names stand inside the drawing, beside what they name, so that none is cut off where the page is narrow.
Text that comes from data stays data in the specification and is never part of an expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalkit.figures import enable
from evalkit.shown import UNRANKED, finite, number, require, signed, with_interval

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["enable", "points_by_kind", "routed_right", "score_by_stratum", "score_intervals"]

INK, MUTED, GRID, ALARM = "#1c2430", "#56606e", "#e9edf1", "#b3261e"
# Okabe and Ito's palette, darkened where it is too light on white; shapes say the same again.
COLOURS = ("#0072b2", "#d55e00", "#00805e", "#a0527f", "#946800", "#2c7fb0")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
GAINS = ("#0072b2", "#56b4e9", "#00507d", "#a6cee3")
LOSSES = ("#d55e00", "#e69f00", "#8c2d04", "#f3c98b")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif"
# The width of the names beside a stratum's intervals.
_GUTTER = "max(130, width * 0.27)"
_STANDINGS = ["cleared", "not cleared", "disqualified"]


def score_intervals(frame: pl.DataFrame) -> alt.LayerChart:
    """Each candidate's score as a point with its interval; the disqualified hollow and below the others.

    Columns: `candidate`; `standing` cleared | not cleared | disqualified; `score` (points over points
    possible); `low`, `high` (nullable); `n` (cases). Rows keep the frame's order within their standing.
    """
    import altair as alt

    require(frame, ["candidate", "standing", "score", "low", "high", "n"], "score_intervals")
    rows = sorted(rows_of(frame), key=lambda row: row["standing"] == "disqualified")
    lines: list[dict[str, Any]] = []
    for row in rows:
        if row["standing"] == "disqualified" and not any(line["kind"] == "part" for line in lines):
            lines.append({"kind": "part", "name": UNRANKED, "line": len(lines)})
        name = row["candidate"] + (" (not cleared)" if row["standing"] == "not cleared" else "")
        value = f"{with_interval(row['score'], row['low'], row['high'])}, n = {row['n']}"
        drawn = _drawn(row["high"])
        lines.append({**row, "kind": "row", "name": name, "value": value, "drawn": drawn, "line": len(lines)})
    base = _lines(lines)
    measured = base.transform_filter("datum.kind === 'row'")
    x = {"scale": _scale(rows), "axis": _axis("Score (points over points possible, 1 at best), 95 % interval")}
    y = _line_y(len(lines))
    colour = alt.Color("standing:N", scale=alt.Scale(domain=_STANDINGS, range=["#0072b2", "#946800", ALARM]))
    filled = alt.Scale(domain=_STANDINGS, range=["#0072b2", "#946800", "#ffffff"])
    shape = alt.Scale(domain=_STANDINGS, range=["circle", "triangle-up", "circle"])
    tooltip = tooltips(candidate="Candidate", standing="Standing", value="Score", n="Cases")
    layers = alt.layer(
        base.transform_filter("datum.kind === 'part'")
        .mark_text(align="left", fontSize=12, fontWeight=700, color=ALARM)
        .encode(x=alt.value(0), y=y, text="name:N"),
        measured.mark_text(align="left", dy=-17, fontSize=13, fontWeight=600, limit=alt.expr("width"))
        .encode(x=alt.value(0), y=y, text="name:N"),
        measured.mark_text(align="right", dy=17, fontSize=12, color=MUTED)
        .encode(x=alt.value("width"), y=y, text="value:N"),
        measured.mark_rule(strokeWidth=3).encode(
            x=alt.X("low:Q", title=None, **x), x2="drawn:Q", y=y, color=colour.legend(None), tooltip=tooltip
        ),
        measured.mark_point(size=110, strokeWidth=2.5, opacity=1).encode(
            x=alt.X("score:Q", title=None, **x), y=y, color=colour.legend(None), tooltip=tooltip,
            fill=alt.Fill("standing:N", scale=filled, legend=None),
            shape=alt.Shape("standing:N", scale=shape, legend=None),
        ),
    )  # fmt: skip
    said = "; ".join(f"{row['name']}, {row['standing']}: {row['value']}" for row in lines if row["kind"] == "row")
    return dressed(layers, 58 * len(lines), f"Score of each candidate. {said}", empty=not rows)


def score_by_stratum(
    frame: pl.DataFrame, *, what: str = "Score", axis: str = "Score (1 at best), with 95 % interval"
) -> alt.LayerChart:
    """The candidates' scores in each stratum, a block of lines a stratum, each with its interval and its n.

    Columns: `candidate`, `stratum`, `score`, `low`, `high` (nullable), `n` (cases). Strata and candidates
    keep the order in which the frame first names them.
    """
    import altair as alt

    require(frame, ["candidate", "stratum", "score", "low", "high", "n"], "score_by_stratum")
    rows = rows_of(frame)
    candidates = list(dict.fromkeys(row["candidate"] for row in rows))
    lines: list[dict[str, Any]] = []
    for stratum in dict.fromkeys(row["stratum"] for row in rows):
        lines.append({"kind": "part", "name": stratum, "line": len(lines)})
        for row in sorted(
            (row for row in rows if row["stratum"] == stratum),
            key=lambda row: candidates.index(row["candidate"]),
        ):
            value = with_interval(row["score"], row["low"], row["high"])
            short = value if row["score"] is None else f"{number(row['score'])}, n {row['n']}"
            shown = {"value": value, "short": short, "drawn": _drawn(row["high"])}
            lines.append({**row, **shown, "kind": "row", "line": len(lines)})
    base = _lines(lines)
    measured = base.transform_filter("datum.kind === 'row'")
    x = {
        "scale": _scale(rows, left=_GUTTER, right=82),
        "axis": _axis(axis),
    }
    y = _line_y(len(lines))
    colours = [COLOURS[i % len(COLOURS)] for i in range(len(candidates))]
    shapes = [SHAPES[i % len(SHAPES)] for i in range(len(candidates))]
    colour = alt.Color("candidate:N", scale=alt.Scale(domain=candidates, range=colours), legend=None)
    shape = alt.Shape("candidate:N", scale=alt.Scale(domain=candidates, range=shapes), legend=None)
    tooltip = tooltips(stratum="Stratum", candidate="Candidate", value=what, n="Cases")
    layers = alt.layer(
        base.transform_filter("datum.kind === 'part'")
        .mark_text(align="left", fontSize=12.5, fontWeight=700, dy=2, limit=alt.expr("width"))
        .encode(x=alt.value(0), y=y, text="name:N"),
        measured.mark_text(align="left", fontSize=11.5, dx=8, limit=alt.expr(f"{_GUTTER} - 14"))
        .encode(x=alt.value(0), y=y, text="candidate:N", tooltip=tooltip),
        measured.mark_text(align="right", fontSize=11, color=MUTED)
        .encode(x=alt.value("width"), y=y, text="short:N"),
        measured.mark_rule(strokeWidth=2)
        .encode(x=alt.X("low:Q", title=None, **x), x2="drawn:Q", y=y, color=colour, tooltip=tooltip),
        measured.mark_point(filled=True, size=62, opacity=1)
        .encode(x=alt.X("score:Q", title=None, **x), y=y, color=colour, shape=shape, tooltip=tooltip),
    )  # fmt: skip
    said = "; ".join(
        f"{row['stratum']}, {row['candidate']}: {row['value']}, n = {row['n']}" for row in lines if row["kind"] == "row"
    )
    return dressed(layers, 20 * len(lines), f"{what} by stratum. {said}", empty=not rows)


def routed_right(frame: pl.DataFrame) -> alt.LayerChart:
    """The candidates' shares of routes that were right, a block of lines for each of the two ways.

    Columns: `way` (the block's heading), `candidate`, `score` (a share over cases), `low`, `high` (nullable), `n`
    (cases).
    """
    axis = "Share routed right, 95 % interval"
    return score_by_stratum(frame.rename({"way": "stratum"}), what="Routed right", axis=axis)


def points_by_kind(frame: pl.DataFrame) -> alt.LayerChart:
    """Where each candidate's points come from: a bar of gains to the right of zero, of losses to its left.

    Columns: `candidate`, `kind` (such as "fact present"), `points` (their sum over the trials; negative:
    lost). Below each bar its parts are written out with their colour, losses left and gains right.
    """
    import altair as alt

    require(frame, ["candidate", "kind", "points"], "points_by_kind")
    rows = [row for row in rows_of(frame) if row["points"]]
    candidates = list(dict.fromkeys(frame["candidate"].to_list()))
    stacks = [_stacked([row for row in rows if row["candidate"] == name]) for name in candidates]
    height = 70 + 15 * max((part["place"] + 1 for stack in stacks for part in stack), default=0)
    parts = [
        {**part, "line": line, "written": line + (27 + 15 * part["place"]) / height}
        for line, stack in enumerate(stacks)
        for part in stack
    ]
    sums = [
        {"line": line, "candidate": name, "sum": f"{signed(sum(p['points'] for p in stack))} points in all"}
        for line, (name, stack) in enumerate(zip(candidates, stacks, strict=True))
    ]
    gained = list(dict.fromkeys(part["key"] for part in parts if part["points"] > 0))
    lost = list(dict.fromkeys(part["key"] for part in parts if part["points"] < 0))
    colours = [GAINS[i % len(GAINS)] for i in range(len(gained))]
    colours += [LOSSES[i % len(LOSSES)] for i in range(len(lost))]
    colour = alt.Color("key:N", legend=None, scale=alt.Scale(domain=gained + lost, range=colours))
    y = _line_y(len(candidates), above=36 / height)
    written = _line_y(len(candidates), above=36 / height, field="written")
    texts, segments = _lines(sums), _lines(parts)
    tooltip = tooltips(candidate="Candidate", kind="Kind", said="Points")
    layers = [
        texts.mark_text(align="left", dy=-23, fontSize=13, fontWeight=600, limit=alt.expr("width - 130"))
        .encode(x=alt.value(0), y=y, text="candidate:N"),
        texts.mark_text(align="right", dy=-23, fontSize=12, color=MUTED)
        .encode(x=alt.value("width"), y=y, text="sum:N"),
        segments.mark_bar(size=20, stroke="white", strokeWidth=1.5).encode(
            x=alt.X("start:Q", title=None, axis=_axis("Points, summed over the trials", grid=False)),
            x2="end:Q", y=y, tooltip=tooltip, color=colour,
        ),
        texts.mark_tick(color=INK, size=30, thickness=1.5).encode(x=alt.datum(0), y=y),
    ]  # fmt: skip
    for column, wanted in (("0", "datum.points < 0"), ("width / 2", "datum.points > 0")):
        half = segments.transform_filter(wanted)
        layers += [
            half.mark_point(shape="square", filled=True, size=70, opacity=1)
            .encode(x=alt.value(alt.expr(f"{column} + 5")), y=written, color=colour),
            half.mark_text(align="left", fontSize=11.5, limit=alt.expr("width / 2 - 20"))
            .encode(x=alt.value(alt.expr(f"{column} + 15")), y=written, text="text:N", tooltip=tooltip),
        ]  # fmt: skip
    said = "; ".join(
        f"{row['candidate']}: {row['sum']} ({', '.join(part['text'] for part in stack) or 'none'})"
        for row, stack in zip(sums, stacks, strict=True)
    )
    return dressed(alt.layer(*layers), height * len(candidates), f"Points by kind. {said}", empty=not candidates)


def rows_of(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame, with null for what is no finite number."""
    return [
        {name: finite(value) if isinstance(value, float) else value for name, value in row.items()}
        for row in frame.iter_rows(named=True)
    ]


def _stacked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows as parts of a bar, gains and losses each laid end to end from zero; `place` counts them."""
    reached, counted, parts = {True: 0.0, False: 0.0}, {True: 0, False: 0}, []
    for row in rows:
        gain, points = row["points"] > 0, signed(row["points"])
        parts.append(
            {
                **row,
                "key": f"{'+' if gain else '-'}{row['kind']}",
                "start": reached[gain],
                "end": reached[gain] + row["points"],
                "place": counted[gain],
                "said": points,
                "text": f"{points} {row['kind']}",
            }
        )
        reached[gain] += row["points"]
        counted[gain] += 1
    return parts


def _drawn(high: float | None) -> float | None:
    """Where an interval's line ends: no score passes 1, though an interval of few cases may."""
    return None if high is None else min(high, 1.0)


def _lines(rows: list[dict[str, Any]]) -> alt.Chart:
    import altair as alt

    return alt.Chart(alt.InlineData(rows))


def _line_y(count: int, above: float = 0.5, field: str = "line") -> alt.Y:
    """Lines from the top down, each of height 1, of which `above` lies over its middle."""
    import altair as alt

    scale = alt.Scale(domain=[-above, max(count, 1) - above], reverse=True, nice=False)
    return alt.Y(f"{field}:Q", axis=None, scale=scale)


def _scale(rows: list[dict[str, Any]], left: str = "0", right: int = 0) -> alt.Scale:
    """From 0, or the lowest value below it, to 1; `left` (an expression) and `right` pixels are for text."""
    import altair as alt

    values = [row[key] for row in rows for key in ("score", "low") if row[key] is not None]
    low, high = min([0.0, *values]), max([1.0, *values])
    return alt.Scale(domain=[low, high], nice=low < 0, zero=False, range=[alt.expr(left), alt.expr(f"width - {right}")])


def _axis(title: str, *, grid: bool = True) -> alt.Axis:
    import altair as alt

    return alt.Axis(title=title, tickCount=5, orient="bottom", labelFlush=False, grid=grid)


def tooltips(**titles: str) -> list[alt.Tooltip]:
    """The lines of a tooltip: a field and its title each, `n` as a number and all others as text."""
    import altair as alt

    return [alt.Tooltip(f"{name}:{'Q' if name == 'n' else 'N'}", title=title) for name, title in titles.items()]


def dressed(layers: alt.LayerChart, height: int, description: str, *, empty: bool) -> alt.LayerChart:
    """The layers in the dress of all charts, as wide as the page; one that says so where there is nothing to draw."""
    import altair as alt

    if empty:
        said = alt.Chart(alt.InlineData([{"said": "Nothing was measured."}])).mark_text(align="left", fontSize=13)
        layers = alt.layer(said.encode(x=alt.value(0), text="said:N"))
        height, description = 40, "An empty chart: nothing was measured."
    return (
        layers.properties(width="container", height=height, description=description)
        .configure(font=FONT, background="white", autosize={"type": "fit-x", "contains": "padding"})
        .configure_view(stroke=None)
        .configure_axis(
            gridColor=GRID, domain=False, tickColor=GRID, labelColor=MUTED, labelFontSize=11,
            titleColor=MUTED, titleFontSize=11.5, titleFontWeight="normal", titlePadding=8,
        )
        .configure_text(color=INK)
    )  # fmt: skip
