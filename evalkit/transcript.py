"""What a trial leaves behind: everything said, every attempt at a call, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
Status = Literal["completed", "empty", "timeout", "customer_fault", "error", "not_run"]
Harm = Literal["wrong answer", "wrong action", "missed handoff", "leaked data"]

Outcome = Literal["resolved", "handed_off", "refused", "unfinished"]

STATUSES: tuple[Status, ...] = ("completed", "empty", "timeout", "customer_fault", "error", "not_run")
# What says nothing of a candidate: left out of rankings, and shown.
NEVER_MEASURED: tuple[Status, ...] = ("error", "customer_fault", "not_run")
HARMS: tuple[Harm, ...] = ("wrong answer", "wrong action", "missed handoff", "leaked data")


@dataclass(frozen=True)
class Usage:
    """Tokens of one call; `cached` is the part of `input` that was read from the provider's cache."""

    input: int
    output: int
    cached: int = 0


@dataclass(frozen=True)
class ToolCall:
    """A tool called by an agent; `arguments` as the model wrote them, parsed where they are JSON."""

    id: str
    name: str
    arguments: Any


@dataclass(frozen=True)
class Message:
    """One message of a transcript, in the order in which it was said.

    A tool's message names in `tool_calls` the one call that it answers, and in `fault` why that call did nothing.
    """

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    fault: Literal["", "unknown tool", "bad arguments", "tool error"] = ""


@dataclass(frozen=True)
class Attempt:
    """One request to a model: what was asked for, what came back, and what it cost.

    `fault` is None where a reply came back, else one word for the kind of failure; `detail` says it for people.
    `usd` is None where the price is unknown. `seconds` is the time the request itself took. `role` says for whom the
    model spoke.
    """

    requested_model: str
    returned_model: str | None
    seconds: float
    usd: float | None
    usage: Usage | None = None
    system_fingerprint: str | None = None
    fault: str | None = None
    detail: str = ""
    role: Literal["agent", "customer", "grader"] = "agent"


@dataclass(frozen=True)
class Trial:
    """One attempt of one candidate at one case.

    It carries no candidate's name: two candidates that are the same in all that counts share their trials.
    `reason` says why a trial ended in its status; `fault_of` is "agent" where an error is the agent's own.
    `seconds` is the whole trial's wall clock; `waited_s` the part spent between attempts.

    Of a conversation, `outcome` says how it ended for the customer, `before` and `after` are the sandbox's state at its
    start and at its end, and `customer` is the model that played the customer.

    An imported trial holds what its source says of it: whether it `passed` (None: unscored there) and its `route`
    ("direct", "escalate", or None: not told); its `seconds` are None where the source does not tell them.
    """

    fingerprint: str
    case: str
    number: int
    status: Status
    messages: tuple[Message, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    reason: str = ""
    fault_of: str | None = None
    started: str = ""
    seconds: float | None = 0.0
    waited_s: float = 0.0
    loop_lag_s: float = 0.0
    outcome: Outcome | Literal[""] = ""
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    customer: str = ""
    passed: bool | None = None
    route: str | None = None

    @property
    def answer(self) -> str:
        """The agent's last message, or '' where it never answered."""
        return next((m.text for m in reversed(self.messages) if m.role == "assistant"), "")

    @property
    def asked(self) -> str:
        """What the agent was first asked, or '' where it was asked nothing."""
        return next((m.text for m in self.messages if m.role == "user"), "")

    @property
    def usd(self) -> float | None:
        """The cost of the agent's attempts in US dollars; None where one has no known price, or none was made."""
        costs = [attempt.usd for attempt in self.attempts if attempt.role == "agent"]
        return None if not costs or any(cost is None for cost in costs) else float(sum(costs))  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        """The trial as plain JSON values; the states in it are the trial's own, and no copies."""
        # `asdict` copies every value of every trial, which takes longer than to store them.
        plain = {name: getattr(self, name) for name in _FIELDS}
        return {
            **plain,
            "messages": tuple(asdict(each) for each in self.messages),
            "attempts": tuple(asdict(each) for each in self.attempts),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trial:
        """The trial that `to_json` wrote."""
        messages = tuple(
            Message(m["role"], m["text"], tuple(ToolCall(**call) for call in m["tool_calls"]), m.get("fault", ""))
            for m in data["messages"]
        )
        attempts = tuple(
            Attempt(**{**a, "usage": Usage(**a["usage"]) if a["usage"] else None}) for a in data["attempts"]
        )
        return cls(**{**data, "messages": messages, "attempts": attempts})


_FIELDS = tuple(each.name for each in fields(Trial))


@dataclass(frozen=True)
class Hit:
    """A flex pattern found in a text.

    `start` and `end` are character offsets into the text as it was written. `negated` hits stand only inside a
    negation and count for nothing.
    """

    concept: str
    alternative: str
    start: int
    end: int
    negated: bool = False


@dataclass(frozen=True)
class Verdict:
    """What one check says of one trial: passed True or False, or None where it could not be decided.

    `kind` is the points it is counted under, `harm` what a failure does to a customer (None: a fault of service).
    """

    check: str
    kind: str
    passed: bool | None
    points: float
    harm: Harm | None = None
    reason: str = ""
    hits: tuple[Hit, ...] = field(default=())


@dataclass(frozen=True)
class CriterionGrade:
    """What a grader says of one criterion: a verdict from the rubric's menu, or None where the reply was unscored."""

    name: str
    verdict: str | None
    reasoning: str = ""


@dataclass(frozen=True)
class Grade:
    """One grader's reply about one transcript, or about one `turn` of it: the number of the answer, from 0.

    `status` is "unscored" where a reply came back that cannot be read, "error" where none came back; both say why in
    `reason`, and neither is a fail. `mode` is the form in which the verdicts stood, `flags` what is odd about them.
    `model` is the grader's, `series` "live" or a calibration's month.
    """

    fingerprint: str
    status: Literal["graded", "unscored", "error"]
    criteria: tuple[CriterionGrade, ...] = ()
    reason: str = ""
    flags: tuple[str, ...] = ()
    mode: str = ""
    model: str = ""
    series: str = "live"
    turn: int | None = None
    attempts: tuple[Attempt, ...] = ()
    started: str = ""
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The grade as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Grade:
        """The grade that `to_json` wrote."""
        return cls(
            **{
                **data,
                "criteria": tuple(CriterionGrade(**criterion) for criterion in data["criteria"]),
                "flags": tuple(data["flags"]),
                "attempts": tuple(
                    Attempt(**{**a, "usage": Usage(**a["usage"]) if a["usage"] else None}) for a in data["attempts"]
                ),
            }
        )
