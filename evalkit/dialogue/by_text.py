"""Tools for models that know none: described in the prompt, called by a JSON object, answered in plain messages."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from evalkit.dialogue.agents import Agent, Schemas, Turn
from evalkit.transcript import Message, ToolCall

_RULES = """\
# Tools

To use a tool, answer with nothing but one JSON object: {"tool": "<name>", "arguments": {...}}. Its result is the next
message, which begins with TOOL RESULT. When you need no tool, answer the customer in plain words. The tools:
"""
_FENCED = re.compile(r"^```(?:json)?\s*\n(.*)\n```$", re.DOTALL)


class TextAgent:
    """An agent that calls tools in its text; to the conversation it is as any other."""

    def __init__(self, agent: Agent, tools: Schemas) -> None:
        self._agent = agent
        described = "\n".join(json.dumps(each["function"], ensure_ascii=False) for each in tools)
        self._rules = Message("system", f"{_RULES}\n{described}")

    async def turn(self, messages: Sequence[Message], deadline: float) -> Turn:
        """The agent's answer, a call of a tool where its text is one."""
        done = await self._agent.turn(self._in_words(messages), deadline)
        call = _call(done.text, sum(len(each.tool_calls) for each in messages)) if done.status == "completed" else None
        return replace(done, text="", tool_calls=(call,)) if call else done

    def _in_words(self, messages: Sequence[Message]) -> list[Message]:
        first = messages[0] if messages and messages[0].role == "system" else None
        prompt = Message("system", f"{first.text}\n\n{self._rules.text}") if first else self._rules
        return [prompt, *(_in_words(each) for each in (messages[1:] if first else messages))]


def _in_words(message: Message) -> Message:
    if message.role == "tool":
        return Message("user", f"TOOL RESULT of {message.tool_calls[0].name}: {message.text}")
    if message.tool_calls:
        (call, *_) = message.tool_calls
        return Message("assistant", json.dumps({"tool": call.name, "arguments": call.arguments}, ensure_ascii=False))
    return message


def _call(text: str, number: int) -> ToolCall | None:
    plain = text.strip()
    fenced = _FENCED.match(plain)
    try:
        found = json.loads(fenced[1] if fenced else plain)
    except (ValueError, RecursionError):
        return None
    if not (isinstance(found, dict) and isinstance(found.get("tool"), str)):
        return None
    return ToolCall(f"call_{number}", found["tool"], found.get("arguments", {}))
