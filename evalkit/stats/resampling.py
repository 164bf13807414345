"""What two or more raters said, as codes on one scale; and the bootstrap over the cases it was said of.

Trials of one case are not independent, so it is cases that are drawn again. Cases that hold the same counts cannot be
told apart: they are drawn together, from a multinomial distribution, which gives the same resamples faster.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

# Draws are made in blocks of about so many numbers, so that many cases need no more memory than few.
BLOCK = 2_000_000


@dataclass(frozen=True, eq=False)
class Coded:
    """Ratings as places on a scale: `codes` of shape (ratings kept, raters), `case` the number of each one's case.

    `left_out` counts what a rater left without a label.
    """

    codes: np.ndarray
    labels: tuple[Hashable, ...]
    case: np.ndarray
    left_out: int

    @property
    def cases(self) -> int:
        """How many cases they come from."""
        return int(self.case.max()) + 1 if self.case.size else 0

    def by_case(self) -> np.ndarray:
        """How often each combination of labels was given in each case, shape (cases, labels ** raters).

        The combination of the codes i, j is number i * labels + j, as in a table of one row after the other.
        """
        size = len(self.labels)
        cell = np.zeros(len(self.codes), dtype=np.int64)
        for column in self.codes.T:
            cell = cell * size + column
        counts = np.zeros((self.cases, size ** self.codes.shape[1]))
        np.add.at(counts, (self.case, cell), 1)
        return counts


def coded(
    raters: Sequence[Sequence[Hashable]], labels: Sequence[Hashable] | None, cases: Sequence[Hashable] | None
) -> Coded:
    """The labels of each rater as codes, without the ratings that one of them left out.

    Args:
        raters: for each rater its labels, all of one length; None where it gave none.
        labels: the declared scale in order; None for the labels that are seen, sorted.
        cases: the case of each rating; None where each is a case of its own.

    Raises:
        ValueError: lengths differ; a label is off the scale, is NaN, or is declared twice; a case is None.
    """
    columns = [list(rater) for rater in raters]
    length = len(columns[0])
    names = list(range(length)) if cases is None else list(cases)
    if any(len(column) != length for column in columns) or len(names) != length:
        raise ValueError(f"one label of each rater is needed, not {', '.join(str(len(each)) for each in columns)}"
                         f" labels of {len(names)} ratings")  # fmt: skip
    kept = [i for i in range(length) if all(column[i] is not None for column in columns)]
    seen = {column[i] for column in columns for i in range(length) if column[i] is not None}
    scale = scale_of(seen, labels)
    place = {label: code for code, label in enumerate(scale)}
    codes = np.array([[place[column[i]] for column in columns] for i in kept], dtype=np.int64)
    order: dict[Hashable, int] = {}
    number = np.array([order.setdefault(names[i], len(order)) for i in kept], dtype=np.int64)
    if None in order:
        raise ValueError("a rating without a case cannot be resampled; name the case of each")
    return Coded(codes.reshape(len(kept), len(columns)), scale, number, length - len(kept))


def scale_of(seen: set[Hashable], labels: Sequence[Hashable] | None) -> tuple[Hashable, ...]:
    """The declared labels, or where none are declared those seen, sorted. Errors are those of `coded`."""
    if any(label != label for label in seen):
        raise ValueError("NaN is no label; leave the rating out with None")
    if labels is None:
        try:
            return tuple(sorted(seen))  # type: ignore[type-var]
        except TypeError:
            return tuple(sorted(seen, key=lambda label: (type(label).__name__, str(label))))
    scale = tuple(labels)
    if len(set(scale)) != len(scale):
        raise ValueError(f"a label is declared twice in {', '.join(map(repr, scale))}")
    off = sorted(repr(label) for label in seen.difference(scale))
    if off:
        raise ValueError(f"{', '.join(off)} is not among the declared labels {', '.join(map(repr, scale))}")
    return scale


@dataclass(frozen=True)
class Resampled:
    """The percentile interval of one figure: None on both ends where the figure shows no spread or is undefined.

    `undefined` counts the resamples, of `resamples`, in which the figure has no value; the interval is of the rest.
    """

    low: float | None
    high: float | None
    undefined: int
    resamples: int
    reason: str = ""


def bootstrap(
    counts: np.ndarray,
    figures: Callable[[np.ndarray], Sequence[np.ndarray]],
    resamples: int,
    seed: int,
    confidence: float,
) -> list[Resampled]:
    """The percentile bootstrap over cases of several figures at once.

    Args:
        counts: what each case holds, shape (cases, cells).
        figures: from the summed counts of some resamples, shape (some, cells), one array of shape (some,) a figure,
            NaN where it is undefined.
        resamples: how many to draw; with 0 no interval is given, and the reason says so.
        seed: of numpy's default generator. The order of the cases plays no part.
        confidence: between 0 and 1.

    Raises:
        ValueError: a negative number of resamples, a confidence outside 0 to 1.
    """
    if not 0 < confidence < 1 or resamples < 0:
        raise ValueError(f"a confidence between 0 and 1 and resamples from 0 are needed, not {confidence}, {resamples}")
    drawn = [np.concatenate(parts) for parts in zip(*map(figures, _draws(counts, resamples, seed)), strict=True)]
    if not drawn:
        why = "no resamples, so no interval" if len(counts) else "no cases"
        return [Resampled(None, None, 0, 0, why)] * len(figures(counts.sum(axis=0, keepdims=True)))
    tail = (1 - confidence) / 2
    return [_percentile(values, tail, len(counts)) for values in drawn]


def _draws(counts: np.ndarray, resamples: int, seed: int) -> Iterator[np.ndarray]:
    if not len(counts):
        return
    rng = np.random.default_rng(seed)
    used = counts.any(axis=0)
    kinds, how_many = np.unique(counts[:, used], axis=0, return_counts=True)
    # From the last to the first: where each pair is a case, that is the order of the table, row by row.
    kinds, how_many = kinds[::-1], how_many[::-1]
    step = max(1, BLOCK // max(len(kinds), counts.shape[1]))
    for start in range(0, resamples, step):
        times = rng.multinomial(len(counts), how_many / len(counts), size=min(step, resamples - start))
        summed = np.zeros((len(times), counts.shape[1]))
        summed[:, used] = times.astype(float) @ kinds
        yield summed


def _percentile(values: np.ndarray, tail: float, cases: int) -> Resampled:
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    if not len(defined):
        return Resampled(None, None, undefined, len(values), "no resample has a value")
    # Equal figures can differ in their last bits; such a spread is none.
    if np.ptp(defined) <= 1e-12:
        why = "one case shows no spread" if cases == 1 else f"no spread over {cases} cases"
        return Resampled(None, None, undefined, len(values), why)
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Resampled(float(low), float(high), undefined, len(values))
