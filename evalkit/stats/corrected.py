"""A corrected pass rate, cut to 0 and 1 with what has to be said of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Correction:
    """A corrected pass rate. What is undefined is None, and `reason` says why.

    `n` counts the graded trials, `labelled` the labels. `clipped` says that the estimate lay outside 0 to 1 and was
    cut; `reason` gives it as it was.
    """

    value: float | None
    low: float | None
    high: float | None
    se: float | None
    n: float
    labelled: float
    method: str
    reason: str = ""
    clipped: bool = False


def z_value(confidence: float) -> float:
    """The normal quantile of a two-sided interval, 1.96 for 0.95."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, as 0.95 does; {confidence} does not")
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def corrected(
    value: float,
    se: float | None,
    n: float,
    labelled: float,
    method: str,
    confidence: float,
    middle: float | None = None,
    quantile: float | None = None,
) -> Correction:
    """The estimate and its interval around `middle`, both cut to 0 and 1, with what has to be said of it.

    The interval is normal, or that of another `quantile` of the standard error.
    """
    z, reasons = quantile or z_value(confidence), []
    # What lies outside by rounding alone is at the end.
    clipped = not -1e-12 <= value <= 1 + 1e-12
    if clipped:
        reasons.append(f"the estimate {value:.4f} lies outside 0 to 1 and was cut")
    low = high = None
    if se is None:
        reasons.append("too few labels for a standard error")
    elif se < 1e-12:
        se = None
        reasons.append("verdicts and labels show no spread, so no interval")
    else:
        centre = float(value if middle is None else middle)
        low, high = max(0.0, centre - z * se), min(1.0, centre + z * se)
        if low > high:
            low = high = None
            reasons.append("its whole interval lies outside")
    cut = min(1.0, max(0.0, float(value)))
    return Correction(cut, low, high, se, n, labelled, method, "; ".join(reasons), clipped)
