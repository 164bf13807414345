"""What grading would take: the calls of the grader, and those of the strong one that are to be expected."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evalkit.cases import Case
from evalkit.client import ModelSpec, spec_of
from evalkit.forecast.figures import CHARACTERS_PER_TOKEN, ENOUGH, Forecast, Range, cost, spread
from evalkit.forecast.playing import KINDS, SHORTEST, TALK_CALLS, TALK_SAID
from evalkit.grading import Panel, Subject, Turn, grader_messages, panel_of, reference_of, subject_of
from evalkit.grading.cascade import is_near
from evalkit.grading.panel import Which
from evalkit.plan import Plan
from evalkit.store import Slot, Store
from evalkit.transcript import Grade, Usage

# Of the newest stored answers so many are looked at: more than the trials of one kind of case that end a run.
NEWEST = 1500
# Where no grade by this panel is stored: the share of verdicts that lie near the threshold.
NEAR = (0.05, 0.2, 0.5)
# Tokens that a grader writes on one criterion.
VERDICT = (15, 40, 100)
# Tokens of an answer to a ticket as it is read by a grader.
ANSWER = (SHORTEST, 200, 600)


def grading_forecast(plan: Plan, store: Store, slots: Sequence[Slot], turns: int | None = None) -> tuple[Forecast, ...]:
    """What grading these slots' trials would take: of the grader, and of the strong one where there is one.

    A rubric `per: trial` asks once a trial, one `per: turn` once an answer: `turns` of a conversation, and one of a
    ticket. The strong grader is asked of the rubric's audited share, and of the share of the others whose verdict lies
    near the threshold: as measured on stored grades by the same graders, or assumed (`NEAR`). Trials of a baseline's
    further passes are not graded. Equal transcripts are graded once, which is not foreseen.
    """
    role = plan.shootout.grader
    graded = [slot for slot in slots if slot.number < plan.trials]
    if role is None or not graded:
        return ()
    panel = panel_of(role, plan.suite)
    weights = {slot: _weight(plan.cases[slot.case], panel, turns) for slot in graded}
    asked = _total(weights.values())
    subjects = _subjects(plan, store)
    told = _given(store, panel, subjects, "cheap")
    found = [_forecast("cheap", spec_of(role, role.model), asked, panel, _usages(told))]
    if role.strong is not None:
        by_kind = {kind: [grades for each, grades in told if each == kind] for kind in KINDS}
        near = {kind: _near(panel, grades) for kind, grades in by_kind.items()}
        parts = [each.times(_asked(panel, near[plan.cases[slot.case].kind])) for slot, each in weights.items()]
        spec, told = spec_of(role.strong, role.strong.model), _given(store, panel, subjects, "strong")
        found.append(_forecast("strong", spec, _total(parts), panel, _usages(told)))
    return tuple(found)


@dataclass(frozen=True)
class _Weight:
    """Of grading one trial: the calls, and the tokens that they send in all."""

    calls: float
    tokens: Range

    def times(self, share: Range) -> _Weight:
        """So much of it."""
        ends = zip(_ends(self.tokens), _ends(share), strict=True)
        return _Weight(self.calls * share.likely, Range(*(tokens * part for tokens, part in ends)))


def _total(weights: Iterable[_Weight]) -> _Weight:
    found = list(weights)
    tokens = Range(*(sum(each) for each in zip(*(_ends(weight.tokens) for weight in found), strict=True)))
    return _Weight(sum(weight.calls for weight in found), tokens)


def _asked(panel: Panel, near: Range) -> Range:
    """The share of transcripts that the strong grader is asked about: the audited, and of the others those near."""
    return Range(*(panel.rubric.audit + (1 - panel.rubric.audit) * each for each in _ends(near)))


def _weight(case: Case, panel: Panel, turns: int | None) -> _Weight:
    if case.ticket is not None:
        read = Turn("customer", f"{case.ticket.subject}\n{case.ticket.body}"), Turn("agent", "")
        return _Weight(1, _sent(case, panel, read, ANSWER))
    numbers = TALK_CALLS["customer"] if turns is None else (turns,) * 3
    said = [
        number * (mine + theirs)
        for number, mine, theirs in zip(numbers, TALK_SAID["agent"], TALK_SAID["customer"], strict=True)
    ]
    once = _sent(case, panel, (Turn("agent", ""),), said)
    if panel.rubric.per == "trial":
        return _Weight(1, once)
    # Each call for an answer sends the whole conversation.
    return _Weight(numbers[1], Range(*(n * each for n, each in zip(numbers, _ends(once), strict=True))))


def _sent(case: Case, panel: Panel, turns: Sequence[Turn], said: Sequence[float]) -> Range:
    """Tokens that one call sends: instructions, rubric, golden answer, these turns, and what is still to be said."""
    messages = grader_messages(panel.rubric, panel.instructions, turns, reference_of(case))
    known = sum(len(each.text) for each in messages) / CHARACTERS_PER_TOKEN
    # Tokenizers differ by about a fifth either way on plain text.
    return Range(0.8 * known + said[0], known + said[1], 1.3 * known + said[2])


def _forecast(which: Which, spec: ModelSpec, asked: _Weight, panel: Panel, told: Sequence[Usage]) -> Forecast:
    calls = asked.calls
    name, role = ("the grader", "grader") if which == "cheap" else ("the strong grader", "strong")
    if len(told) >= ENOUGH:
        sent = spread([each.input for each in told], calls)
        said = spread([each.output for each in told], calls)
        return Forecast(name, 0, round(calls), sent, said, cost(spec, sent, said), len(told), role=role)
    said = Range(*(calls * len(panel.rubric.criteria) * each for each in VERDICT))
    return Forecast(name, 0, round(calls), asked.tokens, said, cost(spec, asked.tokens, said), 0, role=role)


def _ends(found: Range) -> tuple[float, float, float]:
    return found.low, found.likely, found.high


def _near(panel: Panel, told: Sequence[Sequence[Grade]]) -> Range:
    """The share of transcripts with a verdict near the threshold."""
    if not panel.rubric.near:
        return Range(0, 0, 0)
    if len(told) < ENOUGH:
        return Range(*NEAR)
    return Range(*(statistics.fmean(is_near(panel, each) for each in told),) * 3)


def _subjects(plan: Plan, store: Store) -> list[tuple[str, Subject]]:
    """What is graded of the newest stored trials on this suite's cases, of whatever run, each with its kind of case."""
    known = plan.suite.by_id
    cases = [(trial, known[trial.case]) for trial in store.answers(NEWEST) if trial.case in known]
    return [(case.kind, subject) for trial, case in cases if (subject := subject_of(trial, case))]


def _given(
    store: Store, panel: Panel, subjects: Sequence[tuple[str, Subject]], which: Which
) -> list[tuple[str, list[Grade]]]:
    """The grades that one of these very graders gave transcripts, each with its kind, where all of them were read."""
    keys = [(kind, [key for key, _ in panel.asked_for(each, which)]) for kind, each in subjects]
    grades = store.grades.of([key for _, each in keys for key in each])
    read = {key: grade for key, grade in grades.items() if grade.status == "graded"}
    return [(kind, [read[key] for key in each]) for kind, each in keys if each and all(key in read for key in each)]


def _usages(told: Sequence[tuple[str, Sequence[Grade]]]) -> list[Usage]:
    """The tokens of the last attempt at each grade."""
    return [last.usage for _, grades in told for grade in grades for last in grade.attempts[-1:] if last.usage]
