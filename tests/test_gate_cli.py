"""The gate's command and those that a CI asks: exit codes, files, archives without a store, and the second look."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import evalkit
from evalkit.cli import app
from evalkit.tables import Run

# Ten cases a stratum, so that a drop to none leaves the band: z·√((1+1/R)/2)·√(2/m·3/(R·N)) is 2·0.816·√(0.2·0.1) = 0.23.
ORDERS = "\n".join(
    f"""
- id: ORD-{n}
  stratum: orders
  must_pass: {"true" if n == 0 else "false"}
  ticket: {{subject: Where is my parcel {n}?, body: When is my parcel delivered please}}
  expected_handling: direct
  must_include: [two days]
"""
    for n in range(10)
)
SHOOTOUT = """
name: small
trials: 2
baseline: steady
candidates:
  - {name: steady, model: offline/agent, prompt: desk.md, knowledge: {top: 2}, temperature: 0.3}
  - {name: unread, model: offline/agent, prompt: desk.md, temperature: 0.3}
"""
SUITE = "name: corner-shop\nstrata: [orders]\nsamples: {pr: {draw: 5}, fast: {must_pass: 1}}\n"


def gate(*arguments: object, code: int) -> str:
    """What `evalkit gate` prints on stdout, where it ends with this exit code."""
    return command("gate", *arguments, code=code)


def command(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, (done.exit_code, done.output, done.exception)
    assert "Traceback" not in done.output
    return done.stdout


def found(*arguments: object, code: int) -> dict[str, Any]:
    return json.loads(gate(*arguments, "--json", code=code))


@pytest.fixture
def desk(write) -> Path:
    """A suite of ten must-pass and other cases, and its shootout of an agent that reads articles and one that does not."""
    files = {"tickets/orders.yaml": ORDERS, "suite.yaml": SUITE, "shootouts/small.yaml": SHOOTOUT}
    return write(files)


def played(desk: Path, **options: Any) -> Run:
    return evalkit.run(desk / "shootouts/small.yaml", quiet=True, **options)


def archived(run: Run, folder: Path, date: str = "2026-11-30T02:00:00+00:00") -> Path:
    folder.mkdir(parents=True)
    run.archive(folder, date=date, headline="", complete=True)
    return folder


def kinds(decision: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["kind"], each["where"]) for each in decision["reasons"]]


def test_an_unchanged_agent_is_allowed_and_all_three_files_say_so(desk: Path, tmp_path: Path) -> None:
    run = played(desk, repeats=3)
    files = [tmp_path / "out" / name for name in ("junit.xml", "summary.md", "decision.json")]
    options = ("--junit", files[0], "--markdown", files[1], "--record", files[2], "--date", "2026-12-01")
    said = gate("latest", "latest:steady", *options, code=0)
    assert said.startswith("ALLOW")
    assert ElementTree.parse(files[0]).getroot().get("failures") == "0"
    assert files[1].read_text().startswith("## ✓ Allowed")
    record = json.loads(files[2].read_text())
    assert (record["decision"], record["candidate"]["run"], record["today"]) == ("allow", run.id, "2026-12-01")
    before = [path.read_bytes() for path in files]
    gate("latest", "latest:steady", *options, code=0)
    assert [path.read_bytes() for path in files] == before


def test_json_is_one_object_with_decision_reasons_and_strata(desk: Path) -> None:
    played(desk, repeats=3)
    decision = found("latest", "latest", code=1)
    assert decision["decision"] == "block"
    # Without a colon it is the baseline against the one other candidate, which reads no article and knows no answer.
    assert (decision["baseline"]["name"], decision["candidate"]["name"]) == ("steady", "unread")
    assert kinds(decision) == [("must_pass", "ORD-0"), ("stratum", "orders")]
    assert [each["stratum"] for each in decision["strata"]] == ["orders"]


def test_one_name_is_enough_for_must_pass_cases_alone(desk: Path) -> None:
    played(desk, candidates=["steady"], sample="fast", repeats=1)
    decision = found("latest", "--must-pass-only", code=0)
    assert (decision["decision"], len(decision["must_pass"]), decision["strata"]) == ("allow", 1, [])
    assert "name two, BASELINE and CANDIDATE" in CliRunner().invoke(app, ["gate", "latest"]).stderr
    gate("latest", code=2)
    gate("latest", "latest", "latest", code=2)


def test_a_blocked_stratum_is_played_once_more_and_the_record_keeps_both_looks(desk: Path) -> None:
    run = played(desk, repeats=3)
    decision = found("latest", "latest:unread", "--rerun", code=1)
    (look,) = decision["strata"]
    assert [(each["block"], each["out"]) for each in look["looks"]] == [(0, True), (1, True)]
    assert evalkit.load_run(run.id).manifest["reruns"] == {"unread": {"orders": 1}}
    # The second call finds both looks and plays nothing.
    again = found("latest", "latest:unread", "--rerun", code=1)
    assert again == decision


def test_trials_that_the_files_would_no_longer_play_are_not_measured_and_not_played_again(desk: Path) -> None:
    run = played(desk, repeats=3)
    prompt = desk / "prompts/desk.md"
    prompt.write_text(prompt.read_text() + "Be kind.\n")
    done = CliRunner().invoke(app, ["gate", "latest", "latest:unread", "--rerun"])
    assert done.exit_code == 1
    assert f"the candidate's run {run.id[:8]} is not what its files would play now" in done.stdout
    assert "played once more" not in done.stderr
    assert "BLOCK" in done.stdout


def test_an_archive_is_gated_without_a_store_and_is_no_run_to_play_again(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = archived(played(desk, repeats=3), tmp_path / "archive: of: night")
    monkeypatch.setenv("EVALKIT_STORE", str(tmp_path / "nowhere" / "evalkit.sqlite"))
    assert found(folder, f"{folder}:steady", code=0)["decision"] == "allow"
    assert found(f"{folder}:steady", f"{folder}:unread", code=1)["candidate"]["name"] == "unread"
    assert not (tmp_path / "nowhere").exists()
    assert "is an archive" in CliRunner().invoke(app, ["gate", str(folder), str(folder), "--rerun"]).stderr


def test_nightly_is_the_newest_archive_with_repeats_of_the_same_shootout(desk: Path, tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    night = played(desk, repeats=3)
    archived(night, reports / "old", "2026-11-28T02:00:00+00:00")
    archived(night, reports / "new", "2026-11-29T02:00:00+00:00")
    # Newer, and no baseline: without repeats, of another shootout, without a date, and still being written.
    archived(played(desk), reports / "single", "2026-11-30T02:00:00+00:00")
    for name, change in (("other", {"name": "else"}), ("dateless", {"date": None})):
        shutil.copytree(reports / "new", reports / name)
        manifest = json.loads((reports / name / "manifest.json").read_text())
        manifest |= {"date": "2026-12-24T02:00:00+00:00", **change}
        (reports / name / "manifest.json").write_text(json.dumps(manifest))
    shutil.copytree(reports / "other", reports / ".report-x")
    from evalkit.baselines import newest_nightly

    assert newest_nightly(reports, "small") == reports / "new"
    assert found("nightly", "latest:steady", "--out", reports, code=0)["baseline"]["run"] == night.id
    assert [each["name"] for each in json.loads(command("archives", "--out", reports, "--json"))["archives"]] == [
        "else", "small", "small", "small",
    ]  # fmt: skip
    assert command("archives", "--newest", "--out", reports).strip() == str(reports / "other")


def test_no_baseline_is_not_measured_with_the_command_that_makes_one_and_must_pass_cases_are_judged(
    desk: Path, tmp_path: Path
) -> None:
    played(desk, candidates=["steady"], repeats=1)
    (tmp_path / "empty").mkdir()
    for name in ("nightly", tmp_path / "empty", "abc"):
        decision = found(name, "latest", "--out", tmp_path, "--markdown", tmp_path / "s.md", code=1)
        assert (decision["decision"], kinds(decision)) == ("not measured", [("not measured", "baseline")])
        assert "`make nightly`" in decision["reasons"][0]["says"]
        assert len(decision["must_pass"]) == 1
        assert (tmp_path / "s.md").read_text().startswith("## ? Not measured, which blocks")
    played(desk, candidates=["unread"], repeats=1)
    assert [kind for kind, _ in kinds(found("nightly", "latest", "--out", tmp_path, code=1))] == [
        "must_pass",
        "not measured",
    ]


CHANGES = {
    "prompts/desk.md": ("prompts/desk.md", "You answer", "You now answer"),
    "knowledge/": ("knowledge/delivery.md", "two days", "two long days"),
    "tools/": ("tools/desk.py", "", "SECONDS = 5\n"),
    "the candidate's own keys": ("shootouts/small.yaml", "top: 2", "top: 1"),
    "the customer's model": ("shootouts/small.yaml", "trials: 2", "trials: 2\ncustomer: {model: offline/customer}"),
    "the eval-mode tag": ("suite.yaml", "name: corner-shop", "name: corner-shop\neval_mode_tag: '[TEST]'"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_baseline_of_another_agent_than_the_target_branch_has_is_not_measured(
    desk: Path, tmp_path: Path, what: str
) -> None:
    night = archived(played(desk, repeats=3), tmp_path / "night")
    target = tmp_path / "target"
    shutil.copytree(desk, target)
    assert found(night, "latest:steady", "--baseline-of", target / "shootouts/small.yaml", code=0)["allow"]
    name, old, new = CHANGES[what]
    file = target / name
    file.parent.mkdir(exist_ok=True)
    text = file.read_text() if file.exists() else ""
    assert old in text
    file.write_text(text.replace(old, new, 1))
    decision = found(night, "latest:steady", "--baseline-of", target / "shootouts/small.yaml", code=1)
    # This tree does not hold what the target has: in the suite's own settings it would undo it.
    undone = [("amendment", "eval_mode_tag")] if name == "suite.yaml" else []
    assert kinds(decision) == [*undone, ("not measured", "baseline")]
    assert f"in {what}; `make nightly`" in decision["reasons"][-1]["says"]


def test_a_target_branch_without_the_shootout_or_the_candidate_is_not_measured(desk: Path, tmp_path: Path) -> None:
    night = archived(played(desk, repeats=3), tmp_path / "night")
    renamed = desk / "shootouts/renamed.yaml"
    renamed.write_text(SHOOTOUT.replace("steady", "calm"))
    for target, said in (
        (tmp_path / "none.yaml", "its shootout cannot be read"),
        (renamed, "has no candidate 'steady'"),
    ):
        decision = found(night, "latest:steady", "--baseline-of", target, code=1)
        assert kinds(decision) == [("not measured", "baseline")]
        assert said in decision["reasons"][0]["says"]


def test_what_changes_no_answer_makes_no_other_agent(desk: Path, tmp_path: Path) -> None:
    night = archived(played(desk, repeats=3), tmp_path / "night")
    shootout = desk / "shootouts/small.yaml"
    shootout.write_text(
        shootout.read_text().replace("temperature: 0.3}", "temperature: 0.3, price: {input: 1, output: 2}}")
    )
    (desk / "prompts/grader.md").write_text("Grade it.\n")
    assert found(night, "latest:steady", "--baseline-of", shootout, code=0)["allow"]


def test_an_assumed_band_is_recorded_and_has_to_be_a_number(desk: Path) -> None:
    played(desk, repeats=1)
    decision = found("latest", "latest:steady", code=1)
    assert decision["decision"] == "not measured"
    assert "--repeats" in decision["reasons"][0]["says"]
    decision = found("latest", "latest:steady", "--assume-band", "0.2", code=0)
    assert (decision["band"], decision["strata"][0]["assumed"]) == ("assumed", True)
    for wrong in ("nan", "inf", "-1"):
        gate("latest", "latest:steady", "--assume-band", wrong, code=2)


def test_a_baseline_that_is_too_old_on_the_day_is_stale(desk: Path) -> None:
    played(desk, repeats=3)
    assert [kind for kind, _ in kinds(found("latest", "latest:steady", "--date", "2099-01-01", code=1))] == ["stale"]
    gate("latest", "latest:steady", "--date", "tomorrow", code=2)


def test_the_baseline_is_held_by_its_own_suite_and_an_unamended_change_is_named(desk: Path) -> None:
    played(desk, repeats=3)
    tickets = desk / "tickets/orders.yaml"
    tickets.write_text(tickets.read_text().replace("must_pass: true", "must_pass: false"))
    played(desk, candidates=["steady"], repeats=1)
    name = json.loads(command("runs", "--json"))["runs"][-1]["run"]
    decision = found(name, "latest", code=1)
    assert kinds(decision) == [("amendment", "case/ORD-0")]
    assert [each["case"] for each in decision["must_pass"]] == ["ORD-0"]


def test_a_shootouts_baseline_is_named_or_its_only_candidate(desk: Path, write) -> None:
    assert command("baseline", desk / "shootouts/small.yaml").strip() == "steady"
    alone = write(
        {"shootouts/a.yaml": "name: a\ncandidates: [{name: one, model: offline/agent, prompt: desk.md}]\n"}, folder="a"
    )
    assert command("baseline", alone / "shootouts/a.yaml").strip() == "one"
    without = desk / "shootouts/small.yaml"
    without.write_text(without.read_text().replace("baseline: steady\n", ""))
    done = CliRunner().invoke(app, ["baseline", str(without)])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "write `baseline: NAME`, one of steady, unread" in done.stderr


def test_results_are_kept_as_long_as_the_data_owner_allows_and_the_place_can(write) -> None:
    for number, (said, most, days) in enumerate(((30, 90, "30"), (365, 90, "90"), (365, 400, "365"), (None, 90, "90"))):
        owner = "" if said is None else f"data_owner: {{name: Ada, retention_days: {said}}}\n"
        suite = write({"suite.yaml": f"name: shop\nstrata: [orders, account]\n{owner}"}, folder=f"shop-{number}")
        done = CliRunner().invoke(app, ["retention", str(suite), "--most", str(most)])
        assert (done.exit_code, done.stdout.strip()) == (0, days)
        assert bool(re.search("names no data_owner.retention_days", done.stderr)) is (said is None)


def test_no_archive_is_a_line_that_says_how_one_is_made(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["archives", "--newest", "--out", str(tmp_path)])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "`evalkit report RUN` makes one" in done.stderr
    assert command("archives", "--out", tmp_path) == ""


def test_an_amendment_that_the_target_branch_holds_does_not_cover_the_next_change(desk: Path, tmp_path: Path) -> None:
    night = archived(played(desk, repeats=3), tmp_path / "night")

    def limit(turns: int) -> None:
        (desk / "suite.yaml").write_text(f"{SUITE}policy: {{turn_limit: {turns}}}\n")

    limit(30)
    entry = "- {who: Kim, when: 2026-11-30, why: thirty now, what: [policy.turn_limit]}\n"
    (desk / "amendments.yaml").write_text(entry)
    target = tmp_path / "target"
    shutil.copytree(desk, target)
    against = ("--baseline-of", target / "shootouts/small.yaml")
    played(desk)
    assert found(night, "latest:steady", *against, code=0)["allow"]
    limit(40)
    played(desk)
    assert kinds(found(night, "latest:steady", *against, code=1)) == [("amendment", "policy.turn_limit")]
    assert found(night, "latest:steady", code=0)["allow"]
