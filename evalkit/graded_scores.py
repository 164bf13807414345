"""What a trusted grader says of each candidate: its pass rate as it stands, and corrected for its measured error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.grading import Grading
from evalkit.measurement import Labelled, measure
from evalkit.measurement.decision import MOST_LEFT_OUT
from evalkit.shown import counted
from evalkit.stats.audit import Disagreement, disagreement
from evalkit.stats.correction import Correction, rogan_gladen, weighted_post_stratified
from evalkit.stats.errors_alike import ErrorsAlike, same_errors
from evalkit.stats.intervals import Interval, share_over_cases
from evalkit.tables import Run, once_a_run

# Why the correction by labels of other trials does not reach a candidate.
ERRS_OTHERWISE = "not corrected: the grader errs otherwise on it than on the others"
# A rate within each verdict of the grader from fewer labels than this has no interval that can be believed.
LEAST_OWN = 10


@dataclass(frozen=True)
class GradedScore:
    """A candidate's graded pass rate, raw and corrected.

    `states` counts its completed trials by what the graders came to. `raw` is the mean over cases of the share of
    graded trials that pass. `alike` says whether the grader errs on this candidate as on the others; None where no
    label is of it.
    """

    candidate: str
    states: Mapping[str, int]
    raw: Interval
    corrected: Correction
    alike: ErrorsAlike | None


@once_a_run
def graded_scores(run: Run) -> tuple[GradedScore, ...]:
    """The graded pass rate of each candidate, in the shootout's order.

    The correction rests on the held-out labels alone. Where those of a candidate were drawn from this run's own trials,
    at least 10 for either verdict of the grader, what people pass of what it passes and of what it fails is weighed by
    how likely each was to be drawn; else the grader's sensitivity and specificity on all labels are turned around
    (Rogan–Gladen), unless it errs otherwise on this candidate. Where more than 5 % of a candidate's trials have no
    verdict, neither rate is measured. Raises NotMeasured where the run has no grader.
    """
    measurement = measure(run)
    labelled = [each for each in measurement.held_out.labelled if each.compared]
    # Whether it errs alike is no matter of trust: here the open labels tell as well.
    tables = {name: side.table for name, side in measurement.all.by_candidate.items() if any(map(sum, side.table))}
    alike = {each.candidate: each for each in same_errors(tables)}
    unfit = measurement.decision.word == "not measured"
    return tuple(
        _score(run, candidate["name"], () if unfit else labelled, alike.get(candidate["name"]))
        for candidate in run.manifest["candidates"]
    )


@once_a_run
def cheap_against_strong(run: Run) -> Disagreement:
    """How often the two graders differ on a run's transcripts, each counted once, by the chance to be asked."""
    once = {
        (subject.content, subject.reference): grading
        for subject, grading in zip(run.subjects, run.gradings, strict=True)
        if subject is not None and grading is not None
    }
    found: Sequence[Grading] = list(once.values())
    return disagreement(
        [each.near for each in found],
        [each.audited for each in found],
        [each.cheap_passed for each in found],
        [each.strong_passed for each in found],
        [each.inclusion or 1.0 for each in found],
    )


def _score(run: Run, candidate: str, labelled: Sequence[Labelled], alike: ErrorsAlike | None) -> GradedScore:
    mine = [
        (slot.case, found)
        for (slot, _), found in zip(run.pairs, run.gradings, strict=True)
        if slot.candidate == candidate and found is not None
    ]
    verdicts = [(case, found.passed) for case, found in mine if found.passed is not None]
    by_case: dict[str, list[bool]] = {}
    for case, passed in verdicts:
        by_case.setdefault(case, []).append(passed)
    shares = [sum(passes) / len(passes) for passes in by_case.values()]
    raw = share_over_cases(shares)
    corrected = _corrected(run, candidate, verdicts, shares, labelled, alike)
    missing = len(mine) - len(verdicts)
    if missing > MOST_LEFT_OUT * len(mine):
        # What the strong grader is still to be asked of are the doubtful trials: the others are no picture of all.
        why = f"{missing} of {counted(len(mine), 'trial')} have no verdict, and at most 5 % may be left out"
        raw = Interval(None, None, None, raw.n, raw.method, why)
        corrected = Correction(None, None, None, None, len(verdicts), corrected.labelled, corrected.method, why)
    return GradedScore(
        candidate=candidate,
        states=Counter(found.state for _, found in mine),
        raw=raw,
        corrected=corrected,
        alike=alike,
    )


def _corrected(
    run: Run,
    candidate: str,
    verdicts: Sequence[tuple[str, bool]],
    shares: Sequence[float],
    labelled: Sequence[Labelled],
    alike: ErrorsAlike | None,
) -> Correction:
    own = [each for each in labelled if each.item.candidate == candidate]
    if _tell_enough(own) and all(_is_of(run, each) for each in own):
        weighed = weighted_post_stratified(
            [passed for _, passed in verdicts],
            [(bool(each.grading.passed), bool(each.people), 1 / each.item.inclusion, each.item.case) for each in own],
            grader_cases=[case for case, _ in verdicts],
        )
        # Labels without spread give a rate and no interval, which would pass for certainty.
        if weighed.low is not None:
            return weighed
    if not labelled:
        why = "the labelled transcripts are not graded whole in this run"
        return Correction(None, None, None, None, len(verdicts), 0, "", why)
    if alike is not None and alike.differs:
        return Correction(None, None, None, None, len(verdicts), len(labelled), "Rogan–Gladen", ERRS_OTHERWISE)
    passes, right_passes = _effective([each for each in labelled if each.people], passed=True)
    fails, right_fails = _effective([each for each in labelled if not each.people], passed=False)
    # A case counts once, however many trials it had.
    return rogan_gladen(sum(shares), len(shares), right_passes, passes, right_fails, fails)


def _tell_enough(own: Sequence[Labelled]) -> bool:
    """Whether a candidate's own labels are enough to tell what people pass of either verdict of the grader."""
    passed = sum(each.grading.passed is True for each in own)
    return min(passed, len(own) - passed) >= LEAST_OWN


def _is_of(run: Run, labelled: Labelled) -> bool:
    """Whether a labelled transcript is the very trial that stands in this run."""
    item = labelled.item
    return (item.candidate, item.case, item.trial, item.turns, item.reference) in _graded_as(run)


@once_a_run
def _graded_as(run: Run) -> frozenset[Any]:
    return frozenset(
        (slot.candidate, slot.case, slot.number, subject.turns, subject.reference)
        for (slot, _), subject in zip(run.pairs, run.subjects, strict=True)
        if subject is not None
    )


def _effective(labelled: Sequence[Labelled], *, passed: bool) -> tuple[float, float]:
    """How many labels these come to, each weighed by how many trials it stands for, and how many the grader has right.

    As many as there are cases at most, since trials of a case are not independent, and fewer where the weights differ
    much (Kish 1965).
    """
    if not labelled:
        return 0.0, 0.0
    weights = [1 / each.item.inclusion for each in labelled]
    right = sum(weight for weight, each in zip(weights, labelled, strict=True) if each.grading.passed is passed)
    kish = sum(weights) ** 2 / sum(weight**2 for weight in weights)
    effective = min(kish, len({each.item.case for each in labelled}))
    return effective, effective * right / sum(weights)


def states_in_words(states: Mapping[str, int]) -> str:
    """What became of the trials that are not graded: '2 unscored, 1 error'; '' where all are."""
    return ", ".join(f"{states[name]} {name}" for name in ("unscored", "error", "not graded") if states.get(name))


def graded_trials(states: Mapping[str, int]) -> str:
    """How many trials were graded, of how many: '503 of 504 trials'."""
    return f"{states.get('graded', 0)} of {counted(sum(states.values()), 'trial')}"
