"""The sandbox's state: the tables that a case's fixtures open with, and how a conversation ended by them."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

from evalkit.cases import Case
from evalkit.errors import Fault, FixtureError
from evalkit.suite import Suite
from evalkit.transcript import Outcome

OPEN = ("open", "pending")
ENDED: dict[str, Outcome] = {"escalated": "handed_off", "resolved": "resolved", "refused": "refused"}
CUSTOMERS = "customers"
OWN = ("refunds_issued", "ticket")


def opening(case: Case, suite: Suite) -> dict[str, Any]:
    """The state that every trial of a conversation begins with, as plain JSON values.

    The first fixture is the customer's own: it says who writes. Raises FixtureError where a fixture holds no record.
    """
    state: dict[str, Any] = {}
    writer: str | None = None
    for number, fixture in enumerate(case.fixtures):
        table, name = place_of(fixture)
        record = {**record_of(suite, fixture), "id": name}
        state.setdefault(table, {})[name] = record
        if number == 0:
            writer = owner_of(table, record)
    return {**state, "refunds_issued": [], "ticket": {"status": "open", "customer": writer}}


def place_of(fixture: str) -> tuple[str, str]:
    """The table and the id of the record that a fixture's path names: orders/88213.json is order 88213."""
    path = PurePosixPath(fixture)
    return (path.parts[0] if len(path.parts) > 1 else "records"), path.stem


def record_of(suite: Suite, fixture: str) -> dict[str, Any]:
    """The record of a fixture. Raises FixtureError where it is missing, no JSON object, or takes a name of its own."""
    path = f"fixtures/{fixture}"
    label = suite.label(path)
    try:
        found = json.loads(suite.files[path])
    except KeyError:
        raise FixtureError([Fault(label, None, "", "is missing")]) from None
    except ValueError as error:
        raise FixtureError([Fault(label, getattr(error, "lineno", 1), "", f"is no JSON: {error}")]) from None
    if not isinstance(found, dict):
        raise FixtureError([Fault(label, 1, "", "holds no record; write one JSON object")])
    if place_of(fixture)[0] in OWN:
        raise FixtureError(
            [Fault(label, 1, "", f"{' and '.join(OWN)} are the sandbox's own; name the table otherwise")]
        )
    return found


def owner_of(table: str, record: dict[str, Any]) -> str | None:
    """The customer to whom a record belongs; None where it names nobody."""
    owner = record.get("id") if table == CUSTOMERS else record.get("customer")
    return None if owner is None else str(owner)


def outcome_of(state: dict[str, Any]) -> Outcome:
    """How a conversation ended for the customer, by its ticket's status."""
    ticket = state.get("ticket")
    status = ticket.get("status") if isinstance(ticket, dict) else None
    return ENDED.get(status, "unfinished") if isinstance(status, str) else "unfinished"
