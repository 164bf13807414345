"""A signal: a family of phrases that speaks for handing a message to a person, and to which team."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Signal:
    """A family of phrases; `weight` is how much one of them speaks for a handoff, 0 to 1.

    A phrase inside one of `unless` is none: a lawyer by trade sues nobody.
    """

    name: str
    team: str
    weight: float
    phrases: re.Pattern[str]
    unless: re.Pattern[str] | None = None

    def stands_in(self, text: str) -> bool:
        """Whether a folded text holds one of the phrases that counts."""
        rest = self.unless.sub(" ", text) if self.unless else text
        return self.phrases.search(rest) is not None


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})", re.IGNORECASE)


def signal(name: str, team: str, weight: float, *phrases: str, unless: tuple[str, ...] = ()) -> Signal:
    """A signal whose phrases are these alternatives, on word beginnings and without regard to case."""
    return Signal(name, team, weight, _any(*phrases), _any(*unless) if unless else None)
