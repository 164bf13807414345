"""How an embedded grader marks: the parameters of its call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# What the client sends with every call.
_ALWAYS = {"seed", "max_tokens", "top_p", "max_retries", "stream", "response_format", "temperature"}


@dataclass(frozen=True)
class Hand:
    """A grader's hand: `strictness` -1 to 1 is taken off each inner score, `unsure` is the share of shaky verdicts.

    An inner score lies between 0 and 1. A shaky verdict moves one step up or down the menu, and stays where there is
    none; which ones do is drawn from the seed, the criterion and the golden answer, never from the transcript. With 0
    for both, the same messages get the same grades, whatever the seed.
    """

    strictness: float = 0.0
    unsure: float = 0.0

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Hand:
        """The hand that a call's parameters ask for; raises ValueError on one that it does not know."""
        known = {name: parameters[name] for name in cls.__dataclass_fields__ if name in parameters}
        unknown = sorted(parameters.keys() - known.keys() - _ALWAYS)
        if unknown:
            raise ValueError(
                f"an offline grader knows no parameter {', '.join(unknown)}; "
                f"known: {', '.join(cls.__dataclass_fields__)}"
            )
        hand = cls(**known)
        if not (-1 <= hand.strictness <= 1 and 0 <= hand.unsure <= 1):
            raise ValueError("an offline grader needs strictness -1 to 1 and unsure 0 to 1")
        return hand
