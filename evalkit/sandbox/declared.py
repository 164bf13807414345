"""What a suite's tools declare of themselves, read from their source without executing it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from evalkit.sandbox.tools import Tier

TIERS: tuple[Tier, ...] = ("read", "write", "money")


@dataclass(frozen=True)
class Declared:
    """A tool as its source declares it: tier, the tables that it may change, and its parameters."""

    name: str
    tier: Tier
    changes: tuple[str, ...]
    parameters: tuple[str, ...]
    file: str
    line: int


def declared_tools(files: Mapping[str, str]) -> dict[str, Declared]:
    """The tools that stand in a suite's files, by name. Raises SyntaxError where a file of them is no Python."""
    found: dict[str, Declared] = {}
    for path in sorted(files):
        if not (path.startswith("tools/") and path.endswith(".py")):
            continue
        for node in ast.parse(files[path], path).body:
            if isinstance(node, ast.FunctionDef) and (tool := _tool(node, path)):
                found.setdefault(tool.name, tool)
    return found


def _tool(node: ast.FunctionDef, path: str) -> Declared | None:
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        named = call.func if call else decorator
        name = named.attr if isinstance(named, ast.Attribute) else getattr(named, "id", "")
        if name in TIERS:
            parameters = tuple(each.arg for each in (*node.args.args[1:], *node.args.kwonlyargs))
            return Declared(node.name, name, _changes(call), parameters, path, node.lineno)
    return None


def _changes(call: ast.Call | None) -> tuple[str, ...]:
    for keyword in call.keywords if call else ():
        if keyword.arg == "changes" and isinstance(keyword.value, ast.List | ast.Tuple | ast.Set):
            return tuple(each.value for each in keyword.value.elts if isinstance(each, ast.Constant))
    return ()
