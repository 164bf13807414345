"""What a run would take: from the prompts while nothing is stored, from stored trials afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalkit.dialogue import ticket_messages
from evalkit.forecast import Range, forecast
from evalkit.plan import Selection, plan
from evalkit.runner import play_plan
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
