"""A measurement as lines of text: the decision first, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from evalkit.grading.panel import Panel
from evalkit.measurement.measuring import Measurement
from evalkit.measurement.needed import Needed
from evalkit.measurement.people import People
from evalkit.measurement.sides import OnCriterion, Side
from evalkit.shown import counted, listed, number, with_interval
from evalkit.stats.agreement import Agreement
from evalkit.stats.intervals import Interval

EXAMPLE = "EXAMPLE LABELS: written to show the workflow, not collected from people; no gate may rest on them"


def lines(measurement: Measurement) -> Iterator[str]:
    """The measurement for people; no transcript is in it."""
    decision, held_out = measurement.decision, measurement.held_out
    yield f"{decision.word}: {named(measurement.panel)}, by the rubric {measurement.panel.rubric.name}"
    if measurement.source == "example":
        yield EXAMPLE
    yield from (f"  {reason}" for reason in decision.reasons)
    yield ""
    yield from _side(held_out)
    yield from (_criterion(each) for each in held_out.criteria)
    yield ""
    yield from _people(held_out.people)
    raters = ", ".join(f"{name} {n}" for name, n in measurement.raters.items()) or "nobody yet"
    yield f"labels by rater, open ones too: {raters}"
    yield from (f"{side.name:20} {_kappa(side.agreement)}" for side in (measurement.open, measurement.all))
    yield ""
    yield f"to tell kappa to within ±0.1: {_needed(measurement.for_a_tenth)}"
    low = number(measurement.thresholds.kappa_low)
    yield f"for kappa's lower end to reach {low}: {_needed(measurement.for_the_threshold)}"
    yield (
        f"to read: {counted(len(measurement.to_read), 'open item')} on which people and the grader differ; "
        f"{measurement.hidden} held-out more, which nobody reads while the rubric is tuned"
    )


def named(panel: Panel) -> str:
    """The models of a panel, as text."""
    strong = f", in doubt {panel.strong.spec.model}" if panel.strong else ""
    return f"{panel.cheap.spec.model}{strong}"


def _side(side: Side) -> Iterator[str]:
    (both, missed), (let_through, agreed) = (map(int, row) for row in side.table)
    yield f"{side.name}: {counted(side.items, 'item')} of {counted(side.cases, 'case')}"
    yield f"{'':20} {'grader passes':>14} {'grader fails':>14}"
    yield f"{'  people pass':20} {both:>14} {missed:>14}"
    yield f"{'  people fail':20} {let_through:>14} {agreed:>14}"
    beside = side.relatives
    yield f"{'kappa':20} {_kappa(side.agreement)}"
    for name, share in (("raw agreement", beside.raw), ("on passes", beside.positive), ("on fails", beside.negative)):
        yield f"{name:20} {_share(share)}"
    for name, value in (("AC1", beside.ac1), ("PABAK", beside.pabak)):
        yield f"{name:20} {_plain(value)}"


def _criterion(found: OnCriterion) -> str:
    weighted = [
        f"{name} {with_interval(each.value, each.low, each.high)}"
        for name, each in (("linear", found.linear), ("quadratic", found.quadratic))
        if each is not None and each.measured
    ]
    return "; ".join([f"{found.name:20} {_kappa(found.plain)}", *weighted])


def _people(people: People) -> Iterator[str]:
    against = people.against_grader
    if against is None:
        yield "people among themselves: no two raters judged the same item"
        return
    best = people.pairs[0]
    yield f"{best.first} and {best.second} among themselves: {_kappa(best.agreement)}"
    alpha, raters = people.alpha, listed([*people.raters])
    yield f"all raters ({raters}): Krippendorff's alpha {_plain(alpha.value)} on {counted(alpha.n, 'item')}"
    if against.value is None:
        yield f"the grader against that: not measured ({against.reason})"
    else:
        yield (
            f"the grader's mean kappa with the two is {number(against.mean or 0)}; less theirs "
            f"{with_interval(against.value, against.low, against.high)}, n {against.n}"
        )


def _kappa(found: Agreement) -> str:
    if not found.measured:
        return f"not measured, n {found.n} ({_who(found.reason)})"
    undefined = f", {found.undefined} of {found.resamples} resamples undefined" if found.undefined else ""
    return (
        f"{with_interval(found.value, found.low, found.high)}, n {found.n} of {counted(found.cases, 'case')}{undefined}"
    )


def _who(reason: str) -> str:
    return reason.replace("rater a", "people").replace("rater b", "the grader").replace("both raters", "both sides")


def _share(found: Interval) -> str:
    said = f"{with_interval(found.value, found.low, found.high)}, n {found.n}"
    return f"{said} ({found.reason})" if found.reason else said


def _plain(value: float | None) -> str:
    return "not measured" if value is None else number(value)


def _needed(needed: Needed) -> str:
    if needed.items is None:
        return f"not told ({needed.reason})"
    return f"{needed.items} held-out labels, of which {needed.have} are there and {needed.more} missing"
