"""The command that grades: grade."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from evalkit.cli.app import AsJson, StoreFile, app, print_json, say

_SHOOTOUT = (".yaml", ".yml", ".json")


@app.command()
def grade(
    name: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="A run's id, a unique prefix or `latest`; or a shootout's file, for the labelled transcripts alone.",
        ),
    ] = "latest",
    month: Annotated[
        str, typer.Option(help="With a shootout's file: ask anew for this month's calibration, such as 2026-10.")
    ] = "",
    concurrency: Annotated[int | None, typer.Option(min=1, max=256, help="Grades at once.")] = None,
    budget_usd: Annotated[float | None, typer.Option(min=0, help="US dollars that this session may spend.")] = None,
    retry_unscored: Annotated[
        bool, typer.Option("--retry-unscored", help="Ask again where a reply could not be read.")
    ] = False,
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """Grade what is not graded yet; each grade is kept the moment it comes, and nothing is played."""
    from evalkit.client import load_env
    from evalkit.graded import begin_measurement, grade_run
    from evalkit.grading import GradeOptions
    from evalkit.progress import counting

    load_env(Path(".env"))
    by_file = name.endswith(_SHOOTOUT) and Path(name).is_file()
    if month and not (by_file and re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])", month)):
        said = "is no month; write it as 2026-10" if by_file else "needs a shootout's file in place of a run"
        raise typer.BadParameter(f"{month!r} {said}", param_hint="--month")
    run = begin_measurement(name, store, month) if by_file else name
    options = GradeOptions(concurrency=concurrency, retry_unscored=retry_unscored, budget_usd=budget_usd)
    with counting("transcripts graded", quiet=as_json) as show:
        done = grade_run(run, store, options, show)
    if as_json:
        parts = {"trials": done.trials, "labelled": done.labelled, "reasons": dict(done.reasons)}
        print_json({"run": done.run, **parts, "calls": done.calls, "usd": done.usd})
    elif not done.grader:
        typer.echo(f"run {done.run[:8]}: its shootout names no `grader`, so there is nothing to grade")
    else:
        cost = "of unknown cost" if done.usd is None else f"for {done.usd:.4f} USD"
        typer.echo(
            f"run {done.run[:8]}: {_said(done.trials, 'trial')}; {_said(done.labelled, 'labelled transcript')}; "
            f"{done.calls} calls now, {cost}"
        )
        from evalkit.cards import brief
        from evalkit.shown import printable

        for reason, count in done.reasons:
            say(f"  {count} × {printable(brief(reason, 300))}")
    if done.stopped:
        say(done.stopped)
        raise typer.Exit(3)
    raise typer.Exit(4 if done.incomplete else 0)


def _said(counts: dict[str, Any], noun: str) -> str:
    total = sum(counts.values())
    states = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    return f"{total} {noun}{'s' * (total != 1)}" + (f": {states}" if states else "")
