"""What `30_grader_agreement` gives to read: the open transcripts on which people and the grader differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evalkit import agreement_cards, cards
from evalkit.agreement_cards import Voice
from evalkit.cards import Card
from evalkit.errors import ReportError
from evalkit.grading import Grading, grading_of
from evalkit.labels import subject_of_item
from evalkit.measurement import Measurement
from evalkit.measurement.labelled import Labelled
from evalkit.shown import counted
from evalkit.tables import Run
from evalkit.views.agreement import ABOVE, found_of

# Those that stand unfolded.
UNFOLDED = 3


def disputed_transcripts(run: Run, limit: int = 40) -> Card:
    """The open items that one side passes and the other fails, at most so many; those let through stand first.

    Raises ReportError where the limit is below 1. No transcript of a held-out case is ever shown.
    """
    if limit < 1:
        raise ReportError(f"limit is {limit}; show 1 transcript or more")
    found = found_of(run)
    if isinstance(found, str):
        return cards.prose(ABOVE)
    disputes = sorted(found.to_read, key=lambda each: (each.people is True, each.item.case, each.item.id))
    tag = run.suite.settings.eval_mode_tag
    shown = [_dispute(run, found, each, tag, opened=place < UNFOLDED) for place, each in enumerate(disputes[:limit])]
    return cards.stack([cards.prose(_said(found, disputes, limit)), *shown], empty="")


def _said(found: Measurement, disputes: list[Labelled], limit: int) -> str:
    through = sum(each.people is False for each in disputes)
    compared = sum(each.compared for each in found.open.labelled)
    said = f"Of {counted(compared, 'open item')} that both judged, people and the grader differ on {len(disputes)}"
    if disputes:
        said += (
            f": the grader lets through {through} that people fail, and fails {len(disputes) - through} that they pass"
        )
    if len(disputes) > limit:
        said += f". The first {limit} are shown; raise the parameter limit for more"
    hidden = (
        f"{counted(found.hidden, 'held-out item')} more on which they differ {'is' if found.hidden == 1 else 'are'} "
        "not shown: trust rests on the held-out cases, and reading them to tune a rubric would spoil that."
    )
    return f"{said}.\n\n{hidden}"


def _dispute(run: Run, found: Measurement, each: Labelled, tag: str, *, opened: bool) -> Card:
    said = "The grader fails what people pass" if each.people else "The grader lets through what people fail"
    voices = [*_people(each), *_graders(run, found, each)]
    return agreement_cards.dispute(
        each.item,
        voices,
        found.panel.rubric,
        said=said,
        tag=tag,
        opened=opened,
        brief_said=_gave(each),
        why=_why(each.grading),
    )


def _gave(each: Labelled) -> str:
    sides = (("people", each.item.verdicts), ("grader", each.grading.verdicts))
    return " – ".join(f"{who}: {', '.join(f'{name} {given}' for name, given in said.items())}" for who, said in sides)


def _people(each: Labelled) -> Iterator[Voice]:
    item = each.item
    lead = item.adjudication
    for rating in item.ratings:
        yield Voice(rating.rater, rating.verdicts, (("", rating.note),), stands=lead is None, note=rating.date)
    if lead is not None:
        # What stands for people: where the raters agree theirs, else the lead's.
        yield Voice(lead.lead, item.verdicts, (("rule", lead.rule),), stands=True, note=f"{lead.date}, decided")


def _graders(run: Run, found: Measurement, each: Labelled) -> Iterator[Voice]:
    panel, grading = found.panel, each.grading
    alone = replace(panel, strong=None)
    cheap = grading_of(alone, subject_of_item(each.item), run.grades, found.series)
    yield _grader(cheap, f"Cheap grader, {panel.cheap.spec.model}", stands=grading.by == "cheap")
    if grading.by == "strong" and panel.strong is not None:
        yield _grader(grading, f"Strong grader, {panel.strong.spec.model}", stands=True)


def _grader(grading: Grading, who: str, *, stands: bool) -> Voice:
    remarks = [*grading.reasoning.items()]
    if grading.reason:
        remarks.append((grading.state, grading.reason))
    if grading.flags:
        remarks.append(("flag", "; ".join(grading.flags)))
    return Voice(who, grading.verdicts, tuple(remarks), stands=stands)


def _why(grading: Grading) -> str:
    if grading.by == "cheap":
        return "The cheap grader alone graded it, so its verdict stands."
    near = "a verdict of the cheap one lay near the threshold" if grading.near else "it was drawn for the audit"
    return f"The strong grader was asked too, since {near}, and its verdict stands."
