"""What a gate compares: which cases are expected, which must pass, and which are on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from evalkit.changes import changes, must_pass_ids
from evalkit.errors import CaseError
from evalkit.gate.sides import Side
from evalkit.sampling import draw
from evalkit.settings import Sample
from evalkit.suite import Suite

if TYPE_CHECKING:
    from evalkit.changes import Change


@dataclass(frozen=True)
class Asked:
    """How a gate was asked: `today` and `commits` are those that deadlines and sign-offs are held against."""

    today: date | None = None
    release: bool = False
    commits: tuple[str, ...] = ()
    must_pass_only: bool = False


@dataclass(frozen=True)
class Scope:
    """Both sides, and what follows from their suites; `k` trials of a case pass together.

    `target` is the suite that the change is to be merged into, where it is known.
    """

    baseline: Side | None
    candidate: Side
    asked: Asked
    target: Suite | None = None

    @property
    def before(self) -> Suite | None:
        """The baseline's own suite."""
        return self.baseline.suite if self.baseline else None

    @property
    def after(self) -> Suite | None:
        """The candidate's suite, which judges both sides."""
        return self.candidate.suite

    @property
    def k(self) -> int:
        """How many trials strata are compared by: the baseline's, where the candidate has more."""
        return self.baseline.k if self.baseline else self.candidate.k

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What differs between the two suites and could change a verdict."""
        if self.before is None or self.after is None:
            return ()
        return tuple(changes(self.before, self.after, since=self.target))

    @cached_property
    def must_pass(self) -> frozenset[str]:
        """The cases that either side says must pass, where no amendment lifts it."""
        if self.after is None or (self.before is None and self.baseline is not None):
            sides = [side for side in (self.baseline, self.candidate) if side is not None]
            said = {each.case for side in sides for each in side.cases.values() if each.must_pass}
            return frozenset(said | {case.id for case in (self.after.active if self.after else ()) if case.must_pass})
        if self.before is None:
            return frozenset(case.id for case in self.after.active if case.must_pass)
        return frozenset(must_pass_ids(self.before, self.after, self.changes))

    @cached_property
    def sample(self) -> tuple[Sample | None, str]:
        """The sample that the candidate's run was to play, and what is wrong with it, '' where nothing is.

        A named one is the suite's, its seed among it, so that a run cannot choose its cases; any other holds all
        must-pass cases.
        """
        given = self.candidate.sample
        if given is None or self.after is None:
            return None, ""
        name, seed, drawn = given.get("name"), given.get("seed", 0), given.get("draw", 0)
        if name is None:
            return Sample(draw=drawn, seed=seed), ""
        known = self.after.settings.samples.get(name)
        if known is None:
            return Sample(draw=drawn, seed=seed), f"suite.yaml has no sample {name!r} any more"
        strata = None if given.get("strata") is None else tuple(given["strata"])
        played = (drawn, seed, given.get("must_pass"), strata)
        same = (known.draw, known.seed, known.must_pass, known.strata) == played
        return known, "" if same else f"suite.yaml's sample {name!r} is another than the one that was played"

    @cached_property
    def expected(self) -> tuple[str, ...]:
        """The cases that the candidate has to have played, in the order of their ids."""
        if self.after is None:
            return tuple(sorted({*self.candidate.cases} | self.must_pass))
        active = {case.id: case for case in self.after.active}
        sample = self.sample[0]
        try:
            # New cases take no other's place: else a change could push the old ones out of its own sample.
            known = None if self.before is None else {case.id for case in self.before.active}
            drawn = set(active if sample is None else draw(self.after, sample, known))
        except CaseError:
            drawn = set(active)
        # A flag that only the baseline still bears is not drawn by the candidate's suite.
        drawn |= {name for name in self.must_pass if name in active and not active[name].must_pass}
        return tuple(sorted(drawn))

    @cached_property
    def new(self) -> frozenset[str]:
        """The expected cases that the baseline's suite does not hold."""
        if self.before is None:
            return frozenset()
        held = {case.id for case in self.before.active}
        return frozenset(name for name in self.expected if name not in held)

    @cached_property
    def strata_before(self) -> frozenset[str]:
        """The strata that the baseline's suite has cases of."""
        return frozenset(case.stratum for case in self.before.active) if self.before else frozenset()

    @cached_property
    def absent(self) -> tuple[str, ...]:
        """The expected cases that the candidate's side lacks."""
        return tuple(name for name in self.expected if name not in self.candidate.cases)

    @cached_property
    def absent_before(self) -> tuple[str, ...]:
        """The expected cases that the baseline's side lacks though they are not new."""
        held = self.baseline.cases if self.baseline else {}
        return tuple(name for name in self.expected if name not in held and name not in self.new)

    @cached_property
    def strata(self) -> Mapping[str, tuple[str, ...]]:
        """The cases compared by stratum: expected and on both sides; a stratum without any is empty."""
        found: dict[str, list[str]] = {name: [] for name in self.all_strata}
        for name in self.expected if self.baseline else ():
            if name in self.candidate.cases and name in self.baseline.cases and name not in self.new:
                found[self.candidate.cases[name].stratum].append(name)
        return {name: tuple(found[name]) for name in sorted(found)}

    @cached_property
    def all_strata(self) -> frozenset[str]:
        """The strata that either side has, without those that the sample leaves out."""
        sides = [side for side in (self.baseline, self.candidate) if side is not None]
        names = {each.stratum for side in sides for each in side.cases.values()}
        names |= {case.stratum for case in self.after.active} if self.after else set()
        sample = self.sample[0]
        left_out = set() if sample is None or sample.strata is None else names - {*sample.strata}
        # One that was asked for all the same is looked at.
        return frozenset(names - left_out | {self.stratum_of(name) for name in self.expected})

    def stratum_of(self, case: str) -> str:
        """A case's stratum, by the suite that judges."""
        if self.after is not None and case in self.after.by_id:
            return self.after.by_id[case].stratum
        for side in (self.candidate, self.baseline):
            if side is not None and case in side.cases:
                return side.cases[case].stratum
        return ""

    @property
    def compares(self) -> bool:
        """Whether strata are compared at all."""
        return self.baseline is not None and not self.asked.must_pass_only
