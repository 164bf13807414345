"""Flex patterns: a concept and its alternatives, found in what an agent says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.patterns.concepts import Concepts, Pattern, concept_key

__all__ = ["Concepts", "Pattern", "concept_key"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from evalkit.patterns import concepts

        return getattr(concepts, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
