"""Notebooks become pages only when they ran to their end, and the pages hold nothing that they should not."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import evalkit
from evalkit import report
from evalkit.errors import ReportError
from evalkit.report import archiving, execution, pages, shelf

Notebook = Callable[..., Path]
PARAMETERS = """run: str = "latest"  # a run
threshold: float = 0.5
names: list = []
limit: int = 3
loud: bool = False"""


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    """Writes a notebook of a title, a parameters cell and the given cells; text beginning with # is prose."""

    def write(*cells: str, name: str = "10_test", parameters: str | None = PARAMETERS) -> Path:
        made = [new_markdown_cell("# Which one?")]
        if parameters is not None:
            made.append(new_code_cell(parameters, metadata={"tags": ["parameters"]}))
        made += [new_markdown_cell(cell) if cell.startswith("#") else new_code_cell(cell) for cell in cells]
        path = tmp_path / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        nbformat.write(new_notebook(cells=made), path)
        return path

    return write


def executed(*outputs: Any, source: str = "1") -> nbformat.NotebookNode:
    """A notebook as if its one cell had just shown `outputs`."""
    return new_notebook(cells=[new_code_cell(source, outputs=list(outputs))])


def shows(**data: str) -> Any:
    return new_output("display_data", {name.replace("_", "/", 1): value for name, value in data.items()})


# Parameters


def test_a_misspelt_parameter_is_an_error_that_names_the_known_ones(notebook: Notebook, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"no parameter 'treshold'; it knows run, threshold, names, limit, loud"):
        report.render(notebook(), {"treshold": 0.9}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_notebook_without_a_parameters_cell_is_an_error(notebook: Notebook, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="no cell tagged 'parameters'"):
        report.render(notebook(parameters=None), {}, tmp_path / "out")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", "3"),
        ("limit", True),
        ("limit", 3.5),
        ("loud", "true"),
        ("threshold", "0.5"),
        ("run", 7),
        ("run", None),
        ("names", "a"),
        ("names", (1, 2)),
        ("run", Path("x")),
        ("names", [{1: "a"}]),
        ("names", {"a"}),
        ("run", date(2026, 1, 1)),
    ],
)
def test_a_value_of_another_type_is_an_error(notebook: Notebook, name: str, value: Any) -> None:
    with pytest.raises(ReportError, match=f"parameter '{name}'"):
        execution.parametrized(notebook(), {name: value})


def test_values_arrive_in_the_notebook_as_they_were_given(notebook: Notebook, tmp_path: Path) -> None:
    given = {"run": "007", "threshold": 1, "names": ["1e5", {"a": None}], "limit": -3, "loud": True}
    path = notebook("print([run, threshold, names, limit, loud])")
    report.render(path, given, tmp_path / "out")
    ran = nbformat.read(tmp_path / "out" / "10_test.ipynb", as_version=4)
    assert ran.cells[-1].outputs[0].text.strip() == repr(list(given.values()))
    assert ran.metadata["evalkit"]["parameters"] == given


@pytest.mark.parametrize(
    ("text", "value"),
    [("run=007", "007"), ("run=1e5", "1e5"), ("run=a=b", "a=b"), ("threshold=4.10", 4.1), ("limit=7", 7),
     ("loud=true", True), ('names=["a"]', ["a"])],
)  # fmt: skip
def test_text_is_read_as_the_declared_type_and_never_guessed(notebook: Notebook, text: str, value: Any) -> None:
    read = report.parameters_from_text([text], [notebook()])
    assert list(read.values()) == [value]
    assert type(next(iter(read.values()))) is type(value)


@pytest.mark.parametrize("text", ["limit=7.5", "limit=1_000", "loud=yes", "threshold=nan?", "run", "unknown=1"])
def test_text_that_is_no_such_value_is_an_error(notebook: Notebook, text: str) -> None:
    with pytest.raises(ReportError):
        report.parameters_from_text([text], [notebook()])


@pytest.mark.parametrize("content", ["", "not json", "[]", '{"cells": 3}', "\xff"])
def test_a_file_that_is_no_notebook_is_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.ipynb"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(ReportError, match="is no Jupyter notebook"):
        execution.parametrized(path, {})
    with pytest.raises(ReportError, match="cannot be read"):
        execution.parametrized(tmp_path / "missing.ipynb", {})


# Execution


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("import sys\nsys.exit(0)", r"10_test.ipynb: cell 3 of 4 \(import sys\): it ends the notebook early"),
        ("import os\nos._exit(0)", r"10_test.ipynb: cell 3 of 4 \(import os\): the kernel died"),
        ("first = 1\n1 / 0", r"cell 3 of 4 \(first = 1\): ZeroDivisionError: division by zero"),
        (
            "class A:\n    def _repr_html_(self): raise ValueError('bad')\nA()",
            r"\(class A:\): ValueError: bad$",
        ),
        ("from evalkit.errors import NotMeasured\nraise NotMeasured('no trial\\nof x')", r"\): of x$"),
    ],
    ids=["sys.exit", "dead kernel", "exception", "showing", "evalkit's own"],
)
def test_a_cell_that_does_not_end_well_stops_the_report(
    notebook: Notebook, tmp_path: Path, cell: str, said: str
) -> None:
    with pytest.raises(ReportError, match=said):
        report.render(notebook(cell, "print('after')"), {}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_cells_that_silently_do_nothing_stop_the_report(notebook: Notebook, tmp_path: Path) -> None:
    swallow = "get_ipython().input_transformers_cleanup.append(lambda lines: [])"
    with pytest.raises(ReportError, match="did not run to its end"):
        report.render(notebook(swallow, "1 / 0"), {}, tmp_path / "out")


def test_a_cell_that_is_tagged_as_one_that_may_fail_still_stops_the_report(notebook: Notebook, tmp_path: Path) -> None:
    path = notebook("1 / 0")
    made = nbformat.read(path, as_version=4)
    made.cells[-1].metadata["tags"] = ["raises-exception"]
    nbformat.write(made, path)
    with pytest.raises(ReportError, match="ZeroDivisionError"):
        report.render(path, {}, tmp_path / "out")


def test_a_cell_that_takes_too_long_is_stopped(notebook: Notebook, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"cell 3 of 3 .*: it ran longer than 1 s"):
        report.render(notebook("import time\ntime.sleep(5)"), {}, tmp_path / "out", timeout_s=1)


def test_a_failure_leaves_an_older_page_as_it_was(notebook: Notebook, tmp_path: Path) -> None:
    page = report.render(notebook("print('first')"), {}, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in page.parent.iterdir()}
    with pytest.raises(ReportError):
        report.render(notebook("1 / 0"), {}, tmp_path / "out")
    assert {path.name: path.read_bytes() for path in page.parent.iterdir()} == before


def test_two_renderings_are_the_same_bytes(notebook: Notebook, tmp_path: Path) -> None:
    path = notebook("# How sure?", "print('said')", "{'a': 1}")
    first = report.render(path, {"run": "x"}, tmp_path / "one")
    second = report.render(path, {"run": "x"}, tmp_path / "two")
    assert first.read_bytes() == second.read_bytes()
    assert first.with_suffix(".ipynb").read_bytes() == second.with_suffix(".ipynb").read_bytes()
    assert sorted(path.name for path in first.parent.iterdir()) == ["10_test.html", "10_test.ipynb"]


def test_a_report_can_be_made_inside_a_running_event_loop(notebook: Notebook, tmp_path: Path) -> None:
    async def inside() -> Path:
        return report.render(notebook("1"), {}, tmp_path / "out")

    assert asyncio.run(inside()).is_file()


def test_the_kernel_is_this_python_with_this_evalkit_and_sees_no_secret(
    notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "hf_token", "MY_SECRET", "PGPASSWORD"):
        monkeypatch.setenv(name, "a-very-secret-value")
    other = tmp_path / "kernels" / "python3" / "kernel.json"
    other.parent.mkdir(parents=True)
    other.write_text('{"argv": ["false", "{connection_file}"], "display_name": "other", "language": "python"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", "relative/folder")
    code = (
        "import json, os, sys, evalkit\n"
        "seen = [n for n in os.environ if os.environ[n] == 'a-very-secret-value']\n"
        "same = [sys.executable == expected[0], evalkit.__file__ == expected[1]]\n"
        "print(json.dumps([seen, same, os.environ['EVALKIT_REPORT']]))"
    )
    path = notebook(code, parameters="expected: list = []")
    # The page of this test does hold paths, so that they can be compared.
    monkeypatch.setattr(archiving, "_refuse_betrayal", lambda *_: None)
    here = [str(Path(os.sys.executable)), evalkit.__file__]
    page = report.render(path, {"expected": here}, tmp_path / "out")
    ran = nbformat.read(page.with_suffix(".ipynb"), as_version=4)
    assert json.loads(ran.cells[-1].outputs[0].text) == [[], [True, True], "1"]


# What a page must not hold


def test_a_secret_that_would_stand_in_the_page_stops_it(
    notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_API_KEY", 'sk-"1234<5678')
    with pytest.raises(ReportError, match="the value of ACME_API_KEY would stand in the page"):
        report.render(notebook("'sk-\"1234<' + '5678'"), {}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_path_of_the_store_or_of_the_working_folder_never_stands_in_a_page(
    notebook: Notebook, tmp_path: Path
) -> None:
    with pytest.raises(ReportError, match="the path in EVALKIT_STORE"):
        report.render(notebook("import os; os.environ['EVALKIT_STORE']"), {}, tmp_path / "out")
    with pytest.raises(ReportError, match="the path of a temporary folder"):
        report.render(notebook("import os; os.getcwd()"), {}, tmp_path / "out")


def test_a_warning_is_kept_without_the_folders_of_this_machine(notebook: Notebook, tmp_path: Path) -> None:
    code = "import warnings, evalkit\nwarnings.warn_explicit('careful', UserWarning, evalkit.__file__, 1)"
    page = report.render(notebook(code), {}, tmp_path / "out")
    for text in (page.read_text(), page.with_suffix(".ipynb").read_text()):
        assert "careful" in text
        assert str(Path(evalkit.__file__).parent) not in text
        assert str(tmp_path) not in text


@pytest.mark.parametrize(
    "markup",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<img src="//cdn.example/x.png">',
        "<img src='x.png'>",
        '<link rel="stylesheet" href="https://fonts.example/f.css">',
        '<div style="background: url(http://x.example/)">',
        "<style>@import 'https://x.example/a.css'</style>",
        '<iframe src="https://x.example"></iframe>',
        '<svg><image xlink:href="https://x.example/a.png"/></svg>',
        '<img srcset="https://x.example/a.png 2x">',
    ],
)
def test_an_output_that_would_be_fetched_from_elsewhere_is_refused(markup: str) -> None:
    with pytest.raises(ReportError, match="would fetch"):
        pages.page(executed(shows(text_html=markup)), footer="")


def test_a_link_for_a_reader_to_follow_is_no_fetch() -> None:
    nb = executed(shows(text_html='<a href="https://example.org">there</a> <img alt="" src="data:,">'))
    assert "https://example.org" in pages.page(nb, footer="")


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    "output",
    [
        new_output("stream", name="stdout", text=HOSTILE),
        new_output("stream", name="stderr", text=HOSTILE),
        new_output("error", ename="E", evalue="e", traceback=[HOSTILE]),
        shows(text_plain=HOSTILE),
        shows(text_markdown=HOSTILE),
        shows(text_markdown=f"[a](javascript:alert(1)) {HOSTILE}"),
    ],
    ids=["stdout", "stderr", "error", "plain", "markdown", "markdown link"],
)
def test_text_that_a_cell_shows_is_no_markup(output: Any) -> None:
    page = pages.page(executed(output), footer="")
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert 'href="javascript' not in page
    assert "&lt;script&gt;" in page


def test_hostile_titles_code_and_footers_are_no_markup() -> None:
    nb = new_notebook(cells=[new_markdown_cell("# `</title>" + HOSTILE + "`"), new_code_cell(f"'{HOSTILE}'")])
    page = pages.page(nb, footer=HOSTILE)
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_only_the_scripts_of_the_page_itself_may_run() -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', pages.page(executed(), footer=""))
    assert policy
    assert "default-src 'none'" in policy[1].replace("&#39;", "'")
    assert "script-src 'none'" in policy[1].replace("&#39;", "'")


def test_the_drawing_library_stands_once_in_a_page_with_charts_and_not_at_all_in_one_without() -> None:
    pytest.importorskip("altair")
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "mark": "point",
        "description": "one point",
        "data": {"values": [{"a": 1}]},
        "encoding": {"x": {"field": "a", "type": "quantitative"}},
    }
    chart = new_output("display_data", {pages.MIME: spec, "text/plain": "<Chart>"})
    nb = executed(chart, chart)
    pages.illustrate(nb)
    page = pages.page(nb, footer="")
    assert page.count("window.vegaEmbed=") == 1
    assert page.count('class="ek-static"') == 2
    assert "window.vegaEmbed=" not in pages.page(executed(shows(text_plain="x")), footer="")


def test_a_chart_that_cannot_be_drawn_names_its_cell() -> None:
    chart = new_output("display_data", {pages.MIME: {"mark": "no such mark", "data": {"values": []}}})
    with pytest.raises(ReportError, match="cell 1: a chart cannot be drawn"):
        pages.illustrate(executed(chart))


# The frame of a page


def test_headings_of_one_name_have_anchors_of_their_own() -> None:
    source = "# Top\n\n## Costs\n\n### Costs\n\n## Umlaute äöü & <b>bold</b>\n\n#### Deep"
    page = pages.page(new_notebook(cells=[new_markdown_cell(source)]), footer="")
    contents = page.partition("</nav>")[0]
    assert re.findall(r'<li class="level-\d"><a href="#([^"]+)">([^<]+)</a>', contents) == [
        ("costs", "Costs"), ("costs-2", "Costs"), ("umlaute-äöü-bold", "Umlaute äöü &amp; bold"),
    ]  # fmt: skip
    assert page.count('id="costs"') == page.count('id="costs-2"') == 1
    assert "<title>Top</title>" in page


def test_code_of_cells_that_show_nothing_is_folded_in_with_the_next() -> None:
    shown = new_code_cell("second", outputs=[shows(text_plain="x")])
    page = pages.page(new_notebook(cells=[new_code_cell("first"), shown, new_code_cell("third")]), footer="")
    folds = re.findall(r'<details class="code">.*?</details>', page, re.DOTALL)
    assert [[word for word in ("first", "second", "third") if word in fold] for fold in folds] == [
        ["first", "second"], ["third"],
    ]  # fmt: skip


# An archive and the shelf it stands on


@pytest.fixture
def run(shop: Path) -> evalkit.Run:
    """A small run, played offline."""
    return evalkit.run(shop / "shootouts" / "small.yaml", quiet=True)


READS = "from evalkit import load_run\nfound = load_run(run)\nprint(found.id, found.judged.height, threshold)"


def test_a_report_is_a_folder_with_pages_rows_and_manifest_and_stands_in_the_index(
    notebook: Notebook, run: evalkit.Run, tmp_path: Path
) -> None:
    out = tmp_path / "reports"
    two = [notebook(READS), notebook("print(run)", name="20_other", parameters='run: str = ""')]
    folder = report.report(run, out, two, {"threshold": 0.25})
    assert re.fullmatch(rf"\d{{4}}-\d\d-\d\d-small-{run.id[:8]}", folder.name)
    assert {"10_test.html", "10_test.ipynb", "20_other.html", "manifest.json"} <= {p.name for p in folder.iterdir()}
    assert f"{run.id} {run.judged.height} 0.25" in (folder / "10_test.html").read_text()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["run"] == run.id
    assert manifest["complete"] is True
    assert manifest["notebooks"]["10_test"] == {"run": run.id, "threshold": 0.25}
    assert manifest["headline"] in (out / "index.html").read_text()
    assert f'href="{folder.name}/10_test.html"' in (out / "index.html").read_text()
    for file in folder.iterdir():
        assert str(tmp_path).encode() not in file.read_bytes()

    # Once more: the folder is replaced as a whole, and nothing is left beside it.
    (folder / "stray.txt").write_text("x")
    assert report.report(run, out, two[:1]) == folder
    assert not (folder / "stray.txt").exists()
    assert not (folder / "20_other.html").exists()
    assert sorted(path.name for path in out.iterdir()) == sorted([folder.name, "index.html"])

    # A report that cannot be made leaves the one that is there.
    with pytest.raises(ReportError):
        report.report(run, out, [notebook("1 / 0")])
    assert (folder / "10_test.html").is_file()
    assert sorted(path.name for path in out.iterdir()) == sorted([folder.name, "index.html"])


def test_a_parameter_that_no_notebook_has_is_an_error(notebook: Notebook, run: evalkit.Run, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"no notebook has a parameter 'treshold'. 10_test.ipynb: run, threshold"):
        report.report(run, tmp_path / "reports", [notebook()], {"treshold": 1})
    with pytest.raises(ReportError, match="no parameter 'run'"):
        report.report(run, tmp_path / "reports", [notebook(parameters="threshold: float = 1.0")])


def test_a_notebook_is_found_by_name_or_path_and_the_playing_one_is_not_rendered_by_default(
    notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook(name="00_start")
    path = notebook(name="10_shootout")
    monkeypatch.chdir(tmp_path)
    assert report.find_notebooks() == [Path("notebooks/10_shootout.ipynb")]
    assert report.find_notebooks(["10_shootout"]) == [Path("notebooks/10_shootout.ipynb")]
    assert report.find_notebooks([path, "00_start.ipynb"]) == [path, Path("notebooks/00_start.ipynb")]
    with pytest.raises(ReportError, match="holds 00_start, 10_shootout"):
        report.find_notebooks(["11_shootout"])
    with pytest.raises(ReportError, match="have one name"):
        report.find_notebooks([path, "10_shootout"])


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("small", "2026-11-03-small-01234567"),
        ("../a/b c", "2026-11-03-a-b-c-01234567"),
        ("...", "2026-11-03-run-01234567"),
        ("für uns", "2026-11-03-für-uns-01234567"),
    ],
)
def test_a_folder_name_holds_nothing_that_a_file_system_stumbles_over(name: str, folder: str) -> None:
    assert report.folder_name("2026-11-03T10:00:00+00:00", name, "0123456789") == folder


def archived(out: Path, folder: str, manifest: dict[str, Any] | str, *pages: str) -> None:
    (out / folder).mkdir(parents=True)
    text = manifest if isinstance(manifest, str) else json.dumps(manifest)
    (out / folder / "manifest.json").write_text(text)
    for page in pages:
        (out / folder / page).write_text("x")


def test_the_index_lists_every_report_newest_first_and_escapes_what_they_say(tmp_path: Path) -> None:
    old = {
        "name": "old",
        "date": "2026-01-01T10:00:00",
        "run": "a" * 64,
        "headline": "Old won.",
        "complete": True,
    }
    new = {
        "name": HOSTILE,
        "date": "2026-02-01T10:00:00",
        "run": "b" * 64,
        "headline": HOSTILE,
        "complete": False,
    }
    archived(tmp_path, "2026-01-01-old-aaaaaaaa", old, "10_shootout.html", "20_x.html")
    archived(tmp_path, "2026-02-01-a b#c", new, "10_shootout.html")
    archived(tmp_path, "2025-01-01-torn", "{", "10_shootout.html")
    archived(tmp_path, "2025-01-02-list", "[]")
    archived(tmp_path, ".report-half", old)
    (tmp_path / "store").mkdir()
    assert [entry.folder[:10] for entry in shelf.entries(tmp_path)] == [
        "2026-02-01", "2026-01-01", "2025-01-02", "2025-01-01",
    ]  # fmt: skip
    text = shelf.write_index(tmp_path).read_text()
    assert "<script" not in text
    assert "<img" not in text
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 2
    assert 'href="2026-02-01-a%20b%23c/10_shootout.html"' in text
    assert text.index("INCOMPLETE") < text.index("Old won.")
    assert text.count("manifest cannot be read") == 2


def test_an_empty_shelf_says_so(tmp_path: Path) -> None:
    assert "No report is archived here yet." in shelf.write_index(tmp_path).read_text()
