"""Trust: the ledger of what was measured of graders, and what it says of one now."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.trust.ledger import TrustLine, append, read_ledger
    from evalkit.trust.standing import Trust, changes, line_of, record, trust_of

_HOME = {
    "Trust": "standing",
    "TrustLine": "ledger",
    "append": "ledger",
    "changes": "standing",
    "line_of": "standing",
    "read_ledger": "ledger",
    "record": "standing",
    "trust_of": "standing",
}

__all__ = ["Trust", "TrustLine", "append", "changes", "line_of", "read_ledger", "record", "trust_of"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
