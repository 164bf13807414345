"""What agreement costs: kappa with 10,000 resamples on 1,000 labelled trials, the median of seven rounds.

.venv/bin/python benchmarks/agreement.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from evalkit.stats.agreement import difference, kappa, relatives

TRIALS = 1000
ROUNDS = 7


def seconds(work: Callable[[], object]) -> float:
    """The median wall clock, after one call that imports what is needed."""
    work()
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> None:
    """Print the seconds for two classes and for a scale of five, each trial a case of its own or in cases."""
    rng = np.random.default_rng(0)
    scale = rng.choice(5, size=TRIALS, p=[0.05, 0.1, 0.15, 0.3, 0.4])
    human, second, grader = (np.clip(scale + rng.choice([-1, 0, 1], TRIALS, p=[0.1, 0.8, 0.1]), 0, 4) for _ in range(3))
    cases = rng.integers(0, 300, size=TRIALS)
    passes = [side >= 3 for side in (human, second, grader)]
    alone = {f"trial {i}": i for i in range(TRIALS)}
    five = range(5)
    for name, work in (
        ("pass or fail", lambda: kappa(*passes[:2])),
        ("pass or fail, 300 cases", lambda: kappa(*passes[:2], cases=cases)),
        ("pass or fail, 1,000 cases by name", lambda: kappa(*passes[:2], cases=list(alone))),
        ("quadratic, 300 cases", lambda: kappa(human, grader, labels=five, weights="quadratic", cases=cases)),
        ("relatives, 300 cases", lambda: relatives(*passes[:2], cases=cases)),
        ("difference, scale of five, 300 cases", lambda: difference(human, second, grader, labels=five, cases=cases)),
    ):  # fmt: skip
        print(f"{name}: {seconds(work):.2f} s for 10,000 resamples of {TRIALS} labelled trials")


if __name__ == "__main__":
    main()
