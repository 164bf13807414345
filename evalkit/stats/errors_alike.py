"""Whether a grader errs alike on each candidate: a correction measured on some does not hold for one it favours."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

LEAST_LABELS = 5


@dataclass(frozen=True)
class ErrorsAlike:
    """One candidate's sensitivity and specificity against those of all other candidates together.

    `p_sensitivity` and `p_specificity` are Fisher's exact p-values with Holm's correction over all that were tested;
    None where there are too few labels. `differs` is True where one is below 1 − confidence, None where none is and
    not both were tested: not measured, and `reason` says why. False says that no difference was found, not that there
    is none.
    """

    candidate: Hashable
    sensitivity: float | None
    specificity: float | None
    others_sensitivity: float | None
    others_specificity: float | None
    p_sensitivity: float | None
    p_specificity: float | None
    differs: bool | None
    reason: str


def same_errors(
    tables: Mapping[Hashable, Sequence[Sequence[int]]], confidence: float = 0.95
) -> tuple[ErrorsAlike, ...]:
    """A test for each candidate, in the order given, of whether the grader errs on it as on the others.

    Args:
        tables: for each candidate [[tp, fn], [fp, tn]]: people by grader, passes first. Each trial counts as
            independent of the others; trials of one case are not quite.
        confidence: between 0 and 1.

    Raises:
        ValueError: a table is not two by two whole counts.

    A side needs 5 labels of the candidate and 5 of the others to be tested.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, as 0.95 does; {confidence} does not")
    right: dict[Hashable, tuple[tuple[int, int], tuple[int, int]]] = {}
    for candidate, table in tables.items():
        cells = [count for row in table for count in row]
        if [len(row) for row in table] != [2, 2] or any(count < 0 or count % 1 for count in cells):
            raise ValueError(f"{candidate}: [[tp, fn], [fp, tn]] in whole counts is needed, not {table!r}")
        tp, fn, fp, tn = (int(count) for count in cells)
        right[candidate] = (tp, fn), (tn, fp)
    sides = {candidate: [_side(right, candidate, i) for i in (0, 1)] for candidate in right}
    tested = [(candidate, i) for candidate, pair in sides.items() for i in (0, 1) if pair[i][2] is not None]
    adjusted = dict(zip(tested, holm([sides[candidate][i][2] for candidate, i in tested]), strict=True))
    found = []
    for candidate, pair in sides.items():
        p = [adjusted.get((candidate, i)) for i in (0, 1)]
        known = [each for each in p if each is not None]
        differs = True if any(each < 1 - confidence for each in known) else False if len(known) == 2 else None
        own, others = ([side[i] for side in pair] for i in (0, 1))
        reason = "; ".join(side[3] for side in pair if side[3])
        found.append(ErrorsAlike(candidate, *own, *others, *p, differs, reason))
    return tuple(found)


def _side(
    right: Mapping[Hashable, tuple[tuple[int, int], tuple[int, int]]], candidate: Hashable, i: int
) -> tuple[float | None, float | None, float | None, str]:
    """Own and others' share of right verdicts on passes or fails, Fisher's p, and why there is none."""
    own = right[candidate][i]
    others = tuple(sum(pair[i][k] for name, pair in right.items() if name != candidate) for k in (0, 1))
    shares = [side[0] / sum(side) if sum(side) else None for side in (own, others)]
    short = [
        f"{whose} {sum(side)}" for whose, side in (("its", own), ("the others'", others)) if sum(side) < LEAST_LABELS
    ]
    if short:
        word = ("passes", "fails")[i]
        return *shares, None, f"human {word}: {' and '.join(short)} are too few, {LEAST_LABELS} are needed"
    from scipy.stats import fisher_exact

    return *shares, float(fisher_exact([own, others]).pvalue), ""


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values, in the order given, corrected for how many there are (Holm 1979).

    Example: holm([0.01, 0.04]) is [0.02, 0.04].
    """
    found, most = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        most = found[i] = min(1.0, max(most, (len(p_values) - rank) * p_values[i]))
    return found
