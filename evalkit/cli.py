"""The command line: it parses, calls one function, and prints."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from evalkit.errors import BudgetExceeded, EvalkitError, SuiteError
from evalkit.exits import EXITS


class Commands(typer.core.TyperGroup):
    """The commands, whose known errors end in one line and an exit code, never in a traceback."""

    def invoke(self, ctx: typer.Context) -> Any:
        """Run the command that was named."""
        for stream in (sys.stdout, sys.stderr):
            # A terminal that lacks a character shows its number instead of a traceback.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(_say(EXITS[130], 130)) from None
        except BudgetExceeded as error:
            raise typer.Exit(_say(str(error), 3)) from error
        except SuiteError as error:
            raise typer.Exit(_say(str(error), 1)) from error
        except EvalkitError as error:
            raise typer.Exit(_say(f"evalkit: {error}", 1)) from error
        except OSError as error:
            raise typer.Exit(_say(f"evalkit: {error.filename or ''}: {error.strerror or error}", 1)) from error


app = typer.Typer(
    cls=Commands,
    help="Which model should answer your customers? Cases, trials, and reports that people can decide from.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
StoreFile = Annotated[
    Path | None,
    typer.Option("--store", help="The store's file; default $EVALKIT_STORE or reports/store/evalkit.sqlite."),
]
OutFolder = Annotated[Path, typer.Option("--out", help="The folder of archived reports.")]
RunName = Annotated[
    str,
    typer.Argument(metavar="RUN", help="A run's id, a unique prefix, `latest`, or an archived report's folder."),
]


@app.command()
def check(
    suite: Annotated[Path, typer.Argument(metavar="SUITE", help="The suite's folder.")] = Path("cases"),
    as_json: AsJson = False,
) -> None:
    """Validate a suite: every fault with its file and line."""
    from evalkit.loading import check_suite

    checked = check_suite(suite)
    cases = checked.suite.active if checked.suite else ()
    counts = {
        "cases": len(cases),
        "tickets": sum(case.kind == "ticket" for case in cases),
        "conversations": sum(case.kind == "conversation" for case in cases),
        "strata": checked.suite.strata() if checked.suite else {},
        "must_pass": sum(case.must_pass for case in cases),
        "safety": sum(case.risk == "safety" for case in cases),
        "patterns": len(checked.suite.patterns) if checked.suite else 0,
    }
    if as_json:
        found = {kind: [vars(fault) for fault in getattr(checked, kind)] for kind in ("faults", "notices")}
        _print_json({**counts, **found})
    else:
        for fault in checked.faults:
            _say(str(fault))
        for notice in checked.notices:
            typer.echo(f"notice: {notice}")
        if checked.suite:
            strata = ", ".join(f"{name} {count}" for name, count in counts["strata"].items())
            typer.echo(
                f"{counts['cases']} cases ({counts['tickets']} tickets, {counts['conversations']} conversations), "
                f"{counts['safety']} safety, {counts['must_pass']} must-pass, {counts['patterns']} patterns\n{strata}"
            )
        elif checked.faults:
            _say(f"{len(checked.faults)} fault{'s' * (len(checked.faults) != 1)} in {suite}")
    raise typer.Exit(1 if checked.faults else 0)


@app.command()
def run(
    shootout: Annotated[Path, typer.Argument(metavar="SHOOTOUT", help="The shootout's file.")],
    case: Annotated[list[str] | None, typer.Option(help="Only this case; may be given again.")] = None,
    stratum: Annotated[list[str] | None, typer.Option(help="Only this stratum; may be given again.")] = None,
    candidate: Annotated[list[str] | None, typer.Option(help="Only this candidate; may be given again.")] = None,
    trials: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Trials a case instead of the shootout's.")
    ] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, max=256, help="Trials at once.")] = None,
    sequential: Annotated[bool, typer.Option("--sequential", help="One trial after another.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Play again what is stored; old trials are kept.")] = False,
    retry_empty: Annotated[bool, typer.Option("--retry-empty", help="Play empty answers again.")] = False,
    budget_usd: Annotated[float | None, typer.Option(min=0, help="US dollars that this session may spend.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be played; call nothing.")] = False,
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """Play what is missing of a shootout; each trial is kept the moment it ends."""
    from evalkit.client import load_env
    from evalkit.plan import Selection, plan
    from evalkit.store import Store

    load_env(Path(".env"))
    planned = plan(shootout, Selection(tuple(case or ()), tuple(stratum or ()), tuple(candidate or ()), trials))
    if planned.shootout.customer or planned.shootout.grader:
        _say("notice: this version plays no simulated customers and asks no graders; those roles are left out")
    with Store(store) as opened:
        if dry_run:
            todo = planned.slots if fresh else opened.unfinished(planned.slots)
            _dry_run(planned, len(planned.slots) - len(todo), as_json=as_json)
            return
        from evalkit.progress import progress
        from evalkit.runner import Options, play_plan

        options = Options(concurrency, sequential, fresh, retry_empty, budget_usd)
        with progress(planned, quiet=as_json) as show:
            played = play_plan(planned, opened, options, show)
    if as_json:
        _print_json({"run": played.run, "slots": played.slots, "calls": played.calls, "usd": played.usd})
    else:
        statuses = ", ".join(f"{count} {status}" for status, count in played.slots.items() if count)
        cost = "of unknown cost" if played.usd is None else f"for {played.usd:.4f} USD"
        typer.echo(
            f"run {played.run[:8]}: {sum(played.slots.values())} slots: {statuses}; {played.calls} calls now, {cost}"
        )
    if played.stopped:
        _say(played.stopped)
        raise typer.Exit(3)
    raise typer.Exit(4 if played.incomplete else 0)


@app.command()
def report(
    name: RunName = "latest",
    notebook: Annotated[list[str] | None, typer.Option(help="Only this notebook; may be given again.")] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("-p", metavar="NAME=VALUE", help="A notebook's parameter.")
    ] = None,
    suite_of: Annotated[
        str | None, typer.Option(help="Judge by the suite of this run instead of as it stands.")
    ] = None,
    store: StoreFile = None,
    out: OutFolder = Path("reports"),
) -> None:
    """Render a run's notebooks into one archived folder of self-contained pages."""
    from evalkit.report import find_notebooks, parameters_from_text
    from evalkit.report import report as archive
    from evalkit.tables import load_run

    notebooks = find_notebooks(notebook)
    given = parameters_from_text(parameter or [], notebooks)
    folder = archive(load_run(name, store, suite_of_run=suite_of), out, notebooks, given)
    typer.echo(f"report: {folder}")
    for page in sorted(folder.glob("*.html")):
        typer.echo(f"  {page}")


@app.command()
def runs(store: StoreFile = None, as_json: AsJson = False) -> None:
    """List the runs in the store, the last one first."""
    from evalkit.store import Store

    with Store(store, create=False) as opened:
        rows = [_run_row(each, opened.statuses(each["run"])) for each in opened.runs()]
    if as_json:
        _print_json({"runs": rows})
        return
    for row in rows:
        typer.echo(
            f"{row['run'][:8]}  {row['started']}  {row['name']}: {len(row['candidates'])} candidates × "
            f"{row['cases']} cases × {row['trials']} trials, {row['played']} of {row['slots']} played"
        )


@app.command()
def schema(
    out: Annotated[Path, typer.Option("--out", help="The folder to write them to.")] = Path("reports/schemas"),
) -> None:
    """Write the JSON Schemas of what people write, for editors."""
    from evalkit.schema import schemas

    out.mkdir(parents=True, exist_ok=True)
    for name, content in schemas().items():
        (out / f"{name}.schema.json").write_text(json.dumps(content, indent=2) + "\n", "utf-8")
        typer.echo(out / f"{name}.schema.json")


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
    }


def _dry_run(planned: Any, stored: int, *, as_json: bool) -> None:
    counts = {
        "run": planned.run,
        "slots": len(planned.slots),
        "stored": stored,
        "to_play": len(planned.slots) - stored,
    }
    if as_json:
        _print_json(counts)
    else:
        typer.echo(
            f"run {planned.run[:8]}: {len(planned.candidates)} candidates × {len(planned.cases)} cases × "
            f"{planned.trials} trials = {counts['slots']} slots; {counts['stored']} stored, "
            f"{counts['to_play']} to play, at least {counts['to_play']} calls"
        )


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, default=str))


def _say(message: str, code: int = 1) -> int:
    typer.echo(message, err=True)
    return code


if __name__ == "__main__":
    app()
