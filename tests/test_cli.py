"""The command line: exit codes, one JSON object, and lines for people instead of tracebacks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT
from typer.testing import CliRunner

from evalkit.cli import app


def evalkit(*arguments: object, code: int = 0) -> str:
    """What a command prints on stdout, where it ends with this exit code."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, (done.exit_code, done.output, done.exception)
    assert "Traceback" not in done.output
    return done.stdout


def test_check_says_what_is_in_the_suite(shop: Path) -> None:
    assert "3 cases (3 tickets, 0 conversations), 1 safety" in evalkit("check", shop)


def test_check_prints_one_json_object(write) -> None:
    whole = json.loads(evalkit("check", write(), "--json"))
    assert {key: whole[key] for key in ("cases", "tickets", "conversations", "must_pass", "safety", "patterns", "faults")} == {
        "cases": 3, "tickets": 3, "conversations": 0, "must_pass": 0, "safety": 1, "patterns": 3, "faults": [],
    }  # fmt: skip
    assert whole["strata"] == {"orders": 2, "account": 1}
    assert {"file", "line", "where", "message"} == set(whole["notices"][0])
    broken = json.loads(evalkit("check", write({"tickets/x.yaml": "- {id: X}\n"}, folder="broken"), "--json", code=1))
    assert broken["faults"][0]["line"] == 1
    assert broken["cases"] == 0


def test_a_fault_is_one_line_with_its_place(write) -> None:
    folder = write({"tickets/x.yaml": "- id: X\n  ticket: {body: b}\n  expected: direct\n"})
    done = CliRunner().invoke(app, ["check", str(folder)])
    assert done.exit_code == 1
    assert f"{folder}/tickets/x.yaml:3: X: unknown key 'expected'" in done.stderr


def test_run_prints_one_json_object_and_a_summary_for_people(shop: Path) -> None:
    first = json.loads(evalkit("run", shop / "shootouts/small.yaml", "--json"))
    assert set(first) == {"run", "slots", "calls", "usd"}
    assert (first["slots"]["completed"], first["calls"]) == (12, 12)
    assert first["usd"] > 0
    said = evalkit("run", shop / "shootouts/small.yaml")
    assert said.strip() == f"run {first['run'][:8]}: 12 slots: 12 completed; 0 calls now, for 0.0000 USD"


def test_a_dry_run_calls_nothing_and_leaves_no_run(shop: Path) -> None:
    shootout = shop / "shootouts/small.yaml"
    assert json.loads(evalkit("run", shootout, "--dry-run", "--json"))["to_play"] == 12
    evalkit("report", "latest", code=1)
    evalkit("run", shootout, "--case", "ORD-1")
    found = json.loads(evalkit("run", shootout, "--dry-run", "--json"))
    assert {key: found[key] for key in ("slots", "stored", "to_play", "not_played", "calls")} == {
        "slots": 12, "stored": 4, "to_play": 8, "not_played": 0, "calls": 8,
    }  # fmt: skip
    assert 0 < found["usd"]["low"] <= found["usd"]["likely"] <= found["usd"]["high"]
    assert len(json.loads(evalkit("runs", "--json"))["runs"]) == 1


def test_runs_are_listed_the_last_first(shop: Path) -> None:
    evalkit("run", shop / "shootouts/small.yaml")
    evalkit("run", shop / "shootouts/small.yaml", "--case", "ORD-1", "--trials", "1")
    rows = json.loads(evalkit("runs", "--json"))["runs"]
    assert [(row["slots"], row["played"]) for row in rows] == [(2, 2), (12, 12)]
    assert "2 candidates × 3 cases × 2 trials, 12 of 12 played" in evalkit("runs")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 2), (["nope"], 2), (["run"], 2), (["run", "x.yaml", "--nope"], 2), (["run", "x.yaml", "--trials", "0"], 2),
        (["run", "nowhere.yaml"], 1), (["check", "nowhere"], 1), (["report", "latest", "--store", "none.sqlite"], 1),
        (["runs", "--store", "none.sqlite"], 1), (["report", "zz"], 1),
    ],
)  # fmt: skip
def test_mistakes_end_in_their_exit_code_and_without_a_traceback(arguments: list[str], code: int) -> None:
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, "Traceback" in done.output) == (code, False)
    assert done.output.strip()


def test_every_fault_of_a_shootout_is_told_with_its_line(write) -> None:
    text = """\
        name: small
        trials: 0
        baseline: nobody
        candidates:
          - {name: a, model: offline/agent, temprature: 0.3}
          - {name: b, model: m, params: {api_key: sk-abc}}
          - {name: c, model: m, api_base: "http://me:secret@127.0.0.1/v1"}
    """
    done = CliRunner().invoke(app, ["run", str(write({"shootouts/small.yaml": text}) / "shootouts/small.yaml")])
    lines = done.stderr.strip().splitlines()
    assert done.exit_code == 1
    assert [int(re.search(r":(\d+):", line)[1]) for line in lines] == [2, 5, 6, 7]
    assert "did you mean 'temperature'?" in lines[1]
    assert "api_key_env" in lines[2]
    assert "sk-abc" not in done.output


def test_a_missing_prompt_is_told_with_its_line(write) -> None:
    text = "name: s\ncandidates:\n  - name: a\n    model: offline/agent\n    prompt: nowhere.md\n"
    done = CliRunner().invoke(app, ["run", str(write({"shootouts/small.yaml": text}) / "shootouts/small.yaml")])
    assert (done.exit_code, "small.yaml:5: a: prompt 'nowhere.md' is missing" in done.stderr) == (1, True)


def test_a_dollar_budget_over_a_model_without_a_price_is_refused_before_anything_is_played(write) -> None:
    text = "name: s\nbudget: {usd: 1}\ncandidates:\n  - {name: a, model: offline/agent}\n"
    done = CliRunner().invoke(app, ["run", str(write({"shootouts/small.yaml": text}) / "shootouts/small.yaml")])
    assert done.exit_code == 1
    assert "offline/agent" in done.stderr


def test_a_budget_that_is_reached_keeps_what_it_has_and_exits_3(shop: Path) -> None:
    path = shop / "shootouts/small.yaml"
    path.write_text(path.read_text() + "budget: {calls: 5}\n")
    done = CliRunner().invoke(app, ["run", str(path), "--json", "--concurrency", "2"])
    assert done.exit_code == 3
    slots = json.loads(done.stdout)["slots"]
    assert (slots["completed"], slots["not_run"]) == (5, 7)
    # A later session has a budget of its own and goes on: 5 more, then the last 2.
    assert CliRunner().invoke(app, ["run", str(path)]).exit_code == 3
    assert CliRunner().invoke(app, ["run", str(path)]).exit_code == 0


def test_a_missing_key_is_one_line_that_names_the_variable(write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    text = "name: s\ncandidates:\n  - {name: a, model: openai/gpt-4.1-mini}\n"
    done = CliRunner().invoke(app, ["run", str(write({"shootouts/small.yaml": text}) / "shootouts/small.yaml")])
    assert (done.exit_code, len(done.stderr.strip().splitlines())) == (1, 1)
    assert "OPENAI_API_KEY" in done.stderr


def test_schemas_accept_what_the_shipped_suite_holds(tmp_path: Path) -> None:
    evalkit("schema", "--out", tmp_path)
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {
        "amendments.schema.json",
        "cases.schema.json",
        "patterns.schema.json",
        "quarantine.schema.json",
        "rubric.schema.json",
        "shootout.schema.json",
        "suite.schema.json",
    }


def test_exit_codes_have_meanings() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "evalkit.exits", "4"], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == "exit 4: incomplete: some slots were not measured\n"


def test_show_prints_a_transcript_with_its_hits_and_every_check(shop: Path) -> None:
    evalkit("run", shop / "shootouts/small.yaml")
    said = evalkit("show", "latest", "ORD-1", "--candidate", "steady", "--trial", "0")
    assert "-- user --" in said
    assert "-- assistant --" in said
    assert "-- system --" not in said
    assert "Begin with ROUTE" in evalkit("show", "latest", "ORD-1", "--prompt")
    assert "must include: two days" in said
    # Of two candidates and two trials one is shown where none is named.
    assert "3 more trials of ORD-1" in evalkit("show", "latest", "ORD-1")
    rows = json.loads(evalkit("show", "latest", "ORD-1", "--json"))["trials"]
    assert [(row["candidate"], row["trial"]) for row in rows] == [
        ("steady", 0),
        ("bold", 0),
        ("steady", 1),
        ("bold", 1),
    ]
    for unknown in (["NO-1"], ["ORD-1", "--candidate", "nobody"], ["ORD-1", "--trial", "7"]):
        assert CliRunner().invoke(app, ["show", "latest", *unknown]).exit_code == 1


def test_why_names_the_part_that_a_changed_prompt_changed(write) -> None:
    shootout = write() / "shootouts/small.yaml"
    evalkit("run", shootout)
    said = evalkit("why", "latest", "ORD-1", "--candidate", "steady")
    assert "bold, trial 1" in said
    evalkit("run", write({"prompts/desk.md": "You answer tickets. Be kind.\n"}) / "shootouts/small.yaml")
    found = json.loads(evalkit("why", "latest", "ORD-1", "--json"))
    assert found["nearest"]["candidate"] == "steady"
    assert [(each["name"], each["theirs"], each["own"]) for each in found["differences"]] == [
        (
            "prompt",
            json.dumps("You answer tickets. Begin with ROUTE: direct or ROUTE: escalate.\n"),
            json.dumps("You answer tickets. Be kind.\n"),
        )
    ]
    said = evalkit("why", "latest", "ORD-1")
    assert "- You answer tickets. Begin with ROUTE" in said
    assert "+ You answer tickets. Be kind." in said
    assert CliRunner().invoke(app, ["why", "latest", "ORD-1", "--trial", "9"]).exit_code == 1


def test_why_says_that_a_trial_was_not_played_again_since_nothing_in_it_changed(write) -> None:
    evalkit("run", write() / "shootouts/small.yaml")
    first = json.loads(evalkit("why", "latest", "ORD-1", "--json"))
    assert (first["reused"], "not again" in evalkit("why", "latest", "ORD-1")) == (False, False)
    time.sleep(1.1)  # a run's start is kept to the second
    changed = write(
        {"patterns.yaml": "refund: ['refund(s|ed|ing)?', 'money back', 'paid back']\ntwo days: ['two days']\n"}
    )
    assert json.loads(evalkit("run", changed / "shootouts/small.yaml", "--json"))["calls"] == 0
    again = json.loads(evalkit("why", "latest", "ORD-1", "--json"))
    assert (again["played"], again["reused"]) == (first["played"], True)
    assert "before this run began, and not again: no part of it has changed since" in evalkit("why", "latest", "ORD-1")


def test_a_dry_run_counts_what_its_options_would_play_and_names_their_budget(write) -> None:
    text = "- {id: C, ticket: {body: Hi}, expected_handling: direct}\n"
    shootout = "name: s\ntrials: 1\ncandidates: [{name: cut, model: offline/agent, max_tokens: 1}]\n"
    shop = write({"tickets/all.yaml": text, "shootouts/s.yaml": shootout}, base=False) / "shootouts/s.yaml"
    assert json.loads(evalkit("run", shop, "--json"))["slots"]["empty"] == 1
    assert json.loads(evalkit("run", shop, "--dry-run", "--json"))["to_play"] == 0
    assert json.loads(evalkit("run", shop, "--dry-run", "--retry-empty", "--json"))["to_play"] == 1
    assert "the budget is $0.07" in evalkit("run", shop, "--dry-run", "--retry-empty", "--budget-usd", "0.07")


@pytest.mark.parametrize("model", ["nope/agent", "gpt-nope", "offline/nope"])
def test_a_model_of_no_provider_is_one_line_before_anything_is_played(write, model: str) -> None:
    shootout = f"name: s\ncandidates: [{{name: x, model: {model}}}]\n"
    done = CliRunner().invoke(app, ["run", str(write({"shootouts/s.yaml": shootout}) / "shootouts/s.yaml")])
    assert done.exit_code == 1
    assert f"no provider has a model {model}; write it as LiteLLM names it" in done.stderr
    assert json.loads(evalkit("runs", "--json", "--store", str(write() / "none.sqlite"), code=1) or "{}") == {}


def test_check_reads_the_labelled_sentences_too(write) -> None:
    done = CliRunner().invoke(
        app, ["check", str(write({"labels/sentences.yaml": "- {text: a, says: [nothing known]}\n"}))]
    )
    assert done.exit_code == 1
    assert "sentences.yaml:1: sentence 1: no concept 'nothing known'" in done.stderr


def test_who_reads_no_further_ends_a_command_without_a_word(shop: Path) -> None:
    program = f"{sys.executable} -m evalkit.cli check {shop} --json"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {program} | true"], capture_output=True, text=True, check=False
    )
    assert "Broken pipe" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_patterns_prints_recall_and_precision_and_what_replies_hold(write) -> None:
    shop = write(
        {
            "labels/sentences.yaml": "- {text: It takes 2 days., says: [two days]}\n- {text: No refunds here., says: []}\n"
        }
    )
    evalkit("run", shop / "shootouts/small.yaml")
    said = evalkit("patterns", shop)
    assert "2 labelled sentences, 1 of which say nothing" in said
    assert "recall    1.0000 (95 % interval 0.0250 to 1.0000, n = 1)" in said
    assert "distinct stored replies" in said
    assert "alternatives hit no stored reply" in said
    whole = json.loads(evalkit("patterns", shop, "--json"))
    assert {row["concept"] for row in whole["concepts"]} == {"refund", "passed on", "two days"}
    assert "48 hours" in evalkit("patterns", shop, "--concept", "two days")
    assert [
        row["concept"] for row in json.loads(evalkit("patterns", shop, "--concept", "Two Days", "--json"))["concepts"]
    ] == ["two days"]
    for how in ([], ["--json"]):
        assert CliRunner().invoke(app, ["patterns", str(shop), "--concept", "no such", *how]).exit_code == 1
    bad = write({"labels/sentences.yaml": "- {text: a, says: [nothing known]}\n- {txt: b}\n"})
    done = CliRunner().invoke(app, ["patterns", str(bad)])
    assert done.exit_code == 1
    assert "sentences.yaml:1: sentence 1: no concept 'nothing known'" in done.stderr
    assert "sentences.yaml:2" in done.stderr
