"""The end state as it is read: each expected field beside what was found, and what a conversation changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evalkit.checks import differences
from evalkit.checks.endstate import ABSENT


@dataclass(frozen=True)
class Field:
    """A field of the expected end state. `actual` is ABSENT where there is no such field."""

    path: str
    expected: Any
    actual: Any
    right: bool


@dataclass(frozen=True)
class Change:
    """A field that is not as it was; `before` or `after` is ABSENT where there was or is no such field."""

    path: str
    before: Any
    after: Any


def fields(expected: Any, actual: Any) -> tuple[Field, ...]:
    """Every field that is expected, in the order of the expectation; right or not by the rules of the check."""
    return tuple(_fields("", expected, actual))


def changes(before: Any, after: Any) -> tuple[Change, ...]:
    """What differs between two states, field by field; what was added to a list is told item by item."""
    return tuple(_changes("", before, after))


def _fields(path: str, expected: Any, actual: Any) -> Iterator[Field]:
    if isinstance(expected, Mapping) and isinstance(actual, Mapping) and expected:
        for key, value in expected.items():
            yield from _fields(_below(path, key), value, actual.get(key, ABSENT))
        return
    found = differences(expected, actual)
    if not found:
        yield Field(path, expected, actual, True)
    for each in found:
        # The path of an item begins with its bracket.
        inner = each.path if not each.path or each.path.startswith("[") else f".{each.path}"
        yield Field(f"{path}{inner}", each.expected, each.actual, False)


def _changes(path: str, before: Any, after: Any) -> Iterator[Change]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*before, *after)):
            yield from _changes(_below(path, key), before.get(key, ABSENT), after.get(key, ABSENT))
    elif isinstance(before, list) and isinstance(after, list) and before and len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _changes(f"{path}[{place}]", one, other)
    elif isinstance(before, list) and isinstance(after, list) and after[: len(before)] == before:
        for place in range(len(before), len(after)):
            yield Change(f"{path}[{place}]", ABSENT, after[place])
    elif before != after or isinstance(before, bool) != isinstance(after, bool):
        yield Change(path, before, after)


def _below(path: str, key: Any) -> str:
    return f"{path}.{key}" if path else str(key)
