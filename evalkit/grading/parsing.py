"""A grader's reply as verdicts of its rubric's menu, or the reason why it gives none: never a guess, never a fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from evalkit.folding import fold
from evalkit.grading.asked import (
    AGAIN,
    WHOLE,
    Asked,
    claim_of,
    entries_of,
    is_answer,
    line_verdict,
    unwrapped,
    verdict_of,
)
from evalkit.grading.contradiction import contradicts
from evalkit.grading.loose_json import MAX_DEPTH, Found, Number, found_in, is_elided, is_stray
from evalkit.grading.said import Layout, Line, thoughts_end, unopened_thoughts_end
from evalkit.rubrics import Rubric, criterion_key, verdict_key
from evalkit.transcript import CriterionGrade

MAX_CHARS = 200_000
CONTRADICTION = "contradicts itself"

_CUT = ("length", "max_tokens")
# Between entries of one answer nothing is said.
_BETWEEN = re.compile(r"(?:[\s,;]|```+\w*|~~~+\w*|#+[^\n]*\n)*")


@dataclass(frozen=True)
class Parsed:
    """A reply as read: a grade for each criterion, or verdicts None all over and in `reason` why.

    `mode` is the form in which the verdicts stood ("json", or "line"), '' where there are none.
    """

    criteria: tuple[CriterionGrade, ...]
    reason: str = ""
    mode: str = ""
    flags: tuple[str, ...] = ()


class _Unscored(Exception):
    """The reply gives no verdicts: a word of the known reasons, and the detail."""


def parse_reply(text: str | None, rubric: Rubric, finish_reason: str | None = None) -> Parsed:
    """The verdicts in a grader's reply; whatever the reply, it raises nothing and takes linear time.

    JSON is read wherever it stands in the text but in a quotation. The last answer counts, and only where no other
    one, and no line, differs: which of two a grader means cannot be told. Of one criterion a line `GRADE: C` is read as
    well, the last one. A bad verdict makes the whole reply unscored: no earlier one, and no part, stands in.

    Args:
        text: what the grader wrote; None is an empty reply.
        rubric: the criteria and the menu that it was asked by.
        finish_reason: the provider's word for why the reply ended; "length" means that it was cut.
    """
    try:
        mode, grades = _read(text or "", Asked(rubric), finish_reason)
    except _Unscored as why:
        none = tuple(CriterionGrade(name, None) for name in rubric.criterion_names)
        return Parsed(none, ": ".join(filter(None, why.args)))
    odd = any(contradicts(each.reasoning, str(each.verdict), each.name, rubric) for each in grades)
    return Parsed(grades, mode=mode, flags=(CONTRADICTION,) if odd else ())


def _read(text: str, asked: Asked, finish_reason: str | None) -> tuple[str, tuple[CriterionGrade, ...]]:
    if len(text) > MAX_CHARS:
        raise _Unscored("too long", f"{len(text):,} characters; {MAX_CHARS:,} at most are read")
    if finish_reason in _CUT:
        raise _Unscored("truncated", "the grader reached its token limit")
    if not fold(text).text:
        raise _Unscored("empty", f"the provider says {finish_reason}" if finish_reason == "content_filter" else "")
    said = _without_thoughts(text)
    objects = list(found_in(said))
    answers, others = [], 0
    for found in objects:
        if _is_told_of(found, said) or (answers and is_stray(found, said)):
            continue
        _refuse_unreadable(found, said, asked)
        if found.state == "whole" and is_answer(value := unwrapped(found.value, asked), asked):
            answers.append(replace(found, value=value))
        elif found.state == "whole":
            others += 1
    layout = Layout(said, objects)
    own = unopened_thoughts_end(said, objects)
    lines = list(layout.lines())
    answers = _as_one(answers, said, layout, own)
    last = next((each for each in reversed(answers) if not layout.is_quoted(each.start, each.end)), None)
    if last is not None and last.start >= own:
        grades = _grades(last, asked)
        _refuse_others(grades, _said_beside(last, answers, lines, asked))
        _refuse_denial(grades, said[own : last.start], asked)
        _refuse_denial(grades, said[last.end :], asked)
        return "json", grades
    if line := _last_line(layout, lines, own, asked):
        _refuse_others((line,), _said_in(answers, asked))
        return "line", (line,)
    if answers:
        raise _Unscored("no verdict", "the only answer in the reply is a quotation")
    if others:
        raise _Unscored("no verdict", "the JSON in the reply gives the criteria none")
    if asked.only is not None:
        raise _Unscored("not JSON", "and no line GRADE: <verdict> of the grader's own either")
    raise _Unscored("not JSON", "no object stands in the reply")


def _without_thoughts(text: str) -> str:
    """The reply without the thoughts that some models write before it."""
    end = thoughts_end(text)
    if end is None:
        raise _Unscored("truncated", "the grader's thoughts never end")
    if not fold(text[end:]).text:
        raise _Unscored("empty", "nothing follows the grader's thoughts")
    return text[end:]


def _is_told_of(found: Found, text: str) -> bool:
    """Whether an object is the form of an answer, or a call told of with an ellipsis, and gives no verdict."""
    form = text[found.start : found.end] if found.end - found.start < 1_000 else ""
    if '"<criterion>"' in form and '"<one of the verdicts>"' in form and form.count('"verdict"') == 1:
        return found.state == "whole" or is_elided(found, text)
    return (
        is_elided(found, text)
        and (found.keys == {"criteria"} or {"name", "arguments"} <= found.keys)
        and not (found.keys & {"verdict", "reasoning"})
    )


def _refuse_unreadable(found: Found, text: str, asked: Asked) -> None:
    """Refuses what may have been an answer: an inner part of it, or an earlier one, must not stand in for it."""
    if found.state == "open":
        raise _Unscored("truncated", f"what opens at character {found.start + 1} is never closed")
    if found.state == "deep":
        raise _Unscored("not JSON", f"nested deeper than {MAX_DEPTH} levels")
    answer_keys = {"criteria", "name", "reasoning", "verdict"}
    if found.state == "broken" and (found.keys & answer_keys or any(map(asked.is_one, found.keys))):
        raise _Unscored("not JSON", f"it breaks at {_shown(text[found.end : found.end + 30])}")


def _as_one(answers: list[Found], text: str, layout: Layout, own: int) -> list[Found]:
    """The answers as they are; one where they are entries, each of another criterion, with nothing between them."""
    entries = [each.value for each in answers]
    for at, each in enumerate(entries):
        if isinstance(each, dict) and isinstance(each.get("criteria"), list) and len(each["criteria"]) == 1:
            entries[at] = each["criteria"][0]
    if len(answers) < 2 or not all(isinstance(each, dict) and {"name", "verdict"} <= each.keys() for each in entries):
        return answers
    if len({str(each["name"]) for each in entries}) < len(entries) or any(each.doubled for each in answers):
        return answers
    pairs = pairwise(answers)
    if answers[0].start < own or any(not _BETWEEN.fullmatch(text, one.end, two.start) for one, two in pairs):
        return answers
    first, last = answers[0], answers[-1]
    if layout.is_quoted(first.start, first.end) or layout.is_quoted(last.start, last.end):
        return answers
    return [replace(last, value=entries)]


def _refuse_others(grades: tuple[CriterionGrade, ...], others: Iterator[tuple[str, str | None]]) -> None:
    """Refuses a reply that names another verdict for a criterion, or '' for all, one that no criterion has."""
    given = {criterion_key(each.name): str(each.verdict) for each in grades}
    for name, verdict in others:
        if verdict is None or (name and name not in given):
            continue
        if (verdict != given[name]) if name else (verdict not in given.values()):
            raise _Unscored("two verdicts", f"{name or 'the reply'}: {' '.join(given.values())} and {verdict}")


def _refuse_denial(grades: tuple[CriterionGrade, ...], tail: str, asked: Asked) -> None:
    if all(contradicts(tail, str(each.verdict), each.name, asked.rubric) for each in grades):
        raise _Unscored("two verdicts", "what is said beside the verdict is another one")


def _said_in(answers: list[Found], asked: Asked) -> Iterator[tuple[str, str | None]]:
    if any(each.doubled for each in answers):
        raise _Unscored("two verdicts", "another answer has two values under one key")
    for each in answers:
        yield from _said_of(each.value, asked)


def _said_of(value: Any, asked: Asked) -> Iterator[tuple[str, str | None]]:
    for name, entry in entries_of(value, asked):
        given = entry.get("verdict") if isinstance(entry, dict) else entry
        yield name or "", verdict_of(given, asked)


def _said_beside(
    last: Found, answers: list[Found], lines: list[Line], asked: Asked
) -> Iterator[tuple[str, str | None]]:
    """What the reply says of the criteria beside its last answer: in other ones, in the same object, in lines."""
    yield from _said_in([each for each in answers if each is not last], asked)
    if isinstance(last.value, dict) and "criteria" in last.value:
        beside = {key: value for key, value in last.value.items() if key != "criteria"}
        yield from _said_of({key: each for key, each in beside.items() if key == "verdict" or asked.is_one(key)}, asked)
        for key, each in beside.items():
            if not asked.is_one(key) and key != "verdict" and _is_extra(key, each, asked):
                raise _Unscored("unasked criterion", _shown(key))
    for line in lines:
        if (name := asked.of_line(line.key)) is not None:
            yield name, claim_of(line.value, asked)


def _is_extra(key: str, value: Any, asked: Asked) -> bool:
    """Whether a key beside the criteria gives a verdict as they do."""
    if isinstance(value, dict):
        return "verdict" in value
    return verdict_of(value, asked) is not None and bool(WHOLE & set(key.replace("_", " ").split()))


def _grades(found: Found, asked: Asked) -> tuple[CriterionGrade, ...]:
    """A grade for each criterion in the rubric's order, by an answer that gives each exactly one."""
    names = asked.criteria
    if found.doubled:
        word = "criterion twice" if asked.is_one(found.doubled) else "two verdicts"
        raise _Unscored(word, f"the key {_shown(found.doubled)} stands twice in one object, with two values")
    entries = list(entries_of(found.value, asked))
    if not entries:
        raise _Unscored("wrong count", f"0 verdicts, and the rubric asks for {len(names)}")
    given: dict[str, Any] = {}
    for name, entry in entries:
        if name is None:
            raise _Unscored("missing criterion", f"{_shown(entry)} names none")
        if name not in names:
            raise _Unscored("unasked criterion", _shown(name))
        if name in given:
            raise _Unscored("criterion twice", names[name])
        given[name] = entry
    if missing := [name for key, name in names.items() if key not in given]:
        raise _Unscored("missing criterion", ", ".join(missing))
    return tuple(_grade(name, given[key], asked) for key, name in names.items())


def _grade(name: str, entry: Any, asked: Asked) -> CriterionGrade:
    if isinstance(entry, dict) and "verdict" not in entry:
        raise _Unscored("no verdict", name)
    value = entry["verdict"] if isinstance(entry, dict) else entry
    verdict = verdict_of(value, asked)
    if verdict is None:
        raise _Unscored("off the menu", f"{name}: {_shown(value)}")
    reasoning = entry.get("reasoning") if isinstance(entry, dict) else None
    return CriterionGrade(name, verdict, reasoning if isinstance(reasoning, str) else "")


def _last_line(layout: Layout, lines: list[Line], own: int, asked: Asked) -> CriterionGrade | None:
    """The grade of the last line `GRADE: C`, for the only criterion; None where there is no such line."""
    grades = [line for line in lines if line.key == "grade"]
    last = next((line for line in reversed(grades) if layout.is_own(line)), None) if asked.only is not None else None
    if last is None or last.start < own:
        return None
    again = {claim_of(each, asked) for each in AGAIN.findall(f"grade: {last.value}")}
    verdict, rest = line_verdict(last.value, asked)
    if len(again - {None}) > 1:
        raise _Unscored("two verdicts", "in one line")
    if verdict is None:
        raise _Unscored("off the menu", _shown(layout.written(last)))
    alone = asked.menu.get(verdict_key(last.value)) is not None
    for line in lines:
        # The grader's own earlier line is one that it took back, if the last stands alone; a shown one may be the last.
        if line is last or asked.of_line(line.key) not in ("", asked.only):
            continue
        if (claim := claim_of(line.value, asked)) in (None, verdict):
            continue
        if not (alone and own <= line.start < last.start and layout.is_own(line)):
            raise _Unscored("two verdicts", f"{asked.only}: {verdict} and {claim}")
    reasoning = "\n".join(filter(None, (layout.text[: last.start].strip(), rest)))
    grade = CriterionGrade(asked.criteria[asked.only], verdict, reasoning)
    _refuse_denial((grade,), layout.text[last.end :], asked)
    return grade


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    words = {None: "null", True: "true", False: "false"}
    text = value.text if isinstance(value, Number) else repr(value) if isinstance(value, str) else words[value]
    return text if len(text) <= 60 else text[:59] + "…"
