"""The pass rate behind a grader that errs: what people would pass, from what the grader passes and some labels.

Where the labels are a random part of the trials, `post_stratified` and `ppi` are the better estimates; where they
oversampled likely fails, `weighted_post_stratified`. Only where they come from elsewhere, or were balanced by class, is
it `rogan_gladen`, which takes for granted that the grader errs here as it did there: see `same_errors`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from evalkit.stats.corrected import Correction, corrected, z_value
from evalkit.stats.errors_alike import ErrorsAlike, same_errors

__all__ = [
    "Correction",
    "ErrorsAlike",
    "break_even",
    "lee_adjusted",
    "optimal_lambda",
    "post_stratified",
    "ppi",
    "rogan_gladen",
    "same_errors",
    "weighted_post_stratified",
]


def rogan_gladen(
    passed: float,
    n: float,
    right_passes: float,
    passes: float,
    right_fails: float,
    fails: float,
    confidence: float = 0.95,
) -> Correction:
    """(p + Sp − 1) / (Se + Sp − 1), with a standard error that counts the errors of p, of Se and of Sp.

    Args:
        passed, n: how many trials the grader passed, of how many. Counts may be effective ones, and fractions.
        right_passes, passes: of the labels where people pass, how many the grader passes too (Se), and all of them.
        right_fails, fails: of the labels where people fail, how many the grader fails too (Sp), and all of them.
        confidence: between 0 and 1.

    Raises:
        ValueError: counts that are impossible.

    Sources: Rogan & Gladen 1978; Lee et al. 2025 (arXiv 2511.21140).
    Example: rogan_gladen(157, 200, 57, 60, 24, 40).value is 0.70.
    """
    method, counts = "Rogan–Gladen", (passed, n, right_passes, passes, right_fails, fails)
    reason = _not_measured(*counts)
    if reason:
        return Correction(None, None, None, None, n, passes + fails, method, reason)
    theta, se = _rogan_gladen(passed / n, n, right_passes / passes, passes, right_fails / fails, fails)
    return corrected(theta, se, n, passes + fails, method, confidence)


def lee_adjusted(
    passed: float,
    n: float,
    right_passes: float,
    passes: float,
    right_fails: float,
    fails: float,
    confidence: float = 0.95,
) -> Correction:
    """Rogan and Gladen's estimate with an interval for small counts, in the style of Agresti and Coull.

    A pass and a fail more on each side of the labels keep a grader without a seen error from one without error; `se` is
    that of the shifted estimate. Arguments and errors are those of `rogan_gladen`. Source: Lee et al. 2025.
    """
    method, counts = "Rogan–Gladen, adjusted interval", (passed, n, right_passes, passes, right_fails, fails)
    reason = _not_measured(*counts)
    if reason:
        return Correction(None, None, None, None, n, passes + fails, method, reason)
    plain = _rogan_gladen(passed / n, n, right_passes / passes, passes, right_fails / fails, fails)[0]
    z = z_value(confidence)
    share, more = (passed + z * z / 2) / (n + z * z), n + z * z
    right, wrong = (right_passes + 1) / (passes + 2), (right_fails + 1) / (fails + 2)
    if right + wrong <= 1:
        return corrected(plain, None, n, passes + fails, method, confidence)
    theta, se = _rogan_gladen(share, more, right, passes + 2, wrong, fails + 2)
    shift = theta * right * (1 - right) / (passes + 2) - (1 - theta) * wrong * (1 - wrong) / (fails + 2)
    return corrected(plain, se, n, passes + fails, method, confidence, middle=theta + 2 * z * z * shift)


def break_even(sensitivity: float, specificity: float) -> float:
    """The true pass rate at which the grader's own is right: below it, it is too high, above it, too low.

    Example: break_even(0.95, 0.6) is 0.8889.
    """
    return (1 - specificity) / (2 - specificity - sensitivity)


def _not_measured(passed: float, n: float, right_passes: float, passes: float, right_fails: float, fails: float) -> str:
    for part, whole in ((passed, n), (right_passes, passes), (right_fails, fails)):
        if not 0 <= part <= whole < math.inf:
            raise ValueError(f"{part} of {whole} is impossible")
    if not n:
        return "no trial was graded"
    if not passes or not fails:
        return f"no label is a human {'fail' if passes else 'pass'}, so nothing tells what the grader makes of one"
    if right_passes / passes + right_fails / fails <= 1 + 1e-12:
        return "on the labels the grader tells passes from fails no better than chance"
    return ""


def _rogan_gladen(
    share: float, n: float, sensitivity: float, passes: float, specificity: float, fails: float
) -> tuple[float, float]:
    gain = sensitivity + specificity - 1
    theta = (share + specificity - 1) / gain
    variance = (
        share * (1 - share) / n
        + (1 - theta) ** 2 * specificity * (1 - specificity) / fails
        + theta**2 * sensitivity * (1 - sensitivity) / passes
    )
    return theta, math.sqrt(variance) / gain


def ppi(
    human: ArrayLike,
    grader_labelled: ArrayLike,
    grader_unlabelled: ArrayLike,
    lam: float | str = "optimal",
    confidence: float = 0.95,
) -> Correction:
    """The prediction-powered estimate λ · mean(grader, unlabelled) + mean(human − λ · grader, labelled).

    Args:
        human: what people said of the labelled trials, 0 or 1 each, shape (labelled,).
        grader_labelled: what the grader said of the same, in the same order.
        grader_unlabelled: what it said of all others, shape (unlabelled,).
        lam: how far the grader counts: 1, 0 for the labels alone, or "optimal" for the least estimated variance.
        confidence: between 0 and 1.

    Raises:
        ValueError: lengths differ; a verdict is not between 0 and 1.

    Sources: Angelopoulos et al. 2023; PPI++ (arXiv 2311.01453). The labels must be a random part of the trials.
    """
    y, f, rest = _verdicts(human), _verdicts(grader_labelled), _verdicts(grader_unlabelled)
    if y.size != f.size:
        raise ValueError(f"labels need both verdicts: {y.size} of people, {f.size} of the grader")
    if not y.size or not rest.size:
        why = "labelled and unlabelled trials are needed"
        return Correction(None, None, None, None, y.size + rest.size, y.size, "prediction-powered", why)
    factor = optimal_lambda(y, f, rest) if isinstance(lam, str) else lam
    value = factor * rest.mean() + (y - factor * f).mean()
    few = min(y.size, rest.size) < 2
    se = None if few else math.sqrt(factor**2 * rest.var(ddof=1) / rest.size + (y - factor * f).var(ddof=1) / y.size)
    return corrected(value, se, y.size + rest.size, y.size, f"prediction-powered, λ = {factor:.3f}", confidence)


def optimal_lambda(human: ArrayLike, grader_labelled: ArrayLike, grader_unlabelled: ArrayLike) -> float:
    """The λ between 0 and 1 of the least estimated variance; 0 where the grader shows no spread."""
    y, f, rest = _verdicts(human), _verdicts(grader_labelled), _verdicts(grader_unlabelled)
    if min(y.size, rest.size) < 2:
        return 0.0
    spread = rest.var(ddof=1) / rest.size + f.var(ddof=1) / f.size
    return float(np.clip(np.cov(y, f)[0, 1] / f.size / spread, 0, 1)) if spread > 0 else 0.0


def post_stratified(
    human: ArrayLike,
    grader_labelled: ArrayLike,
    grader: ArrayLike,
    confidence: float = 0.95,
    *,
    cases: Sequence[Hashable] | None = None,
    grader_cases: Sequence[Hashable] | None = None,
) -> Correction:
    """p · PPV + (1 − p)(1 − NPV): what people pass of what the grader passes, and of what it fails.

    Args:
        human, grader_labelled: both verdicts on each labelled trial, 0 or 1, shape (labelled,).
        grader: the grader's verdicts on the trials whose pass rate is asked for, shape (n,).
        confidence: between 0 and 1.
        cases, grader_cases: the case of each labelled trial, and of each graded one; without them each is its own.

    Raises:
        ValueError: lengths differ; a verdict is not 0 or 1.
    """
    y, f = _verdicts(human), _verdicts(grader_labelled)
    names = list(range(y.size)) if cases is None else list(cases)
    if not y.size == f.size == len(names):
        raise ValueError(f"labels need both verdicts and a case: {y.size}, {f.size} and {len(names)} are given")
    labelled = [(g, h, 1.0, name) for g, h, name in zip(f, y, names, strict=True)]
    return _by_verdict(grader, labelled, confidence, grader_cases, "post-stratified")


def weighted_post_stratified(
    grader: ArrayLike,
    labelled: Sequence[tuple[float, float, float, Hashable]],
    confidence: float = 0.95,
    grader_cases: Sequence[Hashable] | None = None,
) -> Correction:
    """`post_stratified` where some trials were likelier to be labelled than others (Hájek's estimate of PPV and NPV).

    Args:
        grader: the grader's verdicts on all N trials, 0 or 1.
        labelled: for each labelled trial the grader's verdict, people's verdict, its weight and its case. The weight is
            1 / its probability to be labelled; only its ratios to the others count.
        confidence: between 0 and 1.
        grader_cases: the case of each of the N trials; without it each is a case of its own.

    Raises:
        ValueError: a verdict is not 0 or 1; a weight is not above 0; lengths differ.

    With few labels the interval errs on the wide side: PPV and NPV spread at least as with one pass and one fail more
    (Agresti & Coull 1998), on as many labels as the weights are worth (Kish 1965) or cases there are, and the quantile
    is Student's t of the smaller of the two.
    """
    return _by_verdict(grader, labelled, confidence, grader_cases, "post-stratified, weighted", careful=True)


def _by_verdict(
    grader: ArrayLike,
    labelled: Sequence[tuple[float, float, float, Hashable]],
    confidence: float,
    grader_cases: Sequence[Hashable] | None,
    method: str,
    careful: bool = False,
) -> Correction:
    """The standard error is by linearisation: of both rates, summed by case, and of p by the gap between the rates."""
    verdicts = _verdicts(grader)
    f, y = (_verdicts([item[side] for item in labelled]) for side in (0, 1))
    weight = np.array([item[2] for item in labelled], dtype=float)
    names = list(range(verdicts.size)) if grader_cases is None else list(grader_cases)
    if len(names) != verdicts.size or any((each % 1).any() for each in (verdicts, f, y)):
        raise ValueError("each graded trial needs a case and each verdict is 0 or 1")
    if not (np.isfinite(weight) & (weight > 0)).all():
        raise ValueError("the weight of a label is 1 / its probability to be drawn, a number above 0")
    n, p = verdicts.size, float(verdicts.mean()) if verdicts.size else 0.0
    shares, means = (1 - p, p), [0.0, 0.0]
    pull, least, worth = np.zeros(y.size), 0.0, []
    for said in (0, 1):
        here = f == said
        if shares[said] and not here.any():
            reason = f"no labelled trial is one that the grader {('failed', 'passed')[said]}"
            return Correction(None, None, None, None, n, y.size, method, reason)
        if shares[said]:
            means[said] = float(np.average(y[here], weights=weight[here]))
            pull[here] = shares[said] * weight[here] * (y[here] - means[said]) / weight[here].sum()
            cases = {item[3] for item, inside in zip(labelled, here, strict=True) if inside}
            worth.append(min(weight[here].sum() ** 2 / (weight[here] ** 2).sum(), len(cases)))
            middle = (means[said] * worth[-1] + 1) / (worth[-1] + 2)
            least += shares[said] ** 2 * middle * (1 - middle) / worth[-1]
    if not n:
        return Correction(None, None, None, None, n, y.size, method, "no trial was graded")
    labels = _clustered(pull, [item[3] for item in labelled])
    rate = _clustered((verdicts - p) / n, names)
    gap = means[1] - means[0]
    value = p * means[1] + (1 - p) * means[0]
    if labels is None or rate is None:
        return corrected(value, None, n, y.size, method, confidence)
    if not careful:
        return corrected(value, math.sqrt(labels + gap**2 * rate), n, y.size, method, confidence)
    from scipy.special import stdtrit

    se = math.sqrt(max(labels, least) + gap**2 * rate)
    t = float(stdtrit(max(1.0, min(worth) - 1), (1 + confidence) / 2))
    return corrected(value, se, n, y.size, method, confidence, quantile=t)


def _clustered(pull: np.ndarray, cases: Sequence[Hashable]) -> float | None:
    """The variance of a sum of what each trial pulls, summed by case; None of fewer than two cases."""
    number: dict[Hashable, int] = {}
    case = [number.setdefault(name, len(number)) for name in cases]
    if len(number) < 2:
        return None
    return float((np.bincount(case, weights=pull) ** 2).sum()) * len(number) / (len(number) - 1)


def _verdicts(values: ArrayLike) -> np.ndarray:
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or not ((array >= 0) & (array <= 1)).all():
        raise ValueError("verdicts are 1 for a pass and 0 for a fail, in one row; leave out what has none")
    return array
