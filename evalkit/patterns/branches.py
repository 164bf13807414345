"""An alternative taken apart: its branches, part by part, with groups and repeats made into parts of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from evalkit.patterns.translation import tokens

Part = TypeVar("Part")


def branches(
    source: str,
    part: Callable[[str, str], Part | None],
    group: Callable[[list[list[Part]]], Part],
    repeated: Callable[[Part, str], Part],
) -> list[list[Part]]:
    """The branches of RE2 `source`, each the parts that it is made of.

    `part` makes one of a token's kind and text, None where it leaves nothing; `group` of the branches of a group, and
    `repeated` of a part and the repeat behind it.
    """
    pending = list(tokens(source))[::-1]

    def read() -> list[list[Part]]:
        found: list[list[Part]] = [[]]
        while pending:
            kind, token = pending.pop()
            if kind == "close":
                break
            if kind == "bar":
                found.append([])
            elif kind == "open":
                found[-1].append(group(read()))
            elif kind == "repeat" and found[-1]:
                found[-1].append(repeated(found[-1].pop(), token))
            elif (made := part(kind, token)) is not None:
                found[-1].append(made)
        return found

    return read()
