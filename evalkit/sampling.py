"""A part of a suite: its must-pass cases, and a draw of the rest that stays the same as cases are added."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable

from evalkit.cases import Case
from evalkit.errors import CaseError
from evalkit.settings import Sample
from evalkit.suite import Suite


def draw(suite: Suite, sample: Sample, known: Collection[str] | None = None) -> tuple[str, ...]:
    """The ids of a sample's cases, in the suite's order.

    Each case has a rank of its own in its stratum, from a hash of the seed and its id, and strata give in turn their
    next case: so a new case takes at most one other's place. With `known`, the ids of an earlier suite, it takes none:
    the draw is from these alone, and all that are new come on top. Raises CaseError where a stratum is not in the
    suite.
    """
    strata = suite.strata()
    if unknown := [name for name in sample.strata or () if name not in strata]:
        raise CaseError(f"a sample draws from strata that the suite does not hold: {', '.join(unknown)}")
    cases = [case for case in suite.active if not sample.strata or case.stratum in sample.strata]
    new = [] if known is None else [case for case in cases if case.id not in known]
    old = [case for case in cases if known is None or case.id in known]
    must_pass = [case for case in old if case.must_pass]
    if sample.must_pass is not None:
        must_pass = _in_turn(must_pass, sample.seed)[: sample.must_pass]
    rest = _in_turn((case for case in old if not case.must_pass), sample.seed)[: sample.draw]
    chosen = {case.id for case in (*must_pass, *rest, *new)}
    return tuple(case.id for case in suite.active if case.id in chosen)


def _in_turn(cases: Iterable[Case], seed: int) -> list[Case]:
    """The cases, the first of each stratum before the second of any."""
    by_stratum: dict[str, list[Case]] = {}
    for case in cases:
        by_stratum.setdefault(case.stratum, []).append(case)
    for found in by_stratum.values():
        found.sort(key=lambda case: _rank(seed, "case", case.id))
    turns = [
        (place, _rank(seed, "stratum", stratum), case)
        for stratum, found in by_stratum.items()
        for place, case in enumerate(found)
    ]
    return [case for _, _, case in sorted(turns, key=lambda turn: turn[:2])]


def _rank(seed: int, kind: str, name: str) -> str:
    return hashlib.sha256(f"{seed}:{kind}:{name}".encode()).hexdigest()
