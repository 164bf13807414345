"""Deployed agents in their own code: whatever that code does wrong is an error of its own, and ends no run."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from evalkit import run
from evalkit.cli import app

BOTS = """
import asyncio
from evalkit import Reply, ToolCall


class Bot:
    def __init__(self, way):
        self.way = way

    def reset(self, case, tools):
        if self.way == "reset":
            raise RuntimeError("no session")

    def reply(self, messages):
        if self.way == "raises":
            raise KeyError("gone")
        if self.way == "exits":
            raise SystemExit(3)
        if self.way == "cancels":
            raise asyncio.CancelledError
        return {
            "text": "ROUTE: direct",
            "none": None,
            "no_text": Reply(text=None),
            "calls": Reply(tool_calls=({"name": "x"},)),
            "nan": Reply(text="ROUTE: direct", usd=float("nan")),
            "set": Reply(tool_calls=(ToolCall("1", "x", {"a": {1}}),)),
            "fine": Reply(text="ROUTE: direct", usd=0.5),
            "silent": Reply(),
        }[self.way]


def make(candidate):
    if candidate.name == "factory":
        raise ValueError("not deployed")
    return Bot(candidate.name)


class Async(Bot):
    async def reset(self, case, tools):
        pass

    async def reply(self, messages):
        return Reply(text="ROUTE: direct")


async def make_async(candidate):
    return Async("fine")
"""
WRONG = {
    "factory": "ValueError: not deployed", "reset": "RuntimeError: no session", "raises": "KeyError: 'gone'",
    "exits": "SystemExit: 3", "cancels": "CancelledError", "text": "reply() gave str", "none": "reply() gave NoneType",
    "no_text": "text is NoneType", "calls": "a call of a tool is dict", "nan": "usd is nan", "set": "TypeError",
}  # fmt: skip
CASE = "- {id: A, risk: safety, ticket: {body: Hi}, expected_handling: direct}\n"


@pytest.fixture
def shop(write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "wrong_bots.py").write_text(BOTS)
    monkeypatch.syspath_prepend(str(tmp_path))

    def shop(names: list[str], factory: str = "wrong_bots:make") -> Path:
        rows = "".join(f"  - {{name: {each}, agent: 'python:{factory}', version: '{each}'}}\n" for each in names)
        files = {"cases.yaml": CASE, "shootouts/s.yaml": f"name: s\ntrials: 1\ncandidates:\n{rows}"}
        return write(files, base=False) / "shootouts/s.yaml"

    return shop


def test_whatever_an_agents_own_code_does_wrong_is_its_own_error_and_a_failure(shop) -> None:
    played = run(shop([*WRONG, "fine", "silent"]), quiet=True)
    rows = {row["candidate"]: row for row in played.judged.to_dicts()}
    for name, said in WRONG.items():
        assert (rows[name]["status"], rows[name]["passed"]) == ("error", False), rows[name]
        assert said in rows[name]["reason"]
    assert (rows["fine"]["status"], rows["fine"]["passed"], rows["fine"]["usd"]) == ("completed", True, 0.5)
    assert (rows["silent"]["status"], rows["silent"]["passed"]) == ("empty", False)


def test_async_agents_are_awaited(shop) -> None:
    assert run(shop(["one"], "wrong_bots:make_async"), quiet=True).judged["passed"].to_list() == [True]


@pytest.mark.parametrize("factory", ["no_such_module:make", "wrong_bots:no_such"])
def test_an_agent_that_cannot_be_imported_is_one_line_before_anything_is_played(shop, factory: str) -> None:
    done = CliRunner().invoke(app, ["run", str(shop(["one"], factory))])
    assert done.exit_code == 1
    assert f"candidate one: python:{factory} cannot be imported" in done.stderr
    assert "Traceback" not in done.output
