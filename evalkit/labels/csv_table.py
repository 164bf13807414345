"""CSV that goes out to people and comes back from their spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalkit.errors import CaseError, Fault
from evalkit.labels.cells import defused, restored

MAX_BYTES = 50_000_000
_DELIMITERS = (",", ";", "\t")
_BOM = b"\xef\xbb\xbf"
_SAVE = "save it as CSV UTF-8"


@dataclass(frozen=True)
class Row:
    """One row: the line of the file on which it starts, and its cells by column."""

    line: int
    cells: Mapping[str, str]


def csv_bytes(columns: Sequence[str], rows: Sequence[Mapping[str, str]], delimiter: str = ",") -> bytes:
    """A table as the bytes of a CSV file that spreadsheets open well: UTF-8 with its mark, each cell defused."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(map(defused, columns))
    writer.writerows([defused(row.get(name, "")) for name in columns] for row in rows)
    return _BOM + out.getvalue().encode()


def read_csv(path: Path, columns: Sequence[str]) -> tuple[tuple[Row, ...], str]:
    """The rows of a CSV file, and what its columns are separated by: comma, semicolon or tab.

    Args:
        path: the file: UTF-8 with or without its mark.
        columns: the columns that it must have, in any order; beside them only empty ones are read.

    Raises:
        CaseError: the file cannot be read as such a table; with every fault of its header, or of its rows.
    """
    file, text = str(path), _decoded(path)
    skipped = 1 if text[:4].lower() == "sep=" else 0
    lines = text.splitlines()
    delimiter = _delimiter(lines[skipped] if len(lines) > skipped else "", columns)
    records, faults = _records(file, text, delimiter)
    records = records[skipped:]
    if not records:
        raise CaseError(
            [*faults, Fault(file, 1, "", f"is empty; the first row names the columns: {', '.join(columns)}")]
        )
    line, names = records[0][0], [restored(name).strip() for name in records[0][1]]
    faults += [Fault(file, line, "", said) for said in _header_faults(names, columns)]
    rows = []
    for at, values in records[1:]:
        if any(value.strip() for value in values[len(names) :]):
            faults.append(Fault(file, at, "", f"has {len(values)} cells and the header {len(names)}"))
        elif any(value.strip() for name, value in zip(names, values, strict=False) if not name):
            faults.append(Fault(file, at, "", "has text in a column without a name; move it into the note"))
        elif any(value.strip() for value in values):
            cells = dict.fromkeys(columns, "") | dict(zip(names, map(restored, values), strict=False))
            rows.append(Row(at, cells))
    if faults:
        raise CaseError(faults)
    return tuple(rows), delimiter


def _decoded(path: Path) -> str:
    file = str(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CaseError([Fault(file, None, "", f"is larger than {MAX_BYTES // 1_000_000} MB")])
        data = path.read_bytes()
    except OSError as error:
        raise CaseError([Fault(file, None, "", f"cannot be read: {error.strerror}")]) from error
    if data.startswith(b"PK") or data.startswith(b"\xd0\xcf\x11\xe0"):
        raise CaseError([Fault(file, None, "", f"is a spreadsheet's own format, not CSV; {_SAVE}")])
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise CaseError([Fault(file, 1, "", f"is UTF-16, not UTF-8; {_SAVE}")])
    try:
        return data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
        said = f"the byte 0x{byte:02x} is not UTF-8 (the file may be Windows-1252); {_SAVE}"
        raise CaseError([Fault(file, line, "", said)]) from None


def _delimiter(header: str, columns: Sequence[str]) -> str:
    """The separator by which the first line names most of the columns."""

    def found(delimiter: str) -> int:
        return len({name.strip(' "') for name in header.split(delimiter)} & set(columns))

    return max(_DELIMITERS, key=found)


def _records(file: str, text: str, delimiter: str) -> tuple[list[tuple[int, list[str]]], list[Fault]]:
    """Every record with the line on which it starts; and where the file stops being CSV."""
    csv.field_size_limit(MAX_BYTES)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for values in reader:
            records.append((line, values))
            line = reader.line_num + 1
    except csv.Error as error:
        said = "a quote that opens here is never closed" if "unexpected end" in str(error) else f"is no CSV: {error}"
        return records, [Fault(file, line, "", said)]
    return records, []


def _header_faults(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    missing = [name for name in columns if name not in names]
    unknown = [name for name in names if name and name not in columns]
    twice = [name for name in dict.fromkeys(names) if name and names.count(name) > 1]
    said = [f"the column {name!r} is missing; the header is {', '.join(columns)}" for name in missing]
    said += [f"unknown column {name!r}; remove it" for name in unknown]
    return said + [f"the column {name!r} stands twice" for name in twice]
