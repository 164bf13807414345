"""One slot, played in a fresh session: the trial that comes of a case and a candidate."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from evalkit.cases import Case, Ticket
from evalkit.client import Client, spec_of
from evalkit.dialogue.agents import Agent, ModelAgent, Schemas, agent_of, said_of
from evalkit.dialogue.by_text import TextAgent
from evalkit.dialogue.conversation import Conversation
from evalkit.dialogue.told import SEEDED, seed_from, system_messages, ticket_messages
from evalkit.knowledge import Retrieval
from evalkit.sandbox import Toolbox
from evalkit.shootout import Candidate, Role
from evalkit.store import Slot
from evalkit.suite import Suite
from evalkit.transcript import Attempt, Message, Trial

# A broken customer is played again at once so often.
REPLAYS = 2


@dataclass(frozen=True)
class Stage:
    """What all trials of a run are played with; `toolbox` and `customer` serve conversations alone."""

    suite: Suite
    retrieval: Retrieval
    client: Client
    timeout_s: float
    toolbox: Toolbox | None = None
    customer: Role | None = None


async def play(slot: Slot, case: Case, candidate: Candidate, stage: Stage) -> Trial:
    """The trial of one slot; it ends within the stage's seconds of wall clock.

    Raises BudgetExceeded where the budget does not allow the next call; nothing of the trial is then kept.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    deadline = asyncio.get_running_loop().time() + stage.timeout_s
    trial = Trial(
        slot.fingerprint, case.id, slot.number, "completed", started=started.isoformat(timespec="milliseconds")
    )
    play_kind = _answered if case.kind == "ticket" else _talked
    try:
        trial = await play_kind(trial, slot, case, candidate, stage, deadline)
    except NoSession as error:
        trial = replace(trial, status="error", reason=str(error), fault_of="agent")
    return replace(trial, seconds=time.monotonic() - clock)


async def _answered(trial: Trial, slot: Slot, case: Case, candidate: Candidate, stage: Stage, deadline: float) -> Trial:
    messages = ticket_messages(case.ticket or Ticket(body=""), candidate, stage.suite, stage.retrieval)
    agent = await _agent(candidate, case, slot.number, stage.client, ())
    done = await agent.turn(messages, deadline)
    status, reason = done.status, done.reason
    if status == "completed" and not done.text.strip():
        # A ticket offers no tools; a call of one without a text tells the customer nothing.
        status, reason = "empty", "no text, but a call of a tool that was not offered"
    said = (Message("assistant", done.text, done.tool_calls),) if done.text or done.tool_calls else ()
    return replace(
        trial,
        status=status,
        messages=(*messages, *said),
        attempts=done.attempts,
        reason=reason,
        fault_of=done.fault_of,
        waited_s=done.waited_s,
    )


async def _talked(trial: Trial, slot: Slot, case: Case, candidate: Candidate, stage: Stage, deadline: float) -> Trial:
    toolbox, role = stage.toolbox, stage.customer
    if toolbox is None or role is None:
        return replace(trial, status="not_run", reason="the shootout names no `customer` to play conversations with")
    own = candidate.tools == "own"
    attempts: list[Attempt] = []
    waited = 0.0
    for replay in range(REPLAYS + 1):
        conversation = Conversation(
            case=case,
            suite=stage.suite,
            sandbox=toolbox.open(case),
            agent=await _agent(candidate, case, slot.number, stage.client, () if own else toolbox.schemas),
            customer=_customer(role, case, slot.number, replay, stage.client),
            system=partial(
                system_messages, "conversation", candidate=candidate, suite=stage.suite, retrieval=stage.retrieval
            ),
            deadline=deadline,
            own_tools=own,
        )
        held = await conversation.hold()
        attempts += held.attempts
        waited += held.waited_s
        if held.status != "customer_fault":
            break
    return replace(
        trial,
        status=held.status,
        messages=held.messages,
        attempts=tuple(attempts),
        reason=held.reason,
        fault_of=held.fault_of,
        waited_s=waited,
        outcome=held.outcome,
        before=held.before,
        after=held.after,
        customer=role.model,
    )


class NoSession(Exception):
    """A deployed agent could not be made for a trial; says what its own code raised."""


async def _agent(candidate: Candidate, case: Case, number: int, client: Client, tools: Schemas) -> Agent:
    """Who answers, in a fresh session; with `tools: schema` a model is told of its tools in words."""
    if candidate.agent is None:
        described = candidate.tools == "schema" and tools
        agent = await agent_of(candidate, case, number, client, () if described else tools)
        return TextAgent(agent, tools) if described else agent
    try:
        return await agent_of(candidate, case, number, client, tools)
    except (Exception, SystemExit) as error:
        raise NoSession(f"the agent's own code: {said_of(error)}") from error


def _customer(role: Role, case: Case, number: int, replay: int, client: Client) -> ModelAgent:
    """The model that plays the customer; an embedded one varies with the trial and the replay alone."""
    seeded = role.model.startswith(SEEDED)
    seed = seed_from("customer", role.seed or 0, case.id, number, replay) if seeded else None
    return ModelAgent(client, spec_of(role, role.model), seed)
