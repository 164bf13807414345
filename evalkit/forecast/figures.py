"""The figures of a forecast: a range of likely values, and what calls would take by it."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from evalkit.client import ModelSpec, price_known, usd_of
from evalkit.transcript import Usage

CHARACTERS_PER_TOKEN = 4
# Fewer stored trials than this say too little of how their answers' lengths spread.
ENOUGH = 5
NEWEST = 500


@dataclass(frozen=True)
class Range:
    """A likely value between a low and a high one."""

    low: float
    likely: float
    high: float

    @classmethod
    def total(cls, ranges: Iterable[Range | None]) -> Range | None:
        """The sum of all, their ends added up, which is wider than their sum would spread; None where one is."""
        found = list(ranges)
        if any(each is None for each in found):
            return None
        return cls(*(sum(getattr(each, end) for each in found) for end in ("low", "likely", "high")))


@dataclass(frozen=True)
class Forecast:
    """What the `trials` of one candidate that are still to be played would take; or what their customer would.

    `calls` is the likely number. Input tokens of a ticket follow from the characters that would be sent. `based_on` is
    the number of stored trials that tell how many of them a token has, how long an answer is, and how much a
    conversation takes; where it is 0 all are assumed. `usd` is None where the price is unknown. `role` is whose calls
    these are: the candidate's, or those of who plays the customer or grades.
    """

    candidate: str
    trials: int
    calls: int
    input_tokens: Range
    output_tokens: Range
    usd: Range | None
    based_on: int
    role: Literal["agent", "customer", "grader", "strong"] = "agent"

    @property
    def basis(self) -> str:
        """What the figures rest on, in words."""
        if self.role in ("grader", "strong"):
            return self._grades
        if self.based_on:
            return f"as in {self.based_on} stored trials of it, by their 10th and 90th percentiles"
        return "assumed: four characters a token, answers as short or as long as its limit allows"

    @property
    def _grades(self) -> str:
        if self.based_on:
            return f"as in {self.based_on} stored grades by it, by their 10th and 90th percentiles"
        return "assumed: four characters a token, and a sentence or two on each criterion"


def spread(tokens: Sequence[float], count: int) -> Range:
    """`count` times the mean of some, between as often their 10th and 90th percentile."""
    tenths = statistics.quantiles(tokens, n=10, method="inclusive")
    return Range(count * tenths[0], count * statistics.fmean(tokens), count * tenths[-1])


def cost(spec: ModelSpec, asked: Range, said: Range) -> Range | None:
    """What these tokens cost in US dollars; None where the price is unknown."""
    if not price_known(spec):
        return None
    ends = [
        usd_of(spec, Usage(round(getattr(asked, end)), round(getattr(said, end)))) for end in ("low", "likely", "high")
    ]
    return None if None in ends else Range(*ends)  # type: ignore[arg-type]
