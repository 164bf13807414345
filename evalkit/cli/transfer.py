"""Commands that take trials in and give them out: import flat, export."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.app import AsJson, RunName, StoreFile, app, print_json, say

imports = typer.Typer(
    help="Take in trials that were played and judged elsewhere; their verdicts stay their source's.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(imports, name="import")


@imports.command()
def flat(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A CSV or JSONL file, one row a trial.")],
    mapped: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="COLUMN=SOURCE", help="A column that stands in the file under another name."),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="COLUMN=VALUE", help="What holds of every row and does not stand in the file."),
    ] = None,
    wide: Annotated[
        bool, typer.Option("--wide", help="One column a trial (Trial_1, Trial_2 …), one row a case.")
    ] = False,
    repeats: Annotated[
        int, typer.Option(min=1, max=100, help="How many passes over the cases the trials of each case are.")
    ] = 1,
    baseline: Annotated[
        str | None, typer.Option(help="The candidate in production; default the first of the file.")
    ] = None,
    date: Annotated[
        datetime.datetime | None,
        typer.Option("--date", formats=["%Y-%m-%d"], help="When the trials were played; default today."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="What the run is called; default the file's name.")] = None,
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """Keep the trials of a CSV or JSONL file as a run: candidate, case, trial, passed, and optional columns."""
    from evalkit.importers import import_run, read_flat
    from evalkit.importers.run import run_name
    from evalkit.store import Store

    if date is not None and date.date() > datetime.datetime.now(datetime.UTC).date():
        raise typer.BadParameter(f"{date.date()} is still to come", param_hint="--date")
    called = run_name(name, path)
    read = read_flat(path, mapped or (), fixed or (), wide=wide)
    with Store(store) as opened:
        played = date and date.date()
        found = import_run(read, opened, name=called, repeats=repeats, baseline=baseline, played=played)
    for notice in found.notices:
        say(notice)
    if as_json:
        print_json({"run": found.run, "trials": found.trials, "slots": dict(found.slots)})
        return
    slots = ", ".join(f"{count} {status}" for status, count in found.slots.items() if count)
    typer.echo(
        f"run {found.run[:8]}: {called}, {found.trials} trials imported; {sum(found.slots.values())} slots: {slots}"
    )


@app.command()
def export(
    name: RunName = "latest",
    parquet: Annotated[bool, typer.Option("--parquet", help="As Parquet, into a file.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="As CSV.")] = False,
    as_jsonl: Annotated[bool, typer.Option("--jsonl", help="As JSONL.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="The file; default standard output, of Parquet RUN.parquet.")
    ] = None,
    suite_of: Annotated[
        str | None, typer.Option(help="Judge by the suite of this run instead of as it stands.")
    ] = None,
    store: StoreFile = None,
) -> None:
    """Give out a run's trials as flat rows, with the columns that `import flat` reads."""
    if parquet + as_csv + as_jsonl != 1:
        raise typer.BadParameter("write one of --parquet, --csv and --jsonl")
    from evalkit import exporting
    from evalkit.runs import load_run

    run = load_run(name, store, suite_of_run=suite_of)
    if left_out := exporting.lost(run):
        say(f"{left_out} slots are left out: their cases left the suite that judges; --suite-of {run.id[:8]} has them")
    rows = exporting.flat_rows(run)
    data = exporting.flat_frame(rows) if parquet else exporting.csv_text(rows) if as_csv else exporting.jsonl(rows)
    if parquet and out is None:
        out = Path(f"{run.id[:8]}.parquet")
    if out is None:
        typer.echo(str(data).encode("utf-8", "backslashreplace"), nl=False)
        return
    exporting.write(out, data)
    typer.echo(f"{out}: {len(rows)} trials of run {run.id[:8]}")
