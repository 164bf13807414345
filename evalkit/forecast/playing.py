"""What playing would take: the calls and tokens of candidates and of the customer."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evalkit.client import ModelSpec, spec_of
from evalkit.dialogue import ticket_messages
from evalkit.fingerprint import canonical, trial_parts
from evalkit.forecast.figures import CHARACTERS_PER_TOKEN, ENOUGH, NEWEST, Forecast, Range, cost, spread
from evalkit.plan import Plan
from evalkit.store import Slot, Store
from evalkit.transcript import Trial, Usage

KINDS = ("ticket", "conversation")
# Tokens of an answer where nothing is known of it, at least and at most: a card of one line, and a long letter.
SHORTEST, LONGEST = 50, 600
# Trials that share these with a candidate tell how long its answers are.
TELLING = ("model", "parameters", "prompt")
# Where no conversation is stored: calls of one side in one conversation, and tokens that each call adds to the next.
TALK_CALLS = {"agent": (3, 7, 16), "customer": (2, 4, 12)}
TALK_SAID = {"agent": (30, 90, 300), "customer": (10, 30, 100)}


def candidate_forecast(
    plan: Plan, store: Store, name: str, slots: Sequence[Slot], turns: int | None = None
) -> Forecast:
    """What the slots of one candidate would take; `turns` as of `forecast`."""
    candidate = plan.candidates[name]
    spec = spec_of(candidate, candidate.model or candidate.name)
    by_kind = {kind: [slot for slot in slots if plan.cases[slot.case].kind == kind] for kind in KINDS}
    parts = []
    if by_kind["ticket"] or not slots:
        parts.append(_tickets(plan, name, spec, by_kind["ticket"], _stored(plan, store, name, by_kind["ticket"])))
    if talks := by_kind["conversation"]:
        prompt = len(plan.suite.prompt(candidate.prompts.get("conversation", "")) or "") // CHARACTERS_PER_TOKEN
        told = _stored_talks(plan, store, talks[0], "agent")
        parts.append(_Talks(len(talks), prompt, told, turns).forecast(name, spec, "agent"))
    return parts[0] if len(parts) == 1 else _both(*parts)


def customer_forecast(plan: Plan, store: Store, slots: Sequence[Slot], turns: int | None = None) -> Forecast | None:
    """What the customer of these slots' conversations would take; None where nobody plays one."""
    talks = [slot for slot in slots if plan.cases[slot.case].kind == "conversation"]
    customer = plan.shootout.customer
    if not talks or customer is None:
        return None
    asked = _Talks(len(talks), 0, _stored_talks(plan, store, talks[0], "customer"), turns)
    return asked.forecast("the customer", spec_of(customer, customer.model), "customer")


def _both(one: Forecast, other: Forecast) -> Forecast:
    return Forecast(
        candidate=one.candidate,
        trials=one.trials + other.trials,
        calls=one.calls + other.calls,
        input_tokens=Range.total([one.input_tokens, other.input_tokens]),  # type: ignore[arg-type]
        output_tokens=Range.total([one.output_tokens, other.output_tokens]),  # type: ignore[arg-type]
        usd=Range.total([one.usd, other.usd]),
        based_on=one.based_on + other.based_on,
    )


def _tickets(
    plan: Plan, name: str, spec: ModelSpec, slots: Sequence[Slot], stored: Sequence[tuple[int, Usage]]
) -> Forecast:
    count = len(slots)
    sent = {case: _characters(plan, name, case) for case in dict.fromkeys(slot.case for slot in slots)}
    characters = sum(sent[slot.case] for slot in slots)
    if len(stored) >= ENOUGH:
        asked = spread([usage.input / chars for chars, usage in stored], characters)
        said = spread([usage.output for _, usage in stored], count)
        return Forecast(name, count, count, asked, said, cost(spec, asked, said), len(stored))
    tokens = characters / CHARACTERS_PER_TOKEN
    most = plan.candidates[name].max_tokens or LONGEST
    # Tokenizers differ by about a fifth either way on plain text.
    asked = Range(0.8 * tokens, tokens, 1.3 * tokens)
    said = Range(count * min(SHORTEST, most), count * min((SHORTEST + LONGEST) / 2, most), count * most)
    return Forecast(name, count, count, asked, said, cost(spec, asked, said), 0)


@dataclass(frozen=True)
class _Talks:
    """So many conversations of one side, its prompt of so many tokens; `told` are calls and tokens of stored ones.

    Where `turns` is given, each takes as many calls, and stored ones tell nothing.
    """

    count: int
    prompt: int
    told: Sequence[tuple[int, Usage]]
    turns: int | None = None

    def forecast(self, name: str, spec: ModelSpec, role: Literal["agent", "customer"]) -> Forecast:
        measured = len(self.told) >= ENOUGH and self.turns is None
        if measured:
            calls = self.count * statistics.fmean(number for number, _ in self.told)
            asked = spread([usage.input for _, usage in self.told], self.count)
            said = spread([usage.output for _, usage in self.told], self.count)
        else:
            numbers = TALK_CALLS[role] if self.turns is None else (self.turns,) * 3
            ends = list(zip(numbers, TALK_SAID[role], strict=True))
            calls = self.count * ends[1][0]
            # Each call sends the prompt and all that was said before it.
            asked = Range(*(self.count * number * (self.prompt + 200 + number * each) for number, each in ends))
            said = Range(*(self.count * number * each for number, each in ends))
        trials = self.count if role == "agent" else 0
        usd, based_on = cost(spec, asked, said), len(self.told) if measured else 0
        return Forecast(name, trials, round(calls), asked, said, usd, based_on, role=role)


def _stored_talks(plan: Plan, store: Store, slot: Slot, role: Literal["agent", "customer"]) -> list[tuple[int, Usage]]:
    """The calls and tokens of one side in each stored conversation that tells of it, of whatever case and run."""
    telling = TELLING if role == "agent" else ("customer",)
    found = []
    for trial in _alike(plan, store, slot, telling):
        usages = [each.usage for each in trial.attempts if each.usage and each.role == role]
        if trial.outcome and usages:
            found.append((len(usages), Usage(sum(u.input for u in usages), sum(u.output for u in usages))))
    return found


def _alike(plan: Plan, store: Store, slot: Slot, telling: Sequence[str]) -> list[Trial]:
    candidate = plan.candidates[slot.candidate]
    parts = trial_parts(plan.cases[slot.case], candidate, plan.suite, plan.retrieval, plan.shootout.customer)
    return store.parts.trials_with({part: canonical(parts[part]) for part in telling}, NEWEST)


def _characters(plan: Plan, name: str, case: str) -> int:
    ticket = plan.cases[case].ticket
    if ticket is None:
        return 0
    return sum(len(each.text) for each in ticket_messages(ticket, plan.candidates[name], plan.suite, plan.retrieval))


def _stored(plan: Plan, store: Store, name: str, slots: Sequence[Slot]) -> list[tuple[int, Usage]]:
    """The characters sent and the tokens of stored tickets that tell of a candidate, of whatever case and run."""
    tickets = [slot for slot in (slots or plan.slots) if slot.candidate == name]
    tickets = [slot for slot in tickets if plan.cases[slot.case].kind == "ticket"]
    stored = _alike(plan, store, tickets[0], TELLING) if tickets else []
    return [told for trial in stored if not trial.outcome and (told := _told(trial))]


def _told(trial: Trial) -> tuple[int, Usage] | None:
    usages = [attempt.usage for attempt in trial.attempts if attempt.usage]
    sent = sum(len(each.text) for each in trial.messages if each.role in ("system", "user"))
    if not usages or not sent:
        return None
    # An answer that was asked for twice was paid for twice; what is foreseen is asked once.
    return sent, Usage(usages[-1].input, usages[-1].output)
