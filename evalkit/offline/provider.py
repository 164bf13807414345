"""The hook by which LiteLLM reaches the embedded agents, through the same call as any hosted model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import litellm

from evalkit.offline.agent import Manner, answer

# A token is about four characters in the tokenizers of hosted models; close enough for a price that is invented.
_CHARS_PER_TOKEN = 4


class OfflineProvider(litellm.CustomLLM):
    """Answers `offline/agent` by rules, from the messages of the call and nothing else."""

    async def acompletion(self, *_: Any, **kwargs: Any) -> litellm.ModelResponse:
        """The agent's answer as LiteLLM's response object."""
        return _respond(kwargs["model"], kwargs["messages"], kwargs["optional_params"], kwargs["model_response"])


def register() -> None:
    """Add the provider to LiteLLM's map, once."""
    if not any(entry["provider"] == "offline" for entry in litellm.custom_provider_map):
        litellm.custom_provider_map = [
            *litellm.custom_provider_map,
            {"provider": "offline", "custom_handler": OfflineProvider()},
        ]


def _respond(
    model: str,
    messages: Sequence[Mapping[str, Any]],
    parameters: Mapping[str, Any],
    response: litellm.ModelResponse,
) -> litellm.ModelResponse:
    if model != "agent":
        raise litellm.NotFoundError(f"no offline model {model!r}; known: offline/agent", model, "offline")
    try:
        manner = Manner.of(parameters)
    except (TypeError, ValueError) as error:
        raise litellm.BadRequestError(str(error), model, "offline") from error
    said = {role: "\n".join(m["content"] or "" for m in messages if m["role"] == role) for role in ("system", "user")}
    text, finish = _cut(answer(said["system"], said["user"], manner, int(parameters.get("seed") or 0)), parameters)
    response.model = model
    response.choices[0].message.content = text
    response.choices[0].finish_reason = finish
    asked, said_back = (len(part) // _CHARS_PER_TOKEN + 1 for part in (said["system"] + said["user"], text))
    response.usage = litellm.Usage(prompt_tokens=asked, completion_tokens=said_back, total_tokens=asked + said_back)
    return response


def _cut(text: str, parameters: Mapping[str, Any]) -> tuple[str, str]:
    limit = parameters.get("max_tokens")
    if limit is None or len(text) <= limit * _CHARS_PER_TOKEN:
        return text, "stop"
    return text[: limit * _CHARS_PER_TOKEN], "length"
