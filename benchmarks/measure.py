"""What the workbench costs: start-up against a bare Python, judging, and playing; medians and ratios of one run.

.venv/bin/python benchmarks/measure.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROUNDS = 7


def seconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median wall clock of several calls."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def process(arguments: Sequence[str]) -> Callable[[], object]:
    """A call that runs this Python with these arguments as a process of its own."""
    return lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def start_up() -> None:
    """Print what each command takes above an empty Python."""
    empty = seconds(process(["-c", "pass"]))
    for name, arguments in (("evalkit --help", ["--help"]), ("evalkit check cases", ["check", "cases"])):
        taken = seconds(process(["-m", "evalkit.cli", *arguments]))
        print(f"{name}: {taken - empty:.2f} s above an empty Python ({empty:.2f} s), ratio {taken / empty:.1f}")


def playing() -> None:
    """Print how fast the default shootout is played, and judged from a filled store."""
    from evalkit.plan import plan
    from evalkit.runner import Options, play_plan
    from evalkit.runs import load_run
    from evalkit.store import Store

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store.sqlite")
        planned = plan("cases/shootouts/offline.yaml")
        with Store(path) as store:
            first = seconds(lambda: play_plan(planned, store), rounds=1)
            fresh = seconds(lambda: play_plan(planned, store, Options(fresh=True)), rounds=3)
            again = seconds(lambda: play_plan(planned, store), rounds=3)
        judged = seconds(lambda: load_run("latest", path).judged, rounds=3)
    slots = len(planned.slots)
    rate = slots / fresh
    print(f"playing {slots} slots: {first:.1f} s with the first import, {fresh:.1f} s without ({rate:.0f} a second)")
    print(f"nothing to play: {again:.2f} s; loading and judging {slots} stored trials: {judged:.2f} s")


if __name__ == "__main__":
    start_up()
    playing()
