"""An archive whose manifest is malformed: one line that names the key, whatever it holds, and never a traceback."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import evalkit
from evalkit.archive import MANIFEST, SUITE, read
from evalkit.cli import app
from evalkit.errors import StoreError

VALUES = (None, True, 0, -1, 1.5, "", "x", [], ["x"], {}, {"x": 1}, [{"name": 3}], [[1, 2]], 10**20)
KEYS = (
    "run", "name", "started", "trials", "repeats", "reruns", "candidates", "stopped", "sample", "suite", "purposes",
    "judged_by", "baseline", "shootout", "commit", "commit_signed", "date", "versions", "imported", "series", "spent",
    "budget", "complete", "headline", "notebooks", "grading_stopped",
)  # fmt: skip


@pytest.fixture
def archived(shop: Path, tmp_path: Path) -> Path:
    run = evalkit.run(shop / "shootouts/small.yaml", quiet=True)
    folder = tmp_path / "archived"
    folder.mkdir()
    run.archive(folder, date="2026-11-30T10:00:00+00:00", complete=True)
    return folder


def rewrite(folder: Path, **changes: Any) -> None:
    file = folder / MANIFEST
    kept = file.with_name("kept.json")
    if not kept.is_file():
        shutil.copy(file, kept)
    file.write_text(json.dumps({**json.loads(kept.read_text()), **changes}))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"trials": 0}, "trials: 0, and there are slots"),
        ({"trials": -2}, "trials: "),
        ({"trials": True}, "trials: "),
        ({"repeats": True}, "repeats: "),
        ({"repeats": 10**9}, "repeats: "),
        ({"reruns": {"steady": {"orders": 0}}}, "reruns.steady.orders: "),
        ({"candidates": [{}]}, "candidates.0.name: "),
        ({"candidates": [{"name": "nobody"}]}, "candidates: '"),
        ({"candidates": 3}, "candidates: "),
        ({"stopped": ["x"]}, "stopped: "),
        ({"sample": {"name": None, "draw": "ten"}}, "sample.draw: "),
        ({"run": 7}, "run: "),
        ({"purposes": [["a"]]}, "purposes.0"),
        ({"judged_by": 3}, "judged_by"),
        ({"suite": {"name": "shop", "snapshot": "s", "cases": "many"}}, "suite.cases: "),
        ({"date": "yesterday"}, "date: "),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_in_one_line_that_names_the_key(
    archived: Path, tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    rewrite(archived, **changes)
    packed = tmp_path / "archived.zip"
    with zipfile.ZipFile(packed, "w") as opened:
        for file in archived.iterdir():
            opened.write(file, file.name)
    for place in (archived, packed):
        with pytest.raises(StoreError) as told:
            read(place)
        assert str(told.value).startswith(f"{place} holds no archived run: manifest.json: {said}")
        assert "\n" not in str(told.value)


def test_texts_that_are_none_are_refused(archived: Path) -> None:
    (archived / SUITE).write_text('{"suite.yaml": 3}')
    with pytest.raises(StoreError, match=r"suite\.json holds something else than texts"):
        read(archived)


@pytest.mark.parametrize("key", KEYS)
def test_no_value_of_any_key_ends_in_a_traceback(archived: Path, key: str) -> None:
    said = []
    for value in VALUES:
        rewrite(archived, **{key: value})
        place = str(archived)
        for command in (["gate", place, place], ["show", place, "ORD-1"]):
            done = CliRunner().invoke(app, command)
            if done.exception is not None and not isinstance(done.exception, SystemExit):
                said.append((key, value, command[0], repr(done.exception)))
    assert not said


@pytest.mark.parametrize("key", ["trials", "candidates", "suite"])
def test_a_report_of_a_malformed_archive_is_refused_as_well(archived: Path, tmp_path: Path, key: str) -> None:
    rewrite(archived, **{key: -1})
    done = CliRunner().invoke(app, ["report", str(archived), "--out", str(tmp_path / "out")])
    assert done.exit_code == 1
    assert f"manifest.json: {key}: " in done.output
    assert not (tmp_path / "out").exists()
