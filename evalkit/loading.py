"""From a folder to a Suite, or to all the faults that stand in the way."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from evalkit.errors import CaseError, Fault, SuiteError
from evalkit.home import at_home
from evalkit.reading import DATA, PROSE, Checked, Reading
from evalkit.sentences import SENTENCES, load_sentences
from evalkit.shootout import check_names, load_shootout
from evalkit.suite import Suite

# What cannot change how a suite plays or judges stays out of it, and so out of its snapshot.
OUTSIDE = ("shootouts", "labels")
MAX_BYTES = 10_000_000
# Endings of the files that are read in some folders; None: all.
_WANTED = {("knowledge",): DATA + PROSE, ("prompts",): None, ("tools",): (".py",)}


def load_suite(path: str | Path) -> Suite:
    """The suite under a folder.

    Raises CaseError with every fault of the folder, not the first alone.
    """
    checked = _checked(at_home(path))
    if checked.suite is None:
        raise CaseError(checked.faults)
    return checked.suite


def check_suite(path: str | Path) -> Checked:
    """The suite under a folder, or its faults and its shootouts'; and what is no fault but worth a look."""
    folder = at_home(path)
    checked = _checked(folder)
    suite, sentences = checked.suite, folder / SENTENCES
    for file in sorted((folder / "shootouts").glob("*.y*ml")):
        checked.faults += _shootout_faults(file, suite)
    if suite is not None and sentences.is_file():
        try:
            load_sentences(sentences, suite.patterns)
        except SuiteError as error:
            checked.faults += error.faults
    if not checked.faults and checked.suite is not None and not checked.suite.cases:
        checked.faults.append(Fault(str(folder), None, "", "holds no case; is it the suite's folder?"))
    if checked.faults:
        checked.suite = None
    return checked


def _checked(folder: Path) -> Checked:
    faults: list[Fault] = []
    files = _read_folder(folder, faults)
    checked = check_files(files, name=folder.resolve().name, origin=str(folder))
    checked.faults[:0] = faults
    checked.faults += checked.disproved
    if checked.faults:
        checked.suite = None
    return checked


def suite_of(files: Mapping[str, str], name: str) -> Suite:
    """The suite that a snapshot's files hold; raises CaseError where they hold none.

    Neither its golden answers nor its patterns' examples are proved again: they were before it was played.
    """
    checked = check_files({path: text.encode() for path, text in files.items()}, name=name, proved=False)
    if checked.suite is None:
        raise CaseError(checked.faults)
    return checked.suite


def check_files(files: Mapping[str, bytes], *, name: str, origin: str = "", proved: bool = True) -> Checked:
    """The suite that files hold, by their path inside its folder; `origin` is the folder, for messages.

    Where it need not be `proved`, golden answers and patterns' examples are taken as they are.
    """
    return Reading(files, name, origin).checked(proved)


def _shootout_faults(path: Path, suite: Suite | None) -> list[Fault]:
    try:
        shootout = load_shootout(path)
        if suite is not None and shootout.suite is None:
            check_names(path, shootout, suite)
    except SuiteError as error:
        return list(error.faults)
    return []


def _read_folder(folder: Path, faults: list[Fault]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    if not folder.is_dir():
        faults.append(Fault(str(folder), None, "", "is no folder; name the suite's folder, such as cases/"))
        return found

    def unreadable(error: OSError) -> None:
        faults.append(Fault(str(error.filename), None, "", f"cannot be read: {error.strerror}"))

    for root, folders, names in os.walk(folder, onerror=unreadable):
        inside = Path(root).relative_to(folder)
        outside = OUTSIDE if inside == Path() else ()
        for name in sorted(folders):
            if Path(root, name).is_symlink():
                faults.append(Fault(str(Path(root, name)), None, "", "is a link to a folder, which is not followed"))
        folders[:] = sorted(each for each in folders if each not in outside and not each.startswith((".", "__")))
        for name in sorted(names):
            path = Path(root, name)
            wanted = _WANTED.get(inside.parts[:1], DATA)
            if name.startswith(".") or (wanted is not None and path.suffix.lower() not in wanted):
                continue
            _read_file(path, str(PurePosixPath(inside, name)), found, faults)
    return found


def _read_file(path: Path, name: str, found: dict[str, bytes], faults: list[Fault]) -> None:
    try:
        if not name.isprintable() or not path.is_file():
            # A pipe would be waited for, and a name that is no text could not be written down.
            faults.append(Fault(ascii(str(path))[1:-1], None, "", "is no plain file with a printable name"))
        elif path.stat().st_size > MAX_BYTES:
            faults.append(Fault(str(path), 1, "", f"is larger than {MAX_BYTES:,} bytes; split it"))
        else:
            with path.open("rb") as opened:
                found[name] = opened.read(MAX_BYTES)
    except OSError as error:
        faults.append(Fault(str(path), None, "", f"cannot be read: {error.strerror}"))
