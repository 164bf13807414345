"""The noise bands as charts: how wide each is and how surely, and how often a true drop is caught."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalkit.charts import ALARM, COLOURS, INK, MUTED, dressed, rows_of, tooltips
from evalkit.shown import number, require

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

BANDS = ("stratum", "band", "low", "high", "score", "m", "decided", "why")
CURVES = ("stratum", "drop", "once", "rerun", "named", "m")
_MEASURED, _LINE, _HEIGHT, _PLAIN = "#0072b2", 44, 340, "#c3cad3"
# The decided variance of a band that no flake was seen for.
_FLOOR = "floor"


def band_widths(frame: pl.DataFrame) -> alt.LayerChart:
    """Each stratum's band as a point, with the interval that its repeats leave; a tick where the score itself lies.

    Columns: `stratum`, `band` (null: not measured), `low`, `high` (null where the floor decides), `score` (of the cases
    compared), `m`, `decided` V(m) | 2w/m | floor, `why` (why there is no band; ''). A floor's point is hollow, and a
    band that reaches the tick has the colour of an alarm.
    """
    import altair as alt

    require(frame, BANDS, "band_widths")
    rows: list[dict[str, Any]] = []
    for line, row in enumerate(rows_of(frame)):
        measured = row["band"] is not None
        blind = measured and row["band"] >= (row["score"] or 0.0) - 1e-9
        ends = "" if row["low"] is None else f" ({number(row['low'])} to {number(row['high'])})"
        said = f"{number(row['band'])}{ends}, m {row['m']}" if measured else "not measured"
        state = "sees nothing" if blind else "floor" if row["decided"] == _FLOOR else "measured"
        rows.append(
            {
                **row, "line": line, "measured": measured, "said": said, "state": state,
                "high": row["high"] and min(row["high"], 1.0), "shown": measured and min(row["band"], 1.0),
                "full": said if measured else row["why"],
                "tick": "" if row["score"] is None else f"score {number(row['score'])}",
            }
        )  # fmt: skip
    base = alt.Chart(alt.InlineData(rows))
    measured = base.transform_filter("datum.measured")
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(title="Band: the drop in score that a stratum must exceed to block", tickCount=5, labelFlush=False)
    place = alt.Scale(domain=[-0.75, max(len(rows), 1) - 0.35], reverse=True, nice=False)
    y = alt.Y("line:Q", axis=None, scale=place)
    states = ["measured", "floor", "sees nothing"]
    colour = alt.Color("state:N", legend=None, scale=alt.Scale(domain=states, range=[_MEASURED, _MEASURED, ALARM]))
    fill = alt.Fill("state:N", legend=None, scale=alt.Scale(domain=states, range=[_MEASURED, "#ffffff", ALARM]))
    shape = alt.Shape("state:N", legend=None, scale=alt.Scale(domain=states, range=["circle", "circle", "diamond"]))
    tooltip = tooltips(stratum="Stratum", full="Band", decided="Decided by", tick="Baseline")

    def at(field: str) -> alt.X:
        return alt.X(f"{field}:Q", title=None, scale=scale, axis=axis)

    reaches = any(row["state"] == states[2] for row in rows)
    layers = alt.layer(
        base.mark_text(align="left", dy=-17, fontSize=12.5, fontWeight=600, limit=alt.expr("width * 0.5"))
        .encode(x=alt.value(0), y=y, text="stratum:N", tooltip=tooltip),
        base.mark_text(align="right", dy=-17, fontSize=11.5, color=MUTED, limit=alt.expr("width * 0.49"))
        .encode(x=alt.value("width"), y=y, text="said:N", tooltip=tooltip),
        measured.mark_tick(color=INK, size=16, thickness=2).encode(x=at("score"), y=y, tooltip=tooltip),
        measured.transform_filter("datum.low !== null").mark_rule(strokeWidth=2.5)
        .encode(x=at("low"), x2="high:Q", y=y, color=colour, tooltip=tooltip),
        measured.mark_point(size=80, strokeWidth=2, opacity=1)
        .encode(x=at("shown"), y=y, color=colour, fill=fill, shape=shape, tooltip=tooltip),
    ).properties(title=_title([
        "Point: the band; line: as far as few repeats tell it",
        "Hollow: the floor, for want of flakes",
        "Upright tick: the baseline's score",
        *(["Red: the band reaches the score: nothing can be seen"] * reaches),
    ]))  # fmt: skip
    told = "; ".join(f"{row['stratum']}: {row['full']}, {row['decided'] or 'none'}, {row['tick']}" for row in rows)
    return dressed(layers, _LINE * len(rows) + 20, f"The noise band of each stratum. {told}", empty=not rows)


def power_curves(frame: pl.DataFrame, *, sees: float) -> alt.LayerChart:
    """The chance to catch a true drop against its size: a grey line a stratum, and those that are named in colour.

    Columns: `stratum`, `drop`, `once`, `rerun` (chances), `named` (what the line is called; '' where it is not), `m`.
    Lines are after the rerun; a named one is drawn dashed for one look as well. `sees` is a line across: from there on
    a drop counts as seen.
    """
    import altair as alt

    require(frame, CURVES, "power_curves")
    rows = [
        {**row, "points": 100 * row["drop"], "said": f"{100 * row['rerun']:.0f} % after the rerun, "
         f"{100 * row['once']:.0f} % at one look", "fall": f"{100 * row['drop']:.0f} points"}
        for row in rows_of(frame)
    ]  # fmt: skip
    named = list(dict.fromkeys(row["named"] for row in rows if row["named"]))
    told = [row for row in rows if row["named"]]
    most = max((row["points"] for row in rows), default=1)
    x = alt.X("points:Q", scale=alt.Scale(domain=[0, most], nice=False),
              axis=alt.Axis(title="True drop of the stratum's score, in points", tickCount=6, grid=False))  # fmt: skip
    unit = alt.Scale(domain=[0, 1], nice=False)
    title = alt.Axis(title="Chance that the gate blocks", format="%", values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    y = alt.Y("rerun:Q", scale=unit, axis=title)
    legend = alt.Legend(title=None, orient="top", direction="vertical", labelLimit=330, labelFontSize=11.5)
    colour = alt.Color("named:N", scale=alt.Scale(domain=named, range=list(COLOURS[: len(named)])), legend=legend,
                       sort=None)  # fmt: skip
    shape = alt.Shape("named:N", scale=alt.Scale(domain=named, range=["circle", "diamond"][: len(named)]),
                      legend=legend, sort=None)  # fmt: skip
    tooltip = tooltips(stratum="Stratum", fall="True drop", said="Caught", m="Cases compared")
    everyone, chosen = alt.Chart(alt.InlineData(rows)), alt.Chart(alt.InlineData(told))
    line = alt.Chart(alt.InlineData([{"rerun": sees}]))
    layers = alt.layer(
        line.mark_rule(strokeDash=[2, 3], color=MUTED, strokeWidth=1.2).encode(y=y),
        everyone.mark_line(strokeWidth=1.3, color=_PLAIN).encode(x=x, y=y, detail="stratum:N"),
        everyone.mark_point(size=30, opacity=0.01, color=_PLAIN).encode(x=x, y=y, tooltip=tooltip),
        chosen.mark_line(strokeWidth=1.3, strokeDash=[5, 4])
        .encode(x=x, y=alt.Y("once:Q", scale=unit), color=colour, detail="stratum:N"),
        chosen.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, detail="stratum:N"),
        chosen.mark_point(size=44, filled=True, opacity=1).encode(x=x, y=y, color=colour, shape=shape, tooltip=tooltip),
    ).properties(title=_title([
        "Solid: after the rerun; dashed: at one look",
        "Grey: the other strata, after the rerun",
        f"Dotted: {100 * sees:.0f} %, from where on it is seen",
    ]))  # fmt: skip
    said = "; ".join(f"{row['named'] or row['stratum']}, {row['fall']}: {row['said']}" for row in told)
    return dressed(layers, _HEIGHT, f"The chance that a true drop is caught. {said}", empty=not rows)


def _title(lines: list[str]) -> alt.TitleParams:
    import altair as alt

    return alt.TitleParams(
        lines, anchor="start", frame="group", fontSize=11.5, fontWeight="normal", color=MUTED, lineHeight=15, offset=8
    )
