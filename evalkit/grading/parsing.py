"""A grader's reply as verdicts of its rubric's menu, or the reason why it gives none: never a guess, never a fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evalkit.folding import fold
from evalkit.grading.contradiction import contradicts
from evalkit.grading.loose_json import MAX_DEPTH, Found, Number, found_in
from evalkit.rubrics import Rubric, criterion_key, verdict_key
from evalkit.transcript import CriterionGrade

MAX_CHARS = 200_000
CONTRADICTION = "contradicts itself"

_CUT = ("length", "max_tokens")
_THOUGHT, _THOUGHT_ENDS = "<think>", "</think>"
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u201e": "\u201c", "\u00ab": "\u00bb"}
# What is longer is no verdict, but prose.
_VERDICT_CHARS = 300
# Markdown marks and bullets around a line say nothing.
_MARKS = " \t*_`#|"
_LINE = re.compile(r"(?P<key>[^:]{1,100}?)[*_`\s]*:[*_`\s]*(?P<value>.*)")
_BULLET = re.compile(r"[-+\u2022]\s+")


@dataclass(frozen=True)
class Parsed:
    """A reply as read: a grade for each criterion, or verdicts None all over and in `reason` why.

    `mode` is the form in which the verdicts stood ("json", or "line"), '' where there are none.
    """

    criteria: tuple[CriterionGrade, ...]
    reason: str = ""
    mode: str = ""
    flags: tuple[str, ...] = ()


class _Asked:
    """What was asked for, by the keys that it is looked up by: criteria, and verdicts of the menu."""

    def __init__(self, rubric: Rubric) -> None:
        self.criteria = {criterion_key(name): name for name in rubric.criterion_names}
        self.menu = {verdict_key(verdict): verdict for verdict in rubric.verdicts}
        self.only = next(iter(self.criteria)) if len(self.criteria) == 1 else None


class _Unscored(Exception):
    """The reply gives no verdicts: a word of the known reasons, and the detail."""


def parse_reply(text: str | None, rubric: Rubric, finish_reason: str | None = None) -> Parsed:
    """The verdicts in a grader's reply; whatever the reply, it raises nothing and takes linear time.

    JSON is read wherever it stands in the text. The last answer in it counts, and only where no other one differs:
    which of two a grader means, and whether one is a quotation, cannot be told. Of one criterion a line `GRADE: C` is
    read as well, the last one. A bad verdict makes the whole reply unscored: no earlier one, and no part, stands in.

    Args:
        text: what the grader wrote; None is an empty reply.
        rubric: the criteria and the menu that it was asked by.
        finish_reason: the provider's word for why the reply ended; "length" means that it was cut.
    """
    try:
        mode, grades = _read(text or "", _Asked(rubric), finish_reason)
    except _Unscored as why:
        none = tuple(CriterionGrade(name, None) for name in rubric.criterion_names)
        return Parsed(none, ": ".join(filter(None, why.args)))
    odd = any(contradicts(each.reasoning, str(each.verdict), each.name, rubric) for each in grades)
    return Parsed(grades, mode=mode, flags=(CONTRADICTION,) if odd else ())


def _read(text: str, asked: _Asked, finish_reason: str | None) -> tuple[str, tuple[CriterionGrade, ...]]:
    if len(text) > MAX_CHARS:
        raise _Unscored("too long", f"{len(text):,} characters; {MAX_CHARS:,} at most are read")
    if finish_reason in _CUT:
        raise _Unscored("truncated", "the grader reached its token limit")
    if not fold(text).text:
        raise _Unscored("empty", f"the provider says {finish_reason}" if finish_reason == "content_filter" else "")
    said = _without_thought(text)
    answers, others = [], 0
    for found in found_in(said):
        _refuse_unreadable(found, said, asked)
        if found.state == "whole" and _is_answer(found.value, asked):
            answers.append(found)
        elif found.state == "whole":
            others += 1
    if answers:
        return "json", _last_answer(answers, said, asked)
    if line := _last_line(said, asked):
        return "line", (line,)
    if others:
        raise _Unscored("no verdict", "the JSON in the reply gives the criteria none")
    if asked.only is not None:
        raise _Unscored("not JSON", "and no line GRADE: <verdict> either")
    raise _Unscored("not JSON", "no object stands in the reply")


def _without_thought(text: str) -> str:
    """The reply without the thoughts that some models write before it."""
    start = text.lstrip()
    if not start.startswith(_THOUGHT):
        return text
    _, ended, said = start.partition(_THOUGHT_ENDS)
    if not ended:
        raise _Unscored("truncated", "the grader's thoughts never end")
    if not fold(said).text:
        raise _Unscored("empty", "nothing follows the grader's thoughts")
    return said


def _refuse_unreadable(found: Found, text: str, asked: _Asked) -> None:
    """Refuses what may have been an answer: an inner part of it, or an earlier one, must not stand in for it."""
    if found.state == "open":
        raise _Unscored("truncated", f"what opens at character {found.start + 1} is never closed")
    if found.state == "deep":
        raise _Unscored("not JSON", f"nested deeper than {MAX_DEPTH} levels")
    answer_keys = {"criteria", "name", "reasoning", "verdict", *asked.criteria}
    if found.state == "broken" and found.keys & answer_keys:
        raise _Unscored("not JSON", f"it breaks at {_shown(text[found.end : found.end + 30])}")


def _is_quoted(found: Found, text: str) -> bool:
    before, after = text[max(found.start - 1, 0) : found.start], text[found.end : found.end + 1]
    return bool(before) and _QUOTES.get(before) == after


def _is_answer(value: Any, asked: _Asked) -> bool:
    """Whether a list or an object is meant as an answer, be it a faulty one."""
    if isinstance(value, list):
        return any(isinstance(each, dict) and "verdict" in each for each in value)
    return bool(value.keys() & {"criteria", "verdict", *asked.criteria})


def _last_answer(answers: list[Found], text: str, asked: _Asked) -> tuple[CriterionGrade, ...]:
    """The grades of the last answer that is no quotation, where nothing else in the reply gives others."""
    last = next((each for each in reversed(answers) if not _is_quoted(each, text)), None)
    if last is None:
        raise _Unscored("no verdict", "the only answer in the reply is a quotation")
    grades = _grades(last, asked)
    given = {criterion_key(each.name): str(each.verdict) for each in grades}
    for name, verdict in _said_beside(last, answers, text, asked):
        if name in given and verdict not in (None, given[name]):
            raise _Unscored("two verdicts", f"{name}: {given[name]} and {verdict}")
    return grades


def _said_beside(last: Found, answers: list[Found], text: str, asked: _Asked) -> Iterator[tuple[str, str | None]]:
    """What the reply says of the criteria beside its last answer: in other ones, in the same object, in lines after."""
    others = [each for each in answers if each is not last]
    if any(each.doubled for each in others):
        raise _Unscored("two verdicts", "an earlier answer has two values under one key")
    values = [each.value for each in others]
    if isinstance(last.value, dict) and "criteria" in last.value:
        values.append({key: value for key, value in last.value.items() if key != "criteria"})
    for value in values:
        for name, entry in _entries(value, asked):
            given = entry.get("verdict") if isinstance(entry, dict) else entry
            yield name or "", _verdict(given, asked)
    for key, value, _ in _lines(text[last.end :]):
        final = key in ("grade", "verdict", "final grade", "final verdict")
        yield (asked.only if final else None) or key, _line_verdict(value, asked)[0]


def _grades(found: Found, asked: _Asked) -> tuple[CriterionGrade, ...]:
    """A grade for each criterion in the rubric's order, by an answer that gives each exactly one."""
    names = asked.criteria
    if found.doubled:
        word = "criterion twice" if found.doubled in names else "two verdicts"
        raise _Unscored(word, f"the key {_shown(found.doubled)} stands twice in one object, with two values")
    entries = list(_entries(found.value, asked))
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


def _grade(name: str, entry: Any, asked: _Asked) -> CriterionGrade:
    if isinstance(entry, dict) and "verdict" not in entry:
        raise _Unscored("no verdict", name)
    value = entry["verdict"] if isinstance(entry, dict) else entry
    verdict = _verdict(value, asked)
    if verdict is None:
        raise _Unscored("off the menu", f"{name}: {_shown(value)}")
    reasoning = entry.get("reasoning") if isinstance(entry, dict) else None
    return CriterionGrade(name, verdict, reasoning if isinstance(reasoning, str) else "")


def _entries(value: Any, asked: _Asked) -> Iterator[tuple[str | None, Any]]:
    """What an answer says of each criterion: its name, None where it has none, and the object or bare verdict."""
    if isinstance(value, dict) and "criteria" in value:
        value = value["criteria"]
    elif isinstance(value, dict) and "verdict" not in value:
        # Criteria as the object's own keys; what stands beside them is not asked for, and not read.
        value = {key: each for key, each in value.items() if key in asked.criteria}
    if isinstance(value, dict) and "verdict" not in value:
        yield from value.items()
    elif isinstance(value, dict | list):
        for each in value if isinstance(value, list) else [value]:
            name = each.get("name", asked.only) if isinstance(each, dict) else None
            yield (criterion_key(name) if isinstance(name, str) else None), each


def _verdict(value: Any, asked: _Asked) -> str | None:
    text = str(value) if isinstance(value, bool) else value.text if isinstance(value, Number) else value
    return asked.menu.get(verdict_key(text)) if isinstance(text, str) and len(text) <= _VERDICT_CHARS else None


def _last_line(text: str, asked: _Asked) -> CriterionGrade | None:
    """The grade of the last line `GRADE: C`, for the only criterion; None where there is no such line."""
    found = [(value, place) for key, value, place in _lines(text) if key == "grade"]
    if asked.only is None or not found:
        return None
    value, place = found[-1]
    verdict, rest = _line_verdict(value, asked)
    if verdict is None:
        raise _Unscored("off the menu", _shown(value))
    reasoning = "\n".join(filter(None, (text[:place].strip(), rest)))
    return CriterionGrade(asked.criteria[asked.only], verdict, reasoning)


def _lines(text: str) -> Iterator[tuple[str, str, int]]:
    """The key, the value and the place of each line `key: value`, folded; what is quoted is no line of the grader's."""
    place = 0
    for line in text.splitlines(keepends=True):
        if ":" in line or "\uff1a" in line:
            plain = _BULLET.sub("", fold(line).text.strip(_MARKS), count=1).strip(_MARKS)
            if found := _LINE.fullmatch(plain):
                yield found["key"].strip(_MARKS).casefold(), found["value"], place
        place += len(line)


def _line_verdict(value: str, asked: _Asked) -> tuple[str | None, str]:
    """The verdict that a line gives, alone or as its first sentence, and the rest of the line."""
    first, _, rest = value.partition(". ")
    whole = _verdict(value, asked)
    return (whole, "") if whole is not None else (_verdict(first, asked), rest)


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    words = {None: "null", True: "true", False: "false"}
    text = value.text if isinstance(value, Number) else repr(value) if isinstance(value, str) else words[value]
    return text if len(text) <= 60 else text[:59] + "…"
