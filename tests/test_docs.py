"""What README and docs say: every command runs as it stands, every example loads, every picture is there."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from evalkit import run
from evalkit.amendments import amendments_of
from evalkit.loading import check_suite, load_suite
from evalkit.quarantine import quarantine_of, signed_off
from evalkit.sandbox import Toolbox
from evalkit.sentences import load_sentences
from evalkit.shootout import load_shootout

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
TOOLS = """
from evalkit.sandbox import Records, write


@write(changes=["ticket"])
def hand_off(records: Records, team: str, reason: str) -> dict:
    \"\"\"Hand the customer to a person.\"\"\"
    records["ticket"] |= {"status": "escalated", "team": team}
    return {}
"""
TALK = """
id: TALK
stratum: orders
persona: Calm
goal: Speak to a person about an invoice
expect: {outcome: handoff, tools_called: [hand_off]}
escalate_to: billing
expected_handling: escalate
"""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[tuple[str, str]]:
    return [(page.name, text) for page in PAGES for kind, text in BLOCK.findall(page.read_text()) if kind == language]


def commands() -> list[str]:
    """The commands in the order in which a reader meets them."""
    lines = [line.partition("  #")[0].strip() for _, text in blocks("sh") for line in text.splitlines()]
    return list(dict.fromkeys(line for line in lines if line.startswith(".venv/bin/evalkit")))


def test_every_command_of_readme_and_docs_runs_as_it_stands(tmp_path: Path, default_store: Path) -> None:
    assert len(commands()) >= 7
    for name in ("cases", "notebooks"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "reports/store").mkdir(parents=True)
    shutil.copy(default_store, tmp_path / "reports/store/evalkit.sqlite")
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
    assert named <= {"report", "test", "check", "lab", "setup", "calibration", "gate", "gate-fast", "nightly"}


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
    (tmp_path / "suite/fixtures/orders").mkdir(parents=True)
    (tmp_path / "suite/fixtures/orders/88213.json").write_text('{"customer": "C-1", "total": 412.0, "delivered": true}')
    checked = check_suite(tmp_path / "suite")
    assert (checked.faults, len(checked.suite.cases), len(checked.suite.patterns)) == ([], 2, 1)
    known = load_sentences(tmp_path / "suite/labels/sentences.yaml", checked.suite.patterns)
    assert [each.says for each in known] == [("never expires",), ()]


def test_the_quarantine_and_the_amendments_of_the_docs_load() -> None:
    entry, amendment = (text for page, text in blocks("yaml") if page == "gate.md")
    (kept,) = quarantine_of({"quarantine.yaml": entry}).values()
    assert signed_off(kept, ["4f9c2ab0d1e2" + "0" * 28])
    assert amendments_of({"amendments.yaml": amendment})[0].what == ("policy.refund_limit_usd", "removed/BILL-07")


def test_the_tool_of_the_docs_works_as_it_stands(write) -> None:
    (source,) = [text for page, text in blocks("python") if page == "conversations.md"]
    talk = "{id: T, persona: p, goal: g, fixtures: vouchers/V-7.json, expect: {outcome: resolved}}"
    files = {"tools/vouchers.py": source, "t.yaml": talk, "fixtures/vouchers/V-7.json": '{"days_left": 3}'}
    suite = load_suite(write(files, base=False))
    sandbox = Toolbox(suite).open(suite.cases[0])
    assert json.loads(sandbox.call("lookup_voucher", {"voucher": "V-7"}).text) == {"days_left": 3, "id": "V-7"}
    assert json.loads(sandbox.call("extend_voucher", {"voucher": "V-7"}).text)["days_left"] == 33
    assert sandbox.state["vouchers"]["V-7"]["days_left"] == 33
    assert "there is no voucher V-8" in sandbox.call("extend_voucher", {"voucher": "V-8"}).text


def test_the_deployed_bot_of_the_docs_plays_as_it_stands(
    write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source,) = [text for page, text in blocks("python") if page == "own-agents.md"]
    (tmp_path / "support_bot.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    (shootout,) = [text for _, text in blocks("yaml") if text.startswith("name: own-bot")]
    shootout = shootout.replace("openai/gpt-4.1-mini, temperature: 0.7", "offline/customer")
    shop = write({"shootouts/small.yaml": shootout, "tools/desk.py": TOOLS, "talk.yaml": TALK})
    played = run(shop / "shootouts/small.yaml", trials=1)
    by_case = {row["case"]: row for row in played.judged.to_dicts()}
    assert set(played.judged["status"]) == {"completed"}
    assert (by_case["TALK"]["passed"], by_case["ORD-2"]["passed"], by_case["ORD-1"]["passed"]) == (True, True, False)


def test_every_picture_and_link_is_there() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert target.startswith("https://") or (page.parent / target).is_file(), f"{page.name}: {target}"


def test_no_page_names_a_path_of_one_machine() -> None:
    for page in PAGES:
        assert not re.search(r"(/home/|/root/|/work/|/tmp/)", page.read_text())
