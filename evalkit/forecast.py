"""What a run would take before it is played: calls, tokens and US dollars, with a range."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evalkit.client import ModelSpec, price_known, spec_of, usd_of
from evalkit.dialogue import ticket_messages
from evalkit.fingerprint import canonical, trial_parts
from evalkit.plan import Plan
from evalkit.store import Slot, Store
from evalkit.transcript import Trial, Usage

CHARACTERS_PER_TOKEN = 4
# Fewer stored trials than this say too little of how their answers' lengths spread.
ENOUGH = 5
# Tokens of an answer where nothing is known of it, at least and at most: a card of one line, and a long letter.
SHORTEST, LONGEST = 50, 600
# Trials that share these with a candidate tell how long its answers are.
TELLING = ("model", "parameters", "prompt")
NEWEST = 500


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
    """What the slots of one candidate that are still to be played would take.

    `based_on` is the number of stored trials that the output tokens are told by; where it is 0 they are assumed, and
    input tokens are a quarter of the characters that would be sent. `usd` is None where the price is unknown.
    """

    candidate: str
    calls: int
    input_tokens: Range
    output_tokens: Range
    usd: Range | None
    based_on: int

    @property
    def basis(self) -> str:
        """What the figures rest on, in words."""
        if self.based_on:
            return f"from {self.based_on} stored trials of it, by their 10th and 90th percentiles"
        return "assumed: four characters a token, answers as short or as long as its limit allows"


def forecast(plan: Plan, store: Store, todo: Sequence[Slot]) -> tuple[Forecast, ...]:
    """A forecast for each candidate of a plan, in its order; nothing is called.

    Trials of the same candidate's model and parameters that are stored, in this run or any other, tell the tokens of
    an answer. Retries are not foreseen.
    """
    played = [slot for slot in todo if plan.cases[slot.case].kind == "ticket"]
    return tuple(
        _of(plan, name, [slot for slot in played if slot.candidate == name], _stored(plan, store, name))
        for name in plan.candidates
    )


def _of(plan: Plan, name: str, slots: Sequence[Slot], usages: Sequence[Usage]) -> Forecast:
    candidate = plan.candidates[name]
    spec = spec_of(candidate, candidate.model or "")
    count = len(slots)
    if len(usages) >= ENOUGH:
        asked, said = (_spread([getattr(each, side) for each in usages], count) for side in ("input", "output"))
        return Forecast(name, count, asked, said, _cost(spec, asked, said), len(usages))
    characters = {case: _characters(plan, name, case) for case in dict.fromkeys(slot.case for slot in slots)}
    tokens = sum(characters[slot.case] for slot in slots) / CHARACTERS_PER_TOKEN
    most = candidate.max_tokens or LONGEST
    # Tokenizers differ by about a fifth either way on plain text.
    asked = Range(0.8 * tokens, tokens, 1.3 * tokens)
    said = Range(count * min(SHORTEST, most), count * min((SHORTEST + LONGEST) / 2, most), count * most)
    return Forecast(name, count, asked, said, _cost(spec, asked, said), 0)


def _characters(plan: Plan, name: str, case: str) -> int:
    ticket = plan.cases[case].ticket
    if ticket is None:
        return 0
    return sum(len(each.text) for each in ticket_messages(ticket, plan.candidates[name], plan.suite, plan.retrieval))


def _spread(tokens: Sequence[int], count: int) -> Range:
    tenths = statistics.quantiles(tokens, n=10, method="inclusive")
    return Range(count * tenths[0], count * statistics.fmean(tokens), count * tenths[-1])


def _cost(spec: ModelSpec, asked: Range, said: Range) -> Range | None:
    if not price_known(spec):
        return None
    ends = [
        usd_of(spec, Usage(round(getattr(asked, end)), round(getattr(said, end)))) for end in ("low", "likely", "high")
    ]
    return None if None in ends else Range(*ends)  # type: ignore[arg-type]


def _stored(plan: Plan, store: Store, name: str) -> list[Usage]:
    """The tokens of stored trials of the same model, parameters and prompt, of whatever case and run."""
    case = next(iter(plan.cases.values()))
    parts = trial_parts(case, plan.candidates[name], plan.suite, plan.retrieval)
    alike = store.parts.trials_with({part: canonical(parts[part]) for part in TELLING}, NEWEST)
    return [usage for trial in alike if (usage := _usage(trial))]


def _usage(trial: Trial) -> Usage | None:
    usages = [attempt.usage for attempt in trial.attempts if attempt.usage]
    return Usage(sum(each.input for each in usages), sum(each.output for each in usages)) if usages else None
