"""Grades what is not graded yet: its own stage, with its own number at once, budget and deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from evalkit.client import Budget, Client, ModelSpec, missing_keys, spec_of, unknown_models
from evalkit.errors import BudgetExceeded, ShootoutError
from evalkit.grading.asking import ask
from evalkit.grading.cascade import next_asked
from evalkit.grading.panel import LIVE, Panel, Subject
from evalkit.loops import in_own_loop
from evalkit.shootout import GraderRole, Role
from evalkit.store import Store
from evalkit.transcript import Grade

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class GradeOptions:
    """How a panel is asked; none of it changes what a grade says."""

    series: str = LIVE
    concurrency: int | None = None
    retry_unscored: bool = False
    budget_usd: float | None = None


@dataclass(frozen=True)
class Graded:
    """What came of grading: transcripts by what became of them, and what was spent now.

    `usd` is None where the cost of a call is unknown. `stopped` says why transcripts were left, '' where none was.
    """

    transcripts: int
    calls: int
    usd: float | None
    stopped: str = ""


def grade_subjects(
    role: GraderRole,
    panel: Panel,
    subjects: Iterable[Subject],
    store: Store,
    options: GradeOptions | None = None,
    progress: Progress | None = None,
    budget: Budget | None = None,
) -> Graded:
    """Ask a panel for every grade that is missing in the store; each is kept the moment it comes.

    Equal transcripts are graded once. `progress` is called with the number of transcripts done and to do. `budget` may
    have been drawn on before; without one it is the grader's own. Raises ShootoutError where a key is missing, or the
    price under a limit in dollars, before anybody is asked.
    """
    options = options or GradeOptions()
    unique = list({(each.content, each.reference): each for each in subjects}.values())
    with store.writing():
        known = store.grades.of(list(panel.keys(unique, options.series)))
        todo = [each for each in unique if _missing(panel, each, known, options)]
        budget = budget or Budget(usd=limit_usd(role, options), calls=role.budget.calls)
        if todo:
            _admit(panel, budget)
        calls, unpriced, usd = budget.spent_calls, budget.unpriced_calls, budget.spent_usd
        session = _Session(role, panel, store, options, budget, known, progress, len(todo))
        if todo:
            in_own_loop(session.grade_all(todo, options.concurrency or role.concurrency))
    known = budget.unpriced_calls == unpriced
    return Graded(len(unique), budget.spent_calls - calls, budget.spent_usd - usd if known else None, session.stopped)


def limit_usd(role: GraderRole, options: GradeOptions) -> float | None:
    """The US dollars that a session of grading is given by itself: as asked for, else as the grader's role has it."""
    return role.budget.usd if options.budget_usd is None else options.budget_usd


def cannot_grade(role: GraderRole) -> str:
    """Why the graders of a shootout could not be asked, in a sentence, before any is; '' where nothing is known."""
    roles = [role, *([role.strong] if role.strong else [])]
    return _unreachable([spec_of(each, each.model) for each in roles]) or _misheld(roles)


def _missing(panel: Panel, subject: Subject, known: Mapping[str, Grade], options: GradeOptions) -> bool:
    asked = next_asked(panel, subject, known, options.series, retry_unscored=options.retry_unscored)
    return next(asked, None) is not None


def _misheld(roles: Iterable[Role]) -> str:
    """What an offline grader would say of parameters that it does not know."""
    from evalkit.offline.grading import Hand

    for role in roles:
        if role.model.startswith("offline/"):
            try:
                Hand.of(role.parameters)
            except (TypeError, ValueError) as error:
                return str(error)
    return ""


def _admit(panel: Panel, budget: Budget) -> None:
    """Raise ShootoutError where a grader cannot be reached or, under a limit, has no price."""
    specs = {each.which: each.spec for each in (panel.cheap, panel.strong) if each is not None}
    if said := _unreachable(specs.values()):
        raise ShootoutError(said)
    budget.admit({f"the {which} grader": spec for which, spec in specs.items()})


def _unreachable(specs: Collection[ModelSpec]) -> str:
    if unknown := unknown_models(specs):
        return (
            f"no provider has a model {', '.join(unknown)} to grade with; write it as LiteLLM names it, "
            "such as openai/gpt-4.1-mini"
        )
    if keys := missing_keys(specs):
        return f"missing API key: set {', '.join(keys)} in the environment or in .env"
    return ""


class _Session:
    """One pass over the transcripts: workers, what they spent, and why they stopped."""

    def __init__(
        self,
        role: GraderRole,
        panel: Panel,
        store: Store,
        options: GradeOptions,
        budget: Budget,
        known: dict[str, Grade],
        progress: Progress | None,
        total: int,
    ) -> None:
        self.role, self.panel, self.store, self.options = role, panel, store, options
        self.budget, self.known, self.progress, self.total = budget, known, progress, total
        self.done, self.stopped = 0, ""

    async def grade_all(self, subjects: list[Subject], limit: int) -> None:
        client = Client(budget=self.budget)
        waiting = iter(subjects)
        workers = [asyncio.create_task(self._work(client, waiting)) for _ in range(min(limit, len(subjects)))]
        try:
            await asyncio.gather(*workers)
        finally:
            for task in workers:
                task.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            await client.aclose()

    async def _work(self, client: Client, waiting: Iterator[Subject]) -> None:
        for subject in waiting:
            if self.stopped:
                return
            try:
                await self._grade(client, subject)
            except BudgetExceeded as error:
                self.stopped = str(error)
                return
            self.done += 1
            if self.progress is not None:
                self.progress(self.done, self.total)

    async def _grade(self, client: Client, subject: Subject) -> None:
        """Ask for what is missing; the cheap grader's verdict may send the transcript to the strong one."""
        asked: set[str] = set()
        again = self.options.retry_unscored
        while True:
            missing = next_asked(self.panel, subject, self.known, self.options.series, retry_unscored=again)
            todo = next((each for each in missing if each[1] not in asked), None)
            if todo is None:
                return
            grader, key, answer = todo
            asked.add(key)
            grade = await ask(
                client, self.panel, grader, subject, key, answer, self.options.series, self.role.timeout_s
            )
            self.store.grades.save(grade)
            self.known[key] = grade
