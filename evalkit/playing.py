"""A shootout played from a script or a notebook: one call, one Run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evalkit.client import load_env
from evalkit.errors import BudgetExceeded
from evalkit.home import at_home, home
from evalkit.plan import Selection, plan
from evalkit.progress import progress
from evalkit.runner import Options, play_plan
from evalkit.runs import load_run
from evalkit.store import Store
from evalkit.tables import Run


def run(
    shootout: str | Path,
    *,
    cases: Sequence[str] = (),
    strata: Sequence[str] = (),
    candidates: Sequence[str] = (),
    trials: int | None = None,
    sample: str | int | None = None,
    seed: int | None = None,
    repeats: int | None = None,
    store: str | Path | None = None,
    quiet: bool = False,
    **options: object,
) -> Run:
    """The run of a shootout file, with what was missing of it played now.

    `cases`, `strata`, `candidates` and `sample` choose a part, as in `plan.Selection`, and `options` are those of
    `runner.Options`. Works in a script and inside the event loop of a notebook. Raises what `plan` and `play_plan`
    raise, and BudgetExceeded where the budget ended the run; what was played is kept.
    """
    load_env(home() / ".env")
    named = None if sample is None else str(sample)
    asked = Selection(tuple(cases), tuple(strata), tuple(candidates), trials, named, seed, repeats)
    planned = plan(at_home(shootout), asked)
    with Store(store) as opened, progress(planned, quiet=quiet) as show:
        played = play_plan(planned, opened, Options(**options), show)  # type: ignore[arg-type]
    if played.stopped:
        raise BudgetExceeded(played.stopped)
    return load_run(planned.run, store)
