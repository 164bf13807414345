"""The one door to models, against a server that misbehaves on demand; nothing of LiteLLM is mocked."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from misbehaving_server import MisbehavingServer, Request

from evalkit.client import (
    Budget,
    Client,
    Completion,
    ModelSpec,
    Price,
    load_env,
    missing_keys,
    price_known,
    usd_of,
)
from evalkit.client.failures import retry_after_s
from evalkit.client.keys import redact
from evalkit.client.pricing import estimate
from evalkit.client.spec import api_base_of, parameters_sent
from evalkit.client.wire import label, to_openai
from evalkit.errors import BudgetExceeded, EvalkitError, ShootoutError
from evalkit.transcript import Message, ToolCall, Usage

# Replies of wrong types make pydantic warn; pytest undoes the filter that the client sets for that.
pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")

ASK = (Message("system", "You answer customers."), Message("user", "Where is my order?"))
# A plain reply of the server has 20 tokens in and 5 out: 20·1 + 5·2 = 30 millionths of a dollar.
PRICE = Price(1, 2)
PLAIN_USD = 30e-6


@pytest.fixture(scope="module")
def serving() -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as server:
        yield server


@pytest.fixture
def server(serving: MisbehavingServer) -> MisbehavingServer:
    serving.script([])
    serving.requests.clear()
    return serving


def spec_at(server: MisbehavingServer, behaviour: str, **other: Any) -> ModelSpec:
    return ModelSpec(f"openai/{behaviour}", api_base=server.url, **{"price": PRICE, **other})


def quick(**other: Any) -> Client:
    return Client(**{"retries": 1, "backoff_s": 0.01, **other})


async def call(client: Client, spec: ModelSpec, seconds: float = 20.0, **other: Any) -> Completion:
    deadline = asyncio.get_running_loop().time() + seconds
    return await client.complete(spec, ASK, deadline=deadline, **other)


def called(client: Client, spec: ModelSpec, seconds: float = 20.0, **other: Any) -> Completion:
    async def once() -> Completion:
        try:
            return await call(client, spec, seconds, **other)
        finally:
            await client.aclose()

    return asyncio.run(once())


# Status by what a provider does -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("behaviour", "finish_reason", "words"),
    [
        ("null", "stop", "no text"),
        ("blank", "stop", "no text"),
        ("refusal", "stop", "refusal"),
        ("length", "length", "token limit"),
        ("length-cut", "length", "token limit"),
        ("filter", "content_filter", "content filter"),
        ("filter-cut", "content_filter", "content filter"),
    ],
)
def test_a_reply_without_a_whole_answer_is_empty_and_not_asked_for_again(
    server: MisbehavingServer, behaviour: str, finish_reason: str, words: str
) -> None:
    done = called(quick(), spec_at(server, behaviour))
    assert (done.status, done.finish_reason, len(done.attempts)) == ("empty", finish_reason, 1)
    assert words in done.reason
    # A reply came: it was paid for, and nothing was at fault between us and the provider.
    assert (done.attempts[0].fault, done.attempts[0].usd) == (None, pytest.approx(PLAIN_USD))


def test_what_a_cut_reply_said_is_kept(server: MisbehavingServer) -> None:
    assert called(quick(), spec_at(server, "length-cut")).text == "The refund takes"


@pytest.mark.parametrize(
    ("behaviour", "status", "fault", "words"),
    [
        ("400", "error", "refused", "HTTP 400"),
        ("401", "error", "unauthorized", "API key"),
        ("402", "error", "quota", "credit"),
        ("403", "error", "forbidden", "HTTP 403"),
        ("404", "error", "not_found", "no such model"),
        ("422", "error", "refused", "HTTP 422"),
        ("quota", "error", "quota", "quota is used up"),
        ("context", "error", "context_window", "context window"),
        ("policy", "empty", "content_filter", "content filter"),
    ],
)
def test_a_refusal_that_would_only_be_repeated_is_not_retried_and_costs_nothing(
    server: MisbehavingServer, behaviour: str, status: str, fault: str, words: str
) -> None:
    done = called(quick(retries=4), spec_at(server, behaviour))
    assert (done.status, len(server.requests)) == (status, 1)
    assert words in done.reason
    assert [(attempt.fault, attempt.usd) for attempt in done.attempts] == [(fault, 0.0)]


@pytest.mark.parametrize(
    ("behaviour", "fault", "usd", "words"),
    [
        ("408", "timeout", 0.0, "HTTP 408"),
        ("429", "rate_limit", 0.0, "too many requests"),
        ("500", "server_error", 0.0, "HTTP 500"),
        ("502", "server_error", 0.0, "HTTP 502"),
        ("503", "server_error", 0.0, "HTTP 503"),
        ("504", "timeout", 0.0, "HTTP 504"),
        ("529", "server_error", 0.0, "HTTP 529"),
        ("error-in-200", "server_error", None, "Provider returned error"),
        ("cut-body", "cut_body", None, "broke off"),
        ("reset", "connection", None, "connection was lost"),
    ],
)
def test_what_may_pass_is_retried_and_an_error_in_the_end(
    server: MisbehavingServer, behaviour: str, fault: str, usd: float | None, words: str
) -> None:
    done = called(quick(retries=2), spec_at(server, behaviour))
    assert (done.status, len(server.requests)) == ("error", 3)
    assert words in done.reason
    assert "(3 attempts)" in done.reason
    assert [(attempt.fault, attempt.usd) for attempt in done.attempts] == [(fault, usd)] * 3


@pytest.mark.parametrize(
    ("behaviour", "fault", "words"),
    [
        ("bad-json", "bad_json", "not valid JSON"),
        ("empty-body", "empty_body", "no body"),
        ("html", "html", "web page"),
        ("json-list", "malformed", "no chat completion"),
        ("null-choices", "malformed", "no chat completion"),
        ("null-choice", "malformed", "no chat completion"),
        ("no-message", "malformed", "no chat completion"),
        ("number-content", "malformed", "no chat completion"),
        ("deep-tool-json", "malformed", "no chat completion"),
    ],
)
def test_a_reply_that_cannot_be_read_is_an_error_at_once_and_its_cost_is_unknown(
    server: MisbehavingServer, behaviour: str, fault: str, words: str
) -> None:
    # It may have been billed, and a second one as well.
    done = called(quick(retries=2), spec_at(server, behaviour))
    assert (done.status, len(server.requests)) == ("error", 1)
    assert words in done.reason
    assert [(attempt.fault, attempt.usd) for attempt in done.attempts] == [(fault, None)]


@pytest.mark.parametrize("provider", ["openrouter", "anthropic"])
@pytest.mark.parametrize(
    ("behaviour", "fault", "usd", "requests"),
    [
        ("429:Retry-After=0", "rate_limit", 0.0, 2),
        ("503", "server_error", 0.0, 2),
        ("quota", "quota", 0.0, 1),
        ("401", "unauthorized", 0.0, 1),
        ("context", "context_window", 0.0, 1),
        ("bad-json", "bad_json", None, 1),
        ("html", "html", None, 1),
        ("reset", "connection", None, 2),
        ("cut-body", "cut_body", None, 2),
    ],
)
def test_other_providers_faults_mean_the_same(
    server: MisbehavingServer, provider: str, behaviour: str, fault: str, usd: float | None, requests: int
) -> None:
    # Each of LiteLLM's adapters wraps errors in its own way, and most lose the headers of the response.
    base = server.url.removesuffix("/v1") if provider == "anthropic" else server.url
    done = called(quick(), ModelSpec(f"{provider}/{behaviour}", api_base=base))
    assert (done.status, len(server.requests)) == ("error", requests)
    assert {(attempt.fault, attempt.usd) for attempt in done.attempts} == {(fault, usd)}


def test_a_reply_without_choices_is_an_error(server: MisbehavingServer) -> None:
    done = called(quick(), spec_at(server, "no-choices"))
    assert (done.status, done.attempts[0].fault) == ("error", "no_choices")
    assert "choices: []" in done.reason


@pytest.mark.parametrize(("behaviour", "size"), [("huge", "20,000,000"), ("huge-tool", "1,000,012")])
def test_of_a_reply_over_a_megabyte_only_its_size_is_kept(server: MisbehavingServer, behaviour: str, size: str) -> None:
    done = called(quick(), spec_at(server, behaviour))
    assert (done.status, done.attempts[0].fault, len(server.requests)) == ("error", "oversize", 1)
    assert size in done.reason
    assert len(json.dumps(asdict(done))) < 2000


def test_the_size_of_a_reply_is_counted_in_bytes(server: MisbehavingServer) -> None:
    # "é" has two bytes in UTF-8: 500,000 of them are the most that is read.
    assert called(quick(), spec_at(server, "accents:500000")).status == "completed"
    assert called(quick(), spec_at(server, "accents:500001")).status == "error"


def test_nobody_listening_is_an_error_that_cost_nothing() -> None:
    with MisbehavingServer() as gone:
        spec = spec_at(gone, "ok")
    done = called(quick(), spec)
    assert done.status == "error"
    assert "could not connect" in done.reason
    assert [(a.fault, a.usd) for a in done.attempts] == [("connection", 0.0)] * 2


def test_a_parameter_that_a_provider_does_not_take_is_named(server: MisbehavingServer) -> None:
    spec = ModelSpec("anthropic/claude-sonnet-4-5", api_base=server.url, parameters={"seed": 3})
    done = called(quick(), spec)
    assert (done.status, done.attempts[0].fault, server.requests) == ("error", "unsupported_parameter", [])
    assert "'seed'" in done.reason
    assert "remove it" in done.reason


# Replies ----------------------------------------------------------------------------------------------------


def test_a_completed_call_says_all_that_came_back(server: MisbehavingServer) -> None:
    done = called(quick(), spec_at(server, "ok:It is on its way."))
    assert (done.status, done.text, done.finish_reason) == ("completed", "It is on its way.", "stop")
    assert (done.reason, done.waited_s) == ("", 0.0)
    (attempt,) = done.attempts
    assert (attempt.requested_model, attempt.usage) == ("openai/ok:It is on its way.", Usage(20, 5))
    assert (attempt.usd, attempt.fault, attempt.detail) == (pytest.approx(PLAIN_USD), None, "")


def test_another_models_name_and_a_changed_fingerprint_are_recorded(server: MisbehavingServer) -> None:
    other = called(quick(), spec_at(server, "other-model")).attempts[0]
    assert (other.requested_model, other.returned_model) == ("openai/other-model", "gpt-4.1-mini-2025-04-14")
    marks = [called(quick(), spec_at(server, "fingerprint")).attempts[0].system_fingerprint for _ in range(2)]
    assert marks[0] != marks[1]
    assert all(mark and mark.startswith("fp_") for mark in marks)
    odd = called(quick(), spec_at(server, "odd-labels")).attempts[0]
    assert (odd.returned_model, odd.system_fingerprint) == (None, None)


def test_tool_calls_are_parsed_where_they_are_json(server: MisbehavingServer) -> None:
    whole = called(quick(), spec_at(server, "tool"))
    assert (whole.status, whole.text) == ("completed", "")
    assert whole.tool_calls == (ToolCall("call_1", "lookup_order", {"order_id": "88213"}),)
    cut = called(quick(), spec_at(server, "bad-tool-json"))
    assert (cut.status, cut.tool_calls[0].arguments) == ("completed", '{"order_id": "882')
    assert called(quick(), spec_at(server, "nameless-tool")).tool_calls[0].name == ""


def test_half_a_surrogate_pair_becomes_a_character_that_can_be_stored(server: MisbehavingServer) -> None:
    assert called(quick(), spec_at(server, "surrogate")).text == "half a pair: \ufffd"
    hidden = called(quick(), spec_at(server, "surrogate-tool")).tool_calls[0]
    assert hidden.arguments == {"note": "\ufffd"}


def test_a_request_carries_what_was_written_and_nothing_else(server: MisbehavingServer) -> None:
    spec = spec_at(server, "ok", parameters={"temperature": 0.2, "seed": 1, "threshold": 0.5})
    tools = [{"type": "function", "function": {"name": "lookup_order", "parameters": {"type": "object"}}}]
    called(quick(), spec, seed=7, tools=tools)
    body = server.requests[-1].body
    assert body["messages"] == [
        {"role": "system", "content": "You answer customers."},
        {"role": "user", "content": "Where is my order?"},
    ]
    assert (body["temperature"], body["seed"], body["threshold"], body["tools"]) == (0.2, 7, 0.5, tools)
    assert set(body) == {"model", "messages", "temperature", "seed", "threshold", "tools"}
    assert parameters_sent(spec, 7) == {"temperature": 0.2, "seed": 7, "threshold": 0.5}
    called(quick(), spec_at(server, "ok"))
    assert set(server.requests[-1].body) == {"model", "messages"}


def test_tool_messages_answer_the_calls_in_their_order() -> None:
    calls = (ToolCall("a", "lookup_order", {"id": "é"}), ToolCall("b", "refund", '{"cut'))
    written = to_openai(
        [Message("assistant", "", calls), Message("tool", "found", (calls[1],)), Message("tool", "done")]
    )
    assert written[0]["content"] is None
    assert [c["function"]["arguments"] for c in written[0]["tool_calls"]] == ['{"id": "é"}', '{"cut']
    assert [m["tool_call_id"] for m in written[1:]] == ["b", "a"]


@pytest.mark.parametrize("name", ["num_retries", "drop_params", "mock_response", "fallbacks", "api_key", "stream", "n"])
def test_a_parameter_that_would_steer_litellm_is_refused(name: str) -> None:
    with pytest.raises(ShootoutError, match=name):
        ModelSpec("openai/gpt-4.1-mini", parameters={name: 1, "temperature": 0})


# Retries and waits ------------------------------------------------------------------------------------------


def test_attempts_and_costs_add_up_over_retries(server: MisbehavingServer) -> None:
    server.script(["500", "429:Retry-After=0", "ok"])
    done = called(quick(retries=4), spec_at(server, "any"))
    assert (done.status, [a.fault for a in done.attempts]) == (
        "completed",
        ["server_error", "rate_limit", None],
    )
    assert [a.usd for a in done.attempts] == [0.0, 0.0, pytest.approx(PLAIN_USD)]


def test_waits_double_with_jitter_up_to_their_bound(server: MisbehavingServer) -> None:
    # Four waits of at most 0.02, 0.04, 0.05 and 0.05 seconds, and at least half of each.
    done = called(Client(retries=4, backoff_s=0.02, max_backoff_s=0.05), spec_at(server, "500"))
    assert len(done.attempts) == 5
    assert 0.08 <= done.waited_s <= 0.16


def test_retry_after_is_obeyed_up_to_a_cap(server: MisbehavingServer) -> None:
    server.script(["429:Retry-After=1", "ok"])
    assert called(quick(), spec_at(server, "any")).waited_s == 1.0
    assert server.requests[1].at - server.requests[0].at >= 1.0
    # An adapter that loses the response's headers.
    server.script(["429:Retry-After=0.5", "ok"])
    assert called(quick(), ModelSpec("openrouter/any", api_base=server.url)).waited_s == 0.5
    for hostile in ("1e9", "date+86400"):
        server.script([f"429:Retry-After={hostile}", "ok"])
        done = called(quick(max_retry_after_s=0.2), spec_at(server, "any"))
        assert (done.status, done.waited_s) == ("completed", 0.2)
    for nonsense in ("-5", "nan", "inf", "soon"):
        server.script([f"503:Retry-After={nonsense}", "ok"])
        done = called(quick(), spec_at(server, "any"))
        assert done.status == "completed"
        assert done.waited_s <= 0.01


def test_retry_after_has_two_forms_and_nonsense_is_none() -> None:
    now = datetime(2026, 10, 21, 7, 27, 0, tzinfo=UTC)
    assert retry_after_s("2.5") == 2.5
    assert retry_after_s("Wed, 21 Oct 2026 07:28:00 GMT", now) == 60.0
    assert retry_after_s("Wed, 21 Oct 2015 07:28:00 GMT", now) == 0.0
    assert [retry_after_s(x) for x in (None, "", "-5", "nan", "inf", "soon", "Wed, 99 Foo 2026")] == [None] * 7


@given(st.text())
def test_no_retry_after_header_breaks_a_call(header: str) -> None:
    seconds = retry_after_s(header)
    assert seconds is None or 0 <= seconds < float("inf")


# The deadline -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("behaviour", "seconds"), [("silence", 1.0), ("drip", 2.5)])
def test_no_call_outlives_its_deadline_by_a_second(server: MisbehavingServer, behaviour: str, seconds: float) -> None:
    async def one(client: Client) -> tuple[Completion, float]:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        done = await client.complete(spec_at(server, behaviour), ASK, deadline=deadline)
        return done, loop.time() - deadline

    async def many() -> list[tuple[Completion, float]]:
        client = quick()
        try:
            return await asyncio.gather(*(one(client) for _ in range(32)))
        finally:
            await client.aclose()

    for done, late in asyncio.run(many()):
        assert (done.status, [a.fault for a in done.attempts]) == ("timeout", ["deadline"])
        # Cut off: whether the provider bills it, nobody knows.
        assert done.attempts[0].usd is None
        assert late < 1.0
    assert len(server.requests) == 32


def test_a_wait_that_would_pass_the_deadline_is_not_begun(server: MisbehavingServer) -> None:
    async def once() -> tuple[Completion, float]:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + 20
        done = await quick().complete(spec_at(server, "429:Retry-After=25"), ASK, deadline=deadline)
        return done, deadline - loop.time()

    done, left = asyncio.run(once())
    # The provider refused and was not slow: an error, and no time is spent on waiting for nothing.
    assert (done.status, len(done.attempts), done.waited_s) == ("error", 1, 0.0)
    assert left > 0
    assert "too many requests" in done.reason
    assert "no time was left" in done.reason


def test_no_call_is_made_after_the_deadline(server: MisbehavingServer) -> None:
    done = called(quick(), spec_at(server, "ok"), seconds=-1.0)
    assert (done.status, done.attempts, server.requests) == ("timeout", (), [])


def test_a_time_limit_for_one_attempt_leaves_time_for_retries(server: MisbehavingServer) -> None:
    server.script(["silence", "ok"])
    done = called(quick(request_timeout_s=0.3), spec_at(server, "any"))
    assert (done.status, [a.fault for a in done.attempts]) == ("completed", ["timeout", None])
    silent = called(quick(request_timeout_s=0.3), spec_at(server, "silence"))
    assert (silent.status, [a.usd for a in silent.attempts]) == ("error", [None, None])
    assert "request_timeout_s" in silent.reason
    # Where the deadline comes first, it is the trial's time that ran out.
    late = called(quick(request_timeout_s=9.0), spec_at(server, "silence"), seconds=0.3)
    assert (late.status, [a.fault for a in late.attempts]) == ("timeout", ["deadline"])


def test_fifty_cancelled_calls_leave_the_client_healthy(server: MisbehavingServer) -> None:
    budget = Budget(usd=100)
    client = quick(budget=budget)

    async def run() -> list[Completion]:
        tasks = [asyncio.create_task(call(client, spec_at(server, "silence"))) for _ in range(50)]
        while len(server.requests) < 50:
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ended)
        return await asyncio.gather(*(call(client, spec_at(server, "ok")) for _ in range(50)))

    assert {done.status for done in asyncio.run(run())} == {"completed"}
    # What was under way when it was cut off may be billed: it stays counted as spent.
    assert (budget.in_flight_usd, budget.unpriced_calls, budget.spent_calls) == (pytest.approx(0), 50, 100)
    assert budget.spent_usd > 50 * PLAIN_USD


def test_one_client_serves_several_event_loops(server: MisbehavingServer) -> None:
    client, ended = quick(), []

    async def some() -> None:
        ended.extend(await asyncio.gather(*(call(client, spec_at(server, "ok")) for _ in range(8))))

    asyncio.run(some())
    asyncio.run(some())
    thread = threading.Thread(target=lambda: asyncio.run(some()))
    thread.start()
    thread.join()
    assert [done.status for done in ended] == ["completed"] * 24


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files where Linux lists them")
def test_a_closed_client_leaves_no_connection_open_and_can_be_used_again(server: MisbehavingServer) -> None:
    client = quick()

    async def some() -> None:
        for _ in range(2):
            done = await asyncio.gather(*(call(client, spec_at(server, "slow:0.1")) for _ in range(16)))
            assert {d.status for d in done} == {"completed"}
            await client.aclose()

    asyncio.run(some())
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        asyncio.run(some())
    # Three runs with 16 connections each, seen from both ends, would be 96 more.
    assert len(os.listdir("/proc/self/fd")) < before + 48


# Prices -----------------------------------------------------------------------------------------------------


def test_cached_tokens_are_charged_at_their_own_price(server: MisbehavingServer) -> None:
    # 2006 − 1920 = 86 tokens at 0.15, 1920 cached at 0.075, 300 at 0.60, in millionths:
    # 12.9 + 144 + 180 = 336.9; without a cached price 2006 · 0.15 + 180 = 480.9
    done = called(quick(), spec_at(server, "cached", price=Price(0.15, 0.60, 0.075)))
    assert done.attempts[0].usage == Usage(2006, 300, 1920)
    assert done.attempts[0].usd == pytest.approx(336.9e-6)
    plain = called(quick(), spec_at(server, "cached", price=Price(0.15, 0.60)))
    assert plain.attempts[0].usd == pytest.approx(480.9e-6)


def test_a_model_at_an_address_of_its_own_has_no_price_but_a_declared_one(server: MisbehavingServer) -> None:
    # LiteLLM would price both as OpenAI's: the first by its name, the second by the name that came back.
    for name in ("gpt-4o-mini", "other-model"):
        done = called(quick(), spec_at(server, name, price=None))
        assert (done.status, done.attempts[0].usage, done.attempts[0].usd) == (
            "completed",
            Usage(20, 5),
            None,
        )
    assert not price_known(spec_at(server, "gpt-4o-mini", price=None))
    assert price_known(spec_at(server, "gpt-4o-mini"))


@pytest.mark.parametrize("behaviour", ["no-usage", "zero-usage", "negative-usage"])
def test_a_reply_that_declares_no_usage_has_an_unknown_cost(server: MisbehavingServer, behaviour: str) -> None:
    done = called(quick(), spec_at(server, behaviour))
    assert (done.status, done.attempts[0].usage, done.attempts[0].usd) == ("completed", None, None)


def test_hosted_models_are_priced_by_litellms_list(monkeypatch: pytest.MonkeyPatch) -> None:
    import litellm

    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    spec = ModelSpec("openai/gpt-4.1-mini")
    listed = litellm.model_cost["gpt-4.1-mini"]
    # 2006 − 1920 = 86 tokens at the full price, 1920 at the cached one, 300 written.
    expected = (
        86 * listed["input_cost_per_token"]
        + 1920 * listed["cache_read_input_token_cost"]
        + 300 * listed["output_cost_per_token"]
    )
    assert expected > 0
    assert usd_of(spec, Usage(2006, 300, 1920)) == pytest.approx(expected)
    # A name that is not in the list, and one that LiteLLM would bill at 0.
    for unlisted in (
        "openai/gpt-4.1-mini-2099-01-01",
        "huggingface/some/model",
        "offline/agent",
        "nobody/knows",
    ):
        assert (price_known(ModelSpec(unlisted)), usd_of(ModelSpec(unlisted), Usage(1, 1))) == (False, None)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert not price_known(spec)
    assert api_base_of(spec) == "http://127.0.0.1:1/v1"


# Budgets ----------------------------------------------------------------------------------------------------


def test_a_budget_in_dollars_refuses_models_without_a_price_all_at_once(server: MisbehavingServer) -> None:
    specs = [spec_at(server, name, price=None) for name in ("a", "b")] + [spec_at(server, "c")]
    with pytest.raises(ShootoutError) as refused:
        Budget(usd=1).admit(specs)
    assert "openai/a, openai/b." in str(refused.value)
    assert "price:" in str(refused.value)
    with pytest.raises(ShootoutError, match=r"cheap \(openai/a\)"):
        Budget(usd=1).admit({"cheap": specs[0]})
    Budget(usd=1).admit(specs[2:])
    Budget(calls=10).admit(specs)


def test_a_budget_of_calls_counts_attempts_and_stops_before_the_next(server: MisbehavingServer) -> None:
    client = quick(budget=Budget(calls=3))
    server.script(["500", "ok", "ok", "ok"])
    assert len(called(client, spec_at(server, "any")).attempts) == 2
    called(client, spec_at(server, "any"))
    with pytest.raises(BudgetExceeded, match="3 of 3 calls"):
        called(client, spec_at(server, "any"))
    assert (len(server.requests), client.budget.spent_calls) == (3, 3)


def test_a_budget_in_dollars_counts_what_is_in_flight(server: MisbehavingServer) -> None:
    # A call is reserved at 1 dollar a million: a third of the characters in, and 1,000,000 tokens out at
    # most.
    price, limit = Price(0, 1), {"max_tokens": 1_000_000}
    client = quick(budget=Budget(usd=3.5))

    async def ten() -> list[Any]:
        spec = spec_at(server, "slow:0.3", price=price, parameters=limit)
        return await asyncio.gather(*(call(client, spec) for _ in range(10)), return_exceptions=True)

    ended = asyncio.run(ten())
    assert sum(isinstance(end, Completion) for end in ended) == 3
    assert sum(isinstance(end, BudgetExceeded) for end in ended) == 7
    assert len(server.requests) == 3
    # Settled at 5 tokens each.
    assert (client.budget.spent_usd, client.budget.in_flight_usd) == (pytest.approx(15e-6), pytest.approx(0))


def test_a_refused_attempt_frees_its_reservation_and_an_unknown_one_keeps_it(
    server: MisbehavingServer,
) -> None:
    spec = {"price": Price(0, 1), "parameters": {"max_tokens": 1_000_000}}
    client = quick(retries=0, budget=Budget(usd=1.5))
    called(client, spec_at(server, "500", **spec))
    assert client.budget.spent_usd == 0
    called(client, spec_at(server, "bad-json", **spec))
    assert (client.budget.spent_usd, client.budget.unpriced_calls) == (pytest.approx(1.0), 1)
    with pytest.raises(BudgetExceeded, match="budget reached"):
        called(client, spec_at(server, "ok", **spec))
    assert len(server.requests) == 2


def test_a_budget_in_dollars_never_calls_a_model_without_a_price(server: MisbehavingServer) -> None:
    with pytest.raises(BudgetExceeded, match="without a known price"):
        called(quick(budget=Budget(usd=1)), spec_at(server, "ok", price=None))
    assert server.requests == []


def test_a_budget_may_be_spent_to_its_last_cent() -> None:
    budget = Budget(usd=0.3)
    for _ in range(3):
        budget.settle(budget.reserve(0.1), 0.1)
    with pytest.raises(BudgetExceeded):
        budget.reserve(0.001)


def test_an_estimate_is_a_third_of_the_characters_and_the_limit_of_tokens() -> None:
    # json.dumps(["ééé", null]) without escapes has 13 characters: 5 tokens, rounded up.
    assert estimate({"messages": "ééé"}) == Usage(5, 1024)
    assert estimate({"messages": "ééé", "max_completion_tokens": 7}).output == 7


# Keys -------------------------------------------------------------------------------------------------------


def test_a_key_reaches_the_provider_and_nothing_that_is_kept(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SHOP_DOOR", "correct horse battery")
    caplog.set_level("DEBUG")
    # A provider that repeats the key in its error, where it is retried and where it is not.
    for behaviour in ("echo-key:401", "echo-key:500"):
        done = called(quick(), spec_at(server, behaviour, api_key_env="SHOP_DOOR"))
        assert server.requests[-1].headers["authorization"] == "Bearer correct horse battery"
        assert "correct horse battery" not in repr(done)
        assert "[redacted]" in done.reason
        assert all("[redacted]" in attempt.detail for attempt in done.attempts)
    assert "correct horse battery" not in caplog.text


def test_redaction_finds_keys_by_value_and_by_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRST_API_KEY", "abcdef")
    monkeypatch.setenv("LONGER_TOKEN", "abcdef-and-more")
    monkeypatch.setenv("SHORT_SECRET", "abc")
    monkeypatch.setenv("PLAIN", "not-a-secret")
    assert redact("abcdef-and-more abcdef abc not-a-secret") == "[redacted] [redacted] abc not-a-secret"
    assert redact("not-a-secret", "PLAIN") == "[redacted]"
    assert redact("key sk-proj-12345678 and sk-ab****cd") == "key [redacted] and [redacted]"
    assert redact("Authorization: Bearer eyJh.bGci-Oi") == "Authorization: Bearer [redacted]"
    assert redact("http://me:pass@host/v1") == "http://[redacted]@host/v1"
    assert redact("ask-me about risk-free returns") == "ask-me about risk-free returns"


def test_a_server_on_the_loopback_never_gets_a_providers_key(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-the-real-one")
    called(quick(), spec_at(server, "ok"))
    assert "sk-the-real-one" not in str(server.requests[-1].headers)


def test_missing_keys_are_named_before_and_at_the_call(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "SHOP_KEY"):
        monkeypatch.delenv(name, raising=False)
    hosted = [ModelSpec("openai/gpt-4.1-mini"), ModelSpec("anthropic/claude-sonnet-4-5")]
    own = spec_at(server, "ok", api_key_env="SHOP_KEY")
    local = [spec_at(server, "ok"), ModelSpec("offline/agent"), ModelSpec("ollama/llama3")]
    assert missing_keys([*hosted, own, *local, own]) == ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "SHOP_KEY"]
    done = called(quick(), own)
    assert (done.status, done.attempts, server.requests) == ("error", (), [])
    assert "SHOP_KEY" in done.reason
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    assert missing_keys(hosted[:1]) == ["OPENAI_API_KEY"]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-12345678")
    assert missing_keys(hosted[:1]) == []


def test_an_env_file_fills_only_what_is_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT", "mine")
    monkeypatch.setenv("NEW", "")
    monkeypatch.delenv("NEW")
    path = tmp_path / ".env"
    path.write_text("\ufeffNEW=from file # comment\nKEPT=theirs\nBARE\n", encoding="utf-8")
    assert load_env(path) == ["NEW"]
    assert (os.environ["NEW"], os.environ["KEPT"]) == ("from file", "mine")
    assert load_env(tmp_path / "none") == []
    path.write_bytes(b"NEW=\xff\xfe")
    with pytest.raises(EvalkitError, match="UTF-8"):
        load_env(path)


@pytest.mark.parametrize(
    "name", ["/srv/models/smol.gguf", "C:\\models\\smol.gguf", "~/models/smol.gguf", "file:///srv/smol.gguf"]
)
def test_a_model_named_by_a_file_keeps_the_file_name_alone(name: str) -> None:
    # llama.cpp's server names the file that it serves; seen with a real model.
    assert label(name) == "smol.gguf"
    assert label("openai/gpt-4.1-mini") == "openai/gpt-4.1-mini"


# LiteLLM ----------------------------------------------------------------------------------------------------


def test_the_module_is_imported_without_litellm_and_litellm_without_the_network_or_a_dotenv(
    tmp_path: Path,
) -> None:
    (tmp_path / ".env").write_text("EVALKIT_TEST_CANARY=read\n", encoding="utf-8")
    script = """
import os, socket, sys
import evalkit.client
assert "litellm" not in sys.modules
def refuse(*args, **kwargs):
    raise SystemExit(f"network: {args}")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
client = evalkit.client.Client()
import litellm
assert evalkit.client.price_known(evalkit.client.ModelSpec("openai/gpt-4.1-mini"))
assert evalkit.client.missing_keys([evalkit.client.ModelSpec("groq/llama")]) == ["GROQ_API_KEY"]
assert "EVALKIT_TEST_CANARY" not in os.environ
assert not (litellm.drop_params or litellm.cache or litellm.callbacks or litellm.num_retries)
"""
    environment = {k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_BASE_URL", "_API_BASE"))}
    environment.pop("LITELLM_LOCAL_MODEL_COST_MAP", None)
    environment.pop("LITELLM_MODE", None)
    environment["PYTHONPATH"] = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_bug_in_a_custom_providers_code_is_not_hidden_and_its_refusals_are_read() -> None:
    quick()
    import litellm

    class Broken(litellm.CustomLLM):
        calls = 0

        async def acompletion(self, *_: Any, **kwargs: Any) -> Any:
            self.calls += 1
            if kwargs["model"] == "bug":
                raise LookupError("the provider's own fault")
            if kwargs["model"] == "busy":
                raise litellm.RateLimitError("slow down", "broken", "busy")
            try:
                float(None)  # type: ignore[arg-type]
            except TypeError as error:
                raise litellm.BadRequestError("no such threshold", "bad", "broken") from error

    handler = Broken()
    before = litellm.custom_provider_map
    litellm.custom_provider_map = [*before, {"provider": "broken", "custom_handler": handler}]
    try:
        with pytest.raises(LookupError, match="own fault"):
            called(quick(), ModelSpec("broken/bug"))
        assert handler.calls == 1
        busy = called(quick(), ModelSpec("broken/busy"))
        assert [(a.fault, a.usd) for a in busy.attempts] == [("rate_limit", 0.0)] * 2
        bad = called(quick(), ModelSpec("broken/bad"))
        assert [(a.fault, a.usd) for a in bad.attempts] == [("refused", 0.0)]
        assert "no such threshold" in bad.reason
    finally:
        litellm.custom_provider_map = before


def test_offline_models_go_through_the_same_call() -> None:
    done = called(quick(), ModelSpec("offline/agent", price=PRICE), seed=1)
    assert done.status == "completed"
    assert done.text
    (attempt,) = done.attempts
    assert attempt.usage is not None
    assert attempt.usd == pytest.approx(PRICE.of(attempt.usage))


def test_a_whole_run_of_32_calls_at_once_meets_each_models_behaviour(server: MisbehavingServer) -> None:
    def status_of(request: Request) -> str:
        return request.behaviour.partition(":")[0]

    async def all_at_once() -> list[Completion]:
        client = quick(retries=0)
        names = ["ok", "500", "length", "no-choices"] * 8
        return await asyncio.gather(*(call(client, spec_at(server, name)) for name in names))

    statuses = [done.status for done in asyncio.run(all_at_once())]
    assert statuses == ["completed", "error", "empty", "error"] * 8
    assert sorted(map(status_of, server.requests)) == sorted(["ok", "500", "length", "no-choices"] * 8)
