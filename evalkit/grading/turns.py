"""Turns: what of a trial is graded and labelled, and what it is graded against."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from evalkit.cases import Case
from evalkit.fingerprint import sha256
from evalkit.transcript import Message

TurnRole = Literal["customer", "agent", "call", "result"]


@dataclass(frozen=True)
class Turn:
    """One thing said or done. Of a call, `text` is the JSON of its arguments; of a result, what the tool gave back."""

    role: TurnRole
    text: str
    tool: str = ""


def turns_of(messages: Iterable[Message]) -> tuple[Turn, ...]:
    """What was said and done, in its order; system messages are left out.

    An agent's words stand before the calls of the same message; where it made none, its silence is a turn too.
    """
    return tuple(_turns(messages))


def to_plain(turns: Iterable[Turn]) -> list[dict[str, str]]:
    """The turns as plain JSON values: role and text, and the tool where there is one."""
    return [{"role": each.role, "text": each.text} | ({"tool": each.tool} if each.tool else {}) for each in turns]


def from_plain(plain: Any) -> tuple[Turn, ...]:
    """The turns that `to_plain` wrote. Raises ValueError that says which turn is none, and why."""
    if not isinstance(plain, list):
        raise ValueError("a transcript is a list of turns: [{role: customer, text: ...}, ...]")
    return tuple(_turn(number, value) for number, value in enumerate(plain, start=1))


def content_hash(turns: Sequence[Turn]) -> str:
    """SHA-256 of the turns' canonical JSON: the key under which equal transcripts share a grade."""
    return sha256(to_plain(turns))


def reference_of(case: Case) -> str:
    """What a transcript is graded against: the golden answer or, in a case without one, what it expects, in words."""
    golden = case.reference.golden_answer
    return golden if golden.strip() else "\n".join(_expected(case))


def _turns(messages: Iterable[Message]) -> Iterator[Turn]:
    for message in messages:
        if message.role == "user":
            yield Turn("customer", message.text)
        elif message.role == "assistant":
            if message.text.strip() or not message.tool_calls:
                yield Turn("agent", message.text)
            for call in message.tool_calls:
                yield Turn("call", _json(call.arguments), call.name)
        elif message.role == "tool":
            yield Turn("result", message.text, message.tool_calls[0].name if message.tool_calls else "")


def _turn(number: int, value: Any) -> Turn:
    if not isinstance(value, dict) or not {"role", "text"} <= value.keys() <= {"role", "text", "tool"}:
        raise ValueError(f"turn {number}: a mapping of role, text and, of a tool's, tool is needed")
    roles = get_args(TurnRole)
    if value["role"] not in roles:
        raise ValueError(f"turn {number}: the role is one of {', '.join(roles)}, not {value['role']!r}")
    if not all(isinstance(each, str) for each in value.values()):
        raise ValueError(f"turn {number}: text and tool are text")
    return Turn(**value)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        # An agent's own code may hand over arguments that hold themselves.
        return '"arguments that cannot be written down"'


def _expected(case: Case) -> Iterator[str]:
    expect = case.expect
    team = f", to the team {case.escalate_to}" if case.escalate_to else ""
    calls = (f"{name} {_json(arguments)}" if arguments else name for name, arguments in expect.wanted_calls)
    found = {
        "The customer's goal": (case.goal or "").strip(),
        "Expected outcome": expect.outcome and f"{expect.outcome}{team}",
        "Expected handling": case.expected_handling and not expect.outcome and f"{case.expected_handling}{team}",
        "Tools that must be called": ", ".join(calls),
        "Tools that must not be called": ", ".join(expect.tools_forbidden),
        "The customer must say yes before": ", ".join(expect.confirm_before),
        "Must be said": ", ".join(case.must_include),
        "Must not be said": ", ".join(case.must_not_include),
        "Expected end state": "" if expect.final_state is None else _json(expect.final_state),
    }
    return (f"{name}: {text}" for name, text in found.items() if text)
