"""The decision: both sides read, every rule asked, all reasons in one order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from evalkit.gate import age, amended, must_pass, presence, quarantined, strata, unmeasured
from evalkit.gate.decision import KINDS, Decision, Note, Reason, StratumLook, verdict_of
from evalkit.gate.scope import Asked, Scope
from evalkit.gate.sides import Side, side_of
from evalkit.settings import Gate

if TYPE_CHECKING:
    from evalkit.suite import Suite
    from evalkit.tables import Run


def decide(
    baseline: Run | Side | Mapping[str, Any] | None,
    candidate: Run | Side | Mapping[str, Any],
    band: float | Callable[[str, int], float] | None = None,
    *,
    today: date | None = None,
    release: bool = False,
    commit: str | None = None,
    must_pass_only: bool = False,
    z: float | None = None,
    target: Suite | None = None,
) -> Decision:
    """Whether the candidate may go out in place of the baseline: a pure function of what it is given.

    Args:
        baseline, candidate: runs, sides (`side_of` names one of a run's candidates), or mappings of ids to objects with
            `id`, `stratum`, `must_pass` and `runs`. A run is judged by the candidate's suite; its own has to be the one
            that it was played under. None for no baseline.
        band: None for the baseline's own, measured from its repeats; a number, or a function of a stratum and its
            number of cases, is assumed, and the decision says so.
        today: the day that ages and deadlines are held against.
        release: whether each case in quarantine needs its owner's sign-off.
        commit: what is released; without it the commit of the candidate's run.
        must_pass_only: whether strata are left out.
        z: the multiplier of a measured band; without it the suite's `gate.z`.
        target: the suite of the branch that the change goes into: what differs from it as well needs an amendment of
            its own, and not that of an earlier change. Without it, whatever is new since the baseline will do.

    Raises:
        NotMeasured: a run has several candidates, and nothing says which.
        ValueError: a band is negative or no number.

    Example: a stratum down from 1.0 to 0.7 on 10 cases, with a band of 0.2, gives the reason "orders dropped 0.30, …".
    """
    after = side_of(candidate, role="candidate")
    before = None if baseline is None else side_of(baseline, by=after.suite, role="baseline")
    # Signing off is itself a commit: for the run's own, the last one that changed anything else is as good.
    own = after.commits if commit is None or commit in after.commits else ()
    commits = tuple(dict.fromkeys((*((commit,) if commit else ()), *own)))
    scope = Scope(before, after, Asked(today, release, commits, must_pass_only), target)
    assumed = _assumed(band)
    z = z if z is not None else (after.suite.settings.gate if after.suite else Gate()).z

    in_quarantine = quarantined.looks(scope)
    sheltered = quarantined.sheltered(scope, in_quarantine)
    held = must_pass.looks(scope, sheltered)
    seen = strata.looks(scope, assumed, z)
    told = [
        *must_pass.reasons(scope, held),
        *strata.reasons(scope, seen, assumed),
        *amended.reasons(scope),
        *quarantined.reasons(scope, in_quarantine),
        *presence.reasons(scope),
        *unmeasured.reasons(scope),
        *age.reasons(scope),
    ]
    reasons = _in_order([*told, *strata.untold(scope, seen, told)])
    notes = [
        *presence.notes(scope),
        *strata.notes(scope, seen),
        *amended.notes(scope),
        *quarantined.notes(scope, in_quarantine),
        *age.notes(scope),
    ]
    return Decision(
        verdict=verdict_of(reasons),
        reasons=reasons,
        strata=seen,
        must_pass=held,
        quarantine=in_quarantine,
        notes=tuple(sorted(notes, key=_place)),
        baseline=age.record(before, scope) if before is not None else None,
        candidate=age.record(after, scope),
        band="none" if not seen else "measured" if assumed is None else "assumed",
        z=z,
        today=today.isoformat() if today is not None else "",
        release=release,
        commit=commits[0] if commits else "",
        must_pass_only=must_pass_only,
    )


def needs_rerun(decision: Decision) -> tuple[str, ...]:
    """The strata that dropped at their first look and have had no second one, or one that was not finished."""
    return tuple(each.stratum for each in decision.strata if _is_dropped(each) or _is_unfinished(each))


def _is_dropped(look: StratumLook) -> bool:
    return look.verdict == "dropped" and len(look.looks) == 1


def _is_unfinished(look: StratumLook) -> bool:
    """Whether a second look was begun and not all of it measured, as where its process was killed."""
    return len(look.looks) > 1 and bool(look.looks[1].unmeasured)


def _assumed(band: float | Callable[[str, int], float] | None) -> strata.Assumed | None:
    if band is None:
        return None

    def width(stratum: str, m: int) -> float:
        value = float(band(stratum, m) if callable(band) else band)
        if not 0 <= value < math.inf:
            raise ValueError(f"a band is a number from 0 on; {value} for {stratum} is none")
        return value

    return width


def _in_order(found: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple(sorted(found, key=lambda each: (KINDS.index(each.kind), each.where, each.says)))


def _place(note: Note) -> tuple[str, str, str]:
    return note.kind, note.where, note.says
