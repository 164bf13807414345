"""What a grader is given, read from its two messages: criteria, menu, turns and golden answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evalkit.offline.grading.address import rid, speaks
from evalkit.offline.grading.wanted import in_entries, is_entry

_NONCE = re.compile(r"\[BEGIN DATA ([0-9a-f]{8,64})\]")
_ENTRY = re.compile(r"- (.+?): (.*)")
_ALONE = re.compile(r"^Grade the agent's answer number (\d+) alone", re.MULTILINE)
_ROLES = ("customer", "agent", "call", "result")


@dataclass(frozen=True)
class Line:
    """One turn of the transcript; `number` counts the agent's answers from 1, those that were left out too."""

    role: str
    text: str
    tool: str = ""
    number: int = 0

    @cached_property
    def kept(self) -> str:
        """The text without what speaks to a grader."""
        return rid(self.text, rest=self.role == "agent")


@dataclass(frozen=True)
class Sheet:
    """A grader's task; `alone` is the number of the one answer that is graded, from 1, or None for the whole."""

    criteria: tuple[tuple[str, str], ...]
    menu: tuple[str, ...]
    lines: tuple[Line, ...]
    golden: str
    alone: int | None

    @cached_property
    def graded(self) -> tuple[Line, ...]:
        """The agent's messages that are graded."""
        said = tuple(line for line in self.lines if line.role == "agent")
        return tuple(line for line in said if self.alone in (None, line.number))

    @cached_property
    def said(self) -> str:
        """All that the agent said, as it was said: what speaks against it is looked for here."""
        return "\n\n".join(line.text for line in self.graded)

    @cached_property
    def kept(self) -> str:
        """What the agent said to the customer: what speaks for it is looked for here."""
        return "\n\n".join(line.kept for line in self.graded)


def read_sheet(system: str, user: str) -> Sheet:
    """The task that a grader's two messages tell of; raises ValueError where they tell of none."""
    criteria, menu, nonce = _asked(system)
    lines = user.split("\n")
    data = [_plain(line) for line in _between(lines, f"[BEGIN DATA {nonce}]", f"[END DATA {nonce}]")]
    golden = [_plain(line) for line in _between(lines, f"[BEGIN GOLDEN {nonce}]", f"[END GOLDEN {nonce}]")]
    alone = _ALONE.search(lines[-1] if lines else "")
    return Sheet(
        criteria,
        menu,
        tuple(_lines(data)),
        _golden("\n".join(str(part.get("text") or "") for part in golden)),
        int(alone[1]) if alone else None,
    )


def _golden(text: str) -> str:
    """A golden answer without what speaks to a grader; what a case expects, in entries, is its own words.

    An entry's line in a golden answer is none of its facts.
    """
    lines = text.split("\n")
    if not in_entries(text):
        return rid("\n".join(line for line in lines if not is_entry(line)), rest=False)
    return "\n".join(line for line in lines if is_entry(line) or not speaks(line))


def _lines(data: list[dict[str, Any]]) -> Iterator[Line]:
    answers = 0
    for turn in data:
        role, number = turn.get("role"), turn.get("number")
        if role in _ROLES:
            answers += role == "agent"
            own = number if isinstance(number, int) else answers
            yield Line(role, str(turn.get("text") or ""), str(turn.get("tool") or ""), own if role == "agent" else 0)


def _asked(system: str) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...], str]:
    """The criteria, the menu and the nonce's pattern; the rendered rubric comes last, after the suite's own prose."""
    _, heading, rubric = f"\n{system}".rpartition("\n# Criteria\n")
    asks, _, rest = rubric.partition("\n# Verdicts\n")
    means, _, reply = rest.partition("\n# Reply\n")
    criteria = tuple((match[1], match[2]) for match in map(_ENTRY.match, asks.split("\n")) if match)
    menu = tuple(match[1] for match in map(_ENTRY.match, means.split("\n")) if match)
    nonce = _NONCE.search(reply)
    if not (heading and criteria and menu and nonce):
        raise ValueError(
            "an offline grader needs a grader's prompt: # Criteria, # Verdicts, # Reply and the data lines"
        )
    return criteria, menu, nonce[1]


def _between(lines: list[str], first: str, last: str) -> Iterator[str]:
    inside = False
    for line in lines:
        if line == last:
            return
        if inside:
            yield line
        inside = inside or line == first


def _plain(line: str) -> dict[str, Any]:
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
