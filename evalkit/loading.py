"""From a folder to a Suite, or to all the faults that stand in the way."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from evalkit.errors import CaseError, Fault
from evalkit.home import at_home
from evalkit.reading import DATA, PROSE, Checked, Reading
from evalkit.suite import Suite

# What cannot change how a suite plays or judges stays out of it, and so out of its snapshot.
OUTSIDE = ("shootouts", "labels")
MAX_BYTES = 10_000_000


def load_suite(path: str | Path) -> Suite:
    """The suite under a folder.

    Raises CaseError with every fault of the folder, not the first alone.
    """
    checked = check_suite(path)
    if checked.suite is None:
        raise CaseError(checked.faults)
    return checked.suite


def check_suite(path: str | Path) -> Checked:
    """The suite under a folder, or its faults; and what is no fault but worth a look."""
    folder = at_home(path)
    faults: list[Fault] = []
    files = _read_folder(folder, faults)
    checked = check_files(files, name=folder.resolve().name, origin=str(folder))
    checked.faults[:0] = faults
    if checked.faults:
        checked.suite = None
    return checked


def suite_of(files: Mapping[str, str], name: str) -> Suite:
    """The suite that a snapshot's files hold; raises CaseError where they hold none."""
    checked = check_files({path: text.encode() for path, text in files.items()}, name=name)
    if checked.suite is None:
        raise CaseError(checked.faults)
    return checked.suite


def check_files(files: Mapping[str, bytes], *, name: str, origin: str = "") -> Checked:
    """The suite that files hold, by their path inside its folder; `origin` is the folder, for messages."""
    return Reading(files, name, origin).checked()


def _read_folder(folder: Path, faults: list[Fault]) -> dict[str, bytes]:
    if not folder.is_dir():
        faults.append(Fault(str(folder), None, "", "is no folder; name the suite's folder, such as cases/"))
    found: dict[str, bytes] = {}
    for root, folders, names in os.walk(folder):
        inside = Path(root).relative_to(folder)
        outside = OUTSIDE if inside == Path() else ()
        folders[:] = sorted(each for each in folders if each not in outside and not each.startswith((".", "__")))
        for name in sorted(names):
            path = Path(root, name)
            wanted = DATA + PROSE if inside.parts[:1] in (("knowledge",), ("prompts",)) else DATA
            if name.startswith(".") or path.suffix.lower() not in wanted:
                continue
            try:
                if path.stat().st_size > MAX_BYTES:
                    faults.append(Fault(str(path), 1, "", f"is larger than {MAX_BYTES:,} bytes; split it"))
                else:
                    found[str(PurePosixPath(inside, name))] = path.read_bytes()
            except OSError as error:
                faults.append(Fault(str(path), None, "", f"cannot be read: {error.strerror}"))
    return found
