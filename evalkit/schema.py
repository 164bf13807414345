"""JSON Schemas of what people write, for editors."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from evalkit.amendments import SuiteAmendment
from evalkit.cases import Case
from evalkit.patterns import Pattern
from evalkit.quarantine import Quarantined
from evalkit.rubrics import Rubric
from evalkit.settings import Settings
from evalkit.shootout import Shootout


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each kind of file, by the name it is written under."""
    case = Case.model_json_schema()
    # `group` is read as the same key, and a folder's name stands in for both.
    case["properties"]["group"] = case["properties"]["stratum"]
    case["required"] = [key for key in case["required"] if key != "stratum"]
    pattern = Pattern.model_json_schema()
    alternatives = {"type": "array", "items": {"type": "string"}}
    definitions = {**case.pop("$defs", {}), "Case": case}
    return {
        "amendments": TypeAdapter(list[SuiteAmendment]).json_schema(),
        "cases": {"$defs": definitions, "anyOf": [_ref("Case"), {"type": "array", "items": _ref("Case")}]},
        "patterns": {"type": "object", "additionalProperties": {"anyOf": [pattern, alternatives]}},
        "quarantine": TypeAdapter(list[Quarantined]).json_schema(),
        "rubric": Rubric.model_json_schema(),
        "shootout": Shootout.model_json_schema(),
        "suite": Settings.model_json_schema(),
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}
