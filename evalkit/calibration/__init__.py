"""Calibration: has a grader drifted, by its agreement with people from month to month?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.calibration.change import Change, Paired, paired
    from evalkit.calibration.counts import Spent, cascade, held_series, spent, transcripts
    from evalkit.calibration.months import Calibration, Month, calibrated, is_month, row_of
    from evalkit.calibration.sentence import Answer, answer, settled

_HOME = {
    "Answer": "sentence",
    "Calibration": "months",
    "Change": "change",
    "Month": "months",
    "Paired": "change",
    "Spent": "counts",
    "answer": "sentence",
    "calibrated": "months",
    "cascade": "counts",
    "held_series": "counts",
    "is_month": "months",
    "paired": "change",
    "row_of": "months",
    "settled": "sentence",
    "spent": "counts",
    "transcripts": "counts",
}

__all__ = [
    "Answer",
    "Calibration",
    "Change",
    "Month",
    "Paired",
    "Spent",
    "answer",
    "calibrated",
    "cascade",
    "held_series",
    "is_month",
    "paired",
    "row_of",
    "settled",
    "spent",
    "transcripts",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
