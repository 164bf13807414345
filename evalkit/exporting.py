"""A run as flat rows, one a trial: the columns that `evalkit import flat` reads."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalkit.cases import Case
from evalkit.importers.cells import COLUMNS, UNSCORED
from evalkit.labels.cells import defused
from evalkit.labels.writing import replace
from evalkit.rows import Reading
from evalkit.tables import Run

if TYPE_CHECKING:
    import polars


FlatRow = dict[str, Any]


def flat_rows(run: Run) -> tuple[FlatRow, ...]:
    """One row a slot, of the columns of `COLUMNS`; None where the run does not tell.

    The baseline's rows come first, then each candidate's as the run names them; a candidate's by case, then by number,
    the baseline's repeats among them. What a gate had played anew is its own second look, and is left out. Of an
    imported run, a trial that its file never held is none here either. Trials of a case that is no longer in the suite
    that judges have no row: `lost` counts them.
    """
    names = [each["name"] for each in run.manifest["candidates"]]
    baseline = run.manifest.get("baseline")
    order = {name: (name != baseline, place) for place, name in enumerate(names)}
    readings = sorted(
        (each for each in (*run.readings, *run.later_readings) if not _is_rerun(run, each)),
        key=lambda each: (order[each.slot.candidate], each.slot.case, each.slot.number),
    )
    return tuple(_rows(run, readings))


def _is_rerun(run: Run, reading: Reading) -> bool:
    name, number = reading.slot.candidate, reading.slot.number
    return name in run.manifest.get("reruns", {}) and number >= run.manifest["trials"] * run.passes(name)


def lost(run: Run) -> int:
    """How many slots have no row, since their case is no longer in the suite that judges."""
    return sum(slot.case not in run.suite.by_id for slot, _ in (*run.pairs, *run.later))


def flat_frame(rows: Sequence[FlatRow]) -> polars.DataFrame:
    """Flat rows as a frame with columns of fixed types."""
    import polars as pl

    return pl.DataFrame(list(rows), schema=_schema())


def jsonl(rows: Sequence[FlatRow]) -> str:
    """Flat rows as JSONL: one object a line, null where the run does not tell."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def csv_text(rows: Sequence[FlatRow]) -> str:
    """Flat rows as CSV: an empty cell where the run does not tell, and no cell that a spreadsheet would run."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(row[name]) for name in COLUMNS] for row in rows)
    return out.getvalue()


def write(path: Path, data: str | polars.DataFrame) -> None:
    """Put an export into a file, which is replaced whole or not at all; a frame as Parquet."""
    if not isinstance(data, str):
        out = io.BytesIO()
        data.write_parquet(out)
        replace(path, out.getvalue())
        return
    replace(path, data.encode())


def _schema() -> dict[str, Any]:
    import polars as pl

    other = {"trial": pl.Int64, "passed": pl.Boolean, "must_pass": pl.Boolean, "usd": pl.Float64, "seconds": pl.Float64}
    return {name: other.get(name, pl.String) for name in COLUMNS}


def _rows(run: Run, readings: Iterable[Reading]) -> Iterator[FlatRow]:
    for reading in readings:
        slot, trial = reading.slot, reading.trial
        case = run.suite.by_id.get(slot.case)
        if case is None or (trial is None and case.kind == "imported"):
            continue
        found = run.rows.judged(reading)
        unscored = found["status"] == "completed" and found["passed"] is None
        row = {
            **{name: found[name] for name in ("candidate", "case", "trial", "passed", "stratum", "risk", "usd")},
            "must_pass": case.must_pass,
            "route_expected": _expected(case),
            "route_actual": _taken(reading, case, found["route"]),
            "seconds": found["seconds"],
            "status": UNSCORED if unscored else found["status"],
        }
        yield {name: row[name] for name in COLUMNS}


def _expected(case: Case) -> str | None:
    if not case.expects_routing:
        return None
    return "escalate" if case.expects_handoff else "direct"


def _taken(reading: Reading, case: Case, route: str | None) -> str | None:
    """The route that a trial took: a ticket's by its card, a conversation's by how it ended."""
    trial = reading.trial
    if case.kind != "conversation" or trial is None or trial.status != "completed" or not trial.outcome:
        return route
    return "escalate" if trial.outcome == "handed_off" else "direct"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return defused(value) if isinstance(value, str) else repr(value)
