"""Cases: one situation each, with what a good agent would do in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from evalkit.folding import fold
from evalkit.written import NAME, Name, Names, Text, Written

Handling = Literal["direct", "escalate"]
Outcome = Annotated[
    Literal["resolved", "handed_off", "refused"],
    BeforeValidator(lambda value: "handed_off" if value == "handoff" else value),
]
# Benchmarks name a case by all that sets it apart from others.
CaseId = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=NAME)]
# Long enough for a pasted thread, short enough for a prompt.
Body = Annotated[str, Field(max_length=200_000)]


def _named_calls(value: Any) -> Any:
    """Calls as mappings from one tool to its arguments; a name alone asks for none."""
    return tuple({item: {}} if isinstance(item, str) else item for item in value) if isinstance(value, list) else value


Call = Annotated[dict[Name, dict[str, Any]], Field(min_length=1, max_length=1)]


def _one_or_many(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else (value,)


class Ticket(Written):
    """A customer's message as it came in, with the account metadata that the agent is shown."""

    subject: Body = ""
    body: Body
    account: dict[str, Any] = {}


class Reference(Written):
    """What a person replied, kept for context alone, and the ideal answer."""

    human_reply: Body = ""
    golden_answer: Body = ""


class Expect(Written):
    """What must hold after a conversation: the sandbox's end state, the tools used, their order, the outcome.

    A call may name arguments that it must have had. Calls of `confirm_before` need the customer's yes before them.
    """

    final_state: dict[str, Any] | None = None
    tools_called: Annotated[tuple[Call, ...], BeforeValidator(_named_calls)] = ()
    tools_forbidden: Names = ()
    confirm_before: Names = ()
    outcome: Outcome | None = None

    @property
    def wanted_calls(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """The calls that must have been made: each tool with the arguments that are asked for."""
        return tuple(pair for call in self.tools_called for pair in call.items())

    @model_validator(mode="after")
    def _tools_agree(self) -> Expect:
        both = {name for name, _ in self.wanted_calls} & {*self.tools_forbidden}
        if both:
            raise ValueError(f"contradicts itself: {_list(both)} in both tools_called and tools_forbidden")
        return self


# What is left to be written, with nothing else or with a colon behind it.
_PLACEHOLDER = re.compile(r"[\W_]*(?:todo|tbd|fixme|xxx)(?:[\W_]*|\s*:.*)", re.IGNORECASE | re.DOTALL)
_NOT_FILLED_IN = {"who", "name", "your name", "owner", "the owner", "why", "reason", "the reason", "because"}
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}.*)?", re.ASCII)
_FEWEST_LETTERS = 3


def _somebody(who: str) -> str:
    if not any(char.isalnum() for char in who) or _PLACEHOLDER.fullmatch(who) or who.casefold() in _NOT_FILLED_IN:
        raise ValueError(f"{who[:60]!r} is nobody's name; write who amends it")
    return who


def _a_day(when: str) -> str:
    found = _DAY.fullmatch(when)
    try:
        date.fromisoformat(found[1] if found else "")
    except ValueError:
        raise ValueError(f"{when[:60]!r} does not begin with a day; write it as 2026-11-30") from None
    return when


def _a_reason(why: str) -> str:
    letters = sum(char.isalpha() for char in why)
    if letters < _FEWEST_LETTERS or _PLACEHOLDER.fullmatch(why) or why.strip().casefold() in _NOT_FILLED_IN:
        raise ValueError(f"{why[:60]!r} is no reason; write why it is changed, in words")
    return why


class Amendment(Written):
    """A change of an expectation, on the record: who made it, on which day, and why; none of it a placeholder."""

    who: Annotated[Name, AfterValidator(_somebody)]
    when: Annotated[Name, AfterValidator(_a_day)]
    why: Annotated[Text, AfterValidator(_a_reason)]


class Case(Written):
    """One situation with its expectations: a ticket that is answered once, or the script of a conversation.

    An `imported` case is a name and a stratum alone: its trials were played and judged elsewhere.
    """

    id: CaseId
    stratum: Name
    must_pass: bool = False
    risk: Literal["normal", "safety"] = "normal"
    status: Literal["active", "draft"] = "active"
    owner: Name | None = None
    language: Name = "en"
    incident: Name | None = None
    source: Name | None = None
    tags: Names = ()
    amendments: tuple[Amendment, ...] = ()
    imported: bool = False

    ticket: Ticket | None = None
    reference: Reference = Reference()

    persona: Body | None = None
    goal: Body | None = None
    hidden_facts: dict[str, Any] = {}
    fixtures: Annotated[tuple[Text, ...], BeforeValidator(_one_or_many)] = ()
    expect: Expect = Expect()

    expected_handling: Handling | None = None
    escalate_to: Name | None = None
    must_include: Names = ()
    must_not_include: Names = ()

    @property
    def kind(self) -> Literal["ticket", "conversation", "imported"]:
        """Whether the case is answered once, played as a dialogue, or was played and judged elsewhere."""
        if self.imported:
            return "imported"
        return "ticket" if self.ticket is not None else "conversation"

    @property
    def assertions(self) -> Iterator[str]:
        """The concepts, or literal phrases, that the case asks for and forbids."""
        yield from self.must_include
        yield from self.must_not_include

    @property
    def expects_routing(self) -> bool:
        """Whether handling, a handoff or an outcome is expected."""
        return self.expected_handling is not None or self.expect.outcome is not None

    @property
    def expects_handoff(self) -> bool:
        """Whether a person must take over."""
        return self.expected_handling == "escalate" or self.expect.outcome == "handed_off"

    @property
    def expects_action(self) -> bool:
        """Whether an end state, tools or their order are expected."""
        asked = (self.expect.tools_called, self.expect.tools_forbidden, self.expect.confirm_before)
        return self.expect.final_state is not None or any(asked)

    @model_validator(mode="after")
    def _is_one_kind(self) -> Case:
        script = [key for key in ("persona", "goal", "hidden_facts", "expect") if key in self.model_fields_set]
        if self.imported:
            judged = [key for key in ("ticket", "must_include", "must_not_include") if key in self.model_fields_set]
            if judged or script:
                raise ValueError(f"is imported, with its verdicts; leave out {_list([*judged, *script])}")
            return self
        if self.ticket is not None and script:
            raise ValueError(f"is a ticket and a conversation at once: leave out 'ticket' or {_list(script)}")
        if self.ticket is None and self.persona is None:
            raise ValueError(
                "holds neither 'ticket' nor 'persona': write the customer's ticket, or a persona and a goal"
            )
        if self.ticket is not None and not (self.ticket.subject + self.ticket.body).strip():
            raise ValueError("the ticket is blank: write its subject or body")
        if self.persona is not None and not (self.persona.strip() and (self.goal or "").strip()):
            raise ValueError("a conversation needs a persona and a goal")
        return self

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Case:
        for key in ("must_include", "must_not_include"):
            folded = Counter(fold(name).text.casefold() for name in getattr(self, key))
            if twice := [name for name, times in folded.items() if times > 1]:
                raise ValueError(f"{key} names {_list(twice)} more than once")
        include = {fold(name).text.casefold() for name in self.must_include}
        both = [name for name in self.must_not_include if fold(name).text.casefold() in include]
        if both:
            raise ValueError(f"contradicts itself: {_list(both)} in both must_include and must_not_include")
        if self.escalate_to and not self.expects_handoff:
            raise ValueError("contradicts itself: escalate_to is given, but no handoff is expected")
        outcome = self.expect.outcome
        if outcome and self.expected_handling and (outcome == "handed_off") != (self.expected_handling == "escalate"):
            raise ValueError(
                f"contradicts itself: expected_handling is {self.expected_handling!r}, but the outcome is {outcome!r}"
            )
        return self

    @model_validator(mode="after")
    def _asks_for_something(self) -> Case:
        if not (self.imported or self.must_include or self.expects_routing or self.expects_action):
            raise ValueError(
                "nothing to earn points by: write expected_handling, must_include, or an expected outcome or end state"
            )
        return self


def _list(names: object) -> str:
    return ", ".join(repr(name) for name in sorted(names))  # type: ignore[call-overload]
