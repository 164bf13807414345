"""The grading stage: the cascade, its keys, and a grader that misbehaves; no agent is ever played again for it."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Write
from misbehaving_server import MisbehavingServer
from typer.testing import CliRunner

from evalkit.cli import app
from evalkit.errors import ShootoutError
from evalkit.graded import begin_measurement, grade_run
from evalkit.grading import GradeOptions, Subject, content_hash, grading_of, panel_of_run
from evalkit.grading.cascade import audited
from evalkit.grading.turns import Turn
from evalkit.plan import plan
from evalkit.runner import play_plan
from evalkit.runs import load_run
from evalkit.store import Store
from evalkit.tables import Run
from evalkit.transcript import CriterionGrade, Grade

RUBRIC = """
    ordered: true
    menu:
      - {verdict: 1, means: wrong, passes: false}
      - {verdict: 2, means: half right, passes: false}
      - {verdict: 3, means: right, passes: true}
    near: [2]
    criteria:
      - {name: correctness, asks: Is the answer right?}
      - {name: tone, asks: Is it polite?}
"""
SHOOTOUT = """
    name: small
    trials: 2
    grader: GRADER
    candidates:
      - {name: steady, model: offline/agent, prompt: desk.md, knowledge: {top: 2}, temperature: 0.3}
"""
OFFLINE = "{model: offline/grader-cheap, rubric: quality, strong: {model: offline/grader-strong}}"
Json = dict[str, Any]


@pytest.fixture
def graded_shop(write: Write) -> Callable[..., Path]:
    """The small suite with a rubric and a grader."""

    def made(grader: str = OFFLINE, rubric: str = RUBRIC, **changes: str) -> Path:
        return write(
            {
                "rubrics/quality.yaml": rubric,
                "prompts/grader.md": "Grade what the agent told the customer.\n",
                "shootouts/small.yaml": SHOOTOUT.replace("GRADER", grader),
            }
            | changes
        )

    return made


def played(shop: Path) -> tuple[str, int]:
    with Store() as store:
        done = play_plan(plan(shop / "shootouts/small.yaml"), store)
    return done.run, done.calls


def reply(correctness: Any, tone: Any, **more: Any) -> str:
    criteria = [
        {"name": "correctness", "reasoning": "as the golden answer has it", "verdict": correctness},
        {"name": "tone", "reasoning": "friendly", "verdict": tone},
    ]
    return json.dumps({"criteria": criteria} | more)


def server_grader(server: MisbehavingServer, cheap: str = "cheap", strong: str = "strong", **more: Any) -> str:
    role = {"model": f"openai/{cheap}", "api_base": server.url, "rubric": "quality"} | more
    if strong:
        role["strong"] = {"model": f"openai/{strong}", "api_base": server.url}
    return json.dumps(role)


def asked(server: MisbehavingServer) -> Counter:
    return Counter(request.body["model"] for request in server.requests)


def test_a_run_is_graded_once_and_nothing_is_played_for_it(graded_shop) -> None:
    run, _ = played(graded_shop())
    first, again = grade_run(run), grade_run(run)
    assert first.trials == {"graded": 6, "unscored": 0, "error": 0, "not graded": 0}
    assert first.calls > 0
    assert (again.calls, again.trials) == (0, first.trials)
    with sqlite3.connect(Store().path) as db:
        assert db.execute("SELECT count(*) FROM trials").fetchone() == (6,)


def test_equal_transcripts_share_their_grades(graded_shop) -> None:
    with MisbehavingServer(reply=lambda _: reply(3, 3)) as server:
        run, _ = played(graded_shop(server_grader(server, strong="")))
        answers = {(trial.case, trial.answer) for _, trial in load_run(run).pairs if trial}
        grade_run(run)
        assert asked(server)["cheap"] == len(answers) < 6


def test_verdicts_near_the_threshold_go_to_the_strong_grader_whose_verdict_stands(graded_shop) -> None:
    # Without an audit: near is 2, on either criterion. The strong one passes what it sees.
    def answer(request: Json) -> str:
        if request["model"] == "strong":
            return reply(3, 3)
        return reply(3, 2) if "parcel" in json.dumps(request["messages"]) else reply(1, 3)

    with MisbehavingServer(reply=answer) as server:
        run, _ = played(graded_shop(server_grader(server), RUBRIC + "    audit: 0\n"))
        grade_run(run)
        read = load_run(run)
        for (slot, _), grading in zip(read.pairs, read.gradings, strict=True):
            assert grading is not None
            if slot.case == "ORD-1":
                assert (grading.near, grading.by, grading.inclusion) == (True, "strong", 1.0)
                assert (grading.cheap_passed, grading.strong_passed, grading.passed) == (False, True, True)
            else:
                assert (grading.near, grading.by, grading.inclusion) == (False, "cheap", 0.0)
                assert (grading.passed, grading.verdicts["correctness"]) == (False, "1")


def test_an_audit_is_drawn_by_what_is_graded_and_no_verdict_has_a_part_in_it(graded_shop) -> None:
    run, _ = played(graded_shop())
    read = load_run(run)
    panel = read.panel
    assert panel is not None
    turns = [(Turn("customer", f"Question {n}"), Turn("agent", "Answer")) for n in range(4000)]
    drawn = [audited(panel, Subject(content_hash(each), each, "golden")) for each in turns]
    # 10 % of 4,000, within four standard deviations of √(4000 · 0.1 · 0.9) = 19.
    assert abs(sum(drawn) - 400) < 76
    other = replace(panel, audit_seed=1)
    again = [audited(other, Subject(content_hash(each), each, "golden")) for each in turns]
    assert drawn != again
    subject = Subject(content_hash(turns[0]), turns[0], "golden")
    keys = {which: [key for key, _ in panel.asked_for(subject, which)] for which in ("cheap", "strong")}
    for verdict in "13":
        verdicts = (CriterionGrade("correctness", verdict), CriterionGrade("tone", verdict))
        grading = grading_of(panel, subject, {keys["cheap"][0]: Grade(keys["cheap"][0], "graded", verdicts)})
        assert grading.audited == drawn[0]
        assert grading.inclusion == pytest.approx(0.1)


def test_of_an_audited_transcript_the_strong_verdict_stands_and_is_waited_for(graded_shop) -> None:
    run, _ = played(graded_shop(rubric=RUBRIC + "    audit: 1\n"))
    panel = load_run(run).panel
    assert panel is not None
    turns = (Turn("customer", "Hello"), Turn("agent", "Hello"))
    subject = Subject(content_hash(turns), turns, "")
    (cheap, _), *_ = panel.asked_for(subject, "cheap")
    (strong, _), *_ = panel.asked_for(subject, "strong")
    good, bad = (tuple(CriterionGrade(name, verdict) for name in ("correctness", "tone")) for verdict in "31")
    grades = {cheap: Grade(cheap, "graded", good)}
    assert grading_of(panel, subject, grades).state == "not graded"
    grades[strong] = Grade(strong, "unscored", reason="truncated: cut")
    left_open = grading_of(panel, subject, grades)
    assert (left_open.state, left_open.passed, left_open.reason) == ("unscored", None, "truncated: cut")
    grades[strong] = Grade(strong, "graded", bad)
    stands = grading_of(panel, subject, grades)
    assert (stands.state, stands.passed, stands.cheap_passed, stands.strong_passed) == ("graded", False, True, False)


@pytest.mark.parametrize(
    ("behaviour", "status", "reason", "calls"),
    [
        ("403", "error", "error: ", 1),
        ("404", "error", "error: ", 1),
        ("quota", "error", "error: ", 1),
        ("context", "error", "error: ", 1),
        ("html", "error", "error: ", 1),
        ("bad-json", "error", "error: ", 1),
        ("no-choices", "error", "error: ", 1),
        ("huge:2", "error", "error: ", 1),
        ("silence", "error", "timeout: ", 1),
        ("length", "unscored", "empty: ", 1),
        ("length-cut", "unscored", "truncated", 1),
        ("filter", "unscored", "empty: ", 1),
        ("blank", "unscored", "empty", 1),
        ("ok:I would say a 3.", "unscored", "not JSON", 1),
    ],
)
def test_a_grader_that_misbehaves_gives_no_verdict_and_replays_no_agent(
    graded_shop, behaviour: str, status: str, reason: str, calls: int
) -> None:
    with MisbehavingServer() as server:
        run, _ = played(graded_shop(server_grader(server, behaviour, strong="", timeout_s=1.5)))
        done = grade_run(run, options=GradeOptions(concurrency=32))
        distinct = len({(trial.case, trial.answer) for _, trial in load_run(run).pairs if trial})
        assert done.trials[status] == 6
        assert len(server.requests) == distinct * calls
        read = load_run(run)
        assert all(each.passed is None and each.reason.startswith(reason) for each in read.gradings if each)
        # Errors are asked again, what could not be read is not, unless it is asked for.
        before = len(server.requests)
        grade_run(run, options=GradeOptions(concurrency=32))
        assert (len(server.requests) > before) == (status == "error")
        if status == "unscored":
            grade_run(run, options=GradeOptions(retry_unscored=True))
            assert len(server.requests) == before + distinct
    with sqlite3.connect(Store().path) as db:
        assert db.execute("SELECT count(*) FROM trials").fetchone() == (6,)


def test_a_reply_that_the_token_limit_cut_is_asked_for_once_more_with_a_larger_limit(graded_shop) -> None:
    def answer(request: Json) -> str | Json:
        whole = reply(3, 3)
        if request["max_tokens"] > 100:
            return whole
        message = {"role": "assistant", "content": whole[:30]}
        return {"choices": [{"index": 0, "message": message, "finish_reason": "length"}]}

    with MisbehavingServer(reply=answer) as server:
        run, _ = played(graded_shop(server_grader(server, strong="", max_tokens=50)))
        done = grade_run(run)
        assert done.trials["graded"] == 6
        assert Counter(request.body["max_tokens"] for request in server.requests) == {
            50: len(server.requests) // 2,
            200: len(server.requests) // 2,
        }


def test_a_rubric_per_turn_grades_each_answer_and_the_worst_counts(graded_shop) -> None:
    with MisbehavingServer() as server:
        run, _ = played(graded_shop(server_grader(server, strong=""), RUBRIC + "    per: turn\n"))
        panel = load_run(run).panel
    assert panel is not None
    said = [Turn("customer", "Hello"), Turn("agent", "Hello"), Turn("customer", "And?"), Turn("agent", "No.")]
    subject = Subject(content_hash(said), tuple(said), "")
    keys = dict(panel.asked_for(subject, "cheap"))
    assert list(keys.values()) == [0, 1]
    good = (CriterionGrade("correctness", "3"), CriterionGrade("tone", "3"))
    rude = (CriterionGrade("correctness", "3", "right"), CriterionGrade("tone", "1", "cold"))
    grades = {key: Grade(key, "graded", (good, rude)[turn], turn=turn) for key, turn in keys.items()}
    grading = grading_of(panel, subject, grades)
    assert (grading.verdicts, grading.passed) == ({"correctness": "3", "tone": "1"}, False)
    assert grading.reasoning["tone"] == "Answer 2: cold"
    first = next(iter(keys))
    grades[first] = replace(grades[first], status="unscored", criteria=(), reason="not JSON: prose")
    assert grading_of(panel, subject, grades).state == "unscored"


def test_a_transcript_without_an_answer_is_unscored_by_a_rubric_per_turn(graded_shop) -> None:
    run, _ = played(graded_shop(rubric=RUBRIC + "    per: turn\n"))
    panel = load_run(run).panel
    assert panel is not None
    turns = (Turn("customer", "Hello"), Turn("call", "{}", "close_ticket"))
    found = grading_of(panel, Subject(content_hash(turns), turns, ""), {})
    assert (found.state, found.passed, found.reason[:9]) == ("unscored", None, "no answer")


def test_a_budget_of_calls_stops_grading_keeps_what_came_and_exits_3(graded_shop) -> None:
    with MisbehavingServer(reply=lambda _: reply(3, 3)) as server:
        shop = graded_shop(server_grader(server, strong="", budget={"calls": 2}))
        run, _ = played(shop)
        done = CliRunner().invoke(app, ["grade", run, "--concurrency", "1"])
        assert done.exit_code == 3, done.output
        assert len(server.requests) == 2
        assert "not graded" in done.stdout
        more = CliRunner().invoke(app, ["grade", run, "--concurrency", "1", "--json"])
        assert json.loads(more.stdout)["calls"] <= 2
        assert len(server.requests) > 2


def test_an_error_of_the_grader_exits_4_and_the_same_command_goes_on(graded_shop) -> None:
    with MisbehavingServer(reply=lambda _: reply(3, 3)) as server:
        run, _ = played(graded_shop(server_grader(server, "403|ok", strong="")))
        server._reply = lambda _: reply(3, 3)
        first = CliRunner().invoke(app, ["grade", run, "--concurrency", "1"])
        assert (first.exit_code, "error" in first.stdout) == (4, True)
        codes = [CliRunner().invoke(app, ["grade", run, "--concurrency", "1"]).exit_code for _ in range(4)]
        assert codes[-1] == 0


def test_a_months_series_asks_anew_and_a_second_time_not(graded_shop, labelled) -> None:
    with MisbehavingServer(reply=lambda _: reply(3, 3)) as server:
        shop = graded_shop(server_grader(server, strong=""), **labelled)
        counts = []
        for month in ("", "2026-10", "2026-10", "2026-11"):
            run = begin_measurement(shop / "shootouts/small.yaml", month=month)
            done = grade_run(run)
            assert done.labelled["graded"] == 2
            counts.append(len(server.requests))
        # Two labelled transcripts: two calls for each series, none for one that is there.
        assert counts == [2, 4, 4, 6]
        assert load_run(begin_measurement(shop / "shootouts/small.yaml", month="2026-11")).series == "2026-11"


@pytest.fixture
def labelled() -> dict[str, str]:
    head = {"labels": "shop", "source": "example", "rubric": "quality", "about": "EXAMPLE"}
    items = [
        {
            "item": f"L{n}", "case": "ORD-1", "stratum": "orders", "candidate": "steady", "trial": n, "kind": "ticket",
            "inclusion": 0.5, "transcript": [{"role": "customer", "text": f"Where? {n}"}, {"role": "agent", "text": "Here."}],
            "reference": "In two days.",
            "ratings": [{"rater": "a", "date": "2026-10-02", "verdicts": {"correctness": "3", "tone": "3"}, "note": ""}],
            "adjudication": None,
        }
        for n in range(2)
    ]  # fmt: skip
    return {"labels/shop.jsonl": "\n".join(json.dumps(line) for line in (head, *items)) + "\n"}


def test_a_change_of_rubric_model_or_prompt_asks_anew_and_plays_nothing(graded_shop) -> None:
    with MisbehavingServer(reply=lambda _: reply(3, 3)) as server:
        shop = graded_shop(server_grader(server, strong=""))
        run, _ = played(shop)
        grade_run(run)
        identity = dict(load_run(run).panel.identity)  # type: ignore[union-attr]
        for changed, file, old, new in (
            ("rubric", "rubrics/quality.yaml", "half right", "half rigth"),
            ("prompt", "prompts/grader.md", "Grade what", "Grade That"),
            ("model", "shootouts/small.yaml", "openai/cheap", "openai/cheaq"),
        ):
            path, before = shop / file, len(server.requests)
            assert old in path.read_text("utf-8")
            path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
            run, calls = played(shop)
            assert calls == 0
            now = dict(load_run(run).panel.identity)  # type: ignore[union-attr]
            assert {part for part in now if now[part] != identity[part]} == {changed}
            assert grade_run(run).calls > 0
            assert len(server.requests) > before
            identity = now


def test_what_of_a_rubric_no_grader_sees_takes_trust_away_and_asks_nobody_anew(graded_shop) -> None:
    with MisbehavingServer(reply=lambda _: reply(3, 3)) as server:
        shop = graded_shop(server_grader(server, strong=""))
        run, _ = played(shop)
        grade_run(run)
        before, asked_before = load_run(run).panel, len(server.requests)
        path = shop / "rubrics/quality.yaml"
        path.write_text(path.read_text("utf-8").replace("near: [2]", "near: [1, 2]") + "audit: 0.5\n", "utf-8")
        run, _ = played(shop)
        now = load_run(run).panel
        assert before is not None
        assert now is not None
        assert now.identity["rubric"] != before.identity["rubric"]
        assert (grade_run(run).calls, len(server.requests)) == (0, asked_before)


def test_an_archive_holds_the_grades_and_is_graded_no_further(graded_shop, tmp_path: Path) -> None:
    run, _ = played(graded_shop())
    grade_run(run)
    read = load_run(run)
    folder = tmp_path / "archive"
    folder.mkdir()
    read.archive(folder)
    again = load_run(folder)
    assert again.gradings == read.gradings
    with pytest.raises(ShootoutError, match="whose numbers never move"):
        grade_run(folder)


def test_a_missing_key_is_one_line_before_anybody_is_asked(graded_shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    run, _ = played(graded_shop("{model: openai/gpt-4.1-mini, rubric: quality}"))
    done = CliRunner().invoke(app, ["grade", run])
    assert (done.exit_code, done.stderr.strip()) == (
        1,
        "missing API key: set OPENAI_API_KEY in the environment or in .env",
    )


def test_a_shootout_that_names_no_grader_or_no_rubric_says_what_to_write(graded_shop, shop: Path) -> None:
    run, _ = played(shop)
    done = CliRunner().invoke(app, ["grade", run])
    assert (done.exit_code, "names no `grader`" in done.stdout) == (0, True)
    with pytest.raises(ShootoutError, match=r"small.yaml:\d+: grader: rubric 'gone' is missing.*quality"):
        plan(graded_shop("{model: offline/grader-cheap, rubric: gone}") / "shootouts/small.yaml")
    with pytest.raises(ShootoutError, match=r"prompt 'none.md' is missing"):
        plan(graded_shop("{model: offline/grader-cheap, rubric: quality, prompt: none.md}") / "shootouts/small.yaml")


def test_the_rubric_is_sent_as_a_json_schema_where_the_model_keeps_one(graded_shop, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "an-invented-key")
    with MisbehavingServer(reply=lambda _: reply(3, 3)) as server:
        run, _ = played(graded_shop(server_grader(server, "gpt-4.1-mini", strong="")))
        grade_run(run)
        form = server.requests[0].body["response_format"]["json_schema"]
        assert form["strict"] is True
        first = json.dumps(form["schema"])
        assert first.index("reasoning") < first.index("verdict")
        run, _ = played(graded_shop(server_grader(server, "unheard-of", strong="")))
        grade_run(run)
        assert "response_format" not in server.requests[-1].body


def test_what_a_run_without_a_grader_shows_is_no_grading(shop: Path) -> None:
    read: Run = load_run(played(shop)[0])
    assert read.panel is None
    assert set(read.gradings) == {None}
    assert panel_of_run(read.manifest, read.suite) is None


def test_a_lost_prompt_takes_no_page_of_checks_away_and_says_what_to_do(graded_shop) -> None:
    shop = graded_shop()
    run, _ = played(shop)
    (shop / "prompts/grader.md").unlink()
    read = load_run(run)
    assert read.judged.height == 6
    assert read.panel is None
    assert "the grader's prompt grader.md is not in the suite's prompts/; bring it back" in read.no_panel
    with pytest.raises(ShootoutError, match=r"grader\.md is not in"):
        grade_run(run)


def test_line_ends_of_the_prompt_are_no_change_of_it(graded_shop) -> None:
    shop = graded_shop()
    run, _ = played(shop)
    before = load_run(run).panel
    (shop / "prompts/grader.md").write_bytes(b"Grade what the agent told the customer.\r\n\r\n")
    after = load_run(played(shop)[0]).panel
    assert before is not None
    assert after is not None
    assert before.fingerprint == after.fingerprint


def test_why_there_is_no_verdict_is_told_once_a_reason(graded_shop) -> None:
    run, _ = played(graded_shop("{model: offline/grader-cheap, rubric: quality, params: {unsur: 0.1}}"))
    done = CliRunner().invoke(app, ["grade", run])
    assert done.exit_code == 4
    (said,) = [line for line in done.stderr.splitlines() if "×" in line]
    assert said.startswith("  6 × error: ")
    assert "knows no parameter unsur" in said
