"""How long a decision takes over 400 cases in twelve strata, its baseline repeated five times; and 2,000 simulated."""

from __future__ import annotations

import random
import time
from types import SimpleNamespace

from evalkit.gate import decide, side_of
from evalkit.stats.simulated import alike, simulate

CASES, STRATA, REPEATS, TRIALS = 400, 12, 5, 3
PULL_REQUESTS = 2_000


def main() -> None:
    """Print the seconds of processor time that each step takes."""
    draw = random.Random(0)

    def side(trials: int) -> dict[str, SimpleNamespace]:
        return {
            f"case-{n}": SimpleNamespace(
                id=f"case-{n}",
                stratum=f"stratum-{n % STRATA}",
                must_pass=n % 10 == 0,
                runs=[draw.random() < 0.95 for _ in range(trials)],
            )
            for n in range(CASES)
        }

    baseline, candidate = side_of(side(TRIALS * REPEATS), role="baseline", k=TRIALS), side_of(side(TRIALS), k=TRIALS)
    decide(baseline, candidate)
    started = time.process_time()
    decision = decide(baseline, candidate)
    decided = time.process_time()
    # Ten cases whose trials each pass with 0.95, under the band of 2 known standard deviations (statistics.md, B4).
    simulate([alike(10, 0.95**TRIALS, band=0.312772)] * STRATA, k=TRIALS, pull_requests=PULL_REQUESTS)
    done = time.process_time()
    print(f"{CASES} cases, {REPEATS} repeats: {decision.verdict} in {decided - started:.3f} s; ", end="")
    print(f"{PULL_REQUESTS:,} pull requests simulated in {done - decided:.2f} s")


if __name__ == "__main__":
    main()
