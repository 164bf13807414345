"""The sandbox of a conversation: records of its own, the tools over them, and what they left behind.

A suite's tools import from here what they are written with: `Records`, `ToolError`, and `read`, `write` and `money`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.sandbox.declared import TIERS, Declared, declared_tools
    from evalkit.sandbox.schemas import Tool, tool_of
    from evalkit.sandbox.state import ENDED, OPEN, opening, outcome_of, owner_of, place_of, record_of
    from evalkit.sandbox.toolbox import Answer, Sandbox, Toolbox
    from evalkit.sandbox.tools import Records, ToolError, money, read, write

_HOME = {
    "Answer": "toolbox",
    "Declared": "declared",
    "ENDED": "state",
    "OPEN": "state",
    "Records": "tools",
    "Sandbox": "toolbox",
    "TIERS": "declared",
    "Tool": "schemas",
    "ToolError": "tools",
    "Toolbox": "toolbox",
    "declared_tools": "declared",
    "money": "tools",
    "opening": "state",
    "outcome_of": "state",
    "owner_of": "state",
    "place_of": "state",
    "record_of": "state",
    "read": "tools",
    "tool_of": "schemas",
    "write": "tools",
}

__all__ = [
    "ENDED",
    "OPEN",
    "TIERS",
    "Answer",
    "Declared",
    "Records",
    "Sandbox",
    "Tool",
    "ToolError",
    "Toolbox",
    "declared_tools",
    "money",
    "opening",
    "outcome_of",
    "owner_of",
    "place_of",
    "read",
    "record_of",
    "tool_of",
    "write",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"evalkit.sandbox.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
