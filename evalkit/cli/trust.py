"""A command on graders: agreement."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.app import AsJson, RunName, StoreFile, app, print_json

if TYPE_CHECKING:
    from evalkit.measurement import Measurement
    from evalkit.trust import Trust


@app.command()
def agreement(
    name: RunName = "latest",
    record: Annotated[
        bool, typer.Option("--record", help="Add the measurement to the suite's labels/trust.jsonl.")
    ] = False,
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """Measure how far a run's grader agrees with people, and say whether it may be trusted."""
    from evalkit.errors import NotMeasured
    from evalkit.measurement import measure
    from evalkit.measurement.words import lines
    from evalkit.runs import load_run
    from evalkit.trust import trust_of

    folder = _suite_of(name, store) if record else None
    run = load_run(name, store)
    found = measure(run)
    if not found.sets:
        raise NotMeasured(found.decision.reasons[0])
    if folder and (waiting := found.held_out.states["not graded"]):
        raise NotMeasured(
            f"{waiting} of {len(found.held_out.decided)} held-out transcripts are not graded yet, so there is nothing "
            f"to record: `evalkit grade {name}` first"
        )
    said = _record(found, folder) if folder else {}
    stands = trust_of(load_run(name, store) if said else run)
    if as_json:
        from evalkit.measurement.figures import measurement_figures

        print_json({"run": run.id, **measurement_figures(found), "trust": stands.decision, "why": stands.why, **said})
        return
    for line in lines(found):
        typer.echo(line)
    typer.echo(f"\nin reports this grader is {_standing(stands)}")
    if said:
        typer.echo(
            f"recorded in {said['ledger']}" if said["recorded"] else f"not recorded again: {said['ledger']} holds it"
        )


def _suite_of(name: str, store: Path | None) -> Path:
    """The folder of the suite that a run was played under."""
    from evalkit.archive import is_archive
    from evalkit.errors import StoreError
    from evalkit.store import Store

    if is_archive(name):
        raise StoreError(f"{name} is an archive, whose figures stay as they are; record a run of the store")
    with Store(store, create=False) as opened:
        folder = opened.origin(opened.find(name))
    if not folder.is_dir():
        raise StoreError(f"the suite's folder {folder} is gone, so there is no ledger to record in")
    return folder


def _record(found: Measurement, folder: Path) -> dict[str, str | bool]:
    from evalkit.trust import record

    path, new = record(found, folder / "labels", date.today().isoformat())
    return {"ledger": str(path), "recorded": new}


def _standing(stands: Trust) -> str:
    """What the ledger says of a grader, which is what a report goes by."""
    if stands.line is None:
        return f"not trusted: {' '.join(stands.why)}"
    return f"{stands.decision}, by the ledger's line of {stands.line.date} (series {stands.line.series})"
