"""Grades a run, or the labelled transcripts alone, and says what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from evalkit.archive import is_archive
from evalkit.client import Budget
from evalkit.errors import CaseError, ShootoutError
from evalkit.fingerprint import sha256
from evalkit.grading import (
    LIVE,
    GradeOptions,
    Subject,
    grade_subjects,
    grader_of,
    grading_of,
    limit_usd,
    panel_of,
)
from evalkit.labels import label_files, load_label_sets, subject_of_item
from evalkit.loading import load_suite
from evalkit.plan import made_with
from evalkit.runs import grade_keys, load_run
from evalkit.shootout import GraderRole, check_names, load_shootout, suite_folder
from evalkit.store import Store
from evalkit.tables import Run

STATES = ("graded", "unscored", "error", "not graded")
Progress = Callable[[int, int], None]
# Of the reasons why there is no verdict, so many are told.
MOST_REASONS = 3


@dataclass(frozen=True)
class GradedRun:
    """What came of grading a run: its trials and labelled transcripts by state, and what was spent now.

    `usd` is None where the cost of a call is unknown. `stopped` says why transcripts were left, '' where none was;
    `grader` whether the shootout names one at all. `reasons` are the commonest why there is no verdict, with how often.
    """

    run: str
    trials: dict[str, int]
    labelled: dict[str, int]
    calls: int
    usd: float | None
    stopped: str = ""
    grader: bool = True
    reasons: tuple[tuple[str, int], ...] = ()

    @property
    def incomplete(self) -> int:
        """Number of transcripts that were not graded, or whose grader failed."""
        return sum(counts[state] for counts in (self.trials, self.labelled) for state in ("error", "not graded"))


def grade_run(
    name: str | Path,
    store: str | Path | None = None,
    options: GradeOptions | None = None,
    progress: Progress | None = None,
) -> GradedRun:
    """Grade what is missing of a run: its completed trials, and the transcripts that people labelled by its rubric.

    Nothing is played. Its budget is what the last session of playing, and grading since, left of the shootout's, and of
    that no more than the grader's own; where it is reached, the run's manifest says so. Where the run's shootout names
    no grader, there is nothing to do. Raises ShootoutError where one cannot be asked.
    """
    if is_archive(name):
        raise ShootoutError(f"{name} is an archived report, whose numbers never move; grade its run in the store")
    run = load_run(name, store)
    role, panel = grader_of(run.manifest), run.panel
    if role is not None and panel is None:
        raise ShootoutError(run.no_panel)
    if role is None or panel is None:
        return GradedRun(run.id, _counted(()), _counted(()), 0, 0.0, grader=False)
    asked = options or GradeOptions()
    trials = [subject for subject in run.subjects if subject is not None]
    labelled = labelled_subjects(run)
    calls, costs, stopped = 0, [], ""
    budget = _budget(run, role, asked)
    with Store(store) as opened:
        # A month's grades are of the labelled transcripts alone.
        parts = {LIVE: trials}
        parts[run.series] = [*parts.get(run.series, []), *labelled]
        try:
            for series, subjects in parts.items():
                if not stopped:
                    of = replace(asked, series=series)
                    done = grade_subjects(role, panel, subjects, opened, of, progress, budget)
                    calls, stopped = calls + done.calls, done.stopped
                    costs.append(done.usd)
            stopped = stopped and stopped + _whose(run)
        finally:
            _note(run, opened, budget, stopped)
        grades = opened.grades.of(list(grade_keys(run)))
    live = [grading_of(panel, each, grades) for each in trials]
    months = [grading_of(panel, each, grades, run.series) for each in labelled]
    reasons = Counter(each.reason for each in (*live, *months) if each.state in ("error", "unscored"))
    return GradedRun(
        run=run.id,
        trials=_counted(each.state for each in live),
        labelled=_counted(each.state for each in months),
        calls=calls,
        usd=None if None in costs else sum(costs),
        stopped=stopped,
        reasons=tuple(reasons.most_common(MOST_REASONS)),
    )


def _note(run: Run, opened: Store, budget: Budget, stopped: str) -> None:
    """What grading has spent since the last session of playing, and why it was stopped, in the run's manifest."""
    before = run.manifest.get("graded_spent", {})
    usd = None if budget.usd is None and budget.unpriced_calls else (before.get("usd") or 0) + budget.spent_usd
    spent = {"usd": usd, "calls": before.get("calls", 0) + budget.spent_calls}
    if spent != before or stopped != run.manifest.get("grading_stopped", ""):
        with opened.writing():
            opened.note(run.id, graded_spent=spent, grading_stopped=stopped or None)


def _budget(run: Run, role: GraderRole, options: GradeOptions) -> Budget:
    """What grading may spend: the less of the grader's own budget and of what is left of the run's.

    A limit in dollars that is asked for stands in place of both.
    """
    left_usd, left_calls = (_left(run, unit) for unit in ("usd", "calls"))
    usd = [limit_usd(role, options), left_usd if options.budget_usd is None else None]
    calls = [role.budget.calls, left_calls]
    return Budget(usd=_least(usd), calls=None if (least := _least(calls)) is None else int(least))


def _least(limits: Iterable[float | None]) -> float | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _limits(run: Run) -> Mapping[str, float | None]:
    """The budget of the last session of playing; of a run of which none is known, the shootout's as written."""
    return run.manifest.get("budget") or run.manifest.get("shootout", {}).get("budget") or {}


def _left(run: Run, unit: str) -> float | None:
    limit = _limits(run).get(unit)
    return None if limit is None else max(0, limit - _spent(run, unit))


def _spent(run: Run, unit: str) -> float:
    """What the run's last session of playing spent, and all grading since."""
    return sum(run.manifest.get(key, {}).get(unit) or 0 for key in ("spent", "graded_spent"))


def _whose(run: Run) -> str:
    """Where grading shares the budget of playing: how much of it was taken before, and what gives more."""
    limits = _limits(run)
    parts = [f"{_spent(run, 'calls')} of {limits['calls']} calls"] if limits.get("calls") is not None else []
    if limits.get("usd") is not None:
        parts.append(f"{_spent(run, 'usd'):.4f} of {limits['usd']:.4f} US dollars")
    if not parts:
        return ""
    return (
        f" (of the run's budget its last session of playing, and grading since, had spent {' and '.join(parts)}; the "
        "shootout's command, given again, begins a new session)"
    )


def labelled_subjects(run: Run) -> list[Subject]:
    """The transcripts that people labelled by the rubric of a run's grader."""
    return [subject_of_item(item) for labels in run.label_sets for item in labels.items]


def begin_measurement(path: str | Path, store: str | Path | None = None, month: str = "") -> str:
    """The id of a run that plays nothing: a shootout's grader on the labelled transcripts, in a month's series or live.

    The same files are the same run. Raises CaseError where no set of labels is by the grader's rubric.
    """
    shootout = load_shootout(path)
    folder = suite_folder(path, shootout)
    suite = load_suite(folder)
    check_names(path, shootout, suite)
    if shootout.grader is None:
        raise ShootoutError(f"{path} names no grader: write `grader: {{model: …, rubric: …}}`")
    panel = panel_of(shootout.grader, suite)
    texts = label_files(folder / "labels")
    sets = [each for each in load_label_sets(texts) if each.rubric == panel.rubric.name]
    if not sets:
        raise CaseError(
            f"no labels by the rubric {panel.rubric.name} in {folder / 'labels'}: `evalkit labels sheet RUN` draws "
            "transcripts for raters"
        )
    series = month or LIVE
    made_of = {"panel": panel.fingerprint, "labels": [each.hash for each in sets], "series": series}
    manifest = {
        "run": sha256(made_of | {"suite": suite.snapshot}),
        "name": f"calibration-{month}" if month else "grader",
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "suite": {"name": suite.name, "snapshot": suite.snapshot, "cases": 0, "safety_cases": [], "strata": {}},
        "trials": 0,
        "baseline": None,
        "shootout": shootout.model_dump(mode="json", exclude_defaults=True, include={"name", "grader", "budget"}),
        "purposes": [],
        "candidates": [],
        "series": series,
        **made_with(),
    }
    with Store(store) as opened, opened.writing():
        opened.begin(manifest, (), suite.files, str(Path(suite.origin).resolve()))
    return manifest["run"]


def _counted(states: object) -> dict[str, int]:
    counts = Counter(states)  # type: ignore[arg-type]
    return {state: counts.get(state, 0) for state in STATES}
