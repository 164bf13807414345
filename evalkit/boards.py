"""Tables for people: one function, one Great Table, which escapes whatever it shows."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evalkit.shown import INVENTED, UNRANKED, finite, number, require, seconds, usd, with_interval

if TYPE_CHECKING:
    import polars as pl
    from great_tables import GT

_GROUPS = {"cleared": "Ranked", "not cleared": "Not cleared on safety – not ranked", "disqualified": UNRANKED}
_INK, _MUTED, _LINE, _WASH, _ALARM = "#1c2430", "#56606e", "#d9dee5", "#f5f7f9", "#8c1d18"

_LEADERBOARD = (
    "candidate", "standing", "rank", "score", "low", "high", "cases", "measured",
    "wrong_answers", "wrong_actions", "missed_handoffs", "leaks",
    "escalations_caught", "escalations", "direct_kept", "directs", "unreadable",
    "usd_per_ticket", "price_invented", "seconds_median", "seconds_p95", "timed", "not_completed",
)  # fmt: skip


def leaderboard(frame: pl.DataFrame) -> GT:
    """The candidates in the frame's order: the ranked, then those not cleared, then the disqualified.

    Columns, a row a candidate: `candidate`; `standing` cleared | not cleared | disqualified; `rank` text or null;
    `score`, `low`, `high` (points over points possible, with its 95 % interval; null where undefined); `cases` that
    the score is over; `measured` trials, which all counts are of; the harms `wrong_answers`, `wrong_actions`,
    `missed_handoffs`, `leaks` (trials); routing `escalations_caught` of `escalations`, `direct_kept` of `directs`,
    `unreadable`; `usd_per_ticket` (null: unknown), `price_invented`; `seconds_median`, `seconds_p95` of `timed` trials
    (null: not measured); `not_completed`, text such as "2 empty". Raises ReportError where a column is missing.
    """
    require(frame, _LEADERBOARD, "leaderboard")
    rows = [_leaderboard_row(row) for row in frame.iter_rows(named=True)]
    rows.sort(key=lambda row: list(_GROUPS.values()).index(row["group"]))
    board = _board(
        rows,
        labels={
            "rank": "Rank", "score": "Score (95 % interval)", "n": "Cases / trials",
            "wrong_answers": "Wrong answers", "wrong_actions": "Wrong actions",
            "missed_handoffs": "Missed handoffs", "leaks": "Leaks",
            "caught": "Escalations caught", "kept": "Direct kept", "unreadable": "No route read",
            "cost": "Cost per ticket", "latency": "Latency, median / 95 %",
            "not_completed": "Not completed",
        },
        stub="candidate",
        group="group",
        left=("candidate", "not_completed"),
    )  # fmt: skip
    if not rows:
        return board
    board = board.tab_spanner(
        "Harms, in trials", ["wrong_answers", "wrong_actions", "missed_handoffs", "leaks"]
    ).tab_spanner("Routing", ["caught", "kept", "unreadable"])
    if any(row["standing"] == "not cleared" for row in frame.iter_rows(named=True)):
        board = board.tab_source_note(
            "Not cleared: a safety case was not measured, or its answer's route could not be read, "
            "so the candidate is not recommended."
        )
    if any(row["price_invented"] for row in frame.iter_rows(named=True)):
        board = board.tab_source_note(INVENTED)
    board = board.tab_source_note(
        "Latency: seconds that an answer took at this client, with as many trials at once as the run allowed; "
        f"n = {', '.join(str(row['timed']) for row in frame.iter_rows(named=True))} trials."
    )
    if all(not row["not_completed"] for row in frame.iter_rows(named=True)):
        board = board.cols_hide("not_completed").tab_source_note("Every trial was completed.")
    return board


def _leaderboard_row(row: Mapping[str, Any]) -> dict[str, str]:
    cost = usd(row["usd_per_ticket"])
    return {
        "group": _GROUPS[row["standing"]],
        "candidate": row["candidate"],
        "rank": "–" if row["standing"] != "cleared" or row["rank"] is None else str(row["rank"]),
        "score": with_interval(row["score"], row["low"], row["high"]),
        "n": f"{row['cases']}\u00a0/\u00a0{row['measured']}",
        **{key: str(row[key]) for key in ("wrong_answers", "wrong_actions", "missed_handoffs", "leaks")},
        "caught": f"{row['escalations_caught']}/{row['escalations']}",
        "kept": f"{row['direct_kept']}/{row['directs']}",
        "unreadable": str(row["unreadable"]),
        "cost": cost + ("\u00a0†" if row["price_invented"] and cost != "unknown" else ""),
        "latency": f"{seconds(row['seconds_median'])} / {seconds(row['seconds_p95'])}",
        "not_completed": row["not_completed"] or "–",
    }


def table(
    frame: pl.DataFrame,
    labels: Mapping[str, str] | None = None,
    *,
    stub: str | None = None,
    group: str | None = None,
    note: str | None = None,
    digits: int = 2,
    right: Sequence[str] = (),
    alarm: str = "",
) -> GT:
    """Any small frame as a table in the same dress.

    `labels` names columns for people and, where given, chooses them and their order. `stub` is the column
    that stays in sight while the rest scrolls, `group` the one whose values part the rows, `note` a line
    below. Numbers stand right, with `digits` decimals, as do the columns named in `right`; null and NaN show as "–".
    Texts that begin with `alarm`, where one is given, are coloured. Raises ReportError where a column is missing.
    """
    shown = list(labels) if labels else frame.columns
    extra = [name for name in (stub, group) if name and name not in shown]
    require(frame, [*shown, *extra], "table")
    rows = [{name: _cell(row[name], digits) for name in [*extra, *shown]} for row in frame.iter_rows(named=True)]
    left = [name for name in [*extra, *shown] if not (frame.schema[name].is_numeric() or name in right)]
    board = _board(rows, labels=labels or {}, stub=stub, group=group, left=left)
    if alarm:
        board = _alarmed(board, {name: [row[name].startswith(alarm) for row in rows] for name in shown})
    return board.tab_source_note(note) if note else board


def tally(
    frame: pl.DataFrame, outcomes: Mapping[str, str], *, right: str, faults: Sequence[str], note: str | None = None
) -> GT:
    """How often each outcome was seen: a column an outcome, its trials above its share with the 95 % interval.

    Columns, a row for each `kind` of case (which parts the rows) and `candidate`: `cases`, `trials` that were
    measured, `slots`, and for each of `outcomes` (name → label) `<name>` (trials), `<name>_share`, `_low`, `_high`
    (null where undefined; absent where the outcome has no share). `right` stands first, `faults` are coloured where
    there are any. Raises ReportError where a column is missing.
    """
    require(frame, ["kind", "candidate", "cases", "trials", "slots", *outcomes], "tally")
    from great_tables import loc, style

    counted = list(frame.iter_rows(named=True))
    rows = [
        {
            "kind": row["kind"], "candidate": row["candidate"], "n": f"{row['cases']}\u00a0/\u00a0{row['trials']}",
            **{name: _tallied(row, name) for name in outcomes}, "slots": str(row["slots"]),
        }
        for row in counted
    ]  # fmt: skip
    labels = {"candidate": "Candidate", "n": "Cases / trials", **outcomes, "slots": "Slots"}
    board = _board(rows, labels=labels, stub="candidate", group="kind", left=("candidate",))
    if not rows:
        return board
    board = board.fmt(_two_lines, columns=list(outcomes))
    board = board.tab_style(style.text(weight="600"), loc.body(columns=[right]))
    board = _alarmed(board, {name: [row[name] > 0 for row in counted] for name in faults})
    return board.tab_source_note(note) if note else board


def _alarmed(board: GT, where: Mapping[str, Sequence[bool]]) -> GT:
    """The table with the cells of these columns coloured in the rows where it says so."""
    from great_tables import loc, style

    for name, rows in where.items():
        if any(rows):
            places = [place for place, coloured in enumerate(rows) if coloured]
            board = board.tab_style(style.text(color=_ALARM, weight="700"), loc.body(columns=[name], rows=places))
    return board


def _tallied(row: Mapping[str, Any], name: str) -> str:
    if f"{name}_share" not in row:
        return str(row[name])
    return f"{row[name]}\n{percent_with_interval(*(row[f'{name}_{end}'] for end in ('share', 'low', 'high')))}"


def _two_lines(text: str) -> str:
    """The cell as markup: its first line, and the second small below it."""
    first, _, second = text.partition("\n")
    small = f'<br><span style="color:{_MUTED};font-size:11px;font-weight:400;white-space:nowrap">{html.escape(second)}'
    count = f'<span style="color:{_MUTED};font-weight:400">0</span>' if first == "0" else html.escape(first)
    return count + (f"{small}</span>" if second else "")


def percent_with_interval(share: float | None, low: float | None, high: float | None) -> str:
    """A share with its interval, in per cent: '94 % (83 to 99)'; 'not measured' where it is undefined."""
    share, low, high = finite(share), finite(low), finite(high)
    if share is None:
        return "not measured"
    ends = "no\u00a0interval" if low is None or high is None else f"{_percent(low)} to {_percent(high)}"
    return f"{_percent(share)}\u00a0% ({ends})"


def _percent(share: float) -> str:
    # Rounding must not turn something into nothing, nor almost all into all.
    if 0 < share < 0.005:
        return "<\u00a01"
    return ">\u00a099" if 0.995 < share < 1 else number(100 * share, 0)


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return "–" if finite(value) is None else number(value, digits)
    return "–" if value is None else str(value)


def _board(
    rows: Sequence[Mapping[str, str]],
    *,
    labels: Mapping[str, str],
    stub: str | None,
    group: str | None,
    left: Sequence[str],
) -> GT:
    import polars as pl
    from great_tables import GT, loc, style

    if not rows:
        return GT(pl.DataFrame({"": ["Nothing to show."]}), id="empty").tab_options(column_labels_hidden=True)
    frame = pl.DataFrame(rows)
    # A fixed id, so that the same table is the same bytes in every rendering.
    digest = hashlib.sha256(repr(frame.rows()).encode()).hexdigest()[:10]
    board = GT(frame, rowname_col=stub, groupname_col=group, id=f"t{digest}")
    shown = [name for name in frame.columns if name not in (stub, group)]
    board = board.cols_label({k: v for k, v in labels.items() if k in shown})
    board = board.cols_align("right", [c for c in shown if c not in left])
    board = board.cols_align("left", [c for c in shown if c in left])
    if stub:
        board = board.tab_style([style.text(weight="600"), style.fill("white")], loc.stub())
        if labels.get(stub):
            board = board.tab_stubhead(labels[stub])
    return board.tab_options(
        table_width="100%",
        table_background_color="transparent",
        table_font_size="13px",
        table_font_color=_INK,
        table_font_names=["system-ui", "-apple-system", "Segoe UI", "Roboto", "Arial", "sans-serif"],
        table_border_top_style="none",
        table_border_bottom_color=_LINE,
        table_body_border_bottom_color=_LINE,
        table_body_border_top_color=_LINE,
        table_body_hlines_color=_LINE,
        column_labels_font_weight="600",
        column_labels_font_size="12px",
        column_labels_border_top_style="none",
        column_labels_border_bottom_color=_INK,
        column_labels_border_bottom_width="1px",
        row_group_font_weight="700",
        row_group_background_color=_WASH,
        row_group_border_top_color=_LINE,
        row_group_border_bottom_color=_LINE,
        stub_border_style="none",
        source_notes_font_size="12px",
        data_row_padding="7px",
    )
