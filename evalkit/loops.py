"""A coroutine run to its end from anywhere, also from inside a notebook's running event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")


def in_own_loop(work: Coroutine[Any, Any, Result]) -> Result:
    """What `work` comes to, on a loop of its own thread: a caller may have one running, and Ctrl-C stays ours."""
    loop = asyncio.new_event_loop()
    task = loop.create_task(work)

    async def whole() -> Result:
        return await task

    def run() -> Result:
        # A Runner also ends what is left running behind a task that was stopped.
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            return runner.run(whole())

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run)
        try:
            # Waking now and then lets Ctrl-C through, which a plain wait holds back until the work is over.
            while not wait([future], timeout=0.2).done:
                pass
            return future.result()
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        except KeyboardInterrupt:
            with suppress(RuntimeError):  # the loop may have ended just now
                loop.call_soon_threadsafe(task.cancel)
            raise
