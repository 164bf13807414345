"""The house is in order: linted, locked, exported, and set up by one command."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT
from packaging.requirements import Requirement

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
UV = Path(sys.executable).with_name("uv")


def run(*command: str | Path, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], cwd=ROOT, capture_output=True, text=True, check=False, **more
    )  # type: ignore[call-overload]


@pytest.mark.parametrize("arguments", [["check", "."], ["format", "--check", "."]])
def test_ruff_finds_nothing(arguments: list[str]) -> None:
    done = run(sys.executable, "-m", "ruff", *arguments)
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_lock_fits_the_project() -> None:
    done = run(UV, "lock", "--check", "--offline", env={**os.environ, "UV_NO_CACHE": "1"})
    assert done.returncode == 0, done.stderr


def test_the_requirements_are_the_locks_export_with_hashes() -> None:
    exported = run(
        UV, "export", "--frozen", "--no-emit-project", "--all-groups", "--format", "requirements-txt", "--no-header"
    )
    assert exported.returncode == 0, exported.stderr
    written = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if not line.startswith("#")]
    assert written == exported.stdout.splitlines()
    pinned = [line for line in written if "==" in line]
    assert len(pinned) > 100
    assert sum("--hash=sha256:" in line for line in written) >= len(pinned)


def test_direct_dependencies_are_bounded_and_compromised_releases_left_out() -> None:
    wanted = [Requirement(text) for text in PROJECT["project"]["dependencies"]]
    for each in wanted:
        assert any(spec.operator in (">=", "~=") for spec in each.specifier), each
        assert any(spec.operator in ("<", "~=") for spec in each.specifier), each
    (litellm,) = (each for each in wanted if each.name == "litellm")
    for bad in ("1.82.7", "1.82.8", "1.107.0", "1.107.3"):
        assert not Requirement(f"litellm{litellm.specifier}".replace(">=1.110,", "")).specifier.contains(bad)


def test_every_third_party_import_is_a_declared_dependency() -> None:
    import ast

    declared = {re.sub(r"[-_.]+", "_", Requirement(text).name).lower() for text in PROJECT["project"]["dependencies"]}
    names = {"ruamel": "ruamel_yaml", "re2": "google_re2", "sklearn": "scikit_learn", "dotenv": "python_dotenv",
             "yaml": "ruamel_yaml", "vl_convert": "vl_convert_python", "IPython": "ipykernel"}  # fmt: skip
    found = set()
    for path in (ROOT / "evalkit").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    third = {
        names.get(name, name).lower() for name in found if name not in sys.stdlib_module_names and name != "evalkit"
    }
    assert third <= declared


def test_the_top_level_holds_what_the_design_fixes() -> None:
    tracked = {name.split("/")[0] for name in run("git", "ls-files").stdout.split()}
    if not tracked:
        pytest.skip("no git checkout")
    usual = {
        "README.md",
        "LICENSE",
        "uv.lock",
        "requirements.txt",
        "docs",
        "benchmarks",
        ".github",
        ".ci",
        ".gitignore",
    }
    assert tracked <= usual | {"pyproject.toml", "notebooks", "evalkit", "cases", "reports", "tests", "Makefile"}


def test_nothing_generated_and_no_machine_path_is_tracked() -> None:
    tracked = run("git", "ls-files").stdout.split()
    if not tracked:
        pytest.skip("no git checkout")
    assert not [name for name in tracked if re.search(r"\.(sqlite|parquet|html|pyc)$|^reports/.+/", name)]
    found = run("git", "grep", "-nIE", r"(/work/|/root/|/home/[a-z]+/)", "--", ".", ":!uv.lock", ":!tests")
    assert found.stdout == ""


def test_make_help_lists_every_target_with_its_words() -> None:
    done = run("make", "--no-print-directory", "help")
    listed = {line.split()[0] for line in done.stdout.splitlines()}
    named = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert listed == named
    assert all(len(line.split()) > 2 for line in done.stdout.splitlines())


def test_a_second_call_of_make_does_no_set_up_and_a_changed_lock_does(tmp_path: Path) -> None:
    for name in ("Makefile", "uv.lock", "requirements.txt", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    ready = tmp_path / ".venv/.ready"
    ready.parent.mkdir()
    ready.touch()
    again = subprocess.run(["make", "-n", "setup"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "pip" not in again.stdout
    later = ready.stat().st_mtime + 5
    os.utime(tmp_path / "uv.lock", (later, later))
    changed = subprocess.run(["make", "-n", "setup"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "--require-hashes" in changed.stdout
