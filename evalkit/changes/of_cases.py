"""Changes of cases: what one expects or shows, and those that are gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalkit.cases import Case
from evalkit.changes.change import Change, differing
from evalkit.suite import Suite

# What changes no verdict.
_INERT = ("id", "source", "tags", "incident", "amendments", "reference.human_reply")
_NESTED = ("ticket", "reference", "expect")
# Their order decides nothing.
_SETS = ("must_include", "must_not_include", "expect.tools_forbidden", "expect.confirm_before")


def of_cases(before: Suite, after: Suite) -> Iterator[Change]:
    """Changed and removed cases; drafts are not played, so one that becomes a draft is removed, and so on."""
    for old in before.active:
        new = after.by_id.get(old.id)
        if new is None or new.status == "draft":
            says = "the case is removed" if new is None else "the case is a draft now, and not played"
            yield Change(f"removed/{old.id}", _lost(old, says), old.owner, lifts_must_pass=old.must_pass)
        elif said := "; ".join(f"{key}: {words}" for key, words in differing(_fields(old), _fields(new))):
            lifts = old.must_pass and not new.must_pass
            yield Change(f"case/{old.id}", said, old.owner or new.owner, lifts_must_pass=lifts)


def _lost(case: Case, says: str) -> str:
    return f"{says}; it is must_pass" if case.must_pass else says


def _fields(case: Case) -> dict[str, Any]:
    """All of a case that could change a verdict, by its key; the keys of what it holds as `expect.outcome`."""
    written = case.model_dump(mode="json")
    for key in _NESTED:
        written |= {f"{key}.{name}": value for name, value in (written.pop(key) or {}).items()}
    for key in _INERT:
        written.pop(key, None)
    return {key: sorted(value) if key in _SETS else value for key, value in written.items()}
