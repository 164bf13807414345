"""A file of rows, CSV or JSONL, as records with the lines on which they stand."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalkit.errors import CaseError, Fault
from evalkit.labels.cells import restored

MAX_BYTES = 100_000_000
MAX_ROWS = 500_000
# More than the trials of a wide row.
MAX_COLUMNS = 2_000
# Most faults that are printed; the rest is counted.
MOST_FAULTS = 20
_BOM = b"\xef\xbb\xbf"
_DELIMITERS = (",", ";", "\t")
_CSV, _JSONL = (".csv", ".tsv"), (".jsonl", ".ndjson", ".json")


@dataclass(frozen=True)
class Record:
    """One row as it is written: the line on which it starts, and its values by the names of its columns."""

    line: int
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """The rows of a file. `columns` are the names that stand in it, `faults` the rows that cannot be read."""

    file: str
    sha256: str
    columns: tuple[str, ...]
    records: tuple[Record, ...]
    faults: tuple[Fault, ...]


def capped(faults: Collection[Fault], file: str) -> CaseError:
    """The error that lists faults in the order of their lines: so many, and how many more there are."""
    ordered = sorted(faults, key=lambda each: each.line or 0)
    if len(ordered) > MOST_FAULTS:
        more = Fault(file, None, "", f"and {len(ordered) - MOST_FAULTS:,} more faults")
        return CaseError([*ordered[:MOST_FAULTS], more])
    return CaseError(ordered)


def read_table(path: Path, known: Collection[str]) -> Table:
    """The rows of a file.

    Args:
        path: CSV (its header names the columns; comma, semicolon or tab) or JSONL (one object a line), in UTF-8.
        known: names of columns that are looked for, by which the separator of a CSV file is told.

    Raises:
        CaseError: the file cannot be read, is neither of both, or holds no row.
    """
    file, data = str(path), _bytes(path)
    text = _decoded(file, data)
    kind = path.suffix.lower()
    start = text.lstrip()[:1]
    if kind in _JSONL or (kind not in _CSV and start in ("{", "[")):
        if start == "[":
            said = "is a JSON list; write one object a line (JSONL): `jq -c '.[]' FILE` does"
            raise CaseError([Fault(file, 1, "", said)])
        columns, records, faults = _jsonl(file, text)
    else:
        columns, records, faults = _csv(file, text, known)
    if not records and not faults:
        raise CaseError([Fault(file, 1, "", "holds no row")])
    return Table(file, hashlib.sha256(data).hexdigest(), tuple(columns), tuple(records), tuple(faults))


def _bytes(path: Path) -> bytes:
    file = ascii(str(path))[1:-1]
    try:
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "is no plain file" if path.exists() else "is not there"
            raise CaseError([Fault(file, None, "", f"{what}; name a CSV or JSONL file")])
        if path.stat().st_size > MAX_BYTES:
            raise CaseError([Fault(file, None, "", f"is larger than {MAX_BYTES // 1_000_000} MB; split it")])
        with path.open("rb") as opened:
            return opened.read(MAX_BYTES)
    except OSError as error:
        raise CaseError([Fault(file, None, "", f"cannot be read: {error.strerror}")]) from error
    except ValueError as error:  # a path with a NUL in it
        raise CaseError([Fault(file, None, "", f"cannot be read: {error}")]) from error


def _decoded(file: str, data: bytes) -> str:
    if data.startswith((b"PK", b"\xd0\xcf\x11\xe0", b"PAR1")):
        what = "Parquet" if data.startswith(b"PAR1") else "a spreadsheet's own format"
        raise CaseError([Fault(file, None, "", f"is {what}, not CSV or JSONL; save it as CSV UTF-8")])
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise CaseError([Fault(file, 1, "", "is UTF-16, not UTF-8; save it as UTF-8")])
    try:
        return data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
        said = f"the byte 0x{byte:02x} is not UTF-8 (the file may be Windows-1252); save it as UTF-8"
        raise CaseError([Fault(file, line, "", said)]) from None


class _Refused(ValueError):
    """What JSON allows and a row does not."""


def _refuse(word: str) -> None:
    raise _Refused(f"{word} is no number to compare with; write a finite one, or null")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise _Refused(f"the key {twice[:60]!r} stands twice")
    return found


def _jsonl(file: str, text: str) -> tuple[list[str], list[Record], list[Fault]]:
    columns: dict[str, None] = {}
    records: list[Record] = []
    faults: list[Fault] = []
    for number, line in enumerate(io.StringIO(text, newline=None), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_constant=_refuse, object_pairs_hook=_once)
        except json.JSONDecodeError as error:
            faults.append(Fault(file, number, "", f"is no JSON: {error.msg} at character {error.pos + 1}"))
            continue
        except _Refused as error:
            faults.append(Fault(file, number, "", str(error)))
            continue
        except (ValueError, RecursionError):
            faults.append(Fault(file, number, "", "is JSON that is nested too deep, or holds too long a number"))
            continue
        if not isinstance(value, dict):
            faults.append(Fault(file, number, "", f"an object is needed, not {str(value)[:40]!r}"))
            continue
        columns.update(dict.fromkeys(value))
        _narrow(file, number, len(columns))
        records.append(Record(number, value))
        _bounded(file, records)
    return list(columns), records, faults


def _csv(file: str, text: str, known: Collection[str]) -> tuple[list[str], list[Record], list[Fault]]:
    skipped = 1 if text[:4].lower() == "sep=" else 0
    lines = text.split("\n", skipped + 1)
    delimiter = _delimiter(lines[skipped].rstrip("\r") if len(lines) > skipped else "", known)
    if skipped and (named := lines[0].rstrip("\r")[4:]) in _DELIMITERS:
        delimiter = named
    csv.field_size_limit(MAX_BYTES)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] | None = None
    records: list[Record] = []
    faults: list[Fault] = []
    line = 1
    try:
        for values in reader:
            at, line = line, reader.line_num + 1
            if at <= skipped or not any(value.strip() for value in values):
                continue
            if names is None:
                _narrow(file, at, len(values))
                names = [restored(value).strip() for value in values]
                twice = [name for name in dict.fromkeys(names) if name and names.count(name) > 1]
                faults += [Fault(file, at, "", f"the column {name[:60]!r} stands twice") for name in twice]
            elif len(values) < len(names) or any(value.strip() for value in values[len(names) :]):
                faults.append(Fault(file, at, "", f"has {len(values)} cells and the header {len(names)}"))
            else:
                records.append(Record(at, dict(zip(names, map(restored, values), strict=False))))
                _bounded(file, records)
    except csv.Error as error:
        said = "a quote that opens here is never closed" if "unexpected end" in str(error) else f"is no CSV: {error}"
        faults.append(Fault(file, line, "", said))
    return [name for name in names or () if name], records, faults


def _delimiter(header: str, known: Collection[str]) -> str:
    """The separator by which the header names most of what is looked for, then most columns."""

    def found(delimiter: str) -> tuple[int, int]:
        names = [name.strip(" \"'") for name in header.split(delimiter)]
        return len({*names} & {*known}), len(names)

    return max(_DELIMITERS, key=found)


def _narrow(file: str, line: int, columns: int) -> None:
    if columns > MAX_COLUMNS:
        raise CaseError(
            [Fault(file, line, "", f"holds more than {MAX_COLUMNS:,} columns; leave those out that are not read")]
        )


def _bounded(file: str, records: list[Record]) -> None:
    if len(records) > MAX_ROWS:
        raise CaseError([Fault(file, records[-1].line, "", f"holds more than {MAX_ROWS:,} rows; split it")])
