"""Which transcripts to read first: where candidates, or trials of one candidate, come to different verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import pvariance
from typing import Literal

from evalkit.cases import Case
from evalkit.errors import ReportError
from evalkit.rows import Reading
from evalkit.tables import Run
from evalkit.transcript import HARMS, Harm

# What a case's verdicts come to: each case is one of these.
Kind = Literal["divided", "unsteady", "passed", "failed", "not compared"]
Verdict = Literal["failed", "passed", "harm", "disagree"]
DISAGREEING: tuple[Kind, ...] = ("divided", "unsteady")


@dataclass(frozen=True)
class Played:
    """All trials of one candidate on one case."""

    candidate: str
    readings: tuple[Reading, ...]

    @cached_property
    def verdicts(self) -> tuple[bool, ...]:
        """Whether each measured trial passed, in the order of their numbers."""
        return tuple(passed for each in self.readings if (passed := passed_of(each)) is not None)

    @property
    def share(self) -> Fraction | None:
        """The share of measured trials that passed; None where none was measured."""
        return Fraction(sum(self.verdicts), len(self.verdicts)) if self.verdicts else None

    @property
    def harms(self) -> tuple[Harm, ...]:
        """Each kind of harm that one of the trials did."""
        judged = [each.judgement for each in self.readings if each.judgement is not None]
        return tuple(harm for harm in HARMS if any(each.harms(harm) for each in judged))

    @property
    def harmed(self) -> int:
        """Number of trials that did harm."""
        return sum(harmful(each) for each in self.readings)

    @property
    def worst(self) -> Reading:
        """The trial worth reading: the first that disqualifies, else that harms, else that fails, else the first."""
        return min(self.readings, key=_mildness)


@dataclass(frozen=True)
class Comparison:
    """One case with the trials of every candidate; `found` is None where the case left the suite that judges."""

    case: str
    found: Case | None
    played: tuple[Played, ...]

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """The share of trials passed of each candidate that was measured."""
        return tuple(share for each in self.played if (share := each.share) is not None)

    @cached_property
    def kind(self) -> Kind:
        """What the verdicts come to.

        `divided`: candidates passed different shares of their trials; `unsteady`: the same share, but not all or none
        of them; `passed` and `failed`: every measured trial did; `not compared`: fewer candidates were measured than
        a comparison takes.
        """
        if not self.shares or (len(self.shares) < 2 <= len(self.played) and self.shares[0] in (0, 1)):
            return "not compared"
        if len(set(self.shares)) > 1:
            return "divided"
        return {Fraction(1): "passed", Fraction(0): "failed"}.get(self.shares[0], "unsteady")  # type: ignore[return-value]

    @property
    def disagrees(self) -> bool:
        """Whether candidates, or trials of one candidate, come to different verdicts."""
        return self.kind in DISAGREEING

    @cached_property
    def division(self) -> Fraction:
        """The variance of the shares passed over candidates: 1/4 where half of them always pass and half never."""
        return pvariance(self.shares) if self.shares else Fraction(0)

    @property
    def stratum(self) -> str:
        """The case's stratum, '' where it left the suite."""
        return self.found.stratum if self.found else ""


@dataclass(frozen=True)
class Selection:
    """The transcripts of a page: `shown`, case by case, are the first of `total` that were asked for.

    `comparisons` are the cases asked for, whatever their verdicts; `asked` says in words what was asked for, '' for
    all, and `every_trial` whether each trial is a transcript of its own.
    """

    run: Run
    comparisons: tuple[Comparison, ...]
    shown: tuple[tuple[Comparison, tuple[tuple[Played, Reading], ...]], ...]
    total: int
    asked: str
    every_trial: bool

    @property
    def count(self) -> int:
        """Number of transcripts shown."""
        return sum(len(transcripts) for _, transcripts in self.shown)


def comparisons(run: Run) -> tuple[Comparison, ...]:
    """Every case of a run, the most instructive first.

    Cases on which candidates disagree, those that divide them most first; then those on which only trials of one
    candidate do; then the rest. Among equals the one with more disqualifying, then with more harmful trials first.
    """
    by_case: dict[str, dict[str, list[Reading]]] = {}
    for each in run.readings:
        by_case.setdefault(each.slot.case, {}).setdefault(each.slot.candidate, []).append(each)
    compared = [
        Comparison(case, run.suite.by_id.get(case), tuple(Played(name, tuple(each)) for name, each in found.items()))
        for case, found in by_case.items()
    ]
    return tuple(sorted(compared, key=_least_instructive))


def most_divided(found: tuple[Comparison, ...]) -> tuple[Comparison, ...]:
    """The cases that divide the candidates most, all of them where several do so equally; none where none does."""
    divided = [each for each in found if each.kind == "divided"]
    most = max((each.division for each in divided), default=None)
    return tuple(each for each in divided if each.division == most)


def select(
    run: Run, *, case: str = "", candidate: str = "", stratum: str = "", verdict: str = "", limit: int = 60
) -> Selection:
    """The transcripts to show: one of each candidate and case, or every trial where a case is named.

    A case is shown with all of its candidates or not at all, but for one that alone is more than the limit.

    '' asks for all. `verdict`: `failed` (some trial did), `passed` (none failed), `harm` (some trial harmed) or
    `disagree` (candidates or trials on this case do). Raises ReportError for a name that the run does not have, an
    unknown verdict or a limit below 1.
    """
    found = comparisons(run)
    _known("case", case, [each.case for each in found])
    _known("candidate", candidate, [each["name"] for each in run.manifest["candidates"]])
    _known("stratum", stratum, sorted({each.stratum for each in found if each.stratum}))
    _known("verdict", verdict, list(_TESTS))
    if limit < 1:
        raise ReportError(f"limit is {limit}; show 1 transcript or more")
    asked_for = tuple(each for each in found if case in ("", each.case) and stratum in ("", each.stratum))
    chosen = []
    for each in asked_for:
        of_case = [
            (played, reading)
            for played in each.played
            if candidate in ("", played.candidate) and (not verdict or _TESTS[verdict](each, played))
            for reading in (played.readings if case else (played.worst,))
        ]
        if of_case:
            chosen.append((each, of_case))
    shown, left = [], limit
    for each, of_case in chosen:
        if shown and left < len(of_case):
            break
        shown.append((each, tuple(of_case[:left])))
        left -= len(of_case)
    given = {"case": case, "candidate": candidate, "stratum": stratum, "verdict": verdict}
    return Selection(
        run=run,
        comparisons=asked_for,
        shown=tuple(shown),
        total=sum(len(of_case) for _, of_case in chosen),
        asked=", ".join(f"{name} {value}" for name, value in given.items() if value),
        every_trial=bool(case),
    )


def passed_of(reading: Reading) -> bool | None:
    """Whether the trial passed; None where it was not measured."""
    return reading.judgement.passed if reading.judgement else None


def harmful(reading: Reading) -> bool:
    """Whether a failed check of the trial does harm to a customer."""
    return reading.judgement is not None and any(reading.judgement.harms(harm) for harm in HARMS)


_TESTS: dict[str, Callable[[Comparison, Played], bool]] = {
    "failed": lambda _, played: False in played.verdicts,
    "passed": lambda _, played: bool(played.verdicts) and all(played.verdicts),
    "harm": lambda _, played: played.harmed > 0,
    "disagree": lambda comparison, _: comparison.disagrees,
}


def _mildness(reading: Reading) -> int:
    passed = passed_of(reading)
    if passed is None:
        return 4
    if passed:
        return 3
    return 0 if reading.judgement and reading.judgement.disqualifying else 1 if harmful(reading) else 2


def _least_instructive(comparison: Comparison) -> tuple[int, Fraction, int, int]:
    rank = DISAGREEING.index(comparison.kind) if comparison.disagrees else len(DISAGREEING)
    trials = [reading for played in comparison.played for reading in played.readings]
    disqualifying = sum(bool(each.judgement and each.judgement.disqualifying) for each in trials)
    return rank, -comparison.division, -disqualifying, -sum(map(harmful, trials))


def _known(what: str, value: str, names: list[str]) -> None:
    if value and value not in names:
        some = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        raise ReportError(f"{what} is {value!r}; known are {some or 'none'}, or '' for all")
