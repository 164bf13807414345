"""What is read beside kappa: raw and specific agreement, AC1, PABAK, pi, alpha, and what the margins do to kappa."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from evalkit.stats.confusion import OVER_CASES, most_unseen
from evalkit.stats.intervals import Interval, wilson
from evalkit.stats.resampling import Resampled, bootstrap, coded


@dataclass(frozen=True)
class Relatives:
    """What is read beside kappa. None is undefined; `reason` says why for the figures of two classes.

    `raw` is the share of pairs on which the raters agree; `positive` and `negative` the share of what either called
    so that both did: twice the common ones over the sum of both. `undefined` counts the resamples without a positive
    and without a negative. `counts_a` and `counts_b` say how often each used each of `labels`.
    """

    raw: Interval
    ac1: float | None
    ac1_se: float | None
    pabak: float | None
    scott_pi: float | None
    alpha2: float | None
    kappa_max: float | None
    prevalence_index: float | None
    bias_index: float | None
    positive: Interval
    negative: Interval
    undefined: tuple[int, int]
    labels: tuple[Hashable, ...]
    counts_a: tuple[int, ...]
    counts_b: tuple[int, ...]
    n: int
    cases: int
    left_out: int
    reason: str


def relatives(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    *,
    labels: Sequence[Hashable] | None = None,
    cases: Sequence[Hashable] | None = None,
    positive: Hashable = None,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Relatives:
    """Raw and specific agreement, Gwet's AC1 with its standard error, PABAK, Scott's pi, alpha, and two indices.

    Arguments and errors are those of `kappa`. `positive` is the class whose agreement is the positive one. Without it
    True is; other labels have none, since a guess could take the agreement on passes for that on fails.

    Sources: Gwet 2008 (AC1), Byrt, Bishop & Carlin 1993 (PABAK, indices), Cicchetti & Feinstein 1990 (specific
    agreement). `alpha2` is Krippendorff's alpha of two raters without gaps.
    """
    pairs = coded([a, b], labels, cases)
    size, counts, n = len(pairs.labels), pairs.by_case(), len(pairs.codes)
    table = counts.sum(axis=0).reshape(size, size)
    agreed = int(table.trace())
    if positive is not None and positive not in pairs.labels:
        raise ValueError(f"{positive!r} is not among the labels {', '.join(map(repr, pairs.labels))}")
    wanted = True if positive is None else positive
    reason = "" if n else "no pair"
    if size != 2:
        reason = reason or f"two classes are needed; there {'is' if size == 1 else 'are'} {size}"
    elif wanted not in pairs.labels:
        reason = reason or "say which class is the positive one"
    specific, undefined, prevalence, bias = [Interval(None, None, None, 0, OVER_CASES, reason)] * 2, (0, 0), None, None
    if not reason:
        yes = pairs.labels.index(wanted)
        specific, undefined = _specific(counts, (yes, 1 - yes), pairs.labels, resamples, seed, confidence)
        prevalence = float(table[yes, yes] - table[1 - yes, 1 - yes]) / n
        bias = float(table[yes, 1 - yes] - table[1 - yes, yes]) / n
    return Relatives(
        raw=wilson(agreed, n, confidence),
        **_chance_corrected(table),
        prevalence_index=prevalence,
        bias_index=bias,
        positive=specific[0],
        negative=specific[1],
        undefined=undefined,
        labels=pairs.labels,
        counts_a=tuple(int(count) for count in table.sum(axis=1)),
        counts_b=tuple(int(count) for count in table.sum(axis=0)),
        n=n,
        cases=pairs.cases,
        left_out=pairs.left_out,
        reason=reason,
    )


def _chance_corrected(table: np.ndarray) -> dict[str, float | None]:
    """AC1, PABAK, pi, alpha and the largest kappa that the margins allow; None where there is no pair or 0/0."""
    found: dict[str, float | None] = dict.fromkeys(("ac1", "ac1_se", "pabak", "scott_pi", "alpha2", "kappa_max"))
    size, n = len(table), float(table.sum())
    if not n:
        return found
    share = table / n
    rows, columns, seen = share.sum(axis=1), share.sum(axis=0), float(share.trace())
    use = (rows + columns) / 2
    if size > 1:
        found["pabak"] = (seen - 1 / size) / (1 - 1 / size)
        found["ac1"], found["ac1_se"] = _ac1(table, use)
    chance = float((use**2).sum())
    if (use > 0).sum() > 1:
        more = 1 / (2 * n)
        found["scott_pi"] = (seen - chance) / (1 - chance)
        found["alpha2"] = ((1 - more) * seen + more - chance) / (1 - chance)
        by_chance = float(rows @ columns)
        found["kappa_max"] = float((np.minimum(rows, columns).sum() - by_chance) / (1 - by_chance))
    return found


def _ac1(table: np.ndarray, use: np.ndarray) -> tuple[float, float | None]:
    """Gwet's AC1 and its standard error, from how far each pair pulls the estimate (Gwet 2008)."""
    size, n = len(table), table.sum()
    chance = float((use * (1 - use)).sum()) / (size - 1)
    value = (float(table.trace()) / n - chance) / (1 - chance)
    mine = ((1 - use)[:, None] + (1 - use)) / 2 / (size - 1)
    pull = (np.eye(size) - chance) / (1 - chance) - 2 * (1 - value) * (mine - chance) / (1 - chance)
    if n < 2:
        return float(value), None
    return float(value), math.sqrt(float((table * (pull - value) ** 2).sum())) / float(n)


def _specific(
    counts: np.ndarray,
    classes: tuple[int, int],
    labels: Sequence[Hashable],
    resamples: int,
    seed: int,
    confidence: float,
) -> tuple[list[Interval], tuple[int, int]]:
    """The agreement on each class of two, and how many resamples had none of it."""

    def shares(drawn: np.ndarray) -> list[np.ndarray]:
        tables = drawn.reshape(-1, 2, 2)
        both, either = tables.diagonal(axis1=1, axis2=2), tables.sum(axis=1) + tables.sum(axis=2)
        with np.errstate(invalid="ignore"):
            return [np.where(either[:, c] > 0, 2 * both[:, c] / either[:, c], np.nan) for c in classes]

    values = shares(counts.sum(axis=0, keepdims=True))
    drawn = bootstrap(counts, shares, resamples, seed, confidence)
    intervals = []
    for c, (value,), found in zip(classes, values, drawn, strict=True):
        said = np.delete(counts, 3 * (1 - c), axis=1)
        n, cases = int(said.sum()), int(said.any(axis=1).sum())
        if not n:
            found = Resampled(None, None, found.undefined, found.resamples, f"neither rater said {labels[c]!r}")
            intervals.append(Interval(None, None, None, 0, OVER_CASES, found.reason))
        elif value in (0, 1) and resamples:
            # Both called so in all or in none of the cases that either did: the exact bound on that share of cases.
            share = most_unseen(cases, confidence)
            low, high = (0.0, _of_both(share)) if value == 0 else (_of_both(1 - share), 1.0)
            intervals.append(Interval(float(value), low, high, n, f"exact bound over {cases} cases"))
        else:
            intervals.append(Interval(float(value), found.low, found.high, n, OVER_CASES, found.reason))
    return intervals, (drawn[0].undefined, drawn[1].undefined)


def _of_both(share: float) -> float:
    """The specific agreement where of the pairs that either called so, both did in such a share."""
    return 2 * share / (1 + share)
