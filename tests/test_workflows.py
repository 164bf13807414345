"""The workflows: valid, few rights, nothing for forks, and each command runs as written."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import typer.main
from conftest import ROOT, SUITE

from evalkit import documents
from evalkit.cli import app

FOLDER = ROOT / ".github/workflows"
NAMES = ("pull-request", "nightly", "monthly", "report")
KEYS = re.compile(r"secrets\.|github\.token")
ACTIONS = {
    "actions/checkout@v6",
    "actions/setup-python@v6",
    "actions/upload-artifact@v6",
    "actions/download-artifact@v7",
}
SAME = "github.event.pull_request.head.repo.full_name == github.repository"


def workflow(name: str) -> dict[str, Any]:
    path = FOLDER / f"{name}.yml"
    return documents.read(str(path), path.read_bytes()).value


def jobs() -> list[tuple[str, str, dict[str, Any]]]:
    return [(name, key, job) for name in NAMES for key, job in workflow(name)["jobs"].items()]


def steps() -> list[tuple[str, str, dict[str, Any]]]:
    return [(name, key, step) for name, key, job in jobs() for step in job["steps"]]


def scripts() -> list[str]:
    return [step["run"] for _, _, step in steps() if "run" in step]


@pytest.mark.parametrize("schema", ["vendor.github-workflows", "custom.github-workflows-require-timeout"])
def test_the_workflows_are_valid_by_the_published_schema(schema: str) -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(NAMES)
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    done = subprocess.run([*command, *sorted(FOLDER.iterdir())], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "ok -- validation done" in done.stdout


def test_each_may_read_and_no_more_and_gives_way_or_waits() -> None:
    for name in NAMES:
        found = workflow(name)
        assert found["permissions"] == {"contents": "read"}
        assert set(found["concurrency"]) == {"group", "cancel-in-progress"}
        assert "pull_request_target" not in found["on"]
        assert "workflow_run" not in found["on"]
    for _, _, job in jobs():
        assert set(job.get("permissions", {}).values()) <= {"read"}


def test_every_action_is_githubs_own_and_pinned() -> None:
    assert {step["uses"] for _, _, step in steps() if "uses" in step} == ACTIONS


def test_no_checkout_leaves_its_token_behind() -> None:
    for _, _, step in steps():
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False


def test_the_first_step_removes_what_a_change_could_bring_along(tmp_path: Path) -> None:
    found = [job["steps"] for _, key, job in jobs() if key != "verdict"]
    assert len(found) == 5
    scripts_after = {(each[0]["uses"], each[1]["run"]) for each in found}
    ((first, script),) = scripts_after
    assert first == "actions/checkout@v6"
    # A link's target stays: `reports` may lead out of the checkout.
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    for links in (False, True):
        tree = tmp_path / f"tree-{links}"
        tree.mkdir()
        for name in ("reports", ".venv", "baseline", "target"):
            if links:
                (tree / name).symlink_to(outside)
            else:
                (tree / name / "gate").mkdir(parents=True)
                (tree / name / "gate/decision.json").write_text("{}")
        for name in ("GNUmakefile", "makefile", "Makefile"):
            (tree / name).write_text("gate:\n\ttrue\n")
        done = subprocess.run(["bash", "-e", "-c", script], cwd=tree, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        left = sorted(str(path.relative_to(tree)) for path in tree.rglob("*"))
        assert left == ["Makefile", "reports", "reports/.gitkeep"]
    assert (outside / "kept").is_file()


def test_no_text_of_a_stranger_is_pasted_into_a_script() -> None:
    # A branch's name may hold `$(…)`: what comes from outside reaches a script through its environment alone.
    assert not [script for script in scripts() if "${{" in script]


def test_no_job_that_a_fork_can_start_sees_a_secret_or_an_archive() -> None:
    for key, job in workflow("pull-request")["jobs"].items():
        inside = json.dumps(job)
        if key == "gate":
            assert job["if"] == SAME
            assert KEYS.search(inside)
        else:
            assert not KEYS.search(inside)
            assert "artifact" not in inside
    assert not KEYS.search(json.dumps(workflow("pull-request").get("env")))


def test_a_key_reaches_the_step_that_plays_and_no_other() -> None:
    for name, _, step in steps():
        if "secrets." in json.dumps(step):
            assert re.fullmatch(r"make (gate|nightly|calibration|report)( .*)?", step["run"]), (name, step)
            assert set(step) == {"run", "env"}


def test_what_is_uploaded_is_one_folder_of_reports_for_as_long_as_the_owner_allows() -> None:
    uploads = [step["with"] for _, _, step in steps() if step.get("uses", "").startswith("actions/upload-artifact")]
    assert {each["path"] for each in uploads} == {"reports/gate", "${{ steps.keep.outputs.folder }}"}
    assert {each["retention-days"] for each in uploads} == {"${{ steps.keep.outputs.days }}"}
    asked = [step["run"] for _, _, step in steps() if step.get("id") == "keep"]
    assert all('"days=$(.venv/bin/evalkit retention --most 90)"' in script for script in asked)
    assert len(uploads) == 5


def test_the_verdict_is_never_skipped_and_passes_where_the_gate_passed_alone() -> None:
    job = workflow("pull-request")["jobs"]["verdict"]
    assert (job["if"], job["needs"]) == ("always()", ["gate", "fork"])
    (step,) = job["steps"]
    for result in ("success", "failure", "skipped", "cancelled"):
        done = subprocess.run(["bash", "-e", "-c", step["run"]], env={"GATE": result}, capture_output=True, check=False)
        assert (done.returncode == 0) is (result == "success")


def test_every_script_is_one_that_bash_can_read() -> None:
    for script in scripts():
        assert subprocess.run(["bash", "-n", "-c", script], capture_output=True, check=False).returncode == 0


def test_every_make_target_and_every_evalkit_command_exists() -> None:
    text = "\n".join(scripts())
    targets = re.findall(r"\bmake ([\w-]+)", text)
    assert set(targets) == {"check", "gate", "gate-fast", "nightly", "calibration", "report"}
    for target in set(targets):
        done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        commands = re.findall(r"\.venv/bin/(evalkit [^;|)]*)", done.stdout.replace("\\\n", " "))
        assert commands
        for command in commands:
            parses(command)
    for command in re.findall(r"\.venv/bin/(evalkit [^)\n|]*)", text):
        parses(command)


def parses(command: str) -> None:
    """Raises where the command line would refuse these words."""
    # What the shell puts there, or leaves out, is nothing that the command line reads here.
    plain = re.sub(r"\$\{[^}]*\}", "", command)
    words = [word for word in shlex.split(plain)[1:] if word != "then"]
    words = ["3" if word == "" else word for word in words]
    group = typer.main.get_command(app)
    found = group.commands[words[0]]  # type: ignore[attr-defined]
    found.make_context(words[0], words[1:])


class Machine:
    """An empty checkout in which a job's steps run one after another, as GitHub would run them."""

    def __init__(self, folder: Path, artefacts: Path, *, night: str = "") -> None:
        self.folder, self.artefacts = folder, artefacts
        self.summary, self.outputs = folder / "summary.md", folder / "outputs"
        checkout(folder)
        (folder / "bin").mkdir()
        gh = folder / "bin/gh"
        wanted = "run list --repo acme/support --branch main --workflow nightly.yml --status success"
        gh.write_text(f'#!/bin/bash\ncase "$*" in "{wanted}"*) echo "{night}";; *) exit 9;; esac\n')
        gh.chmod(0o755)
        self.steps: dict[str, Any] = {}
        self.said: list[str] = []

    def run(self, name: str, key: str, inputs: dict[str, Any] | None = None) -> bool:
        """Whether a job passes."""
        found = workflow(name)
        job, environment = found["jobs"][key], found.get("env", {})
        self.known = {
            "env": environment, "inputs": inputs or {}, "steps": self.steps, "secrets": {},
            "github": {"token": "t", "base_ref": "main", "ref_name": "main", "repository": "acme/support",
                       "event": {"pull_request": {"base": {"sha": "abc"}, "head": {"repo": {"full_name": "acme/support"}}}}},
        }  # fmt: skip
        self.passed = True
        for step in job["steps"]:
            condition = step.get("if")
            if not (self.value(condition) if condition else self.passed):
                continue
            outcome, outputs = self.step(step, environment)
            if step.get("id"):
                self.steps[step["id"]] = {"outcome": "success" if outcome else "failure", "outputs": outputs}
            self.passed &= outcome or bool(step.get("continue-on-error"))
        return self.passed

    def step(self, step: dict[str, Any], environment: dict[str, str]) -> tuple[bool, dict[str, str]]:
        if "uses" in step:
            return self.action(step["uses"], {key: self.filled(text) for key, text in step.get("with", {}).items()}), {}
        given = {key: str(self.filled(text)) for key, text in {**environment, **step.get("env", {})}.items()}
        self.outputs.write_text("")
        base = {name: text for name, text in os.environ.items() if not name.startswith("EVALKIT") and "KEY" not in name}
        github = {
            "GITHUB_OUTPUT": self.outputs,
            "GITHUB_STEP_SUMMARY": self.summary,
            "GITHUB_REPOSITORY": "acme/support",
        }
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.folder, env={**base, **github, **given, "PATH": path}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.said.append(done.stdout + done.stderr)
        lines = [line.partition("=") for line in self.outputs.read_text().splitlines()]
        return done.returncode == 0, {key: text for key, _, text in lines}

    def action(self, uses: str, given: dict[str, Any]) -> bool:
        if "checkout" in uses and given.get("path"):
            checkout(self.folder / given["path"])
        elif "upload" in uses:
            assert str(given["retention-days"]) == "30"
            shutil.copytree(self.folder / given["path"], self.artefacts / given["name"], dirs_exist_ok=True)
        elif "download" in uses:
            if not (self.artefacts / given["name"]).is_dir():
                return False
            shutil.copytree(self.artefacts / given["name"], self.folder / given["path"])
        elif "setup-python" in uses:
            set_up(self.folder)
        return True

    def filled(self, text: Any) -> Any:
        if not isinstance(text, str):
            return text
        return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(self.value(found[1]) or ""), text)

    def value(self, expression: str) -> Any:
        """What an expression of these workflows comes to; a name that is not known is nothing."""
        code = expression.strip().removeprefix("${{").removesuffix("}}")
        code = re.sub(r"'[^']*'|[\w.]+(?=\()|[a-z]\w*(?:\.\w+)+", self.looked_up, code)
        code = re.sub(r"!(?!=)", " not ", code.replace("&&", " and ").replace("||", " or "))
        functions = {"hashFiles": lambda name: "x" if list(self.folder.glob(name)) else "",
                     "cancelled": lambda: False, "always": lambda: True}  # fmt: skip
        return eval(code, functions)  # noqa: S307

    def looked_up(self, found: re.Match[str]) -> str:
        name = found[0]
        if name[0] == "'" or found.string[found.end() : found.end() + 1] == "(":
            return name
        value: Any = self.known
        for part in name.split("."):
            value = value.get(part, {}) if isinstance(value, dict) else {}
        return repr(value or "")


def checkout(folder: Path) -> None:
    """A working tree with the small suite in place of the shipped one, and what a change could bring along."""
    folder.mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "uv.lock", "requirements.txt", "evalkit"):
        (folder / name).symlink_to(ROOT / name)
    # One page is enough to be archived.
    (folder / "notebooks").mkdir()
    (folder / "notebooks/10_shootout.ipynb").symlink_to(ROOT / "notebooks/10_shootout.ipynb")
    # Each of these would answer in place of the gate.
    (folder / "GNUmakefile").write_text("gate gate-fast check nightly:\n\t@echo allowed\n")
    for name in (".venv/bin/evalkit", "reports/gate/decision.json", "reports/gate/summary.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("allow")
    for name, text in SUITE.items():
        path = folder / "cases" / name.replace("small", "offline")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))
    settings = folder / "cases/suite.yaml"
    settings.write_text(
        settings.read_text()
        + "samples: {pr: {draw: 1}, fast: {must_pass: 1}}\ndata_owner: {name: Ada, retention_days: 30}\n"
    )
    tickets = folder / "cases/tickets/orders.yaml"
    tickets.write_text(tickets.read_text().replace("stratum: account", "stratum: account\n  must_pass: true"))
    shootout = folder / "cases/shootouts/offline.yaml"
    shootout.write_text(shootout.read_text().replace("trials: 2", "trials: 2\nbaseline: steady"))


def set_up(folder: Path) -> None:
    """All packages, as if `make` had installed them."""
    (folder / ".venv").mkdir()
    for place in Path(sys.prefix).iterdir():
        if place.name != ".ready":
            (folder / ".venv" / place.name).symlink_to(place)
    (folder / ".venv/.ready").touch()


def test_a_nights_archive_gates_a_pull_request_on_another_machine_without_the_store(tmp_path: Path) -> None:
    artefacts = tmp_path / "artefacts"
    # Before any night: not measured, red, and the summary says what to do.
    early = Machine(tmp_path / "early", artefacts)
    assert not early.run("pull-request", "gate")
    assert "Not measured, which blocks" in early.summary.read_text()
    assert "`make nightly`".replace("`", "\\`") in early.summary.read_text()
    # A night without a baseline archives one and fails; the first one, by hand, passes.
    first = Machine(tmp_path / "first", artefacts)
    assert first.run("nightly", "nightly", {"first": True}), first.said
    assert {path.name for path in (artefacts / "baseline").iterdir()} >= {
        "manifest.json",
        "trials.parquet",
        "suite.json",
    }
    assert not [path for path in artefacts.rglob("*") if "sqlite" in path.name]
    assert json.loads((artefacts / "baseline/manifest.json").read_text())["repeats"] == 3
    # The same agent in a pull request, in a folder that shares nothing with the night's but the archive.
    pull = Machine(tmp_path / "pull", artefacts, night="7")
    assert pull.run("pull-request", "gate"), pull.said
    decision = json.loads((artefacts / "gate/decision.json").read_text())
    assert (decision["decision"], decision["baseline"]["repeats"], len(decision["strata"])) == ("allow", 3, 2)
    assert "## ✓ Allowed" in pull.summary.read_text()
    # A worse agent: it reads no article any more.
    worse = Machine(tmp_path / "worse", artefacts, night="7")
    shootout = worse.folder / "cases/shootouts/offline.yaml"
    shootout.write_text(shootout.read_text().replace("knowledge: {top: 2}, ", ""))
    assert not worse.run("pull-request", "gate")
    assert worse.summary.is_file(), worse.said
    assert "must-pass case ACC-1 failed 2 of 2 trials" in worse.summary.read_text()
    assert "exit 1: invalid input, or blocked" in "".join(worse.said)
    # What came from a fork: offline, and it says so.
    fork = Machine(tmp_path / "fork", artefacts)
    assert fork.run("pull-request", "fork"), fork.said
    assert "From a fork: run offline, without keys." in fork.summary.read_text()
    assert "## ✓ Allowed" in fork.summary.read_text()


def test_a_night_without_a_baseline_archives_one_and_is_no_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # make shows what it would do and does nothing: the steps around it run as written.
    monkeypatch.setenv("MAKEFLAGS", "n")
    night = Machine(tmp_path / "night", tmp_path / "artefacts", night="7")
    assert not night.run("nightly", "nightly")
    assert "not measured: no nightly of this branch has passed" in night.summary.read_text()
    for name, key in (("monthly", "calibration"), ("report", "report")):
        made = Machine(tmp_path / name, tmp_path / "artefacts")
        shootout = {"shootout": "cases/shootouts/offline.yaml"}
        assert made.run(name, key, shootout), made.said
        assert "evalkit report latest" in made.said[-1]
