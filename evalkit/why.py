"""Why a trial was played, or was not: what its fingerprint is made of, and what differs from the nearest stored one."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalkit.errors import StoreError
from evalkit.store import Slot, Store, piece_hash

# Lines of a difference that are shown; the rest is counted.
MAX_LINES = 12


@dataclass(frozen=True)
class Part:
    """One part of a fingerprint: its value as JSON, and the SHA-256 by which it is told from another."""

    name: str
    value: str

    @property
    def hash(self) -> str:
        """SHA-256 of the value, in hexadecimal."""
        return piece_hash(self.value)


@dataclass(frozen=True)
class Difference:
    """A part that the nearest stored trial has otherwise; None where one side lacks it."""

    name: str
    theirs: str | None
    own: str | None

    @property
    def lines(self) -> list[str]:
        """What differs, as lines: `-` theirs, `+` own."""
        theirs, own = (_readable(value) for value in (self.theirs, self.own))
        return [
            f"{line[0]} {line[1:]}"
            for line in difflib.unified_diff(theirs, own, lineterm="", n=0)
            if not line.startswith(("---", "+++", "@@"))
        ]


@dataclass(frozen=True)
class Why:
    """A slot's fingerprint, part by part.

    `status` is that of its trial, None where none was played; `played` says when, and `reused` whether that was before
    this run began, because nothing that could change it had changed. `nearest` names the stored trial of the same case
    that shares most parts (run, candidate, number, status), and `differences` are the parts that it has otherwise.
    """

    slot: Slot
    status: str | None
    played: str
    reused: bool
    parts: tuple[Part, ...]
    nearest: Mapping[str, Any] | None
    differences: tuple[Difference, ...]


def why(store: Store, run: str, case: str, candidate: str | None = None, number: int = 0) -> Why:
    """What trial `number` of a case is made of, for a candidate or for the run's first.

    Raises StoreError where the run holds no such slot, or its parts were never kept.
    """
    found = store.find(run)
    slots = {(slot.candidate, slot.number): (slot, trial) for slot, trial in store.trials(found) if slot.case == case}
    names = list(dict.fromkeys(name for name, _ in slots))
    if not slots:
        raise StoreError(f"run {found[:8]} has no case {case!r}")
    name = candidate or names[0]
    if (name, number) not in slots:
        numbers = sorted({each for _, each in slots})
        raise StoreError(
            f"run {found[:8]} has no trial {number} of {case} by {name!r}; candidates: {', '.join(names)}; "
            f"trials {numbers[0]} to {numbers[-1]}"
        )
    slot, trial = slots[name, number]
    parts = store.parts.of(slot.fingerprint)
    if not parts:
        raise StoreError(
            f"what {case} of run {found[:8]} is made of was not kept by the evalkit that played it; play it again"
        )
    nearest = store.parts.nearest(slot.fingerprint)
    theirs = nearest.parts if nearest else {}
    return Why(
        slot=slot,
        status=trial.status if trial else None,
        played=trial.started if trial else "",
        reused=trial is not None and trial.started < store.manifest(found)["started"],
        parts=tuple(Part(part, value) for part, value in parts.items()),
        nearest=nearest
        and {
            "run": nearest.run,
            "candidate": nearest.candidate,
            "trial": nearest.number,
            "status": nearest.status,
            "same": sum(parts.get(part) == value for part, value in theirs.items()),
        },
        differences=tuple(
            Difference(part, theirs.get(part), parts.get(part))
            for part in sorted({*parts, *theirs})
            if nearest and theirs.get(part) != parts.get(part)
        ),
    )


def _readable(value: str | None) -> list[str]:
    """A part's JSON as lines for people: a text as it stands, anything else a key a line."""
    if value is None:
        return []
    found = json.loads(value)
    if isinstance(found, str):
        try:
            # Parameters are kept as the text that was written.
            found = json.loads(found)
        except ValueError:
            return found.splitlines()
    return json.dumps(found, indent=1, ensure_ascii=False).splitlines()
