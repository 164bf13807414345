"""What an agent did in a conversation: its calls with their results, and how it ended."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.offline.grading.sheet import Line

_NO = re.compile(r"^\W*(?:no|nope|nein|non|nee|não|nie|don't|do not|stop|wait|not yet)\b", re.IGNORECASE)
_YES = re.compile(r"^\W*(?:yes|yeah|ok|okay|sure|please do|go ahead|ja|oui|sí|si|sì|sim|tak)\b", re.IGNORECASE)
_ASKS = re.compile(r"[?？]")
_ENDS = {"escalated": "handed_off", "handed_off": "handed_off", "resolved": "resolved", "refused": "refused"}
# Tools that only read.
_READS = re.compile(r"^(?:look|search|get|find|list|read|check|fetch|show|view)", re.IGNORECASE)


@dataclass(frozen=True)
class Deed:
    """One call: `answered` is whether the agent had asked and the customer had not said no."""

    line: Line
    tool: str
    arguments: Mapping[str, Any]
    result: Any
    answered: bool

    @property
    def failed(self) -> bool:
        """Whether the tool gave an error back, or nothing."""
        return self.result is None or (isinstance(self.result, Mapping) and "error" in self.result)

    @property
    def reads(self) -> bool:
        """Whether the tool only reads."""
        return reads(self.tool)

    @property
    def changes(self) -> bool:
        """Whether it changed something other than how the conversation ended."""
        ended = isinstance(self.result, Mapping) and self.result.get("status") in _ENDS and "team" not in self.result
        return not self.reads and not self.failed and not (ended and len(self.result) == 1)

    def fits(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether it is a call of this tool, with these arguments among its own."""
        return (
            self.tool == tool
            and not self.failed
            and all(same(self.arguments.get(name), value) for name, value in arguments.items())
        )


def consent(line: Line) -> bool | None:
    """Whether a customer says yes or no, by the first line that begins with either; None for neither."""
    for part in line.kept.split("\n"):
        if _NO.match(part):
            return False
        if _YES.match(part):
            return True
    return None


def reads(tool: str) -> bool:
    """Whether a tool only reads, as far as its name says."""
    return _READS.match(tool) is not None


def deeds_of(lines: Sequence[Line]) -> tuple[Deed, ...]:
    """The calls of a transcript, in order."""
    found, asked, answered = [], False, False
    for place, line in enumerate(lines):
        if line.role == "agent":
            asked, answered = _ASKS.search(line.text) is not None, False
        elif line.role == "customer":
            answered = asked and consent(line) is not False
        elif line.role == "call":
            arguments = read(line.text)
            result = next(
                (read(after.text) for after in lines[place + 1 : place + 9] if after.role == "result"
                 and after.tool in ("", line.tool)), None,
            )  # fmt: skip
            found.append(Deed(line, line.tool, arguments if isinstance(arguments, dict) else {}, result, answered))
    return tuple(found)


def ending(deeds: Sequence[Deed]) -> tuple[str, str]:
    """How a conversation ended (`handed_off`, `resolved`, `refused`, or '' where it did not), and with which team."""
    for deed in reversed(deeds):
        status = deed.result.get("status") if isinstance(deed.result, Mapping) else None
        if not deed.reads and not deed.failed and isinstance(status, str) and status in _ENDS:
            team = deed.result.get("team") or deed.arguments.get("team") or ""
            return _ENDS[status], str(team).lower()
    return "", ""


def off_state(state: Mapping[str, Any], deeds: Sequence[Deed]) -> Iterator[str]:
    """What of a wanted end state the results contradict, in words; what no result tells of is left alone."""
    for table, wanted in state.items():
        if isinstance(wanted, list) and "refund" in table:
            paid = [_paid(deed) for deed in deeds if "refund" in deed.tool and not deed.failed]
            asked = [_amount(entry.get("amount")) for entry in wanted if isinstance(entry, Mapping)]
            if sorted(paid) != sorted(asked):
                yield f"refunds of {_list(paid)} where {_list(asked)} was right"
        elif isinstance(wanted, Mapping):
            for key, fields in wanted.items():
                if isinstance(fields, Mapping):
                    yield from _off_record(str(key), fields, deeds)


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, numbers by value and texts without regard to case and spaces."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) < 0.005
    return " ".join(str(one).lower().split()) == " ".join(str(other).lower().split())


def _off_record(key: str, fields: Mapping[str, Any], deeds: Sequence[Deed]) -> Iterator[str]:
    known: dict[str, Any] = {}
    for deed in deeds:
        if isinstance(deed.result, Mapping) and not deed.failed:
            own = [value for value in deed.result.values() if isinstance(value, str)]
            if key in own:
                known |= deed.result
    for name, value in fields.items():
        if name in known and not isinstance(value, Mapping | list) and not same(known[name], value):
            yield f"{name} of {key} is {known[name]}, not {value}"


def _paid(deed: Deed) -> float:
    given = deed.result.get("refunded") if isinstance(deed.result, Mapping) else None
    return _amount(deed.arguments.get("amount", given))


def _amount(value: Any) -> float:
    try:
        return round(float(value), 2)
    except (TypeError, ValueError):
        return 0.0


def _list(amounts: Sequence[float]) -> str:
    return ", ".join(f"{amount:g}" for amount in amounts) or "nothing"


def read(text: str) -> Any:
    """What the JSON at the beginning of a text says; the text itself where there is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    # Whatever stands behind an object or a list is not the tool's.
    start = text.lstrip()
    try:
        return json.JSONDecoder().raw_decode(start)[0] if start.startswith(("{", "[")) else text
    except (ValueError, RecursionError):
        return text
