"""The statistics, a module each; `evalkit.stats.noise` is loaded when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_") or find_spec(f"evalkit.stats.{name}") is None:
        raise AttributeError(f"module 'evalkit.stats' has no attribute {name!r}")
    return import_module(f"evalkit.stats.{name}")
