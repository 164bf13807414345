"""The hook by which LiteLLM reaches the embedded models, through the same call as any hosted model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import litellm
from litellm.types.utils import ChatCompletionMessageToolCall, Function

from evalkit.offline import MODELS
from evalkit.offline.agent import Manner, answer
from evalkit.offline.customer import Mood, next_line
from evalkit.offline.grading import Hand, grade
from evalkit.offline.talk import next_move

# A token is about four characters in the tokenizers of hosted models; close enough for a price that is invented.
_CHARS_PER_TOKEN = 4
_MANNERS = {"customer": Mood, "grader-cheap": Hand, "grader-strong": Hand}
_NOTHING_TO_PAY = {
    "litellm_provider": "offline",
    "mode": "chat",
    "input_cost_per_token": 0.0,
    "output_cost_per_token": 0.0,
}


class OfflineProvider(litellm.CustomLLM):
    """Answers for agents, customers and graders by rules, from the messages of the call and nothing else."""

    async def acompletion(self, *_: Any, **kwargs: Any) -> litellm.ModelResponse:
        """The answer as LiteLLM's response object."""
        return _respond(kwargs["model"], kwargs["messages"], kwargs["optional_params"], kwargs["model_response"])


def register() -> None:
    """Add the provider to LiteLLM's map, once."""
    if not any(entry["provider"] == "offline" for entry in litellm.custom_provider_map):
        litellm.custom_provider_map = [
            *litellm.custom_provider_map,
            {"provider": "offline", "custom_handler": OfflineProvider()},
        ]
        # LiteLLM looks for what it does not know in every family of models it has, at each call: a third of its time.
        litellm.register_model(dict.fromkeys(MODELS, _NOTHING_TO_PAY))


def _respond(
    model: str,
    messages: Sequence[Mapping[str, Any]],
    parameters: Mapping[str, Any],
    response: litellm.ModelResponse,
) -> litellm.ModelResponse:
    if f"offline/{model}" not in MODELS:
        raise litellm.NotFoundError(f"no offline model {model!r}; known: {', '.join(MODELS)}", model, "offline")
    seed = int(parameters.get("seed") or 0)
    try:
        manner = _MANNERS.get(model, Manner).of(parameters)
        graded = grade(model, messages, manner, seed) if isinstance(manner, Hand) else ""
    except (TypeError, ValueError) as error:
        raise litellm.BadRequestError(str(error), model, "offline") from error
    calls: Sequence[tuple[str, dict[str, Any]]] = ()
    if isinstance(manner, Hand):
        text = graded
    elif isinstance(manner, Mood):
        text = next_line(messages, manner, seed)
    elif parameters.get("tools"):
        move = next_move(messages, parameters["tools"], manner, seed)
        text, calls = move.text, move.calls
    else:
        text = answer(_said(messages, "system"), _said(messages, "user"), manner, seed)
    text, finish = _cut(text, parameters)
    response.model = model
    response.choices[0].message.content = text
    response.choices[0].finish_reason = finish
    if calls:
        _put(calls, len(messages), response)
    written = [json.dumps(call) for call in calls]
    asked = len("".join(_said(messages, role) for role in ("system", "user", "assistant", "tool")))
    tokens = asked // _CHARS_PER_TOKEN + 1, len(text + "".join(written)) // _CHARS_PER_TOKEN + 1
    # Said here, it is not looked for; what a candidate declares is reckoned by the client.
    response._hidden_params["response_cost"] = 0.0
    response.usage = litellm.Usage(prompt_tokens=tokens[0], completion_tokens=tokens[1], total_tokens=sum(tokens))
    return response


def _said(messages: Sequence[Mapping[str, Any]], role: str) -> str:
    return "\n".join(m.get("content") or "" for m in messages if m["role"] == role)


def _put(calls: Sequence[tuple[str, dict[str, Any]]], so_far: int, response: litellm.ModelResponse) -> None:
    """Calls of tools, as OpenAI returns them; their ids count on with the messages, so that none stands twice."""
    message = response.choices[0].message
    message.content = None
    message.tool_calls = [
        ChatCompletionMessageToolCall(
            id=f"call_{so_far}_{number}",
            type="function",
            function=Function(name=name, arguments=json.dumps(arguments, ensure_ascii=False)),
        )
        for number, (name, arguments) in enumerate(calls)
    ]
    response.choices[0].finish_reason = "tool_calls"


def _cut(text: str, parameters: Mapping[str, Any]) -> tuple[str, str]:
    limit = parameters.get("max_tokens")
    if limit is None or len(text) <= limit * _CHARS_PER_TOKEN:
        return text, "stop"
    return text[: limit * _CHARS_PER_TOKEN], "length"
