"""From a name to a Run: an id in the store, or the folder of an archived report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evalkit import archive
from evalkit.archive import Pair
from evalkit.errors import CaseError, StoreError
from evalkit.labels import label_files, subject_of_item
from evalkit.loading import load_suite, suite_of
from evalkit.store import Store
from evalkit.suite import Suite
from evalkit.tables import Run
from evalkit.transcript import Grade

# A calibration is compared with so many months before it.
MONTHS_BACK = 12
# What judges an imported run: its source did.
IMPORT = "import"
_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")


def load_run(run: str | Path, store: str | Path | None = None, *, suite_of_run: str | Path | None = None) -> Run:
    """The run that a name means: an id, a unique prefix, `latest`, or the folder of an archived report.

    It is judged by the suite as it stands; an archive, a run whose suite's folder is gone, and a run named in
    `suite_of_run` are judged by a snapshot. Raises StoreError where there is no such run.
    """
    named = None if suite_of_run is None else snapshot_of(suite_of_run, store)
    if archive.is_archive(run):
        manifest, pairs, files, grades, labels = archive.read(Path(run))
        judge = IMPORT if "imported" in manifest else "the suite that is archived with it"
        suite, judged_by = named or (suite_of(files, manifest["suite"]["name"]), judge)
        own, later = _parted(manifest, pairs)
        return Run(manifest, suite, own, judged_by, grades, labels, later)
    with Store(store, create=False) as opened:
        key = opened.find(str(run))
        manifest, origin = opened.manifest(key), opened.origin(key)
        if named is not None:
            suite, judged_by = named
        elif "imported" not in manifest and origin.is_dir():
            suite, judged_by = _as_it_stands(origin), "the suite as it stands"
        else:
            suite = suite_of(opened.files(manifest["suite"]["snapshot"]), manifest["suite"]["name"])
            gone = "the run's own snapshot: the suite's folder is gone"
            judged_by = IMPORT if "imported" in manifest else gone
        grades: dict[str, Grade] = {}
        labels = {} if "imported" in manifest else label_files(origin / "labels")
        own, later = _parted(manifest, opened.trials(key))
        found = Run(manifest, suite, own, judged_by, grades, labels, later)
        # Which grades are its own follows from the run; filled in, it keeps what it knows of its transcripts.
        grades.update(opened.grades.of(list(grade_keys(found))))
        return found


def _parted(manifest: Mapping[str, Any], pairs: Iterable[Pair]) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """The shootout's own pairs, and those above its numbers."""
    found = tuple(pairs)
    own = tuple(pair for pair in found if pair[0].number < manifest["trials"])
    return own, tuple(pair for pair in found if pair[0].number >= manifest["trials"])


def grade_keys(run: Run) -> Iterator[str]:
    """The fingerprints of all grades that a run may show: of its trials, and of the labelled transcripts."""
    if run.panel is None:
        return
    yield from run.panel.keys(each for each in run.subjects if each is not None)
    items = [subject_of_item(item) for labels in run.label_sets for item in labels.items]
    for series in (run.series, *_months_before(run.series)):
        yield from run.panel.keys(items, series)


def _months_before(series: str) -> Iterator[str]:
    """The months before a month's series, whose grades it is compared with; none of any other series."""
    if not _MONTH.fullmatch(series):
        return
    months = 12 * int(series[:4]) + int(series[5:]) - 1
    for month in range(max(0, months - MONTHS_BACK), months):
        yield f"{month // 12:04}-{month % 12 + 1:02}"


def snapshot_of(run: str | Path, store: str | Path | None = None) -> tuple[Suite, str]:
    """The suite as it stood when a run was played, and how to name it."""
    if archive.is_archive(run):
        manifest, _, files, *_ = archive.read(Path(run))
    else:
        with Store(store, create=False) as opened:
            manifest = opened.manifest(opened.find(str(run)))
            files = opened.files(manifest["suite"]["snapshot"])
    return suite_of(files, manifest["suite"]["name"]), f"the suite of run {manifest['run'][:8]}"


def _as_it_stands(folder: Path) -> Suite:
    try:
        return load_suite(folder)
    except CaseError as error:
        raise StoreError(
            f"the suite that judges this run has faults; mend them, or judge by --suite-of RUN:\n{error}"
        ) from error
