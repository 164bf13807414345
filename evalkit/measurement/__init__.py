"""How far a grader agrees with people, measured before its verdicts count."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.measurement.decision import Decision
    from evalkit.measurement.labelled import Labelled, labels_hash, sets_that_count
    from evalkit.measurement.measuring import Measurement, measure
    from evalkit.measurement.needed import Needed
    from evalkit.measurement.people import People
    from evalkit.measurement.sides import OnCriterion, Side

_HOME = {
    "Decision": "decision",
    "Labelled": "labelled",
    "Measurement": "measuring",
    "Needed": "needed",
    "OnCriterion": "sides",
    "People": "people",
    "Side": "sides",
    "labels_hash": "labelled",
    "measure": "measuring",
    "sets_that_count": "labelled",
}

__all__ = [
    "Decision",
    "Labelled",
    "Measurement",
    "Needed",
    "OnCriterion",
    "People",
    "Side",
    "labels_hash",
    "measure",
    "sets_that_count",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
