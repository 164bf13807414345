"""What README and docs say: every command runs as it stands, every example loads, every picture is there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from evalkit.loading import check_suite
from evalkit.sentences import load_sentences
from evalkit.shootout import load_shootout

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[tuple[str, str]]:
    return [(page.name, text) for page in PAGES for kind, text in BLOCK.findall(page.read_text()) if kind == language]


def commands() -> list[str]:
    """The commands in the order in which a reader meets them."""
    lines = [line.partition("  #")[0].strip() for _, text in blocks("sh") for line in text.splitlines()]
    return list(dict.fromkeys(line for line in lines if line.startswith(".venv/bin/evalkit")))


def test_every_command_of_readme_and_docs_runs_as_it_stands(tmp_path: Path) -> None:
    assert len(commands()) >= 7
    for name in ("cases", "notebooks"):
        shutil.copytree(ROOT / name, tmp_path / name)
    environment = {**os.environ, "EVALKIT_STORE": "reports/store/evalkit.sqlite", "PYTHONPATH": str(ROOT)}
    for line in commands():
        arguments = shlex.split(line)[1:]
        done = subprocess.run(
            [sys.executable, "-m", "evalkit.cli", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (line, done.stderr)
    assert list((tmp_path / "reports").glob("*-offline-*/10_shootout.html"))


@pytest.mark.parametrize("target", ["report", "test", "check", "lab", "setup"])
def test_every_make_target_that_is_named_exists(target: str) -> None:
    done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    named = set(re.findall(r"`?make (\w+)", "\n".join(page.read_text() for page in PAGES)))
    assert named <= {"report", "test", "check", "lab", "setup"}


def test_the_examples_of_the_docs_load(tmp_path: Path) -> None:
    for number, (_, text) in enumerate(blocks("yaml")):
        if text.startswith("- id:"):
            (tmp_path / "suite").mkdir(exist_ok=True)
            (tmp_path / "suite" / f"{number}.yaml").write_text(text)
        elif "\n  any:" in text:
            (tmp_path / "suite").mkdir(exist_ok=True)
            (tmp_path / "suite" / "patterns.yaml").write_text(text)
        elif text.startswith("- {text:"):
            (tmp_path / "suite/labels").mkdir(parents=True, exist_ok=True)
            (tmp_path / "suite/labels/sentences.yaml").write_text(text)
        elif text.startswith("name:"):
            path = tmp_path / "shootout.yaml"
            path.write_text(text)
            assert load_shootout(path).candidates
    checked = check_suite(tmp_path / "suite")
    assert (checked.faults, len(checked.suite.cases), len(checked.suite.patterns)) == ([], 1, 1)
    known = load_sentences(tmp_path / "suite/labels/sentences.yaml", checked.suite.patterns)
    assert [each.says for each in known] == [("never expires",), ()]


def test_every_picture_and_link_is_there() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert target.startswith("https://") or (page.parent / target).is_file(), f"{page.name}: {target}"


def test_no_page_names_a_path_of_one_machine() -> None:
    for page in PAGES:
        assert not re.search(r"(/home/|/root/|/work/|/tmp/)", page.read_text())
