"""Places in a ranking, with ties shown as ties."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalkit.errors import NotMeasured

TOLERANCE = 1e-9


def competition_ranks(scores: Sequence[float]) -> list[str]:
    """The place of each score, in the order given: the highest is "1", and equals share one: "2=", "2=", "4".

    Scores are equal within 1e-9 of the best of their place, so that rounding parts no tie.

    Raises:
        NotMeasured: a score is None, NaN or infinite; rank what was measured.
    """
    if any(score is None or not math.isfinite(score) for score in scores):
        raise NotMeasured("a score that was not measured has no place in a ranking")
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    tied: list[list[int]] = []
    for i in order:
        if tied and scores[tied[-1][0]] - scores[i] <= TOLERANCE:
            tied[-1].append(i)
        else:
            tied.append([i])
    ranks = [""] * len(scores)
    place = 1
    for group in tied:
        for i in group:
            ranks[i] = f"{place}=" if len(group) > 1 else f"{place}"
        place += len(group)
    return ranks
