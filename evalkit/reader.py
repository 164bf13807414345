"""One transcript as lines for a terminal: what was asked and answered, with hits marked, and each check below."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from evalkit.errors import StoreError
from evalkit.marks import Mark, marks_of, pieces
from evalkit.tables import Reading, Run

# How a piece that a mark covers is told apart, beside its brackets, where there are colours.
Paint = Callable[[str, str], str]


def readings(run: Run, case: str, candidate: str | None = None, number: int | None = None) -> tuple[Reading, ...]:
    """The slots of a case, of one candidate and trial where named; raises StoreError where the run has none."""
    found = tuple(each for each in run.readings if each.slot.case == case)
    chosen = tuple(
        each
        for each in found
        if (candidate is None or each.slot.candidate == candidate) and (number is None or each.slot.number == number)
    )
    if chosen:
        return chosen
    if not found:
        raise StoreError(f"run {run.id[:8]} has no case {case!r}")
    names = ", ".join(dict.fromkeys(each.slot.candidate for each in found))
    raise StoreError(
        f"run {run.id[:8]} has no such trial of {case}; candidates: {names}; "
        f"trials 0 to {max(each.slot.number for each in found)}"
    )


def lines(reading: Reading, paint: Paint, *, prompt: bool = False) -> list[str]:
    """The transcript with marks `«…»{what}`, then a line for each check; `prompt` shows the system message too."""
    trial, judgement = reading.trial, reading.judgement
    said = [paint(_title(reading), "title")]
    if trial is None:
        return [*said, "not played"]
    for message in trial.messages:
        if message.role != "system" or prompt:
            marked = marks_of(judgement) if judgement and message is trial.messages[-1] else ()
            text = _marked(message.text, marked if message.role == "assistant" else (), paint)
            said += ["", paint(f"-- {message.role} --", "title"), text]
    if judgement is not None:
        said += ["", *(_check(verdict, paint) for verdict in judgement.verdicts)]
    return said


def as_json(reading: Reading) -> dict[str, Any]:
    """The transcript, its marks and its verdicts as plain JSON values."""
    trial, judgement = reading.trial, reading.judgement
    return {
        "candidate": reading.slot.candidate,
        "case": reading.slot.case,
        "trial": reading.slot.number,
        "fingerprint": reading.slot.fingerprint,
        "status": trial.status if trial else "not_run",
        "reason": trial.reason if trial else "",
        "passed": judgement and judgement.passed,
        "points": judgement and judgement.points,
        "points_possible": judgement and judgement.points_possible,
        "messages": [{"role": each.role, "text": each.text} for each in trial.messages] if trial else [],
        "marks": [vars(mark) for mark in marks_of(judgement)] if judgement else [],
        "verdicts": [
            {
                "check": each.check,
                "passed": each.passed,
                "points": each.points,
                "harm": each.harm if each.passed is False else None,
                "reason": each.reason,
            }
            for each in (judgement.verdicts if judgement else ())
        ],
    }


def printable(text: str) -> str:
    """The text without control characters, which could drive a terminal; U+FFFD stands in for each."""
    return "".join(
        "\ufffd" if unicodedata.category(char) in ("Cc", "Cs", "Cf") and char not in "\n\t\u200d" else char
        for char in text.replace("\r\n", "\n")
    )


def _title(reading: Reading) -> str:
    slot, trial, judgement = reading.slot, reading.trial, reading.judgement
    parts = [slot.candidate, slot.case, f"trial {slot.number}", trial.status if trial else "not_run"]
    if trial is not None and trial.reason:
        parts.append(trial.reason)
    if judgement is not None and judgement.points is not None:
        parts.append(f"{judgement.points:+g} of {judgement.points_possible:g} points")
        parts.append("passed" if judgement.passed else "not passed")
    return printable(" · ".join(parts))


def _marked(text: str, marks: tuple[Mark, ...], paint: Paint) -> str:
    out = []
    for piece in pieces(text, marks):
        shown = printable(piece.text)
        if piece.marks:
            what = "; ".join(dict.fromkeys(f"{mark.kind}: {mark.said}" for mark in piece.marks))
            shown = paint(f"«{shown}»", piece.marks[-1].kind) + "{" + what + "}"
        out.append(shown)
    return "".join(out)


def _check(verdict: Any, paint: Paint) -> str:
    sign = {True: "pass", False: "FAIL", None: "unscored"}[verdict.passed]
    points = f"{verdict.points:+g}" if verdict.points else " 0"
    reason = f" – {verdict.reason}" if verdict.reason else ""
    harm = f" [{verdict.harm}]" if verdict.harm and verdict.passed is False else ""
    shade = "fact" if verdict.passed else "claim"
    return paint(f"{sign:8}", shade) + printable(f"{points:>4}  {verdict.check}{reason}{harm}")
