"""The embedded graders: heuristics over the two messages that any grader gets, and over nothing else.

This package's sources count for grades alone, not for the agents' trials: a changed grader replays no agent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from evalkit.offline.grading.hand import Hand
from evalkit.offline.grading.marking import marked
from evalkit.offline.grading.sheet import read_sheet

__all__ = ["Hand", "grade", "grader_source"]

_ROLES = ("system", "user")


def grade(model: str, messages: Sequence[Mapping[str, Any]], hand: Hand, seed: int) -> str:
    """The reply of `grader-cheap` or `grader-strong`: the JSON that the prompt asks for.

    `messages` are the call's, `hand` its parameters, `seed` what a wavering hand draws from. Raises ValueError where
    the messages are no grader's: without criteria, verdicts or data.
    """
    said = {role: "\n".join(m.get("content") or "" for m in messages if m["role"] == role) for role in _ROLES}
    sheet = read_sheet(said["system"], said["user"])
    return json.dumps({"criteria": marked(sheet, model == "grader-strong", hand, seed)}, ensure_ascii=False)


@cache
def grader_source() -> str:
    """SHA-256 of the embedded graders' source, and of the folding that they read by."""
    sources = {
        f"{package}/{entry.name}": entry.read_text("utf-8")
        for package in ("folding", "offline.grading")
        for entry in files(f"evalkit.{package}").iterdir()
        if entry.name.endswith(".py")
    }
    return hashlib.sha256(json.dumps(sources, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
