"""Flaking, measured: cases that pass and fail among trials of one identity, with nothing changed between them."""

from __future__ import annotations

from dataclasses import dataclass

from evalkit.tables import Reading, Run


@dataclass(frozen=True)
class Tally:
    """How often one candidate passed and failed one case, over all its trials: one identity.

    `unmeasured` are slots without a verdict: not played, or not to be judged.
    """

    candidate: str
    case: str
    must_pass: bool
    passed: int
    failed: int
    unmeasured: int

    @property
    def measured(self) -> int:
        """Number of trials with a verdict."""
        return self.passed + self.failed

    @property
    def flakes(self) -> bool:
        """Whether it passed at least once and failed at least once."""
        return bool(self.passed and self.failed)


def tallies(run: Run, candidate: str | None = None) -> tuple[Tally, ...]:
    """Passes and fails of each candidate, or of one, at each case that the judging suite holds; in the run's order.

    All trials count: the shootout's, the baseline's repeats, and a gate's reruns.
    """
    readings: dict[tuple[str, str], list[Reading]] = {}
    for reading in (*run.readings, *run.later_readings):
        slot = reading.slot
        if slot.case in run.suite.by_id and candidate in (None, slot.candidate):
            readings.setdefault((slot.candidate, slot.case), []).append(reading)
    return tuple(_tally(name, case, run.suite.by_id[case].must_pass, found) for (name, case), found in readings.items())


def flakes(run: Run) -> tuple[Tally, ...]:
    """The tallies of the candidates at the cases that flake.

    Two candidates are two identities: one that passes beside another that fails is no flake.
    """
    return tuple(each for each in tallies(run) if each.flakes)


def by_baseline(run: Run) -> tuple[Tally, ...]:
    """The tallies that say whether a case flakes: the baseline's, or all candidates' where the run names none."""
    return tallies(run, run.baseline)


def why_no_flake(run: Run, case: str) -> str | None:
    """Why the trials of a run do not show that a case flakes, and what to do; None where they do."""
    found = [each for each in by_baseline(run) if each.case == case]
    if any(each.flakes for each in found):
        return None
    measured = [each for each in found if each.measured]
    if not measured:
        return f"{case} has no trial with a verdict in run {run.id[:8]}: not measured; play it there first"
    counts = ", ".join(f"{each.passed} of {each.measured} by {each.candidate}" for each in measured)
    said = f"{case} passed {counts} in run {run.id[:8]}"
    if not any(each.failed for each in measured):
        return f"{said}: it does not flake; more trials may show it: play more with --trials or --repeats"
    if not any(each.passed for each in measured):
        return f"{said}: that is no flake, it is broken; mend the agent, or amend what the case expects"
    return f"{said}: no candidate flakes; name the run's `baseline`, and look into those that fail"


def _tally(candidate: str, case: str, must_pass: bool, readings: list[Reading]) -> Tally:
    verdicts = [reading.judgement and reading.judgement.passed for reading in readings]
    return Tally(candidate, case, must_pass, verdicts.count(True), verdicts.count(False), verdicts.count(None))
