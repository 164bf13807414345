"""Other tools' results as a run: one row a trial, whose verdict stays its source's."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.importers.cells import COLUMNS, Row
    from evalkit.importers.flat import Flat, read_flat
    from evalkit.importers.run import Imported, import_run

_HOME = {
    "COLUMNS": "cells",
    "Row": "cells",
    "Flat": "flat",
    "read_flat": "flat",
    "Imported": "run",
    "import_run": "run",
}

__all__ = ["COLUMNS", "Flat", "Imported", "Row", "import_run", "read_flat"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
