"""The sandbox: records of a trial's own, tools from signature and docstring, and nothing changed by a call that failed."""

from __future__ import annotations

import asyncio
import json

import pytest

from evalkit.errors import FixtureError
from evalkit.loading import load_suite
from evalkit.sandbox import Records, Sandbox, Toolbox, ToolError, declared_tools, money, read, tool_of, write

CASE = """
- id: refund-1
  persona: Polite.
  goal: A refund
  fixtures: [orders/88213.json, customers/C-1.json]
  expect: {outcome: handoff}
"""
TOOLS = '''
from typing import Literal
from evalkit.sandbox import Records, ToolError, money, read, write


@read
def lookup_order(records: Records, order: str) -> dict:
    """Look an order up.

    order: the order's number
    """
    if order not in records["orders"]:
        raise ToolError(f"no order {order}")
    return records["orders"][order]


@money(changes=["refunds_issued"])
def issue_refund(records: Records, order: str, amount: float, reason: str = "") -> dict:
    """Refund part of an order."""
    records["refunds_issued"].append({"order": order, "amount": amount})
    return {"refunded": amount, "today": str(records.today), "limit": records.policy["refund_limit_usd"]}


@write(changes=["ticket"])
def hand_off(records: Records, team: Literal["billing", "dev"]) -> dict:
    """Hand the customer to a person."""
    records["ticket"] |= {"status": "escalated", "team": team}
    return {"team": team}


@write(changes=["ticket"])
def reaches_too_far(records: Records) -> dict:
    """Changes what it does not declare."""
    records["orders"]["88213"]["total"] = 0
    return {}


@write(changes=["orders"])
def breaks(records: Records) -> dict:
    """Changes, then fails."""
    records["orders"].clear()
    return {"x": 1 / 0}


def helper():
    return 1
'''
FILES = {
    "talks/t.yaml": CASE,
    "tools/desk.py": TOOLS,
    "fixtures/orders/88213.json": '{"customer": "C-1", "total": 412.0}',
    "fixtures/customers/C-1.json": '{"name": "Ada"}',
    "suite.yaml": "name: desk\ntoday: 2026-11-16\npolicy: {refund_limit_usd: 100}\n",
}


@pytest.fixture
def suite(write):
    return load_suite(write(FILES, base=False))


@pytest.fixture
def sandbox(suite) -> Sandbox:
    return Toolbox(suite).open(suite.cases[0])


def said(answer) -> dict:
    return json.loads(answer.text)


def test_a_sandbox_opens_with_the_records_and_the_first_says_who_writes(sandbox: Sandbox) -> None:
    assert sandbox.state == {
        "orders": {"88213": {"customer": "C-1", "total": 412.0, "id": "88213"}},
        "customers": {"C-1": {"name": "Ada", "id": "C-1"}},
        "refunds_issued": [],
        "ticket": {"status": "open", "customer": "C-1"},
    }
    assert (sandbox.ended, sandbox.outcome) == (False, "unfinished")


def test_a_tool_reads_changes_and_ends_what_it_declares(sandbox: Sandbox) -> None:
    assert said(sandbox.call("lookup_order", {"order": "88213"}))["total"] == 412.0
    assert said(sandbox.call("issue_refund", {"order": 88213, "amount": "25"})) == {
        "refunded": 25.0, "today": "2026-11-16", "limit": 100.0,
    }  # fmt: skip
    assert sandbox.state["refunds_issued"] == [{"order": "88213", "amount": 25.0}]
    assert not sandbox.ended
    assert sandbox.call("hand_off", {"team": "dev"}).fault == ""
    assert (sandbox.ended, sandbox.outcome, sandbox.state["ticket"]["team"]) == (True, "handed_off", "dev")
    assert json.loads(sandbox.before)["refunds_issued"] == []


@pytest.mark.parametrize(
    ("name", "arguments", "fault", "message"),
    [
        ("no_such", {}, "unknown tool", "there are: lookup_order, issue_refund, hand_off"),
        ("lookup_order", {}, "bad arguments", "order: Field required"),
        ("lookup_order", {"order": "1", "more": 2}, "bad arguments", "more"),
        ("lookup_order", "{not json", "bad arguments", "no JSON object"),
        ("issue_refund", {"order": "1", "amount": "much"}, "bad arguments", "amount"),
        ("hand_off", {"team": "sales"}, "bad arguments", "team"),
        ("lookup_order", {"order": "1"}, "tool error", "no order 1"),
        ("reaches_too_far", {}, "tool error", "changed orders, which it does not declare"),
        ("breaks", {}, "tool error", "ZeroDivisionError"),
    ],
)
def test_a_call_that_fails_is_told_to_the_agent_and_changes_nothing(
    sandbox: Sandbox, name: str, arguments, fault: str, message: str
) -> None:
    before = sandbox.state
    answer = sandbox.call(name, arguments)
    assert answer.fault == fault
    assert message in said(answer)["error"]
    assert sandbox.state == before


def test_what_a_caller_does_to_a_copy_of_the_state_changes_nothing(sandbox: Sandbox) -> None:
    sandbox.state["orders"].clear()
    assert "88213" in sandbox.state["orders"]


def test_two_trials_never_share_state_at_concurrency_32(suite) -> None:
    toolbox = Toolbox(suite)

    async def trial(number: int) -> list[float]:
        sandbox = toolbox.open(suite.cases[0])
        for _ in range(5):
            sandbox.call("issue_refund", {"order": "88213", "amount": number})
            await asyncio.sleep(0)
        return [each["amount"] for each in sandbox.state["refunds_issued"]]

    async def all_at_once() -> list[list[float]]:
        return await asyncio.gather(*(trial(number) for number in range(32)))

    assert asyncio.run(all_at_once()) == [[number] * 5 for number in range(32)]


def test_a_schema_is_what_signature_and_docstring_say(suite) -> None:
    (schema,) = [each for each in Toolbox(suite).schemas if each["function"]["name"] == "lookup_order"]
    assert schema == {
        "type": "function",
        "function": {
            "name": "lookup_order",
            "description": "Look an order up.",
            "parameters": {
                "type": "object",
                "properties": {"order": {"type": "string", "description": "the order's number"}},
                "required": ["order"],
            },
        },
    }
    (hand_off,) = [each for each in Toolbox(suite).schemas if each["function"]["name"] == "hand_off"]
    assert hand_off["function"]["parameters"]["properties"]["team"]["enum"] == ["billing", "dev"]


def test_a_tool_that_says_nothing_of_itself_is_a_fault() -> None:
    @read
    def silent(records: Records, order) -> dict:  # noqa: ARG001
        return {}

    @read
    def drifts(records: Records) -> dict:  # noqa: ARG001
        """Look up.

        order: a parameter that is gone
        """
        return {}

    with pytest.raises(FixtureError) as found:
        tool_of(silent)
    assert "has no docstring" in str(found.value)
    assert "parameter 'order' has no type" in str(found.value)
    with pytest.raises(FixtureError, match="says 'order' of no parameter"):
        tool_of(drifts)


def test_what_tools_declare_is_read_without_executing_them(suite) -> None:
    found = declared_tools({**suite.files, "tools/evil.py": "raise SystemExit('executed')\n"})
    assert {name: (each.tier, each.changes) for name, each in found.items()} == {
        "lookup_order": ("read", ()),
        "issue_refund": ("money", ("refunds_issued",)),
        "hand_off": ("write", ("ticket",)),
        "reaches_too_far": ("write", ("ticket",)),
        "breaks": ("write", ("orders",)),
    }
    assert found["issue_refund"].parameters == ("order", "amount", "reason")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"fixtures/orders/88213.json": "[1]"}, "holds no record"),
        ({"fixtures/orders/88213.json": "{"}, "88213.json"),
        ({"tools/desk.py": "def f(:"}, "SyntaxError"),
        ({"tools/more.py": TOOLS}, "is written twice"),
    ],
)
def test_a_broken_fixture_or_tool_is_a_fault_with_its_file(write, files: dict[str, str], message: str) -> None:
    from evalkit.loading import check_suite

    folder = write({**FILES, **files}, base=False)
    checked = check_suite(folder)
    if checked.suite is None:
        assert message in " ".join(map(str, checked.faults))
        return
    with pytest.raises(FixtureError, match=message):
        Toolbox(checked.suite)


def test_marks_are_kept() -> None:
    @money(changes=["a"])
    def pay(records: Records) -> dict:  # noqa: ARG001
        """Pay."""
        raise ToolError("no")

    @write(changes=("b",))
    def note(records: Records) -> dict:  # noqa: ARG001
        """Note."""
        return {}

    assert [(each.tier, each.changes) for each in map(tool_of, (pay, note))] == [("money", ("a",)), ("write", ("b",))]
