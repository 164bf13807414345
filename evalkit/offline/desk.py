"""The desk that an agent sits at in a conversation: what it may call, what it has said, and who is writing."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.offline.agent import Manner
from evalkit.offline.intents import EMAIL, SOMEBODY_ELSE
from evalkit.offline.phrases import pattern, say
from evalkit.offline.policy import Policy
from evalkit.offline.reading import Deed, Talk

REFUSALS = (
    "over_limit_firm",
    "no_refund",
    "not_yours",
    "no_record",
    "no_address",
    "no_link",
    "no_wish",
    "no_command",
    "over_limit",
    "outside_rules",
    "not_found",
    "no_tool",
    "no_handoff",
)
_WHO = ("customer", "customer id", "customer_id", "id")


@dataclass(frozen=True)
class Step:
    """What one matter needs next: a text or a call of a tool.

    `done`: nothing more; its text is news. `refusal`: the line by which it is refused. `last`: it ends the
    conversation, and waits until the other matters are done.
    """

    text: str = ""
    call: tuple[str, dict[str, Any]] | None = None
    done: bool = False
    refusal: str = ""
    last: bool = False


@dataclass(frozen=True)
class Desk:
    """All that a move is made from."""

    talk: Talk
    policy: Policy
    tools: Mapping[str, Mapping[str, Any]]
    manner: Manner
    seed: int
    chance: random.Random

    def tell(self, key: str, **parts: str) -> Step:
        """A line to the customer, in a wording that varies where the manner does."""
        return Step(say(key, self.chance if self.manner.temperature > 0 else None, **parts))

    def refuse(self, key: str, **parts: str) -> Step:
        """A no to one matter."""
        return Step(self.tell(key, **parts).text, refusal=key)

    def can(self, tool: str) -> bool:
        """Whether a tool is offered."""
        return tool in self.tools

    def call(self, name: str, **arguments: Any) -> Step:
        """A call of a tool, with those of the arguments that its schema knows; a no where it is not offered."""
        if not self.can(name):
            return self.refuse("no_tool")
        known = self.tools[name].get("properties") or {}
        given = {key: value for key, value in arguments.items() if key in known and _fits(value, known[key])}
        if set(self.tools[name].get("required") or ()) - set(given):
            return self.refuse("no_tool")
        return Step(call=(name, given))

    def hand_off(self, team: str, reason: str) -> Step:
        """The matter goes to a team of people."""
        tried = self.talk.deed("hand_off")
        if not self.can("hand_off") or (tried is not None and tried.failed):
            return self.refuse("no_handoff")
        step = self.call("hand_off", team=self.team(team), reason=reason)
        return Step(step.text, step.call, refusal=step.refusal, last=not step.refusal)

    def early(self, team: str, reason: str) -> Step:
        """A handoff of what the agent could do itself, once the customer has been told."""
        if not self.asked("rather"):
            return self.tell("rather", team=self.team(team))
        return self.hand_off(team, reason)

    def team(self, team: str) -> str:
        """The team that gets what is meant for this one: the manner may know only one."""
        return self.manner.team or team

    def asked(self, key: str, **parts: str) -> bool:
        """Whether the agent has said this line."""
        return any(pattern(key, **parts).search(text) for text in self.talk.agent)

    def reply(self, key: str, **parts: str) -> str:
        """What the customer answered to this line, the last time that it was said; '' where it never was."""
        return next(reversed(self.talk.answers_to(pattern(key, **parts))), "")

    def happens(self, name: str) -> bool:
        """Whether a chance of the manner falls so in this conversation."""
        return random.Random(f"{self.seed}:{name}").random() < getattr(self.manner, name)

    def stranger(self, record: Mapping[str, Any]) -> Step | None:
        """What to do where a record may not be this customer's; None where it is, or the agent does not look."""
        if not self.happens("checks_owner"):
            return None
        owner, who = str(record.get("customer") or ""), self._who()
        if isinstance(who, Step):
            return who
        foreign = owner != who if owner and who else any(SOMEBODY_ELSE.search(text) for text in self.talk.customer)
        if not foreign:
            return None
        if "foreign" in self.policy.passes_on:
            return self.hand_off("trust", "asks about a record of somebody else")
        return self.refuse("not_yours")

    def read_out(self, record: Mapping[str, Any]) -> str:
        """What an agent that does not look whose record it is tells of it unasked; '' from one that looks."""
        address = str(record.get("address") or "")
        return f" It goes to {address}." if address and not self.happens("checks_owner") else ""

    def _who(self) -> str | Step:
        account = self.talk.account
        for key in _WHO:
            if account.get(key):
                return account[key]
        mails = [account.get("email") or account.get("e-mail") or "", *EMAIL.findall(" ".join(self.talk.customer))]
        mail = next((mail for mail in mails if mail), "")
        if not mail or not self.can("lookup_customer"):
            return ""
        deed = self.talk.deed("lookup_customer", customer=mail)
        if deed is None:
            return self.call("lookup_customer", customer=mail)
        return "(nobody known)" if deed.failed else str(deed.record.get("id") or deed.record.get("customer") or "")

    def own_record(self) -> Mapping[str, Any] | Step:
        """The record of the customer who writes, looked up where it can be; empty where nobody knows who it is."""
        who = self._who()
        if isinstance(who, Step):
            return who
        if not who or not self.can("lookup_customer"):
            return {}
        deed = self.talk.deed("lookup_customer", customer=who)
        if deed is None:
            by_mail = [
                deed for deed in self.talk.deeds if deed.name == "lookup_customer" and deed.record.get("id") == who
            ]
            return by_mail[-1].record if by_mail else self.call("lookup_customer", customer=who)
        return deed.record


def fresh(desk: Desk, deed: Deed) -> bool:
    """Whether a deed was done since the customer's last message."""
    return deed in desk.talk.fresh


def ids_of(record: Mapping[str, Any], *names: str) -> Sequence[str]:
    """The ids that a record lists under one of these names."""
    for name in names:
        value = record.get(name)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            return [str(value)]
        if isinstance(value, list):
            return [str(item.get("id") if isinstance(item, Mapping) else item) for item in value]
    return []


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    return "enum" not in schema or value in schema["enum"]
