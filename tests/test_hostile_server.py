"""A whole run against a provider that misbehaves: the status of the design's table, and sums that add up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from misbehaving_server import MisbehavingServer
from typer.testing import CliRunner

from evalkit.cli import app
from evalkit.runs import load_run

TIMEOUT_S = 2.0
# What the model does → status, a word of the reason, attempts.
WAYS = {
    "ok": ("completed", "", 1),
    "429:Retry-After=0|ok": ("completed", "", 2),
    "500|503|ok": ("completed", "", 3),
    "silence": ("timeout", "", 1),
    "drip": ("timeout", "", 1),
    "length": ("empty", "token limit", 1),
    "length-cut": ("empty", "token limit", 1),
    "filter": ("empty", "filter", 1),
    "null": ("empty", "", 1),
    "quota": ("error", "quota", 1),
    "401": ("error", "401", 1),
    "403": ("error", "403", 1),
    "404": ("error", "404", 1),
    "context": ("error", "context", 1),
    "no-choices": ("error", "choice", 1),
    "huge:20": ("error", "20,000,000", 1),
    "bad-json": ("error", "json", 1),
    "html": ("error", "html", 1),
    "empty-body": ("error", "empty", 1),
    "500": ("error", "500", 3),
}
CASES = "- {id: A, ticket: {body: Hello}, expected_handling: direct}\n- {id: B, risk: safety, ticket: {body: Hello}, expected_handling: escalate}\n"


@pytest.fixture(scope="module")
def server() -> Iterator[MisbehavingServer]:
    with MisbehavingServer(reply=lambda request: "ROUTE: escalate\n\nHello") as running:
        yield running


def play(write, server: MisbehavingServer, ways: list[str], *arguments: str, **limits: object) -> tuple[int, dict]:
    candidates = [
        f'  - {{name: "{way}", model: "openai/{way}", api_base: "{server.url}", price: {{input: 1, output: 2}}}}'
        for way in ways
    ]
    lines = ["name: hostile", "trials: 1", f"timeout_s: {TIMEOUT_S}", "concurrency: 32"]
    lines += [f"{key}: {json.dumps(value)}" for key, value in limits.items()]
    text = "\n".join([*lines, "candidates:", *candidates])
    folder = write({"cases.yaml": CASES, "shootouts/hostile.yaml": text}, base=False, folder="hostile")
    done = CliRunner().invoke(app, ["run", str(folder / "shootouts/hostile.yaml"), "--json", *arguments])
    assert "Traceback" not in done.output, done.output
    return done.exit_code, json.loads(done.stdout)


def test_every_misbehaviour_ends_in_its_status_within_its_time(write, server: MisbehavingServer) -> None:
    code, said = play(write, server, list(WAYS), "--case", "A")
    run = load_run("latest")
    rows = run.trials.to_dicts()
    for row in rows:
        status, word, attempts = WAYS[row["candidate"]]
        assert (row["status"], word in row["reason"].lower()) == (status, True), row
        # How often a lasting 500 is asked again before the deadline depends on the waits.
        assert row["attempts"] == attempts or (row["candidate"] == "500" and row["attempts"] >= 2), row
        assert row["seconds"] < TIMEOUT_S + 1, row
    # Each status counts its slots, and the parts are the whole.
    assert sum(said["slots"].values()) == len(rows) == len(WAYS)
    assert said["calls"] == sum(row["attempts"] for row in rows)
    # Errors were not measured, so the run is incomplete.
    assert code == 4
    # A silent provider may have billed: what is unknown is not 0.
    assert said["usd"] is None
    known = {row["candidate"]: row["usd"] for row in rows}
    assert known["ok"] == known["429:Retry-After=0|ok"] == pytest.approx((20 * 1 + 5 * 2) / 1e6)
    assert (known["silence"], known["401"]) == (None, 0.0)


def test_statuses_weigh_as_the_table_says(write, server: MisbehavingServer) -> None:
    play(write, server, ["ok", "silence", "length", "401"])
    judged = load_run("latest").judged
    weighed = {row["candidate"]: row["passed"] for row in judged.filter(case="B").to_dicts()}
    assert weighed == {"ok": True, "silence": False, "length": False, "401": None}
    assert set(judged.filter(case="B", passed=True)["unclear"]) == {""}
    assert all(row["unclear"] for row in judged.filter(case="B").to_dicts() if row["candidate"] != "ok")


def test_the_same_run_plays_errors_and_timeouts_again_and_empties_only_when_asked(
    write, server: MisbehavingServer
) -> None:
    ways = ["ok", "silence", "length", "401"]
    play(write, server, ways)
    _, again = play(write, server, ways)
    # Two cases of `silence` and of `401`.
    assert again["calls"] == 4
    _, asked = play(write, server, ways, "--retry-empty")
    assert asked["calls"] == 6


def test_a_dollar_budget_is_never_passed_and_the_rest_is_not_run(write, server: MisbehavingServer) -> None:
    # Each call costs 30 millionths and reserves some 2,000 (1,024 tokens out at 2): one fits into 0.0021 at a time.
    code, said = play(write, server, ["ok"], "--concurrency", "4", budget={"usd": 0.0021})
    assert code == 3
    assert said["slots"]["completed"] >= 1
    assert said["usd"] <= 0.0021


def test_no_key_reaches_store_output_or_report(write, server: MisbehavingServer, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MY_SERVICE_API_KEY", "sk-very-secret-0123456789")
    text = (
        f'name: keyed\ntrials: 1\ntimeout_s: {TIMEOUT_S}\ncandidates:\n  - {{name: a, model: "openai/401", '
        f'api_base: "{server.url}", api_key_env: MY_SERVICE_API_KEY}}\n'
    )
    folder = write({"cases.yaml": CASES, "shootouts/keyed.yaml": text}, base=False, folder="keyed")
    server.requests.clear()
    done = CliRunner().invoke(app, ["run", str(folder / "shootouts/keyed.yaml")])
    assert server.requests[-1].headers["authorization"] == "Bearer sk-very-secret-0123456789"
    load_run("latest").archive(tmp_path)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "very-secret" not in done.output
    assert b"very-secret" not in written


def test_the_model_that_really_answered_is_recorded_without_a_path_of_its_machine(
    write, server: MisbehavingServer
) -> None:
    play(write, server, ["ok"])
    row = load_run("latest").trials.to_dicts()[0]
    assert row["requested_model"] == "openai/ok"
    assert row["returned_model"]
