"""Messages and replies as OpenAI's chat API writes them, to and from a transcript's."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from evalkit.transcript import Message, ToolCall, Usage

MAX_LABEL = 200
MAX_DEPTH = 50

# No reply has more; a provider that declares more declares nonsense.
MAX_TOKENS = 10**9
_FILE_PATH = re.compile(r"(?:/|~/|file:|[A-Za-z]:[\\/]|\\\\)")


@dataclass(frozen=True)
class Reply:
    """What a model said; `size` is the bytes of its text and its tools' arguments in UTF-8."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    refused: bool = False
    size: int = 0


def to_openai(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages of a request.

    A tool's message answers the call that its own `tool_calls` names; where it names none, the earliest
    call of the assistant's last message that has no answer yet.
    """
    written: list[dict[str, Any]] = []
    unanswered: list[str] = []
    for message in messages:
        entry: dict[str, Any] = {"role": message.role, "content": message.text}
        if message.role == "assistant":
            unanswered = [call.id for call in message.tool_calls]
            if message.tool_calls:
                entry["tool_calls"] = [_call_to_openai(call) for call in message.tool_calls]
                entry["content"] = message.text or None
        elif message.role == "tool":
            named = message.tool_calls[0].id if message.tool_calls else next(iter(unanswered), "")
            unanswered = [call for call in unanswered if call != named]
            entry["tool_call_id"] = named
        written.append(entry)
    return written


def reply_of(response: Any) -> Reply | None:
    """What a response says; None where it holds no choice. Arguments are parsed where they are JSON."""
    if not response.choices:
        return None
    choice = response.choices[0]
    message = choice.message
    calls = tuple(getattr(message, "tool_calls", None) or ())
    content = message.content or ""
    return Reply(
        text=_whole(content),
        tool_calls=tuple(_call_of(number, call) for number, call in enumerate(calls)),
        finish_reason=label(choice.finish_reason),
        refused=bool(getattr(message, "refusal", None)),
        size=_bytes(content) + sum(_bytes(call.function.arguments) for call in calls),
    )


def label(name: Any) -> str | None:
    """A name that a provider gave to something, cut to 200 characters; None where it is no text.

    A local server may name its model by the file that it serves; the folders of its machine are no one else's business.
    """
    if not isinstance(name, str) or not name:
        return None
    return _whole((re.split(r"[\\/]", name)[-1] if _FILE_PATH.match(name) else name)[:MAX_LABEL])


def usage_of(response: Any) -> Usage | None:
    """The tokens that a response declares; None where it declares none, or none that can be.

    LiteLLM writes (0, 0) where a provider declared nothing.
    """
    usage = getattr(response, "usage", None)
    details = getattr(usage, "prompt_tokens_details", None)
    counts = [
        getattr(usage, "prompt_tokens", None),
        getattr(usage, "completion_tokens", None),
        getattr(details, "cached_tokens", None) or 0,
    ]
    if not all(isinstance(count, int) and 0 <= count <= MAX_TOKENS for count in counts) or not any(counts):
        return None
    return Usage(*counts)


def _call_to_openai(call: ToolCall) -> dict[str, Any]:
    given = call.arguments
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _call_of(number: int, call: Any) -> ToolCall:
    return ToolCall(
        id=label(call.id) or f"call_{number}",
        name=label(call.function.name) or "",
        arguments=_arguments(call.function.arguments),
    )


def _arguments(written: Any) -> Any:
    text = _whole(written) if isinstance(written, str) else json.dumps(written)
    try:
        parsed = json.loads(text, parse_constant=_no_constant)
        # An escape may hide half a pair of surrogates.
        parsed = json.loads(_whole(json.dumps(parsed, ensure_ascii=False))) if "\\u" in text else parsed
    except (ValueError, RecursionError):
        return text
    # A JSON string stays as written: parsed, it could not be told from text that is no JSON when it is sent
    # back. So does what is nested so deep that copying it would fail.
    return text if isinstance(parsed, str) or not _is_shallow(parsed, MAX_DEPTH) else parsed


def _is_shallow(value: Any, depth: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth > 0 and all(_is_shallow(item, depth - 1) for item in inner)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _bytes(text: Any) -> int:
    written = text if isinstance(text, str) else json.dumps(text)
    return len(written.encode("utf-8", "surrogatepass"))


def _whole(text: str) -> str:
    """The text with pairs of surrogates joined, and U+FFFD for halves, which no file or database can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
