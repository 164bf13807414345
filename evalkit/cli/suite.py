"""Commands on a suite: check, patterns, schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.app import AsJson, StoreFile, app, print_json, say

_HEADS = {"tiers": "cases by the tier of the tools that they name", "harms": "cases that can show each harm"}


@app.command()
def check(
    suite: Annotated[Path, typer.Argument(metavar="SUITE", help="The suite's folder.")] = Path("cases"),
    as_json: AsJson = False,
) -> None:
    """Validate a suite: every fault with its file and line."""
    from datetime import date

    from evalkit.home import at_home
    from evalkit.labels import files as label_sets
    from evalkit.linter import harms_and_tiers, lint
    from evalkit.loading import check_suite
    from evalkit.quarantine import expired_entries
    from evalkit.trust import ledger

    checked = check_suite(suite)
    tiers_and_harms = {}
    if checked.suite is not None:
        faults, notices = lint(checked.suite, checked.places)
        folder = at_home(suite) / "labels"
        faults += [*label_sets.faults_in(folder, checked.suite.rubrics), *ledger.faults_in(folder / label_sets.LEDGER)]
        checked.faults += faults
        checked.notices += [*notices, *expired_entries(checked.suite.files, date.today(), checked.suite.origin)]
        tiers_and_harms = {} if faults else harms_and_tiers(checked.suite)
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
        print_json({**counts, **tiers_and_harms, **found})
    else:
        for fault in checked.faults:
            say(str(fault))
        for notice in checked.notices:
            typer.echo(f"notice: {notice}")
        if checked.suite:
            strata = ", ".join(f"{name} {count}" for name, count in counts["strata"].items())
            typer.echo(
                f"{counts['cases']} cases ({counts['tickets']} tickets, {counts['conversations']} conversations), "
                f"{counts['safety']} safety, {counts['must_pass']} must-pass, {counts['patterns']} patterns\n{strata}"
            )
            for kind, found in tiers_and_harms.items():
                said = ", ".join(f"{name} {count}" for name, count in found.items()) or "none"
                typer.echo(f"{_HEADS[kind]}: {said}")
        elif checked.faults:
            say(f"{len(checked.faults)} fault{'s' * (len(checked.faults) != 1)} in {suite}")
    raise typer.Exit(1 if checked.faults else 0)


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


@app.command()
def patterns(
    suite: Annotated[Path, typer.Argument(metavar="SUITE", help="The suite's folder.")] = Path("cases"),
    concept: Annotated[list[str] | None, typer.Option(help="Only this concept, in full; may be given again.")] = None,
    sentences: Annotated[
        Path | None, typer.Option(help="Labelled sentences; default the suite's labels/sentences.yaml.")
    ] = None,
    newest: Annotated[int, typer.Option(min=0, help="Of the store, so many of the newest replies.")] = 10_000,
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """The pattern laboratory: recall and precision on labelled sentences, and what the patterns find in replies."""
    from evalkit import laboratory, loading
    from evalkit.findings import as_json as plain
    from evalkit.findings import report
    from evalkit.sentences import SENTENCES, load_sentences

    loaded = loading.load_suite(suite)
    path = sentences or suite / SENTENCES
    measured = None
    if sentences is not None or path.is_file():
        measured = laboratory.try_on_sentences(loaded, load_sentences(path, loaded.patterns))
    covered = laboratory.coverage(loaded, laboratory.stored_replies(loaded, store, newest))
    if as_json:
        print_json(plain(measured, covered, tuple(concept or ())))
    else:
        typer.echo("\n".join(report(measured, covered, tuple(concept or ()))))
