"""What `10_shootout` shows of grades: each candidate's graded pass rate, or why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from evalkit import boards, cards
from evalkit.cards import Card
from evalkit.graded_scores import GradedScore, cheap_against_strong, graded_scores, graded_trials, states_in_words
from evalkit.shown import counted
from evalkit.stats.audit import Disagreement
from evalkit.stats.correction import Correction
from evalkit.tables import Run
from evalkit.trust import trust_of

if TYPE_CHECKING:
    from great_tables import GT

EXAMPLE = (
    "The labels behind these figures are examples, written to show the workflow and not collected from people. "
    "Decide nothing by them."
)
NO_GRADER = "The run's shootout names no grader, so nothing here is graded: no tone, no correctness beyond the checks."


def graded_answer(run: Run) -> Card:
    """Whether the grader's verdicts count in this run, and what that rests on; else why none stands here."""
    if run.panel is None:
        return cards.prose(NO_GRADER)
    trust = trust_of(run)
    if not trust.trusted:
        return cards.headline(f"No graded score: {_first(trust.why)}", "note", "\n\n".join(trust.why[1:]), sign="–")
    marks = [cards.example_labels(EXAMPLE)] if trust.source == "example" else []
    return cards.stack([*marks, cards.prose(" ".join(trust.why))], empty="")


def graded_table(run: Run) -> GT | Card:
    """The share of trials that a trusted grader passes, raw and corrected for its measured error."""
    from great_tables import loc, style

    if run.panel is None or not trust_of(run).trusted:
        return cards.prose("No graded score stands here, for the reason above.")
    scores = graded_scores(run)
    whole = all(each.states.keys() <= {"graded"} for each in scores)
    rows = [
        {
            "candidate": each.candidate,
            "raw": boards.percent_with_interval(each.raw.value, each.raw.low, each.raw.high),
            "corrected": _corrected(each.corrected),
            "n": f"{counted(each.raw.n, 'case')}\n{graded_trials(each.states)}".replace(" ", "\u00a0"),
            "left": states_in_words(each.states) or "–",
            "alike": _alike(each),
        }
        for each in scores
    ]
    columns = {
        "candidate": "Candidate",
        "raw": "Passed by the grader",
        "corrected": "Corrected for its error",
        "n": "Graded",
        "left": "Not graded",
        "alike": "Does it err on it as on the others?",
    }
    board = boards.table(
        pl.DataFrame(rows, schema=list(columns)),
        labels={name: label for name, label in columns.items() if not (whole and name == "left")},
        stub="candidate",
        right=("raw", "corrected"),
        note=_note(scores, cheap_against_strong(run), whole=whole),
    )
    return board.tab_style(style.css("white-space: pre-line"), loc.body(columns=["corrected", "n"]))


def _first(why: tuple[str, ...]) -> str:
    return why[0][:1].lower() + why[0][1:] if why else "no agreement with people was measured."


def _corrected(found: Correction) -> str:
    if found.value is None:
        return found.reason if found.reason.startswith("not corrected") else f"not measured: {found.reason}"
    share = boards.percent_with_interval(found.value, found.low, found.high) + (" *" if found.clipped else "")
    own = found.method.startswith("post-stratified")
    labels = f"by {found.labelled:.0f} labels of its own" if own else f"by {found.labelled:.0f} labels of all †"
    return f"{share}\n{labels}".replace(" ", "\u00a0")


def _alike(score: GradedScore) -> str:
    if score.alike is None:
        return "no label is of it"
    return {True: "no", False: "no difference found", None: "not measured: too few labels"}[score.alike.differs]


def _note(scores: tuple[GradedScore, ...], cascade: Disagreement, *, whole: bool) -> str:
    found = [each.corrected for each in scores if each.corrected.value is not None]
    said = ["Shares are means over cases with 95 % intervals."]
    if any(each.method.startswith("post-stratified") for each in found):
        said.append(
            "Labels of its own: what people pass of the trials that the grader passes, and of those that it fails, "
            "each labelled trial weighed by how likely it was to be drawn."
        )
    if any(each.method == "Rogan–Gladen" for each in found):
        said.append(
            "† Too few labels are of its own trials: corrected by the grader's sensitivity and specificity on all "
            "candidates (Rogan–Gladen), as many labels as there are cases; the interval counts their error too."
        )
    if any(each.clipped for each in found):
        said.append("* The estimate lay outside 0 to 100 % and was cut.")
    if whole:
        said.append("Every completed trial was graded.")
    return " ".join([*said, _cascade(cascade), "Grades rank nobody: points, passes and safety come from checks alone."])


def _cascade(found: Disagreement) -> str:
    if found.value is None:
        return f"How often the cheap and the strong grader differ is not measured: {found.reason}."
    share = boards.percent_with_interval(found.value, found.low, found.high)
    return (
        f"The cheap and the strong grader differ on {share} of {counted(found.trials, 'transcript')}, estimated from "
        f"the {found.near} near the threshold and {found.audited} drawn at random beforehand."
    )
