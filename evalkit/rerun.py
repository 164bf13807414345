"""A blocked stratum played once more: the candidate's next block of trials on the same cases, added to its run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalkit.client import load_env
from evalkit.errors import ShootoutError
from evalkit.home import home
from evalkit.loading import load_suite
from evalkit.plan import planned
from evalkit.progress import progress
from evalkit.runner import Options, Played, play_plan
from evalkit.shootout import Shootout
from evalkit.store import Slot, Store
from evalkit.suite import Suite
from evalkit.tables import Run

# The block of numbers of a second look.
SECOND = 1


def rerun(
    run: str,
    candidate: str,
    strata: Sequence[str],
    store: str | Path | None = None,
    options: Options = Options(),
    *,
    quiet: bool = False,
) -> Played:
    """What came of playing a candidate's cases of these strata anew, in the block of numbers after the shootout's.

    The run in the store then holds the block, and its manifest says for which strata; a block that was begun is gone
    on with. The same first look always has the same second one: where trials of that block are there, as repeats or
    from another run, they are it, so that nobody looks until luck is kind. Raises ShootoutError where the run can no
    longer be played as it was.
    """
    load_env(home() / ".env")
    with Store(store, create=False) as opened:
        key = opened.find(run)
        manifest = opened.manifest(key)
        shootout, suite = _shootout(manifest), load_suite(opened.origin(key))
        own = [slot for slot, _ in opened.trials(key) if slot.candidate == candidate]
        if changed := _changed(shootout, suite, own):
            raise ShootoutError(_says(key, changed))
        trials, begun = manifest["trials"], manifest.get("reruns", {}).get(candidate, {})
        blocks = {stratum: begun.get(stratum, SECOND) for stratum in strata}
        asked = [
            (candidate, case, number)
            for stratum, block in blocks.items()
            for number in range(block * trials, (block + 1) * trials)
            for case in _cases(own, stratum, trials, suite)
        ]
        found = replace(planned(shootout, suite, asked, f"run {key[:8]}"), trials=trials, of=key)
        known = {slot.fingerprint for slot in own}
        new = [slot for slot in found.slots if slot.fingerprint not in known]
        with progress(found, quiet=quiet) as show:
            opened.extend(key, new, found.composed, {candidate: blocks})
            return play_plan(found, opened, options, show)


def outdated(run: Run, candidate: str) -> str:
    """Why a candidate's trials are no longer what its files would play, in a sentence; '' where they are.

    An archive, or a run judged by a snapshot, is what it was.
    """
    if not run.suite.origin or "shootout" not in run.manifest:
        return ""
    own = [slot for slot, _ in run.pairs if slot.candidate == candidate]
    changed = _changed(_shootout(run.manifest), run.suite, own)
    return _says(run.id, changed) if changed else ""


def _shootout(manifest: Mapping[str, Any]) -> Shootout:
    try:
        return Shootout.model_validate_json(json.dumps(manifest["shootout"]))
    except (KeyError, ValidationError) as error:
        raise ShootoutError(
            f"run {manifest['run'][:8]} does not hold the shootout that it came of, so nothing of it can be played anew"
        ) from error


def _cases(own: Sequence[Slot], stratum: str, trials: int, suite: Suite) -> list[str]:
    """The cases of a stratum that the candidate has in its run, in their order."""
    cases = dict.fromkeys(slot.case for slot in own if slot.number < trials)
    found = [case for case in cases if case in suite.by_id and suite.by_id[case].stratum == stratum]
    if not found:
        raise ShootoutError(f"the run has no case of stratum {stratum!r} to play anew")
    return found


def _changed(shootout: Shootout, suite: Suite, own: Sequence[Slot]) -> list[str]:
    """The cases that the suite still holds and whose trials would no longer be made as these were."""
    first = {slot.case: slot for slot in own if slot.number == 0 and slot.case in suite.by_id}
    if not first:
        return []
    again = planned(shootout, suite, [(slot.candidate, case, 0) for case, slot in first.items()], "").slots
    return [slot.case for slot in again if first[slot.case].fingerprint != slot.fingerprint]


def _says(run: str, changed: Sequence[str]) -> str:
    return (
        f"run {run[:8]} is not what its files would play now: what its trials are made of has changed since, as "
        f"`evalkit why {run[:8]} {changed[0]}` shows; play the shootout again"
    )
