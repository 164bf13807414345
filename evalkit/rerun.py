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
from evalkit.plan import Plan, planned
from evalkit.progress import progress
from evalkit.runner import Options, Played, play_plan
from evalkit.shootout import Shootout
from evalkit.store import Slot, Store
from evalkit.suite import Suite


def rerun(
    run: str,
    candidate: str,
    strata: Sequence[str],
    store: str | Path | None = None,
    options: Options = Options(),
    *,
    quiet: bool = False,
) -> Played:
    """What came of playing a candidate's cases of these strata anew, in the next block that nobody has played.

    The run in the store then holds the block, and its manifest says for which strata; a block that was begun is gone
    on with. Raises ShootoutError where the run can no longer be played as it was.
    """
    load_env(home() / ".env")
    with Store(store, create=False) as opened:
        key = opened.find(run)
        manifest = opened.manifest(key)
        shootout, suite = _shootout(manifest), load_suite(opened.origin(key))
        own = [slot for slot, _ in opened.trials(key) if slot.candidate == candidate]
        trials, begun = manifest["trials"], manifest.get("reruns", {}).get(candidate, {})
        asked: list[tuple[str, str, int]] = []
        blocks: dict[str, int] = {}
        for stratum in strata:
            cases = _cases(own, stratum, trials, suite)
            blocks[stratum] = begun.get(stratum) or _unplayed(shootout, suite, candidate, cases, own, trials, opened)
            numbers = range(blocks[stratum] * trials, (blocks[stratum] + 1) * trials)
            asked += [(candidate, case, number) for number in numbers for case in cases]
        found = replace(planned(shootout, suite, asked, f"run {key[:8]}"), trials=trials, of=key)
        _same(found, own, manifest)
        known = {slot.fingerprint for slot in own}
        new = [slot for slot in found.slots if slot.fingerprint not in known]
        with progress(found, quiet=quiet) as show:
            opened.extend(key, new, found.composed, {candidate: blocks})
            return play_plan(found, opened, options, show)


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


def _unplayed(
    shootout: Shootout,
    suite: Suite,
    candidate: str,
    cases: Sequence[str],
    own: Sequence[Slot],
    trials: int,
    store: Store,
) -> int:
    """The first block above the run's own of which the store holds no trial: a stored one would be no second look."""
    block = max(slot.number for slot in own) // trials + 1
    while True:
        numbers = range(block * trials, (block + 1) * trials)
        asked = [(candidate, case, number) for number in numbers for case in cases]
        slots = planned(shootout, suite, asked, "").slots
        if len(store.unfinished(slots)) == len(slots):
            return block
        block += 1


def _same(found: Plan, own: Sequence[Slot], manifest: Mapping[str, Any]) -> None:
    """Raise ShootoutError where a trial would no longer be made as those of the run were."""
    first = {slot.case: slot.fingerprint for slot in own if slot.number == 0}
    asked = [(slot.candidate, case, 0) for case, slot in {slot.case: slot for slot in found.slots}.items()]
    again = planned(found.shootout, found.suite, asked, "").slots
    changed = [slot.case for slot in again if first.get(slot.case) != slot.fingerprint]
    if changed:
        raise ShootoutError(
            f"run {manifest['run'][:8]} cannot be played anew: what its trials are made of has changed since, as "
            f"`evalkit why {manifest['run'][:8]} {changed[0]}` shows; play the shootout again"
        )
