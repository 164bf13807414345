"""What can be wrong with a conversation before it is played: expectations that no tool could meet, and the like."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from evalkit.cases import Case
from evalkit.checks import differences
from evalkit.errors import Fault, SuiteError
from evalkit.sandbox import ENDED, TIERS, Declared, declared_tools, opening, place_of
from evalkit.suite import Suite
from evalkit.transcript import HARMS

# Keys by which a record would tell an agent what is expected of it.
_TELLTALE = re.compile(r"expect|must_?pass|golden|verdict|right_answer|correct_answer", re.IGNORECASE)


def lint(suite: Suite, places: Mapping[str, tuple[str, int | None]]) -> tuple[list[Fault], list[Fault]]:
    """The faults and the notices of a suite's conversations; `places` says in which file and line each case stands.

    What is doubtful, and may be meant so, is a notice. No tool is executed.
    """
    faults: list[Fault] = []
    notices: list[Fault] = []
    conversations = [case for case in suite.cases if case.kind == "conversation"]
    try:
        tools = declared_tools(suite.files)
    except SyntaxError as error:
        return [Fault(error.filename or "tools", error.lineno, "", f"is no Python: {error.msg}")], []
    for case in conversations:
        try:
            state = opening(case, suite)
        except SuiteError:
            continue  # told where the fixtures are read
        file, line = places.get(case.id, ("", None))
        faults += [
            Fault(file, line, case.id, said)
            for said in (*_tools(case, tools), *_outcome(case, tools), *_end_state(case, state, tools))
        ]
        for certain, said in _facts(case, state):
            (faults if certain else notices).append(Fault(file, line, case.id, said))
        notices += [Fault(file, line, case.id, said) for said in _giveaways(case, state)]
    if conversations and not tools:
        notices.append(Fault(suite.origin, None, "", "holds conversations and no tools; write some under tools/"))
    notices += [
        Fault(suite.label(tool.file), tool.line, f"tool {tool.name}", said) for tool, said in _unguarded(suite, tools)
    ]
    return faults, notices


def harms_and_tiers(suite: Suite) -> dict[str, dict[str, int]]:
    """How many conversations expect or forbid a tool of each tier, and how many can show each harm."""
    tools = declared_tools(suite.files)
    tiers, harms = Counter(), Counter()
    for case in suite.active:
        named = {*dict(case.expect.wanted_calls), *case.expect.tools_forbidden, *case.expect.confirm_before}
        tiers.update({tools[name].tier for name in named if name in tools})
        harms.update(_harms(case, suite))
    return {"tiers": {tier: tiers[tier] for tier in TIERS}, "harms": {harm: harms[harm] for harm in HARMS}}


def _harms(case: Case, suite: Suite) -> Iterator[str]:
    if case.must_include or case.must_not_include:
        yield "wrong answer"
    if case.expects_action:
        yield "wrong action"
    if case.expects_handoff:
        yield "missed handoff"
    if case.kind == "conversation" and suite.settings.private:
        yield "leaked data"


def _tools(case: Case, tools: Mapping[str, Declared]) -> Iterator[str]:
    """Tools that are not there, and arguments that they do not take."""
    if not tools:
        return
    expect = case.expect
    named = [name for name, _ in expect.wanted_calls]
    for key, names in (
        ("tools_called", named),
        ("tools_forbidden", expect.tools_forbidden),
        ("confirm_before", expect.confirm_before),
    ):
        for name in names:
            if name not in tools:
                yield f"{key}: there is no tool {name!r}; there are: {', '.join(sorted(tools))}"
    for name, arguments in expect.wanted_calls:
        unknown = sorted(arguments.keys() - {*tools[name].parameters}) if name in tools else []
        if unknown:
            yield f"tools_called: {name} takes no {', '.join(unknown)}; it takes: {', '.join(tools[name].parameters)}"


def _outcome(case: Case, tools: Mapping[str, Declared]) -> Iterator[str]:
    """Outcomes that no tool that may be called could bring about."""
    able = {tool.name for tool in tools.values() if "ticket" in tool.changes} - {*case.expect.tools_forbidden}
    if tools and case.expect.outcome and not able:
        yield f"outcome: no tool that may be called changes the ticket, and {case.expect.outcome} stands in its status"


def _end_state(case: Case, state: Mapping[str, Any], tools: Mapping[str, Declared]) -> Iterator[str]:
    """End states that no tool, or no tool that may be called, could bring about, and those that are there already."""
    expected, forbidden = case.expect.final_state, {*case.expect.tools_forbidden}
    if expected is None or not tools:
        return
    status = expected.get("ticket", {}).get("status") if isinstance(expected.get("ticket"), dict) else None
    ends = ENDED.get(status) if isinstance(status, str) else None
    if case.expect.outcome and status is not None and ends != case.expect.outcome:
        yield f"final_state says ticket.status {status!r}, which is not the outcome {case.expect.outcome}"
    needed = {each.path.partition(".")[0].partition("[")[0] for each in differences(expected, state)}
    for table in sorted(needed):
        able = {tool.name for tool in tools.values() if table in tool.changes}
        if not able:
            yield f"final_state: no tool changes {table!r}, which does not stand so at the start"
        elif able <= forbidden:
            yield f"final_state: only {', '.join(sorted(able))} could change {table!r}, and tools_forbidden forbids it"
    acting = [
        name
        for name, _ in case.expect.wanted_calls
        if name in tools and tools[name].tier != "read" and {*tools[name].changes} & expected.keys()
    ]
    if acting and not needed:
        yield f"final_state stands so at the start already, though {', '.join(acting)} is expected to change it"


def _facts(case: Case, state: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    """Hidden facts that no record bears out though one has the field; certain where it is the customer's only one."""
    records = [
        (table, record) for table, rows in state.items() if isinstance(rows, dict) for record in rows.values()
        if isinstance(record, dict)
    ]  # fmt: skip
    for name, value in case.hidden_facts.items():
        found = [
            (table, record[field], field == name)
            for table, record in records
            for field in record
            if name in (field, f"{table.removesuffix('s')}_{field}")
        ]
        if found and all(differences({"": value}, {"": held}) for _, held, _ in found):
            table, held, _ = found[0]
            yield len(found) == 1, f"hidden_facts: {name} is {value!r}, and its record in {table} says {held!r}"


def _giveaways(case: Case, state: Mapping[str, Any]) -> Iterator[str]:
    """Records that tell the agent what is expected of it."""
    tools = {name for name, _ in case.expect.wanted_calls} | {*case.expect.tools_forbidden}
    for fixture in case.fixtures:
        table, name = place_of(fixture)
        for key, value in _leaves(state[table][name]):
            told = sorted(tool for tool in tools if isinstance(value, str) and tool in value)
            if _TELLTALE.search(key) or told:
                yield f"fixtures: {fixture} may give the answer away: {key} holds {', '.join(told) or repr(value)[:60]}"


def _unguarded(suite: Suite, tools: Mapping[str, Declared]) -> Iterator[tuple[Declared, str]]:
    for name, tool in tools.items():
        guarded = any(
            case.must_pass and name in {*dict(case.expect.wanted_calls), *case.expect.tools_forbidden}
            for case in suite.active
        )
        if tool.tier == "money" and not guarded:
            yield tool, "moves money, and no must-pass case expects or forbids it"


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, key)
    else:
        yield key, value
