"""The one door to models: each call goes through `litellm.acompletion`, under our deadline and budget.

LiteLLM is loaded when the first Client is made, never at import; its own retries, cache, callbacks,
`drop_params` and Router stay off. Its `timeout` is per read, so that a provider that drips a byte a second
outlives it: our deadline is wall clock around each whole attempt and each wait between attempts.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evalkit.client.failures import Failure, failure_of, failure_of_reply, too_late
from evalkit.client.known import keeps_schema, missing_keys
from evalkit.client.lite import load_litellm
from evalkit.client.pricing import Account, Price, estimate
from evalkit.client.spec import ModelSpec, api_base_of, key_of, parameters_sent
from evalkit.client.wire import Reply, label, reply_of, to_openai, usage_of
from evalkit.errors import ShootoutError
from evalkit.transcript import Attempt, Message, ToolCall, Usage

# One time limit for all calls, as LiteLLM keeps a connection pool for each: ours is what ends a call.
_EACH_CALL = {"timeout": 3600.0, "num_retries": 0, "max_retries": 0}


class Budget(Account):
    """What may be spent on calls, and what was; see `Account`."""

    def admit(self, specs: Mapping[str, ModelSpec] | Iterable[ModelSpec]) -> None:
        """Refuse, before anything is played, a limit in dollars over models whose price nobody knows.

        `specs` may be a mapping, by the candidates' names. Raises ShootoutError naming each such model.
        """
        if self.usd is None:
            return
        named = specs.items() if isinstance(specs, Mapping) else [(spec.model, spec) for spec in specs]
        unpriced = [(name, spec.model) for name, spec in named if not price_known(spec)]
        if unpriced:
            names = sorted({name if name == model else f"{name} ({model})" for name, model in unpriced})
            raise ShootoutError(
                f"budget.usd cannot be kept, as no price is known for {', '.join(names)}. Write `price: "
                "{input: …, output: …, cached: …}` (US dollars per million tokens) beside each; or drop "
                "budget.usd and keep budget.calls."
            )


@dataclass(frozen=True)
class Completion:
    """What one call came to, all its attempts included.

    `timeout`: the deadline came, or would come before the next attempt. `reason` says in a sentence why the
    call was not completed; `text` and `tool_calls` also hold what an `empty` reply said before it was cut.
    """

    text: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str | None
    attempts: tuple[Attempt, ...]
    waited_s: float
    status: Literal["completed", "empty", "timeout", "error"]
    reason: str = ""


class Client:
    """Calls models, in any event loop. The connections are LiteLLM's; `aclose` closes them.

    `retries` attempts may follow a first that failed in passing, after waits that double from `backoff_s` to
    `max_backoff_s`, or as long as the provider asks for, `max_retry_after_s` at most. `request_timeout_s` is
    wall clock for one attempt; without it an attempt may take what is left until the deadline.
    """

    def __init__(
        self,
        *,
        retries: int = 4,
        max_retry_after_s: float = 30.0,
        request_timeout_s: float | None = None,
        budget: Budget | None = None,
        backoff_s: float = 0.5,
        max_backoff_s: float = 20.0,
    ) -> None:
        self.retries, self.max_retry_after_s = retries, max_retry_after_s
        self.backoff_s, self.max_backoff_s = backoff_s, max_backoff_s
        self.request_timeout_s = request_timeout_s
        self.budget = budget or Budget()
        # Seconds of importing, which must not run on the clock of the first trial.
        load_litellm()

    async def complete(
        self,
        spec: ModelSpec,
        messages: Sequence[Message],
        *,
        deadline: float,
        seed: int | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """What the model says to these messages; whatever a provider does is told by the status.

        `deadline` is a `loop.time()`; `seed`, where given, is sent in place of a written one; `tools` are
        schemas as OpenAI writes them; `schema` is the JSON Schema of the reply, sent to models that keep one.
        Raises BudgetExceeded before an attempt that may pass the budget, and whatever the code of a custom
        provider raises.
        """
        loop = asyncio.get_running_loop()
        attempts: list[Attempt] = []
        waited, reply = 0.0, Reply()

        def ended(status: Literal["completed", "empty", "timeout", "error"], reason: str = "") -> Completion:
            said = (reply.text, reply.tool_calls, reply.finish_reason)
            return Completion(*said, tuple(attempts), waited, status, reason)

        if missing := missing_keys([spec]):
            return ended("error", f"no API key in {' or '.join(missing)}")
        if loop.time() >= deadline:
            return ended("timeout", "the trial's time was used up before this call")
        request = _request(spec, messages, seed, tools, schema)
        while True:
            attempt, reply, failure = await self._attempt(spec, request, deadline)
            attempts.append(attempt)
            if failure is None:
                return ended("completed")
            if not failure.retry or len(attempts) > self.retries:
                tries = f" ({len(attempts)} attempts)" if len(attempts) > 1 else ""
                return ended(failure.status, failure.detail + tries)
            wait = self._wait_s(len(attempts), failure.retry_after_s)
            # The provider failed, and was not slow: a deadline too near for another attempt makes it no timeout.
            if loop.time() + wait >= deadline:
                return ended(failure.status, f"{failure.detail}; no time was left to try again")
            await asyncio.sleep(wait)
            waited += wait

    async def aclose(self) -> None:
        """Close LiteLLM's connections, which would outlive the event loop; for when no call is under way."""
        litellm = load_litellm()
        await litellm.close_litellm_async_clients()
        # It keeps the closed ones, and would use them again.
        litellm.in_memory_llm_clients_cache.flush_cache()

    def _wait_s(self, attempts_made: int, retry_after_s: float | None) -> float:
        # Jitter, so that calls refused together do not come back together.
        doubled = min(self.max_backoff_s, self.backoff_s * 2 ** (attempts_made - 1))
        backoff = doubled * random.uniform(0.5, 1.0)
        return backoff if retry_after_s is None else max(backoff, min(retry_after_s, self.max_retry_after_s))

    async def _attempt(
        self, spec: ModelSpec, request: Mapping[str, Any], deadline: float
    ) -> tuple[Attempt, Reply, Failure | None]:
        litellm, loop, patience = load_litellm(), asyncio.get_running_loop(), self.request_timeout_s
        capped = self.budget.usd is not None
        reserved = self.budget.reserve(usd_of(spec, estimate(request)) if capped else None)
        started = loop.time()
        limit = deadline if patience is None else min(deadline, started + patience)
        scope = asyncio.timeout_at(limit)
        response = usage = usd = None
        reply, failure = Reply(), None
        try:
            async with scope:
                response = await litellm.acompletion(**request)
        except (TimeoutError, litellm.exceptions.openai.OpenAIError) as error:
            if scope.expired():
                failure = too_late(None if limit >= deadline else patience)
            elif isinstance(error, TimeoutError):
                raise
            elif bug := _bug_of_a_provider(spec, error):
                raise bug from None
            else:
                failure = failure_of(error, spec.api_key_env or "")
                usd = 0.0 if failure.free else None
        else:
            usage = usage_of(response)
            usd = _usd_of_response(spec, response, usage)
            found = reply_of(response)
            failure = failure_of_reply(found)
            # Of a reply that is an error nothing is kept, however long it is.
            reply = found if found and (failure is None or failure.status == "empty") else reply
        finally:
            self.budget.settle(reserved, usd)
        attempt = Attempt(
            requested_model=spec.model,
            returned_model=label(getattr(response, "model", None)),
            seconds=loop.time() - started,
            usd=usd,
            usage=usage,
            system_fingerprint=label(getattr(response, "system_fingerprint", None)),
            fault=(failure.fault or None) if failure else None,
            detail=failure.detail if failure else "",
        )
        return attempt, reply, failure


def usd_of(spec: ModelSpec, usage: Usage) -> float | None:
    """The cost of these tokens in US dollars, by the declared price or LiteLLM's list; None where unknown."""
    if isinstance(spec.price, Price):
        return spec.price.of(usage)
    if not _is_listed(spec):
        return None
    tokens = {"prompt_tokens": usage.input, "completion_tokens": usage.output}
    return sum(load_litellm().cost_per_token(spec.model, cache_read_input_tokens=usage.cached, **tokens))


def price_known(spec: ModelSpec) -> bool:
    """Whether calls can be priced; at an address of its own a model has no price but a declared one."""
    return isinstance(spec.price, Price) or _is_listed(spec)


def _request(
    spec: ModelSpec,
    messages: Sequence[Message],
    seed: int | None,
    tools: Sequence[Mapping[str, Any]] | None,
    schema: Mapping[str, Any] | None,
) -> dict[str, Any]:
    if spec.provider == "offline":
        from evalkit.offline import register

        register()
    request = {
        **parameters_sent(spec, seed),
        **_EACH_CALL,
        "model": spec.model,
        "messages": to_openai(messages),
    }
    optional = {"api_base": spec.api_base, "api_key": key_of(spec), "tools": list(tools or ())}
    if schema is not None and keeps_schema(spec):
        named = {"name": "reply", "schema": dict(schema), "strict": True}
        optional["response_format"] = {"type": "json_schema", "json_schema": named}
    return request | {name: value for name, value in optional.items() if value}


def _is_listed(spec: ModelSpec) -> bool:
    """Whether LiteLLM's list prices this very model; 0 stands there for what its authors do not know."""
    if spec.provider == "offline" or (api_base_of(spec) and spec.price != "listed"):
        return False
    litellm = load_litellm()
    try:
        name, provider, _, _ = litellm.get_llm_provider(spec.model)
    except litellm.BadRequestError:
        return False
    bare = litellm.model_cost.get(name, {})
    ours = str(bare.get("litellm_provider", "")).startswith(provider)
    listed = litellm.model_cost.get(f"{provider}/{name}") or (bare if ours else {})
    return bool(listed.get("input_cost_per_token") and listed.get("output_cost_per_token"))


def _usd_of_response(spec: ModelSpec, response: Any, usage: Usage | None) -> float | None:
    if usage is None or isinstance(spec.price, Price) or not _is_listed(spec):
        return usd_of(spec, usage) if usage is not None else None
    # Not only tokens have a price in LiteLLM's list.
    return response._hidden_params.get("response_cost") or None


def _bug_of_a_provider(spec: ModelSpec, error: BaseException) -> BaseException | None:
    """What a custom provider's own code raised, which LiteLLM would pass off as a lost connection."""
    litellm = load_litellm()
    custom = spec.provider in {entry["provider"] for entry in litellm.custom_provider_map}
    lost = custom and isinstance(error, litellm.APIConnectionError)
    return (error.__cause__ or error.__context__) if lost else None
