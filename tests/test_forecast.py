"""What a run would take: from the prompts while nothing is stored, from stored trials afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evalkit.cli import app
from evalkit.dialogue import ticket_messages
from evalkit.forecast import Range, forecast
from evalkit.graded import grade_run
from evalkit.plan import Selection, plan
from evalkit.runner import play_plan
from evalkit.runs import load_run
from evalkit.store import Store


def test_without_stored_trials_input_is_a_quarter_of_the_characters_that_would_be_sent(shop: Path) -> None:
    planned = plan(shop / "shootouts/small.yaml")
    with Store() as store:
        steady, bold = forecast(planned, store, planned.slots)
    candidate = planned.candidates["steady"]
    characters = sum(
        len(message.text)
        for case in planned.cases.values()
        for message in ticket_messages(case.ticket, candidate, planned.suite, planned.retrieval)
    )
    assert (steady.calls, steady.based_on) == (6, 0)
    assert steady.input_tokens.likely == pytest.approx(2 * characters / 4)
    assert "assumed" in steady.basis
    # $1 a million in, $2 a million out.
    for end in ("low", "likely", "high"):
        tokens = (getattr(steady.input_tokens, end), getattr(steady.output_tokens, end))
        assert getattr(steady.usd, end) == pytest.approx((round(tokens[0]) + 2 * round(tokens[1])) / 1e6)
    assert bold.input_tokens.likely < steady.input_tokens.likely


def test_stored_trials_of_the_same_model_parameters_and_prompt_tell_the_tokens(write) -> None:
    path = write() / "shootouts/small.yaml"
    with Store() as store:
        played = plan(path)
        play_plan(played, store)
        usages = [trial.attempts[0].usage for slot, trial in store.trials(played.run) if slot.candidate == "steady"]
        longer = plan(path, Selection(trials=4))
        steady, _ = forecast(longer, store, store.unfinished(longer.slots))
        assert (steady.calls, steady.based_on) == (6, 6)
        assert steady.output_tokens.likely == pytest.approx(sum(usage.output for usage in usages))
        assert steady.output_tokens.low <= steady.output_tokens.likely <= steady.output_tokens.high
        assert "6 stored trials" in steady.basis
        # Another prompt is another length: nothing is known of it.
        changed = plan(write({"prompts/desk.md": "Be kind.\n"}) / "shootouts/small.yaml")
        assert forecast(changed, store, changed.slots)[0].based_on == 0


def test_an_unknown_price_makes_the_sum_unknown_and_conversations_are_not_counted(write) -> None:
    shop = write(
        {
            "talks/t.yaml": "{id: T, persona: p, goal: g, expect: {outcome: resolved}}",
            "shootouts/small.yaml": """
                name: small
                trials: 1
                candidates:
                  - {name: own, model: openai/own, api_base: "http://127.0.0.1:9/v1", prompt: desk.md, max_tokens: 80}
            """,
        }
    )
    planned = plan(shop / "shootouts/small.yaml")
    with Store() as store:
        (own,) = forecast(planned, store, planned.slots)
    assert (len(planned.slots), own.calls, own.usd) == (4, 3, None)
    assert own.output_tokens.high == 3 * 80
    assert Range.total([Range(1, 2, 3), None]) is None
    assert Range.total([Range(1, 2, 3), Range(1, 1, 1)]) == Range(2, 3, 4)


def test_fewer_articles_are_forecast_as_fewer_tokens_although_longer_prompts_are_stored(write) -> None:
    path = write() / "shootouts/small.yaml"
    with Store() as store:
        play_plan(plan(path), store)
        text = path.read_text("utf-8").replace("top: 2", "top: 1")
        fewer = plan(write({"shootouts/small.yaml": text}) / "shootouts/small.yaml")
        before, _ = forecast(fewer, store, fewer.slots)
        assert (before.calls, before.based_on) == (6, 6)
        play_plan(fewer, store)
        took = [trial.attempts[0].usage.input for slot, trial in store.trials(fewer.run) if slot.candidate == "steady"]
    assert before.input_tokens.low <= sum(took) <= before.input_tokens.high
    assert before.input_tokens.likely == pytest.approx(sum(took), rel=0.02)


NIGHTLY = """
    name: nightly
    trials: 3
    customer: {model: offline/customer, price: {input: 1.0, output: 1.0}}
    grader: GRADER
    baseline: steady
    candidates:
      - {name: steady, model: offline/agent, prompt: desk.md, price: {input: 1.0, output: 2.0}}
"""
CHEAP = "{model: offline/grader-cheap, rubric: quality, price: {input: 1.0, output: 1.0}"
RUBRIC = """
    per: PER
    menu:
      - {verdict: bad, means: wrong, passes: false}
      - {verdict: good, means: right, passes: true}
    near: [bad]
    audit: 0.1
    criteria:
      - {name: tone, asks: Is it polite?}
"""


def nightly(write, per: str, grader: str = CHEAP + "}", talks: int = 400) -> Path:
    """A suite of conversations alone, one candidate and three trials."""
    cases = "".join(f"- {{id: T{n}, persona: p, goal: g, expect: {{outcome: resolved}}}}\n" for n in range(talks))
    return (
        write(
            {
                "tickets/orders.yaml": None,
                "talks/all.yaml": cases or None,
                "rubrics/quality.yaml": RUBRIC.replace("PER", per),
                "prompts/grader.md": "Grade it.\n",
                "shootouts/nightly.yaml": NIGHTLY.replace("GRADER", grader),
            }
        )
        / "shootouts/nightly.yaml"
    )


@pytest.mark.parametrize(
    ("per", "grader_calls", "total"),
    [
        # 400 conversations × 3 trials × 8 turns = 9,600 calls of each: agent + customer + grader.
        ("turn", 9_600, 28_800),
        # Graded once a trial: 9,600 + 9,600 + 400 × 3.
        ("trial", 1_200, 20_400),
    ],
)
def test_the_nightly_arithmetic_of_400_conversations_3_trials_and_8_turns(
    write, per: str, grader_calls: int, total: int
) -> None:
    path = nightly(write, per)
    planned = plan(path)
    with Store() as store:
        agent, customer, grader = forecast(planned, store, planned.slots, turns=8)
    assert [each.role for each in (agent, customer, grader)] == ["agent", "customer", "grader"]
    assert (agent.calls, customer.calls, grader.calls) == (9_600, 9_600, grader_calls)
    said = CliRunner().invoke(app, ["run", str(path), "--dry-run", "--turns", "8"])
    assert said.exit_code == 0, said.output
    assert (
        f"1 candidates × 400 cases × 3 trials = 1,200 slots; 0 stored, 1,200 to play, about {total:,} calls\n"
        in said.stdout
    )
    assert f"  the grader: {grader_calls:,} calls" in said.stdout


def test_the_calls_of_a_strong_grader_are_said_beside_and_not_in_the_sum(write) -> None:
    strong = CHEAP + ", strong: {model: offline/grader-strong, price: {input: 2.0, output: 8.0}}}"
    path = nightly(write, "trial", strong)
    planned = plan(path)
    with Store() as store:
        *_, cheap, best = forecast(planned, store, planned.slots, turns=8)
    # One in ten is audited, and of the others a fifth is taken to lie near: 0.1 + 0.9 × 0.2 = 0.28 of 1,200.
    assert (cheap.calls, best.calls, best.role) == (1_200, 336, "strong")
    assert best.input_tokens.low < best.input_tokens.likely < best.input_tokens.high
    said = CliRunner().invoke(app, ["run", str(path), "--dry-run", "--turns", "8"]).stdout
    assert "about 20,400 calls, and about 336 of the strong grader" in said
    found = json.loads(CliRunner().invoke(app, ["run", str(path), "--dry-run", "--turns", "8", "--json"]).stdout)
    assert (found["calls"], found["strong_calls"], found["turns"]) == (20_400, 336, 8)
    # Without verdicts near the threshold only the audit is left.
    plain = RUBRIC.replace("PER", "trial").replace("near: [bad]", "near: []")
    write({"rubrics/quality.yaml": plain}, base=False)
    with Store() as store:
        assert forecast(plan(path), store, planned.slots, turns=8)[-1].calls == 120


def test_stored_grades_by_the_same_graders_tell_their_tokens_and_how_often_the_strong_one_is_asked(write) -> None:
    strong = CHEAP + ", strong: {model: offline/grader-strong, price: {input: 2.0, output: 8.0}}}"
    shootout = NIGHTLY.replace("GRADER", strong).replace("trials: 3", "trials: 2")
    rubric = RUBRIC.replace("PER", "trial").replace("audit: 0.1", "audit: 0")
    path = (
        write({"rubrics/quality.yaml": rubric, "prompts/grader.md": "Grade it.\n", "shootouts/small.yaml": shootout})
        / "shootouts/small.yaml"
    )
    with Store() as store:
        run = play_plan(plan(path), store).run
    done = grade_run(run)
    gradings = [each for each in load_run(run).gradings if each is not None]
    near = sum(each.near for each in gradings) / len(gradings)
    assert (done.trials["graded"], len(gradings)) == (6, 6)
    with Store() as store:
        more = plan(path, Selection(trials=4))
        *_, cheap, best = forecast(more, store, store.unfinished(more.slots))
    assert (cheap.calls, cheap.based_on, best.calls) == (6, 6, round(6 * near))
    assert "6 stored grades" in cheap.basis


def test_a_ticket_is_graded_once_whatever_the_rubric_says(write) -> None:
    for per in ("turn", "trial"):
        write({"tickets/all.yaml": "- {id: A, ticket: {body: b}, expected_handling: direct}\n"}, base=False)
        planned = plan(nightly(write, per, talks=0))
        with Store() as store:
            agent, grader = forecast(planned, store, planned.slots, turns=8)
        assert (agent.calls, grader.calls) == (3, 3)


def test_the_passes_of_a_baseline_are_forecast_as_played_and_not_as_graded(write) -> None:
    path = nightly(write, "turn", talks=10)
    planned = plan(path, Selection(repeats=3))
    with Store() as store:
        agent, customer, grader = forecast(planned, store, planned.slots, turns=8)
    # 10 cases × 3 trials × 3 passes × 8 turns; graded are the 30 trials of the shootout alone.
    assert (agent.calls, customer.calls, grader.calls) == (720, 720, 240)
    said = CliRunner().invoke(app, ["run", str(path), "--dry-run", "--repeats", "3", "--turns", "8"]).stdout
    assert "10 cases × 3 trials + 2 × 30 = 90 slots" in said
    # Two passes of 30 trials, 8 calls of the agent and 8 of the customer each.
    assert "the further passes of the baseline steady are 60 trials and about 960 calls; they are not graded" in said


def test_a_budget_that_would_be_reached_is_said(write) -> None:
    path = nightly(write, "turn")
    path.write_text(path.read_text() + "budget: {calls: 28799}\n")
    said = CliRunner().invoke(app, ["run", str(path), "--dry-run", "--turns", "8"]).stdout
    assert "the budget is 28,799 calls, which that would reach" in said
    path.write_text(path.read_text().replace("28799", "28800"))
    said = CliRunner().invoke(app, ["run", str(path), "--dry-run", "--turns", "8"]).stdout
    assert "the budget is 28,800 calls\n" in said


def test_turns_are_an_assumption_of_a_dry_run_alone(shop: Path) -> None:
    assert CliRunner().invoke(app, ["run", str(shop / "shootouts/small.yaml"), "--turns", "8"]).exit_code == 2
