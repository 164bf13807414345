"""What can be said of models before any is called: whether there is such a provider, and a key for it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from evalkit.client.keys import key_in
from evalkit.client.lite import load_litellm
from evalkit.client.spec import ModelSpec, key_of


def missing_keys(specs: Iterable[ModelSpec]) -> list[str]:
    """The variables that should hold an API key and hold none, so that a run can refuse before it plays."""
    return sorted({name for spec in specs for name in _missing(spec)})


def unknown_models(specs: Iterable[ModelSpec]) -> list[str]:
    """The models that no call could reach, since nothing in their names says which provider they are of."""
    return sorted({spec.model for spec in specs if not _is_reachable(spec)})


def keeps_schema(spec: ModelSpec) -> bool:
    """Whether a model's replies can be held to a JSON Schema, as LiteLLM knows it."""
    return spec.provider != "offline" and bool(load_litellm().supports_response_schema(spec.model))


def _is_reachable(spec: ModelSpec) -> bool:
    if spec.provider == "offline":
        from evalkit.offline import MODELS

        return spec.model in MODELS
    try:
        load_litellm().get_llm_provider(spec.model, api_base=spec.api_base)
    except load_litellm().BadRequestError:
        # A provider that its own code added to LiteLLM is not in LiteLLM's list.
        return spec.provider in {entry["provider"] for entry in load_litellm().custom_provider_map}
    return True


def _missing(spec: ModelSpec) -> list[str]:
    if spec.api_key_env:
        return [] if key_of(spec) else [spec.api_key_env]
    if spec.local:
        return []
    # LiteLLM asks only whether a variable is there, and `OPENAI_API_KEY=` in a copied .env is.
    usual = f"{(spec.provider or 'openai').upper()}_API_KEY"
    if usual in os.environ and not key_in(usual):
        return [usual]
    named = load_litellm().validate_environment(spec.model, api_base=spec.api_base)["missing_keys"]
    # Not the others: credentials of cloud platforms have many more sources than the variables asked for.
    missing = [name for name in named if name.endswith("_API_KEY")]
    # Where LiteLLM takes one of several variables, it names them all.
    return [usual] if usual in missing else missing
