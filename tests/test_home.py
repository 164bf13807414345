"""A path means the same in a shell and in a notebook."""

from __future__ import annotations

from pathlib import Path

import pytest

import evalkit
from evalkit.home import at_home, home
from evalkit.store import store_path


def test_inside_notebooks_paths_start_at_the_folder_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVALKIT_STORE")
    (tmp_path / "notebooks/interactive").mkdir(parents=True)
    (tmp_path / "cases").mkdir()
    for folder in ("notebooks", "notebooks/interactive"):
        monkeypatch.chdir(tmp_path / folder)
        assert at_home("cases") == tmp_path / "cases"
        assert store_path() == tmp_path / "reports/store/evalkit.sqlite"
    monkeypatch.chdir(tmp_path)
    assert (home(), at_home("cases")) == (Path(), Path("cases"))
    assert store_path() == Path("reports/store/evalkit.sqlite")


def test_a_folder_that_is_called_notebooks_by_chance_moves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notebooks/other/deep").mkdir(parents=True)
    for folder in ("notebooks", "notebooks/other", "notebooks/other/deep"):
        monkeypatch.chdir(tmp_path / folder)
        assert (home(), store_path("x.sqlite")) == (Path(), Path("x.sqlite"))


def test_what_is_here_or_absolute_stays_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notebooks/cases").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "notebooks")
    assert at_home("cases") == Path("cases")
    assert at_home(tmp_path / "nowhere") == tmp_path / "nowhere"
    assert store_path(tmp_path / "x.sqlite") == tmp_path / "x.sqlite"


def test_a_run_from_a_notebook_is_the_run_of_the_shell(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shop / "notebooks").mkdir()
    (shop / "cases").mkdir()
    monkeypatch.chdir(shop)
    first = evalkit.run("shootouts/small.yaml", quiet=True)
    monkeypatch.chdir(shop / "notebooks")
    again = evalkit.run("shootouts/small.yaml", quiet=True)
    assert again.id == first.id
