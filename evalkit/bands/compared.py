"""The cases that a gate compares, as a sample draws them or as so many of each stratum."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evalkit.errors import CaseError
from evalkit.sampling import draw
from evalkit.suite import Suite


@dataclass(frozen=True)
class Compared:
    """The cases that a gate would compare: `cases` by their ids, or `most` of each stratum; all where both are None.

    `says` names them in a sentence.
    """

    says: str = "all cases of each stratum"
    cases: frozenset[str] | None = None
    most: int | None = None

    def of(self, ids: Sequence[str]) -> tuple[int, Collection[str] | None]:
        """How many of a stratum's cases are compared, and which, where that is known."""
        if self.cases is None:
            return len(ids) if self.most is None else min(self.most, len(ids)), None
        mine = frozenset(ids) & self.cases
        return len(mine), mine


def compared_by(suite: Suite, sample: str = "", m: int | None = None) -> Compared:
    """What a gate compares by a sample of suite.yaml's or, where `m` is given, so many cases of each stratum.

    Raises CaseError where m is less than 1, or the suite has no sample of that name or cannot draw it.
    """
    if m is not None:
        if m < 1:
            raise CaseError(f"m counts the cases of a stratum that are compared, at least 1; {m} is fewer")
        return Compared(f"{m} cases of each stratum, or all where it has fewer", None, m)
    if not sample:
        return Compared()
    if sample not in suite.settings.samples:
        known = ", ".join(suite.settings.samples) or "none"
        raise CaseError(f"suite.yaml has no sample {sample}; under `samples:` it has {known}")
    cases = frozenset(draw(suite, suite.settings.samples[sample]))
    return Compared(f"the sample “{sample}” of suite.yaml ({len(cases)} cases)", cases)


def usual(suite: Suite, sample: str, m: int, played: Collection[str]) -> Compared:
    """What a page compares by: the suite's sample of that name or, where cases of it were not played, m a stratum."""
    if sample in suite.settings.samples:
        drawn = compared_by(suite, sample)
        if drawn.cases and drawn.cases <= {*played}:
            return drawn
    return compared_by(suite, m=m)
