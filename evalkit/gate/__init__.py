"""The gate: whether a change may go out, and every reason why not."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.gate.deciding import decide, needs_rerun
    from evalkit.gate.decision import (
        Decision,
        Look,
        MustPassLook,
        Note,
        QuarantineLook,
        Reason,
        SideRecord,
        StratumLook,
    )
    from evalkit.gate.sides import CaseTrials, Side, TrialResult, side_of
    from evalkit.gate.text import lines

_HOMES = {
    "CaseTrials": "sides",
    "Decision": "decision",
    "Look": "decision",
    "MustPassLook": "decision",
    "Note": "decision",
    "QuarantineLook": "decision",
    "Reason": "decision",
    "Side": "sides",
    "SideRecord": "decision",
    "StratumLook": "decision",
    "TrialResult": "sides",
    "decide": "deciding",
    "lines": "text",
    "needs_rerun": "deciding",
    "side_of": "sides",
}
__all__ = [
    "CaseTrials",
    "Decision",
    "Look",
    "MustPassLook",
    "Note",
    "QuarantineLook",
    "Reason",
    "Side",
    "SideRecord",
    "StratumLook",
    "TrialResult",
    "decide",
    "lines",
    "needs_rerun",
    "side_of",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"evalkit.gate.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
