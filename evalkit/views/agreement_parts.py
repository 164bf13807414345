"""What `30_grader_agreement` shows of parts: criteria, strata, candidates, and the open slice beside the held-out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from evalkit import agreement_cards, boards, cards
from evalkit.cards import Card, brief
from evalkit.grading import Grading
from evalkit.measurement import Measurement, OnCriterion, Side
from evalkit.shown import counted, listed, number, with_interval
from evalkit.stats.agreement import Agreement
from evalkit.stats.errors_alike import ErrorsAlike, same_errors
from evalkit.tables import Run
from evalkit.views.agreement import ABOVE, found_of, where_measured
from evalkit.views.shootout import provenance

if TYPE_CHECKING:
    from great_tables import GT

# With fewer items than this, a figure of a part says little: its sign stands beside the count.
FEW = 20
NOTHING = "No held-out item was judged by people and by the grader yet, so nothing can be set side by side."
FEW_SIGN = "\u00a0°"
STATES = {"graded": "Graded", "unscored": "Unscored", "error": "Error", "not graded": "Not graded yet"}


@where_measured
def criterion_table(found: Measurement) -> GT:
    """Kappa on each criterion, plain and weighted by the declared scale, on the held-out items."""
    side, rubric = found.held_out, found.panel.rubric
    rows = [
        {"criterion": each.name, "n": _n(each.plain), "same": _same(each.plain), "plain": shown_kappa(each.plain)}
        | ({"linear": shown_kappa(each.linear), "quadratic": shown_kappa(each.quadratic)} if rubric.ordered else {})
        for each in side.criteria
    ]
    labels = {"criterion": "Criterion", "n": "Items / cases", "same": "Same verdict", "plain": "Kappa, plain"}
    scale = f"The menu: {', '.join(rubric.verdicts)}"
    if rubric.ordered:
        labels |= {"linear": "Kappa, linear", "quadratic": "Kappa, quadratic"}
        note = (
            f"{scale}, worst first. Plain: every other verdict is as wrong as any. Linear: one two steps away counts "
            "twice one that is next to it; quadratic: four times. "
        )
    else:
        note = f"{scale}, no scale, so nothing is weighted. "
    return boards.table(
        pl.DataFrame(rows), labels, stub="criterion", right=tuple(labels)[1:], note=f"{note}{_FEW_NOTE}"
    )


@where_measured
def criterion_grids(found: Measurement) -> Card:
    """Which verdict people gave and which the grader, a table a criterion."""
    return agreement_cards.side_by_side(_grid(each, found) for each in found.held_out.criteria)


@where_measured
def stratum_agreement(found: Measurement) -> GT | Card:
    """The agreement in each stratum of the held-out items."""
    return _parts(found.held_out.by_stratum, "stratum", "Stratum")


@where_measured
def candidate_agreement(found: Measurement) -> GT | Card:
    """The agreement on each candidate's held-out transcripts."""
    return _parts(found.held_out.by_candidate, "candidate", "Candidate")


@where_measured
def favours(found: Measurement) -> GT | Card:
    """Whether the grader errs on one candidate as it does on the others."""
    if not found.held_out.agreement.n:
        return cards.prose(NOTHING)
    tables = {name: [[int(n) for n in row] for row in side.table] for name, side in found.held_out.by_candidate.items()}
    if len(tables) < 2:
        return cards.prose("Fewer than two candidates have held-out labels, so none can be set against the others.")
    rows = [_favoured(each, tables[each.candidate]) for each in same_errors(tables)]
    return boards.table(
        pl.DataFrame(rows),
        {
            "candidate": "Candidate", "kept": "Of its passes, passed", "kept_others": "Of the others'",
            "caught": "Of its fails, failed", "caught_others": "Of the others' fails", "p": "p", "said": "Errs alike?",
        },
        stub="candidate",
        right=("kept", "kept_others", "caught", "caught_others", "p"),
        alarm="no",
        note="Passes and fails are people's. p: the lower of Fisher's two exact tests, corrected for how many there "
        "are (Holm); below 0.05 the grader treats this candidate differently. “No difference found” does not say that "
        "there is none: with few labels a large one stays unseen.",
    )  # fmt: skip


@where_measured
def slice_table(found: Measurement) -> GT:
    """The open items beside the held-out ones: what a rubric may be tuned on, and what decides."""
    rows = [
        {
            "side": side.name, "items": f"{side.items}\u00a0/\u00a0{side.cases}", "unrated": side.unrated,
            "undecided": side.undecided, "unread": side.unread + side.states["not graded"],
            "compared": side.agreement.n, **_figures(side),
        }
        for side in found.sides
    ]  # fmt: skip
    labels = {
        "side": "Slice", "items": "Items / cases", "unrated": "Nobody rated", "undecided": "People undecided",
        "unread": "No grader's verdict", "compared": "Compared", "raw": "Raw agreement", "kappa": "Kappa",
        "fails": "On fails",
    }  # fmt: skip
    return boards.table(
        pl.DataFrame(rows),
        labels,
        stub="side",
        digits=0,
        right=("items", "raw", "kappa", "fails"),
        note="Each item stands in one of the columns before “Compared” or in it. A kappa that is clearly higher on the "
        "open items than on the held-out ones is a sign that the rubric was fitted to what it was tuned on.",
    )


def left_out_table(run: Run) -> GT | Card:
    """What the grader made of each transcript, and why some have no verdict."""
    found = found_of(run)
    if isinstance(found, str):
        return cards.prose(ABOVE)
    columns = {
        "held_out": [each.grading for each in found.held_out.labelled],
        "open": [each.grading for each in found.open.labelled],
        "trials": [each for each in run.gradings if each is not None],
    }
    counts = {name: Counter(map(_state, gradings)) for name, gradings in columns.items()}
    kinds = sorted({kind for each in counts.values() for kind in each}, key=lambda kind: [*STATES].index(kind[0]))
    rows = [
        {"state": STATES[state], "why": brief(why, 120) or "–"}
        | {name: each[state, why] for name, each in counts.items()}
        for state, why in kinds
    ]
    total = {"state": "All", "why": "–"} | {name: len(each) for name, each in columns.items()}
    undecided = found.all.undecided
    return boards.table(
        pl.DataFrame([*rows, total]),
        {"state": "State", "why": "Why", "held_out": "Held-out labels", "open": "Open labels",
         "trials": "Trials of the run"},
        stub="state",
        digits=0,
        note="Unscored: a reply came, but no verdict could be read from it; neither a pass nor a fail. Besides, "
        f"{counted(undecided, 'labelled item')} {'is' if undecided == 1 else 'are'} left out since people have not "
        "decided.",
    )  # fmt: skip


def measured_grader(run: Run) -> Card:
    """Which grader was measured, by which rubric and labels, and what the run played."""
    found = found_of(run)
    if isinstance(found, str):
        return cards.stack([cards.prose("No grader was measured."), provenance(run)], empty="")
    panel, parts = found.panel, ", ".join(f"{name} {sha[:8]}" for name, sha in found.panel.identity.items())
    share = f"{100 * panel.rubric.audit:.0f} %"
    strong = f"; in doubt, and on {share} of the rest, {panel.strong.spec.model}" if panel.strong else ""
    sets = listed([f"{each.name} ({counted(len(each.items), 'item')}, source: {each.source})" for each in found.sets])
    said = [
        f"Grader {panel.fingerprint[:8]} ({parts}): {panel.cheap.spec.model}{strong}. Rubric {panel.rubric.name}, "
        f"criteria {listed(panel.rubric.criterion_names)}; a transcript passes where each of them does. Grades of the "
        f"series {found.series}.",
        f"Labels: {sets}; {found.held_out.cases} of the {counted(found.all.cases, 'case')} are held out, by a hash of "
        "their id.",
        *(f"The label set {each.name} says of itself: {each.about}" for each in found.sets if each.about),
    ]
    return cards.stack([cards.prose("\n\n".join(said)), provenance(run)], empty="")


def _state(grading: Grading) -> tuple[str, str]:
    # The kind of reason alone: what follows may quote a held-out transcript.
    return grading.state, grading.reason.partition(":")[0] if grading.state != "graded" else ""


_FEW_NOTE = f"{FEW_SIGN.strip()} fewer than {FEW} items: too few to lean on."


def _parts(sides: Mapping[str, Side], column: str, label: str) -> GT | Card:
    if not any(side.agreement.n for side in sides.values()):
        return cards.prose(NOTHING)
    rows = []
    # Where the grader goes wrong most often stands first.
    for name, side in sorted(sides.items(), key=lambda each: -sum(one.disputed for one in each[1].labelled)):
        (_, missed), (let_through, _) = side.table
        rows.append(
            {
                column: name,
                "n": _n(side.agreement),
                **_figures(side),
                "through": int(let_through),
                "strict": int(missed),
            }
        )
    return boards.table(
        pl.DataFrame(rows),
        {
            column: label, "n": "Items / cases", "raw": "Raw agreement", "kappa": "Kappa", "fails": "On fails",
            "through": "Let through", "strict": "Too strict",
        },
        stub=column,
        digits=0,
        right=("n", "raw", "kappa", "fails"),
        note="Held-out items, with 95 % intervals. Let through: people fail, the grader passes; too strict: the other "
        f"way round. {_FEW_NOTE} “Not measured”: one side used a single class, of which kappa says nothing.",
    )  # fmt: skip


def _figures(side: Side) -> dict[str, str]:
    kappa, beside = side.agreement, side.relatives
    return {
        "raw": with_interval(beside.raw.value, beside.raw.low, beside.raw.high),
        "kappa": shown_kappa(kappa),
        "fails": with_interval(beside.negative.value, beside.negative.low, beside.negative.high),
    }


def shown_kappa(found: Agreement | None) -> str:
    """A kappa with its interval as text; "not measured" where a side used one class."""
    if found is None or not found.measured:
        return "not measured"
    return with_interval(found.value, found.low, found.high)


def _n(found: Agreement) -> str:
    return f"{found.n}\u00a0/\u00a0{found.cases}{FEW_SIGN * (found.n < FEW)}"


def _same(found: Agreement) -> str:
    return f"{sum(row[at] for at, row in enumerate(found.table))} of {found.n}" if found.n else "–"


def _grid(each: OnCriterion, found: Measurement) -> Card:
    rubric = found.panel.rubric
    passing = [rubric.passes(verdict) for verdict in rubric.verdicts]
    return agreement_cards.crossed(each.name, each.plain.table, rubric.verdicts, passing=passing)


def _favoured(each: ErrorsAlike, table: list[list[int]]) -> dict[str, Any]:
    known = [p for p in (each.p_sensitivity, each.p_specificity) if p is not None]
    (tp, fn), (fp, tn) = table
    said = {True: "no: it is treated differently", False: "no difference found".capitalize(), None: "Not measured"}
    return {
        "candidate": each.candidate,
        "kept": f"{tp} of {tp + fn}",
        "kept_others": _share(each.others_sensitivity),
        "caught": f"{tn} of {fp + tn}",
        "caught_others": _share(each.others_specificity),
        "p": number(min(known), 3) if known else "–",
        "said": said[each.differs] + (f" ({each.reason})" if each.reason else ""),
    }


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f}\u00a0%"
