"""Changes of the suite: what could change a verdict needs an amendment, or the gate names it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evalkit.gate.decision import Note, Reason
from evalkit.gate.scope import Scope
from evalkit.shown import one_line

if TYPE_CHECKING:
    from evalkit.changes import Change

LONGEST = 400


def reasons(scope: Scope) -> Iterator[Reason]:
    """A reason for each change without an amendment, and one where the baseline's own suite is not at hand."""
    if scope.baseline is not None and scope.baseline.own_suite and scope.after is not None:
        says = f"{scope.baseline.own_suite}, so what has changed since is not known; load it with its own suite"
        yield Reason("amendment", "suite", says, measured=False)
    for change in scope.changes:
        if change.amended_by is None:
            yield Reason("amendment", change.what, f"{_said(change)}; {_to_write(change)}")


def notes(scope: Scope) -> Iterator[Note]:
    """The changes that were amended, by whom and why."""
    for change in scope.changes:
        if (by := change.amended_by) is not None:
            says = one_line(f"{_said(change)}; amended by {by.who} ({by.when}): {by.why}", LONGEST)
            yield Note("amendment", change.what, says)


def _said(change: Change) -> str:
    return one_line(f"{change.what} has changed: {change.says}", LONGEST)


def _to_write(change: Change) -> str:
    kind, _, name = change.what.partition("/")
    who = one_line(change.owner) if change.owner else "…"
    if kind == "case":
        return f"no amendment says why: write {{who: {who}, when: YYYY-MM-DD, why: …}} under `amendments` of {name}"
    entry = f"{{who: {who}, when: YYYY-MM-DD, why: …, what: [{change.what}]}}"
    return f"no amendment says why: write {entry} in amendments.yaml"
