"""What a gate is held against: which candidate is the baseline, where its newest archive lies, and whether it fits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalkit.errors import ShootoutError
from evalkit.loading import load_suite
from evalkit.shootout import Shootout, load_shootout, suite_folder
from evalkit.shown import listed

if TYPE_CHECKING:
    from evalkit.tables import Run

# What of a candidate changes no answer.
_NO_IDENTITY = {"name", "price", "api_key_env"}


def baseline_name(shootout: Shootout) -> str:
    """The candidate that a shootout names as its baseline, or its only one; raises ShootoutError where neither is."""
    if shootout.baseline is not None:
        return shootout.baseline
    if len(shootout.candidates) == 1:
        return shootout.candidates[0].name
    names = ", ".join(each.name for each in shootout.candidates)
    raise ShootoutError(f"shootout {shootout.name!r} names no baseline; write `baseline: NAME`, one of {names}")


@dataclass(frozen=True)
class Archived:
    """An archived run: its folder, its shootout's `name`, when it was archived, and the baseline's passes."""

    folder: Path
    name: str
    date: datetime
    repeats: int
    run: str

    def as_json(self) -> dict[str, str | int]:
        """The same as plain JSON values."""
        return {**vars(self), "folder": str(self.folder), "date": self.date.isoformat()}


def archived(out: Path) -> list[Archived]:
    """The archives below `out`, the newest first; one whose manifest cannot be read or bears no date is left out."""
    found = []
    for file in sorted(out.glob("*/manifest.json")):
        manifest = _manifest(file)
        # A hidden folder is one that is still being written.
        if manifest is not None and not file.parent.name.startswith(".") and (date := _date(manifest)) is not None:
            repeats = manifest.get("repeats")
            passes = repeats if isinstance(repeats, int) else 1
            found.append(Archived(file.parent, str(manifest.get("name")), date, passes, str(manifest.get("run"))))
    return sorted(found, key=lambda each: (each.date, each.folder), reverse=True)


def newest_nightly(out: Path, name: str) -> Path | None:
    """The newest archive below `out` of the shootout `name` that holds repeats of its baseline; None where none is."""
    return next((each.folder for each in archived(out) if each.name == name and each.repeats > 1), None)


def other_agent(run: Run, candidate: str, shootout: Path) -> str:
    """What of a run's candidate is otherwise than in a shootout's file, in a sentence; '' where nothing is.

    Its model and parameters, who plays the customer, its prompts, the articles that it reads and the tools are
    compared. Raises ShootoutError or CaseError where the shootout or its suite cannot be read.
    """
    there = load_shootout(shootout)
    suite = load_suite(suite_folder(shootout, there))
    wanted = {each.name: each for each in there.candidates}
    played = {each["name"]: each for each in run.manifest["candidates"]}
    if candidate not in wanted:
        return f"{shootout} has no candidate {candidate!r}"
    customer = there.model_dump(mode="json", exclude_defaults=True).get("customer")
    differ = []
    written = wanted[candidate].model_dump(mode="json", exclude_defaults=True)
    if _identity(written) != _identity(played.get(candidate, {})):
        differ.append("the candidate's own keys")
    if _identity(customer or {}) != _identity(run.manifest.get("shootout", {}).get("customer") or {}):
        differ.append("the customer's model")
    if suite.settings.eval_mode_tag != run.suite.settings.eval_mode_tag:
        differ.append("the eval-mode tag")
    places = [f"prompts/{name}" for name in dict.fromkeys(wanted[candidate].prompts.values())]
    places += ["knowledge/"] if wanted[candidate].knowledge else []
    differ += [place for place in (*places, "tools/") if _below(place, suite.files) != _below(place, run.suite.files)]
    return f"{candidate} differs from that of {shootout} in {listed(differ)}" if differ else ""


def _identity(written: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in written.items() if key not in _NO_IDENTITY}


def _below(place: str, files: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in files.items() if name.startswith(place)}


def _manifest(file: Path) -> Mapping[str, Any] | None:
    try:
        manifest = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return manifest if isinstance(manifest, dict) else None


def _date(manifest: Mapping[str, Any]) -> datetime | None:
    try:
        date = datetime.fromisoformat(str(manifest.get("date")))
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
