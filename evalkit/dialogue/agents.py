"""Who answers: a model behind the client, or a deployed agent's own code. Both give one turn at a time."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evalkit.cases import Case
from evalkit.client import Client, ModelSpec, spec_of
from evalkit.dialogue.told import seed_of
from evalkit.errors import ShootoutError
from evalkit.shootout import Candidate
from evalkit.transcript import Attempt, Message, Status, ToolCall, Usage

Schemas = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Reply:
    """What a deployed agent answers: a text, calls of tools, or both; its tokens and its cost where it knows them."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    usd: float | None = None


@dataclass(frozen=True)
class Turn:
    """One answer of an agent, or why there is none; `fault_of` is "agent" where its own code failed."""

    text: str
    tool_calls: tuple[ToolCall, ...]
    attempts: tuple[Attempt, ...]
    status: Status
    reason: str = ""
    waited_s: float = 0.0
    fault_of: str | None = None


class Agent(Protocol):
    """Answers messages, one turn at a time."""

    async def turn(self, messages: Sequence[Message], deadline: float) -> Turn:
        """The answer to all that was said so far, by the `loop.time()` given."""


class ModelAgent:
    """A model of a candidate or of the customer, behind the client."""

    def __init__(self, client: Client, spec: ModelSpec, seed: int | None, tools: Schemas = ()) -> None:
        self._client, self._spec, self._seed, self._tools = client, spec, seed, tools

    async def turn(self, messages: Sequence[Message], deadline: float) -> Turn:
        """The model's answer; raises BudgetExceeded where the budget does not allow the call."""
        done = await self._client.complete(
            self._spec, messages, deadline=deadline, seed=self._seed, tools=self._tools or None
        )
        return Turn(done.text, done.tool_calls, done.attempts, done.status, done.reason, done.waited_s)


class PythonAgent:
    """An agent of somebody's own code: an object with `reset(case, tools)` and `reply(messages)`, sync or async."""

    def __init__(self, name: str, agent: Any) -> None:
        self._name, self._agent = name, agent

    async def turn(self, messages: Sequence[Message], deadline: float) -> Turn:
        """The agent's answer; what its code raises is an error of its own."""
        loop, started = asyncio.get_running_loop(), time.monotonic()
        try:
            async with asyncio.timeout_at(deadline):
                reply = _checked(await _called(self._agent.reply, tuple(messages)))
        except TimeoutError:
            late = loop.time() >= deadline
            return self._failed("timeout" if late else "error", "the trial's time ran out" if late else "TimeoutError")
        except FAILURES as error:
            if _is_ours(error):
                raise
            return self._failed("error", said_of(error), started)
        attempt = Attempt(self._name, None, time.monotonic() - started, reply.usd, reply.usage)
        status: Status = "completed" if reply.text or reply.tool_calls else "empty"
        return Turn(reply.text, tuple(reply.tool_calls), (attempt,), status, "" if status == "completed" else "no text")

    def _failed(self, status: Status, reason: str, started: float | None = None) -> Turn:
        seconds = 0.0 if started is None else time.monotonic() - started
        attempt = Attempt(self._name, None, seconds, None, fault=status, detail=reason)
        return Turn("", (), (attempt,), status, reason, fault_of="agent" if status == "error" else None)


# Whatever somebody's code raises is what the report has to tell of it, an exit or a cancellation of its own too.
FAILURES = (Exception, SystemExit, asyncio.CancelledError)


def said_of(error: BaseException) -> str:
    """What an agent's own code raised, in words."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _is_ours(error: BaseException) -> bool:
    """Whether it is this trial that is being cancelled, and no agent's code that says so."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def _checked(reply: Any) -> Reply:
    """The reply; raises TypeError or ValueError with what is wrong where it is none."""
    if not isinstance(reply, Reply):
        raise TypeError(f"reply() gave {type(reply).__name__}, where a Reply is needed")
    if not isinstance(reply.text, str):
        raise TypeError(f"the reply's text is {type(reply.text).__name__}, where a str is needed")
    for call in reply.tool_calls:
        if not (isinstance(call, ToolCall) and isinstance(call.name, str)):
            raise TypeError(f"a call of a tool is {type(call).__name__}, where a ToolCall with a name is needed")
        json.dumps(call.arguments, allow_nan=False)
    if reply.usd is not None and not (isinstance(reply.usd, int | float) and math.isfinite(reply.usd)):
        raise ValueError(f"the reply's usd is {reply.usd!r}, where a finite number or None is needed")
    if reply.usage is not None and not isinstance(reply.usage, Usage):
        raise TypeError(f"the reply's usage is {type(reply.usage).__name__}, where a Usage is needed")
    return reply


async def agent_of(candidate: Candidate, case: Case, number: int, client: Client, tools: Schemas) -> Agent:
    """The agent that a candidate is, in a fresh session for one trial; raises what its factory and `reset` raise."""
    if candidate.agent is None:
        return ModelAgent(client, spec_of(candidate, candidate.model or ""), seed_of(candidate, case, number), tools)
    agent = await _called(factory_of(candidate), candidate)
    await _called(agent.reset, {"id": case.id, "kind": case.kind, "number": number}, list(tools))
    return PythonAgent(candidate.agent, agent)


def factory_of(candidate: Candidate) -> Any:
    """The factory that a `python:module:factory` names. Raises ShootoutError where there is none."""
    _, module, name = (candidate.agent or "").split(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ShootoutError(
            f"candidate {candidate.name}: {candidate.agent} cannot be imported: {error}; it is looked for on Python's "
            "path, so install its package beside evalkit or set PYTHONPATH"
        ) from error


async def _called(function: Any, *arguments: Any) -> Any:
    """What a function gives, sync ones in a thread of their own."""
    if inspect.iscoroutinefunction(function):
        return await function(*arguments)
    found = await asyncio.to_thread(function, *arguments)
    return await found if inspect.isawaitable(found) else found
