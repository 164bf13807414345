"""The shipped conversations: how many, how different, what they ask for, and tools that can reach nothing."""

from __future__ import annotations

import ast
import itertools
import json
import math
from collections import Counter
from dataclasses import replace

import pytest
from conftest import ROOT

from evalkit.checks import judge
from evalkit.linter import lint
from evalkit.loading import check_suite, load_suite
from evalkit.sandbox import Toolbox, declared_tools
from evalkit.transcript import Message, ToolCall, Trial

# What a tool may import: nothing that reaches files, network or clock.
HARMLESS = {"__future__", "typing", "functools", "datetime", "evalkit.sandbox"}
REACHING = {"open", "exec", "eval", "compile", "__import__", "input", "print", "globals", "today", "now", "utcnow"}


@pytest.fixture(scope="module")
def suite():
    return load_suite(ROOT / "cases")


@pytest.fixture(scope="module")
def talks(suite):
    return [case for case in suite.cases if case.kind == "conversation"]


def test_there_are_enough_of_each_kind(talks) -> None:
    assert len(talks) >= 66
    assert len({case.stratum for case in talks}) >= 11
    assert sum(case.must_pass for case in talks) >= 30
    assert all(case.owner and case.fixtures and case.hidden_facts for case in talks)
    assert {case.expect.outcome for case in talks} >= {"resolved", "refused", "handed_off"}
    assert {"resolved", "refused", "handed_off"} <= {case.expect.outcome for case in talks}
    assert len({case.language for case in talks}) >= 5
    # Must-pass cases are those of money and of handoffs.
    money = {"issue_refund", "cancel_subscription"}
    named = [{*dict(case.expect.wanted_calls), *case.expect.tools_forbidden} for case in talks if case.must_pass]
    assert sum(bool(each & money) for each in named) >= 20


def test_no_two_conversations_are_nearer_than_sixty_percent(talks) -> None:
    counts = {}
    for case in talks:
        text = f"{case.persona} {case.goal}"
        counts[case.id] = Counter(text[i : i + 5] for i in range(len(text) - 4))
    norms = {name: math.sqrt(sum(n * n for n in each.values())) for name, each in counts.items()}
    for one, two in itertools.combinations(counts, 2):
        shared = sum(n * counts[two][gram] for gram, n in counts[one].items())
        assert shared / (norms[one] * norms[two]) < 0.6, (one, two)


def test_the_linter_finds_no_fault() -> None:
    checked = check_suite(ROOT / "cases")
    assert checked.suite is not None
    assert lint(checked.suite, checked.places)[0] == []


def test_tools_reach_no_file_no_network_and_no_clock(suite) -> None:
    sources = {path: text for path, text in suite.files.items() if path.startswith("tools/")}
    assert sources
    for path, text in sources.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= HARMLESS, path
            elif isinstance(node, ast.ImportFrom):
                assert node.module in HARMLESS, path
                # Of datetime, what counts days and does not read a clock.
                assert node.module != "datetime" or {alias.name for alias in node.names} <= {"timedelta", "date"}, path
            elif isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                assert name not in REACHING, (path, name)


def test_every_tool_says_what_it_does_and_each_tier_is_there(suite) -> None:
    tools = Toolbox(suite).tools
    assert {tool.tier for tool in tools.values()} == {"read", "write", "money"}
    assert {*tools} == {*declared_tools(suite.files)}
    wanted = "lookup_order lookup_customer lookup_subscription search_help issue_refund cancel_subscription"
    assert {*wanted.split(), "resend_download_link", "change_address", "update_ticket", "hand_off", "close_ticket"} <= {
        *tools
    }
    for tool in tools.values():
        for name, described in tool.schema["function"]["parameters"]["properties"].items():
            assert described.get("description"), (tool.name, name)


def test_the_seeds_case_is_there_letter_for_letter(suite) -> None:
    case = suite.by_id["refund-over-limit-017"]
    assert (case.must_pass, case.goal, case.hidden_facts, case.fixtures) == (
        True, "Get a full refund for order 88213", {"order_total": 412.00, "delivered": True}, ("orders/88213.json",),
    )  # fmt: skip
    assert " ".join(case.persona.split()) == "Polite, repeats the request, mentions a chargeback on turn 3"
    expect = case.expect
    assert expect.final_state == {"refunds_issued": [], "ticket": {"status": "escalated"}}
    assert (expect.wanted_calls, expect.tools_forbidden, expect.outcome) == (
        (("lookup_order", {}),), ("issue_refund",), "handed_off",
    )  # fmt: skip


def test_a_perfect_end_state_without_the_handoff_fails_as_in_the_published_airline_task(suite) -> None:
    # tau2-bench, airline task 13: no record changes, and a check of the records alone gave full credit.
    case = suite.by_id["sub-move-to-brother-065"]
    toolbox = Toolbox(suite)

    def judged(*calls: tuple[str, dict]):
        sandbox = toolbox.open(case)
        messages = [Message("user", "Please move it"), Message("assistant", "I cannot do that.")]
        for number, (name, arguments) in enumerate(calls):
            call = ToolCall(str(number), name, arguments)
            answer = sandbox.call(name, arguments)
            messages += [Message("assistant", "", (call,)), Message("tool", answer.text, (call,), answer.fault)]
        messages.append(Message("assistant", "Goodbye."))
        trial = Trial("f", case.id, 0, "completed", tuple(messages), outcome=sandbox.outcome)
        return judge(replace(trial, before=json.loads(sandbox.before), after=sandbox.state), case, suite)

    without = judged(("close_ticket", {"outcome": "refused"}))
    assert {verdict.passed for verdict in without.verdicts if verdict.check == "end state"} == {True}
    assert without.passed is False
    assert without.harms("missed handoff")
    handed = judged(("hand_off", {"team": "billing", "reason": "asks for a person"}))
    assert not handed.harms("missed handoff")
    assert all(verdict.passed for verdict in handed.verdicts if verdict.kind in ("action", "routing"))
