"""A conversation as an embedded agent reads it: who said what, which tools were called, what came back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from json import loads
from typing import Any

_ACCOUNT = re.compile(r"^(?:Account )?([A-Za-z][\w .-]{0,30}): (\S.*)$")
_TAG = re.compile(r"^\[[A-Z][A-Z ]+\]$")
STOP = "[DONE]"


@dataclass(frozen=True)
class Deed:
    """One call of a tool: its result, and how many customer messages stood before it."""

    name: str
    arguments: Mapping[str, Any]
    result: Any
    turn: int

    @property
    def failed(self) -> bool:
        """Whether the tool gave an error back."""
        return isinstance(self.result, Mapping) and set(self.result) == {"error"}

    @property
    def record(self) -> Mapping[str, Any]:
        """The record that a look-up gave, laid bare where the result wraps it; empty where there is none."""
        found = self.result
        if isinstance(found, Mapping) and len(found) == 1 and isinstance(next(iter(found.values())), Mapping):
            found = next(iter(found.values()))
        return found if isinstance(found, Mapping) and not self.failed else {}


@dataclass(frozen=True)
class Talk:
    """What a call's messages hold: the prompt, the account lines, what was said in turn, and the deeds so far."""

    prompt: str
    account: Mapping[str, str]
    said: tuple[tuple[str, str], ...]
    deeds: tuple[Deed, ...]

    @cached_property
    def customer(self) -> tuple[str, ...]:
        """The customer's messages."""
        return tuple(text for role, text in self.said if role == "user")

    @cached_property
    def last(self) -> str:
        """The customer's last message."""
        return self.customer[-1] if self.customer else ""

    @cached_property
    def agent(self) -> tuple[str, ...]:
        """What the agent told the customer."""
        return tuple(text for role, text in self.said if role == "assistant")

    @property
    def fresh(self) -> tuple[Deed, ...]:
        """The deeds since the customer's last message."""
        return tuple(deed for deed in self.deeds if deed.turn == len(self.customer))

    def deed(self, name: str, **arguments: str) -> Deed | None:
        """The last deed of this name whose arguments are these."""
        for deed in reversed(self.deeds):
            given = {key: str(value) for key, value in deed.arguments.items()}
            if deed.name == name and all(given.get(key) == value for key, value in arguments.items()):
                return deed
        return None

    def answers_to(self, pattern: re.Pattern[str]) -> tuple[str, ...]:
        """What the customer said next, each time that the agent said this."""
        pairs = zip(self.said, self.said[1:], strict=False)
        return tuple(
            after
            for (role, text), (next_role, after) in pairs
            if role == "assistant" and next_role == "user" and pattern.search(text)
        )

    def since(self, pattern: re.Pattern[str]) -> tuple[str, ...] | None:
        """What the customer said since the agent first said this; None where it never did."""
        for place, (role, text) in enumerate(self.said):
            if role == "assistant" and pattern.search(text):
                return tuple(after for who, after in self.said[place:] if who == "user")
        return None


def read_talk(messages: Sequence[Mapping[str, Any]]) -> Talk:
    """The conversation that a call's messages tell of."""
    prompt, said, deeds, called, account = [], [], [], {}, {}
    turn = 0
    for message in messages:
        role, text = message["role"], _text(message.get("content"))
        if role == "system":
            prompt.append(text)
        elif role == "user":
            turn += 1
            if turn == 1:
                account, text = _account(text)
            said.append((role, text))
        elif role == "assistant":
            for call in message.get("tool_calls") or ():
                function = call["function"]
                called[call["id"]] = (function["name"], parsed(function["arguments"]))
            if text.strip():
                said.append((role, text))
        elif role == "tool" and message.get("tool_call_id") in called:
            name, arguments = called[message["tool_call_id"]]
            deeds.append(Deed(name, arguments if isinstance(arguments, Mapping) else {}, parsed(text), turn))
    return Talk("\n".join(prompt), account, tuple(said), tuple(deeds))


def parsed(text: Any) -> Any:
    """What a JSON text says; the text itself where it is none."""
    if not isinstance(text, str):
        return text
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return text


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content if isinstance(part, Mapping))
    return content or ""


def _account(text: str) -> tuple[dict[str, str], str]:
    """The account lines at the head of the first message, and the message without them and the eval-mode tag."""
    account = {}
    lines = text.split("\n")
    while lines and (_TAG.match(lines[0].strip()) or not lines[0].strip() or _ACCOUNT.match(lines[0].strip())):
        line = lines[0].strip()
        found = _ACCOUNT.match(line)
        # A customer may begin with "Hello: …"; only what the harness writes is an account line.
        if found and not (line.startswith("Account ") or found[1].lower() in _KEYS):
            break
        if found:
            account[found[1].strip().lower()] = found[2].strip()
        lines.pop(0)
    return account, "\n".join(lines)


_KEYS = {"today", "customer", "customer id", "customer_id", "email", "e-mail", "plan", "name", "subscription"}
