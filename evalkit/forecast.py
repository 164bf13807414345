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

    Input tokens follow from the characters that would be sent. `based_on` is the number of stored trials that tell how
    many of them a token has, and how long an answer is; where it is 0 both are assumed. `usd` is None where the price
    is unknown.
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
            return f"answers and tokens as in {self.based_on} stored trials of it, by their 10th and 90th percentiles"
        return "assumed: four characters a token, answers as short or as long as its limit allows"


def forecast(plan: Plan, store: Store, todo: Sequence[Slot]) -> tuple[Forecast, ...]:
    """A forecast for each candidate of a plan, in its order; nothing is called.

    Trials of the same candidate's model, parameters and prompt that are stored, in this run or any other, tell the
    tokens of an answer, and how many a character has. Retries are not foreseen.
    """
    played = [slot for slot in todo if plan.plays(slot.case)]
    return tuple(
        _of(plan, name, [slot for slot in played if slot.candidate == name], _stored(plan, store, name))
        for name in plan.candidates
    )


def _of(plan: Plan, name: str, slots: Sequence[Slot], stored: Sequence[tuple[int, Usage]]) -> Forecast:
    candidate = plan.candidates[name]
    spec = spec_of(candidate, candidate.model or "")
    count = len(slots)
    sent = {case: _characters(plan, name, case) for case in dict.fromkeys(slot.case for slot in slots)}
    characters = sum(sent[slot.case] for slot in slots)
    if len(stored) >= ENOUGH:
        asked = _spread([usage.input / chars for chars, usage in stored], characters)
        said = _spread([usage.output for _, usage in stored], count)
        return Forecast(name, count, asked, said, _cost(spec, asked, said), len(stored))
    tokens = characters / CHARACTERS_PER_TOKEN
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


def _stored(plan: Plan, store: Store, name: str) -> list[tuple[int, Usage]]:
    """The characters sent and the tokens of stored trials that tell of a candidate, of whatever case and run."""
    case = next(iter(plan.cases.values()))
    parts = trial_parts(case, plan.candidates[name], plan.suite, plan.retrieval, plan.shootout.customer)
    alike = store.parts.trials_with({part: canonical(parts[part]) for part in TELLING}, NEWEST)
    return [told for trial in alike if (told := _told(trial))]


def _told(trial: Trial) -> tuple[int, Usage] | None:
    usages = [attempt.usage for attempt in trial.attempts if attempt.usage]
    sent = sum(len(each.text) for each in trial.messages if each.role in ("system", "user"))
    if not usages or not sent:
        return None
    # An answer that was asked for twice was paid for twice; what is foreseen is asked once.
    return sent, Usage(usages[-1].input, usages[-1].output)
