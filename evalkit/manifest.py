"""An archive's manifest, checked: what an archived run says of itself, before anything is made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from evalkit.errors import ShootoutError
from evalkit.settings import Sample
from evalkit.shootout import GraderRole, Price

Word = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0)]


def _dated(text: str) -> str:
    date.fromisoformat(text[:10])
    return text


class _Read(BaseModel):
    """Base of what a manifest holds: of strict types, and a key that nobody reads may stand in it."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)


class _Candidate(_Read):
    name: Word
    model: str | None = None
    price: Price | Literal["listed"] | None = None


class _Suite(_Read):
    name: Word
    snapshot: Word
    cases: Count
    safety_cases: tuple[str, ...] = ()
    strata: dict[str, Count] = {}


class _Sample(Sample):
    name: str | None = None


class _Shootout(_Read):
    grader: GraderRole | None = None
    customer: dict[str, Any] | None = None
    budget: dict[str, float | None] | None = None


class _Imported(_Read):
    file: str


class _Manifest(_Read):
    run: Word
    name: Word
    started: str
    trials: Annotated[int, Field(ge=0, le=1000)]
    candidates: tuple[_Candidate, ...]
    suite: _Suite
    repeats: Annotated[int, Field(ge=1, le=100)] = 1
    reruns: dict[str, dict[str, Annotated[int, Field(ge=1)]]] = {}
    sample: _Sample | None = None
    baseline: str | None = None
    shootout: _Shootout = _Shootout()
    purposes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    stopped: str | None = None
    grading_stopped: str | None = None
    judged_by: dict[str, str] | str = ""
    commit: str | None = None
    commit_signed: str | None = None
    date: Annotated[str, AfterValidator(_dated)] | None = None
    series: str = ""
    imported: _Imported | None = None
    versions: dict[str, str | None] = {}
    budget: dict[str, float | None] = {}
    spent: dict[str, float | None] = {}
    graded_spent: dict[str, float | None] = {}


def wrong(manifest: Any, asked: set[str]) -> str:
    """What of a manifest is no manifest's, with its key, in one line; '' where nothing is.

    `asked` are the candidates that the run's slots name.
    """
    try:
        # JSON mode, as it was written: lists become tuples, while a wrong type stays a fault.
        found = _Manifest.model_validate_json(json.dumps(manifest))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}"
    except ShootoutError as error:
        return f"shootout: {error}"
    names = [each.name for each in found.candidates]
    if len({*names}) < len(names):
        return "candidates: one name stands twice"
    if unknown := sorted(asked - {*names}):
        return f"candidates: {unknown[0][:80]!r} is missing, whose trials are there"
    return "trials: 0, and there are slots" if asked and not found.trials else ""


def texts(found: Any, file: str) -> Mapping[str, str]:
    """The texts of a file of them, by their names. Raises ValueError where it holds anything else."""
    if isinstance(found, dict) and all(isinstance(text, str) for text in found.values()):
        return found
    raise ValueError(f"{file} holds something else than texts by their names")
