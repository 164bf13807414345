"""What `30_grader_agreement` shows first: whether the grader may be believed, and the figures that decide it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import polars as pl

from evalkit import agreement_cards, agreement_charts, cards
from evalkit.agreement_cards import Figure
from evalkit.cards import Card
from evalkit.errors import CaseError, NotMeasured
from evalkit.measurement import Measurement, Needed, measure
from evalkit.shown import counted, number
from evalkit.tables import Run
from evalkit.trust import trust_of
from evalkit.views.above import above

if TYPE_CHECKING:
    from altair import LayerChart

EXAMPLE = (
    "All figures of this page rest on labels that were written to show the workflow and were not collected from "
    "people. They say nothing of how far a grader may be believed, and no gate may rest on them."
)
ABOVE = "Not measured, for the reason that stands at the top of this page."
NO_GRADER = "The run's shootout names no `grader`, so no model graded its transcripts and there is none to measure."
_SAYS = {
    "trusted": ("good", "Trusted: the verdicts of {who} by the rubric {rubric} may be believed."),
    "example": ("note", "Trusted, but on example labels alone: {who} by the rubric {rubric}."),
    "not trusted": ("bad", "Not trusted: the verdicts of {who} by the rubric {rubric} do not count."),
    "not measured": ("warn", "Not measured: nobody can tell yet whether {who} may be believed by the rubric {rubric}."),
}
Given = ParamSpec("Given")
Shown = TypeVar("Shown")


def found_of(run: Run) -> Measurement | str:
    """The measurement of a run's grader, or the sentence that says why there is none."""
    try:
        found = measure(run)
    except NotMeasured:
        return f"No grader can be measured: {run.no_panel}. A shootout's key `grader` names a model and a rubric."
    except CaseError as error:
        return f"The labels do not fit the rubric. {error}"
    return found if found.sets else found.decision.reasons[0]


def where_measured(
    view: Callable[Concatenate[Measurement, Given], Shown],
) -> Callable[Concatenate[Run, Given], Shown | Card]:
    """A view of a measurement as one of a run, which says so where there is no grader or no label."""

    @wraps(view)
    def shown(run: Run, *given: Given.args, **more: Given.kwargs) -> Shown | Card:
        found = found_of(run)
        return cards.prose(ABOVE) if isinstance(found, str) else view(found, *given, **more)

    return shown


def trust_answer(run: Run) -> Card:
    """The decision on the grader, first and large, with what it rests on; under a mark where labels are an example."""
    found, shown = found_of(run), above(run)
    if isinstance(found, str):
        no_labels = "the labels cannot be used" if run.label_sets else "there are no labels to measure the grader by"
        what = "this run has no grader" if run.panel is None else no_labels
        return cards.stack([*shown, cards.headline(f"Not measured: {what}.", "warn", found)], empty="")
    if found.source == "example":
        shown.insert(0, agreement_cards.whole_page(cards.example_labels(EXAMPLE)))
    on_examples = found.source == "example" and found.decision.word == "trusted"
    tone, said = _SAYS["example" if on_examples else found.decision.word]
    rubric = found.panel.rubric.name
    detail = "\n\n".join(["\n".join(f"• {each}" for each in found.decision.reasons), _recorded(run, found)])
    said, sign = said.format(who=who_grades(found), rubric=rubric), "✓" if on_examples else ""
    answer = cards.headline(said, tone, detail, sign=sign)  # type: ignore[arg-type]
    return cards.stack([*shown, answer], empty="")


@where_measured
def trust_would_change(found: Measurement) -> Card:
    """What would change the decision on the grader."""
    return cards.prose("\n\n".join(_changes(found)))


@where_measured
def threshold_chart(found: Measurement) -> LayerChart:
    """The two figures that decide, each with its interval and its threshold."""
    side, least = found.held_out, found.thresholds
    kappa, negative, measured = side.agreement, side.relatives.negative, side.agreement.measured
    why = "" if measured else because(kappa.reason)
    rows = [
        {"name": "Kappa", "threshold": least.kappa_low, **_ends(kappa if measured else None), "n": kappa.n},
        {"name": "Agreement on fails", "threshold": least.negative_low, **_ends(negative if measured else None),
         "n": negative.n},
    ]  # fmt: skip
    schema = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    return agreement_charts.against_thresholds(
        pl.DataFrame([{**row, "why": why} for row in rows], schema_overrides=schema)
    )


@where_measured
def more_labels(found: Measurement) -> Card:
    """How many more held-out labels the decision needs."""
    kappa, fails = number(found.thresholds.kappa_low), number(found.thresholds.negative_low)
    both = f"The lower ends reach {kappa} (kappa) and {fails} (agreement on fails)"
    rows = [
        _needed(both, found.for_the_threshold, "The decision"),
        _needed("Kappa is known to within ±0.1", found.for_a_tenth, "A figure to compare months by"),
    ]
    return agreement_cards.figures(
        rows,
        heads=("What for", "Held-out labels needed", "Still missing"),
        note="Planned with the kappa and the share of fails measured so far (large-sample variance of Fleiss, "
        "Cohen & Everitt, 1969), so it shifts with them. Labels count where they are of held-out cases; those of "
        "the rarer class, passes or fails, help most.",
    )


def who_grades(found: Measurement) -> str:
    """The models that grade, as a sentence names them."""
    strong = found.panel.strong
    return f"{found.panel.cheap.spec.model}{f' (in doubt {strong.spec.model})' if strong else ''}"


def because(reason: str) -> str:
    """Why an agreement is undefined, with people and grader for its two raters."""
    return (
        reason.replace("rater a", "people")
        .replace("rater b", "the grader")
        .replace("both raters", "both sides")
        .replace("each rater", "each side")
        .replace("no pair", "nothing was judged by both")
    )


def _recorded(run: Run, found: Measurement) -> str:
    trust = trust_of(run)
    if trust.line is None:
        return (
            "Not recorded, so no report shows a graded score: "
            + " ".join(f"{why[0].lower()}{why[1:]}" for why in trust.why)
        )  # fmt: skip
    line = f"the line of {trust.line.date} (series {trust.line.series}) in labels/trust.jsonl says {trust.decision}"
    if trust.decision == found.decision.word:
        return f"Recorded: {line}."
    return f"The ledger says otherwise, and reports go by it: {line}. `evalkit agreement --record` records this page's."


def _changes(found: Measurement) -> Iterator[str]:
    word, side, least = found.decision.word, found.held_out, found.thresholds
    if word == "not measured":
        yield "It is measured once what stands above is mended; then the lower ends of both intervals decide."
    short = _short(found)
    if word == "not trusted":
        yield f"It would be trusted if {' and '.join(short)}."
        more = found.for_the_threshold
        if more.reason:
            yield f"As for kappa: {more.reason}; a clearer rubric or another grader may."
        elif more.more:
            yield f"If kappa stays where it is, about {counted(more.more, 'more held-out label')} would do for it."
        fails = side.relatives.negative.value
        if fails is not None and fails <= least.negative_low:
            yield "The agreement on fails itself is not above its threshold, so more labels alone do not help there."
    if word == "trusted":
        low, other = side.agreement.low or 0, side.relatives.negative.low or 0
        yield (
            f"It would be trusted no longer if kappa's lower end fell by more than {number(low - least.kappa_low)}, or "
            f"that of the agreement on fails by more than {number(other - least.negative_low)}: new labels may do that."
        )
    yield (
        "Whatever it says, it holds for this grader alone: with one letter of the rubric or the prompt changed, "
        "another model, other labels or other thresholds in suite.yaml, it is measured and recorded anew."
    )
    if found.source == "example":
        yield "Labels of your own raters replace the examples: once a set says `source: people`, they alone count."


def _short(found: Measurement) -> list[str]:
    """What the lower ends would have to do that they do not."""
    side, least = found.held_out, found.thresholds
    said = []
    for name, low, wanted in (
        ("kappa's lower end", side.agreement.low, least.kappa_low),
        ("the lower end of the agreement on fails", side.relatives.negative.low, least.negative_low),
    ):
        if low is not None and low < wanted:
            digits = 2 if number(low) != number(wanted) else 4
            said.append(f"{name} rose from {number(low, digits)} to {number(wanted, digits)}")
    return said


def _needed(name: str, found: Needed, about: str) -> Figure:
    if found.items is None:
        return Figure(name, f"{about}. Not told: {found.reason}.", "–", "–")
    return Figure(
        name, f"{about}. There are {found.have}.", str(found.items), str(found.more) if found.more else "none"
    )


def _ends(found: object) -> dict[str, float | None]:
    return {name: getattr(found, name, None) for name in ("value", "low", "high")}
