"""Imported rows as a stored run, with a suite snapshot of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from evalkit.errors import CaseError
from evalkit.fingerprint import sha256
from evalkit.importers.cells import COLUMNS, UNSCORED, Row, short
from evalkit.importers.flat import Flat
from evalkit.loading import MAX_BYTES, suite_of
from evalkit.plan import made_with
from evalkit.store import Slot, Store
from evalkit.suite import Suite
from evalkit.transcript import STATUSES, Attempt, Trial

IMPORT = "import"
# Where rows name no stratum, all cases are one.
ONE_STRATUM = "all"
MAX_TRIALS = 1000
MAX_SLOTS = 1_000_000
# Beyond this a case's trial numbers are no counts: seeds, or numbers of the whole file's rows.
_SPARSE = 2


@dataclass(frozen=True)
class Imported:
    """A run that was imported: its id, the trials that the file holds, its slots by their status, and what is worth
    a look."""

    run: str
    trials: int
    slots: Mapping[str, int]
    notices: tuple[str, ...]


def run_name(asked: str | None, path: Path) -> str:
    """What a run is called: as asked, else by its file's name; raises CaseError where that is no name."""
    if asked is None:
        stem = "".join(char if char.isprintable() else "-" for char in path.stem).strip()[:200].strip()
        return stem or "imported"
    try:
        return COLUMNS["candidate"](asked)
    except ValueError as error:
        raise CaseError(f"--name {error}") from None


def import_run(
    flat: Flat,
    store: Store,
    *,
    name: str,
    repeats: int = 1,
    baseline: str | None = None,
    played: date | None = None,
) -> Imported:
    """Keep the trials of a file as a run; the same file is the same run, and is kept once.

    Args:
        flat: the file's rows.
        store: where they go.
        name: what the run is called.
        repeats: how many passes over the cases the trials of each case are: T trials are `repeats` passes of
            T / repeats each, the later ones for the baseline's noise band.
        baseline: the candidate in production; by default the first of the file.
        played: when the trials were played; by default they have the date of their import.

    Raises:
        CaseError: the trials do not divide into the repeats, or no candidate has the baseline's name.
    """
    rows, notices = _renumbered(flat)
    names = list(dict.fromkeys(row.candidate for row in rows))
    first = _baseline(baseline, names)
    total = max(row.trial for row in rows) + 1
    if total % repeats:
        said = f"{total} trials a case are no {repeats} repeats of equal length; --repeats takes a divisor of {total}"
        raise CaseError(f"{flat.file}: {said}")
    trials = total // repeats
    cases = len({row.case for row in rows})
    if cases * len(names) * total > MAX_SLOTS:
        said = f"{len(names):,} candidates × {cases:,} cases × {total:,} trials, of which the file holds {len(rows):,}"
        raise CaseError(f"{flat.file}: {said}; more than {MAX_SLOTS:,} do not fit in a run, split the file")
    notices += _unequal(rows, names, repeats)
    suite = _suite(rows, name)
    trials_by_slot = {(row.candidate, row.case, row.trial): row for row in rows}
    slots: list[Slot] = []
    kept: list[Trial] = []
    started = _started(played)
    for slot in _slots(rows, names, first, trials, repeats):
        row = trials_by_slot.get(slot)
        # The day of the import is no part of it: a file that is imported again tomorrow is the same run.
        key = sha256({"imported": slot, "told": row and _told(row), "played": played and played.isoformat()})
        slots.append(Slot(*slot, key))
        if row is not None:
            kept.append(_trial(row, key, started))
    run = sha256({"imported": [vars(slot) for slot in slots], "suite": suite.snapshot, "baseline": first,
                  "trials": trials, "repeats": repeats})  # fmt: skip
    manifest = {
        "run": run,
        "name": name,
        "started": started,
        "suite": {
            "name": suite.name,
            "snapshot": suite.snapshot,
            "cases": len(suite.cases),
            "safety_cases": [case.id for case in suite.cases if case.risk == "safety"],
            "strata": suite.strata(),
        },
        "trials": trials,
        "repeats": repeats,
        "baseline": first,
        "candidates": [{"name": each} for each in names],
        "purposes": [],
        "judged_by": IMPORT,
        "imported": {"file": flat.file, "sha256": flat.sha256},
        # The commit that is checked out says nothing of what was played elsewhere.
        "versions": made_with()["versions"],
    }
    with store.writing():
        store.begin(manifest, slots, suite.files, origin="")
        here = {key for key, status in store.statuses(run).items() if status is not None}
        store.save(run, *(trial for trial in kept if trial.fingerprint not in here))
        ended = Counter(status or "not_run" for status in store.statuses(run).values())
    return Imported(run, len(kept), {status: ended[status] for status in STATUSES}, (*flat.notices, *notices))


def _renumbered(flat: Flat) -> tuple[list[Row], list[str]]:
    """The rows with each candidate's trial numbers counted from 0, in their order.

    A number that only some cases of a candidate lack stays a number that they lack.
    """
    numbers: dict[str, set[int]] = {}
    for row in flat.rows:
        numbers.setdefault(row.candidate, set()).add(row.trial)
    most: dict[str, int] = {}
    for (name, _), count in Counter((row.candidate, row.case) for row in flat.rows).items():
        most[name] = max(count, most.get(name, 0))
    places = {name: {number: place for place, number in enumerate(sorted(found))} for name, found in numbers.items()}
    for name, found in numbers.items():
        if len(found) > max(_SPARSE * most[name], 10) or len(found) > MAX_TRIALS:
            said = (
                f"candidate {short(name)} has {len(found):,} different trial numbers, and no case more than "
                f"{most[name]:,} trials; number the trials of each case 0, 1, 2 … (at most {MAX_TRIALS:,})"
            )
            raise CaseError(f"{flat.file}: {said}")
    changed = [name for name, found in numbers.items() if max(found) != len(found) - 1]
    notices = []
    if changed:
        listed = ", ".join(f"{name} {_spans(sorted(numbers[name]))}" for name in changed[:5])
        more = f" and {len(changed) - 5} more candidates" if len(changed) > 5 else ""
        notices.append(f"trials are numbered from 0 here, in the order of their numbers: {listed}{more}")
    rows = [Row(**{**vars(row), "trial": places[row.candidate][row.trial]}) for row in flat.rows]
    return rows, notices


def _spans(numbers: Sequence[int]) -> str:
    return f"{numbers[0]} … {numbers[-1]}" if len(numbers) > 4 else ", ".join(map(str, numbers))


def _baseline(asked: str | None, names: Sequence[str]) -> str:
    if asked is not None and asked not in names:
        raise CaseError(f"--baseline {short(asked)}: no such candidate; the file's: {', '.join(names[:12])}")
    return asked or names[0]


def _unequal(rows: Sequence[Row], names: Sequence[str], repeats: int) -> list[str]:
    """A notice where candidates have different numbers of trials, which repeats of one of them would explain."""
    if repeats > 1:
        return []
    longest = dict.fromkeys(names, 0)
    for row in rows:
        longest[row.candidate] = max(longest[row.candidate], row.trial + 1)
    if len({*longest.values()}) == 1:
        return []
    listed = ", ".join(f"{name} {count}" for name, count in list(longest.items())[:8])
    said = (
        "the others' missing ones are not_run; if they are repeats of a baseline, --repeats R --baseline NAME says so"
    )
    return [f"candidates have different numbers of trials a case ({listed}); {said}"]


def _slots(
    rows: Sequence[Row], names: Sequence[str], baseline: str, trials: int, repeats: int
) -> Iterator[tuple[str, str, int]]:
    """All slots: each candidate's of the first pass, then pass by pass the baseline's and what others played."""
    cases = list(dict.fromkeys(row.case for row in rows))
    told = {(row.candidate, row.case, row.trial) for row in rows}
    for number in range(trials * repeats):
        for case in cases:
            for name in names:
                slot = (name, case, number)
                if number < trials or name == baseline or slot in told:
                    yield slot


def _suite(rows: Sequence[Row], name: str) -> Suite:
    """The suite of imported cases, by the first row that says each thing of a case."""
    told: dict[str, dict[str, Any]] = {}
    for row in rows:
        case = told.setdefault(row.case, {})
        for key in ("stratum", "must_pass", "risk", "route_expected"):
            if getattr(row, key) is not None:
                case[key] = getattr(row, key)
    lines = [
        {
            "id": key,
            "imported": True,
            "stratum": case.get("stratum", ONE_STRATUM),
            "must_pass": case.get("must_pass", False),
            "risk": case.get("risk", "normal"),
            **({"expected_handling": case["route_expected"]} if "route_expected" in case else {}),
        }
        for key, case in told.items()
    ]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    if len(text.encode()) > MAX_BYTES:
        raise CaseError(
            f"{len(lines):,} cases do not fit in a run ({MAX_BYTES // 1_000_000} MB of names); split the file"
        )
    files = {
        "suite.yaml": f"name: {json.dumps(name, ensure_ascii=False)}\n",
        "imported.jsonl": text,
    }
    return suite_of(files, name)


def _status(row: Row) -> str:
    return "completed" if row.status in (None, UNSCORED) else row.status


def _told(row: Row) -> dict[str, Any]:
    """What a row says of its trial; what it says of its case stands in the suite."""
    told = {key: getattr(row, key) for key in ("passed", "route_actual", "usd", "seconds")}
    return {**told, "status": _status(row)}


def _trial(row: Row, fingerprint: str, started: str) -> Trial:
    unscored = row.passed is None and _status(row) == "completed"
    return Trial(
        fingerprint=fingerprint,
        case=row.case,
        number=row.trial,
        status=_status(row),  # type: ignore[arg-type]
        # A cost stands in the attempt that it was spent on.
        attempts=() if row.usd is None else (Attempt(row.candidate, None, row.seconds or 0.0, row.usd),),
        reason="its source left it unscored" if unscored else "",
        # An error that its source holds against the candidate is the candidate's own.
        fault_of="agent" if row.status == "error" and row.passed is False else None,
        started=started,
        seconds=row.seconds,
        passed=row.passed,
        route=row.route_actual,
    )


def _started(played: date | None) -> str:
    if played is not None:
        return f"{played.isoformat()}T00:00:00+00:00"
    return datetime.now(UTC).isoformat(timespec="seconds")
