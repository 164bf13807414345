"""The one door to models: each call goes through `litellm.acompletion`, under our deadline and budget.

LiteLLM is loaded when the first Client is made, never at import; its own retries, cache, callbacks,
`drop_params` and Router stay off. Its `timeout` is per read, so that a provider that drips a byte a second
outlives it: our deadline is wall clock around each whole attempt and each wait between attempts.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import os
import random
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

from evalkit.errors import ShootoutError
from evalkit.failures import Failure, failure_of, failure_of_reply, too_late
from evalkit.keys import key_in
from evalkit.keys import load_env as load_env
from evalkit.pricing import Account, estimate
from evalkit.pricing import Price as Price
from evalkit.spec import ModelSpec, api_base_of, key_of, parameters_sent
from evalkit.transcript import Attempt, Message, ToolCall, Usage
from evalkit.wire import Reply, reply_of, to_openai, usage_of

# One value for all calls: LiteLLM keeps one connection pool for each. Our own deadline is what ends a call.
_READ_TIMEOUT_S = 3600.0


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

    `timeout` means that the deadline came, or would come before the next attempt; `reason` says in a
    sentence why the call was not completed. `text` and `tool_calls` also hold what an `empty` reply said
    before it was cut.
    """

    text: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str | None
    attempts: tuple[Attempt, ...]
    waited_s: float
    status: Literal["completed", "empty", "timeout", "error"]
    reason: str = ""


class Client:
    """Calls models. It holds no connection: LiteLLM keeps those, one pool for each event loop.

    `retries` further attempts follow a first that failed in passing, after waits that double from
    `backoff_s` to `max_backoff_s`, or as long as the provider asks for, `max_retry_after_s` at most.
    `request_timeout_s` is wall clock for a single attempt; without it an attempt may take what is left
    until the deadline.
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
        self.retries = retries
        self.max_retry_after_s = max_retry_after_s
        self.request_timeout_s = request_timeout_s
        self.budget = budget or Budget()
        self.backoff_s = backoff_s
        self.max_backoff_s = max_backoff_s
        # Seconds of importing, which must not run on the clock of the first trial.
        _litellm()

    async def complete(
        self,
        spec: ModelSpec,
        messages: Sequence[Message],
        *,
        deadline: float,
        seed: int | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> Completion:
        """What the model says to these messages; whatever a provider does is told by the status.

        `deadline` is a `loop.time()`; `seed`, where given, is sent in place of a written one; `tools` are
        schemas as OpenAI writes them. Raises BudgetExceeded before an attempt that may pass the budget, and
        whatever the code of a custom provider raises.
        """
        loop = asyncio.get_running_loop()
        attempts: list[Attempt] = []
        waited, reply = 0.0, Reply()

        def ended(status: Literal["completed", "empty", "timeout", "error"], reason: str = "") -> Completion:
            said = (reply.text, reply.tool_calls, reply.finish_reason)
            return Completion(*said, tuple(attempts), waited, status, reason)

        if spec.api_key_env and not key_in(spec.api_key_env):
            return ended("error", f"the environment variable {spec.api_key_env} holds no API key")
        if loop.time() >= deadline:
            return ended("timeout", "the trial's time was used up before this call")
        request = _request(spec, messages, seed, tools)
        while True:
            attempt, reply, failure = await self._attempt(spec, request, deadline)
            attempts.append(attempt)
            if failure is None:
                return ended("completed")
            if not failure.retry or len(attempts) > self.retries:
                tries = f" ({len(attempts)} attempts)" if len(attempts) > 1 else ""
                return ended(failure.status, failure.detail + tries)
            wait = self._wait_s(len(attempts), failure.retry_after_s)
            # To wait for a deadline that allows no further attempt would come to the same status, only later.
            if loop.time() + wait >= deadline:
                return ended("timeout", f"no time left to try again, after: {failure.detail}")
            await asyncio.sleep(wait)
            waited += wait

    def _wait_s(self, attempts_made: int, retry_after_s: float | None) -> float:
        # Jitter, so that calls refused together do not come back together.
        longest = min(self.max_backoff_s, self.backoff_s * 2 ** (attempts_made - 1))
        backoff = longest * random.uniform(0.5, 1.0)
        return backoff if retry_after_s is None else max(backoff, min(retry_after_s, self.max_retry_after_s))

    async def _attempt(
        self, spec: ModelSpec, request: Mapping[str, Any], deadline: float
    ) -> tuple[Attempt, Reply, Failure | None]:
        litellm = _litellm()
        loop = asyncio.get_running_loop()
        reserved = self.budget.reserve(_highest_usd(spec, request) if self.budget.usd is not None else None)
        started = loop.time()
        patience = self.request_timeout_s
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
            elif isinstance(error, TimeoutError) or _is_a_providers_bug(spec, error):
                raise
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
        came = failure is None or (response is not None and failure.status == "empty")
        attempt = Attempt(
            requested_model=spec.model,
            returned_model=getattr(response, "model", None) or None,
            seconds=loop.time() - started,
            usd=usd,
            usage=usage,
            system_fingerprint=getattr(response, "system_fingerprint", None) or None,
            fault=None if came or failure is None else failure.fault,
            detail=failure.detail if failure else "",
        )
        return attempt, reply, failure


def usd_of(spec: ModelSpec, usage: Usage) -> float | None:
    """The cost of these tokens in US dollars, by the declared price or LiteLLM's list; None where unknown."""
    if spec.price is not None:
        return spec.price.of(usage)
    if not _is_listed(spec):
        return None
    parts = _litellm().cost_per_token(
        model=spec.model,
        prompt_tokens=usage.input,
        completion_tokens=usage.output,
        cache_read_input_tokens=usage.cached,
    )
    return float(sum(parts))


def price_known(spec: ModelSpec) -> bool:
    """Whether calls can be priced; at an address of its own a model has no price but a declared one."""
    return spec.price is not None or _is_listed(spec)


def missing_keys(specs: Iterable[ModelSpec]) -> list[str]:
    """The variables that should hold an API key and hold none, so that a run can refuse before it plays."""
    return sorted({name for spec in specs for name in _missing(spec)})


@functools.cache
def _litellm() -> ModuleType:
    # Read while LiteLLM is imported: it would fetch a price map from the network, and load a .env.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = False
    litellm.modify_params = False
    litellm.cache = None
    litellm.num_retries = None
    litellm.model_fallbacks = None
    for name in ("callbacks", "input_callback", "success_callback", "failure_callback"):
        setattr(litellm, name, [])
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # What a provider gets wrong in its types is said by the attempt, not by warnings between other output.
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings", category=UserWarning)
    return litellm


@functools.cache
def _register_offline() -> None:
    from evalkit.offline import register

    register()


def _request(
    spec: ModelSpec, messages: Sequence[Message], seed: int | None, tools: Sequence[Mapping[str, Any]] | None
) -> dict[str, Any]:
    if spec.provider == "offline":
        _register_offline()
    request = {
        **parameters_sent(spec, seed),
        "model": spec.model,
        "messages": to_openai(messages),
        "timeout": _READ_TIMEOUT_S,
        "num_retries": 0,
        "max_retries": 0,
    }
    optional = {"api_base": spec.api_base, "api_key": key_of(spec), "tools": list(tools or ())}
    return request | {name: value for name, value in optional.items() if value}


def _missing(spec: ModelSpec) -> list[str]:
    if spec.api_key_env:
        return [] if key_of(spec) else [spec.api_key_env]
    if spec.local:
        return []
    # LiteLLM asks only whether a variable is there, and `OPENAI_API_KEY=` in a copied .env is.
    usual = f"{(spec.provider or 'openai').upper()}_API_KEY"
    if usual in os.environ and not key_in(usual):
        return [usual]
    return list(_litellm().validate_environment(spec.model, api_base=spec.api_base)["missing_keys"])


def _is_listed(spec: ModelSpec) -> bool:
    """Whether LiteLLM's own list prices this very model. 0 stands there for what its authors do not know."""
    if spec.provider == "offline" or api_base_of(spec):
        return False
    litellm = _litellm()
    try:
        name, provider, _, _ = litellm.get_llm_provider(spec.model)
    except litellm.BadRequestError:
        return False
    bare = litellm.model_cost.get(name, {})
    ours = str(bare.get("litellm_provider", "")).startswith(provider)
    listed = litellm.model_cost.get(f"{provider}/{name}") or (bare if ours else {})
    return bool(listed.get("input_cost_per_token") and listed.get("output_cost_per_token"))


def _usd_of_response(spec: ModelSpec, response: Any, usage: Usage | None) -> float | None:
    if usage is None or spec.price is not None:
        return spec.price.of(usage) if usage and spec.price else None
    cost = response._hidden_params.get("response_cost") if _is_listed(spec) else None
    return float(cost) if cost else None


def _highest_usd(spec: ModelSpec, request: Mapping[str, Any]) -> float | None:
    asked = [request.get(name) for name in ("max_tokens", "max_completion_tokens")]
    prompt = json.dumps([request["messages"], request.get("tools")], ensure_ascii=False)
    return usd_of(spec, estimate(len(prompt), max((n for n in asked if isinstance(n, int)), default=None)))


def _is_a_providers_bug(spec: ModelSpec, error: BaseException) -> bool:
    """Whether a custom provider's own code failed, which LiteLLM would pass off as a lost connection."""
    litellm = _litellm()
    custom = spec.provider in {entry["provider"] for entry in litellm.custom_provider_map}
    caused = (error.__cause__ or error.__context__) is not None
    return custom and caused and isinstance(error, litellm.APIConnectionError)
