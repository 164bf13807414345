"""What is marked in an answer when a person reads it: the route that counted, and every hit with what it decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from evalkit.checks import Judgement
from evalkit.checks.said import PlacedHit
from evalkit.transcript import Hit, Verdict

MarkKind = Literal["route", "fact", "claim", "leak", "negated"]


@dataclass(frozen=True)
class Mark:
    """A piece of an answer, in characters [start, end), what it is, and in words what it decided."""

    start: int
    end: int
    kind: MarkKind
    said: str


@dataclass(frozen=True)
class Piece:
    """A piece of text and all marks that cover it."""

    text: str
    marks: tuple[Mark, ...]


def marks_of(judgement: Judgement) -> tuple[Mark, ...]:
    """The marks of a judged answer, by where they start: the card's route, and each hit of a fact or a claim."""
    line, card = deciding_line(judgement), judgement.card
    marks = [Mark(*line, "route", (card and card.route) or "")] if line else []
    marks += [_mark(verdict, hit) for verdict in judgement.verdicts for hit in verdict.hits]
    return _sorted(marks)


def marks_in(judgement: Judgement, place: int) -> tuple[Mark, ...]:
    """The marks in one message of a judged conversation, by where they start."""
    return _sorted(
        _mark(verdict, hit)
        for verdict in judgement.verdicts
        for hit in verdict.hits
        if isinstance(hit, PlacedHit) and hit.message == place
    )


def deciding_line(judgement: Judgement) -> tuple[int, int] | None:
    """Where the line stands that decided how an answer was routed: that of its team where the team is wrong."""
    card = judgement.card
    if card is None:
        return None
    return card.team_line if judgement.routing == "wrong team" else card.route_line


def pieces(text: str, marks: Iterable[Mark]) -> list[Piece]:
    """The text cut wherever a mark begins or ends, each piece with all marks that cover it; marks may overlap."""
    inside = [
        Mark(max(0, mark.start), min(len(text), mark.end), mark.kind, mark.said)
        for mark in marks
        if max(0, mark.start) < min(len(text), mark.end)
    ]
    cuts = sorted({0, len(text), *(mark.start for mark in inside), *(mark.end for mark in inside)})
    return [
        Piece(text[start:end], tuple(mark for mark in inside if mark.start <= start and end <= mark.end))
        for start, end in pairwise(cuts)
    ]


def _mark(verdict: Verdict, hit: Hit) -> Mark:
    if hit.negated:
        return Mark(hit.start, hit.end, "negated", f"{hit.concept} (only in a negation)")
    kind: MarkKind = "fact" if verdict.kind == "fact" else "leak" if verdict.kind == "leak" else "claim"
    return Mark(hit.start, hit.end, kind, hit.concept)


def _sorted(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    return tuple(sorted(marks, key=lambda mark: (mark.start, mark.end, mark.kind)))
