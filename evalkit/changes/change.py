"""One change of a suite, and how two values read beside each other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evalkit.cases import Amendment

# So much of a value is shown, with so much before the place where it begins to differ.
_SHOWN = 60
_BEFORE = 15
ABSENT = "absent"


@dataclass(frozen=True)
class Change:
    """Something that differs between two states of a suite and could change a verdict.

    `what` is the key by which an amendment names it, `says` what differs, for people. `owner` is whoever must amend it,
    None where anybody may; `amended_by` the entry that does, None where there is none. `lifts_must_pass` says that a
    must-pass case is none any more.
    """

    what: str
    says: str
    owner: str | None = None
    amended_by: Amendment | None = None
    lifts_must_pass: bool = False


def differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each key whose values differ, with both of them in words; values are plain JSON, compared as such.

    Example: ("must_pass", "true → false"). A key that one side lacks is absent there, which differs from null.
    """
    for key in dict.fromkeys((*before, *after)):
        old, new = (_text(side[key]) if key in side else ABSENT for side in (before, after))
        if old != new:
            yield key, between(old, new)


def between(old: str, new: str) -> str:
    """Two texts as 'old → new', shortened to where they differ."""
    same = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    start = min(len(old), len(new)) if same is None else same
    cut = max(0, start - _BEFORE) if max(len(old), len(new)) > _SHOWN else 0
    return f"{_short(old, cut)} → {_short(new, cut)}"


def _short(text: str, cut: int) -> str:
    kept = text[cut : cut + _SHOWN]
    return ("…" if cut else "") + kept + ("…" if len(text) > cut + _SHOWN else "")


def _text(value: Any) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True)


def _plain(value: Any) -> Any:
    """A value in which 412 and 412.0 are one, while 1 and true stay two."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
