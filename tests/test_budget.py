"""One budget over candidates, customer and graders: what playing spends of it, and what it leaves to grading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Write
from misbehaving_server import MisbehavingServer
from typer.testing import CliRunner

import evalkit
from evalkit import views
from evalkit.cli import app
from evalkit.errors import BudgetExceeded, ShootoutError
from evalkit.graded import begin_measurement, grade_run
from evalkit.grading import GradeOptions
from evalkit.missing import missing
from evalkit.plan import plan
from evalkit.runner import Options, Played, play_plan
from evalkit.runs import load_run
from evalkit.store import Store

RUBRIC = """
    menu:
      - {verdict: bad, means: wrong, passes: false}
      - {verdict: good, means: right, passes: true}
    criteria:
      - {name: tone, asks: Is it polite?}
"""
# Of three cases the transcripts all differ; with two trials each at temperature 0 there are three or more to grade.
SHOOTOUT = """
    name: small
    trials: 2
    baseline: steady
    budget: BUDGET
    grader: GRADER
    candidates:
      - {name: steady, model: offline/agent, prompt: desk.md, price: {input: 1.0, output: 2.0}}
"""
GRADER = "{model: offline/grader-cheap, rubric: quality, price: {input: 1.0, output: 1.0}}"


def shop_of(write: Write, budget: str, grader: str = GRADER, **changes: str) -> Path:
    text = SHOOTOUT.replace("BUDGET", budget).replace("GRADER", grader)
    files = {"rubrics/quality.yaml": RUBRIC, "prompts/grader.md": "Grade it.\n", "shootouts/small.yaml": text}
    return write(files | changes) / "shootouts/small.yaml"


def play(path: Path, **options: Any) -> Played:
    with Store() as store:
        return play_plan(plan(path), store, Options(sequential=True, **options))


def manifest() -> dict[str, Any]:
    return dict(load_run("latest").manifest)


def to_grade(run: str) -> int:
    return len({subject.content for subject in load_run(run).subjects if subject is not None})


def test_a_session_notes_what_it_spent_of_which_budget(write: Write) -> None:
    done = play(shop_of(write, "{usd: 1.0, calls: 100}"))
    found = manifest()
    assert (done.calls, found["spent"]["calls"]) == (6, 6)
    assert found["spent"]["usd"] == pytest.approx(done.usd)
    assert found["budget"] == {"usd": 1.0, "calls": 100}
    assert "stopped" not in found


def test_without_a_budget_none_is_noted_and_an_unknown_cost_is_none(write: Write) -> None:
    text = "name: small\ntrials: 1\ncandidates: [{name: a, model: offline/agent, prompt: desk.md}]\n"
    play(write({"shootouts/small.yaml": text}) / "shootouts/small.yaml")
    assert manifest()["spent"] == {"usd": None, "calls": 3}
    assert "budget" not in manifest()


def test_a_run_that_is_stopped_says_why_until_it_is_played_to_its_end(write: Write) -> None:
    path = shop_of(write, "{calls: 4}")
    assert play(path).stopped == manifest()["stopped"] == "budget reached: 4 of 4 calls made"
    # A later session has the whole budget again: the last two slots, and nothing stops it.
    assert play(path).stopped == ""
    assert "stopped" not in manifest()
    assert manifest()["spent"]["calls"] == 2
    assert play(path).calls == manifest()["spent"]["calls"] == 0


def test_a_session_ended_by_ctrl_c_notes_what_it_spent(write: Write) -> None:
    path = shop_of(write, "{calls: 4}")

    def end(trial: object, done: int, total: int) -> None:  # noqa: ARG001
        if done == 3:
            raise KeyboardInterrupt

    with Store() as store, pytest.raises(KeyboardInterrupt):
        play_plan(plan(path), store, Options(sequential=True), end)
    assert manifest()["spent"]["calls"] == 3


def test_grading_has_what_playing_left_of_the_calls(write: Write) -> None:
    path = shop_of(write, "{calls: 8}")
    run = play(path).run
    assert to_grade(run) > 2
    done = grade_run(run, options=GradeOptions(concurrency=1))
    # Six of eight calls were played.
    assert (done.calls, done.trials["graded"] > 0, done.trials["not graded"] > 0) == (2, True, True)
    assert done.stopped == (
        "budget reached: 2 of 2 calls made (of the run's budget its last session of playing, and grading since, had "
        "spent 6 of 8 calls; the shootout's command, given again, begins a new session)"
    )
    assert manifest()["grading_stopped"] == done.stopped
    assert "Grading was stopped: budget reached: 2 of 2 calls made" in missing(load_run(run)).says
    # The same command again: a session that plays nothing leaves the whole budget to grading.
    assert play(path).calls == 0
    assert manifest()["grading_stopped"] == done.stopped
    again = grade_run(run)
    assert (again.stopped, again.trials["not graded"]) == ("", 0)
    assert "grading_stopped" not in manifest()
    assert not missing(load_run(run))


def test_a_budget_that_playing_used_up_leaves_nothing_to_grading_and_both_exit_3(write: Write) -> None:
    path = shop_of(write, "{calls: 4}")
    assert CliRunner().invoke(app, ["run", str(path), "--sequential"]).exit_code == 3
    done = CliRunner().invoke(app, ["grade", "latest", "--json"])
    assert (done.exit_code, json.loads(done.stdout)["calls"]) == (3, 0)
    assert "4 of 4 calls" in done.stderr


def test_the_less_of_the_graders_own_budget_and_of_what_is_left_counts(write: Write) -> None:
    own = GRADER.replace("rubric: quality", "rubric: quality, budget: {calls: CALLS}")
    for calls, expected in ((1, 1), (50, 2)):
        folder = f"shop{calls}"
        path = shop_of(lambda files, name=folder: write(files, folder=name), "{calls: 8}",
                       own.replace("CALLS", str(calls)), **{"prompts/grader.md": f"Grade it {calls}.\n"})  # fmt: skip
        run = play(path, fresh=True).run
        assert grade_run(run, options=GradeOptions(concurrency=1)).calls == expected


def test_dollars_are_shared_as_calls_are_and_another_limit_may_be_asked_for(write: Write) -> None:
    path = shop_of(write, "{usd: 1.0}")
    spent = play(path).usd
    assert spent is not None
    with Store() as store:
        run = store.find("latest")
        # All but two thousandths of a cent is gone: a call sets aside far more (1,024 tokens out at $1 a million).
        store.note(run, budget={"usd": spent + 0.00002, "calls": None})
    done = grade_run(run)
    assert (done.calls, "US dollars spent" in done.stopped) == (0, True)
    assert "of the run's budget its last session of playing, and grading since, had spent" in done.stopped
    assert grade_run(run, options=GradeOptions(budget_usd=1.0)).stopped == ""


def test_the_limit_of_a_session_of_playing_is_that_of_its_grading(write: Write) -> None:
    play(shop_of(write, "{usd: 1.0}"), budget_usd=0.5)
    assert manifest()["budget"] == {"usd": 0.5, "calls": None}


def test_a_grader_without_a_price_is_refused_under_dollars_before_anything_is_played(write: Write) -> None:
    for grader, name in (
        ("{model: offline/grader-cheap, rubric: quality}", "the grader (offline/grader-cheap)"),
        (GRADER[:-1] + ", strong: {model: offline/grader-strong}}", "the strong grader (offline/grader-strong)"),
    ):
        path = shop_of(write, "{usd: 1.0}", grader)
        with pytest.raises(ShootoutError) as told:
            play(path)
        assert name in str(told.value)
        with Store() as store:
            assert store.runs() == []
        # A budget of calls needs no price.
        path.write_text(path.read_text().replace("{usd: 1.0}", "{calls: 100}"))
    assert play(path).calls == 6


def test_the_budget_bounds_the_labelled_transcripts_of_a_measurement(write: Write) -> None:
    head = {"labels": "shop", "source": "example", "rubric": "quality", "about": "EXAMPLE"}
    items = [
        {
            "item": f"L{n}", "case": "ORD-1", "stratum": "orders", "candidate": "steady", "trial": n, "kind": "ticket",
            "inclusion": 0.5, "reference": "In two days.", "adjudication": None,
            "transcript": [{"role": "customer", "text": f"Where? {n}"}, {"role": "agent", "text": "Here."}],
            "ratings": [{"rater": "a", "date": "2026-10-02", "verdicts": {"tone": "good"}, "note": ""}],
        }
        for n in range(3)
    ]  # fmt: skip
    labels = "\n".join(json.dumps(line) for line in (head, *items)) + "\n"
    path = shop_of(write, "{calls: 2}", **{"labels/shop.jsonl": labels})
    done = grade_run(begin_measurement(path, month="2026-10"), options=GradeOptions(concurrency=1))
    # Nothing was played, so that the whole budget is left: two of three.
    assert (done.labelled["graded"], done.labelled["not graded"]) == (2, 1)
    run = load_run(done.run)
    assert missing(run).says.startswith("Grading was stopped: budget reached: 2 of 2 calls made")
    page = views.calibration_answer(run).html
    assert page.count("INCOMPLETE") == 1
    assert "Of 3 labelled transcripts 1 are not graded" in page


def test_retries_of_a_grader_count_and_nothing_is_asked_beyond_the_budget(write: Write) -> None:
    reply = json.dumps({"criteria": [{"name": "tone", "reasoning": "kind", "verdict": "good"}]})
    with MisbehavingServer(reply=lambda _: reply) as server:
        grader = f'{{model: openai/ok, api_base: "{server.url}", rubric: quality, concurrency: 8}}'
        run = play(shop_of(write, "{calls: 7}", grader)).run
        done = grade_run(run)
        # One call is left, and eight transcripts are asked for at once.
        assert (len(server.requests), done.calls, "1 of 1 calls" in done.stopped) == (1, 1, True)


def test_a_customers_calls_count_too(write: Write) -> None:
    shop = write(
        {
            "tickets/orders.yaml": None,
            "talks/t.yaml": "{id: T, persona: p, goal: Know where my parcel is, expect: {outcome: resolved}}",
            "shootouts/small.yaml": (
                "name: small\ntrials: 1\nbudget: {calls: 3}\ncustomer: {model: offline/customer}\n"
                "candidates: [{name: a, model: offline/agent, prompt: desk.md}]\n"
            ),
        },
    )
    with pytest.raises(BudgetExceeded, match="3 of 3 calls"):
        evalkit.run(shop / "shootouts/small.yaml", quiet=True)


@pytest.mark.parametrize(
    ("grader", "said"),
    [
        ("{model: openai/gpt-4.1-mini, rubric: quality}", "missing API key: set OPENAI_API_KEY"),
        ("{model: offline/grader-sheap, rubric: quality}", "no provider has a model offline/grader-sheap"),
        ("{model: offline/grader-cheap, rubric: quality, params: {unshure: 0.1}}", "knows no parameter unshure"),
        (
            "{model: offline/grader-cheap, rubric: quality, strong: {model: gpt-nope}}",
            "no provider has a model gpt-nope",
        ),
    ],
)
def test_a_grader_that_cannot_be_asked_is_told_before_anything_is_played(
    write: Write, monkeypatch: pytest.MonkeyPatch, grader: str, said: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = str(shop_of(write, "{calls: 100}", grader))
    dry = CliRunner().invoke(app, ["run", path, "--dry-run"])
    assert dry.exit_code == 0, dry.output
    assert f"the grader cannot be asked: {said}" in dry.stdout.replace("an offline grader ", "")
    played = CliRunner().invoke(app, ["run", path, "--json"])
    # Playing needs no grader.
    assert (played.exit_code, json.loads(played.stdout)["slots"]["completed"]) == (0, 6)
    assert "notice: `evalkit grade` will not be able to ask the grader" in played.stderr
    assert said in played.stderr


def test_a_note_sets_and_takes_out_keys_and_leaves_the_others(write: Write) -> None:
    path = shop_of(write, "{calls: 100}")
    path.write_text(path.read_text().replace("baseline: steady", "baseline: null"))
    run = play(path).run
    with Store() as store:
        before = store.manifest(run)
        # A key that was None all along is none that was taken out.
        assert before["baseline"] is None
        store.note(run, stopped="why", spent=None)
        assert store.manifest(run) == {
            **{key: value for key, value in before.items() if key != "spent"},
            "stopped": "why",
        }
        store.note(run, stopped=None, spent=before["spent"])
        assert store.manifest(run) == before


def test_what_grading_spent_is_gone_for_the_grading_after_it(write: Write) -> None:
    path = shop_of(write, "{calls: 8}")
    run = play(path).run
    assert grade_run(run, options=GradeOptions(concurrency=1)).calls == 2
    assert (manifest()["graded_spent"]["calls"], grade_run(run).calls) == (2, 0)
    # The shootout's command, given again, plays nothing here and begins a new session.
    play(path)
    assert "graded_spent" not in manifest()
    assert grade_run(run, options=GradeOptions(concurrency=1)).calls > 0
