"""Deterministic verdicts on a trial, and the penalty points that they come to."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.checks.endstate import Difference, differences
    from evalkit.checks.judgement import JUDGED, Judgement, Routing, points_possible
    from evalkit.checks.judging import judge

_HOME = {
    "JUDGED": "judgement",
    "Difference": "endstate",
    "Judgement": "judgement",
    "Routing": "judgement",
    "differences": "endstate",
    "judge": "judging",
    "points_possible": "judgement",
}

__all__ = ["JUDGED", "Difference", "Judgement", "Routing", "differences", "judge", "points_possible"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
