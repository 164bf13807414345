"""The notebooks: short cells, one question, nothing committed that a run made, and each runs on a small run."""

from __future__ import annotations

import ast
import asyncio
import itertools
import re
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT

from evalkit.plan import plan
from evalkit.report import render
from evalkit.report.execution import executed, parametrized
from evalkit.runner import play_plan
from evalkit.store import Store

NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))
# An interactive one reads a rater's sheet, and has a test of its own.
RENDERED = [path for path in NOTEBOOKS if path.parent.name != "interactive"]
ON_GRADERS = ("30_grader_agreement", "50_calibration")
FORBIDDEN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.AsyncFor, ast.Try, ast.Lambda)
FORBIDDEN += (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.If)
# Cells that set up and show nothing need no question before them.
SILENT = re.compile(r"^(from|import|\w+ = )", re.MULTILINE)


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def code(path: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.name)
def path(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_the_notebooks_are_there() -> None:
    assert {"00_start.ipynb", "10_shootout.ipynb"} <= {path.name for path in NOTEBOOKS}


def test_nothing_that_a_run_made_is_committed(path: Path) -> None:
    nbformat.validate(read(path))
    text = path.read_text("utf-8")
    for cell in code(path):
        assert (cell.outputs, cell.execution_count) == ([], None)
    assert not re.search(r"/home/|/root/|/Users/|/work/|/tmp/|[A-Z]:\\\\", text)
    assert set(read(path).metadata) <= {"kernelspec", "language_info"}


def test_the_title_asks_a_question_and_the_purpose_follows(path: Path) -> None:
    first = read(path).cells[0]
    title, _, purpose = first.source.partition("\n\n")
    assert first.cell_type == "markdown"
    assert re.fullmatch(r"# [^\n]+\?", title)
    assert purpose.strip()


def test_the_second_cell_alone_holds_the_parameters_a_line_each_with_help(path: Path) -> None:
    cells = read(path).cells
    assert [i for i, cell in enumerate(cells) if "parameters" in cell.metadata.get("tags", [])] == [1]
    lines = cells[1].source.splitlines()
    # A single such line is the magic %run or %store to IPython.
    assert len(lines) > 1
    for line in lines:
        assert re.fullmatch(r"\w+: (str|int|float|bool|list|dict)( \| None)? = .+  # .+", line), line


def test_the_third_cell_imports(path: Path) -> None:
    tree = ast.parse(read(path).cells[2].source)
    assert isinstance(tree.body[0], ast.Import | ast.ImportFrom)


def test_cells_are_short_and_only_call(path: Path) -> None:
    assert len(read(path).cells) <= 36
    for cell in code(path):
        assert len(cell.source.splitlines()) <= 8
        tree = ast.parse(cell.source)
        assert not [node for node in ast.walk(tree) if isinstance(node, FORBIDDEN)], cell.source
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.BinOp | ast.AugAssign)], cell.source
        assert not re.search(r"^\s*[%!]|warnings", cell.source, re.MULTILINE), cell.source


def test_a_question_or_a_reason_stands_before_everything_shown(path: Path) -> None:
    cells = read(path).cells
    for before, cell in itertools.pairwise(cells[2:]):
        if cell.cell_type == "code" and not SILENT.match(cell.source):
            assert before.cell_type == "markdown", cell.source


def test_prose_holds_no_number_that_code_should_compute(path: Path) -> None:
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            prose = re.sub(r"`[^`]*`|95 %|\b\d\d_\w+", "", cell.source)
            assert not re.search(r"\d", prose), prose


@pytest.mark.parametrize("path", RENDERED, ids=lambda path: path.name)
def test_each_runs_from_a_small_run(path: Path, shop: Path, tmp_path: Path) -> None:
    store = tmp_path / "notebook.sqlite"
    if path.name.startswith("00_"):
        text = played(path, shop, store, tmp_path / "kernel")
    else:
        with Store(store) as opened:
            play_plan(plan(shop / "shootouts/small.yaml"), opened)
        text = render(path, {"run": "latest"}, tmp_path / "out", store=store).read_text("utf-8")
    # The small run has no grader, and a page on graders says so.
    assert ("no grader" in text.replace("`", "")) if path.stem in ON_GRADERS else ("steady" in text)
    assert "Traceback (most recent call last)" not in text


def played(path: Path, shop: Path, store: Path, folder: Path) -> str:
    """What the notebook that plays a run shows; its parameters are paths, which a page would refuse to hold."""
    given = {"shootout": str(shop / "shootouts/small.yaml"), "suite": str(shop), "stratum": "orders", "trials": 2}
    folder.mkdir()
    environment = {"EVALKIT_STORE": str(store)}
    node = parametrized(path, given)
    return str(asyncio.run(executed(node, path.name, folder=folder, timeout_s=120, environment=environment)).cells)
