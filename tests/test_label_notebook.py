"""The desk: one item at a time, escaped, and each rating in the sheet the moment it is made."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT
from test_labels import RUBRIC

from evalkit.errors import CaseError
from evalkit.grading.turns import Turn
from evalkit.labels import open_sheet
from evalkit.labels.csv_table import csv_bytes, read_csv
from evalkit.labels.desk import Desk
from evalkit.labels.items import Item, LabelSet
from evalkit.labels.sheets import sheet_columns, write_sheets
from evalkit.report.execution import executed, parametrized

NOTEBOOK = ROOT / "notebooks/interactive/label.ipynb"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>{0}{title}"
RUBRIC_FILE = """
    menu:
      - {verdict: 1, means: Harmful., passes: false}
      - {verdict: 5, means: Ideal., passes: true}
    criteria:
      - {name: correctness, asks: Is it right?}
      - {name: tone, asks: Is it polite?}
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    items = tuple(
        Item(
            f"L00{n}",
            "C",
            "s",
            "steady-secret",
            0,
            "ticket",
            0.5,
            (Turn("customer", f"=1 {HOSTILE} {n}"), Turn("agent", "Yes")),
            HOSTILE,
        )
        for n in (1, 2, 3)
    )
    key = LabelSet("k", "people", RUBRIC.name, "", {"run": "f" * 64, "seed": 1, "raters": ["ann"]}, items)
    write_sheets(key, RUBRIC, ["ann"], tmp_path / "sheets")
    return Desk(tmp_path / "sheets/ann.csv", RUBRIC)


def rows(desk: Desk) -> dict[str, dict[str, str]]:
    return {row.cells["item"]: dict(row.cells) for row in read_csv(desk.path, sheet_columns(RUBRIC))[0]}


def named(desk: Desk) -> str:
    return re.search(r"L00\d", desk.show().html)[0]


def test_the_desk_shows_the_first_item_that_is_not_rated_and_nothing_of_the_candidate(desk: Desk) -> None:
    page = desk.show()._repr_html_()
    assert "0 of 3 items rated" in page
    assert all(words in page for words in ("Is it right?", "Half right.", "CUSTOMER", "desk.rate("))
    assert "steady-secret" not in page


def test_what_a_transcript_says_is_escaped(desk: Desk) -> None:
    page = desk.show().html
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "{0}{title}" in page


def test_a_rating_is_in_the_sheet_at_once_and_the_next_item_appears(desk: Desk) -> None:
    first = named(desk)
    page = desk.rate(first, correctness=4, tone=5.0, note="=fine")
    assert "1 of 3 items rated" in page.html
    assert first not in page.html
    row = rows(desk)[first]
    assert (row["correctness"], row["tone"], row["note"]) == ("4", "5", "=fine")
    assert b"'=fine" in desk.path.read_bytes()


def test_a_rating_leaves_all_other_cells_and_the_separator_as_they_are(desk: Desk) -> None:
    columns = sheet_columns(RUBRIC)
    desk.path.write_bytes(csv_bytes(columns, list(rows(desk).values()), ";"))
    before, first = rows(desk), named(desk)
    desk.rate(first, correctness="3")
    assert rows(desk) == before | {first: before[first] | {"correctness": "3"}}
    assert b"item;rater;kind" in desk.path.read_bytes()


def test_an_item_may_be_rated_again_or_emptied_and_none_leaves_it(desk: Desk) -> None:
    first = named(desk)
    desk.rate(first, correctness=4, tone=5)
    desk.rate(first, correctness=2, tone=None)
    assert (rows(desk)[first]["correctness"], rows(desk)[first]["tone"]) == ("2", "5")
    assert first in desk.rate(first, correctness="", tone="").html
    assert rows(desk)[first]["correctness"] == ""


@pytest.mark.parametrize(
    ("item", "verdicts", "said"),
    [
        ("L009", {"correctness": 4}, "no rows of item 'L009'"),
        ("", {"correctness": 4}, "write the id that is shown"),
        ("L001", {"correctness": 6}, "correctness: '6' is not on the menu"),
        ("L001", {"correctness": True}, "'True' is not on the menu"),
        ("L001", {"correctness": 4, "mood": 4}, "no criterion 'mood'; the rubric asks for correctness, tone"),
    ],
)
def test_what_cannot_be_written_is_refused_and_nothing_is(desk: Desk, item: str, verdicts: dict, said: str) -> None:
    before = desk.path.read_bytes()
    with pytest.raises(CaseError, match=re.escape(said)):
        desk.rate(item, **verdicts)
    assert desk.path.read_bytes() == before


def test_the_desk_says_when_every_item_is_rated(desk: Desk) -> None:
    for name in rows(desk):
        page = desk.rate(name, correctness=4, tone=4)
    assert "Every item is rated." in page.html
    assert "3 of 3" in desk.show().html


def test_a_sheet_opens_with_the_suites_rubric(write, desk: Desk) -> None:
    shop = write({"rubrics/quality.yaml": RUBRIC_FILE})
    assert open_sheet(desk.path, "quality", shop).rubric.verdicts == ("1", "5")
    with pytest.raises(CaseError, match="no rubric 'other'"):
        open_sheet(desk.path, "other", shop)
    with pytest.raises(CaseError, match="cannot be read"):
        open_sheet(desk.path.with_name("none.csv"), "quality", shop)


def test_a_sheet_is_found_from_the_folder_of_the_notebook(write, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    project = write(
        {"cases/rubrics/quality.yaml": RUBRIC_FILE, "Makefile": "", "cases/suite.yaml": "name: p"},
        folder="p",
        base=False,
    )
    (project / "notebooks/interactive").mkdir(parents=True)
    (project / "reports/labels").mkdir(parents=True)
    desk.path.rename(project / "reports/labels/ann.csv")
    monkeypatch.chdir(project / "notebooks/interactive")
    assert "0 of 3" in open_sheet("reports/labels/ann.csv", "quality").show().html


def run(shop: Path, desk: Desk, folder: Path, rate: str) -> list:
    node = parametrized(NOTEBOOK, {"sheet": str(desk.path), "rubric": "quality", "suite": str(shop)})
    for cell in node.cells:
        if cell.source.startswith("desk.rate("):
            cell.source = rate or cell.source
    folder.mkdir()
    return asyncio.run(executed(node, "label", folder=folder, timeout_s=120, environment={})).cells


def test_the_notebook_runs_as_it_is_and_rates_nothing_by_itself(write, desk: Desk, tmp_path: Path) -> None:
    shop, before = write({"rubrics/quality.yaml": RUBRIC_FILE}), rows(desk)
    first = named(desk)
    cells = run(shop, desk, tmp_path / "kernel", "")
    shown = [str(cell.outputs) for cell in cells if cell.cell_type == "code" and cell.outputs]
    assert len(shown) == 2
    assert all(first in each and "0 of 3 items rated" in each for each in shown)
    assert rows(desk) == before


def test_a_rating_made_in_the_notebook_is_in_the_sheet(write, desk: Desk, tmp_path: Path) -> None:
    shop, first = write({"rubrics/quality.yaml": RUBRIC_FILE}), named(desk)
    cells = run(shop, desk, tmp_path / "kernel", f'desk.rate("{first}", correctness=5, tone=1, note="n")')
    assert "1 of 3 items rated" in str(cells[-2].outputs)
    assert (rows(desk)[first]["correctness"], rows(desk)[first]["tone"]) == ("5", "1")


def test_the_notebook_keeps_the_rules_of_all_notebooks() -> None:
    node = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(node)
    code = [cell for cell in node.cells if cell.cell_type == "code"]
    assert all(
        not cell.outputs and cell.execution_count is None and len(cell.source.splitlines()) <= 8 for cell in code
    )
    assert not re.search(
        r"^\s*(for|while|def|class|if|try|lambda)\b", "\n".join(cell.source for cell in code), re.MULTILINE
    )
