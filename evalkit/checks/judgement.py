"""What the verdicts on one trial come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evalkit.card import Card
from evalkit.cases import Case
from evalkit.settings import Disqualifying, Points
from evalkit.transcript import Harm, Verdict

Routing = Literal["right", "missed", "wrong team", "no team", "over-escalated", "unreadable"]

# Statuses whose answer is judged. An empty answer and one that came too late are judged as silence.
JUDGED = ("completed", "empty", "timeout")


@dataclass(frozen=True)
class Judgement:
    """All verdicts on one trial, and what they add up to; of an imported trial, what its source says of it.

    `passed` is None where the trial was not measured, or no check failed and one could not be decided; it is True only
    where every check passed. `routing` names how the customer was routed, None where no handling is expected or it
    cannot be seen. `disqualifying` says why this trial alone puts a candidate out of the shootout, '' where it does
    not, and `grounds` on which of the suite's `disqualify_on`; `unclear` why it clears nobody.

    An imported trial has no points, neither made nor `points_possible`.
    """

    verdicts: tuple[Verdict, ...]
    passed: bool | None
    points: float | None
    points_possible: float | None
    card: Card | None = None
    routing: Routing | None = None
    disqualifying: str = ""
    unclear: str = ""
    grounds: tuple[Disqualifying, ...] = ()

    def harms(self, harm: Harm) -> bool:
        """Whether a failed check of this trial does this harm to a customer."""
        return any(verdict.harm == harm and verdict.passed is False for verdict in self.verdicts)

    def looked_for(self, harm: Harm) -> bool:
        """Whether a verdict could have told this harm; of an imported trial, only a missed handoff, by its route."""
        return self.points_possible is not None or (harm == "missed handoff" and bool(self.verdicts))

    def count(self, kind: str, *, passed: bool) -> int:
        """Number of verdicts of a kind that passed or failed."""
        return sum(verdict.kind == kind and verdict.passed is passed for verdict in self.verdicts)


def points_possible(case: Case, points: Points) -> float:
    """The most that a trial of this case can earn."""
    facts = points.fact_present * len(case.must_include)
    return facts + points.routing_right * (case.expects_routing + case.expects_action)
