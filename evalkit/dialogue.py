"""One case, played once by one candidate: what the agent is told, and the trial that comes of it."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from evalkit.cases import Case, Ticket
from evalkit.client import Client, spec_of
from evalkit.knowledge import Retrieval
from evalkit.shootout import Candidate
from evalkit.store import Slot
from evalkit.suite import Article, Suite
from evalkit.transcript import Message, Trial

KNOWLEDGE_HEADING = "# Help-centre articles"
# These draw their own variation; a seed from case and trial number makes it repeatable.
SEEDED = ("offline/", "local/")


async def play(
    slot: Slot,
    case: Case,
    candidate: Candidate,
    suite: Suite,
    retrieval: Retrieval,
    client: Client,
    timeout_s: float,
) -> Trial:
    """The trial of one slot, played in a fresh session; it ends within `timeout_s` seconds of wall clock.

    Raises BudgetExceeded where the budget does not allow the next call; nothing of the trial is then kept.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    deadline = asyncio.get_running_loop().time() + timeout_s
    messages = ticket_messages(case.ticket or Ticket(body=""), candidate, suite, retrieval)
    done = await client.complete(
        spec_of(candidate, candidate.model or ""),
        messages,
        deadline=deadline,
        seed=seed_of(candidate, case, slot.number),
    )
    status, reason = done.status, done.reason
    if status == "completed" and not done.text.strip():
        # A ticket offers no tools; a call of one without a text tells the customer nothing.
        status, reason = "empty", "no text, but a call of a tool that was not offered"
    return Trial(
        fingerprint=slot.fingerprint,
        case=case.id,
        number=slot.number,
        status=status,
        messages=(*messages, Message("assistant", done.text, done.tool_calls))
        if done.text or done.tool_calls
        else messages,
        attempts=done.attempts,
        reason=reason,
        started=started.isoformat(timespec="milliseconds"),
        seconds=time.monotonic() - clock,
        waited_s=done.waited_s,
    )


def ticket_messages(ticket: Ticket, candidate: Candidate, suite: Suite, retrieval: Retrieval) -> tuple[Message, ...]:
    """What an agent is told of a ticket: its prompt with the best articles, and the ticket behind the eval-mode tag.

    Nothing else of a case is in it: no expectation, no reference, no golden answer.
    """
    question = f"{ticket.subject}\n{ticket.body}"
    account = [f"Account {key}: {value}" for key, value in ticket.account.items()]
    asked = [
        suite.settings.eval_mode_tag,
        *account,
        *([f"Subject: {ticket.subject}"] if ticket.subject else []),
        "",
        ticket.body,
    ]
    system = (suite.prompt(candidate.prompt) or "").strip() if candidate.prompt else ""
    if candidate.knowledge is not None:
        articles = retrieval.top(question, candidate.knowledge.top)
        system = f"{system}\n\n{knowledge_block(articles)}".strip()
    user = Message("user", "\n".join(asked).strip())
    return (Message("system", system), user) if system else (user,)


def knowledge_block(articles: Sequence[Article]) -> str:
    """The articles as they stand in a prompt."""
    return "\n\n".join([KNOWLEDGE_HEADING, *(f"## {article.title}\n{article.text}" for article in articles)])


def seed_of(candidate: Candidate, case: Case, number: int) -> int | None:
    """The seed of one trial of an embedded model, the same on every machine; None for any other model."""
    if not (candidate.model or "").startswith(SEEDED):
        return None
    digest = hashlib.sha256(f"{candidate.seed or 0}\n{candidate.salt or ''}\n{case.id}\n{number}".encode()).digest()
    return int.from_bytes(digest[:4]) >> 1
