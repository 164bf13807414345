"""Runs made by hand, so that every figure of a report can be told in advance."""

from __future__ import annotations

from collections.abc import Mapping

from evalkit.loading import check_files
from evalkit.store import Slot
from evalkit.tables import Run
from evalkit.transcript import Attempt, Message, Trial, Usage

DIRECT, HANDOFF = "ROUTE: direct\n\nHello", "ROUTE: escalate\nTEAM: dev\n\nHello"


def trial(
    slot: Slot,
    answer: str | None,
    status: str = "completed",
    *,
    usd: float | None = 0.001,
    seconds: float = 1.0,
    reason: str = "",
) -> Trial:
    """A trial that ended so; no answer is no last message."""
    messages = (Message("user", "Hi"), *([Message("assistant", answer)] if answer is not None else []))
    attempts = (Attempt("offline/agent", "agent", seconds, usd, Usage(10, 5)),)
    return Trial(slot.fingerprint, slot.case, slot.number, status, messages, attempts, reason=reason, seconds=seconds)  # type: ignore[arg-type]


def run_of(
    cases: str,
    answers: Mapping[str, Mapping[str, list]],
    *,
    trials: int = 1,
    patterns: str = "",
    baseline: str | None = None,
    price: dict[str, float] | None = None,
    settings: str = "",
) -> Run:
    """The run in which each candidate gave these answers: candidate → case → one answer a trial.

    An answer is a text, a status such as `!error` without one, or None for a slot that was not played.
    """
    files = {
        "tickets/all.yaml": cases,
        "suite.yaml": settings or "name: handmade",
        **({"patterns.yaml": patterns} if patterns else {}),
    }
    checked = check_files({name: text.encode() for name, text in files.items()}, name="handmade")
    assert checked.suite is not None, checked.faults
    suite, pairs = checked.suite, []
    for candidate, by_case in answers.items():
        for case in suite.cases:
            for number in range(trials):
                slot = Slot(candidate, case.id, number, f"{candidate}-{case.id}-{number}")
                said = by_case[case.id][number]
                if said is None:
                    pairs.append((slot, None))
                elif said.startswith("!"):
                    pairs.append((slot, trial(slot, None, said[1:], reason="by hand")))
                else:
                    pairs.append((slot, trial(slot, said)))
    manifest = {
        "run": "f" * 64, "name": "handmade", "started": "2026-11-02T10:00:00+00:00", "trials": trials, "baseline": baseline,
        "suite": {
            "name": "handmade", "snapshot": suite.snapshot, "cases": len(suite.cases), "strata": suite.strata(),
            "safety_cases": [case.id for case in suite.cases if case.risk == "safety"],
        },
        "candidates": [{"name": name, "model": "offline/agent", **({"price": price} if price else {})} for name in answers],
    }  # fmt: skip
    return Run(manifest, suite, tuple(pairs), "the suite as it stands")
