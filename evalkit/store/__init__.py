"""The store: trials, runs, suite snapshots and what fingerprints are made of, in one SQLite file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.store.parts import Composed, Neighbour, piece_hash
    from evalkit.store.store import Slot, Store, store_path

_HOME = {
    "Composed": "parts",
    "Neighbour": "parts",
    "piece_hash": "parts",
    "Slot": "store",
    "Store": "store",
    "store_path": "store",
}

__all__ = ["Composed", "Neighbour", "Slot", "Store", "piece_hash", "store_path"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
