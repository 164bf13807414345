"""The ledger of trust: one line for each measurement of a grader, kept with the labels and meant to be committed."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from evalkit.errors import CaseError, Fault, StoreError
from evalkit.fingerprint import sha256
from evalkit.labels.items import Source
from evalkit.settings import Trust as Thresholds
from evalkit.written import Name, Text, Written, parse

Word = Literal["trusted", "not trusted", "not measured"]
Count = Annotated[int, Field(ge=0)]
Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Table = Annotated[tuple[tuple[Annotated[float, Field(ge=0)], ...], ...], Field(min_length=2)]


@dataclass(frozen=True)
class TrustLine:
    """One measurement of a grader, as the ledger keeps it.

    `grader` holds its fingerprint, the hashes of its `rubric`, `model` and `prompt`, and the names of its `cheap` and
    `strong` model; `labels` their `hash`, `source` and `sets` (name → n); `figures` those of the held-out side, as
    `measurement.figures.side_figures` gives them.
    """

    date: str
    series: str
    grader: Mapping[str, str | None]
    rubric: str
    labels: Mapping[str, Any]
    figures: Mapping[str, Any]
    thresholds: Mapping[str, float]
    decision: Word
    reasons: tuple[str, ...]

    @property
    def source(self) -> Source:
        """Who labelled: "people", or "example"."""
        return self.labels["source"]

    def to_json(self) -> str:
        """The line as it stands in the ledger, without its end."""
        return json.dumps(asdict(self), ensure_ascii=False, allow_nan=False)


def read_ledger(text: str, file: str) -> tuple[TrustLine, ...]:
    """The lines of a ledger as they stand; `file` is its name for messages. Raises CaseError with every fault."""
    faults: list[Fault] = []
    lines = []
    # Not splitlines: U+2028 and its like may stand inside a text of JSON.
    written = text.removeprefix("\ufeff").split("\n")
    for number, line in enumerate(written, start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, object_pairs_hook=_each_key_once)
        except (ValueError, RecursionError) as error:
            torn = number == len(written)
            why = "is cut off, as by a crash; remove it" if torn else f"is no JSON: {error}"
            faults.append(Fault(file, number, "", f"this line of the ledger {why}"))
            continue
        found = parse(_Line, value, lambda path, number=number: number, (), file, "")
        if not isinstance(found, _Line):
            faults += found
        elif found.decision == "trusted" and not found.reaches():
            said = "says trusted, and its own figures do not reach its thresholds; remove it"
            faults.append(Fault(file, number, "", said))
        elif not found.grader.is_whole():
            faults.append(
                Fault(file, number, "", "the grader's fingerprint is not that of its three hashes; remove it")
            )
        else:
            lines.append(_line(found))
    if faults:
        raise CaseError(faults)
    return tuple(lines)


def faults_in(path: Path) -> list[Fault]:
    """Every fault of a ledger; none where there is no such file."""
    try:
        if path.is_file():
            read_ledger(path.read_text("utf-8", errors="surrogateescape"), str(path))
    except CaseError as error:
        return list(error.faults)
    except OSError as error:
        return [Fault(str(path), None, "", f"cannot be read: {error.strerror}")]
    return []


def append(path: Path, line: TrustLine) -> None:
    """Add a line to a ledger, whole or not at all; the file is made where there is none.

    It begins a line of its own, whatever a crash left behind. Raises StoreError where it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            _append(file, f"{line.to_json()}\n".encode("utf-8", "backslashreplace"))
        finally:
            os.close(file)
    except OSError as error:
        raise StoreError(f"the ledger {path} cannot be written: {error.strerror or error}") from error


def _append(file: int, data: bytes) -> None:
    size = os.fstat(file).st_size
    if size and os.pread(file, 1, size - 1) != b"\n":
        data = b"\n" + data
    try:
        if os.write(file, data) != len(data):
            raise OSError("there was no room for the whole line")
        os.fsync(file)
    except OSError:
        os.ftruncate(file, size)
        raise


def _line(written: _Line) -> TrustLine:
    plain = written.model_dump(mode="json")
    return TrustLine(**{**plain, "reasons": tuple(plain["reasons"])})


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


class _Share(Written):
    value: float | None
    low: float | None
    high: float | None
    n: Count
    reason: str = ""


class _Kappa(_Share):
    cases: Count
    table: tuple[tuple[Count, ...], ...]
    undefined: Count
    resamples: Count


class _Criterion(Written):
    plain: _Kappa
    linear: _Kappa | None
    quadratic: _Kappa | None


class _Humans(Written):
    raters: tuple[Name, Name]
    kappa: _Kappa
    difference: _Share
    alpha: float | None


class _Candidate(Written):
    items: Count
    table: tuple[tuple[Count, Count], tuple[Count, Count]]
    weighted: Table


class _Figures(Written):
    items: Count
    cases: Count
    unrated: Count
    undecided: Count
    not_graded: Count
    unscored: Count
    errors: Count
    kappa: _Kappa
    raw: _Share
    ac1: float | None
    pabak: float | None
    positive: _Share
    negative: _Share
    criteria: dict[Name, _Criterion]
    humans: _Humans | None
    candidates: dict[Name, _Candidate]
    strata: dict[Name, _Kappa]
    months: dict[Name, _Kappa]
    raters: dict[Name, Count]
    verdicts: Annotated[str, Field(pattern="^[pf-]*$")] = ""


class _Grader(Written):
    fingerprint: Sha
    rubric: Sha
    model: Sha
    prompt: Sha
    cheap: Name
    strong: Name | None

    def is_whole(self) -> bool:
        return self.fingerprint == sha256({"rubric": self.rubric, "model": self.model, "prompt": self.prompt})


class _Labels(Written):
    hash: Sha
    source: Source
    sets: dict[Name, Count]


class _Line(Written):
    date: date
    series: Name
    grader: _Grader
    rubric: Name
    labels: _Labels
    figures: _Figures
    thresholds: Thresholds
    decision: Word
    reasons: tuple[Text, ...]

    def reaches(self) -> bool:
        ends = (
            (self.figures.kappa.low, self.thresholds.kappa_low),
            (self.figures.negative.low, self.thresholds.negative_low),
        )
        return all(low is not None and low >= least for low, least in ends)
