"""What `10_shootout` shows of grades: each candidate's graded pass rate, or why there is none."""

from __future__ import annotations

import polars as pl

from evalkit import boards, cards
from evalkit.cards import Card
from evalkit.graded_scores import GradedScore, cheap_against_strong, graded_scores, graded_trials, states_in_words
from evalkit.shown import counted
from evalkit.stats.audit import Disagreement
from evalkit.stats.correction import Correction
from evalkit.tables import Run
from evalkit.trust import trust_of

EXAMPLE = (
    "The labels behind these figures are examples, written to show the workflow and not collected from people. "
    "Decide nothing by them."
)
NO_GRADER = "The run's shootout names no grader, so nothing here is graded: no tone, no correctness beyond the checks."


def graded_table(run: Run) -> Card:
    """The share of trials that a trusted grader passes, raw and corrected for its measured error; else why not."""
    if run.panel is None:
        return cards.prose(NO_GRADER)
    trust = trust_of(run)
    if trust.decision != "trusted":
        return cards.headline(f"No graded score: {_first(trust.why)}", "note", "\n\n".join(trust.why[1:]), sign="–")
    scores = graded_scores(run)
    rows = [
        {
            "candidate": each.candidate,
            "raw": boards.percent_with_interval(each.raw.value, each.raw.low, each.raw.high),
            "corrected": _corrected(each.corrected),
            "n": f"{counted(each.raw.n, 'case')}, {graded_trials(each.states)}",
            "left": states_in_words(each.states) or "–",
            "alike": _alike(each),
        }
        for each in scores
    ]
    board = boards.table(
        pl.DataFrame(rows, schema=["candidate", "raw", "corrected", "n", "left", "alike"], orient="row"),
        labels={
            "candidate": "Candidate",
            "raw": "Passed by the grader",
            "corrected": "Corrected for its error",
            "n": "Graded",
            "left": "Not graded",
            "alike": "Errs on it as on the others",
        },
        stub="candidate",
        right=("raw", "corrected"),
        note=f"{_method(scores)} {_cascade(cheap_against_strong(run))} Shares are means over cases with 95 % "
        "intervals. Grades rank nobody: points, passes and disqualification come from checks alone.",
    )
    marks = [cards.example_labels(EXAMPLE)] if trust.source == "example" else []
    return cards.stack([*marks, cards.prose(" ".join(trust.why)), Card(board.as_raw_html())], empty="")


def _first(why: tuple[str, ...]) -> str:
    return why[0][:1].lower() + why[0][1:] if why else "no agreement with people was measured."


def _corrected(found: Correction) -> str:
    if found.value is None:
        return found.reason if found.reason.startswith("not corrected") else f"not measured: {found.reason}"
    labels = f", {found.labelled:.0f} labels"
    return boards.percent_with_interval(found.value, found.low, found.high) + labels + (" *" if found.clipped else "")


def _alike(score: GradedScore) -> str:
    if score.alike is None:
        return "no label is of it"
    return {True: "no", False: "no difference found", None: "not measured: too few labels"}[score.alike.differs]


def _method(scores: tuple[GradedScore, ...]) -> str:
    methods = {each.corrected.method for each in scores if each.corrected.value is not None}
    said = []
    if any(method.startswith("post-stratified") for method in methods):
        said.append(
            "Corrected by what people pass of the trials that the grader passes, and of those that it fails, each "
            "labelled trial weighed by how likely it was to be drawn from this run."
        )
    if "Rogan–Gladen" in methods:
        said.append(
            "Corrected by the grader's sensitivity and specificity on labels of other trials (Rogan–Gladen); the "
            "interval counts their error too."
        )
    if any(each.corrected.clipped for each in scores):
        said.append("* The estimate lay outside 0 to 100 % and was cut.")
    return " ".join(said)


def _cascade(found: Disagreement) -> str:
    if found.value is None:
        return f"How often the cheap and the strong grader differ is not measured: {found.reason}."
    share = boards.percent_with_interval(found.value, found.low, found.high)
    return (
        f"The cheap and the strong grader differ on {share} of {counted(found.trials, 'transcript')}, estimated from "
        f"the {found.near} near the threshold and {found.audited} drawn at random beforehand."
    )
