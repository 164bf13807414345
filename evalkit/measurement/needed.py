"""How many more held-out labels would settle the agreement, by what was measured so far."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from evalkit.errors import NotMeasured
from evalkit.measurement.sides import Side
from evalkit.settings import Trust
from evalkit.stats.labels_needed import labels_needed

HALF_WIDTH = 0.1


@dataclass(frozen=True)
class Needed:
    """The labelled items that an interval of kappa ± `half_width` takes, and how many there are; None with a reason."""

    half_width: float | None
    items: int | None
    have: int
    reason: str = ""

    @property
    def more(self) -> int | None:
        """How many are missing."""
        return None if self.items is None else max(0, self.items - self.have)


def for_a_tenth(side: Side) -> Needed:
    """The items that tell kappa to within 0.1, if it stays what it is."""
    return _needed(side, HALF_WIDTH)


def for_the_threshold(side: Side, thresholds: Trust) -> Needed:
    """The items with which both lower ends, of kappa and of the agreement on fails, reach their thresholds.

    That is if both stay what they are: kappa's end by `labels_needed`, the other's as it narrows with the square root
    of the items.
    """
    value, fails = side.agreement.value, side.relatives.negative
    if side.agreement.measured and value is not None and value <= thresholds.kappa_low:
        return Needed(None, None, side.agreement.n, "kappa itself is not above the threshold; more labels do not help")
    kappa = _needed(side, None if value is None else value - thresholds.kappa_low)
    if kappa.items is None or fails.value is None or fails.low is None:
        return kappa
    if fails.value <= thresholds.negative_low:
        said = "the agreement on fails itself is not above its threshold; more labels do not help"
        return Needed(None, None, side.agreement.n, said)
    narrower = (fails.value - fails.low) / (fails.value - thresholds.negative_low)
    return replace(kappa, items=max(kappa.items, math.ceil(side.agreement.n * narrower**2 - 1e-9)))


def _needed(side: Side, half_width: float | None) -> Needed:
    found = side.agreement
    if not found.measured or found.value is None or half_width is None:
        return Needed(half_width, None, found.n, "kappa is not measured yet")
    (_, missed), (let_through, agreed) = found.table
    share = (missed + let_through + 2 * agreed) / (2 * found.n)
    try:
        return Needed(half_width, labels_needed(found.value, share, half_width), found.n)
    except (NotMeasured, ValueError) as error:
        return Needed(half_width, None, found.n, str(error))
