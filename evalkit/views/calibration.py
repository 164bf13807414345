"""What `50_calibration` shows of a grader's agreement from month to month, from the run to what is seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from evalkit import boards, calibration_charts, cards
from evalkit.calibration import Calibration, Change, Month, answer, calibrated
from evalkit.cards import Card
from evalkit.settings import Trust
from evalkit.shown import counted, finite, listed, number, with_interval
from evalkit.tables import Run
from evalkit.views.above import above
from evalkit.views.caveats import EXAMPLE_LABELS

if TYPE_CHECKING:
    from altair import LayerChart
    from great_tables import GT

NOTHING = "No month is on record and no labels are there, so there is nothing to show."
SAME, FRESH = "the same transcripts, graded anew each month", "transcripts labelled in the month, one grader"
NOT_YET, OTHER, OPEN = "not recorded yet", "on other labels", "not measured"
_MOVED = {
    "fallen": "fallen beyond chance",
    "risen": "risen beyond chance",
    "none seen": "none seen",
    "not comparable": "not comparable",
}


def calibration_answer(run: Run, month: str = "") -> Card:
    """Has agreement moved, has the grader changed, and is the month measured: first and large."""
    found, said = calibrated(run, month), answer(run, month)
    shown = [cards.example_labels(EXAMPLE_LABELS)] if found.source == "example" else []
    shown += above(run, said.incomplete)
    sign = "–" if said.tone == "note" else ""
    return cards.stack([*shown, cards.headline(said.says, said.tone, "\n\n".join(said.rests_on), sign=sign)], empty="")


def month_chart(run: Run, month: str = "") -> LayerChart:
    """Kappa by month on the same transcripts, with the changes of the grader marked."""
    found = calibrated(run, month)
    rows = [_point(each, SAME, each.kappa, _certain(each), OPEN) for each in found.months]
    return calibration_charts.kappa_by_month(_frame(rows), _changes(found), threshold=_threshold(found))


def month_table(run: Run, month: str = "") -> GT | Card:
    """The same row of months as a table, with what was left out of each."""
    found = calibrated(run, month)
    if not found.months:
        return cards.prose(NOTHING)
    rows = [
        {
            "month": named(each.month, found),
            "kappa": _kappa(each.kappa) if each.line else OPEN,
            "n": _n(each.kappa),
            "left": _left(each),
            "decision": _decision(each),
            "changed": listed(each.changed) or ("–" if each.line else ""),
        }
        for each in found.months
    ]
    noted = ""
    if any(not each.recorded for each in found.months):
        noted = " Not recorded yet: measured by this run, and not in labels/trust.jsonl as it is."
    table = boards.table(
        pl.DataFrame(rows),
        labels={
            "month": "Month",
            "kappa": "Kappa with people (95 % interval)",
            "n": "Transcripts / cases",
            "decision": "Decision",
            "left": "Without a verdict",
            "changed": "Grader changed",
        },
        stub="month",
        right=("kappa", "n"),
        note="Of the held-out labelled transcripts, graded anew in each month's series; the newest line that "
        f"labels/trust.jsonl has of it; a month without one keeps its place. ▸ this page's month.{noted}",
    )
    return unbroken(table)


def month_changes(run: Run, month: str = "") -> GT | Card:
    """This month against each earlier one: the difference on the same transcripts, or whether intervals overlap."""
    found = calibrated(run, month)
    if found.now is None or not found.now.measured:
        return cards.prose(f"{found.month or 'No month'} is not measured, so nothing can be compared with it.")
    if not found.changes:
        return cards.prose(f"No month before {found.month} is measured, so there is no change to tell.")
    rows = [
        {
            "since": each.since,
            "difference": _difference(each),
            "flips": _flips(each),
            "moved": _moved(each),
            "parts": listed(each.parts) or "the same",
            "how": _how(each),
        }
        for each in found.changes
    ]
    level = next((each.paired.confidence for each in found.changes if each.paired is not None), 0.95)
    many = level > 0.95
    said = f"Each at {100 * level:.4g} %, so that all of them together err in 5 %" if many else "At 95 %"
    table = boards.table(
        pl.DataFrame(rows),
        labels={
            "since": "Since",
            "difference": "Kappa now less then",
            "flips": "Verdicts that changed",
            "moved": "Change",
            "parts": "Grader: what is another",
            "how": "Told by",
        },
        stub="since",
        right=("difference", "flips"),
        note=f"Differences with intervals: a bootstrap over cases, both months drawn together. {said}. Where the "
        "grades of both months are not at hand, no interval of a difference is given.",
    )
    return unbroken(table, lines=("flips",))


def fresh_chart(run: Run, month: str = "") -> LayerChart:
    """Kappa on the transcripts that were labelled in each month, beside kappa on the same transcripts."""
    found = calibrated(run, month)
    rows = []
    for each in found.months:
        rows.append(_point(each, SAME, each.kappa, _certain(each), OPEN))
        rows.append(_point(each, FRESH, each.fresh or {}, "as recorded", ""))
    what = "Kappa by month, on the same and on newly labelled transcripts"
    return calibration_charts.kappa_by_month(_frame(rows), _changes(found), what=what)


def fresh_table(run: Run, month: str = "") -> GT | Card:
    """How this month's grader agrees with people on the transcripts that were labelled in each month."""
    found = calibrated(run, month)
    if not found.months:
        return cards.prose(NOTHING)
    rows = [
        {
            "month": named(each.month, found),
            "labelled": str(each.labelled) if each.labelled else "no labels",
            "fresh": _fresh(each, found),
            "fresh_n": _n(each.fresh or {}),
            "same": _kappa(each.kappa) if each.line else OPEN,
            "same_n": _n(each.kappa),
        }
        for each in found.months
    ]
    table = boards.table(
        pl.DataFrame(rows),
        labels={
            "month": "Month",
            "labelled": "Labelled in it",
            "fresh": "Kappa on those, held-out",
            "fresh_n": "Transcripts / cases\u00a0",
            "same": "Kappa on the same each month",
            "same_n": "Transcripts / cases",
        },
        stub="month",
        right=("labelled", "fresh", "fresh_n", "same", "same_n"),
        note=f"The first kappa: the grader as it was in {found.month}, on each month's new transcripts. One grader, "
        "other transcripts: what differs is the tickets, the candidates and the raters. The second: other months of "
        "the grader, one set of transcripts. With few transcripts a month, the first swings by chance alone.",
    )
    return unbroken(table)


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    kinds = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64, "cases": pl.Int64}
    texts = dict.fromkeys(("month", "series", "certain", "gap"), pl.String)
    return pl.DataFrame(rows, schema={**texts, **kinds})


def _point(month: Month, series: str, kappa: Mapping[str, Any], certain: str, gap: str) -> dict[str, Any]:
    ends = {end: finite(kappa.get(end)) for end in ("value", "low", "high")}
    counts = {name: kappa.get(name, 0) for name in ("n", "cases")}
    return {"month": month.month, "series": series, "certain": certain, "gap": gap, **ends, **counts}


def _certain(month: Month) -> str:
    """Why a month's point is hollow, or that it is "as recorded"."""
    if month.line is None or not month.measured:
        return OPEN
    return OTHER if not month.same_labels else "as recorded" if month.recorded else NOT_YET


def _changes(found: Calibration) -> dict[str, str]:
    return {each.month: listed(each.changed) for each in found.months if each.changed}


def _threshold(found: Calibration) -> float:
    if found.now is not None and found.now.line is not None:
        return found.now.line.thresholds["kappa_low"]
    return (found.measurement.thresholds if found.measurement else Trust()).kappa_low


def named(month: str, found: Calibration) -> str:
    """A month as its line of a table begins: the page's own is marked."""
    return f"▸ {month}" if month == found.month else month


def unbroken(board: GT, lines: Sequence[str] = ()) -> GT:
    """A table whose months stay on one line; the line breaks of the columns `lines` are kept."""
    from great_tables import loc, style

    board = board.tab_style(style.css("white-space: nowrap"), loc.stub())
    return board.tab_style(style.css("white-space: pre-line"), loc.body(columns=list(lines))) if lines else board


def _kappa(kappa: Mapping[str, Any]) -> str:
    return with_interval(*(kappa.get(end) for end in ("value", "low", "high")))


def _n(kappa: Mapping[str, Any]) -> str:
    return f"{kappa['n']}\u00a0/\u00a0{kappa['cases']}" if kappa else "–"


def _left(month: Month) -> str:
    if month.line is None:
        return ""
    figures = month.line.figures
    words = {
        "unscored": "unscored",
        "errors": "in error",
        "not_graded": "not graded",
        "undecided": "undecided by people",
    }
    return ", ".join(f"{figures[name]} {word}" for name, word in words.items() if figures[name]) or "none"


def _decision(month: Month) -> str:
    if month.line is None:
        return "–"
    said = f"{OPEN}: {month.why_not.rstrip('.')}" if not month.measured else month.line.decision
    marks = [OTHER] * (not month.same_labels) + [NOT_YET] * (not month.recorded)
    return "; ".join([said, *marks])


def _fresh(month: Month, found: Calibration) -> str:
    if month.fresh is not None:
        return _kappa(month.fresh) if month.fresh["value"] is not None else f"{OPEN}: {_who(month.fresh['reason'])}"
    if not month.labelled:
        return "no labels"
    now = found.now
    return "none is held out" if now is not None and now.line is not None else f"{OPEN} in {found.month}"


def _who(reason: str) -> str:
    return reason.replace("rater a", "people").replace("rater b", "the grader").replace("both raters", "both sides")


def _difference(change: Change) -> str:
    pair = change.paired
    if pair is None:
        return "no interval"
    if pair.value is None:
        return f"{OPEN}: {_who(pair.reason)}"
    sign = "+" if pair.value > 0 else ""
    if pair.low is None:
        return f"{sign}{number(pair.value)} ({pair.reason})"
    return f"{sign}{with_interval(pair.value, pair.low, pair.high)}"


def _moved(change: Change) -> str:
    pair = change.paired
    few = pair is not None and pair.changed > 0 and pair.too_few
    return f"{_MOVED[change.moved]}: too few verdicts changed to tell" if few else _MOVED[change.moved]


def _flips(change: Change) -> str:
    pair = change.paired
    if pair is None:
        return "–"
    whole = f"{pair.to_pass + pair.to_fail} of {pair.n}"
    return f"{whole}\n{pair.to_fail} to fail, {pair.to_pass} to pass".replace(" ", "\u00a0")


def _how(change: Change) -> str:
    if change.paired is not None:
        return f"{counted(change.paired.n, 'transcript')} of {counted(change.paired.cases, 'case')} graded in both"
    if not change.same_labels:
        return f"nothing: the labels are others; {change.why_unpaired}"
    if change.moved == "not comparable":
        return "nothing: an interval is missing"
    overlap = "overlap" if change.moved == "none seen" else "lie apart"
    return f"the 95 % intervals {overlap}; {change.why_unpaired}"
