"""Which cases are held out: a slice that no rubric is tuned on, and that alone decides on trust."""

from __future__ import annotations

import hashlib

SHARE = 0.5


def held_out(case: str, share: float = SHARE) -> bool:
    """Whether a case is of the held-out slice, `share` of all; by a hash of its id, so that it never changes sides.

    Example: `[item for item in labels.items if held_out(item.case)]`.
    """
    return int(hashlib.sha256(f"held-out:{case}".encode()).hexdigest()[:8], 16) / 2**32 < share
