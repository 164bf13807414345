"""What a call needs to know of a model: name, address, the key's variable, parameters, price."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from evalkit.client.keys import key_in, on_loopback
from evalkit.client.pricing import Price
from evalkit.errors import ShootoutError
from evalkit.shootout import Sampling

_DUMMY_KEY = "none-needed"
_NO_PARAMETER = re.compile(
    "model|model_list|messages|tools|api_base|base_url|api_key|custom_llm_provider|client|stream|n|"
    "(request_)?timeout|(num|max)_retries|retry_.*|(.*_)?fallbacks?(_dict)?|(.*_)?drop_params|cache|caching|ttl|"
    "mock_.*|.*_cost_per_.*"
)


@dataclass(frozen=True)
class ModelSpec:
    """A model as it is called.

    `model` as LiteLLM names it; `api_key_env` the NAME of the variable that holds the key, whose value is
    read when a call is made; `parameters` only those that were written; `price` "listed" is that of LiteLLM's
    list at whatever address. Raises ShootoutError for a
    parameter that would switch LiteLLM's own retries, cache or fallbacks instead of reaching the model.
    """

    model: str
    api_base: str | None = None
    api_key_env: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    price: Price | Literal["listed"] | None = None

    def __post_init__(self) -> None:
        refused = sorted(filter(_NO_PARAMETER.fullmatch, self.parameters))
        if refused:
            raise ShootoutError(f"{self.model}: not a parameter of a model: {', '.join(refused)}. Remove it.")

    @property
    def provider(self) -> str:
        """The model's prefix: "openai" of "openai/gpt-4.1-mini"; '' where it has none."""
        return self.model.partition("/")[0] if "/" in self.model else ""

    @property
    def local(self) -> bool:
        """Whether calls stay on this machine: an embedded model, or one served on the loopback."""
        return self.provider == "offline" or on_loopback(self.api_base)


def api_base_of(spec: ModelSpec) -> str | None:
    """The address that a call goes to, as written or from the environment; None: the provider's own.

    LiteLLM obeys variables such as OPENAI_BASE_URL by itself.
    """
    provider = (spec.provider or "openai").upper()
    names = (f"{provider}_BASE_URL", f"{provider}_API_BASE")
    return spec.api_base or next((os.environ[name] for name in names if os.environ.get(name)), None)


def spec_of(role: Sampling, model: str) -> ModelSpec:
    """How the model of a candidate, or of another role in a shootout, is called."""
    price = role.price
    declared = price if price is None or isinstance(price, str) else Price(price.input, price.output, price.cached)
    return ModelSpec(
        model=model,
        api_base=role.api_base,
        api_key_env=role.api_key_env,
        parameters=role.parameters,
        price=declared,
    )


def parameters_sent(spec: ModelSpec, seed: int | None = None) -> dict[str, Any]:
    """The parameters that a call carries: those written, with the seed, where given, in place of one."""
    return {**spec.parameters, **({} if seed is None else {"seed": seed})}


def key_of(spec: ModelSpec) -> str | None:
    """The key to send; None leaves it to LiteLLM to take the provider's own from the environment."""
    if spec.api_key_env:
        return key_in(spec.api_key_env) or None
    # A key of the provider's must not go to a server on the loopback, which asks for none.
    return _DUMMY_KEY if on_loopback(spec.api_base) else None
