"""A grader's agreement with people from month to month as a chart: intervals, gaps, and where the grader changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evalkit.charts import ALARM, COLOURS, MUTED, dressed, rows_of, tooltips
from evalkit.shown import number, require, with_interval

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

_HEIGHT, _GAP_COLOUR = 320, "#f0f2f5"
# More months than this, and their names stand upright below the drawing.
_LEVEL, _LABELLED = 5, 6
_COLUMNS = ("month", "series", "value", "low", "high", "n", "cases", "certain", "gap")


def kappa_by_month(
    frame: pl.DataFrame, changes: Mapping[str, str], *, threshold: float | None = None, what: str = "Kappa by month"
) -> alt.LayerChart:
    """Kappa of each month with its interval; a month without one is a grey band that says why.

    Columns: `month` YYYY-MM, in order and without a gap; `series`, of which the first stands for the month; `value`,
    `low`, `high` (nullable), `n`, `cases`; `certain` "as recorded" or why a point is hollow; `gap`, a few words where
    there is no value. `changes` says what of the grader changed in a month, drawn as a line before it; `threshold` is a
    line that the interval's lower end must reach.
    """
    import altair as alt

    require(frame, _COLUMNS, "kappa_by_month")
    rows = rows_of(frame)
    months, series = (list(dict.fromkeys(row[name] for row in rows)) for name in ("month", "series"))
    points = [
        {
            **row,
            "said": with_interval(row["value"], row["low"], row["high"]),
            "short": number(row["value"]),
            **{end: row[end] and max(-1.0, min(1.0, row[end])) for end in ("low", "high")},
        }
        for row in rows
        if row["value"] is not None
    ]
    gaps = [row for row in rows if row["value"] is None and row["series"] == series[0]]
    moved = [{"month": month, "text": f"{said} changed"} for month, said in changes.items() if month in months]
    # Beside two points of a month there is no room for words on a narrow page.
    named = moved if len(series) == 1 else []
    least = min([0.0, *(p[end] for p in points for end in ("low", "value") if p[end] is not None)])
    unit = alt.Scale(domain=[max(-1.0, least), 1], nice=least < 0, zero=True)
    y = alt.Y("value:Q", scale=unit, axis=alt.Axis(title="Cohen's kappa with people, 95 % interval", tickCount=5))
    place = alt.Scale(domain=months, paddingInner=0, paddingOuter=0)
    upright = len(months) > _LEVEL
    axis = alt.Axis(title=None, grid=False, labelAngle=-90 if upright else 0, labelPadding=4, ticks=False)
    x = alt.X("month:N", scale=place, axis=axis, sort=None)
    beside = _beside(series)
    colour, shape, filled = _encodings(series, points)
    tooltip = tooltips(month="Month", series="Of", said="Kappa", certain="Recorded", n="n", cases="Cases")
    drawn, empty, new, told = (alt.Chart(alt.InlineData(each)) for each in (points, gaps, moved, named))
    layers: list[Any] = [
        empty.mark_rect(color=_GAP_COLOUR).encode(x=x, y=alt.value(0), y2=alt.value(_HEIGHT)),
        empty.mark_text(angle=270, align="left", fontSize=11, color=MUTED, dx=6).encode(
            x=x, y=alt.value(_HEIGHT), text="gap:N", tooltip=tooltips(month="Month", gap="Why")
        ),
        new.mark_rule(strokeWidth=1.5, strokeDash=[5, 3], color=ALARM).encode(
            x=alt.X("month:N", bandPosition=0, scale=place, sort=None), y=alt.value(0), y2=alt.value(_HEIGHT)
        ),
        told.mark_text(angle=270, align="right", baseline="top", fontSize=11, fontWeight=600, color=ALARM, dy=4, dx=-2)
        .encode(x=alt.X("month:N", bandPosition=0, scale=place, sort=None), y=alt.value(0), text="text:N"),
        drawn.mark_rule(strokeWidth=2.2, opacity=0.7).encode(
            x=x, xOffset=beside, y=alt.Y("low:Q", scale=unit), y2="high:Q", color=colour, tooltip=tooltip
        ),
        drawn.mark_point(size=80, strokeWidth=2, opacity=1).encode(
            x=x, xOffset=beside, y=y, color=colour, shape=shape, fill=filled, tooltip=tooltip
        ),
    ]  # fmt: skip
    if len(months) * len(series) <= _LABELLED:
        layers.append(
            drawn.mark_text(align="left", dx=8, fontSize=11.5).encode(x=x, xOffset=beside, y=y, text="short:N")
        )
    if threshold is not None:
        line = alt.Chart(alt.InlineData([{"value": threshold}]))
        layers.insert(2, line.mark_rule(strokeWidth=1.2, strokeDash=[2, 3], color=MUTED).encode(y=y))
    whole = (
        alt.layer(*layers)
        .resolve_scale(xOffset="shared")
        .properties(title=_heading(points, series, threshold, bool(moved)))
    )
    said = [f"{p['month']}, {p['series']}: {p['said']}, n = {p['n']}, {p['certain']}" for p in points]
    said += [f"{row['month']}: {row['gap']}" for row in gaps] + [f"{each['text']} in {each['month']}" for each in moved]
    return dressed(whole, _HEIGHT, f"{what}. {'; '.join(said)}", empty=not rows)


def _beside(series: list[str]) -> Any:
    """Where a series stands in its month's band."""
    import altair as alt

    return alt.XOffset("series:N", scale=alt.Scale(domain=series, paddingInner=0.4, paddingOuter=0.6), sort=None)


def _encodings(series: list[str], points: list[dict[str, Any]]) -> tuple[alt.Color, alt.Shape, Any]:
    import altair as alt

    legend = None
    if len(series) > 1:
        legend = alt.Legend(title=None, orient="top", direction="vertical", labelLimit=360, labelFontSize=11.5)
    colours, shapes = list(COLOURS[: len(series)]), ["circle", "diamond"][: len(series)]
    colour = alt.Color("series:N", scale=alt.Scale(domain=series, range=colours), legend=legend, sort=None)
    shape = alt.Shape("series:N", scale=alt.Scale(domain=series, range=shapes), legend=legend, sort=None)
    for point in points:
        own = colours[series.index(point["series"])]
        point["fill"] = own if point["certain"] == "as recorded" else "#ffffff"
    return colour, shape, alt.Fill("fill:N", scale=None)


def _heading(points: list[dict[str, Any]], series: list[str], threshold: float | None, moved: bool) -> alt.TitleParams:
    import altair as alt

    first = [point for point in points if point["series"] == series[0]]
    n, cases = ([point[count] for point in first] for count in ("n", "cases"))
    lines = [f"{_range(n)} held-out transcripts", f"of {_range(cases)} cases in a measured month"] if first else []
    if hollow := sorted({p["certain"] for p in points if p["certain"] != "as recorded"}):
        lines.append(f"Hollow: {', '.join(hollow)}")
    if threshold is not None and first:
        lines.append(f"Dotted: least for the lower end, {number(threshold)}")
    if moved:
        lines.append("Dashed: from here the grader is another")
    if not first:
        lines.append("No month has a kappa")
    return alt.TitleParams(
        lines, anchor="start", frame="group", fontSize=11.5, fontWeight="normal", color=MUTED, lineHeight=15, offset=8
    )


def _range(counts: list[int]) -> str:
    low, high = min(counts, default=0), max(counts, default=0)
    return str(low) if low == high else f"{low} to {high}"
