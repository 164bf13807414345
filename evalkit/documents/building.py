"""Values and the lines they stand on, built from what a YAML or a JSON reader meets."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

MAX_DEPTH = 100
MAX_DIGITS = 300
BREAK = re.compile(r"\r\n|\n|\r")
MERGE = object()

_SURROGATE = re.compile("[\ud800-\udfff]")


class Bad(Exception):
    """A fault, or several, on the way to `read`, which knows the file's name."""

    def __init__(self, line: int, message: str, more: Sequence[Bad] = ()) -> None:
        self.line, self.message, self.more = line, message, more
        super().__init__(message)


def line_at(before: str) -> int:
    return len(BREAK.findall(before)) + 1


def short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"


class _Frame:
    """A list or mapping that is being filled; a mapping without a `key` waits for its next one."""

    __slots__ = ("children", "container", "key", "key_line", "line", "merged")

    def __init__(self, container: dict[str, Any] | list[Any], line: int) -> None:
        self.container: Any = container
        self.children: dict[Any, Any] = {}
        self.line = self.key_line = line
        self.key: Any = None
        self.merged: list[tuple[Any, Any]] = []


class Builder:
    """Values and their lines from a flat stream of keys, values, openings and closings."""

    def __init__(self) -> None:
        self.stack = [_Frame([], 1)]

    def wants_key(self) -> bool:
        return self.stack[-1].key is None and isinstance(self.stack[-1].container, dict)

    def result(self) -> tuple[Any, int, Any]:
        """The value, its line, and the lines below it."""
        return self.stack[0].container[0], *self.stack[0].children[0]

    def key(self, key: Any, line: int) -> None:
        frame = self.stack[-1]
        if key in frame.children:
            shown = "<<" if key is MERGE else short(key)
            raise Bad(line, f"the key '{shown}' stands twice (first on line {frame.children[key][0]})")
        frame.key, frame.key_line = key, line

    def add(self, value: Any, line: int, children: Any = None) -> None:
        """A whole value: the next item of a list, or what the last key stands for."""
        frame = self.stack[-1]
        if frame.key is None:
            frame.children[len(frame.container)] = (line, children)
            frame.container.append(value)
            return
        frame.children[frame.key] = (frame.key_line, children)
        if frame.key is MERGE:
            parts = [(value, children)]
            if isinstance(value, list):
                parts = [(item, children[index][1]) for index, item in enumerate(value)]
            if not all(isinstance(part, dict) for part, _ in parts):
                raise Bad(frame.key_line, "'<<' takes a mapping or a list of mappings")
            frame.merged = parts
        else:
            frame.container[frame.key] = value
        frame.key = None

    def open(self, container: dict[str, Any] | list[Any], line: int) -> None:
        if self.wants_key():
            raise Bad(line, "a key must be text; put a value that starts with { or [ in quotes")
        if len(self.stack) > MAX_DEPTH:
            raise Bad(line, f"is nested deeper than {MAX_DEPTH} levels")
        self.stack.append(_Frame(container, line))

    def close(self) -> tuple[Any, Any]:
        """What was opened last, now whole, and the lines below it."""
        frame = self.stack.pop()
        for values, lines in frame.merged:
            for key in [key for key in values if key not in frame.container]:
                frame.container[key], frame.children[key] = values[key], lines[key]
        self.add(frame.container, frame.line, frame.children)
        return frame.container, frame.children


def storable(text: str, line: int) -> str:
    """`text` as it may be stored and encoded: surrogate pairs joined, no halves of them, no NUL."""
    if "\0" in text:
        raise Bad(line, "text holds the character U+0000; remove it")
    if text.isascii() or not _SURROGATE.search(text):
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise Bad(line, "text holds half a character (a lone surrogate); remove it") from None


def whole_number(text: str, line: int) -> int:
    if len(text) > MAX_DIGITS:
        raise Bad(line, f"a number of more than {MAX_DIGITS} digits; put it in quotes")
    return int(text, 0)


def real_number(text: str, line: int) -> float:
    value = float(text)
    if math.isinf(value):
        raise Bad(line, f"the number {short(text)} is too large; put it in quotes")
    return value
