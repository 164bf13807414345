"""How far long work has come: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evalkit.plan import Plan
from evalkit.transcript import Trial

_EVERY_S = 10.0

Show = Callable[[Trial | None, int, int], None]
Count = Callable[[int, int], None]


@contextmanager
def progress(plan: Plan, *, quiet: bool = False) -> Iterator[Show]:
    """A function to call with each trial as it ends, the number done and the number to do."""
    with counting("trials played", plan.shootout.name, quiet=quiet) as count:
        yield lambda trial, done, total: count(done, total)


@contextmanager
def counting(what: str, name: str = "", *, quiet: bool = False) -> Iterator[Count]:
    """A function to call with the number of `what` that are done and are to do; `name` heads a terminal's bar."""
    if quiet:
        yield lambda done, total: None
    elif sys.stderr.isatty():
        yield from _bar(name or what)
    else:
        yield _lines(what)


def _bar(name: str) -> Iterator[Count]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _lines(what: str) -> Count:
    last = time.monotonic()

    def show(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _EVERY_S or done == total:
            last = time.monotonic()
            print(f"{done} of {total} {what}", file=sys.stderr, flush=True)

    return show
