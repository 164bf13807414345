"""An archived run: manifest, trials and suite snapshot in a folder, from which every number can be made again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalkit.errors import StoreError
from evalkit.manifest import texts, wrong
from evalkit.packed import Files, Folder, Packed
from evalkit.store import Slot
from evalkit.transcript import Grade, Trial

if TYPE_CHECKING:
    import polars

MANIFEST, TRIALS, JUDGED, SUITE = "manifest.json", "trials.parquet", "judged.parquet", "suite.json"
GRADES, LABELS = "grades.parquet", "labels.json"
Pair = tuple[Slot, Trial | None]
Archived = tuple[dict[str, Any], tuple[Pair, ...], dict[str, str], dict[str, Grade], dict[str, str]]


def write(
    folder: Path,
    manifest: Mapping[str, Any],
    pairs: Sequence[Pair],
    judged: polars.DataFrame,
    files: Mapping[str, str],
    grades: Mapping[str, Grade],
    labels: Mapping[str, str],
) -> None:
    """Write a run into a folder: its manifest with each slot's fingerprint, its trials, judged rows and suite.

    Grades and people's labels are written where there are any.
    """
    import polars as pl

    slots = [[slot.candidate, slot.case, slot.number, slot.fingerprint] for slot, _ in pairs]
    _write_json(folder / MANIFEST, {**manifest, "slots": slots})
    _write_json(folder / SUITE, dict(files))
    rows = [
        {
            "candidate": slot.candidate,
            "case": slot.case,
            "number": slot.number,
            "fingerprint": slot.fingerprint,
            "trial": None if trial is None else json.dumps(trial.to_json()),
        }
        for slot, trial in pairs
    ]
    schema = {
        "candidate": pl.String,
        "case": pl.String,
        "number": pl.Int64,
        "fingerprint": pl.String,
        "trial": pl.String,
    }
    pl.DataFrame(rows, schema=schema).write_parquet(folder / TRIALS)
    judged.write_parquet(folder / JUDGED)
    if grades:
        bodies = [json.dumps(grade.to_json()) for grade in grades.values()]
        pl.DataFrame({"grade": bodies}).write_parquet(folder / GRADES)
    if labels:
        _write_json(folder / LABELS, labels)


def read(place: Path) -> Archived:
    """The manifest, the slots with their trials, the suite's files, the grades and the labels of an archived run.

    `place` is the archive's folder, or a zip of it. Raises StoreError where it holds no archived run.
    """
    import polars as pl

    try:
        found: Files = Folder(place) if place.is_dir() else Packed(place, MANIFEST)
        manifest, files = json.loads(found.read(MANIFEST)), texts(json.loads(found.read(SUITE)), SUITE)
        rows = _rows(found, TRIALS).iter_rows()
        pairs = tuple(
            (Slot(candidate, case, number, key), None if body is None else Trial.from_json(json.loads(body)))
            for candidate, case, number, key, body in rows
        )
        if said := wrong(manifest, {slot.candidate for slot, _ in pairs}):
            raise ValueError(f"{MANIFEST}: {said}")
        graded = _rows(found, GRADES)["grade"] if found.has(GRADES) else ()
        grades = {grade.fingerprint: grade for grade in (Grade.from_json(json.loads(body)) for body in graded)}
        labels = texts(json.loads(found.read(LABELS)), LABELS) if found.has(LABELS) else {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError, pl.exceptions.PolarsError) as error:
        raise StoreError(f"{place} holds no archived run: {' '.join(str(error).split())}") from error
    return {key: value for key, value in manifest.items() if key != "slots"}, pairs, files, grades, labels


def is_archive(place: str | Path) -> bool:
    """Whether a folder holds an archived run, or a file calls itself a zip, which is to be one of such a folder."""
    path = Path(place)
    return (path / MANIFEST).is_file() or (path.suffix.lower() == ".zip" and path.is_file())


def _rows(found: Files, name: str) -> polars.DataFrame:
    import polars as pl

    return pl.read_parquet(BytesIO(found.read(name)))


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", "utf-8")
