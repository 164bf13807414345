"""evalkit: choose the model that answers your customers, on evidence.

The names here are those that a notebook or a script uses; each is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.dialogue.agents import Reply
    from evalkit.errors import EvalkitError
    from evalkit.loading import load_suite
    from evalkit.playing import run
    from evalkit.runs import load_run
    from evalkit.tables import Run
    from evalkit.transcript import ToolCall

_HOME = {
    "EvalkitError": "evalkit.errors",
    "Reply": "evalkit.dialogue.agents",
    "Run": "evalkit.tables",
    "ToolCall": "evalkit.transcript",
    "load_run": "evalkit.runs",
    "load_suite": "evalkit.loading",
    "run": "evalkit.playing",
}

# Packages whose names a script may reach from here: evalkit.gate.decide, evalkit.stats.noise.band.
_PACKAGES = ("gate", "stats")

__all__ = ["EvalkitError", "Reply", "Run", "ToolCall", "load_run", "load_suite", "run"]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"evalkit.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'evalkit' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
