"""Reasons about what is there at all: strata, cases and trials that one side lacks, and what stopped a run."""

from __future__ import annotations

from collections.abc import Iterator

from evalkit.gate.advice import measure
from evalkit.gate.decision import Note, Reason
from evalkit.gate.plain_text import some
from evalkit.gate.scope import Scope
from evalkit.gate.unmeasured import lacking, lacking_before
from evalkit.shown import counted


def reasons(scope: Scope) -> Iterator[Reason]:
    """All reasons of the kinds `missing`, `trials`, `no overlap` and `budget`, and a baseline that is not there."""
    if scope.baseline is None and not scope.asked.must_pass_only:
        says = f"no baseline to compare with; {measure(scope)}"
        yield Reason("not measured", "baseline", says, measured=False)
    yield from _sample(scope)
    yield from _cases(scope)
    yield from _short(scope)
    yield from _k(scope)
    if scope.compares:
        yield from _strata(scope)
        yield from _customers(scope)
    for role, side in (("candidate", scope.candidate), ("baseline", scope.baseline if scope.compares else None)):
        if side is not None and side.stopped and (left := unplayed(role, scope)):
            says = f"the {role}'s run stopped before its end ({side.stopped}): {some(left)} were not played whole"
            on = "the same `evalkit run` goes on where it stopped" if role == "candidate" else measure(scope)
            yield Reason("budget", role, f"{says}; with a larger budget {on}", measured=False)


def notes(scope: Scope) -> Iterator[Note]:
    """What is left out of the comparison, or was read in another way than one might expect."""
    for name in sorted(scope.new):
        must = " and has to pass" if name in scope.must_pass else ""
        yield Note("new", name, f"{name} is new: the baseline's suite does not hold it, so it is in no stratum{must}")
    if scope.sample[0] is not None and scope.after is not None:
        says = f"a sample: {len(scope.expected)} of {len(scope.after.active)} cases"
        if not (scope.candidate.sample or {}).get("name"):
            says += f", {scope.sample[0].draw} drawn by seed {scope.sample[0].seed}, which who ran it chose"
        yield Note("sample", "candidate", says)
        left = sorted(scope.must_pass & {case.id for case in scope.after.active} - {*scope.expected})
        if left:
            yield Note(
                "sample", "must_pass", f"{counted(len(left), 'must-pass case')} not in this sample: {some(left)}"
            )
    if scope.after is None and scope.baseline is not None:
        left = sorted({*scope.baseline.cases} - {*scope.expected})
        if left:
            yield Note(
                "sample", "candidate", f"{counted(len(left), 'case')} of the baseline not asked of the candidate"
            )
    if scope.baseline is not None and scope.candidate.k > scope.baseline.k:
        says = f"the candidate has {scope.candidate.k} trials a case and the baseline {scope.baseline.k}"
        says += f": strata are compared by the first {scope.baseline.k}, must-pass cases by all"
        yield Note("trials", "candidate", says)
    for role, side in (("candidate", scope.candidate), ("baseline", scope.baseline)):
        if side is not None and side.stopped and not unplayed(role, scope):
            says = f"the {role}'s run stopped ({side.stopped}), but all that counts here was played"
            yield Note("budget", role, says)
    if scope.candidate.own_suite:
        yield Note("suite", "candidate", f"{scope.candidate.own_suite}: it was played under an earlier one")
    if scope.baseline is None and scope.after is not None:
        yield Note("amendment", "suite", "no baseline, so what has changed in the suite was not looked at")
    if scope.asked.release and scope.candidate.commits and not {*scope.asked.commits} & {*scope.candidate.commits}:
        played, released = scope.candidate.commits[-1][:12], scope.asked.commits[0][:12]
        yield Note("commit", "candidate", f"the candidate was played at commit {played}, and {released} is released")
    if scope.compares and (same := _same_trials(scope)):
        says = f"{counted(same, 'trial')} of the candidate are the baseline's own: nothing they are made of has changed"
        yield Note("same trials", "candidate", says)


def unplayed(role: str, scope: Scope) -> list[str]:
    """The cases of a side with a slot that counts and that nobody played."""
    lost = lacking if role == "candidate" else lacking_before
    return [name for name in scope.expected if any(trial.status == "not_run" for trial in lost(scope, name))]


def _sample(scope: Scope) -> Iterator[Reason]:
    if wrong := scope.sample[1]:
        yield Reason("missing", "sample", f"{wrong}; play the candidate again with --sample", measured=False)
    if scope.asked.release and scope.candidate.sample is not None:
        says = "a release needs the whole suite, and the candidate was played on a sample; play it without --sample"
        yield Reason("missing", "sample", says, measured=False)


def _cases(scope: Scope) -> Iterator[Reason]:
    if scope.compares and not any(scope.strata.values()):
        yield Reason("no overlap", "cases", "no case is on both sides; compare runs of one suite", measured=False)
    if not scope.compares and not scope.must_pass.intersection(scope.expected):
        yield Reason("no overlap", "must_pass", "no case must pass, so nothing is decided; flag some", measured=False)
    for name in scope.absent:
        if not scope.compares and name not in scope.must_pass:
            continue
        must = "must-pass case" if name in scope.must_pass else "case"
        says = f"{must} {name} was not asked of the candidate; play the whole suite, or a sample of suite.yaml's"
        yield Reason("missing", name, says)
    for name in scope.absent_before if scope.compares and any(scope.strata.values()) else ():
        says = f"case {name} has no trial on the baseline's side, so {scope.stratum_of(name)} cannot be compared"
        yield Reason("missing", name, f"{says}; {measure(scope)}", measured=False)


def _strata(scope: Scope) -> Iterator[Reason]:
    """Strata that the candidate's side lacks, or that no longer exist without an amendment."""
    asked = {scope.stratum_of(name) for name in scope.expected}
    for stratum in sorted(scope.all_strata - asked):
        if scope.after is not None:
            total = scope.after.strata().get(stratum, 0)
            if total:
                says = (
                    f"stratum {stratum} is not in the sample: none of its {counted(total, 'case')} was drawn; draw more"
                )
                yield Reason("missing", stratum, says)
        else:
            says = f"stratum {stratum} is not on the candidate's side: nothing says whether it dropped"
            yield Reason("missing", stratum, f"{says}; play at least one of its cases")
    if scope.before is None or scope.after is None:
        if scope.baseline is not None:
            yield from _moved(scope)
        return
    amended = {change.what.partition("/")[2]: change.amended_by is not None for change in scope.changes}
    for stratum in sorted({*scope.before.strata()} - {*scope.after.strata()}):
        cases = [case.id for case in scope.before.active if case.stratum == stratum]
        if not all(amended.get(name, False) for name in cases):
            says = f"stratum {stratum} is gone from the candidate's suite, and no amendment says why for all of its"
            yield Reason("missing", stratum, f"{says} {counted(len(cases), 'case')}")


def _moved(scope: Scope) -> Iterator[Reason]:
    """Cases of another stratum on each side, where there is no suite to say which it is."""
    for name in scope.expected:
        sides = [side.cases.get(name) for side in (scope.baseline, scope.candidate) if side is not None]
        if None not in sides and len({each.stratum for each in sides if each}) > 1:
            before, after = (each.stratum for each in sides if each)
            says = f"case {name} is of stratum {before} on the baseline's side and of {after} on the candidate's"
            yield Reason("amendment", name, f"{says}; give both the same")


def _k(scope: Scope) -> Iterator[Reason]:
    """Trials that are fewer than a case is held to, on either side."""
    baseline, candidate = scope.baseline, scope.candidate
    if baseline is None:
        return
    if candidate.k < baseline.k:
        says = f"the candidate has {counted(candidate.k, 'trial')} a case and the baseline {baseline.k}"
        yield Reason("trials", "candidate", f"{says}; play it with --trials {baseline.k}", measured=False)


def _short(scope: Scope) -> Iterator[Reason]:
    """Cases with fewer than k trials: those compared, on either side, and all that must pass."""
    compared = {name for names in scope.strata.values() for name in names} if scope.compares else set()
    for role, side in (("candidate", scope.candidate), ("baseline", scope.baseline)):
        held_to = compared | (scope.must_pass if role == "candidate" else set())
        for name in scope.expected:
            each = side.cases.get(name) if side is not None else None
            if each is None or side is None or name not in held_to:
                continue
            blocks = side.repeats if role == "baseline" else 1
            found = sum(len(each.block(block, side.k)) for block in range(blocks))
            if found == side.k * blocks:
                continue
            has = f"has {found} of {side.k * blocks} trials" if found else "has no trial"
            rest = "the same `evalkit run` plays the rest" if role == "candidate" else measure(scope)
            says = f"case {name} {has} on the {role}'s side, and does not pass by that; {rest}"
            yield Reason("trials", name, says, measured=False)


def _customers(scope: Scope) -> Iterator[Reason]:
    if not (scope.baseline and scope.before and scope.after) or scope.baseline.customer == scope.candidate.customer:
        return
    if any(scope.after.by_id[name].kind == "conversation" for ids in scope.strata.values() for name in ids):
        says = "the customer is played by another model, or with other parameters, on each side"
        yield Reason("not measured", "customer", f"{says}; {measure(scope)}", measured=False)


def _same_trials(scope: Scope) -> int:
    """How many of the candidate's trials are those of the baseline, played once."""
    baseline = scope.baseline.cases if scope.baseline else {}
    return sum(
        bool(trial.fingerprint) and (trial.fingerprint, trial.started) in known
        for name in scope.expected
        if name in baseline and name in scope.candidate.cases
        for known in [{(each.fingerprint, each.started) for each in baseline[name].trials if each.started}]
        for trial in scope.candidate.cases[name].block(0, scope.k)
    )
