"""Whether a grader may be believed: by what the held-out items show, and by thresholds for the interval's lower end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from evalkit.measurement.sides import Side
from evalkit.settings import Trust
from evalkit.shown import counted, number, with_interval

Word = Literal["trusted", "not trusted", "not measured"]
# Items without a verdict may be the hard ones; with more than this share of them left out, the rest tells too little.
MOST_LEFT_OUT = 0.05


@dataclass(frozen=True)
class Decision:
    """The decision on a grader, with every reason as a sentence."""

    word: Word
    reasons: tuple[str, ...]


def decide(side: Side, thresholds: Trust, series: str) -> Decision:
    """The decision that the held-out side allows.

    It is "not measured" where anything keeps the figures from telling, "trusted" where the lower ends of kappa and of
    the agreement on fails reach their thresholds, and else "not trusted".
    """
    gaps = tuple(_gaps(side, thresholds, series))
    if not side.states["graded"]:
        return Decision("not measured", gaps)
    kappa, negative, raw = side.agreement, side.relatives.negative, side.relatives.raw
    shown = f"Raw agreement is {with_interval(raw.value, raw.low, raw.high)} on {counted(raw.n, 'held-out item')}."
    figures: list[str] = []
    reached: list[bool] = []
    if kappa.measured and kappa.low is not None:
        over = f"{counted(kappa.n, 'held-out item')} of {counted(kappa.cases, 'case')}"
        said = f"Kappa with people is {with_interval(kappa.value, kappa.low, kappa.high)} on {over}"
        figures.append(_threshold(said, kappa.low, thresholds.kappa_low))
        reached.append(kappa.low >= thresholds.kappa_low)
    if kappa.measured and negative.low is not None:
        fails = sum(kappa.table[1]), kappa.table[0][1] + kappa.table[1][1]
        said = (
            f"Agreement on fails is {with_interval(negative.value, negative.low, negative.high)}, where people fail "
            f"{fails[0]} and the grader {fails[1]} of {counted(kappa.n, 'item')}"
        )
        figures.append(_threshold(said, negative.low, thresholds.negative_low))
        reached.append(negative.low >= thresholds.negative_low)
    if kappa.measured and len(reached) < 2:
        why = kappa.reason if kappa.low is None else negative.reason
        gaps += (f"An interval cannot be given: {why}.",)
    word: Word = "not measured" if gaps or len(reached) < 2 else "trusted" if all(reached) else "not trusted"
    return Decision(word, (*gaps, *figures, shown, *_left_out(side)))


def _gaps(side: Side, thresholds: Trust, series: str) -> Iterator[str]:
    """What keeps the figures from telling."""
    if not side.items:
        yield "No labelled item is of a held-out case, and trust rests on held-out cases alone."
        return
    if not side.decided:
        yield f"People have no verdict yet on any of the {counted(side.items, 'held-out item')}."
        return
    decided = len(side.decided)
    if waiting := side.states["not graded"]:
        yield (
            f"{waiting} of {counted(decided, 'held-out item')} {_are(waiting)} not graded yet (series {series}); "
            "`evalkit grade` goes on."
        )
    if _too_many(side.unread, decided):
        yield (
            f"The grader has no verdict on {side.unread} of {counted(decided, 'held-out item')} "
            f"({side.states['unscored']} unscored, {counted(side.states['error'], 'error')}); at most 5 % may be left "
            "out."
        )
    if _too_many(side.undecided, decided + side.undecided):
        yield (
            f"People have not decided {side.undecided} of the {counted(decided + side.undecided, 'held-out item')} "
            "that they rated; at most 5 % may be left out, since these are the hard ones."
        )
    if side.states["graded"]:
        yield from _one_sided(side, thresholds.least_rarer)


def _one_sided(side: Side, least: int) -> Iterator[str]:
    (both, missed), (let_through, agreed) = side.table
    passed, failed = int(both + missed), int(let_through + agreed)
    total = passed + failed
    for who, (pass_, fail), yes in (
        ("People", ("pass", "fail"), passed),
        ("The grader", ("passes", "fails"), int(both + let_through)),
    ):
        if yes in (0, total):
            said = f"{who} {pass_ if yes else fail} all of {counted(total, 'compared held-out item')}"
            yield f"{said}: with one class on a side, kappa measures nothing."
    rarer = min(passed, failed)
    if rarer < least:
        word = "fails" if failed <= passed else "passes"
        yield (
            f"Too few {word} to judge the grader: people pass {passed} and fail {failed} of the compared held-out "
            f"items, and of the rarer {least} are needed."
        )


def _left_out(side: Side) -> Iterator[str]:
    decided = len(side.decided)
    if side.unread and not _too_many(side.unread, decided):
        yield (
            f"{side.unread} of {counted(decided, 'held-out item')} {_are(side.unread)} left out: "
            "the grader has no verdict."
        )
    if side.undecided and not _too_many(side.undecided, decided + side.undecided):
        yield f"{counted(side.undecided, 'held-out item')} {_are(side.undecided)} left out: people have not decided."


def _threshold(said: str, low: float, least: float) -> str:
    # Two decimals may hide which of the two is the greater.
    digits = next((each for each in (2, 3, 4, 6) if (number(low, each) == number(least, each)) == (low == least)), 9)
    ends = f"its lower end, {number(low, digits)}, " * (digits > 2) or "its lower end "
    return f"{said}; {ends}{'reaches' if low >= least else 'must reach'} the threshold of {number(least, digits)}."


def _too_many(left_out: int, of: int) -> bool:
    return left_out > MOST_LEFT_OUT * of


def _are(number_of: int) -> str:
    return "is" if number_of == 1 else "are"
