"""The linter of conversations: each thing that can be wrong, and its opposite."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_sandbox import FILES
from typer.testing import CliRunner

from evalkit.cli import app
from evalkit.linter import lint
from evalkit.loading import check_suite

GOOD = """
id: T
persona: p
goal: g
must_pass: true
hidden_facts: {order_total: 412, total: 412.0, delivered: true}
fixtures: [orders/88213.json]
expect:
  final_state: {ticket: {status: escalated}, refunds_issued: []}
  tools_called: [lookup_order, {hand_off: {team: dev}}]
  tools_forbidden: [issue_refund]
  outcome: handoff
"""


def found(
    write, change: tuple[str, str] = ("", ""), files: dict[str, str] | None = None
) -> tuple[list[str], list[str]]:
    """The faults and notices of the good case with one change."""
    text = GOOD.replace(*change, 1) if change[0] else GOOD
    assert not change[0] or text != GOOD
    checked = check_suite(write({**FILES, "talks/t.yaml": text, **(files or {})}, base=False))
    assert checked.suite is not None, checked.faults
    faults, notices = lint(checked.suite, checked.places)
    assert all(fault.file.endswith("talks/t.yaml") and fault.line == 1 for fault in faults)
    return [each.message for each in faults], [each.message for each in notices]


def test_a_good_case_has_neither_faults_nor_notices(write) -> None:
    assert found(write) == ([], [])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[lookup_order,", "[no_tool,"), "tools_called: there is no tool 'no_tool'; there are: breaks, hand_off"),
        (("[issue_refund]", "[no_tool]"), "tools_forbidden: there is no tool 'no_tool'"),
        (("{team: dev}", "{desk: dev}"), "tools_called: hand_off takes no desk; it takes: team"),
        (("refunds_issued: []", "parcels: [1]"), "final_state: no tool changes 'parcels', which does not stand so at the start"),
        (
            ("[issue_refund]", "[reaches_too_far, issue_refund, hand_off]\n  tools_called: []\n  x: 1"),
            "final_state: only hand_off, reaches_too_far could change 'ticket', and tools_forbidden forbids it",
        ),
        (("status: escalated", "status: open"), "final_state stands so at the start already, though hand_off is expected to change it"),
        (("total: 412.0", "total: 99"), "hidden_facts: total is 99, and its record in orders says 412.0"),
        (("order_total: 412", "order_total: 99"), "hidden_facts: order_total is 99, and its record in orders says 412.0"),
    ],
)  # fmt: skip
def test_each_fault_is_told(write, change: tuple[str, str], message: str) -> None:
    if "x: 1" in change[1]:
        # Everything that could hand over is forbidden, and nothing is expected to be called.
        text = GOOD.replace("  tools_called: [lookup_order, {hand_off: {team: dev}}]\n", "")
        text = text.replace("[issue_refund]", "[issue_refund, reaches_too_far, hand_off]")
        checked = check_suite(write({**FILES, "talks/t.yaml": text}, base=False))
        faults = [each.message for each in lint(checked.suite, checked.places)[0]]
    else:
        faults, _ = found(write, change)
    assert [fault for fault in faults if fault.startswith(message)]
    # What makes an outcome impossible may be told from both of its sides.
    assert all(fault.startswith((message, "outcome: ", "final_state says ticket.status")) for fault in faults)


def test_an_outcome_that_nothing_could_bring_about_or_that_the_end_state_denies_is_a_fault(write) -> None:
    files = {"tools/desk.py": FILES["tools/desk.py"].replace('changes=["ticket"]', 'changes=["notes"]')}
    change = ("  final_state: {ticket: {status: escalated}, refunds_issued: []}\n", "")
    assert found(write, change, files)[0] == [
        "outcome: no tool that may be called changes the ticket, and handed_off stands in its status"
    ]
    assert found(write, ("status: escalated", "status: resolved"))[0] == [
        "final_state says ticket.status 'resolved', which is not the outcome handed_off"
    ]


@pytest.mark.parametrize("record", ['"expected_outcome": "handed_off"', '"note": "call issue_refund at once"'])
def test_a_record_that_tells_what_is_expected_is_a_notice(write, record: str) -> None:
    files = {"fixtures/orders/88213.json": f'{{"customer": "C-1", "total": 412, {record}}}'}
    faults, notices = found(write, files=files)
    assert faults == []
    assert "fixtures: orders/88213.json may give the answer away" in notices[0]


def test_a_fact_that_one_of_several_records_bears_out_is_none_and_one_that_none_does_is_doubtful(write) -> None:
    other = {"fixtures/orders/2.json": '{"customer": "C-1", "total": 99}'}
    both = ("[orders/88213.json]", "[orders/88213.json, orders/2.json]")
    assert found(write, both, other) == ([], [])
    two = {"fixtures/orders/2.json": '{"total": 98}', "fixtures/orders/88213.json": '{"total": 97}'}
    faults, notices = found(write, both, two)
    assert faults == []
    assert len(notices) == 2


def test_a_money_tool_that_no_must_pass_case_names_is_a_notice(write) -> None:
    assert found(write, ("must_pass: true", "must_pass: false"))[1] == [
        "moves money, and no must-pass case expects or forbids it"
    ]


def test_check_prints_cases_by_tier_and_harm_and_fails_on_a_fault(write) -> None:
    folder: Path = write({**FILES, "talks/t.yaml": GOOD}, base=False)
    done = CliRunner().invoke(app, ["check", str(folder)])
    assert done.exit_code == 0
    assert "cases by the tier of the tools that they name: read 1, write 1, money 1" in done.stdout
    assert (
        "cases that can show each harm: wrong answer 0, wrong action 1, missed handoff 1, leaked data 0" in done.stdout
    )
    (folder / "talks/t.yaml").write_text(GOOD.lstrip().replace("[lookup_order,", "[no_tool,"))
    done = CliRunner().invoke(app, ["check", str(folder)])
    assert done.exit_code == 1
    assert "talks/t.yaml:1: T: tools_called: there is no tool 'no_tool'" in done.stderr


def test_check_never_executes_a_tool(write, tmp_path: Path) -> None:
    trap = tmp_path / "executed"
    evil = f"from pathlib import Path\nPath({str(trap)!r}).write_text('x')\n" + FILES["tools/desk.py"]
    folder = write({**FILES, "talks/t.yaml": GOOD, "tools/desk.py": evil}, base=False)
    assert CliRunner().invoke(app, ["check", str(folder)]).exit_code == 0
    assert not trap.exists()
