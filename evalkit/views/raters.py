"""What `30_grader_agreement` shows of people: how they agree with one another, and who labelled how much."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from evalkit import agreement_cards, boards, cards
from evalkit.agreement_cards import Figure
from evalkit.cards import Card
from evalkit.measurement import Measurement, People
from evalkit.shown import counted, listed, number, with_interval
from evalkit.stats.agreement import Agreement
from evalkit.views.agreement import because, where_measured
from evalkit.views.agreement_parts import shown_kappa

if TYPE_CHECKING:
    from great_tables import GT


@where_measured
def people_agreement(found: Measurement) -> Card:
    """How people agree with one another on the held-out items, and how the grader agrees with them."""
    people = found.held_out.people
    if not people.pairs:
        return cards.prose("No two raters judged the same held-out item, so nobody knows how far people agree.")
    note = "By whether a transcript passes. All on the same held-out items; intervals by a bootstrap over cases."
    heads = ("Who with whom", "Kappa (95 % interval)", "Counted over")
    table = agreement_cards.figures([*_people(people)], heads=heads, note=note)
    return cards.stack([table, *map(cards.prose, _ceiling(people))], empty="")


@where_measured
def rater_table(found: Measurement) -> GT | Card:
    """How many items each rater labelled, and when."""
    if not found.raters:
        return cards.prose("Nobody has given a verdict yet.")
    rows = []
    for name, n in found.raters.items():
        dates = [
            rating.date
            for each in found.labelled
            for rating in each.item.ratings
            if rating.rater == name and rating.verdicts
        ]
        sides = {side.name.replace("-", "_"): side.people.raters.get(name, 0) for side in (found.held_out, found.open)}
        rows.append({"rater": name, "n": n, **sides, "first": min(dates), "last": max(dates)})
    differ = sum(bool(each.item.differing) for each in found.labelled)
    waiting = sum(bool(each.item.undecided) for each in found.labelled)
    decided = f"the lead decided all but {waiting}" if waiting else "the lead decided each"
    return boards.table(
        pl.DataFrame(rows),
        {"rater": "Rater", "n": "Labels", "held_out": "Held out", "open": "Open", "first": "First", "last": "Last"},
        stub="rater",
        right=("first", "last"),
        digits=0,
        note=f"Raters gave different verdicts on {differ} of {counted(len(found.labelled), 'item')}"
        + (f"; {decided}." if differ else "."),
    )


def _people(people: People) -> Iterator[Figure]:
    for pair in people.pairs:
        yield _with(f"{pair.first} and {pair.second}", "People with one another.", pair.agreement)
    against = people.against_grader
    if against is None:
        return
    first, second = people.pairs[0].first, people.pairs[0].second
    about = "The grader with one person, before the lead decided anything."
    yield _with(f"The grader and {first}", about, against.first)
    yield _with(f"The grader and {second}", about, against.second)
    over = f"{counted(against.n, 'item')}, {counted(against.cases, 'case')}"
    if against.value is None:
        yield Figure("The grader less people", f"Not measured: {against.reason}.", "not measured", over)
    else:
        ends = with_interval(against.value, against.low, against.high)
        yield Figure("The grader less people", _less(against.low, against.high, against.mean or 0), ends, over)
    alpha, gaps = people.alpha, listed([*people.raters])
    value = "not measured" if alpha.value is None else number(alpha.value)
    why = f" Not measured: {alpha.reason}." if alpha.reason else ""
    about = f"Krippendorff's alpha of all raters ({gaps}), who need not have judged the same items.{why}"
    yield Figure("All people together", about, value, f"{counted(alpha.n, 'item')}, {alpha.ratings} ratings")


def _with(name: str, about: str, found: Agreement) -> Figure:
    why = "" if found.measured else f" Not measured: {_two(found.reason)}."
    return Figure(name, about + why, shown_kappa(found), f"{counted(found.n, 'item')}, {counted(found.cases, 'case')}")


def _two(reason: str) -> str:
    return (
        reason.replace("rater a", "the first").replace("rater b", "the second").replace("no pair", because("no pair"))
    )


def _less(low: float | None, high: float | None, mean: float) -> str:
    said = f"The grader's kappa with the two, {number(mean)} on average, less theirs with one another"
    if low is None or high is None:
        return f"{said}."
    if low > 0:
        return f"{said}: it agrees with them better than they do."
    return f"{said}: {'it agrees with them less well than they do' if high < 0 else 'no difference is told apart'}."


def _ceiling(people: People) -> Iterator[str]:
    against = people.against_grader
    top = against and against.ceiling
    if against is None or top is None or against.mean is None:
        return
    theirs = against.humans.value or 0
    said = (
        f"People's own {number(theirs)} is no ceiling for the grader. A single rater errs too; a grader without any "
        f"error would reach about {number(top)} with one of them (√{number(theirs)}, with independent errors and as "
        "many passes as fails), and 1 with the verdicts that the lead decided. "
    )
    if against.mean > top:
        said += "This grader lies above that: a sign that it was fitted to these raters, or errs as they do."
    elif against.mean > theirs:
        said += "That this grader lies above people's own is therefore no sign of a fault."
    yield said.strip()
