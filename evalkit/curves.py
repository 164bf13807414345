"""The pass^k curves as a chart, each line named at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evalkit.charts import COLOURS, MUTED, SHAPES, dressed, rows_of, tooltips
from evalkit.shown import number, require, with_interval

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

_HEIGHT, _LABEL, _LEADER = 340, 15, "#c3cad3"
# Candidates stand side by side at each k, so that no interval hides another.
_SPREAD, _WIDEST = 0.66, 0.12


def pass_hat_curves(frame: pl.DataFrame) -> alt.LayerChart:
    """pass^k against k, a line with its intervals for each candidate; those not cleared are hollow and dashed.

    Columns: `candidate`, `standing` cleared | not cleared | disqualified, `k`, `value`, `low`, `high` (nullable), `n`
    (cases), `trials`. Candidates keep the order in which the frame first names them.
    """
    import altair as alt

    require(frame, ["candidate", "standing", "k", "value", "low", "high", "n", "trials"], "pass_hat_curves")
    rows = rows_of(frame)
    names = list(dict.fromkeys(row["candidate"] for row in rows))
    step = min(_WIDEST, _SPREAD / max(len(names), 1))
    points = [
        {
            **row,
            "x": row["k"] + step * (names.index(row["candidate"]) - (len(names) - 1) / 2),
            "said": with_interval(row["value"], row["low"], row["high"]),
        }
        for row in rows
        if row["value"] is not None
    ]
    ends = _ends(points)
    gutter = _gutter([end["text"] for end in ends])
    ks = sorted({row["k"] for row in rows}) or [1]
    scale = alt.Scale(
        domain=[ks[0] - 0.45, ks[-1] + 0.45], nice=False, zero=False, range=[0, alt.expr(f"width - {gutter}")]
    )
    axis = alt.Axis(title="k customers with the same wish", values=ks, format="d", grid=False)
    x = alt.X("x:Q", scale=scale, axis=axis)
    unit = alt.Scale(domain=[0, 1], nice=False)
    y = alt.Y(
        "value:Q", scale=unit, axis=alt.Axis(title="pass^k: all k served right", values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    )
    colour, filled, shape, dash = _encodings(names, {row["candidate"]: row["standing"] for row in rows})
    tooltip = tooltips(candidate="Candidate", standing="Standing", k="k", said="pass^k", n="Cases", trials="Trials")
    base, last = alt.Chart(alt.InlineData(points)), alt.Chart(alt.InlineData(ends))
    beside = alt.value(alt.expr(f"width - {gutter} + 10"))
    layers = alt.layer(
        last.mark_rule(strokeWidth=1, color=_LEADER).encode(x=x, y=y, x2=beside, y2="place:Q"),
        base.mark_line(strokeWidth=1.6).encode(x=x, y=y, color=colour, strokeDash=dash, detail="candidate:N"),
        base.mark_rule(strokeWidth=2.2, opacity=0.6).encode(x=x, y=alt.Y("low:Q", scale=unit), y2="high:Q",
            color=colour, tooltip=tooltip),
        base.mark_point(size=62, strokeWidth=1.8, opacity=1).encode(x=x, y=y, color=colour, fill=filled, shape=shape,
            tooltip=tooltip),
        last.mark_text(align="left", fontSize=11.5, dx=3, limit=alt.expr(f"{gutter} - 14"))
        .encode(x=beside, y=alt.Y("place:Q", scale=unit), text="text:N", color=colour, tooltip=tooltip),
    ).properties(title=_heading(points))  # fmt: skip
    said = "; ".join(f"{p['candidate']}, {p['standing']}, k = {p['k']}: {p['said']}, n = {p['n']}" for p in points)
    return dressed(layers, _HEIGHT, f"How often all of k trials of a case pass. {said}", empty=not points)


def _ends(points: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last point of each candidate with its name, and the `place` of that name where it covers no other."""
    last = {point["candidate"]: point for point in points}
    ends = sorted(last.values(), key=lambda point: -point["value"])
    places = [_HEIGHT * (1 - end["value"]) for end in ends]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + _LABEL)
    floor = float(_HEIGHT)
    for i in reversed(range(len(places))):
        places[i] = floor = min(places[i], floor)
        floor -= _LABEL
    return [
        {**end, "place": 1 - place / _HEIGHT, "text": f"{number(end['value'])} {end['candidate']}"}
        for end, place in zip(ends, places, strict=True)
    ]


def _gutter(texts: Sequence[str]) -> str:
    """The width that the names need, as an expression: less than half of a narrow page."""
    return f"min({20 + 6.4 * max(map(len, texts), default=0):.0f}, width * 0.46)"


def _encodings(names: Sequence[str], standing: dict[str, str]) -> tuple[alt.Color, alt.Fill, alt.Shape, alt.StrokeDash]:
    import altair as alt

    # Colours move on by one when the shapes begin anew, so that no pair comes twice.
    own = [COLOURS[(i + i // len(SHAPES)) % len(COLOURS)] for i in range(len(names))]
    colours = [MUTED if standing[name] == "disqualified" else colour for name, colour in zip(names, own, strict=True)]
    fills = [c if standing[name] == "cleared" else "#ffffff" for name, c in zip(names, colours, strict=True)]
    dashes = alt.Scale(domain=["cleared", "not cleared", "disqualified"], range=[[1, 0], [6, 3], [3, 3]])
    return (
        alt.Color("candidate:N", scale=alt.Scale(domain=names, range=colours), legend=None),
        alt.Fill("candidate:N", scale=alt.Scale(domain=names, range=fills), legend=None),
        alt.Shape(
            "candidate:N",
            scale=alt.Scale(domain=names, range=[SHAPES[i % len(SHAPES)] for i in range(len(names))]),
            legend=None,
        ),
        alt.StrokeDash("standing:N", scale=dashes, legend=None),
    )


def _heading(points: Sequence[dict[str, Any]]) -> alt.TitleParams:
    """What the points rest on, in lines that fit a narrow page."""
    import altair as alt

    n, trials = (_range([point[count] for point in points]) for count in ("n", "trials"))
    lines = [f"Mean over {n} cases, {trials} trials; bars: 95 % intervals"]
    if any(point["standing"] != "cleared" for point in points):
        lines.append("Hollow and dashed: disqualified (grey) or not cleared")
    return alt.TitleParams(
        lines, anchor="start", frame="group", fontSize=11.5, fontWeight="normal", color=MUTED, lineHeight=15, offset=8
    )


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts, default=0), max(counts, default=0)
    return str(low) if low == high else f"{low} to {high}"
