"""Label sets in files: one JSONL file each, its head in the first line and an item in every other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationError

from evalkit import documents
from evalkit.errors import CaseError, Fault
from evalkit.grading.turns import Turn, content_hash
from evalkit.labels.items import Adjudication, Item, Kind, LabelSet, Rating, Source, told
from evalkit.labels.texts import label_files
from evalkit.labels.writing import replace
from evalkit.written import Name, Names, Text, Written, parse

if TYPE_CHECKING:
    from evalkit.rubrics import Rubric

# The ledger of trust stands among the label sets and is none.
LEDGER = "trust.jsonl"
# What a byte that is no UTF-8 is read as.
_NO_TEXT = re.compile("[\ud800-\udfff]")

Verdicts = dict[Name, Name]


class _DrawnFrom(Written):
    run: Name
    seed: int
    raters: Names = ()


class _Head(Written):
    labels: Name
    source: Source
    rubric: Name
    about: str = ""
    drawn_from: _DrawnFrom | None = None


class _Turn(Written):
    role: Literal["customer", "agent", "call", "result"]
    text: str
    tool: str = ""


class _Rating(Written):
    rater: Name
    date: date
    verdicts: Verdicts
    note: str = ""


class _Adjudication(Written):
    lead: Name
    date: date
    verdicts: Annotated[Verdicts, Field(min_length=1)]
    rule: Text


class _Item(Written):
    item: Name
    case: Name
    stratum: Name
    candidate: Name
    trial: Annotated[int, Field(ge=0)]
    kind: Kind
    inclusion: Annotated[float, Field(gt=0, le=1)]
    transcript: Annotated[tuple[_Turn, ...], Field(min_length=1)]
    reference: str
    ratings: tuple[_Rating, ...] = ()
    adjudication: _Adjudication | None = None


def load_label_sets(source: str | Path | Mapping[str, str]) -> tuple[LabelSet, ...]:
    """The label sets of a folder such as `cases/labels`, or of texts by their file's name; by the sets' own names.

    Whatever is no .jsonl file is left out, and so is trust.jsonl; a folder that is not there holds none. Raises
    CaseError with every fault of every file.
    """
    within = "" if isinstance(source, Mapping) else f"{source}/"
    texts = source if isinstance(source, Mapping) else label_files(Path(source))
    sets: dict[str, LabelSet] = {}
    faults: list[Fault] = []
    for name, text in sorted(texts.items()):
        if not _is_set(name):
            continue
        try:
            found = read_label_set(within + name, text)
        except CaseError as error:
            faults += error.faults
            continue
        if found.name in sets:
            faults.append(Fault(found.file, 1, found.name, f"this name is taken by {sets[found.name].file}"))
        sets[found.name] = found
    if faults:
        raise CaseError(faults)
    return tuple(sets[name] for name in sorted(sets))


def load_label_set(path: str | Path) -> LabelSet:
    """The label set in a file; raises CaseError with every fault, and where the file cannot be read."""
    try:
        return read_label_set(str(path), Path(path).read_bytes().decode("utf-8", "surrogateescape"))
    except OSError as error:
        raise CaseError([Fault(str(path), None, "", f"cannot be read: {error.strerror}")]) from error


def read_label_set(file: str, text: str) -> LabelSet:
    """The label set in a file's text; `file` is its name for messages. Raises CaseError with every fault."""
    faults: list[Fault] = []
    if strange := _NO_TEXT.search(text):
        line = text.count("\n", 0, strange.start()) + 1
        raise CaseError([Fault(file, line, "", "is not UTF-8; save the file as UTF-8")])
    # Not splitlines: U+2028 and its like may stand inside a text of JSON.
    lines = [
        (number, line) for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1) if line.strip()
    ]
    if not lines:
        raise CaseError([Fault(file, 1, "", "is empty; the first line is the head of a label set")])
    head = _parsed(_Head, file, *lines[0], "the head", faults)
    items: list[Item] = []
    first: dict[str, int] = {}
    for number, line in lines[1:]:
        written = _parsed(_Item, file, number, line, f"line {number}", faults)
        if written is None:
            continue
        item = _item(written, number)
        faults += [Fault(file, number, item.id, said) for said in _contradictions(item)]
        if item.id in first:
            faults.append(Fault(file, number, item.id, f"this item stands in line {first[item.id]} already"))
        first.setdefault(item.id, number)
        items.append(item)
    if head is None or faults:
        raise CaseError(faults)
    drawn_from = head.drawn_from.model_dump(mode="json", exclude_defaults=True) if head.drawn_from else {}
    return LabelSet(head.labels, head.source, head.rubric, head.about, drawn_from, tuple(items), file)


def label_text(labels: LabelSet) -> str:
    """The set as the text of its file."""
    head = {"labels": labels.name, "source": labels.source, "rubric": labels.rubric, "about": labels.about}
    head |= {"drawn_from": dict(labels.drawn_from)} if labels.drawn_from else {}
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (head, *map(_plain, labels.items)))


def save_label_set(labels: LabelSet, path: Path) -> None:
    """Write the set into its file, whole or not at all."""
    replace(path, label_text(labels).encode())


def check(sets: Iterable[LabelSet], rubrics: Mapping[str, Rubric]) -> list[Fault]:
    """What in the sets does not fit the rubrics: an unknown rubric or criterion, a verdict that is off the menu."""
    faults: list[Fault] = []
    sets = tuple(sets)
    for labels in sets:
        rubric = rubrics.get(labels.rubric)
        if rubric is None:
            known = ", ".join(rubrics) or "none"
            faults.append(Fault(labels.file, 1, labels.name, f"no rubric {labels.rubric!r}; known: {known}"))
            continue
        for item in labels.items:
            given = [*item.ratings, *([item.adjudication] if item.adjudication else [])]
            said = dict.fromkeys(fault for each in given for fault in misfits(each.verdicts, rubric))
            faults += [Fault(labels.file, item.line, item.id, each) for each in said]
    return faults + _twice(sets)


def _twice(sets: Iterable[LabelSet]) -> list[Fault]:
    """The transcripts that two sets hold, which would count twice; within a set two trials may read alike."""
    first: dict[tuple[str, str, str, str], tuple[LabelSet, Item]] = {}
    faults = []
    for labels in sets:
        for item in labels.items:
            key = (labels.source, labels.rubric, content_hash(item.turns), item.reference)
            owner, other = first.setdefault(key, (labels, item))
            if owner is not labels:
                said = f"this transcript stands in {owner.file}:{other.line} as {other.id} too; add its ratings there"
                faults.append(Fault(labels.file, item.line, item.id, said))
    return faults


def faults_in(folder: Path, rubrics: Mapping[str, Rubric]) -> list[Fault]:
    """Every fault of the label sets in a folder, and what in them does not fit the rubrics."""
    try:
        return check(load_label_sets(folder), rubrics)
    except CaseError as error:
        return list(error.faults)


def misfits(verdicts: Mapping[str, str], rubric: Rubric) -> list[str]:
    """What a rubric says against verdicts: a criterion that it has not, a verdict that is not on its menu."""
    unknown = [name for name in verdicts if name not in rubric.criterion_names]
    off = {name: each for name, each in verdicts.items() if name not in unknown and each not in rubric.verdicts}
    criteria, menu = ", ".join(rubric.criterion_names), ", ".join(rubric.verdicts)
    said = [f"no criterion {name!r} in the rubric {rubric.name}: {criteria}" for name in unknown]
    return said + [f"{name}: {each!r} is not on the menu: {menu}" for name, each in off.items()]


def _is_set(name: str) -> bool:
    path = Path(name)
    return path.suffix in ("", ".jsonl") and path.name != LEDGER and not path.name.startswith(".")


def _parsed(model: Any, file: str, number: int, line: str, where: str, faults: list[Fault]) -> Any:
    """The line as a `model`; None, and its faults in `faults`, where it is none."""
    try:
        # A key that stands twice is for the careful reader to tell; pydantic's would take the last one.
        json.loads(line, object_pairs_hook=_each_key_once)
        return model.model_validate_json(line)
    except (ValueError, ValidationError, RecursionError):
        pass
    try:
        value = documents.read("line.json", line.encode()).value
    except CaseError as error:
        faults += [Fault(file, number, "", fault.message) for fault in error.faults]
        return None
    named = value.get("item", where) if isinstance(value, dict) else where
    found = parse(model, value, lambda path: number, (), file, named if isinstance(named, str) else where)
    if isinstance(found, list):
        faults += found
        return None
    return found


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _contradictions(item: Item) -> list[str]:
    raters = [rating.rater for rating in item.ratings]
    said = [f"{name!r} rated it twice" for name in dict.fromkeys(raters) if raters.count(name) > 1]
    decided = item.adjudication.verdicts if item.adjudication else ()
    return said + [
        f"the adjudication names {name!r}, on which the raters do not differ; remove it"
        for name in decided
        if name not in item.differing
    ]


def _item(written: _Item, line: int) -> Item:
    turns = tuple(Turn(turn.role, turn.text, turn.tool) for turn in written.transcript)
    ratings = tuple(Rating(each.rater, each.date.isoformat(), each.verdicts, each.note) for each in written.ratings)
    lead = written.adjudication
    decided = lead and Adjudication(lead.lead, lead.date.isoformat(), lead.verdicts, lead.rule)
    place = (written.item, written.case, written.stratum, written.candidate, written.trial, written.kind)
    return Item(*place, written.inclusion, turns, written.reference, ratings, decided, line)


def _plain(item: Item) -> dict[str, Any]:
    lead = item.adjudication
    return {
        **told(item),
        "ratings": [
            {"rater": each.rater, "date": each.date, "verdicts": dict(each.verdicts), "note": each.note}
            for each in item.ratings
        ],
        "adjudication": lead
        and {"lead": lead.lead, "date": lead.date, "verdicts": dict(lead.verdicts), "rule": lead.rule},
    }
