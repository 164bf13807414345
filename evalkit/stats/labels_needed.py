"""How many labels tell a kappa to within so much, where both raters pass the same share and there are two classes.

The large-sample variance of kappa is Q/n with Q = (1−κ)[(1−κ)(1−2κ) + κ(2−κ)/(2p(1−p))] (Fleiss, Cohen & Everitt
1969; as in Stata's kapssi, STB-58). Few fails need many labels: kappa rests on the rarer class.
"""

from __future__ import annotations

import math

from evalkit.errors import NotMeasured
from evalkit.stats.corrected import z_value


def labels_needed(kappa: float, p: float, half_width: float = 0.1, confidence: float = 0.95) -> int:
    """The labelled trials for an interval of kappa ± `half_width`.

    With the distance between kappa and the threshold of a decision as `half_width`, it is what the decision needs.

    Args:
        kappa: the agreement that is expected, or was measured so far.
        p: the share of either class, between 0 and 1, on both sides.
        half_width: more than 0.
        confidence: between 0 and 1.

    Raises:
        NotMeasured: kappa is 1, where the formula sees no error at all and asks for no label.
        ValueError: p, half_width or confidence is out of its range; no table with p has this kappa.

    Example: labels_needed(0.6, 0.2) is 392.
    """
    spread = _spread(kappa, p, confidence)
    if not half_width > 0:
        raise ValueError(f"half the width of an interval is more than 0; {half_width} is not")
    return math.ceil(spread / half_width**2)


def half_width(kappa: float, p: float, n: float, confidence: float = 0.95) -> float:
    """Half the width of kappa's interval with n labelled trials. Arguments and errors are those of `labels_needed`.

    Example: half_width(0.6, 0.1, 200) is 0.188.
    """
    spread = _spread(kappa, p, confidence)
    if not n > 0:
        raise ValueError(f"labels are counted from 1; {n} are too few")
    return math.sqrt(spread / n)


def _spread(kappa: float, p: float, confidence: float) -> float:
    """z²Q."""
    z = z_value(confidence)
    if not 0 < p < 1:
        raise ValueError(f"a share of a class lies between 0 and 1; {p} does not")
    if kappa == 1:
        raise NotMeasured("a kappa of 1 shows no error to plan with; plan with a kappa a little below")
    rarer = min(p, 1 - p)
    if not -rarer / (1 - rarer) < kappa < 1:
        raise ValueError(f"no table in which both raters give a class to a share of {p} has a kappa of {kappa}")
    factor = (1 - kappa) * ((1 - kappa) * (1 - 2 * kappa) + kappa * (2 - kappa) / (2 * p * (1 - p)))
    return z**2 * factor
