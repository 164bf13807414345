"""The command that decides: gate."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalkit.cli.app import AsJson, OutFolder, StoreFile, app, print_json, say

if TYPE_CHECKING:
    from evalkit.gate import Decision, Reason, Side
    from evalkit.suite import Suite
    from evalkit.tables import Run

# In place of a baseline's name: the newest archive with repeats of the candidate's shootout.
NIGHTLY = "nightly"


@app.command()
def gate(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="[BASELINE] CANDIDATE",
            help="Each a RUN or RUN:CANDIDATE: an id, a unique prefix, `latest` or an archived report. As BASELINE, "
            "`nightly` is the newest archive below --out with repeats.",
        ),
    ],
    rerun: Annotated[bool, typer.Option("--rerun", help="Play a blocked stratum once more before it blocks.")] = False,
    release: Annotated[bool, typer.Option("--release", help="Quarantined cases need their owners' sign-off.")] = False,
    must_pass_only: Annotated[
        bool, typer.Option("--must-pass-only", help="Judge the must-pass cases alone; needs no baseline.")
    ] = False,
    assume_band: Annotated[
        float | None, typer.Option(min=0, help="A noise band for all strata in place of measured ones; it is recorded.")
    ] = None,
    baseline_of: Annotated[
        Path | None,
        typer.Option(metavar="SHOOTOUT", help="The target branch's shootout: a baseline of another agent is none."),
    ] = None,
    date: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day to decide for; default today, in UTC.")
    ] = None,
    commit: Annotated[str | None, typer.Option(help="The commit that a sign-off must name; default the run's.")] = None,
    suite_of: Annotated[
        str | None, typer.Option(help="Judge both by the suite of this run instead of the candidate's.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write the decision there as JUnit XML.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write it there as Markdown, for a CI's summary.")] = None,
    record: Annotated[Path | None, typer.Option(help="Write it there as JSON, to be kept.")] = None,
    store: StoreFile = None,
    out: OutFolder = Path("reports"),
    as_json: AsJson = False,
) -> None:
    """Allow or block a change, with every reason: the candidate against the baseline, on the same cases."""
    from evalkit.gate import decide, lines, needs_rerun

    baseline_name, candidate_name = _two(names, must_pass_only=must_pass_only)
    if assume_band is not None and not math.isfinite(assume_band):
        raise typer.BadParameter("a band is a number, such as 0.2", param_hint="--assume-band")
    candidate_run, candidate = _named(candidate_name)
    if rerun and _is_archive(candidate_run):
        raise typer.BadParameter(
            f"{candidate_run} is an archive, and a run of the store is played", param_hint="--rerun"
        )
    sides = _Sides(baseline_name, candidate_run, candidate, store, suite_of, out)
    against = sides.reasons(baseline_of)
    asked = {
        "today": (date or datetime.now(UTC)).date(),
        "release": release,
        "commit": commit,
        # Without a baseline the must-pass cases are all that can be judged, and the reasons say why.
        "must_pass_only": must_pass_only or sides.baseline is None,
        "target": _suite_of(baseline_of),
    }
    decision = decide(sides.baseline, sides.candidate, assume_band, **asked)
    strata = needs_rerun(decision) if rerun and not against else ()
    if strata and _played_again(sides.run, sides.candidate.name, strata, store, quiet=as_json):
        sides = _Sides(baseline_name, candidate_run, candidate, store, suite_of, out)
        decision = decide(sides.baseline, sides.candidate, assume_band, **asked)
    decision = _with(decision, against)
    _write(decision, junit, markdown, record)
    if as_json:
        print_json(decision.to_json())
    else:
        typer.echo("\n".join(lines(decision)))
    raise typer.Exit(0 if decision.allow else 1)


class _Sides:
    """Both sides as they are in the store now, and why there is no baseline where there is none."""

    def __init__(
        self,
        baseline: str | None,
        candidate_run: str,
        candidate: str | None,
        store: Path | None,
        suite_of: str | None,
        out: Path,
    ) -> None:
        from evalkit.gate import side_of
        from evalkit.runs import load_run

        self.run: Run = load_run(candidate_run, store, suite_of_run=suite_of)
        self.candidate: Side = side_of(self.run, candidate)
        self.baseline: Side | None = None
        self.baseline_run: Run | None = None
        self.missing = ""
        if baseline is not None:
            self._load(baseline, store, out)

    def _load(self, name: str, store: Path | None, out: Path) -> None:
        from evalkit.baselines import newest_nightly
        from evalkit.errors import StoreError
        from evalkit.gate import side_of
        from evalkit.runs import load_run

        if name == NIGHTLY:
            folder = newest_nightly(out, self.run.name)
            if folder is None:
                self.missing = f"no archive of {self.run.name} with repeats of its baseline is in {out}"
                return
            name = str(folder)
        run, candidate = _named(name)
        try:
            # By its own snapshot: what differs from the candidate's suite is what an amendment is needed for.
            self.baseline_run = load_run(run, store, suite_of_run=None if _is_archive(run) else run)
        except StoreError as error:
            self.missing = f"the baseline cannot be read: {error}"
            return
        self.baseline = side_of(self.baseline_run, candidate, by=self.run.suite, role="baseline")

    def reasons(self, target: Path | None) -> tuple[Reason, ...]:
        """Why a side is not what it stands for, beside what the comparison itself finds."""
        from evalkit.baselines import other_agent
        from evalkit.errors import SuiteError
        from evalkit.gate import Reason
        from evalkit.rerun import outdated

        helps = "`make nightly` on the target branch measures it"
        old = outdated(self.run, self.candidate.name)
        found = (Reason("not measured", "candidate", f"the candidate's {old}", measured=False),) if old else ()
        if self.missing:
            return (*found, Reason("not measured", "baseline", f"{self.missing}; {helps}", measured=False))
        if target is None or self.baseline is None or self.baseline_run is None:
            return found
        try:
            other = other_agent(self.baseline_run, self.baseline.name, target)
        except SuiteError as error:
            other = f"its shootout cannot be read: {error}"
        said = f"the baseline was played by another agent than the target branch has: {other}; {helps}"
        return (*found, Reason("not measured", "baseline", said, measured=False)) if other else found


def _suite_of(shootout: Path | None) -> Suite | None:
    """The target branch's suite; None where it cannot be read, which is a reason of its own where it counts."""
    from evalkit.errors import SuiteError
    from evalkit.loading import load_suite
    from evalkit.shootout import load_shootout, suite_folder

    if shootout is None:
        return None
    try:
        return load_suite(suite_folder(shootout, load_shootout(shootout)))
    except SuiteError:
        return None


def _two(names: list[str], *, must_pass_only: bool) -> tuple[str | None, str]:
    """The names of baseline and candidate; no baseline where the must-pass cases alone are asked for."""
    if len(names) == 1 and must_pass_only:
        return None, names[0]
    if len(names) != 2:
        said = "name two, BASELINE and CANDIDATE; one alone is enough with --must-pass-only"
        raise typer.BadParameter(said, param_hint="[BASELINE] CANDIDATE")
    return names[0], names[1]


def _named(name: str) -> tuple[str, str | None]:
    """A run and the candidate behind its colon; a path may hold colons of its own."""
    if _is_archive(name):
        return name, None
    for place, char in enumerate(name):
        if char == ":" and _is_archive(name[:place]):
            return name[:place], name[place + 1 :]
    run, colon, candidate = name.partition(":")
    return run, candidate if colon else None


def _is_archive(name: str) -> bool:
    from evalkit.archive import is_archive

    return is_archive(name)


def _played_again(run: Run, candidate: str, strata: tuple[str, ...], store: Path | None, *, quiet: bool) -> bool:
    """Whether a second look was played; where it cannot be, the block stands and stderr says why."""
    from evalkit.errors import EvalkitError
    from evalkit.rerun import rerun

    say(f"played once more before the block stands: {', '.join(strata)}", 0)
    try:
        played = rerun(run.id, candidate, strata, store, quiet=quiet)
    except EvalkitError as error:
        say(f"nothing was played once more: {error}")
        return False
    if played.stopped:
        say(played.stopped)
    return True


def _with(decision: Decision, reasons: tuple[Reason, ...]) -> Decision:
    """The decision with more reasons, in the order in which reasons are told."""
    from dataclasses import replace

    from evalkit.gate.decision import KINDS, verdict_of

    every = tuple(sorted((*decision.reasons, *reasons), key=lambda reason: KINDS.index(reason.kind)))
    return replace(decision, reasons=every, verdict=verdict_of(every)) if reasons else decision


def _write(decision: Decision, junit: Path | None, markdown: Path | None, record: Path | None) -> None:
    from evalkit import summary

    forms: tuple[tuple[Path | None, Any], ...] = (
        (junit, summary.junit),
        (markdown, summary.markdown),
        (record, summary.record),
    )
    for path, form in forms:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(form(decision), "utf-8", newline="\n")
