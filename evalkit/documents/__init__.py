"""What people write, read as plain values that know their lines: YAML 1.2, JSON and JSONL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.documents.files import Document, read

__all__ = ["Document", "read"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from evalkit.documents import files

        return getattr(files, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
