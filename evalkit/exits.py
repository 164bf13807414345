"""What an exit code means: `python -m evalkit.exits CODE` says it in a line."""

from __future__ import annotations

import sys

EXITS = {
    0: "done",
    1: "invalid input, or blocked",
    2: "wrong usage",
    3: "budget reached; what was played is kept",
    4: "incomplete: some slots were not measured",
    130: "interrupted; the same command goes on from here",
}


def said(code: int) -> str:
    """The line that says an exit code: `exit 4: incomplete: …`."""
    return f"exit {code}: {EXITS.get(code, 'ended by a signal' if code > 128 else 'failed')}"


if __name__ == "__main__":
    print(said(int(sys.argv[1])))
