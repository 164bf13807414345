"""Negation: whether what was found in a text stands only inside one, and so is no claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.negation.scope import negated

__all__ = ["negated"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from evalkit.negation import scope

        return getattr(scope, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
