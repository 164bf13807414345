"""The tools of a suite, loaded from its own code, and the sandbox in which one trial calls them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

from evalkit.cases import Case
from evalkit.errors import Fault, FixtureError
from evalkit.sandbox.schemas import BadArguments, Tool, tool_of
from evalkit.sandbox.state import OPEN, opening, outcome_of
from evalkit.sandbox.tools import MARK, Records, ToolError
from evalkit.suite import Suite
from evalkit.transcript import Outcome

# Characters of a result that an agent is shown; more than any record of a customer holds.
MAX_RESULT = 50_000


@dataclass(frozen=True)
class Answer:
    """What a tool's call gives the agent, as JSON text; `fault` says why it did nothing, '' where it was done.

    `received` are the arguments as the tool got them, converted and with its defaults; None where it got none.
    """

    text: str
    fault: Literal["", "unknown tool", "bad arguments", "tool error"] = ""
    received: Mapping[str, Any] | None = None


class Toolbox:
    """The tools of a suite. Its code is executed, so this is made only where a suite is played."""

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self.tools: dict[str, Tool] = {}
        for path in sorted(suite.files):
            if path.startswith("tools/") and path.endswith(".py"):
                self._load(path, suite.files[path])

    @property
    def schemas(self) -> list[Mapping[str, Any]]:
        """The tools as OpenAI's API writes them."""
        return [tool.schema for tool in self.tools.values()]

    def open(self, case: Case) -> Sandbox:
        """A sandbox with the case's records, fresh for one trial."""
        return Sandbox(self, opening(case, self.suite))

    def _load(self, path: str, source: str) -> None:
        label = self.suite.label(path)
        module = ModuleType(f"evalkit_tools_{len(self.tools)}_{path[6:-3].replace('/', '_')}")
        # Type hints are looked up in the module that a function names.
        sys.modules[module.__name__] = module
        try:
            exec(compile(source, label, "exec"), module.__dict__)  # noqa: S102 - the suite's own, trusted code
        except Exception as error:
            line = error.lineno if isinstance(error, SyntaxError) else None
            raise FixtureError(
                [Fault(label, line, "", f"cannot be loaded: {type(error).__name__}: {error}")]
            ) from error
        for name, value in vars(module).items():
            if hasattr(value, MARK) and getattr(value, "__module__", None) == module.__name__:
                if name in self.tools:
                    raise FixtureError([Fault(label, None, f"tool {name}", "is written twice; give it another name")])
                self.tools[name] = tool_of(value)


class Sandbox:
    """The records of one trial, and the one way to change them."""

    def __init__(self, toolbox: Toolbox, state: Mapping[str, Any]) -> None:
        self._toolbox = toolbox
        # Kept as text: what a tool was handed can be changed by it, and this cannot.
        self._state = json.dumps(state)
        self.before = self._state

    @property
    def state(self) -> dict[str, Any]:
        """A copy of the records as they stand."""
        return json.loads(self._state)

    @property
    def ended(self) -> bool:
        """Whether the ticket is no longer open."""
        ticket = self.state.get("ticket")
        return not (isinstance(ticket, dict) and ticket.get("status") in OPEN)

    @property
    def outcome(self) -> Outcome:
        """How the conversation stands for the customer."""
        return outcome_of(self.state)

    def call(self, name: str, arguments: Any) -> Answer:
        """Calls a tool; whatever goes wrong is told to the agent and changes nothing."""
        tool = self._toolbox.tools.get(name)
        if tool is None:
            return _error(f"there is no tool {name!r}; there are: {', '.join(self._toolbox.tools)}", "unknown tool")
        try:
            given = tool.arguments(arguments)
        except BadArguments as error:
            return _error(str(error), "bad arguments")
        suite = self._toolbox.suite
        policy = suite.settings.policy.model_dump(mode="json")
        records = Records(self.state, suite.settings.today, policy, suite.articles)
        try:
            result = json.dumps(tool.function(records, **given), ensure_ascii=False, allow_nan=False)
            after = json.dumps(dict(records), allow_nan=False)
        except ToolError as error:
            return _error(str(error), "tool error")
        except Exception as error:  # noqa: BLE001
            # A fault of the suite's code must not end the run; it is recorded, and stands in the transcript.
            return _error(f"{type(error).__name__}: {error}", "tool error")
        undeclared = _changed(self.state, json.loads(after)) - {*tool.changes}
        if undeclared:
            return _error(f"{name} changed {_listed(undeclared)}, which it does not declare", "tool error")
        if len(result) > MAX_RESULT:
            return _error(f"the result is longer than {MAX_RESULT:,} characters", "tool error")
        self._state = after
        return Answer(result, received=given)


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> set[str]:
    return {table for table in {*before, *after} if before.get(table) != after.get(table)}


def _listed(names: Sequence[str] | set[str]) -> str:
    return ", ".join(sorted(names))


def _error(message: str, fault: Literal["unknown tool", "bad arguments", "tool error"]) -> Answer:
    return Answer(json.dumps({"error": message[:2_000]}, ensure_ascii=False), fault)
