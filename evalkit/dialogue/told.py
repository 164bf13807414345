"""What an agent is told: its prompt with the best articles, and what the customer wrote behind the eval-mode tag.

Nothing else of a case is in it: no expectation, no reference, no golden answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from evalkit.cases import Case, Ticket
from evalkit.knowledge import Retrieval
from evalkit.shootout import Candidate
from evalkit.suite import Article, Suite
from evalkit.transcript import Message

KNOWLEDGE_HEADING = "# Help-centre articles"
# These draw their own variation; a seed from case and trial number makes it repeatable.
SEEDED = ("offline/", "local/")


def ticket_messages(ticket: Ticket, candidate: Candidate, suite: Suite, retrieval: Retrieval) -> tuple[Message, ...]:
    """What an agent is told of a ticket."""
    question = f"{ticket.subject}\n{ticket.body}"
    system = system_messages("ticket", question, candidate, suite, retrieval)
    subject = [f"Subject: {ticket.subject}"] if ticket.subject else []
    return *system, Message("user", first_words([*subject, "", ticket.body], ticket.account, suite))


def system_messages(
    kind: Literal["ticket", "conversation"], question: str, candidate: Candidate, suite: Suite, retrieval: Retrieval
) -> tuple[Message, ...]:
    """The prompt of a candidate for a kind of case, with the articles nearest to a question; none where both lack."""
    prompt = candidate.prompts.get(kind)
    system = (suite.prompt(prompt) or "").strip() if prompt else ""
    if kind == "conversation" and suite.settings.today is not None:
        # A window of fourteen days is kept by who knows the date.
        system = f"{system}\n\nToday is {suite.settings.today}.".strip()
    if candidate.knowledge is not None:
        system = f"{system}\n\n{knowledge_block(retrieval.top(question, candidate.knowledge.top))}".strip()
    return (Message("system", system),) if system else ()


def first_words(lines: Sequence[str], account: Mapping[str, Any], suite: Suite) -> str:
    """The first message of a customer: the eval-mode tag, what is known of the account, and the lines."""
    known = [f"Account {key}: {value}" for key, value in account.items()]
    return "\n".join([suite.settings.eval_mode_tag, *known, *lines]).strip()


def knowledge_block(articles: Sequence[Article]) -> str:
    """The articles as they stand in a prompt."""
    return "\n\n".join([KNOWLEDGE_HEADING, *(f"## {article.title}\n{article.text}" for article in articles)])


def seed_of(candidate: Candidate, case: Case, number: int) -> int | None:
    """The seed of one trial of an embedded model, the same on every machine; None for any other model."""
    if not (candidate.model or "").startswith(SEEDED):
        return None
    return seed_from(candidate.seed or 0, candidate.salt or "", case.id, number)


def seed_from(*parts: object) -> int:
    """A seed of 31 bits made of these parts."""
    digest = hashlib.sha256("\n".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:4]) >> 1
