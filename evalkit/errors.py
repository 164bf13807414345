"""What can go wrong, for people.

    EvalkitError
    ├── SuiteError           a suite's files hold faults; carries all of them
    │   ├── CaseError        … in a case, suite.yaml or the knowledge
    │   ├── PatternError     … in a flex pattern
    │   ├── ShootoutError    … in a shootout, or a shootout that cannot be played
    │   └── FixtureError     … in a fixture record
    ├── StoreError           a store or a run cannot be read or written
    ├── BudgetExceeded       the budget was reached; what was played is kept
    ├── NotMeasured          a figure was asked for that the trials do not give
    └── ReportError          a notebook or its page could not be made

A message says what is wrong, where, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Fault:
    """One thing wrong in a file: `file:line: where: message`.

    `line` is counted from 1; None where a fault has no line. `where` names the case, concept or candidate.
    """

    file: str
    line: int | None
    where: str
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        said = ": ".join(part for part in (place, self.where, self.message) if part)
        return said.replace("\r", "\\r").replace("\n", "\\n")


class EvalkitError(Exception):
    """Anything that evalkit reports to people instead of showing a traceback."""


class SuiteError(EvalkitError):
    """Faults in what people wrote: all of them, one line each."""

    def __init__(self, faults: Sequence[Fault] | str) -> None:
        self.faults: tuple[Fault, ...] = () if isinstance(faults, str) else tuple(faults)
        super().__init__(faults if isinstance(faults, str) else "\n".join(map(str, self.faults)))


class CaseError(SuiteError):
    """A fault in a case, in suite.yaml or in the knowledge."""


class PatternError(SuiteError):
    """A fault in a flex pattern."""


class ShootoutError(SuiteError):
    """A fault in a shootout, or a shootout that cannot be played as written."""


class FixtureError(SuiteError):
    """A fault in a fixture record."""


class StoreError(EvalkitError):
    """A store or a run that cannot be read or written."""


class BudgetExceeded(EvalkitError):
    """The budget was reached; what was played is kept."""


class NotMeasured(EvalkitError):
    """A figure was asked for that the trials do not give."""


class ReportError(EvalkitError):
    """A notebook or its page could not be made."""
