"""What people write, checked: pydantic's findings as faults with a file, a line and a remedy."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationError

from evalkit.errors import Fault

Line = Callable[[Sequence[str | int]], int | None]
Text = Annotated[str, StringConstraints(min_length=1, max_length=100_000, pattern=r"\S")]
# No white space at its ends, and no control character.
NAME = r"^[^\s\x00-\x1f](?:[^\x00-\x1f]*[^\s\x00-\x1f])?$"
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NAME)]


class Written(BaseModel):
    """Base of everything that people write: frozen, and a misspelt key is a fault."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise ValueError(f"{name!r} is named twice; name it once")
        seen.add(name.casefold())
    return names


Names = Annotated[tuple[Text, ...], AfterValidator(_each_once)]

M = TypeVar("M", bound=Written)


def parse(
    model: type[M], value: Any, line: Line, path: tuple[str | int, ...], file: str, where: str
) -> M | list[Fault]:
    """The value as a `model`, or all its faults.

    `line` gives the line of a path of keys and indexes in the file; `path` is where the value stands there; `where`
    names it for people.
    """
    try:
        # JSON mode: lists become tuples and dates are read, while a wrong type stays a fault.
        return model.model_validate_json(json.dumps(value, allow_nan=False))
    except ValidationError as error:
        return [
            Fault(file, line((*path, *_keys(found["loc"]))), where, _say(model, found))
            for found in _own(error.errors(include_url=False))
        ]
    except ValueError:
        return [Fault(file, line(path), where, "holds a number that is not finite, or a character that is no text")]


def _own(errors: Sequence[Any]) -> Iterator[Any]:
    """The errors but those that only follow from others: a list is not too short because its items are wrong."""
    inner = {found["loc"][:length] for found in errors for length in range(len(found["loc"]))}
    return (found for found in errors if not (found["type"] == "too_short" and found["loc"] in inner))


def _keys(loc: Sequence[str | int]) -> Iterator[str | int]:
    # The names of union members and validators that pydantic mixes into a location are no keys of the file.
    return (part for part in loc if isinstance(part, int) or not part.endswith("]"))


def _say(model: type[BaseModel], found: Any) -> str:
    loc, kind, given = found["loc"], found["type"], found.get("input")
    key = ".".join(str(part) for part in _keys(loc))
    if kind == "extra_forbidden":
        known = _fields(model, loc[:-1])
        near = difflib.get_close_matches(str(loc[-1]), known, n=1, cutoff=0.6)
        return f"unknown key {key!r}; " + (f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}")
    if kind == "missing":
        return f"{key!r} is missing"
    if kind == "value_error":
        return f"{key}: {found['msg'].removeprefix('Value error, ')}".removeprefix(": ")
    if kind == "string_pattern_mismatch":
        if str(given).strip() == given and given and "\n" not in given:
            return f"{key}: {_short(given)} does not fit {found['ctx']['pattern']}"
        return f"{key}: is blank, or has white space around it"
    if kind == "too_short" and not given:
        return f"{key}: is empty; write at least one, or leave {loc[-1]!r} out"
    if kind in {"model_type", "model_attributes_type", "dict_type"}:
        return f"{key}: a mapping is needed, not {_short(given)}".removeprefix(": ")
    if kind in {"tuple_type", "list_type"}:
        return f"{key}: a list is needed, not {_short(given)}; write [{_short(given)}]"
    return f"{key}: {found['msg'][:1].lower()}{found['msg'][1:]}, not {_short(given)}".removeprefix(": ")


def _fields(model: type[BaseModel], loc: Sequence[str | int]) -> list[str]:
    for part in loc:
        if isinstance(part, str) and part in model.model_fields:
            for inner in _models(model.model_fields[part].annotation):
                model = inner
    return sorted(model.model_fields)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in getattr(annotation, "__args__", ()):
        yield from _models(inner)


def _short(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "a number that is not finite"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"
