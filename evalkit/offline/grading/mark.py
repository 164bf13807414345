"""A mark in the making: a score between 0 and 1, and what decided it."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter

_REASONS = 3
_LONGEST = 300


@dataclass
class Mark:
    """Where a criterion stands: it begins with what speaks for the agent, and faults put a lid on it.

    `grounds` say where it begins; they are a measure that is worth telling beside faults, or, where not `measured`,
    what is true of an agent without faults alone.
    """

    score: float
    grounds: str
    measured: bool = False
    faults: list[tuple[float, str]] = field(default_factory=list)

    def lid(self, most: float, fault: str) -> None:
        """A fault, and the highest score that it leaves."""
        self.faults.append((most, fault))

    @property
    def value(self) -> float:
        """The score under all lids."""
        return max(0.0, min([self.score, *(most for most, _ in self.faults)]))

    @property
    def reasoning(self) -> str:
        """What decided, in a sentence or two: the worst faults first, else what speaks for the agent."""
        worst = list(dict.fromkeys(fault for _, fault in sorted(self.faults, key=itemgetter(0))))[:_REASONS]
        parts = [*worst, self.grounds] if self.measured or not worst else worst
        # A tool's name may hold halves of characters, which nobody can send.
        said = "; ".join(parts).encode("utf-8", "replace").decode()[:_LONGEST].rstrip()
        return f"{said[:1].upper()}{said[1:]}."
