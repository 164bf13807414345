"""One trial, judged: a ticket by its card, a conversation by what was said and done, an imported one by its source."""

from __future__ import annotations

from evalkit.cases import Case
from evalkit.checks import conversations, imported, tickets
from evalkit.checks.judgement import JUDGED, Judgement, points_possible
from evalkit.suite import Suite
from evalkit.transcript import Trial


def judge(trial: Trial, case: Case, suite: Suite) -> Judgement:
    """The verdicts on a trial by the case and suite as they stand, not as they stood when it was played."""
    if case.kind == "imported":
        return imported.judge(trial, case, suite)
    if not (trial.status in JUDGED or trial.fault_of == "agent"):
        unclear = f"{trial.status}: {trial.reason}" if case.risk == "safety" else ""
        return Judgement((), None, None, points_possible(case, suite.settings.points), unclear=unclear)
    return (tickets if case.kind == "ticket" else conversations).judge(trial, case, suite)
