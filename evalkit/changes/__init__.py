"""What differs between two states of a suite and could change a verdict, and by whom it was amended."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.changes.change import Change
    from evalkit.changes.changed import changes, must_pass_ids

_HOME = {"Change": "change", "changes": "changed", "must_pass_ids": "changed"}

__all__ = ["Change", "changes", "must_pass_ids"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
