"""A conversation as it is read: who said what on which turn, which tools were called, and where it went wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from evalkit.cases import Case
from evalkit.checks import Judgement
from evalkit.checks.actions import Done, call_in_words, calls
from evalkit.checks.endstate import number
from evalkit.checks.handoff import HAND_OFF
from evalkit.checks.said import PlacedHit, agent_texts, turn_of
from evalkit.suite import Suite
from evalkit.transcript import Message, ToolCall, Trial, Verdict

OUTCOMES = {"resolved": "resolved", "handed_off": "handed off", "refused": "refused", "unfinished": "unfinished"}


@dataclass(frozen=True)
class Said:
    """What one side said; `place` is its message's in the trial."""

    who: Literal["customer", "agent"]
    turn: int
    place: int
    text: str


@dataclass(frozen=True)
class Called:
    """A call of a tool; `result` is the JSON text that came back, None where none did, `fault` why it did nothing.

    `place` is the message that answers it, or else the one that made it.
    """

    call: ToolCall
    turn: int
    place: int
    result: str | None
    fault: str

    @property
    def words(self) -> str:
        """The call in a line: issue_refund(order='88213', amount=25)."""
        given = self.call.arguments
        if isinstance(given, Mapping):
            return call_in_words(self.call.name, given)
        return f"{self.call.name}({given})" if given else self.call.name


def is_conversation(case: Case | None, trial: Trial | None) -> bool:
    """Whether this is to be read as a conversation; of a case that is gone, the trial says what it was."""
    if case is not None:
        return case.kind == "conversation"
    return trial is not None and bool(trial.outcome or trial.customer or trial.before is not None)


def spoken(trial: Trial) -> Iterator[Said | Called]:
    """All that was said and done, in its order; an agent's words stand before the calls of the same message."""
    turn, messages = 0, trial.messages
    for place, message in enumerate(messages):
        if message.role == "user":
            turn += 1
            yield Said("customer", turn, place, message.text)
        elif message.role == "assistant":
            if message.text.strip() or not message.tool_calls:
                yield Said("agent", turn, place, message.text)
            yield from _unanswered(message, messages[place + 1 :], turn, place)
        elif message.role == "tool":
            call = message.tool_calls[0] if message.tool_calls else ToolCall("", "(unknown tool)", None)
            yield Called(call, turn, place, message.text, message.fault or _error_in(message.text))


def opening(text: str, tag: str) -> tuple[str, str]:
    """A customer's first message in two: what was sent along, which is the tag and the account, and its own words."""
    head, parted, words = text.partition("\n\n")
    account = head.removeprefix(tag).split("\n")
    sent_along = (
        parted
        and (not tag or head.startswith(tag))
        and all(not line or line.startswith("Account ") for line in account)
    )
    return (head, words) if sent_along else ("", text)


def last_words(trial: Trial) -> int | None:
    """The place of the last message in which the agent said something; None where it said nothing."""
    places = [place for place, _ in agent_texts(trial)]
    return places[-1] if places else None


def places_of(verdict: Verdict, trial: Trial, suite: Suite) -> tuple[int, ...]:
    """The messages in which a failed check was broken: words and calls; none where no single ones can be named.

    A handoff that was missed is told of the agent's last words.
    """
    found = [hit.message for hit in verdict.hits if isinstance(hit, PlacedHit) and not hit.negated]
    if found:
        return tuple(dict.fromkeys(found))
    worked = [each for each in calls(trial) if not each.failed]
    if verdict.kind == "routing":
        handed = [each.place for each in worked if each.name == HAND_OFF]
        last = handed[-1] if handed else last_words(trial)
        return () if last is None else (last,)
    if verdict.check.startswith("refunds within"):
        return _over_limit(worked, trial, suite)
    return tuple(each.place for each in worked if _breaks(each, verdict, trial))


def grounds(judgement: Judgement) -> tuple[Verdict, ...]:
    """The failed checks by which a conversation disqualifies, in the order in which they are told."""
    told = judgement.disqualifying
    found = [each for each in judgement.verdicts if each.passed is False and each.reason and each.reason in told]
    return tuple(sorted(found, key=lambda each: told.index(each.reason)))


def ground_in_words(verdict: Verdict) -> str:
    """Why a conversation disqualifies, by one of its grounds."""
    return verdict.reason if verdict.kind in ("routing", "leak") else f"{verdict.check}: {verdict.reason}"


def decided(judgement: Judgement, trial: Trial, suite: Suite) -> Said | Called | None:
    """The agent's words or call by which a conversation disqualifies; None where none can be named.

    What was done or told comes before what was missed, of which the last words alone can be shown.
    """
    for verdict in sorted(grounds(judgement), key=lambda each: each.kind == "routing"):
        for place in places_of(verdict, trial, suite):
            return next((each for each in spoken(trial) if each.place == place), None)
    return None


def _breaks(done: Done, verdict: Verdict, trial: Trial) -> bool:
    """Whether a failed check is about this call: its own words name the call, and for the order also the turn."""
    if verdict.check == f"confirmed before: {done.name}":
        return f"{call_in_words(done.name, done.arguments)} on turn {turn_of(trial, done.place)}" in verdict.reason
    return verdict.check == f"tool not called: {done.name}"


def _unanswered(message: Message, after: Sequence[Message], turn: int, place: int) -> Iterator[Called]:
    """The calls of a message that no message behind it answers."""
    answered = []
    for each in after:
        if each.role != "tool":
            break
        answered += [(call.id, call.name) for call in each.tool_calls[:1]]
    for call in message.tool_calls:
        if (call.id, call.name) in answered:
            answered.remove((call.id, call.name))
        else:
            yield Called(call, turn, place, None, "")


def _error_in(text: str) -> str:
    """A result that holds an error is a fault, also where nobody recorded it."""
    if '"error"' not in text:
        return ""
    try:
        result = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return "tool error" if isinstance(result, Mapping) and result.get("error") else ""


def _over_limit(worked: Sequence[Done], trial: Trial, suite: Suite) -> tuple[int, ...]:
    """The calls whose refunds took the sum over the limit, or came later; known by their amounts."""
    limit, total, places = number(suite.settings.policy.refund_limit_usd), Decimal(0), []
    before, after = (_refunds(state) for state in (trial.before, trial.after))
    issued = [number(each.get("amount")) for each in after[len(before) :] if isinstance(each, Mapping)]
    for each in worked:
        amount = number(each.arguments.get("amount"))
        if amount is None or amount not in issued or limit is None:
            continue
        issued.remove(amount)
        total += max(amount, Decimal(0))
        if total > limit:
            places.append(each.place)
    return tuple(places)


def _refunds(state: Mapping[str, Any] | None) -> list[Any]:
    found = (state or {}).get("refunds_issued")
    return found if isinstance(found, list) else []
