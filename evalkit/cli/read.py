"""Commands that read what was played: report, show, why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.app import AsJson, OutFolder, RunName, StoreFile, app, print_json

CaseId = Annotated[str, typer.Argument(metavar="CASE", help="The case's id.")]
SuiteOf = Annotated[str | None, typer.Option(help="Judge by the suite of this run instead of as it stands.")]


@app.command()
def report(
    name: RunName = "latest",
    notebook: Annotated[list[str] | None, typer.Option(help="Only this notebook; may be given again.")] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("-p", metavar="NAME=VALUE", help="A notebook's parameter.")
    ] = None,
    suite_of: SuiteOf = None,
    store: StoreFile = None,
    out: OutFolder = Path("reports"),
) -> None:
    """Render a run's notebooks into one archived folder of self-contained pages."""
    from evalkit.report import find_notebooks, parameters_from_text
    from evalkit.report import report as archive
    from evalkit.runs import load_run

    notebooks = find_notebooks(notebook)
    given = parameters_from_text(parameter or [], notebooks)
    folder = archive(load_run(name, store, suite_of_run=suite_of), out, notebooks, given)
    typer.echo(f"report: {folder}")
    for page in sorted(folder.glob("*.html")):
        typer.echo(f"  {page}")


@app.command()
def show(
    name: RunName,
    case: CaseId,
    candidate: Annotated[str | None, typer.Option(help="Only this candidate.")] = None,
    trial: Annotated[int | None, typer.Option(min=0, help="Only this trial, counted from 0.")] = None,
    prompt: Annotated[
        bool, typer.Option("--prompt", help="Show what the agent was told before the ticket, too.")
    ] = False,
    suite_of: SuiteOf = None,
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """Show transcripts of a case with every hit marked, and below each its checks and what it changed."""
    from evalkit.reader import as_json as plain
    from evalkit.reader import lines, readings
    from evalkit.runs import load_run

    run = load_run(name, store, suite_of_run=suite_of)
    found, asked = readings(run, case, candidate, trial), run.suite.by_id.get(case)
    if as_json:
        print_json({"run": run.id, "judged_by": run.judged_by, "trials": [plain(each, asked) for each in found]})
        return
    shown = found if trial is not None or candidate is not None else found[:1]
    typer.echo(f"run {run.id[:8]}, judged by {run.judged_by}")
    for each in shown:
        typer.echo("\n" + "\n".join(lines(each, _paint, case=asked, prompt=prompt)))
    if len(shown) < len(found):
        names = ", ".join(dict.fromkeys(each.slot.candidate for each in found))
        typer.echo(f"\n{len(found) - len(shown)} more trials of {case}: --candidate ({names}) and --trial choose")


@app.command()
def why(
    name: Annotated[str, typer.Argument(metavar="RUN", help="A run's id, a unique prefix, or `latest`.")],
    case: CaseId,
    candidate: Annotated[str | None, typer.Option(help="This candidate's trial; default the run's first.")] = None,
    trial: Annotated[int, typer.Option(min=0, help="The trial, counted from 0.")] = 0,
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """Say what a trial's fingerprint is made of, and which part differs from the nearest stored trial."""
    from evalkit.store import Store
    from evalkit.why import MAX_LINES
    from evalkit.why import why as ask

    with Store(store, create=False) as opened:
        found = ask(opened, name, case, candidate, trial)
    if as_json:
        print_json(
            {
                **vars(found.slot),
                "status": found.status or "not_run",
                "played": found.played,
                "reused": found.reused,
                "parts": [{"part": part.name, "sha256": part.hash, "value": part.value} for part in found.parts],
                "nearest": found.nearest,
                "differences": [vars(each) for each in found.differences],
            }
        )
        return
    slot = found.slot
    typer.echo(f"{slot.candidate} · {slot.case} · trial {slot.number} · {found.status or 'not played'}")
    if found.reused:
        typer.echo(f"played {found.played[:16]}, before this run began, and not again: no part of it has changed since")
    typer.echo(f"fingerprint {slot.fingerprint[:16]}… is the SHA-256 of the number {slot.number} and these parts:")
    for part in found.parts:
        typer.echo(f"  {part.name:14} {part.hash[:12]}  {_short(part.value)}")
    if found.nearest is None:
        typer.echo("no other trial of this case is stored")
        return
    near = found.nearest
    typer.echo(
        f"nearest other stored trial of this case: {near['candidate']}, trial {near['trial']} of run {near['run'][:8]} "
        f"({near['status']}): {near['same']} of {len(found.parts)} parts are the same"
    )
    for each in found.differences:
        typer.echo(f"  {each.name} differs (- there, + here):")
        for line in each.lines[:MAX_LINES]:
            typer.echo(f"    {_short(line)}")
        if len(each.lines) > MAX_LINES:
            typer.echo(f"    … and {len(each.lines) - MAX_LINES} more lines")


def _paint(text: str, kind: str) -> str:
    colours = {"title": "bright_black", "route": "cyan", "fact": "green", "claim": "red", "negated": "yellow"}
    # typer.echo drops colours where the output is no terminal.
    return typer.style(text, fg=colours.get(kind, "red"))


def _short(text: str) -> str:
    from evalkit.shown import printable

    line = printable(" ".join(text.split()))
    return line if len(line) <= 100 else f"{line[:99]}…"
