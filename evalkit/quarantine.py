"""The quarantine: must-pass cases that flake, each with an owner and the day by which it is mended."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from datetime import date
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from evalkit import documents
from evalkit.cases import Case
from evalkit.documents import Document
from evalkit.documents.editing import is_blank
from evalkit.errors import CaseError, Fault
from evalkit.written import Name, Written, parse

FILES = ("quarantine.yaml", "quarantine.yml")


def _quoted(value: Any) -> Any:
    # YAML reads 1234567 and 123e456 as numbers.
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise ValueError("a commit that is all digits is read as a number; put it in quotes")
    return value


def _printed(text: str) -> str:
    line = " ".join(text.split())
    if not line.isprintable():
        raise ValueError("holds a character that cannot be printed; remove it")
    return line


Commit = Annotated[
    str,
    BeforeValidator(_quoted),
    StringConstraints(pattern=r"^[0-9a-fA-F]{7,64}$"),
    AfterValidator(str.lower),
]
Line = Annotated[str, StringConstraints(min_length=1, max_length=2_000, pattern=r"\S"), AfterValidator(_printed)]
Person = Annotated[Name, AfterValidator(_printed)]


class SignOff(Written):
    """An owner's word that a commit may be released although the case flakes."""

    who: Person
    commit: Commit
    when: date


class Quarantined(Written):
    """A case in quarantine: it is still played and shown, and its failure alone blocks nothing until `fix_by`."""

    case: Name
    owner: Person
    reason: Line
    since: date
    fix_by: date
    sign_offs: Annotated[tuple[SignOff, ...], Field(max_length=10_000)] = ()

    def days_left(self, today: date) -> int:
        """Days until `fix_by`: 0 on that day itself, fewer after it."""
        return (self.fix_by - today).days

    def expired(self, today: date) -> bool:
        """Whether the day by which it was to be mended has passed."""
        return today > self.fix_by


def signed_off(entry: Quarantined, commits: Collection[str]) -> SignOff | None:
    """The last sign-off of the entry's owner for one of the commits; None where there is none.

    A sign-off names a commit whole, or by its first seven characters or more. Example: one of "4f9c2ab" counts for a
    commit "4f9c2ab0…", and none of an older commit does.
    """
    full = [commit.lower() for commit in commits]
    counting = (
        each
        for each in reversed(entry.sign_offs)
        if each.who == entry.owner and any(commit.startswith(each.commit) for commit in full)
    )
    return next(counting, None)


def file_of(files: Container[str]) -> str:
    """The name of the file that a suite's quarantine stands in, or will; `files` are those that it has."""
    return next((name for name in FILES if name in files), FILES[0])


def quarantine_of(suite_files: Mapping[str, str]) -> dict[str, Quarantined]:
    """The quarantined cases among a suite's files, by the case's id. Raises CaseError where the file is faulty."""
    path = file_of(suite_files)
    if path not in suite_files:
        return {}
    entries, faults = _read(path, suite_files[path].encode("utf-8", "surrogatepass"))[1:]
    if faults:
        raise CaseError(faults)
    return {entry.case: entry for entry in entries.values()}


def faults_in(files: Mapping[str, bytes], cases: Mapping[str, Case] | None, origin: str = "") -> list[Fault]:
    """Every fault of the quarantine among a suite's files.

    `cases` are the suite's by their id, None where some could not be read, which are not unknown for that; `origin` is
    the folder that messages name before a path.
    """
    faults: list[Fault] = []
    present = [path for path in FILES if path in files]
    for path in present:
        file = _named(path, origin)
        if path != present[0]:
            faults.append(Fault(file, None, "", f"{present[0]} is a quarantine too; keep one"))
        document, entries, found = _read(file, files[path])
        faults += found
        if document is not None and cases is not None:
            for at, entry in entries.items():
                if said := _misplaced(entry, cases):
                    faults.append(Fault(file, document.line((at, "case")), entry.case, said))
    return faults


def expired_entries(suite_files: Mapping[str, str], today: date, origin: str = "") -> list[Fault]:
    """A notice, with its line, for each entry whose day has passed."""
    notices: list[Fault] = []
    for path in FILES:
        if path in suite_files:
            file = _named(path, origin)
            document, entries, _ = _read(file, suite_files[path].encode("utf-8", "surrogatepass"))
            notices += [
                Fault(file, document.line((at, "fix_by")), entry.case, _overdue(entry))
                for at, entry in entries.items()
                if document is not None and entry.expired(today)
            ]
    return notices


def _overdue(entry: Quarantined) -> str:
    late = f"is in quarantine past its day, {entry.fix_by}, and blocks the gate"
    return f"{late}; {entry.owner} mends it, or amends a later day"


def _named(path: str, origin: str) -> str:
    return str(PurePosixPath(origin, path)) if origin else path


def _misplaced(entry: Quarantined, cases: Mapping[str, Case]) -> str | None:
    """Why a case cannot be in quarantine, or None."""
    if entry.case not in cases:
        return "is in quarantine and no case of the suite; mend its id, or take the entry out"
    if not cases[entry.case].must_pass:
        return "is in quarantine and not must_pass: its failure blocks nothing; take the entry out"
    return None


def _read(file: str, data: bytes) -> tuple[Document | None, dict[int, Quarantined], list[Fault]]:
    """The document, its sound entries by their place, and all faults but those of the cases."""
    if is_blank(data):
        return None, {}, []
    try:
        document = documents.read(file, data)
    except CaseError as error:
        return None, {}, list(error.faults)
    if not isinstance(document.value, list):
        message = "a list is needed: `- {case: …, owner: …, reason: …, since: …, fix_by: …}`"
        return document, {}, [Fault(file, document.line(), "", message)]
    entries: dict[int, Quarantined] = {}
    faults: list[Fault] = []
    for at, value in enumerate(document.value):
        where = str(value.get("case", ""))[:100] if isinstance(value, dict) else ""
        found = parse(Quarantined, value, document.line, (at,), file, where)
        if isinstance(found, Quarantined):
            entries[at] = found
        else:
            faults += found
    return document, entries, [*faults, *_faults(entries, document)]


def _faults(entries: Mapping[int, Quarantined], document: Document) -> Iterator[Fault]:
    """What can be said only of a whole entry, or of the whole list."""
    first: dict[str, int] = {}
    for at, entry in entries.items():

        def fault(path: tuple[str | int, ...], message: str, at: int = at, case: str = entry.case) -> Fault:
            return Fault(document.file, document.line((at, *path)), case, message)

        if entry.case in first:
            line = document.line((first[entry.case], "case"))
            yield fault(("case",), f"stands in quarantine twice, first on line {line}; keep one entry")
        first.setdefault(entry.case, at)
        if entry.fix_by < entry.since:
            yield fault(("fix_by",), f"fix_by {entry.fix_by} is before since {entry.since}; write a later day")
        for number, each in enumerate(entry.sign_offs):
            if each.who != entry.owner:
                message = f"{each.who} signed off, and only its owner may: {entry.owner}; take the sign-off out"
                yield fault(("sign_offs", number, "who"), message)
