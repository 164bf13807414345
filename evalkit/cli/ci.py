"""What a CI asks before and after it plays: baseline, archives, retention."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.app import AsJson, OutFolder, app, print_json, say


@app.command()
def baseline(shootout: Annotated[Path, typer.Argument(metavar="SHOOTOUT", help="The shootout's file.")]) -> None:
    """Print the name of a shootout's baseline, or of its only candidate."""
    from evalkit.baselines import baseline_name
    from evalkit.shootout import load_shootout

    typer.echo(baseline_name(load_shootout(shootout)))


@app.command()
def archives(
    newest: Annotated[bool, typer.Option("--newest", help="Print the folder of the newest one and no more.")] = False,
    nightly: Annotated[
        Path | None,
        typer.Option(metavar="SHOOTOUT", help="Print the newest one of this shootout that holds repeats, or nothing."),
    ] = None,
    out: OutFolder = Path("reports"),
    as_json: AsJson = False,
) -> None:
    """List the archived reports, the newest first."""
    from evalkit.baselines import archived, newest_nightly
    from evalkit.errors import StoreError
    from evalkit.shown import printable

    found = archived(out)
    if nightly is not None:
        from evalkit.shootout import load_shootout

        folder = newest_nightly(out, load_shootout(nightly).name)
        typer.echo(str(folder) if folder is not None else "", nl=folder is not None)
    elif newest:
        if not found:
            raise StoreError(f"no archived report is in {out}; `evalkit report RUN` makes one")
        typer.echo(found[0].folder)
    elif as_json:
        print_json({"archives": [each.as_json() for each in found]})
    else:
        for each in found:
            passes = f", {each.repeats} passes of the baseline" if each.repeats > 1 else ""
            typer.echo(printable(f"{each.folder}  {each.date}  {each.name}{passes}"))


@app.command()
def retention(
    suite: Annotated[Path, typer.Argument(metavar="SUITE", help="The suite's folder.")] = Path("cases"),
    most: Annotated[int, typer.Option(min=1, help="What the place that keeps them allows at most.")] = 90,
) -> None:
    """Print for how many days results may be kept: what the data owner allows, and --most at most."""
    from evalkit.loading import load_suite

    owner = load_suite(suite).settings.data_owner
    days = owner and owner.retention_days
    if days is None:
        say(f"{suite}/suite.yaml names no data_owner.retention_days; {most} days is the limit of the place alone", 0)
    typer.echo(min(days or most, most))
