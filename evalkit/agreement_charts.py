"""The figures that decide on a grader, each with its interval beside the threshold that its lower end must reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalkit.charts import ALARM, INK, MUTED, dressed, rows_of, tooltips
from evalkit.shown import number, require, with_interval

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

_COLUMNS = ("name", "value", "low", "high", "n", "threshold", "why")
_REACHED = "#0072b2"


def against_thresholds(frame: pl.DataFrame) -> alt.LayerChart:
    """Each figure as a point with its interval, and a tick where its threshold stands.

    Columns: `name`, `value`, `low`, `high` (nullable), `n`, `threshold`, `why` (why there is no value; '').
    """
    import altair as alt

    require(frame, _COLUMNS, "against_thresholds")
    rows: list[dict[str, Any]] = []
    for line, row in enumerate(rows_of(frame)):
        value = with_interval(row["value"], row["low"], row["high"])
        rows.append(
            {
                **row,
                "line": line,
                "said": f"{value}, n = {row['n']}" if row["value"] is not None else f"{value}: {row['why']}",
                "least": f"threshold {number(row['threshold'])}",
                "reached": row["low"] is not None and row["low"] >= row["threshold"],
                "measured": row["value"] is not None,
            }
        )
    lowest = min([0.0, *(row[key] for row in rows for key in ("value", "low", "threshold") if row[key] is not None)])
    base = alt.Chart(alt.InlineData(rows))
    measured = base.transform_filter("datum.measured")
    scale = alt.Scale(domain=[lowest, 1], nice=lowest < 0, zero=False)
    axis = alt.Axis(title="95 % interval; its lower, left end must reach the threshold", tickCount=5, labelFlush=False)

    def at(field: str) -> alt.X:
        return alt.X(f"{field}:Q", title=None, scale=scale, axis=axis)

    place = alt.Scale(domain=[-0.5, max(len(rows), 1) - 0.5], reverse=True, nice=False)
    y = alt.Y("line:Q", axis=None, scale=place)
    colour = alt.Color("reached:N", legend=None, scale=alt.Scale(domain=[True, False], range=[_REACHED, ALARM]))
    shape = alt.Shape("reached:N", legend=None, scale=alt.Scale(domain=[True, False], range=["circle", "diamond"]))
    tooltip = tooltips(name="Figure", said="Measured", least="Decides")
    layers = alt.layer(
        base.mark_text(align="left", dy=-24, fontSize=13, fontWeight=600, limit=alt.expr("width"))
        .encode(x=alt.value(0), y=y, text="name:N"),
        base.mark_text(align="right", dy=-24, fontSize=12, color=MUTED, limit=alt.expr("width * 0.6"))
        .encode(x=alt.value("width"), y=y, text="said:N"),
        base.mark_tick(color=INK, size=30, thickness=2.5, tooltip=True)
        .encode(x=at("threshold"), y=y, tooltip=tooltip),
        base.mark_text(align="center", dy=24, fontSize=11, color=INK)
        .encode(x=at("threshold"), y=y, text="least:N"),
        measured.mark_rule(strokeWidth=3).encode(x=at("low"), x2="high:Q", y=y, color=colour, tooltip=tooltip),
        measured.mark_point(size=110, filled=True, opacity=1)
        .encode(x=at("value"), y=y, color=colour, shape=shape, tooltip=tooltip),
    )  # fmt: skip
    told = "; ".join(f"{row['name']}: {row['said']}, {row['least']}" for row in rows)
    return dressed(layers, 76 * len(rows), f"What decides on the grader. {told}", empty=not rows)
