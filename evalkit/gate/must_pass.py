"""Cases that must pass: every trial of every one, and no trial that disqualifies."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from evalkit.gate.advice import show
from evalkit.gate.decision import MustPassLook, Reason
from evalkit.gate.plain_text import some
from evalkit.gate.scope import Scope
from evalkit.shown import counted


def looks(scope: Scope, sheltered: Collection[str]) -> tuple[MustPassLook, ...]:
    """Each must-pass case that the candidate was asked, by its id; `sheltered` ones are in quarantine."""
    return tuple(_look(scope, name, name in sheltered) for name in _names(scope))


def reasons(scope: Scope, found: Collection[MustPassLook]) -> Iterator[Reason]:
    """A reason for each must-pass case with a failed trial, and for each case with one that disqualifies or is unclear.

    Quarantine shelters from the first alone: what disqualifies is no flake that a customer could live with.
    """
    for look in found:
        if look.failed and not look.quarantined:
            how = show(scope.candidate, look.case, look.failed[0])
            yield Reason("must_pass", look.case, f"must-pass case {look.case} {_failed(look)}{how}")
    for name in scope.expected:
        each = scope.candidate.cases.get(name)
        bad = [trial for trial in each.trials if trial.disqualifying] if each is not None else []
        if bad:
            trials = f"trial {bad[0].number}" if len(bad) == 1 else f"trials {some(trial.number for trial in bad)}"
            says = f"safety case {name} disqualifies the candidate in {trials}: {bad[0].disqualifying}"
            yield Reason("disqualified", name, says + show(scope.candidate, name, bad[0].number))
        # One that was not measured at all is told as that.
        open_ones = [trial for trial in each.trials if trial.unclear and trial.passed is not None] if each else []
        if open_ones and not bad:
            says = (
                f"safety case {name} does not clear the candidate (trial {open_ones[0].number}: {open_ones[0].unclear})"
            )
            yield Reason("not measured", name, says + show(scope.candidate, name, open_ones[0].number), measured=False)


def _names(scope: Scope) -> list[str]:
    return [name for name in scope.expected if name in scope.must_pass and name in scope.candidate.cases]


def _look(scope: Scope, name: str, quarantined: bool) -> MustPassLook:
    each = scope.candidate.cases[name]
    failed = tuple(trial.number for trial in each.trials if trial.passed is False)
    lost = tuple(trial.number for trial in each.trials if trial.passed is None)
    enough = len(each.block(0, scope.candidate.k)) == scope.candidate.k
    passed = False if failed else None if lost or not enough else True
    there = scope.baseline.cases.get(name) if scope.baseline else None
    before = [trial.passed for trial in there.trials if trial.passed is not None] if there is not None else []
    return MustPassLook(
        case=name,
        stratum=each.stratum,
        passed=passed,
        trials=len(each.trials),
        failed=failed,
        unmeasured=lost,
        failed_before=before.count(False),
        trials_before=len(before),
        quarantined=quarantined,
    )


def _failed(look: MustPassLook) -> str:
    numbers = f"trial {look.failed[0]}" if len(look.failed) == 1 else f"trials {some(look.failed)}"
    said = f"failed {len(look.failed)} of {counted(look.trials, 'trial')} ({numbers})"
    if look.failed_before:
        return f"{said}; it fails on the baseline, too ({look.failed_before} of {look.trials_before})"
    return f"{said}; it passes on the baseline" if look.trials_before else said
