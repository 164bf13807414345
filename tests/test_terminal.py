"""What people and files wrote reaches a terminal as text: no control and no character that turns a line round."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import evalkit
from evalkit.cli import app
from evalkit.errors import CaseError
from evalkit.loading import load_suite

TURNED, ESCAPE = "\u202e", "\x1b[2J\x9b"
# A name may hold no control below a space; what a quarantine says may hold none at all.
CASES = """
- id: "ORD\\u202e-1"
  stratum: "ord\\u202eers\\x9b"
  must_pass: true
  ticket: {subject: Where is my parcel?, body: When is my parcel delivered please}
  expected_handling: direct
"""
ENTRY = """
- {case: "ORD\\u202e-1", owner: Priya, reason: flakes, since: 2026-11-20, fix_by: 2026-12-11}
"""


@pytest.fixture
def shop(write) -> Path:
    return write(
        {"tickets/orders.yaml": CASES, "quarantine.yaml": ENTRY, "suite.yaml": "name: small\n"},
    )


@pytest.mark.parametrize(
    "command",
    [
        ["quarantine", "list", "--suite", "SHOP", "--date", "2026-11-30"],
        ["noise"],
        ["gate", "latest", "latest"],
        ["gate", "latest:nobody", "latest"],
        ["runs"],
    ],
    ids=lambda command: command[0],
)
def test_no_command_prints_what_drives_a_terminal(shop: Path, command: list[str]) -> None:
    rows = shop / "rows.csv"
    rows.write_text(f"candidate,case,trial,passed\nan{TURNED}na\x9b,A{TURNED},0,true\n")
    taken = CliRunner().invoke(app, ["import", "flat", str(rows), "--name", f"sm{TURNED}all"])
    assert taken.exit_code == 0, taken.output
    # An imported run with such a candidate is the last one where it is asked for, else the shop's own.
    if command != ["gate", "latest:nobody", "latest"]:
        evalkit.run(shop / "shootouts/small.yaml", candidates=["steady"], quiet=True)
    done = CliRunner().invoke(app, [str(shop) if word == "SHOP" else word for word in command])
    assert done.output.strip()
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert not {char for char in done.output if char in TURNED + ESCAPE[:1] + ESCAPE[-1]}, ascii(done.output)


@pytest.mark.parametrize("name", ["suite", "patterns"])
def test_a_second_file_of_settings_or_patterns_is_a_fault(write, name: str) -> None:
    text = "name: other\n" if name == "suite" else "soon: [soon]\n"
    with pytest.raises(CaseError, match=rf"{name}\.yml: {name}\.yaml is there, too; keep one"):
        load_suite(write({f"{name}.yaml": text, f"{name}.yml": text}))
