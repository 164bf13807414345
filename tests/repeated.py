"""Runs with repeats, made by hand: each case's trials as ones and zeros, a group of k for each repeat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from handmade import DIRECT, HANDOFF, run_of

from evalkit.tables import Run

BEGUN = datetime.fromisoformat("2026-11-02T10:00:00+00:00")


def repeated_run(
    strata: Mapping[str, Mapping[str, str]],
    *,
    settings: str = "name: handmade",
    apart: timedelta = timedelta(hours=1),
    candidates: Mapping[str, Mapping[str, str]] | None = None,
    baseline: str | None = "steady",
    manifest: Mapping[str, Any] | None = None,
) -> Run:
    """A run whose baseline `steady` passed as written: stratum → case → its repeats, as in "111 101 110".

    1 passed, 0 failed, e is an error, n was not played. Repeats lie `apart`. `candidates` have trials of their own, by
    case, in as many blocks as are written.
    """
    said = {"1": DIRECT, "0": HANDOFF, "e": "!error", "n": None}
    written = {case: trials for cases in strata.values() for case, trials in cases.items()}
    everyone = {"steady": written, **(candidates or {})}
    k = len(next(iter(written.values())).split()[0])
    most = max(len(trials.replace(" ", "")) for by_case in everyone.values() for trials in by_case.values())
    answers = {
        name: {case: [said[each] for each in by_case[case].replace(" ", "").ljust(most, "n")] for case in written}
        for name, by_case in everyone.items()
    }
    text = "\n".join(
        f"- {{id: {case}, stratum: {stratum}, ticket: {{body: Hi}}, expected_handling: direct}}"
        for stratum, cases in strata.items()
        for case in cases
    )
    run = run_of(text, answers, trials=most, baseline=baseline, settings=settings)
    length = {name: max(len(t.replace(" ", "")) for t in by_case.values()) for name, by_case in everyone.items()}
    kept = [
        (slot, trial and replace(trial, started=(BEGUN + slot.number // k * apart).isoformat()))
        for slot, trial in run.pairs
        if slot.number < length[slot.candidate]
    ]
    told = {**run.manifest, "trials": k, "repeats": length["steady"] // k, **(manifest or {})}
    first = tuple(pair for pair in kept if pair[0].number < k)
    return replace(run, manifest=told, pairs=first, later=tuple(pair for pair in kept if pair[0].number >= k))
