"""Commands that play and list: run, runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from evalkit.cli.app import AsJson, StoreFile, app, print_json, say


@app.command()
def run(
    shootout: Annotated[Path, typer.Argument(metavar="SHOOTOUT", help="The shootout's file.")],
    case: Annotated[list[str] | None, typer.Option(help="Only this case; may be given again.")] = None,
    stratum: Annotated[list[str] | None, typer.Option(help="Only this stratum; may be given again.")] = None,
    candidate: Annotated[list[str] | None, typer.Option(help="Only this candidate; may be given again.")] = None,
    trials: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Trials a case instead of the shootout's.")
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option(metavar="N|NAME", help="All must-pass cases and N drawn of the rest, or a sample of suite.yaml."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the sample's draw.")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="BASELINE", help="Draw the sample from the cases of this run or archive; new cases come on top."
        ),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, max=100, help="Complete passes of the baseline, for the noise band.")
    ] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, max=256, help="Trials at once.")] = None,
    sequential: Annotated[bool, typer.Option("--sequential", help="One trial after another.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Play again what is stored; old trials are kept.")] = False,
    retry_empty: Annotated[bool, typer.Option("--retry-empty", help="Play empty answers again.")] = False,
    budget_usd: Annotated[float | None, typer.Option(min=0, help="US dollars that this session may spend.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be played; call nothing.")] = False,
    turns: Annotated[
        int | None, typer.Option(min=1, max=1000, help="With --dry-run: the turns that each conversation takes.")
    ] = None,
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """Play what is missing of a shootout; each trial is kept the moment it ends."""
    from evalkit.cli.dry_run import print_forecast
    from evalkit.client import load_env
    from evalkit.grading import cannot_grade
    from evalkit.plan import Selection, plan
    from evalkit.store import Store

    if turns is not None and not dry_run:
        raise typer.BadParameter("is an assumption of --dry-run alone", param_hint="--turns")
    load_env(Path(".env"))
    chosen = (tuple(case or ()), tuple(stratum or ()), tuple(candidate or ()))
    asked = Selection(*chosen, trials, sample, seed, repeats, _known(against, store))
    planned = plan(shootout, asked)
    with Store(store) as opened:
        if dry_run:
            todo = planned.slots if fresh else opened.unfinished(planned.slots, retry_empty=retry_empty)
            limit = planned.shootout.budget.usd if budget_usd is None else budget_usd
            print_forecast(planned, opened, todo, limit, turns, as_json=as_json)
            return
        from evalkit.progress import progress
        from evalkit.runner import Options, admitted, play_plan

        options = Options(concurrency, sequential, fresh, retry_empty, budget_usd)
        # What keeps the run from being played is told alone.
        admitted(planned, opened, options)
        if hindered := planned.shootout.grader and cannot_grade(planned.shootout.grader):
            say(f"notice: `evalkit grade` will not be able to ask the grader: {hindered}")
        with progress(planned, quiet=as_json) as show:
            played = play_plan(planned, opened, options, show)
    if as_json:
        print_json({"run": played.run, "slots": played.slots, "calls": played.calls, "usd": played.usd})
    else:
        statuses = ", ".join(f"{count} {status}" for status, count in played.slots.items() if count)
        cost = "of unknown cost" if played.usd is None else f"for {played.usd:.4f} USD"
        typer.echo(
            f"run {played.run[:8]}: {sum(played.slots.values())} slots: {statuses}; {played.calls} calls now, {cost}"
        )
    if played.stopped:
        say(played.stopped)
        raise typer.Exit(3)
    raise typer.Exit(4 if played.incomplete else 0)


@app.command()
def runs(store: StoreFile = None, as_json: AsJson = False) -> None:
    """List the runs in the store, the last one first."""
    from evalkit.shown import one_line
    from evalkit.store import Store

    with Store(store, create=False) as opened:
        rows = [_run_row(each, [*opened.statuses(each["run"]).values()]) for each in opened.runs()]
    if as_json:
        print_json({"runs": rows})
        return
    for row in rows:
        played = (
            f"{len(row['candidates'])} candidates × {row['cases']} cases × {row['trials']} trials, "
            f"{row['played']} of {row['slots']} played"
        )
        # A measurement of a grader plays nothing.
        said = f"the grader on labelled transcripts, series {row['series']}" if row["series"] else played
        typer.echo(one_line(f"{row['run'][:8]}  {row['started']}  {row['name']}: {said}", 400))


def _known(against: str | None, store: Path | None) -> tuple[str, ...] | None:
    """The cases of the baseline's suite; None without a baseline, or where it cannot be read, as the gate then says."""
    from evalkit.errors import StoreError
    from evalkit.runs import snapshot_of

    if against is None:
        return None
    try:
        return tuple(case.id for case in snapshot_of(against, store)[0].active)
    except StoreError as error:
        say(f"evalkit: the sample is drawn from all cases, since the baseline cannot be read: {error}")
        return None


def _run_row(manifest: dict[str, Any], statuses: list[str | None]) -> dict[str, Any]:
    return {
        "run": manifest["run"],
        "name": manifest["name"],
        "started": manifest["started"],
        "candidates": [candidate["name"] for candidate in manifest["candidates"]],
        "cases": manifest["suite"]["cases"],
        "trials": manifest["trials"],
        "played": sum(status is not None for status in statuses),
        "slots": len(statuses),
        "series": manifest.get("series"),
    }
