"""The one door to models: calls with their deadline, retries, price and budget."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.client.calls import Budget, Client, Completion, price_known, usd_of
    from evalkit.client.keys import load_env, redact
    from evalkit.client.known import missing_keys, unknown_models
    from evalkit.client.pricing import Price
    from evalkit.client.spec import ModelSpec, api_base_of, parameters_sent, spec_of

_HOME = {
    "Budget": "calls",
    "Client": "calls",
    "Completion": "calls",
    "ModelSpec": "spec",
    "Price": "pricing",
    "api_base_of": "spec",
    "load_env": "keys",
    "missing_keys": "known",
    "parameters_sent": "spec",
    "price_known": "calls",
    "redact": "keys",
    "spec_of": "spec",
    "unknown_models": "known",
    "usd_of": "calls",
}

__all__ = [
    "Budget",
    "Client",
    "Completion",
    "ModelSpec",
    "Price",
    "api_base_of",
    "load_env",
    "missing_keys",
    "parameters_sent",
    "price_known",
    "redact",
    "spec_of",
    "unknown_models",
    "usd_of",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"evalkit.client.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
