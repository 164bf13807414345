"""A grader's agreement with people in each month: from the ledger and, where it is not recorded yet, the run's own.

In every month's series the labelled transcripts are graded anew, so what moves from month to month is the grader's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from evalkit.calibration.change import PARTS, Change, changes_since
from evalkit.errors import CaseError, NotMeasured, ReportError
from evalkit.labels.files import LEDGER
from evalkit.labels.items import Source
from evalkit.measurement import Measurement, measure
from evalkit.shown import finite
from evalkit.tables import Run, once_a_run
from evalkit.trust import TrustLine, line_of, read_ledger

_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")
# A row of months no longer than this: one stray date must not make a page of a thousand lines.
MOST_BEFORE, MOST_AFTER = 119, 12


@dataclass(frozen=True)
class Month:
    """One month in the row.

    `line` is its newest line of the ledger or, where `recorded` is False, what the run itself measured; None where
    nobody measured it. `changed` names the parts of the grader (rubric, model, prompt) that are others than in the
    month measured before it. `same_labels` says whether it rests on the labels of the page's month. `labelled` counts
    the transcripts that people first rated in it, and `fresh` is kappa's figures on the held-out ones of them, by the
    grader of the page's month; None where there is none.
    """

    month: str
    line: TrustLine | None = None
    recorded: bool = True
    changed: tuple[str, ...] = ()
    same_labels: bool = True
    labelled: int = 0
    fresh: Mapping[str, Any] | None = None

    @property
    def kappa(self) -> Mapping[str, Any]:
        """Kappa's figures; empty where nobody measured."""
        return self.line.figures["kappa"] if self.line else {}

    @property
    def measured(self) -> bool:
        """Whether its kappa may be compared."""
        return (
            self.line is not None and self.line.decision != "not measured" and finite(self.kappa["value"]) is not None
        )

    @property
    def why_not(self) -> str:
        """Why it is not measured, '' where it is."""
        if self.measured:
            return ""
        if self.line is None:
            return "nobody graded the labelled transcripts anew in it"
        return next(iter(self.line.reasons), "") or str(self.kappa.get("reason") or "no kappa")


@dataclass(frozen=True, eq=False)
class Calibration:
    """The row of months without a gap, seen from `month`; '' where none is on record.

    `measurement` is that of the run's own grades, None without a grader; `run` is where grades come from. `faults` say
    what could not be read, `left_out` counts months outside the row.
    """

    run: Run
    month: str
    months: tuple[Month, ...]
    measurement: Measurement | None
    faults: tuple[str, ...]
    left_out: int = 0

    @cached_property
    def now(self) -> Month | None:
        """The page's month."""
        return next((each for each in self.months if each.month == self.month), None)

    @property
    def source(self) -> Source | None:
        """Who labelled what the page's month rests on; None where nobody did."""
        if self.now is not None and self.now.line is not None:
            return self.now.line.source
        return self.measurement.source if self.measurement else None

    @cached_property
    def before(self) -> tuple[Month, ...]:
        """The months before it that can be compared, oldest first."""
        return tuple(each for each in self.months if each.month < self.month and each.measured)

    @cached_property
    def last_line(self) -> Month | None:
        """The last month before it of which there is a line."""
        return next((each for each in reversed(self.months) if each.month < self.month and each.line), None)

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The page's month against those before it, the last one first; () where it is not measured itself."""
        return changes_since(self) if self.now is not None and self.now.measured else ()


def is_month(text: str) -> bool:
    """Whether a text names a month, such as 2026-10."""
    return bool(_MONTH.fullmatch(text))


def row_of(months: Iterable[str], around: str) -> tuple[str, ...]:
    """All months from the first to the last of `months`, none left out; at most ten years around one of them.

    Example: row_of(["2026-11", "2027-01"], "2027-01") is ("2026-11", "2026-12", "2027-01").
    """
    numbers = [_number(month) for month in months]
    first = max(min(numbers), _number(around) - MOST_BEFORE)
    last = min(max(numbers), _number(around) + MOST_AFTER)
    return tuple(f"{number // 12:04}-{number % 12 + 1:02}" for number in range(first, last + 1))


@once_a_run
def calibrated(run: Run, month: str = "") -> Calibration:
    """The months that a run's ledger, labels and grades tell of, seen from `month`.

    Without a month: the run's series where that is one, else the newest month on record. Raises ReportError where
    `month` is none.
    """
    if month and not is_month(month):
        raise ReportError(f"the parameter 'month' is {month!r}, which is no month; write it as 2026-10")
    measurement, faults = _measured(run)
    lines, unread = _lines(run)
    own = run.series if is_month(run.series) else ""
    labelled = _labelled(measurement)
    month = month or own or max(lines, default="") or max(labelled, default="")
    if not month:
        return Calibration(run, "", (), measurement, (*faults, *unread))
    found = {name: Month(name, line) for name, line in lines.items()}
    if measurement is not None and own and (line := _own_line(measurement, lines.get(own))):
        found[own] = Month(own, line, recorded=False)
    named = {*found, *labelled, month}
    row = row_of(named, month)
    here = found.get(month)
    fresh = here.line.figures["months"] if here and here.line else {}
    months = _in_a_row([found.get(name, Month(name)) for name in row], _hash(here, measurement))
    months = [replace(each, labelled=labelled.get(each.month, 0), fresh=fresh.get(each.month)) for each in months]
    return Calibration(run, month, tuple(months), measurement, (*faults, *unread), len(named - set(row)))


def _measured(run: Run) -> tuple[Measurement | None, tuple[str, ...]]:
    try:
        return measure(run), ()
    except NotMeasured:
        return None, ()
    except CaseError as error:
        return None, tuple(f"the labels cannot be read: {fault}" for fault in error.faults)


def _lines(run: Run) -> tuple[dict[str, TrustLine], tuple[str, ...]]:
    """The newest line of each month's series, by the rubric of the run's grader."""
    text = run.labels.get(LEDGER)
    if text is None or run.panel is None:
        return {}, ()
    try:
        lines = read_ledger(text, f"labels/{LEDGER}")
    except CaseError as error:
        return {}, tuple(f"the ledger cannot be read: {fault}" for fault in error.faults)
    name = run.panel.rubric.name
    return {line.series: line for line in lines if is_month(line.series) and line.rubric == name}, ()


def _own_line(measurement: Measurement, recorded: TrustLine | None) -> TrustLine | None:
    """What the run's own grades show, as a line without a date; None where the ledger holds it or none is there."""
    graded = any(each.grading.state != "not graded" for each in measurement.held_out.labelled)
    if not measurement.sets or not (graded or recorded is None):
        return None
    line = line_of(measurement, "")
    return None if recorded is not None and _told(line) == _told(recorded) else line


def _told(line: TrustLine) -> tuple[Any, ...]:
    """What makes two lines the same measurement; the ends of intervals may differ in their last digits elsewhere."""
    counts = [line.figures[name] for name in ("items", "undecided", "unrated", "not_graded", "unscored", "errors")]
    table = [list(row) for row in line.figures["kappa"]["table"]]
    return line.grader["fingerprint"], line.labels["hash"], dict(line.thresholds), counts, table


def _labelled(measurement: Measurement | None) -> Mapping[str, int]:
    if measurement is None:
        return {}
    return Counter(each.item.month for each in measurement.labelled if each.item.month is not None)


def _hash(here: Month | None, measurement: Measurement | None) -> str | None:
    if here is not None and here.line is not None:
        return here.line.labels["hash"]
    return measurement.labels_hash if measurement else None


def _in_a_row(months: Sequence[Month], labels: str | None) -> list[Month]:
    """The months with what changed of the grader since the one measured before, and whether their labels are these."""
    row, last = [], None
    for each in months:
        if each.line is not None:
            changed = tuple(part for part in PARTS if last is not None and each.line.grader[part] != last.grader[part])
            each, last = replace(each, changed=changed, same_labels=each.line.labels["hash"] == labels), each.line
        row.append(each)
    return row


def _number(month: str) -> int:
    return int(month[:4]) * 12 + int(month[5:]) - 1
