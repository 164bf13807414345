"""What a report says of a run by its kind: one that played a shootout, or one that only graded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.errors import ReportError

if TYPE_CHECKING:
    from evalkit.tables import Run

# The shipped notebooks that read trials.
OF_TRIALS = ("10_", "20_", "40_", "60_")
# Those that read transcripts or graders, of which an imported run has none.
OF_TRANSCRIPTS = ("30_", "50_", "60_")


def graded_alone(run: Run) -> bool:
    """Whether a run played nothing, and graded labelled transcripts."""
    return not run.pairs and "series" in run.manifest


def headline_of(run: Run) -> str:
    """The answer of a run in a line: who should answer next or, where nothing was played, how its grader stands."""
    if not graded_alone(run):
        from evalkit.recommend import recommend

        return recommend(run).headline
    from evalkit.calibration import answer, is_month

    if is_month(run.series):
        return answer(run).says
    from evalkit.measurement import measure

    decision = measure(run).decision
    return f"The grader is {decision.word}. {' '.join(decision.reasons[:1])}"


def is_complete(run: Run) -> bool:
    """Whether nothing is missing: no trial or, where nothing was played, no grade of a labelled transcript.

    A run whose grading was stopped is not complete either.
    """
    if run.manifest.get("grading_stopped"):
        return False
    if not graded_alone(run):
        return run.complete
    from evalkit.calibration import settled

    return settled(run)


def asked_of(run: Run, notebooks: Sequence[Path], folder: Path) -> list[Path]:
    """The notebooks that a run has something for; `folder` is where the shipped ones lie.

    Raises ReportError where there is none.
    """
    if graded_alone(run):
        silent, why = OF_TRIALS, "graded labelled transcripts and played nothing"
    elif "imported" in run.manifest:
        silent, why = OF_TRANSCRIPTS, "was imported, with verdicts and no transcripts"
    else:
        return list(notebooks)
    found = [path for path in notebooks if path.parent != folder or not path.name.startswith(silent)]
    if not found:
        named = ", ".join(path.stem for path in notebooks)
        raise ReportError(f"run {run.id[:8]} {why}, so {named} shows nothing")
    return found
