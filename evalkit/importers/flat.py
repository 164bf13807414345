"""Rows of a flat file, each checked: `evalkit import flat`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalkit.errors import CaseError, Fault
from evalkit.importers.cells import COLUMNS, OF_THE_CASE, REQUIRED, UNSCORED, Row, empty, short
from evalkit.importers.files import Record, Table, capped, read_table
from evalkit.transcript import NEVER_MEASURED

_WIDE_PREFIX = re.compile(r"trial[ _-]*", re.IGNORECASE)
# What of a trial alone a row that holds many cannot say.
_OF_ONE_TRIAL = ("passed", "route_actual", "usd", "seconds", "status")


@dataclass(frozen=True)
class Flat:
    """The rows of a file, its content's hash, and what is worth a look though it is no fault."""

    file: str
    sha256: str
    rows: tuple[Row, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True)
class _Columns:
    """Where each column is read: `sources` by column, `fixed` values, and in a wide file the trials' own columns."""

    sources: Mapping[str, str]
    fixed: Mapping[str, Any]
    trials: Mapping[str, int]


def read_flat(path: str | Path, mapped: Sequence[str] = (), fixed: Sequence[str] = (), *, wide: bool = False) -> Flat:
    """The trials that a file tells of, one a row; or one a column, where it is wide.

    Args:
        path: a CSV or JSONL file with the columns of `COLUMNS`, of which stratum and those behind it may be absent.
        mapped: `column=source` for each column that stands in the file under another name; in a wide file
            `trial=PREFIX` is what the trials' columns begin with, before their number.
        fixed: `column=value` for what holds of every row and does not stand in the file.
        wide: whether a row is all trials of a case: `Trial_1`, `Trial_2` … hold their verdicts.

    Raises:
        CaseError: every fault of the options, or of the file's rows with their lines.
    """
    file = str(path)
    options = _pairs("--map", mapped), _pairs("--set", fixed)
    wanted = [options[0].get(name, name) for name in COLUMNS]
    table = read_table(Path(path), wanted)
    if table.faults and not table.columns:
        raise capped(table.faults, file)
    columns, notices = _columns(table, *options, wide=wide)
    rows: list[Row] = []
    faults = [*table.faults]
    for record in table.records:
        try:
            rows += _wide_rows(record, columns) if wide else [_row(record, columns)]
        except _Wrong as wrong:
            faults += [Fault(file, record.line, "", said) for said in wrong.says]
    faults += _contradictions(file, rows)
    if faults:
        raise capped(faults, file)
    if not rows:
        raise CaseError([Fault(file, 1, "", "holds no trial")])
    return Flat(Path(path).name, table.sha256, tuple(rows), tuple(notices))


class _Wrong(Exception):
    """What is wrong with one row: all of it."""

    def __init__(self, says: Sequence[str]) -> None:
        self.says = tuple(says)


def _pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in given:
        column, equals, source = (part.strip() for part in pair.partition("="))
        if not (equals and column and source):
            raise CaseError(f"{option} {short(pair)}: write {option} column=source")
        if column not in COLUMNS:
            raise CaseError(f"{option}: no column {short(column)}; {_near(column, list(COLUMNS))}")
        if column in found:
            raise CaseError(f"{option}: the column {column!r} is given twice")
        found[column] = source
    return found


def _near(name: str, known: Sequence[str]) -> str:
    """A known name that is close, or all of them as far as they fit a line."""
    plain = {_plain(each): each for each in known}
    if near := difflib.get_close_matches(_plain(name), list(plain), n=2, cutoff=0.6):
        return f"did you mean {' or '.join(repr(plain[each]) for each in near)}?"
    return f"known: {', '.join(short(each) for each in known[:15])}{', …' if len(known) > 15 else ''}"


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")


def _columns(
    table: Table, mapped: Mapping[str, str], fixed: Mapping[str, str], *, wide: bool
) -> tuple[_Columns, list[str]]:
    """Where each column is read, and a notice of those that are not; raises CaseError with every fault."""
    says, here = [], set(table.columns)
    values: dict[str, Any] = {}
    for column, text in fixed.items():
        if column in ("case", "passed") or column in mapped:
            says.append(f"--set {column}: it differs from row to row; --map {column}=SOURCE names the file's column")
            continue
        try:
            values[column] = COLUMNS[column](text)
        except ValueError as error:
            says.append(f"--set {column}: {error}")
    barred = ("trial", *_OF_ONE_TRIAL) if wide else ()
    sources = {name: mapped.get(name, name) for name in COLUMNS if name not in barred and name not in fixed}
    says += [
        f"--map {column}={short(mapped[column])}: no such column; {_near(mapped[column], table.columns)}"
        for column in sources
        if column in mapped and mapped[column] not in here
    ]
    says += [
        f"--map {name}: belongs to one trial, and a wide row holds many"
        for name in _OF_ONE_TRIAL
        if wide and name in mapped
    ]
    trials = _trial_columns(table.columns, mapped.get("trial"), {*sources.values()}) if wide else {}
    if wide and not trials:
        says.append("no column of a trial (Trial_1, Trial_2 …); --map trial=PREFIX says what their names begin with")
    read = {source for source in sources.values() if source in here} | {*trials}
    unread = [name for name in table.columns if name not in read]
    for column in REQUIRED:
        if column in sources and sources[column] not in here and column not in mapped:
            every = "" if column in ("case", "passed") else f", and --set {column}=VALUE says it of every row"
            said = f"the column {column!r} is missing; --map {column}=SOURCE reads another{every}"
            says.append(f"{said}; {_near(column, unread)}" if unread else said)
    # A misspelt must_pass that is read as none would take a case out of what must pass.
    says += [
        f"the column {name!r} is not read; write {_plain(name)!r}, or --map {_plain(name)}={name}"
        for name in unread
        if _plain(name) in sources and _plain(name) not in (*mapped, *REQUIRED) and _plain(name) not in here
    ]
    if says:
        raise CaseError([Fault(table.file, None, "", said) for said in says])
    notices = []
    if unread:
        more = f" and {len(unread) - 12} more" if len(unread) > 12 else ""
        notices.append(f"not read: {', '.join(short(name)[1:-1] for name in unread[:12])}{more}")
    return _Columns({name: source for name, source in sources.items() if source in here}, values, trials), notices


def _trial_columns(names: Sequence[str], prefix: str | None, taken: set[str]) -> dict[str, int]:
    """The columns of a wide file's trials, with their numbers."""
    found = {}
    for name in names:
        head, number = re.fullmatch(r"(.*?)([0-9]{0,9})", name, re.DOTALL | re.ASCII).groups()  # type: ignore[union-attr]
        fits = _WIDE_PREFIX.fullmatch(head) if prefix is None else head == prefix
        if number and fits and name not in taken:
            found[name] = int(number)
    return found


def _values(record: Record, columns: _Columns) -> dict[str, Any]:
    """The row's columns as read; raises _Wrong with every cell that holds no such value."""
    found, says = dict(columns.fixed), []
    for column, source in columns.sources.items():
        raw = record.values.get(source)
        if empty(raw):
            if column in REQUIRED and column != "passed":
                says.append(f"{column}: is empty")
            continue
        try:
            found[column] = COLUMNS[column](raw)
        except ValueError as error:
            says.append(f"{column}: {error}")
    if says:
        raise _Wrong(says)
    return found


def _row(record: Record, columns: _Columns) -> Row:
    found = _values(record, columns)
    passed, status = found.get("passed"), found.get("status")
    if passed is None and status in (None, "completed"):
        said = "passed: is empty, and no status says why; write true or false, or a status such as "
        raise _Wrong([f"{said}{UNSCORED} or error"])
    if passed is not None and status == UNSCORED:
        raise _Wrong([f"passed: is {str(passed).lower()}, where the status is {UNSCORED}"])
    if passed and status not in (None, "completed"):
        raise _Wrong([f"passed: is true, where the status is {status}"])
    # What a model's call did is its source's to judge, so an error may be a failure; these two say nothing of a model.
    if passed is False and status in NEVER_MEASURED and status != "error":
        raise _Wrong([f"passed: is false, where the status is {status}: nothing was measured; leave it empty"])
    return Row(record.line, **{"passed": None, **found})


def _wide_rows(record: Record, columns: _Columns) -> Iterator[Row]:
    found, says, rows = _values(record, columns), [], []
    for source, number in columns.trials.items():
        raw = record.values.get(source)
        if empty(raw):
            continue
        try:
            rows.append(Row(record.line, **{**found, "trial": number, "passed": COLUMNS["passed"](raw)}))
        except ValueError as error:
            says.append(f"{source[:60]}: {error}")
    if says:
        raise _Wrong(says)
    return iter(rows)


def _contradictions(file: str, rows: Sequence[Row]) -> Iterator[Fault]:
    """Trials that stand twice, and cases of which two rows say different things."""
    places: dict[tuple[str, str, int], int] = {}
    said: dict[tuple[str, str], tuple[Any, int]] = {}
    for row in rows:
        trial = (row.candidate, row.case, row.trial)
        if trial in places:
            what = f"candidate {short(row.candidate)}, case {short(row.case)}, trial {row.trial}"
            yield Fault(file, row.line, "", f"{what} stands in line {places[trial]} already")
        places.setdefault(trial, row.line)
        for column in OF_THE_CASE:
            value = getattr(row, column)
            if value is None:
                continue
            other, line = said.setdefault((row.case, column), (value, row.line))
            if other != value:
                what = f"{column}: is {short(value)}, and line {line} says {short(other)} of case {short(row.case)}"
                yield Fault(file, row.line, "", what)
