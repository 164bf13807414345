"""The labelling guide: the rules that raters follow, under a heading for each criterion."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from evalkit.labels.writing import replace

GUIDE = "guide.md"
_HEADING = re.compile(r"^#{1,6} ")
_BULLET = re.compile(r"^[-*] +")


def rules_of(text: str) -> dict[str, tuple[str, ...]]:
    """The rules of a guide by criterion: the items of the list below each heading `## criterion`."""
    found: dict[str, list[str]] = {}
    here: list[str] | None = None
    for line in text.splitlines():
        if _HEADING.match(line):
            here = found.setdefault(line[3:].strip(), []) if line.startswith("## ") else None
        elif here is not None and _BULLET.match(line):
            here.append(_BULLET.sub("", line).strip())
        elif here and line.startswith("  ") and line.strip():
            here[-1] += f" {line.strip()}"
    return {criterion: tuple(rules) for criterion, rules in found.items()}


def with_rules(text: str, rules: Iterable[tuple[str, str]]) -> str:
    """The guide with each (criterion, rule) that it has not yet, at the end of the criterion's list.

    A rule stands once, however it is cased or spaced; a criterion without a heading gets one.
    """
    for criterion, rule in rules:
        line = " ".join(rule.split())
        if not line or _key(line) in map(_key, rules_of(text).get(criterion, ())):
            continue
        lines = text.rstrip().splitlines()
        if f"## {criterion}" not in [each.rstrip() for each in lines]:
            lines += ["", f"## {criterion}"]
        lines.insert(_place(lines, criterion), f"- {line}")
        text = "\n".join(lines) + "\n"
    return text


def add_rules(path: Path, rules: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Write each (criterion, rule) that the guide in a file has not yet into it; those that were new."""
    text = path.read_text("utf-8") if path.is_file() else "# How we label\n"
    new = []
    for each in rules:
        after = with_rules(text, [each])
        if after != text:
            new.append(each)
        text = after
    if new:
        replace(path, text.encode())
    return tuple(new)


def _place(lines: list[str], criterion: str) -> int:
    """Where the next rule of a criterion belongs: behind the last line of its section that is not blank."""
    start = [line.rstrip() for line in lines].index(f"## {criterion}") + 1
    end = next((at for at in range(start, len(lines)) if _HEADING.match(lines[at])), len(lines))
    while end > start and not lines[end - 1].strip():
        end -= 1
    if end == start:
        lines.insert(start, "")
        end += 1
    return end


def _key(rule: str) -> str:
    return " ".join(rule.split()).casefold().rstrip(".")
