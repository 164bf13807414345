"""Plays the slots of a plan that are not in the store, and keeps each trial the moment it ends."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evalkit.client import Budget, Client, ModelSpec, missing_keys, spec_of, unknown_models
from evalkit.dialogue import Stage, factory_of, play
from evalkit.errors import BudgetExceeded, ShootoutError
from evalkit.loops import in_own_loop
from evalkit.plan import Plan
from evalkit.sandbox import Toolbox
from evalkit.store import Slot, Store
from evalkit.transcript import NEVER_MEASURED, STATUSES, Trial


@dataclass(frozen=True)
class Options:
    """How a plan is played; none of it changes what a trial says."""

    concurrency: int | None = None
    sequential: bool = False
    fresh: bool = False
    retry_empty: bool = False
    budget_usd: float | None = None


@dataclass(frozen=True)
class Played:
    """What came of playing a run: its slots by status, and what was spent now, not in an earlier session.

    `usd` is None where the cost of a call is unknown. `stopped` says why slots were left, '' where none was.
    """

    run: str
    slots: dict[str, int]
    calls: int
    usd: float | None
    stopped: str = ""

    @property
    def incomplete(self) -> int:
        """Number of slots that were not measured."""
        return sum(self.slots[status] for status in NEVER_MEASURED)


Progress = Callable[[Trial | None, int, int], None]


def pending(plan: Plan, store: Store, options: Options) -> tuple[Slot, ...]:
    """The slots that playing this plan would play, in their order; the run must have begun."""
    again: set[str | None] = {None, "error", "timeout"} | ({"empty"} if options.retry_empty else set())
    statuses = store.statuses(plan.run)
    return tuple(
        slot for slot in plan.slots if (options.fresh or statuses[slot.fingerprint] in again) and plan.plays(slot.case)
    )


def begin(plan: Plan, store: Store) -> None:
    """Record the run, its slots and its suite in the store; one that the plan adds to is there already."""
    if plan.of is not None:
        return
    origin = str(Path(plan.suite.origin).resolve())
    store.begin(plan.manifest(), plan.slots, plan.suite.files, origin, plan.composed)


def play_plan(plan: Plan, store: Store, options: Options = Options(), progress: Progress | None = None) -> Played:
    """Play what is missing of a plan.

    `progress` is called with each trial as it ends, the number done and the number to do. Raises ShootoutError where
    the run cannot start (a missing key, a budget over a model without a price) before anything is played, and
    KeyboardInterrupt on Ctrl-C, after which the same call goes on where it stopped.
    """
    with store.writing():
        # A run that may not start leaves no trace.
        budget = admitted(plan, store, options)
        begin(plan, store)
        if options.fresh and plan.of is None:
            # A second look at trials that are played anew is none.
            store.note(plan.run, reruns=None)
        slots = pending(plan, store, options)
        stopped = ""
        if slots:
            # Not before something is to be played: its client loads LiteLLM, which takes seconds.
            session = _Session(plan, store, budget, progress, len(slots))
            limit = 1 if options.sequential else options.concurrency or plan.shootout.concurrency
            try:
                in_own_loop(session.play_all(_passes(plan, slots), limit))
            finally:
                _note_spent(plan, store, budget)
            stopped = session.stopped
        else:
            _note_spent(plan, store, budget)
        # Only those of this plan: a gate may have had others played anew.
        statuses = store.statuses(plan.run)
        if stopped or None not in statuses.values():
            store.note(plan.run, stopped=stopped or None)
        counts = Counter(statuses[slot.fingerprint] or "not_run" for slot in plan.slots)
    return Played(
        run=plan.run,
        slots={status: counts.get(status, 0) for status in STATUSES},
        calls=budget.spent_calls,
        usd=None if budget.unpriced_calls else budget.spent_usd,
        stopped=stopped,
    )


def _note_spent(plan: Plan, store: Store, budget: Budget) -> None:
    """What this session spent of which budget, in the run's manifest: grading has what is left of it.

    A session that plays anew for a gate is no part of what is graded. Under a limit in dollars a call of unknown cost
    counts as what was set aside for it; without one the sum is unknown, None.
    """
    if plan.of is not None:
        return
    known = budget.usd is not None or not budget.unpriced_calls
    limits = {"usd": budget.usd, "calls": budget.calls}
    store.note(
        plan.run,
        spent={"usd": budget.spent_usd if known else None, "calls": budget.spent_calls},
        budget=limits if any(limit is not None for limit in limits.values()) else None,
        graded_spent=None,
    )


def _passes(plan: Plan, slots: tuple[Slot, ...]) -> list[tuple[Slot, ...]]:
    """The slots pass by pass: a pass is over before the next begins, or they would not tell how passes differ."""
    asked = {slot.fingerprint for slot in slots}
    return [tuple(slot for slot in each if slot.fingerprint in asked) for each in plan.passes]


def admitted(plan: Plan, store: Store, options: Options) -> Budget:
    """The budget of this session, where every model that is to be called has a key and, under a limit, a price."""
    limits = plan.shootout.budget
    todo = plan.slots if options.fresh else store.unfinished(plan.slots, retry_empty=options.retry_empty)
    names = {slot.candidate for slot in todo}
    for name in names:
        if plan.candidates[name].agent is not None:
            factory_of(plan.candidates[name])
    specs = {name: spec_of(each, each.model) for name, each in plan.candidates.items() if name in names and each.model}
    customer = plan.shootout.customer
    if customer is not None and any(plan.cases[slot.case].kind == "conversation" for slot in todo):
        specs["customer"] = spec_of(customer, customer.model)
    if unknown := unknown_models(specs.values()):
        raise ShootoutError(
            f"no provider has a model {', '.join(unknown)}; write it as LiteLLM names it, such as openai/gpt-4.1-mini, "
            "and for an OpenAI-compatible server of your own openai/NAME with an api_base"
        )
    keys = missing_keys(specs.values())
    if keys:
        raise ShootoutError(f"missing API key: set {', '.join(keys)} in the environment or in .env")
    usd = limits.usd if options.budget_usd is None else options.budget_usd
    budget = Budget(usd=usd, calls=limits.calls)
    # The budget is the graders' too: one without a price could never be held to what is left of it.
    budget.admit(specs | (_graders(plan) if todo else {}))
    return budget


def _graders(plan: Plan) -> dict[str, ModelSpec]:
    role = plan.shootout.grader
    if role is None:
        return {}
    strong = {"the strong grader": spec_of(role.strong, role.strong.model)} if role.strong else {}
    return {"the grader": spec_of(role, role.model), **strong}


class _Session:
    """One pass over the pending slots: workers, what they spent, and why they stopped."""

    def __init__(self, plan: Plan, store: Store, budget: Budget, progress: Progress | None, total: int) -> None:
        self.plan, self.store, self.progress, self.total = plan, store, progress, total
        self.client = Client(request_timeout_s=plan.shootout.request_timeout_s, budget=budget)
        # The suite's tools are its own code, executed here and nowhere else.
        toolbox = Toolbox(plan.suite) if any(case.kind == "conversation" for case in plan.cases.values()) else None
        self.stage = Stage(
            plan.suite, plan.retrieval, self.client, plan.shootout.timeout_s, toolbox, plan.shootout.customer
        )
        self.done, self.stopped = 0, ""
        # When the event loop woke late, and by how much; old entries fall out.
        self.lags: deque[tuple[float, float]] = deque(maxlen=10_000)

    async def play_all(self, passes: Iterable[tuple[Slot, ...]], limit: int) -> None:
        watch = asyncio.create_task(self._watch_loop())
        try:
            for slots in passes:
                await self._play_pass(slots, limit)
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
            await self.client.aclose()

    async def _play_pass(self, slots: tuple[Slot, ...], limit: int) -> None:
        waiting = iter(slots)
        workers = [asyncio.create_task(self._work(waiting)) for _ in range(min(limit, len(slots)))]
        try:
            await asyncio.gather(*workers)
        finally:
            for task in workers:
                task.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _work(self, waiting: Iterator[Slot]) -> None:
        plan = self.plan
        for slot in waiting:
            if self.stopped:
                return
            start = asyncio.get_running_loop().time()
            try:
                trial = await play(slot, plan.cases[slot.case], plan.candidates[slot.candidate], self.stage)
            except BudgetExceeded as error:
                self.stopped = str(error)
                return
            lag = max((late for at, late in self.lags if at >= start), default=0.0)
            self._keep(replace(trial, loop_lag_s=round(lag, 4)))

    def _keep(self, trial: Trial) -> None:
        self.store.save(self.plan.run, trial)
        self.done += 1
        if self.progress is not None:
            self.progress(trial, self.done, self.total)

    async def _watch_loop(self) -> None:
        """Measure how late the event loop wakes, so that a busy client is not read as a slow model."""
        loop, nap = asyncio.get_running_loop(), 0.05
        while True:
            due = loop.time() + nap
            await asyncio.sleep(nap)
            if loop.time() - due > 0.005:
                self.lags.append((loop.time(), loop.time() - due))
