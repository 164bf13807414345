"""One transcript as lines for a terminal: what was said and done, with hits marked, and each check below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from evalkit.cases import Case
from evalkit.checks import Judgement
from evalkit.checks.endstate import ABSENT, shown
from evalkit.errors import StoreError
from evalkit.marks import Mark, marks_in, marks_of, pieces
from evalkit.rows import Reading
from evalkit.shown import printable
from evalkit.states import Field, changes, fields
from evalkit.tables import Run
from evalkit.talk import OUTCOMES, Called, is_conversation, spoken
from evalkit.transcript import Trial

# How a piece that a mark covers is told apart, beside its brackets, where there are colours.
Paint = Callable[[str, str], str]
# Characters of a call's result and of a value in a line.
MAX_RESULT = 1_000
MAX_VALUE = 200
_INDENT = "    "


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


def lines(reading: Reading, paint: Paint, *, case: Case | None = None, prompt: bool = False) -> list[str]:
    """The transcript with marks `«…»{what}`, then a line for each check; `prompt` shows the system message too.

    A conversation has its calls and their results between the turns, and below the checks each field of the end state
    that `case` expects, and what was changed.
    """
    trial, judgement = reading.trial, reading.judgement
    said = [paint(_title(reading), "title")]
    if trial is None:
        return [*said, "not played"]
    for message in trial.messages:
        if message.role == "system" and prompt:
            said += ["", paint("-- system --", "title"), printable(message.text)]
    talked = is_conversation(case, trial)
    said += _conversation(trial, judgement, paint) if talked else _ticket(trial, judgement, paint)
    if judgement is not None:
        said += ["", *(_check(verdict, paint) for verdict in judgement.verdicts)]
    return [*said, *_states(trial, case, paint)] if talked else said


def as_json(reading: Reading, case: Case | None = None) -> dict[str, Any]:
    """The transcript, its marks and its verdicts as plain JSON values.

    Of a conversation also its outcome, the state before and after, each field of the end state that `case` expects,
    and what was changed; a mark's `message` is the place of its text among the messages.
    """
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
        "outcome": trial.outcome if trial else "",
        "customer": trial.customer if trial else "",
        "messages": [asdict(each) for each in trial.messages] if trial else [],
        "marks": [{"message": place, **vars(mark)} for place, marks in _marks(reading, case).items() for mark in marks],
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
        "before": trial and trial.before,
        "after": trial and trial.after,
        "end_state": [
            {"field": each.path, "expected": each.expected, "actual": _plain(each.actual), "as_expected": each.right}
            for each in _fields(trial, case)
        ],
        "changes": [
            {"field": each.path, "before": _plain(each.before), "after": _plain(each.after)}
            for each in (changes(trial.before, trial.after) if trial and trial.before and trial.after else ())
        ],
    }


def _title(reading: Reading) -> str:
    slot, trial, judgement = reading.slot, reading.trial, reading.judgement
    parts = [slot.candidate, slot.case, f"trial {slot.number}", trial.status if trial else "not_run"]
    if trial is not None:
        parts += [each for each in (trial.reason, OUTCOMES.get(trial.outcome, "")) if each]
    if judgement is not None and judgement.points is not None:
        parts.append(f"{judgement.points:+g} of {judgement.points_possible:g} points")
        parts.append("passed" if judgement.passed else "not passed")
    elif judgement is not None and judgement.passed is not None:
        parts.append("passed at its source" if judgement.passed else "not passed at its source")
    return _flat(" · ".join(parts))


def _ticket(trial: Trial, judgement: Judgement | None, paint: Paint) -> list[str]:
    said = []
    for message in trial.messages:
        if message.role != "system":
            marks = marks_of(judgement) if judgement and message is trial.messages[-1] else ()
            text = _marked(message.text, marks if message.role == "assistant" else (), paint)
            said += ["", paint(f"-- {message.role} --", "title"), text]
    return said


def _conversation(trial: Trial, judgement: Judgement | None, paint: Paint) -> list[str]:
    said, speaker = [], ""
    for each in spoken(trial):
        if isinstance(each, Called):
            if speaker != "agent":
                said += ["", paint(f"-- agent, turn {each.turn} --", "title")]
            speaker = "agent"
            said.append(_INDENT + printable(f"> {_flat(each.words)}"))
            fault = paint(f"{each.fault}: ", "claim") if each.fault else ""
            said.append(f"{_INDENT}< {fault}{'no result is recorded' if each.result is None else _cut(each.result)}")
        else:
            speaker = each.who
            marks = marks_in(judgement, each.place) if judgement and each.who == "agent" else ()
            said += ["", paint(f"-- {each.who}, turn {each.turn} --", "title"), _marked(each.text, marks, paint)]
    return said


def _states(trial: Trial, case: Case | None, paint: Paint) -> list[str]:
    said = []
    if compared := _fields(trial, case):
        said += ["", paint("end state, field by field", "title")]
        for each in compared:
            found = "as expected" if each.right else f"was {shown(each.actual, MAX_VALUE)}"
            sign = paint(f"{'ok' if each.right else 'DIFFERS':8}", "fact" if each.right else "claim")
            said.append(sign + _flat(f"{each.path}: expected {shown(each.expected, MAX_VALUE)}, {found}"))
    if trial.before is not None and trial.after is not None:
        said += ["", paint("what it changed", "title")]
        said += [
            _flat(f"{each.path}: {shown(each.before, MAX_VALUE)} → {shown(each.after, MAX_VALUE)}")
            for each in changes(trial.before, trial.after)
        ] or ["nothing"]
    return said


def _fields(trial: Trial | None, case: Case | None) -> tuple[Field, ...]:
    expected = case.expect.final_state if case else None
    return fields(expected, trial.after) if expected is not None and trial and trial.after is not None else ()


def _marks(reading: Reading, case: Case | None) -> dict[int, tuple[Mark, ...]]:
    """The marks in each message that has some, by its place."""
    trial, judgement = reading.trial, reading.judgement
    if trial is None or judgement is None:
        return {}
    if is_conversation(case, trial):
        return {place: marks for place in range(len(trial.messages)) if (marks := marks_in(judgement, place))}
    return {len(trial.messages) - 1: marks_of(judgement)}


def _plain(value: Any) -> Any:
    return None if value is ABSENT else value


def _flat(text: str) -> str:
    return printable(" ".join(text.split()))


def _cut(text: str) -> str:
    flat, more = _flat(text[:MAX_RESULT]), len(text) - MAX_RESULT
    return f"{flat} … ({more:,} more characters)" if more > 0 else flat


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
    return paint(f"{sign:8}", shade) + f"{points:>4}  {_flat(f'{verdict.check}{reason}{harm}')}"
