"""An archived run: manifest, trials and suite snapshot in a folder, from which every number can be made again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalkit.errors import StoreError
from evalkit.store import Slot
from evalkit.transcript import Trial

if TYPE_CHECKING:
    import polars

MANIFEST, TRIALS, JUDGED, SUITE = "manifest.json", "trials.parquet", "judged.parquet", "suite.json"
Pair = tuple[Slot, Trial | None]


def write(
    folder: Path,
    manifest: Mapping[str, Any],
    pairs: Sequence[Pair],
    judged: polars.DataFrame,
    files: Mapping[str, str],
) -> None:
    """Write a run into a folder: its manifest with each slot's fingerprint, its trials, judged rows and suite."""
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


def read(folder: Path) -> tuple[dict[str, Any], tuple[Pair, ...], dict[str, str]]:
    """The manifest, the slots with their trials, and the suite's files of an archived run.

    Raises StoreError where the folder holds no archived run.
    """
    import polars as pl

    try:
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
        files = json.loads((folder / SUITE).read_text("utf-8"))
        for key in ("run", "name", "started", "suite", "candidates", "trials"):
            manifest[key]
        rows = pl.read_parquet(folder / TRIALS).iter_rows()
        pairs = tuple(
            (Slot(candidate, case, number, key), None if body is None else Trial.from_json(json.loads(body)))
            for candidate, case, number, key, body in rows
        )
    except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
        raise StoreError(f"{folder} holds no archived run: {error}") from error
    return {key: value for key, value in manifest.items() if key != "slots"}, pairs, files


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", "utf-8")
