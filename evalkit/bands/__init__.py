"""Noise bands of a run: what its repeats say, the cases that a gate compares, and what it would see of each stratum.

Names are loaded when they are first asked for, since most of them need numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "Compared": "compared",
    "compared_by": "compared",
    "usual": "compared",
    "DROPS": "measuring",
    "FewRepeats": "measuring",
    "Seen": "measuring",
    "Sight": "measuring",
    "StratumBand": "measuring",
    "bands_of": "measuring",
    "cases_needed": "measuring",
    "curve": "measuring",
    "MustPass": "must_pass",
    "must_pass_of": "must_pass",
    "Span": "repeated",
    "baseline_of": "repeated",
    "repeat_matrix": "repeated",
    "repeats_of": "repeated",
    "span_of": "repeated",
    "trials_of": "repeated",
    "unmeasured": "repeated",
    "Noise": "whole",
    "SEES": "whole",
    "noise_of": "whole",
    "Check": "checked",
    "self_check": "checked",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
