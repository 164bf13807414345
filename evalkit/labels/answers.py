"""What raters wrote into their sheets, taken back: every fault at once, and nothing that was said before lost."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.errors import CaseError, Fault
from evalkit.labels.cells import same
from evalkit.labels.csv_table import Row, read_csv
from evalkit.labels.items import Adjudication, Item, LabelSet, Rating, Source
from evalkit.labels.sheets import NOTE, fixed_cells, sheet_columns

if TYPE_CHECKING:
    from evalkit.rubrics import Rubric

_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=0+$)")


@dataclass(frozen=True)
class Answer:
    """What one row of a sheet says: the verdicts that were written, by criterion, and where the row stands."""

    item: str
    rater: str
    verdicts: Mapping[str, str]
    note: str
    file: str
    line: int


def read_sheets(key: LabelSet, rubric: Rubric, sheets: Sequence[Path]) -> tuple[Answer, ...]:
    """The answers of raters' sheets; cells left empty are not rated yet, and rows may be missing.

    Raises CaseError with every fault of every sheet: a changed or unknown id, one that stands twice, an unknown rater,
    a changed transcript, a verdict off the menu, a missing column, a file that is no CSV in UTF-8.
    """
    faults: list[Fault] = []
    answers: dict[tuple[str, str], Answer] = {}
    for path in sheets:
        for answer in _answers(key, rubric, path, faults):
            before = answers.get((answer.item, answer.rater))
            answers[answer.item, answer.rater] = _joined(before, answer, faults) if before else answer
    if faults:
        raise CaseError(faults)
    return tuple(answers.values())


def merged(
    key: LabelSet,
    answers: Sequence[Answer],
    before: LabelSet | None = None,
    *,
    name: str,
    source: Source,
    date: str,
    replace: bool = False,
) -> LabelSet:
    """The label set of a key with the answers, and with what was read `before`.

    A verdict that was given before and is another now is a fault, unless `replace` takes the new one, which also undoes
    what the lead decided of it. An empty cell takes nothing back. New ratings are of `date`, YYYY-MM-DD. Raises
    CaseError with every such fault, and where `before` was drawn otherwise than the key, or has another source.
    """
    faults = _mismatches(key, before, source) if before else []
    by_item: dict[str, list[Answer]] = {}
    for answer in answers:
        by_item.setdefault(answer.item, []).append(answer)
    items = []
    for drawn in key.items:
        item = (
            before.by_id.get(drawn.id, drawn) if before else dataclasses.replace(drawn, ratings=(), adjudication=None)
        )
        for answer in by_item.get(drawn.id, ()):
            item = _with(item, answer, date, replace, faults)
        items.append(item)
    if faults:
        raise CaseError(faults)
    return LabelSet(name, source, key.rubric, before.about if before else key.about, key.drawn_from, tuple(items))


def verdict_in(cell: str, rubric: Rubric) -> str | None:
    """The verdict in a cell, None where it is empty; raises ValueError where it is not on the menu.

    A whole number as spreadsheets like to write it, 4.0 or 4,0, is that number.
    """
    text = cell.strip()
    if not text:
        return None
    verdict = rubric.verdict_of(_DECIMAL_COMMA.sub(".", text))
    if verdict is None:
        said = text if len(text) <= 40 else f"{text[:39]}…"
        raise ValueError(f"{said!r} is not on the menu: {', '.join(rubric.verdicts)}")
    return verdict


def changed_cells(row: Row, expected: Mapping[str, str]) -> list[str]:
    """What is wrong with the cells of a row that nobody was to change."""
    return [
        f"the {name} was changed, or the rows were sorted by some columns alone; begin with a fresh sheet"
        for name, text in expected.items()
        if not same(row.cells[name], text)
    ]


def _answers(key: LabelSet, rubric: Rubric, path: Path, faults: list[Fault]) -> list[Answer]:
    file = str(path)
    try:
        rows, _ = read_csv(path, sheet_columns(rubric))
    except CaseError as error:
        faults += error.faults or [Fault(file, None, "", str(error))]
        return []
    raters = key.drawn_from.get("raters") or {row.cells["rater"].strip() for row in rows[:1]} - {""}
    found: list[Answer] = []
    first: dict[str, int] = {}
    owner = rows[0].cells["rater"].strip() if rows else ""
    for row in rows:
        name, rater = row.cells["item"].strip(), row.cells["rater"].strip()
        item, said = key.by_id.get(name), []
        if item is None:
            said.append("this id is not in the key; ids must stay as they are")
        elif name in first:
            said.append(f"this id stands in line {first[name]} already")
        else:
            said += changed_cells(row, {**fixed_cells(item, rater), "item": row.cells["item"]})
        if rater not in raters:
            said.append(f"unknown rater {rater!r}; the key names {', '.join(raters) or 'none'}")
        elif rater != owner:
            said.append(f"a row of {rater} in the sheet of {owner}")
        verdicts = {}
        for criterion in rubric.criterion_names:
            try:
                verdicts[criterion] = verdict_in(row.cells[criterion], rubric)
            except ValueError as error:
                said.append(f"{criterion}: {error}")
        faults += [Fault(file, row.line, name, each) for each in said]
        first.setdefault(name, row.line)
        given = {criterion: verdict for criterion, verdict in verdicts.items() if verdict is not None}
        found.append(Answer(name, rater, given, row.cells[NOTE].strip(), file, row.line))
    return found


def _joined(before: Answer, now: Answer, faults: list[Fault]) -> Answer:
    """Two sheets of one rater as one; what they say differently is a fault."""
    for criterion, verdict in now.verdicts.items():
        if before.verdicts.get(criterion, verdict) != verdict:
            said = f"{criterion}: {verdict!r} here, {before.verdicts[criterion]!r} in {before.file}:{before.line}"
            faults.append(Fault(now.file, now.line, now.item, said))
    return dataclasses.replace(now, verdicts={**before.verdicts, **now.verdicts}, note=now.note or before.note)


def _mismatches(key: LabelSet, before: LabelSet, source: Source) -> list[Fault]:
    file = before.file
    faults = []
    if before.source != source:
        faults.append(Fault(file, 1, "", f"its labels are of source {before.source!r}, not {source!r}"))
    if before.rubric != key.rubric:
        faults.append(Fault(file, 1, "", f"its rubric is {before.rubric!r}, the key's {key.rubric!r}"))
    drawn = {item.id: dataclasses.replace(item, ratings=(), adjudication=None) for item in before.items}
    for item in key.items:
        if drawn.pop(item.id, None) != dataclasses.replace(item, ratings=(), adjudication=None):
            said = "is another transcript than in the key; write the labels of another draw into another file"
            faults.append(Fault(file, before.by_id[item.id].line if item.id in before.by_id else 1, item.id, said))
    return faults + [Fault(file, before.by_id[name].line, name, "is not in the key") for name in drawn]


def _with(item: Item, answer: Answer, date: str, replace: bool, faults: list[Fault]) -> Item:
    old = next((rating for rating in item.ratings if rating.rater == answer.rater), None)
    if old is None:
        if not (answer.verdicts or answer.note):
            return item
        rating = Rating(answer.rater, date, answer.verdicts, answer.note)
        return _settled(dataclasses.replace(item, ratings=(*item.ratings, rating)), ())
    changed = [name for name, verdict in answer.verdicts.items() if old.verdicts.get(name, verdict) != verdict]
    for name in changed if not replace else ():
        said = f"{name}: {answer.verdicts[name]!r} now, {old.verdicts[name]!r} before; --replace takes the new verdict"
        faults.append(Fault(answer.file, answer.line, item.id, said))
    verdicts, note = {**old.verdicts, **answer.verdicts}, answer.note or old.note
    rating = Rating(old.rater, date if changed or not old.verdicts else old.date, verdicts, note)
    ratings = tuple(rating if each is old else each for each in item.ratings)
    return _settled(dataclasses.replace(item, ratings=ratings), changed)


def _settled(item: Item, changed: Sequence[str]) -> Item:
    """The item without the lead's decisions on what was rated anew, or is no longer in dispute."""
    lead = item.adjudication
    if lead is None:
        return item
    kept = {name: said for name, said in lead.verdicts.items() if name in item.differing and name not in changed}
    decided = Adjudication(lead.lead, lead.date, kept, lead.rule) if kept else None
    return dataclasses.replace(item, adjudication=decided)
