"""What a run would take before it is played: calls, tokens and US dollars, with a range."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from evalkit.client import ModelSpec, price_known, spec_of, usd_of
from evalkit.dialogue import ticket_messages
from evalkit.fingerprint import canonical, trial_parts
from evalkit.plan import Plan
from evalkit.store import Slot, Store
from evalkit.transcript import Trial, Usage

CHARACTERS_PER_TOKEN = 4
# Fewer stored trials than this say too little of how their answers' lengths spread.
ENOUGH = 5
KINDS = ("ticket", "conversation")
# Tokens of an answer where nothing is known of it, at least and at most: a card of one line, and a long letter.
SHORTEST, LONGEST = 50, 600
# Trials that share these with a candidate tell how long its answers are.
TELLING = ("model", "parameters", "prompt")
NEWEST = 500
# Where no conversation is stored: calls of one side in one conversation, and tokens that each call adds to the next.
TALK_CALLS = {"agent": (3, 7, 16), "customer": (2, 4, 12)}
TALK_SAID = {"agent": (30, 90, 300), "customer": (10, 30, 100)}


@dataclass(frozen=True)
class Range:
    """A likely value between a low and a high one."""

    low: float
    likely: float
    high: float

    @classmethod
    def total(cls, ranges: Iterable[Range | None]) -> Range | None:
        """The sum of all, their ends added up, which is wider than their sum would spread; None where one is."""
        found = list(ranges)
        if any(each is None for each in found):
            return None
        return cls(*(sum(getattr(each, end) for each in found) for end in ("low", "likely", "high")))


@dataclass(frozen=True)
class Forecast:
    """What the `trials` of one candidate that are still to be played would take; or what their customer would.

    `calls` is the likely number. Input tokens of a ticket follow from the characters that would be sent. `based_on` is
    the number of stored trials that tell how many of them a token has, how long an answer is, and how much a
    conversation takes; where it is 0 all are assumed. `usd` is None where the price is unknown.
    """

    candidate: str
    trials: int
    calls: int
    input_tokens: Range
    output_tokens: Range
    usd: Range | None
    based_on: int

    @property
    def basis(self) -> str:
        """What the figures rest on, in words."""
        if self.based_on:
            return f"as in {self.based_on} stored trials of it, by their 10th and 90th percentiles"
        return "assumed: four characters a token, answers as short or as long as its limit allows"


def forecast(plan: Plan, store: Store, todo: Sequence[Slot]) -> tuple[Forecast, ...]:
    """A forecast for each candidate of a plan, in its order, and one for the customer of its conversations.

    Nothing is called. Trials of the same candidate's model, parameters and prompt that are stored, in this run or any
    other, tell the tokens of an answer and of a conversation. Retries are not foreseen.
    """
    played = [slot for slot in todo if plan.plays(slot.case)]
    rows = [_of(plan, store, name, [slot for slot in played if slot.candidate == name]) for name in plan.candidates]
    talks = [slot for slot in played if plan.cases[slot.case].kind == "conversation"]
    customer = plan.shootout.customer
    if talks and customer is not None:
        asked = _Talks(len(talks), 0, _stored_talks(plan, store, talks[0], "customer"))
        rows.append(asked.forecast("the customer", spec_of(customer, customer.model), "customer"))
    return tuple(rows)


def _of(plan: Plan, store: Store, name: str, slots: Sequence[Slot]) -> Forecast:
    candidate = plan.candidates[name]
    spec = spec_of(candidate, candidate.model or candidate.name)
    by_kind = {kind: [slot for slot in slots if plan.cases[slot.case].kind == kind] for kind in KINDS}
    parts = []
    if by_kind["ticket"] or not slots:
        parts.append(_tickets(plan, name, spec, by_kind["ticket"], _stored(plan, store, name, by_kind["ticket"])))
    if talks := by_kind["conversation"]:
        prompt = len(plan.suite.prompt(candidate.prompts.get("conversation", "")) or "") // CHARACTERS_PER_TOKEN
        told = _stored_talks(plan, store, talks[0], "agent")
        parts.append(_Talks(len(talks), prompt, told).forecast(name, spec, "agent"))
    return parts[0] if len(parts) == 1 else _both(*parts)


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
        asked = _spread([usage.input / chars for chars, usage in stored], characters)
        said = _spread([usage.output for _, usage in stored], count)
        return Forecast(name, count, count, asked, said, _cost(spec, asked, said), len(stored))
    tokens = characters / CHARACTERS_PER_TOKEN
    most = plan.candidates[name].max_tokens or LONGEST
    # Tokenizers differ by about a fifth either way on plain text.
    asked = Range(0.8 * tokens, tokens, 1.3 * tokens)
    said = Range(count * min(SHORTEST, most), count * min((SHORTEST + LONGEST) / 2, most), count * most)
    return Forecast(name, count, count, asked, said, _cost(spec, asked, said), 0)


@dataclass(frozen=True)
class _Talks:
    """So many conversations of one side, its prompt of so many tokens; `told` are calls and tokens of stored ones."""

    count: int
    prompt: int
    told: Sequence[tuple[int, Usage]]

    def forecast(self, name: str, spec: ModelSpec, role: Literal["agent", "customer"]) -> Forecast:
        if len(self.told) >= ENOUGH:
            calls = self.count * statistics.fmean(number for number, _ in self.told)
            asked = _spread([usage.input for _, usage in self.told], self.count)
            said = _spread([usage.output for _, usage in self.told], self.count)
        else:
            ends = list(zip(TALK_CALLS[role], TALK_SAID[role], strict=True))
            calls = self.count * ends[1][0]
            # Each call sends the prompt and all that was said before it.
            asked = Range(*(self.count * number * (self.prompt + 200 + number * each) for number, each in ends))
            said = Range(*(self.count * number * each for number, each in ends))
        based_on = len(self.told) if len(self.told) >= ENOUGH else 0
        trials = self.count if role == "agent" else 0
        return Forecast(name, trials, round(calls), asked, said, _cost(spec, asked, said), based_on)


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


def _spread(tokens: Sequence[float], count: int) -> Range:
    tenths = statistics.quantiles(tokens, n=10, method="inclusive")
    return Range(count * tenths[0], count * statistics.fmean(tokens), count * tenths[-1])


def _cost(spec: ModelSpec, asked: Range, said: Range) -> Range | None:
    if not price_known(spec):
        return None
    ends = [
        usd_of(spec, Usage(round(getattr(asked, end)), round(getattr(said, end)))) for end in ("low", "likely", "high")
    ]
    return None if None in ends else Range(*ends)  # type: ignore[arg-type]


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
