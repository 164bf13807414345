"""What to do next: the command that plays what is missing, and the one that shows what failed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from evalkit.gate.plain_text import some
from evalkit.gate.scope import Scope
from evalkit.gate.sides import Side, TrialResult
from evalkit.shown import one_line
from evalkit.transcript import NEVER_MEASURED

AGAIN = "the same `evalkit run` plays it again"
FINISH = "the same `evalkit gate --rerun` plays it again"
MEND = "mend the check or the case, so that it is decided"
# A provider that refuses a request refuses the same one again: a 4xx but for 408 and 429, and what names its own cure.
_REFUSED = re.compile(
    r"^[^(]*\((?:HTTP )?4(?!08|29)\d\d\)|the provider does not take |longer than the model's context window"
)
REQUEST = "mend the key, the model's name or the request"
MOST_CASES = 5


def measure(scope: Scope, *, fresh: bool = False) -> str:
    """How a baseline is played, in a nightly or as a run of the store; `fresh`: trials that are there do not count."""
    repeats = scope.baseline.repeats if scope.baseline is not None else 1
    own = f"evalkit run SHOOTOUT --repeats {repeats if repeats > 1 else 3}{' --fresh' * fresh}"
    return f"`make nightly` on the target branch measures it (a run of your store: `{own}`)"


def remedy(scope: Scope, side: Side, lost: Iterable[TrialResult]) -> str:
    """What to do about a side's trials that were not measured."""
    never = [trial for trial in lost if trial.status in NEVER_MEASURED]
    if not never:
        return MEND
    # What a gate had played anew is no part of what `run` plays.
    anew = side.reruns and side.repeats == 1 and all(trial.number >= side.k for trial in never)
    again = measure(scope) if side is not scope.candidate else FINISH if anew else AGAIN
    return f"{REQUEST}, then {again}" if any(_REFUSED.search(trial.reason) for trial in never) else again


def show(side: Side, case: str, number: int = 0) -> str:
    """'; `evalkit show RUN CASE` shows it', with the candidate and the trial where they have to be named; '' without
    a run."""
    if not side.run:
        return ""
    words = ["evalkit", "show", side.run[:8], shlex.quote(one_line(case))]
    if side.several:
        words += ["--candidate", shlex.quote(one_line(side.name))]
    # Beyond the shootout's own trials there is nothing to choose by.
    if 0 < number < side.k:
        words += ["--trial", str(number)]
    return f"; `{' '.join(words)}` shows it"


def broken(scope: Scope, ids: Iterable[str]) -> str:
    """'; passed before and fail now: …' with the first few of the cases that do, '' where none does.

    A case passed before where it did in most of the baseline's repeats.
    """
    side = scope.baseline
    if side is None:
        return ""
    found = [
        one_line(name, 60)
        for name in ids
        if scope.candidate.cases[name].passed(0, scope.k) is False
        and 2 * sum(side.cases[name].passed(block, scope.k) is True for block in range(side.repeats)) > side.repeats
    ]
    return f"; passed before and fail now: {some(found, MOST_CASES)}" if found else ""
