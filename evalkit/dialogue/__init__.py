"""One case, played once by one candidate: a ticket, or a conversation with a simulated customer."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.dialogue.agents import factory_of
    from evalkit.dialogue.customer import CUSTOMER_RULES
    from evalkit.dialogue.slots import Stage, play
    from evalkit.dialogue.told import SEEDED, knowledge_block, seed_of, ticket_messages

_HOME = {
    "CUSTOMER_RULES": "customer",
    "SEEDED": "told",
    "Stage": "slots",
    "factory_of": "agents",
    "knowledge_block": "told",
    "play": "slots",
    "seed_of": "told",
    "ticket_messages": "told",
}

__all__ = ["CUSTOMER_RULES", "SEEDED", "Stage", "factory_of", "knowledge_block", "play", "seed_of", "ticket_messages"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"evalkit.dialogue.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
