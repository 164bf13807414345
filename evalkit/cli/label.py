"""Commands on human labels: labels sheet, labels read, labels adjudicate, labels show."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from evalkit.cli.app import AsJson, RunName, StoreFile, app, print_json

if TYPE_CHECKING:
    from evalkit.rubrics import Rubric

labels = typer.Typer(
    help="Human labels: draw sheets for raters, take them back, decide where they differ.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(labels, name="labels")

SuiteFolder = Annotated[Path, typer.Option("--suite", help="The suite's folder, whose rubrics hold the menu.")]
DateOf = Annotated[datetime.datetime | None, typer.Option("--date", formats=["%Y-%m-%d"], help="Default today.")]
Replace = Annotated[bool, typer.Option("--replace", help="Take what is otherwise now for what was said before.")]
LABELS = "labels"


@labels.command()
def sheet(
    name: RunName,
    out: Annotated[Path, typer.Option("--out", help="A new folder for the sheets and the key.")],
    items: Annotated[int, typer.Option(min=1, max=100_000, help="Transcripts to draw, about.")] = 120,
    seed: Annotated[int, typer.Option(help="What the draw hangs on; the same seed draws the same.")] = 1,
    rubric: Annotated[
        str | None, typer.Option(help="The rubric to label by; default the run's grader's, or the suite's only one.")
    ] = None,
    raters: Annotated[str, typer.Option(help="The raters, separated by commas.")] = "rater-a,rater-b",
    store: StoreFile = None,
) -> None:
    """Draw transcripts for people to judge, half of them likely fails, and write a blind sheet for each rater."""
    from evalkit.grading import grader_of
    from evalkit.labels.drawing import draw
    from evalkit.labels.items import LabelSet
    from evalkit.labels.sheets import write_sheets
    from evalkit.runs import load_run

    run = load_run(name, store)
    role = grader_of(run.manifest)
    by = _rubric(run.suite.rubrics, rubric or (role and role.rubric), run.suite.name)
    names = [each.strip() for each in raters.split(",") if each.strip()]
    drawn = draw(run, items, seed)
    about = f"{len(drawn)} transcripts drawn from run {run.id[:8]} ({run.name})"
    drawn_from = {"run": run.id, "seed": seed, "raters": names}
    key = LabelSet(out.name or LABELS, "people", by.name, about, drawn_from, drawn)
    for path in write_sheets(key, by, names, out):
        typer.echo(path)
    typer.echo(f"{about}; give each rater their sheet and README.txt, and keep key.jsonl")


@labels.command()
def read(
    key: Annotated[Path, typer.Argument(metavar="KEY", help="The key.jsonl that was written with the sheets.")],
    sheets: Annotated[list[Path], typer.Argument(metavar="SHEET…", help="Sheets that came back.")],
    out: Annotated[Path, typer.Option("--out", help="The label set's file, such as cases/labels/NAME.jsonl.")],
    source: Annotated[Literal["people", "example"], typer.Option(help="Who labelled.")] = "people",
    date: DateOf = None,
    replace: Replace = False,
    suite: SuiteFolder = Path("cases"),
    as_json: AsJson = False,
) -> None:
    """Take sheets back into a label set; every fault at once, and then nothing is written."""
    from evalkit.labels.answers import merged, read_sheets
    from evalkit.labels.counts import counts
    from evalkit.labels.files import load_label_set, save_label_set

    drawn = load_label_set(key)
    rubric = _rubric(_suite(suite).rubrics, drawn.rubric, str(suite))
    answers = read_sheets(drawn, rubric, sheets)
    before = load_label_set(out) if out.exists() else None
    found = merged(drawn, answers, before, name=out.stem, source=source, date=_day(date), replace=replace)
    save_label_set(found, out)
    empty = len(answers) * len(rubric.criterion_names) - sum(len(each.verdicts) for each in answers)
    if as_json:
        print_json({"file": str(out), "rows": len(answers), "empty_cells": empty, **counts(found)})
        return
    typer.echo(f"{out}: {len(answers)} rows read, {empty} verdicts not given yet")
    _show(counts(found))


@labels.command()
def adjudicate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The label set's file.")],
    lead: Annotated[str, typer.Option("--lead", help="Who decides.")],
    decisions: Annotated[Path | None, typer.Option(help="The list with decisions and rules, to take back.")] = None,
    out: Annotated[Path, typer.Option("--out", help="Where the list of what is undecided goes.")] = Path(
        "reports/adjudicate.csv"
    ),
    date: DateOf = None,
    replace: Replace = False,
    suite: SuiteFolder = Path("cases"),
) -> None:
    """Write what raters differ on for the lead; with --decisions, take back what was decided and by which rule."""
    from evalkit.errors import CaseError
    from evalkit.labels.adjudication import decided, undecided_csv
    from evalkit.labels.files import load_label_set, save_label_set
    from evalkit.labels.guide import GUIDE, add_rules
    from evalkit.labels.writing import replace as put

    found = load_label_set(file)
    if decisions is None:
        if out.exists():
            raise CaseError(f"{out} is there already and may hold decisions; name another file with --out")
        content, number = undecided_csv(found)
        put(out, content)
        typer.echo(f"{out}: {number} verdicts to decide, each by a rule")
        return
    rubric = _rubric(_suite(suite).rubrics, found.rubric, str(suite))
    found, rules = decided(found, rubric, decisions, lead=lead, date=_day(date), replace=replace)
    save_label_set(found, file)
    guide = file.with_name(GUIDE)
    for criterion, rule in add_rules(guide, rules):
        typer.echo(f"new in {guide}, {criterion}: {rule}")
    typer.echo(f"{file}: {sum(bool(item.undecided) for item in found.items)} items undecided")


@labels.command()
def show(
    suite: Annotated[Path, typer.Argument(metavar="SUITE", help="The suite's folder.")] = Path("cases"),
    as_json: AsJson = False,
) -> None:
    """Say which label sets a suite has: who rated how much, what is undecided, and how much is held out."""
    from evalkit.home import at_home
    from evalkit.labels.counts import counts
    from evalkit.labels.files import load_label_sets

    share = _suite(suite).settings.trust.held_out
    found = [counts(each, share) for each in load_label_sets(at_home(suite) / LABELS)]
    if as_json:
        print_json({"labels": found})
        return
    for each in found:
        _show(each)
    if not found:
        typer.echo(f"no label set in {suite / LABELS}; draw one with `evalkit labels sheet`")


def _suite(folder: Path) -> Any:
    from evalkit.loading import load_suite

    return load_suite(folder)


def _rubric(known: Any, name: str | None, suite: str) -> Rubric:
    from evalkit.errors import CaseError

    if not known:
        raise CaseError(f"{suite} has no rubric; write rubrics/NAME.yaml with its criteria and its menu of verdicts")
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name is None:
        raise CaseError(f"{suite} has {len(known)} rubrics; name one with --rubric: {', '.join(known)}")
    if name not in known:
        raise CaseError(f"no rubric {name!r} in {suite}; known: {', '.join(known)}")
    return known[name]


def _day(given: datetime.datetime | None) -> str:
    return (given.date() if given else datetime.date.today()).isoformat()


def _show(found: dict[str, Any]) -> None:
    from evalkit.labels.counts import in_words

    typer.echo(in_words(found))
