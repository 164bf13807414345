"""Reasons about trials that were to be measured and were not, case by case and side by side."""

from __future__ import annotations

from collections.abc import Iterator

from evalkit.gate.advice import remedy
from evalkit.gate.decision import Reason
from evalkit.gate.scope import Scope
from evalkit.gate.sides import Side, TrialResult


def reasons(scope: Scope) -> Iterator[Reason]:
    """A reason for each case that is not fully measured where it counts."""
    for name in scope.expected:
        if name in scope.candidate.cases and (lost := _told(scope.candidate, lacking(scope, name))):
            what = "must-pass case" if name in scope.must_pass else "case"
            says = f"{what} {name} is not fully measured for the candidate ({_shown(lost)}), and does not pass by that"
            yield Reason("not measured", name, f"{says}; {remedy(scope, scope.candidate, lost)}", measured=False)
    if scope.baseline is None or not scope.compares:
        return
    for stratum, names in scope.strata.items():
        for name in names:
            if lost := _told(scope.baseline, lacking_before(scope, name)):
                says = f"case {name} is not fully measured for the baseline ({_shown(lost)}), so {stratum} is not"
                yield Reason(
                    "not measured", name, f"{says} compared; {remedy(scope, scope.baseline, lost)}", measured=False
                )


def lacking(scope: Scope, name: str) -> list[TrialResult]:
    """The trials of a candidate's case that were not measured: all of a must-pass one, of another those compared."""
    each, side = scope.candidate.cases[name], scope.candidate
    if name in scope.must_pass:
        trials = each.trials
    elif name in scope.new:
        # It was asked for, though nothing compares it: one that could not be played tells nothing.
        trials = each.block(0, side.k)
    elif not scope.compares or name not in scope.strata[each.stratum]:
        trials = ()
    else:
        again = (side.reruns or {}).get(each.stratum)
        blocks = (0,) if again is None else (0, again)
        trials = tuple(trial for block in blocks for trial in each.block(block, scope.k))
    return [trial for trial in trials if trial.passed is None]


def lacking_before(scope: Scope, name: str) -> list[TrialResult]:
    """The trials of a baseline's case that were not measured, in any of its repeats."""
    side = scope.baseline
    if side is None or name not in side.cases:
        return []
    trials = (trial for block in range(side.repeats) for trial in side.cases[name].block(block, scope.k))
    return [trial for trial in trials if trial.passed is None]


def _told(side: Side, lost: list[TrialResult]) -> list[TrialResult]:
    """Those that no other reason tells of: where a run was stopped, what was not played is told once."""
    return [] if side.stopped and all(trial.status == "not_run" for trial in lost) else lost


def _shown(lost: list[TrialResult]) -> str:
    rest = f", and {len(lost) - 1} more" if len(lost) > 1 else ""
    return f"trial {lost[0].number}: {lost[0].lack}{rest}"
