"""How far a run has come: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evalkit.plan import Plan
from evalkit.transcript import Trial

_EVERY_S = 10.0

Show = Callable[[Trial | None, int, int], None]


@contextmanager
def progress(plan: Plan, *, quiet: bool = False) -> Iterator[Show]:
    """A function to call with each trial as it ends, the number done and the number to do."""
    if quiet:
        yield lambda trial, done, total: None
    elif sys.stderr.isatty():
        yield from _bar(plan)
    else:
        yield _lines()


def _bar(plan: Plan) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(plan.shootout.name, total=None)
        yield lambda trial, done, total: bar.update(task, completed=done, total=total)


def _lines() -> Show:
    last = time.monotonic()

    def show(_: Trial | None, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _EVERY_S or done == total:
            last = time.monotonic()
            print(f"{done} of {total} trials played", file=sys.stderr, flush=True)

    return show
