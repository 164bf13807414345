"""Changes of what cases are judged and played by: patterns, rubrics, records, tools, and what a grader is told."""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Iterator
from typing import Any

from evalkit.changes.change import Change, between, differing
from evalkit.patterns import Pattern, concept_key
from evalkit.suite import Suite


def of_patterns(before: Suite, after: Suite) -> Iterator[Change]:
    """Patterns that a case names and that find something else now.

    A pattern that is new is a change where a case used its name as a literal phrase; one that is gone leaves its name
    as such a phrase. What a pattern means, and its examples, find nothing.
    """
    named = {concept_key(name) for suite in (before, after) for case in suite.active for name in case.assertions}
    literals = {concept_key(name) for case in before.active for name in case.assertions}
    old, new = (
        {key: (name, each) for name, each in suite.patterns.items() if (key := concept_key(name)) in named}
        for suite in (before, after)
    )
    for key, (name, pattern) in old.items():
        if key not in new:
            yield Change(f"pattern/{name}", "the pattern is removed; its name is matched as a literal phrase")
        elif said := _differences(_finds(pattern), _finds(new[key][1])):
            yield Change(f"pattern/{name}", said)
    for key, (name, _) in new.items():
        if key not in old and key in literals:
            yield Change(f"pattern/{name}", "the pattern is new; its name was matched as a literal phrase")


def of_rubrics(before: Suite, after: Suite) -> Iterator[Change]:
    """Rubrics that ask something else, or decide otherwise, and those that are gone."""
    for name, rubric in before.rubrics.items():
        other = after.rubrics.get(name)
        if other is None:
            yield Change(f"rubric/{name}", "the rubric is removed")
        elif said := _differences(rubric.canonical(), other.canonical()):
            yield Change(f"rubric/{name}", said)


def of_fixtures(before: Suite, after: Suite) -> Iterator[Change]:
    """Records that hold something else, where cases of both suites start from them; layout is nothing."""
    old, new = ({fixture for case in suite.active for fixture in case.fixtures} for suite in (before, after))
    for fixture in sorted(old & new):
        sides = tuple(_record(suite, fixture) for suite in (before, after))
        if said := _differences(*sides):
            yield Change(f"fixture/{fixture}", said)


def of_tools(before: Suite, after: Suite) -> Iterator[Change]:
    """Files of the sandbox's tools that are new, gone, or do something else; comments and layout do nothing."""
    if not any(case.kind == "conversation" for case in before.active):
        return
    old, new = (
        {path: text for path, text in suite.files.items() if path.startswith("tools/") and path.endswith(".py")}
        for suite in (before, after)
    )
    for path in sorted({*old, *new}):
        if path not in new:
            yield Change(path, "the tools are removed")
        elif path not in old:
            yield Change(path, "the tools are new")
        elif _code(old[path]) != _code(new[path]):
            yield Change(path, f"the tools' code differs: {between(*_first_lines(old[path], new[path]))}")


def of_prompts(before: Suite, after: Suite, grader_prompts: Collection[str]) -> Iterator[Change]:
    """What a grader is told, where it differs; an agent's prompts and articles are what a change is about."""
    for name in sorted(grader_prompts):
        old, new = before.prompt(name), after.prompt(name)
        what = f"prompt/{name.removeprefix('prompts/')}"
        if old is not None and new is None:
            yield Change(what, "what the grader is told is removed")
        elif old is not None and new is not None and old.split() != new.split():
            yield Change(what, f"what the grader is told differs: {between(*_first_lines(old, new))}")


def _differences(old: dict[str, Any], new: dict[str, Any]) -> str:
    return "; ".join(f"{key}: {words}" for key, words in differing(old, new))


def _finds(pattern: Pattern) -> dict[str, Any]:
    return {"any": sorted({*pattern.any}), "unless": sorted({*pattern.unless})}


def _record(suite: Suite, fixture: str) -> dict[str, Any]:
    text = suite.files.get(f"fixtures/{fixture}", "")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {"text": text}
    return found if isinstance(found, dict) else {"text": text}


def _code(source: str) -> str:
    """What a source does: its syntax tree, which no comment and no layout changes."""
    try:
        return ast.dump(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError):
        return source


def _first_lines(old: str, new: str) -> tuple[str, str]:
    """The first lines of two texts that differ, without their white space."""
    lines = ([line.strip() for line in text.splitlines() if line.strip()] for text in (old, new))
    one, other = (dict(enumerate(side)) for side in lines)
    at = next((at for at in range(max(len(one), len(other))) if one.get(at) != other.get(at)), 0)
    # As JSON writes them, without a sign that a terminal would follow.
    shown = (json.dumps(side[at], ensure_ascii=False) if at in side else "(ends)" for side in (one, other))
    return next(shown), next(shown)
