"""What people do with the quarantine: put a case in, sign a commit off, see how each entry stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from evalkit.documents.editing import appended
from evalkit.errors import CaseError
from evalkit.flaking import Tally, by_baseline, why_no_flake
from evalkit.labels.writing import replace
from evalkit.loading import check_files
from evalkit.quarantine import Quarantined, SignOff, file_of
from evalkit.suite import Suite
from evalkit.tables import Run


@dataclass(frozen=True)
class Standing:
    """An entry on a day, with the trials that show how it flakes; no tally where the run has none of it."""

    entry: Quarantined
    days_left: int
    expired: bool
    tally: Tally | None


def quarantine_path(suite: Suite) -> Path:
    """The file that a suite's quarantine stands in, or will."""
    return Path(suite.origin) / file_of(suite.files)


def refuse_to_add(suite: Suite, case: str) -> None:
    """Raises CaseError, with the remedy, where a case cannot be put into quarantine, whatever its trials say."""
    if case not in suite.by_id:
        raise CaseError(f"no case {case!r} in {suite.origin or suite.name}; `evalkit check` names the suite's strata")
    if not suite.by_id[case].must_pass:
        raise CaseError(f"{case} is not must_pass: its failure blocks nothing, so it needs no quarantine")
    if case in suite.quarantine:
        entry = suite.quarantine[case]
        raise CaseError(
            f"{case} is in quarantine since {entry.since}, owner {entry.owner}; change its entry in "
            f"{quarantine_path(suite)} by hand, and amend it"
        )


def add(suite: Suite, run: Run, entry: Quarantined, today: date) -> Path:
    """Put a must-pass case that flakes in a run's trials into the suite's quarantine; the file that holds it now.

    Raises CaseError, with the remedy, where it cannot be or does not flake, and then nothing is written.
    """
    refuse_to_add(suite, entry.case)
    if entry.expired(today):
        raise CaseError(f"{entry.case}: --fix-by {entry.fix_by} has passed already; name a day to come")
    if why := why_no_flake(run, entry.case):
        raise CaseError(why)
    return _write(suite, (), entry.model_dump(exclude={"sign_offs"}))


def sign_off(suite: Suite, case: str, word: SignOff) -> Path:
    """Record an owner's sign-off in the suite's quarantine; the file that holds it now.

    Raises CaseError, with the remedy, where the case is not in quarantine, somebody else owns it, or the commit is
    signed off already, and then nothing is written.
    """
    entry = suite.quarantine.get(case)
    if entry is None:
        known = ", ".join(suite.quarantine) or "none"
        raise CaseError(f"{case!r} is not in quarantine, so it needs no sign-off; in quarantine: {known}")
    if word.who != entry.owner:
        raise CaseError(f"{case} is owned by {entry.owner}, who alone signs it off; {word.who} cannot")
    if any(each.commit == word.commit for each in entry.sign_offs):
        raise CaseError(f"{case} is signed off for {word.commit} already; nothing to write")
    return _write(suite, (list(suite.quarantine).index(case), "sign_offs"), word.model_dump())


def standings(suite: Suite, run: Run | None, today: date) -> tuple[Standing, ...]:
    """Each entry of the suite's quarantine on a day, in the order of the file."""
    by_case: dict[str, Tally] = {}
    if run is not None and run.baseline is not None:
        by_case = {each.case: each for each in by_baseline(run) if each.measured}
    return tuple(
        Standing(entry, entry.days_left(today), entry.expired(today), by_case.get(entry.case))
        for entry in suite.quarantine.values()
    )


def not_quarantined(suite: Suite, run: Run) -> tuple[Tally, ...]:
    """The must-pass cases that flake in a run and are not in quarantine."""
    return tuple(
        each for each in by_baseline(run) if each.must_pass and each.flakes and each.case not in suite.quarantine
    )


def _write(suite: Suite, place: Sequence[str | int], item: Mapping[str, str | date]) -> Path:
    path = quarantine_path(suite)
    text = appended(str(path), suite.files.get(path.name, ""), place, item)
    files = {name: held.encode() for name, held in {**suite.files, path.name: text}.items()}
    checked = check_files(files, name=suite.name, origin=suite.origin)
    if checked.suite is None:
        raise CaseError(checked.faults)
    replace(path, text.encode())
    return path
