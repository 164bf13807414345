"""A conversation: the customer's turns and the agent's, with the tools that the agent calls in between."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from evalkit.cases import Case
from evalkit.dialogue.agents import Agent, Turn
from evalkit.dialogue.customer import customer_messages, fault_of, without_stop
from evalkit.dialogue.told import first_words
from evalkit.sandbox import Sandbox
from evalkit.suite import Suite
from evalkit.transcript import Attempt, Message, Outcome, Status

# Calls of tools in one turn, and calls that did nothing in one conversation, after which an agent is going in circles.
MAX_CALLS = 20
MAX_FAULTS = 10


@dataclass
class Held:
    """What a conversation came to, as far as it went."""

    messages: tuple[Message, ...] = ()
    attempts: list[Attempt] = field(default_factory=list)
    status: Status = "completed"
    reason: str = ""
    fault_of: str | None = None
    waited_s: float = 0.0
    outcome: Outcome | Literal[""] = ""
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None


@dataclass
class Conversation:
    """One conversation: who speaks, in which sandbox, until when.

    `system` gives the agent's prompt for the customer's first message. `own_tools` says that the agent runs tools of
    its own, so that the sandbox shows nothing of what it did. `deadline` is a `loop.time()`.
    """

    case: Case
    suite: Suite
    sandbox: Sandbox
    agent: Agent
    customer: Agent
    system: Callable[[str], tuple[Message, ...]]
    deadline: float
    own_tools: bool = False

    def __post_init__(self) -> None:
        self._result = Held(before=json.loads(self.sandbox.before))
        self._prompt: tuple[Message, ...] = ()
        self._messages: list[Message] = []
        # The words of both sides alone, the customer's without tag and account.
        self._said: list[Message] = []
        self._faults = 0

    async def hold(self) -> Held:
        """All of it, from the customer's first message to the end."""
        limit = self.suite.settings.policy.turn_limit
        for turn in range(1, limit + 1):
            last = await self._customer_turn(turn)
            if self._result.status != "completed" or not await self._agent_turn() or last or self.sandbox.ended:
                break
        else:
            self._result.reason = f"the limit of {limit} turns was reached"
        self._result.messages = (*self._prompt, *self._messages)
        self._result.outcome = self.sandbox.outcome
        self._result.after = None if self.own_tools else self.sandbox.state
        return self._result

    async def _customer_turn(self, turn: int) -> bool:
        """The customer's next message; whether it is the last one."""
        earlier = [each.text for each in self._said if each.role == "user"]
        prompt = customer_messages(self.case, self._said, turn)
        text, stops = "", False
        # An empty turn, or one that was cut, is asked for once more.
        for _ in range(2):
            done = await self.customer.turn(prompt, self.deadline)
            self._spent(done, "customer")
            if done.status in ("error", "timeout"):
                self._end("error", f"the customer's model: {done.reason}")
                return True
            text, stops = without_stop(done.text)
            if done.status == "completed" and (text or stops):
                break
        if done.status == "empty" and text:
            self._end("customer_fault", f"the customer's message is no whole one: {done.reason}")
            return True
        answers = [each.text for each in self._said if each.role == "assistant"]
        if fault := fault_of(text, self.case, earlier, stops=stops, answers=answers):
            self._end("customer_fault", fault)
            return True
        if text:
            self._hear(text)
        return stops

    def _hear(self, text: str) -> None:
        self._said.append(Message("user", text))
        if not self._messages:
            writer = self.sandbox.state["ticket"]["customer"]
            self._prompt = self.system(text)
            text = first_words(["", text], {} if writer is None else {"customer": writer}, self.suite)
        self._messages.append(Message("user", text))

    async def _agent_turn(self) -> bool:
        """The agent's turn, with all its calls of tools, until it speaks; whether the conversation goes on."""
        for _ in range(MAX_CALLS):
            done = await self.agent.turn((*self._prompt, *self._messages), self.deadline)
            self._spent(done, "agent")
            if done.status == "timeout" and self._slow_customer():
                self._end("error", "the customer's model took most of the trial's time")
                return False
            if done.status != "completed":
                self._end(done.status, done.reason, done.fault_of)
                return False
            self._messages.append(Message("assistant", done.text, done.tool_calls))
            if done.text.strip():
                self._said.append(Message("assistant", done.text))
            for call in done.tool_calls:
                answer = self.sandbox.call(call.name, call.arguments)
                # What is checked is what the tool received: an argument left to its default was given all the same.
                done_call = call if answer.received is None else replace(call, arguments=dict(answer.received))
                self._messages.append(Message("tool", answer.text, (done_call,), answer.fault))
                self._faults += bool(answer.fault)
            if self._faults >= MAX_FAULTS:
                self._result.reason = f"{self._faults} calls of tools did nothing"
                return False
            if not done.tool_calls:
                return True
        self._result.reason = f"{MAX_CALLS} turns of calls without a word to the customer"
        return False

    def _slow_customer(self) -> bool:
        spent = {"agent": 0.0, "customer": 0.0}
        for attempt in self._result.attempts:
            spent[attempt.role] += attempt.seconds
        return spent["customer"] > spent["agent"]

    def _spent(self, done: Turn, role: Literal["agent", "customer"]) -> None:
        self._result.attempts += [replace(attempt, role=role) for attempt in done.attempts]
        self._result.waited_s += done.waited_s

    def _end(self, status: Status, reason: str, fault: str | None = None) -> None:
        self._result.status, self._result.reason, self._result.fault_of = status, reason, fault
