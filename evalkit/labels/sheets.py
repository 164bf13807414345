"""What goes out to raters: a sheet for each, blind to candidate and grader, and the key, which stays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.errors import CaseError
from evalkit.labels.cells import readable, shown
from evalkit.labels.csv_table import csv_bytes
from evalkit.labels.drawing import chance
from evalkit.labels.files import label_text
from evalkit.labels.items import Item, LabelSet
from evalkit.labels.writing import replace

if TYPE_CHECKING:
    from evalkit.rubrics import Rubric

KEY, READ_ME = "key.jsonl", "README.txt"
FIXED = ("item", "rater", "kind", "transcript", "golden answer")
NOTE = "note"
_RATER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def sheet_columns(rubric: Rubric) -> tuple[str, ...]:
    """The header of a rater's sheet: what is rated, an empty column for each criterion, and a note.

    Raises CaseError where a criterion is named like another column.
    """
    if taken := {*FIXED, NOTE} & set(rubric.criterion_names):
        raise CaseError(f"rubric {rubric.name}: a sheet has a column {min(taken)!r} of its own; rename the criterion")
    return (*FIXED, *rubric.criterion_names, NOTE)


def fixed_cells(item: Item, rater: str) -> dict[str, str]:
    """What stands in an item's row before anybody rates it; no candidate, no verdict and no probability."""
    words = shown(readable(item.turns))
    values = (item.id, rater, item.kind, words, shown(item.reference))
    return dict(zip(FIXED, values, strict=True))


def write_sheets(key: LabelSet, rubric: Rubric, raters: Sequence[str], folder: Path) -> tuple[Path, ...]:
    """Write a sheet for each rater, what they must know, and the key; the paths of all.

    Each rater gets the rows in another order. Raises CaseError for names that make no file, and where a file is there
    already: it may hold somebody's work.
    """
    _check_raters(raters)
    columns, seed = sheet_columns(rubric), key.drawn_from["seed"]
    paths = {rater: folder / f"{rater}.csv" for rater in raters}
    read_me, kept = folder / READ_ME, folder / KEY
    if there := [path for path in (*paths.values(), read_me, kept) if path.exists()]:
        raise CaseError(f"{there[0]} is there already and may hold somebody's work; name another folder with --out")
    for rater, path in paths.items():
        items = sorted(key.items, key=lambda item: chance("row", seed, rater, item.id))
        replace(path, csv_bytes(columns, [fixed_cells(item, rater) for item in items]))
    replace(read_me, explained(rubric).encode())
    replace(kept, label_text(key).encode())
    return (*paths.values(), read_me, kept)


def explained(rubric: Rubric) -> str:
    """What a rater must know, as a text file beside the sheets."""
    asks = "\n".join(f"  {each.name}: {' '.join(each.asks.split())}" for each in rubric.criteria)
    menu = "\n".join(f"  {each.verdict}: {' '.join(each.means.split())}" for each in rubric.menu)
    return _EXPLAINED.format(asks=asks, menu=menu, verdicts=", ".join(rubric.verdicts), criteria=_listed(rubric))


def _listed(rubric: Rubric) -> str:
    return ", ".join(rubric.criterion_names)


def _check_raters(raters: Sequence[str]) -> None:
    if not raters:
        raise CaseError("no rater is named; write --raters rater-a,rater-b")
    for name in raters:
        if not _RATER.fullmatch(name):
            raise CaseError(f"{name!r} names no rater: letters, digits, '.', '_' and '-', 64 at most")
    folded = [name.casefold() for name in raters]
    if len(set(folded)) < len(folded):
        raise CaseError(f"a rater is named twice: {', '.join(raters)}")


_EXPLAINED = """\
How to fill in your sheet

Open the file with your name in any spreadsheet. Each row is one transcript, with the golden answer beside it: what a
good answer would be. Write a verdict into each of the columns {criteria}; leave a cell empty
where you have not decided yet. "note" is for whatever the others should know. Judge alone: do not compare sheets.

What is asked

{asks}

The verdicts ({verdicts})

{menu}

Change nothing else: no other cell, no column, no id. Rows may be sorted, as whole rows. Save as CSV UTF-8 (Excel:
"CSV UTF-8 (Comma delimited)"); commas, semicolons and tabs are all read. In a transcript the words of each turn are
indented below its head; "CALL" is a tool that the agent called, "RESULT" what came back. An apostrophe before a cell
that begins with = + - or @ keeps a spreadsheet from taking it for a formula, and belongs to nobody's words.
"""
