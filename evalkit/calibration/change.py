"""One month's agreement against an earlier one's: on the same transcripts where both months' grades are at hand."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evalkit.grading import grading_of
from evalkit.labels import subject_of_item
from evalkit.measurement.people import CLASSES, FAIL, PASS, in_words
from evalkit.shown import finite

if TYPE_CHECKING:
    from evalkit.calibration.months import Calibration, Month

PARTS = ("rubric", "model", "prompt")
# So many months back is compared: enough to see a slow drift, and few enough for an interval that covers them all.
MOST_COMPARED = 12
# Fewer than this share of a month's transcripts graded in both months are no picture of it.
LEAST_SHARED = 0.95
Moved = Literal["fallen", "risen", "none seen", "not comparable"]


@dataclass(frozen=True)
class Paired:
    """Kappa with people now less kappa before, over transcripts that were graded in both months.

    The interval is of a bootstrap over cases at `confidence`. `to_pass` and `to_fail` count the verdicts that changed,
    of `n`, and `changed` the cases in which any did. `value` is None where a side is not measured, and there is no
    interval where nothing varies; `reason` says why.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    cases: int
    to_pass: int
    to_fail: int
    changed: int
    confidence: float
    undefined: int
    resamples: int
    reason: str = ""

    @property
    def too_few(self) -> bool:
        """Whether so few cases changed that even all of them going one way would be chance, by the exact sign test.

        Of few changes a bootstrap sees little but themselves, and its interval is too narrow.
        """
        return 2 * 0.5**self.changed > 1 - self.confidence + 1e-12


@dataclass(frozen=True)
class Change:
    """The page's month against an earlier one.

    `parts` are what of the grader is another, `same_labels` whether both rest on the same labels. `paired` is None
    where the grades of one of them are not at hand, `why_unpaired` says why; then `moved` rests on whether the two 95 %
    intervals overlap.
    """

    since: str
    parts: tuple[str, ...]
    same_labels: bool
    paired: Paired | None
    why_unpaired: str
    moved: Moved


def changes_since(found: Calibration) -> tuple[Change, ...]:
    """The page's month against each of the last months before it that were measured, the last one first."""
    earlier = list(reversed(found.before))[:MOST_COMPARED]
    # Where both months' verdicts are at hand there may be a difference with an interval; all err together in 5 %.
    alike = sum(_fingerprint(each) == _fingerprint(found.now) or bool(_verdicts(found, each)) for each in earlier)
    confidence = 1 - 0.05 / max(1, alike)
    return tuple(_change(found, each, confidence) for each in earlier)


def paired(
    people: Sequence[Hashable],
    before: Sequence[Hashable],
    now: Sequence[Hashable],
    *,
    cases: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Paired:
    """Kappa of people and grader now, less that before, with the percentile interval of a bootstrap over cases.

    Args:
        people, before, now: "pass", "fail" or None for each transcript, shape (n,); those with a None are left out.
        cases: the case of each transcript; without it each is a case of its own.
        confidence, resamples, seed: of the interval.

    Raises:
        ValueError: lengths differ, or a verdict is neither.

    Example: with people and now ["pass", "fail"] and before ["fail", "pass"] the value is 1 − (−1) = 2.
    """
    import numpy as np

    from evalkit.stats.confusion import how_far_apart, kappas, one_class
    from evalkit.stats.resampling import bootstrap, coded

    said = coded([people, before, now], CLASSES, cases)
    apart, counts = how_far_apart(None, 2), said.by_case()
    whole = counts.sum(axis=0)

    def both(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cube = drawn.reshape(-1, 2, 2, 2)
        return cube.sum(axis=3), cube.sum(axis=2)

    then, here = (table[0] for table in both(whole))
    # The cube's cells: people, before, now, each 0 for a pass.
    cube = whole.reshape(2, 2, 2)
    to_pass, to_fail = int(cube[:, 1, 0].sum()), int(cube[:, 0, 1].sum())
    by_case = counts.reshape(-1, 2, 2, 2)
    changed = int((by_case[:, :, 1, 0] + by_case[:, :, 0, 1]).any(axis=1).sum())
    flips = {"to_pass": to_pass, "to_fail": to_fail, "changed": changed}
    shared = {"n": len(said.codes), "cases": said.cases, **flips, "confidence": confidence}
    reasons = [f"{name}: {why}" for name, table in (("before", then), ("now", here)) if (why := one_class(table))]
    if reasons:
        return Paired(None, None, None, **shared, undefined=0, resamples=0, reason="; ".join(reasons))

    def difference(drawn: np.ndarray) -> list[np.ndarray]:
        earlier, later = both(drawn)
        return [kappas(later, apart) - kappas(earlier, apart)]

    value = float(difference(whole[None])[0][0])
    (drawn,) = bootstrap(counts, difference, resamples, seed, confidence)
    reason = drawn.reason if changed else "no verdict changed"
    return Paired(
        value, drawn.low, drawn.high, **shared, undefined=drawn.undefined, resamples=drawn.resamples, reason=reason
    )


def _change(found: Calibration, before: Month, confidence: float) -> Change:
    now, line, earlier = found.now, found.now and found.now.line, before.line
    if now is None or line is None or earlier is None:
        raise ValueError(f"{before.month} and {found.month} are compared before both are measured")
    parts = tuple(part for part in PARTS if line.grader[part] != earlier.grader[part])
    same = line.labels["hash"] == earlier.labels["hash"]
    pair, why = _on_the_same(found, now, before, confidence)
    moved = _moved(pair) if pair is not None else _by_intervals(now, before) if same else "not comparable"
    return Change(before.month, parts, same, pair, why, moved)


def _fingerprint(month: Month | None) -> str | None:
    return month.line.grader["fingerprint"] if month is not None and month.line is not None else None


def _on_the_same(found: Calibration, now: Month, before: Month, confidence: float) -> tuple[Paired | None, str]:
    """The difference on the transcripts that both months graded; None and why where their grades are not at hand."""
    measurement = found.measurement
    if measurement is None:
        return None, "the run has no grader"
    held_out = measurement.held_out.in_order
    people, cases = [in_words(each.people) for each in held_out], [each.item.case for each in held_out]
    recorded = [_verdicts(found, each) for each in (before, now)]
    if all(recorded):
        return paired(people, *recorded, cases=cases, confidence=confidence), ""
    panel = measurement.panel
    if any(_fingerprint(each) != panel.fingerprint for each in (now, before)):
        return None, "the grader was another, whose grades are not at hand"
    subjects = [subject_of_item(each.item) for each in held_out]
    sides = [
        [in_words(grading_of(panel, subject, found.run.grades, each.month).passed) for subject in subjects]
        for each in (before, now)
    ]
    shared = sum(None not in pair for pair in zip(*sides, strict=True))
    if not shared or shared < LEAST_SHARED * now.kappa["n"]:
        return None, f"{shared} of {now.kappa['n']} transcripts have the grades of both months here"
    return paired(people, *sides, cases=cases, confidence=confidence), ""


def _verdicts(found: Calibration, month: Month | None) -> list[str | None]:
    """The grader's verdicts of a month on the held-out items, as its line keeps them; [] where they are of others."""
    measurement, line = found.measurement, month and month.line
    if measurement is None or not line or line.labels["hash"] != measurement.labels_hash:
        return []
    same = line.thresholds["held_out"] == measurement.thresholds.held_out
    letters = line.figures.get("verdicts", "")
    whole = same and len(letters) == len(measurement.held_out.in_order)
    return [{"p": PASS, "f": FAIL}.get(letter) for letter in letters] if whole else []


def _moved(pair: Paired) -> Moved:
    if pair.value is None:
        return "not comparable"
    if pair.low is None or pair.high is None:
        # Every resample shows the same difference: none, or one that no case varies.
        return "none seen" if abs(pair.value) < 1e-12 else "not comparable"
    if pair.too_few:
        return "none seen"
    return "risen" if pair.low > 0 else "fallen" if pair.high < 0 else "none seen"


def _by_intervals(now: Month, before: Month) -> Moved:
    ends = [finite(each.kappa[end]) for each in (now, before) for end in ("low", "high")]
    low, high, low_before, high_before = ends
    if low is None or high is None or low_before is None or high_before is None:
        return "not comparable"
    return "risen" if low > high_before else "fallen" if high < low_before else "none seen"
