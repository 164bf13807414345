"""Commands on flaking must-pass cases: quarantine add, quarantine list, quarantine sign-off."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalkit.cli.app import AsJson, StoreFile, app, print_json

if TYPE_CHECKING:
    from evalkit.flaking import Tally
    from evalkit.quarantining import Standing
    from evalkit.tables import Run
    from evalkit.written import M

# Characters of a line.
LONGEST = 2_000

quarantine = typer.Typer(
    help="Must-pass cases that flake: put one in quarantine, see how they stand, sign a commit off.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(quarantine, name="quarantine")

Day = Annotated[datetime.datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Default today.")]
SuiteFolder = Annotated[Path, typer.Option("--suite", help="The suite's folder.")]
CaseId = Annotated[str, typer.Argument(metavar="CASE", help="A case's id.")]


@quarantine.command()
def add(
    case: CaseId,
    reason: Annotated[str, typer.Option(help="Why it flakes, as far as is known.")],
    fix_by: Annotated[datetime.datetime, typer.Option(formats=["%Y-%m-%d"], help="The day by which it is mended.")],
    owner: Annotated[str | None, typer.Option(help="Who mends it; default the case's owner.")] = None,
    since: Day = None,
    run: Annotated[str, typer.Option(help="The run whose trials show that it flakes.")] = "latest",
    suite: SuiteFolder = Path("cases"),
    store: StoreFile = None,
) -> None:
    """Put a must-pass case that flakes into quarantine."""
    from evalkit import quarantining
    from evalkit.errors import CaseError
    from evalkit.loading import load_suite
    from evalkit.quarantine import Quarantined
    from evalkit.runs import load_run

    loaded = load_suite(suite)
    quarantining.refuse_to_add(loaded, case)
    owns = owner or loaded.by_id[case].owner
    if owns is None:
        raise CaseError(f"{case} has no owner; name who mends it with --owner")
    given = {"case": case, "owner": owns, "reason": reason, "since": _day(since), "fix_by": _day(fix_by)}
    entry = _read(Quarantined, given, case)
    path = quarantining.add(loaded, load_run(run, store), entry, datetime.date.today())
    typer.echo(f"{path}: {case} is in quarantine until {entry.fix_by}; {entry.owner} owns it and signs releases off")
    amends = json.dumps(loaded.by_id[case].owner or owns, ensure_ascii=False)
    what = json.dumps(f"quarantine/{case}", ensure_ascii=False)
    typer.echo(
        f"the gate asks for this on the record; add to {path.with_name('amendments.yaml')}:\n"
        f"- {{who: {amends}, when: {datetime.date.today()}, why: …, what: [{what}]}}"
    )


@quarantine.command("list")
def show(
    run: Annotated[
        str | None, typer.Option(help="The run whose trials show what flakes; default `latest`, if there is one.")
    ] = None,
    date: Day = None,
    suite: SuiteFolder = Path("cases"),
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """Say how each entry stands: its owner, the days left, its last sign-off, and how it flakes."""
    from evalkit.loading import load_suite
    from evalkit.quarantining import not_quarantined, standings
    from evalkit.shown import one_line

    loaded = load_suite(suite)
    found, why = _run(run, store)
    entries = standings(loaded, found, datetime.date.fromisoformat(_day(date)))
    waiting = not_quarantined(loaded, found) if found else ()
    if as_json:
        flaking = [{"case": each.case, **_counts(each)} for each in waiting]
        print_json({"run": found and found.id, "quarantine": [_plain(each) for each in entries], "flaking": flaking})
        return
    for each in entries:
        typer.echo(one_line(_line(each), LONGEST))
        typer.echo(f"    {one_line(each.entry.reason, LONGEST)}")
    if not entries:
        typer.echo("no case is in quarantine")
    if found is None:
        typer.echo(one_line(f"flaking is not measured: {why}", LONGEST))
    for tally in waiting:
        said = f"{tally.case} flakes and is not in quarantine: {_flaking(tally)}; mend it"
        typer.echo(one_line(f"{said}, or `evalkit quarantine add`", LONGEST))


@quarantine.command("sign-off")
def sign_off(
    case: CaseId,
    who: Annotated[str, typer.Option(help="Who signs: the entry's owner.")],
    commit: Annotated[
        str | None, typer.Option(help="The commit to release; default the last that changed more than the quarantine.")
    ] = None,
    suite: SuiteFolder = Path("cases"),
) -> None:
    """Record the owner's word that a commit may be released although the case flakes."""
    from evalkit.commits import commit_signed
    from evalkit.errors import CaseError
    from evalkit.loading import load_suite
    from evalkit.quarantine import SignOff
    from evalkit.quarantining import quarantine_path
    from evalkit.quarantining import sign_off as record

    loaded = load_suite(suite)
    named = commit or commit_signed(quarantine_path(loaded))
    if named is None:
        raise CaseError("there is no commit here to sign off; name one with --commit")
    today = datetime.date.today()
    word = _read(SignOff, {"who": who, "commit": named, "when": today.isoformat()}, case)
    path = record(loaded, case, word)
    typer.echo(f"{path}: {who} signed {case} off for {word.commit}; commit this file alone, and it counts")
    if loaded.quarantine[case].expired(today):
        typer.echo(f"its day, {loaded.quarantine[case].fix_by}, has passed: the gate blocks it whatever is signed")


def _read(model: type[M], given: dict[str, Any], case: str) -> M:
    from evalkit.errors import CaseError
    from evalkit.written import parse

    found = parse(model, given, lambda _: None, (), "", case)
    if isinstance(found, list):
        raise CaseError(found)
    return found


def _run(name: str | None, store: Path | None) -> tuple[Run | None, str]:
    """The run that was asked for; the latest where none was, or why there is none."""
    from evalkit.errors import StoreError
    from evalkit.runs import load_run

    try:
        return load_run(name or "latest", store), ""
    except StoreError as error:
        if name is not None:
            raise
        return None, str(error)


def _day(given: datetime.datetime | None) -> str:
    return (given.date() if given else datetime.date.today()).isoformat()


def _counts(tally: Tally) -> dict[str, Any]:
    return {
        "candidate": tally.candidate,
        "passed": tally.passed,
        "measured": tally.measured,
        "unmeasured": tally.unmeasured,
    }


def _plain(each: Standing) -> dict[str, Any]:
    entry = each.entry.model_dump(mode="json")
    flaking = _counts(each.tally) if each.tally else None
    return {**entry, "days_left": each.days_left, "expired": each.expired, "flaking": flaking}


def _line(each: Standing) -> str:
    entry, last = each.entry, each.entry.sign_offs[-1] if each.entry.sign_offs else None
    left = "EXPIRED" if each.expired else f"{each.days_left} day{'s' * (each.days_left != 1)} left"
    signed = f"last signed off {last.commit[:12]} on {last.when}" if last else "never signed off"
    flaking = _flaking(each.tally) if each.tally else "flaking not measured"
    return f"{entry.case}: {entry.owner}, since {entry.since}, fix by {entry.fix_by} ({left}); {signed}; {flaking}"


def _flaking(tally: Tally) -> str:
    return f"passed {tally.passed} of {tally.measured} measured by {tally.candidate}"
