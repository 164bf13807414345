"""Cases in quarantine: they are played and shown, until their day; a release needs their owners' word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalkit.gate.decision import Note, QuarantineLook, Reason
from evalkit.gate.plain_text import some
from evalkit.gate.scope import Scope
from evalkit.gate.sides import Side
from evalkit.quarantine import Quarantined, signed_off
from evalkit.shown import counted, one_line

SHOWN_COMMIT = 12


def looks(scope: Scope) -> tuple[QuarantineLook, ...]:
    """Each entry of the candidate's suite, by its case."""
    entries = scope.after.quarantine if scope.after is not None else {}
    return tuple(_look(scope, entries[name]) for name in sorted(entries))


def sheltered(scope: Scope, found: Sequence[QuarantineLook]) -> frozenset[str]:
    """The cases whose failure does not block: their day has not passed, and a new one is seen to flake."""
    return frozenset(look.case for look in found if look.expired is not True and not _is_unproven(scope, look))


def reasons(scope: Scope, found: Sequence[QuarantineLook]) -> Iterator[Reason]:
    """A reason for each entry that is past its day, or new and not seen to flake.

    At a release there is one for each that its owner did not sign off, too.
    """
    for look in found:
        if _is_unproven(scope, look):
            yield Reason("quarantine", look.case, _unproven(look), measured=bool(_trials_before(look)))
        if look.expired:
            says = f"{look.case} is in quarantine past its day, {look.fix_by}: {look.owner} mends it"
            yield Reason("quarantine", look.case, f"{says}, or amends a later fix_by")
        if look.expired is None:
            says = f"{look.case} is in quarantine until {look.fix_by}, and the gate was given no date; pass --date"
            yield Reason("quarantine", look.case, says, measured=False)
        if scope.asked.release and not look.accepted:
            yield Reason("sign_off", look.case, _unsigned(scope, look))


def notes(scope: Scope, found: Sequence[QuarantineLook]) -> Iterator[Note]:
    """What each case in quarantine did, whether it blocks or not."""
    before = "there is no baseline that shows whether it flakes"
    for look in found:
        did = f"passed {look.candidate_passes} and failed {look.candidate_fails} trials"
        says = f"{look.case} is in quarantine until {look.fix_by} ({look.owner}: {look.reason}): it {did}"
        if scope.baseline is not None:
            before = f"the baseline {look.baseline_passes} and {look.baseline_fails}"
        yield Note("quarantine", look.case, f"{says}; {before}")


def _look(scope: Scope, entry: Quarantined) -> QuarantineLook:
    today = scope.asked.today
    return QuarantineLook(
        case=entry.case,
        owner=one_line(entry.owner),
        reason=one_line(entry.reason),
        since=entry.since.isoformat(),
        fix_by=entry.fix_by.isoformat(),
        expired=None if today is None else entry.expired(today),
        signed=tuple(each.commit for each in entry.sign_offs),
        accepted=signed_off(entry, scope.asked.commits) is not None,
        candidate_passes=_ended(scope.candidate, entry.case, True),
        candidate_fails=_ended(scope.candidate, entry.case, False),
        baseline_passes=_ended(scope.baseline, entry.case, True),
        baseline_fails=_ended(scope.baseline, entry.case, False),
    )


def _ended(side: Side | None, case: str, passed: bool) -> int:
    """How many trials of a case ended so; all of one side are of one identity."""
    each = side.cases.get(case) if side is not None else None
    return sum(trial.passed is passed for trial in each.trials) if each is not None else 0


def _is_unproven(scope: Scope, look: QuarantineLook) -> bool:
    """Whether an entry came after the baseline, whose trials do not both pass and fail; False without a baseline."""
    if scope.baseline is None or (scope.before is not None and look.case in scope.before.quarantine):
        return False
    return not (look.baseline_passes and look.baseline_fails)


def _trials_before(look: QuarantineLook) -> int:
    return look.baseline_passes + look.baseline_fails


def _unproven(look: QuarantineLook) -> str:
    trials = counted(_trials_before(look), "trial")
    do = "does" if _trials_before(look) == 1 else "do"
    counts = f"{look.baseline_passes} passed, {look.baseline_fails} failed"
    says = f"{look.case} is new in quarantine, and the baseline's {trials} {do} not show that it flakes ({counts})"
    return f"{says}: mend the case and take the entry out, or wait for a nightly in which it both passes and fails"


def _unsigned(scope: Scope, look: QuarantineLook) -> str:
    commits = scope.asked.commits
    if not commits:
        return f"{look.case} is in quarantine, and no commit is known that {look.owner} could have signed for: --commit"
    says = f"{look.case} is in quarantine, and {look.owner} has not signed off for {commits[0][:SHOWN_COMMIT]}"
    if look.signed:
        says += f", only for {some((each[:SHOWN_COMMIT] for each in reversed(look.signed)), 3)}"
    return f"{says}; `evalkit quarantine sign-off` records it"
