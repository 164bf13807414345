"""What `10_shootout` shows of grades: each candidate's graded pass rate, or why there is none."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from evalkit import boards, cards
from evalkit.cards import Card
from evalkit.graded_scores import GradedScore, cheap_against_strong, graded_scores, graded_trials, states_in_words
from evalkit.shown import counted
from evalkit.stats.audit import Disagreement
from evalkit.tables import Run
from evalkit.trust import trust_of
from evalkit.views.caveats import EXAMPLE_LABELS

if TYPE_CHECKING:
    from great_tables import GT


def graded_answer(run: Run) -> Card:
    """Whether the grader's verdicts count in this run, and what that rests on; else why none stands here."""
    if run.panel is None:
        return cards.prose(f"Nothing is graded here: {run.no_panel}.")
    trust = trust_of(run)
    if not trust.trusted:
        return cards.headline(f"No graded score: {_first(trust.why)}", "note", "\n\n".join(trust.why[1:]), sign="–")
    marks = [cards.example_labels(EXAMPLE_LABELS)] if trust.source == "example" else []
    states = Counter(each.state for each in run.gradings if each is not None)
    if missing := states["not graded"] + states["error"]:
        said = (
            f"{missing} of {counted(sum(states.values()), 'completed trial')} have no grade; `evalkit grade` goes on."
        )
        marks.append(cards.watermark(said))
    grader, line = run.panel, trust.line
    strong = f", in doubt {grader.strong.spec.model}" if grader.strong else ""
    on = f" measured on {line.date}" if line else ""
    said = f"Trusted, as{on}: {grader.cheap.spec.model}{strong}, by the rubric {grader.rubric.name}."
    return cards.stack([*marks, cards.prose(" ".join([said, *trust.why]))], empty="")


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
            "raw": _raw(each),
            "corrected": _corrected(each),
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


def _raw(score: GradedScore) -> str:
    if score.raw.value is None and score.raw.reason:
        return f"not measured: {score.raw.reason}"
    return boards.percent_with_interval(score.raw.value, score.raw.low, score.raw.high)


def _corrected(score: GradedScore) -> str:
    found = score.corrected
    if found.value is None:
        return found.reason if found.reason.startswith("not corrected") else f"not measured: {found.reason}"
    share = boards.percent_with_interval(found.value, found.low, found.high) + (" *" if found.clipped else "")
    if found.method.startswith("post-stratified"):
        labels = f"by {found.labelled:.0f} labels of its own"
    else:
        labels = f"by {found.labelled:.0f} labels of all †" + (" ‡" if _untested(score) else "")
    return f"{share}\n{labels}".replace(" ", "\u00a0")


def _untested(score: GradedScore) -> bool:
    return score.alike is None or score.alike.differs is None


def _alike(score: GradedScore) -> str:
    found = score.alike
    if found is None:
        return "no label is of it"
    if found.differs is not None:
        return "no" if found.differs else "no difference found"
    tested = [name for name, p in (("passes", found.p_sensitivity), ("fails", found.p_specificity)) if p is not None]
    return f"no difference found on {tested[0]}, too few of the others" if tested else "not measured: too few labels"


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
            "candidates (Rogan–Gladen); no more labels of passes, nor of fails, than they are of cases; the interval "
            "counts their error too."
        )
    if any(_untested(each) and each.corrected.method == "Rogan–Gladen" for each in scores):
        said.append("‡ Too few labels are of this candidate to tell whether the grader errs on it as on the others.")
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
