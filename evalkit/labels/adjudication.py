"""Where raters differ: the list for the lead, and what the lead decided, each time by a rule."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from evalkit.errors import CaseError, Fault
from evalkit.labels.answers import changed_cells, verdict_in
from evalkit.labels.cells import readable, shown
from evalkit.labels.csv_table import Row, csv_bytes, read_csv
from evalkit.labels.items import Adjudication, Item, LabelSet
from evalkit.rubrics import Rubric, verdict_key

SHEET = "adjudicate.csv"
DECISION, RULE = "decision", "rule"
Rules = tuple[tuple[str, str], ...]


def undecided_csv(labels: LabelSet) -> tuple[bytes, int]:
    """The sheet of what the raters differ on and the lead has not decided, and how many rows it has.

    A row is one criterion of one item, with both verdicts and notes, an empty decision and an empty rule.
    """
    rows = [_cells(labels, item, criterion) for item in labels.items for criterion in item.undecided]
    return csv_bytes(_columns(labels), rows), len(rows)


def decided(
    labels: LabelSet, rubric: Rubric, sheet: Path, *, lead: str, date: str, replace: bool = False
) -> tuple[LabelSet, Rules]:
    """The label set with the decisions of a sheet, and the rules that they follow from, as (criterion, rule).

    Rows without a decision are left for later. Raises CaseError with every fault: an id or criterion that is not in
    dispute, a row twice, verdicts or words that were changed, a decision off the menu, one without a rule, and one that
    was decided otherwise before, unless `replace` is given.
    """
    rows, _ = read_csv(sheet, _columns(labels))
    faults: list[Fault] = []
    found: dict[tuple[str, str], tuple[str, str]] = {}
    lines: dict[tuple[str, str], int] = {}
    for row in rows:
        name, criterion = row.cells["item"].strip(), row.cells["criterion"].strip()
        item, place = labels.by_id.get(name), (name, criterion)
        said = _row_faults(labels, item, criterion, row, replace)
        if place in lines:
            said.append(f"{criterion} stands in line {lines[place]} already")
        lines.setdefault(place, row.line)
        rule = " ".join(row.cells[RULE].split())
        try:
            verdict = verdict_in(row.cells[DECISION], rubric)
        except ValueError as error:
            verdict = None
            said.append(f"{criterion}: {error}")
        else:
            said += _rule_faults(criterion, verdict, rule)
        faults += [Fault(str(sheet), row.line, name, each) for each in said]
        if verdict is not None:
            found[place] = (verdict, rule)
    if faults:
        raise CaseError(faults)
    items = tuple(
        _with(item, {criterion: each for (name, criterion), each in found.items() if name == item.id}, lead, date)
        for item in labels.items
    )
    rules = tuple(dict.fromkeys((criterion, rule) for (_, criterion), (_, rule) in found.items()))
    return dataclasses.replace(labels, items=items), rules


def _columns(labels: LabelSet) -> tuple[str, ...]:
    raters = _raters(labels)
    said = [column for rater in raters for column in (f"verdict of {rater}", f"note of {rater}")]
    return ("item", "criterion", "kind", "transcript", "golden answer", *said, DECISION, RULE)


def _raters(labels: LabelSet) -> list[str]:
    return sorted({rating.rater for item in labels.items for rating in item.ratings})


def _cells(labels: LabelSet, item: Item, criterion: str) -> dict[str, str]:
    cells = {
        "item": item.id,
        "criterion": criterion,
        "kind": item.kind,
        "transcript": shown(readable(item.turns)),
        "golden answer": shown(item.reference),
    }
    by_rater = {rating.rater: rating for rating in item.ratings}
    for rater in _raters(labels):
        rating = by_rater.get(rater)
        cells[f"verdict of {rater}"] = rating.verdicts.get(criterion, "") if rating else ""
        cells[f"note of {rater}"] = shown(rating.note) if rating else ""
    return cells


def _row_faults(labels: LabelSet, item: Item | None, criterion: str, row: Row, replace: bool) -> list[str]:
    if item is None:
        return [f"this id is not in {labels.file or labels.name}"]
    if criterion not in item.differing:
        return [f"the raters do not differ on {criterion!r}"]
    expected = _cells(labels, item, criterion)
    verdicts = {name: text for name, text in expected.items() if name.startswith("verdict of ")}
    said = changed_cells(row, {name: expected[name] for name in ("kind", "transcript", "golden answer")})
    said += [
        f"the {name} is {text!r}, and {row.cells[name]!r} in the sheet; export it anew"
        for name, text in verdicts.items()
        if verdict_key(row.cells[name]) != verdict_key(text)
    ]
    before = item.adjudication.verdicts.get(criterion) if item.adjudication else None
    now = verdict_key(row.cells[DECISION])
    if before is not None and now not in ("", verdict_key(before)) and not replace:
        said.append(f"{criterion} was decided as {before!r} before; --replace takes the new decision")
    return said


def _rule_faults(criterion: str, verdict: str | None, rule: str) -> list[str]:
    if verdict is not None and not rule:
        return [f"{criterion} is decided without a rule; write the rule that it follows from, for the guide"]
    return [f"{criterion} has a rule and no decision"] if verdict is None and rule else []


def _with(item: Item, found: Mapping[str, tuple[str, str]], lead: str, date: str) -> Item:
    if not found:
        return item
    before = item.adjudication
    kept = {name: said for name, said in before.verdicts.items() if name not in found} if before else {}
    rules = [before.rule] if before and kept else []
    rules += [rule for _, rule in found.values()]
    verdicts = {**kept, **{name: verdict for name, (verdict, _) in found.items()}}
    return dataclasses.replace(item, adjudication=Adjudication(lead, date, verdicts, " / ".join(dict.fromkeys(rules))))
