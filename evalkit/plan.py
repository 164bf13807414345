"""The plan of a run: which slots a shootout asks for, and the id that follows from them."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evalkit.cases import Case
from evalkit.errors import Fault, ShootoutError
from evalkit.fingerprint import canonical, fingerprint, identity, sha256, trial_parts
from evalkit.knowledge import Retrieval
from evalkit.loading import load_suite
from evalkit.shootout import Candidate, Shootout, check_names, load_shootout, suite_folder
from evalkit.store import Composed, Slot
from evalkit.suite import Suite

_VERSIONS = ("evalkit", "litellm", "scikit-learn", "polars", "google-re2")


@dataclass(frozen=True)
class Selection:
    """The part of a shootout that is asked for; an empty part is all of it."""

    cases: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    trials: int | None = None


@dataclass(frozen=True)
class Plan:
    """A shootout over a suite, slot by slot."""

    shootout: Shootout
    suite: Suite
    candidates: Mapping[str, Candidate]
    cases: Mapping[str, Case]
    slots: tuple[Slot, ...]
    composed: tuple[Composed, ...]
    retrieval: Retrieval
    trials: int

    @cached_property
    def run(self) -> str:
        """The run's id: the same command on the same files is the same run."""
        slots = [[slot.candidate, slot.case, slot.number, slot.fingerprint] for slot in self.slots]
        return sha256({"slots": slots, "suite": self.suite.snapshot, "baseline": self.shootout.baseline})

    def plays(self, case: str) -> bool:
        """Whether trials of a case can be played: a conversation needs somebody who plays the customer."""
        return self.cases[case].kind == "ticket" or self.shootout.customer is not None

    def manifest(self) -> dict[str, Any]:
        """What a run is made of, without its slots; it holds no path and no secret."""
        return {
            "run": self.run,
            "name": self.shootout.name,
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "suite": {
                "name": self.suite.name,
                "snapshot": self.suite.snapshot,
                "cases": len(self.cases),
                "safety_cases": [case.id for case in self.cases.values() if case.risk == "safety"],
                "strata": self.suite.strata(self.cases.values()),
            },
            "trials": self.trials,
            "baseline": self.shootout.baseline,
            "shootout": self.shootout.model_dump(mode="json", exclude_defaults=True, exclude={"suite", "purposes"}),
            # A list, since keys lose their order where a manifest is kept.
            "purposes": [[name, list(strata)] for name, strata in self.shootout.purposes.items()],
            "candidates": [
                candidate.model_dump(mode="json", exclude_defaults=True) for candidate in self.candidates.values()
            ],
            **made_with(),
        }


def plan(path: str | Path, selection: Selection = Selection()) -> Plan:
    """The plan of a shootout file. Raises CaseError or ShootoutError with every fault that stands in the way."""
    shootout = load_shootout(path)
    suite = load_suite(suite_folder(path, shootout))
    check_names(path, shootout, suite)
    candidates = {each.name: each for each in shootout.candidates}
    _known("candidate", selection.candidates, candidates)
    _known("case", selection.cases, suite.by_id)
    _known("stratum", selection.strata, suite.strata())
    chosen = {
        name: each for name, each in candidates.items() if name in selection.candidates or not selection.candidates
    }
    cases = {
        case.id: case
        for case in suite.active
        if (not selection.cases or case.id in selection.cases)
        and (not selection.strata or case.stratum in selection.strata)
    }
    if not cases:
        raise ShootoutError(f"{path}: no case to play: the selection is empty, or the suite holds drafts alone")
    retrieval = Retrieval(suite.articles)
    trials = selection.trials or shootout.trials
    parts = {
        (name, key): trial_parts(case, each, suite, retrieval, shootout.customer)
        for name, each in chosen.items()
        for key, case in cases.items()
    }
    _all_differ(str(path), chosen, next(iter(cases)), parts)
    # Number by number, so that a run that stops early has seen every case and candidate about as often.
    slots = tuple(
        Slot(name, key, number, fingerprint(parts[name, key], number))
        for number in range(trials)
        for key in cases
        for name in chosen
    )
    return Plan(shootout, suite, chosen, cases, slots, _composed(parts, slots), retrieval, trials)


def made_with() -> dict[str, Any]:
    """The commit and the versions that a manifest names."""
    versions = {"python": platform.python_version(), **{name: _version(name) for name in _VERSIONS}}
    return {"commit": _commit(), "versions": versions}


def _all_differ(path: str, names: Iterable[str], case: str, parts: Mapping[tuple[str, str], dict[str, Any]]) -> None:
    """Raise ShootoutError where two candidates are the same in all that counts, which any one case shows."""
    taken: dict[str, str] = {}
    for name in names:
        same = taken.setdefault(identity(parts[name, case]), name)
        if same != name:
            raise ShootoutError(
                [
                    Fault(
                        path,
                        None,
                        name,
                        f"is the same as {same} in all that counts; write a `salt` to play it twice (an A/A run)",
                    )
                ]
            )


def _composed(parts: Mapping[tuple[str, str], dict[str, Any]], slots: Iterable[Slot]) -> tuple[Composed, ...]:
    fingerprints: dict[tuple[str, str], list[str]] = {}
    for slot in slots:
        fingerprints.setdefault((slot.candidate, slot.case), []).append(slot.fingerprint)
    return tuple(
        Composed(
            identity(found),
            case,
            {part: canonical(value) for part, value in found.items()},
            tuple(fingerprints[name, case]),
        )
        for (name, case), found in parts.items()
    )


def _known(kind: str, asked: Sequence[str], known: Mapping[str, Any]) -> None:
    unknown = [name for name in asked if name not in known]
    if unknown:
        listed = ", ".join(list(known)[:12]) + (", …" if len(known) > 12 else "")
        raise ShootoutError(f"no {kind} {', '.join(map(repr, unknown))}; known: {listed}")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() or None if found.returncode == 0 else None
