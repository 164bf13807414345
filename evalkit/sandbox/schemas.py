"""A tool as a model is told of it: its JSON schema, taken from the very signature that checks its arguments."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from evalkit.errors import Fault, FixtureError
from evalkit.sandbox.tools import MARK, Mark, Tier

_PARAMETER = re.compile(r"^(\w+): +(.+)$")
# A model that sends 88213 for an order's number means "88213".
_LAX = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


class BadArguments(ValueError):
    """Arguments that a tool does not take; says which, and what it takes."""


@dataclass(frozen=True)
class Tool:
    """One tool of a suite: its function, and what its signature and docstring say of it."""

    name: str
    tier: Tier
    changes: tuple[str, ...]
    schema: Mapping[str, Any]
    function: Callable[..., Any]
    parameters: type[BaseModel]

    def arguments(self, given: Any) -> dict[str, Any]:
        """The arguments of a call, checked and converted; raises BadArguments with every fault."""
        if not isinstance(given, dict):
            raise BadArguments("the arguments are no JSON object")
        try:
            found = self.parameters.model_validate(given)
        except ValidationError as error:
            said = [f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}" for each in error.errors()[:5]]
            raise BadArguments("; ".join(said)) from None
        return {name: getattr(found, name) for name in type(found).model_fields}


def tool_of(function: Callable[..., Any]) -> Tool:
    """The tool that a marked function is. Raises FixtureError where nothing says what it does, or takes."""
    mark: Mark = getattr(function, MARK)
    said, described = _described(function)
    others = [*inspect.signature(function).parameters.values()][1:]
    hints = get_type_hints(function)
    faults = [] if said else ["has no docstring; its first lines tell a model what it does"]
    faults += [f"parameter {each.name!r} has no type" for each in others if each.name not in hints]
    faults += [f"says {name!r} of no parameter" for name in described if name not in {each.name for each in others}]
    if faults:
        file = inspect.getsourcefile(function) or ""
        line = function.__code__.co_firstlineno
        raise FixtureError([Fault(file, line, f"tool {function.__name__}", fault) for fault in faults])
    fields: dict[str, Any] = {
        each.name: (
            hints[each.name],
            Field(... if each.default is each.empty else each.default, description=described.get(each.name)),
        )
        for each in others
    }
    parameters = create_model(f"{function.__name__}_arguments", __config__=_LAX, **fields)
    schema = {
        "type": "function",
        "function": {"name": function.__name__, "description": said, "parameters": _plain(parameters)},
    }
    return Tool(function.__name__, mark.tier, mark.changes, schema, function, parameters)


def _described(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """What a docstring says of a function, and of its parameters."""
    lines = (inspect.getdoc(function) or "").splitlines()
    found = {match[1]: match[2] for line in lines if (match := _PARAMETER.match(line))}
    said = " ".join(line.strip() for line in lines if not _PARAMETER.match(line))
    return " ".join(said.split()), found


def _plain(parameters: type[BaseModel]) -> dict[str, Any]:
    schema = parameters.model_json_schema()
    for each in schema.get("properties", {}).values():
        each.pop("title", None)
    return {"type": "object", **{key: schema[key] for key in ("properties", "required") if key in schema}}
