"""A command on noise: the bands of a run's baseline as a table."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalkit.cli.app import AsJson, RunName, StoreFile, app, print_json, say

if TYPE_CHECKING:
    from evalkit.bands import MustPass, Noise, StratumBand
    from evalkit.stats.simulated import Flaking
    from evalkit.tables import Run

# The sample of a pull request and, where the suite has none of that name, the cases of each stratum.
SAMPLE, CASES = "pr", 10
_HEADS = ("stratum", "n", "m", "score", "band", "by", "± %", "blocked by luck", "10 points", "20 points")


@app.command()
def noise(
    name: RunName = "latest",
    candidate: Annotated[str | None, typer.Option(help="Whose bands; by default the run's baseline.")] = None,
    m: Annotated[int | None, typer.Option("--m", min=1, help="Compare so many cases of each stratum.")] = None,
    sample: Annotated[
        str | None, typer.Option(help=f"Compare this sample of suite.yaml; by default {SAMPLE}, or {CASES} a stratum.")
    ] = None,
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """Show the noise band of each stratum: how far its score may drop by luck, and which drops a gate would see."""
    from evalkit.bands import compared_by, noise_of, usual
    from evalkit.runs import load_run
    from evalkit.shown import printable

    run = load_run(name, store)
    given = sample is not None or m is not None
    compared = (
        compared_by(run.suite, sample or "", m)
        if given
        else usual(run.suite, SAMPLE, CASES, [case.id for case in run.cases])
    )
    found = noise_of(run, candidate, compared)
    if as_json:
        print_json(_figures(run, found))
    else:
        for line in _lines(found):
            typer.echo(printable(line))
    if found.luck is None:
        raise typer.Exit(say(f"evalkit: not measured: {found.why}; `evalkit run SHOOTOUT --repeats 3` plays it"))


def _lines(found: Noise) -> list[str]:
    from evalkit.shown import counted

    rows = [_HEADS, *(_row(each) for each in found.strata)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADS))]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    said = [
        *table, "",
        f"{found.candidate}: {counted(found.repeats, 'repeat')} of {counted(found.k, 'trial')} a case, z = {found.z:g}"
        f"; compared: {found.compared.says}",
    ]  # fmt: skip
    if found.luck is not None:
        luck = found.luck
        said.append(
            f"some of {luck.strata} strata blocks though nothing changed, by the flakes that were seen: "
            f"{_share(luck.once)} at one look, {_share(luck.rerun)} after the rerun; at most {_share(luck.most_once)} "
            f"and {_share(luck.most_rerun)}"
        )
    said += _must_pass(found.must_pass)
    if found.luck is not None:
        said += [f"{each.stratum}: {each.band.reason}" for each in found.strata if each.band.reason]
    said += [f"{each.stratum}: even a drop to none stays inside the band" for each in found.blind]
    said += [f"left out: {case}, {why}" for each in found.strata for case, why in (each.left_out or {}).items()]
    if found.span is not None:
        said.append(f"the repeats cover {found.span.first} to {found.span.last}")
    return said


def _must_pass(found: MustPass) -> list[str]:
    sheltered = f"; in quarantine, not counted: {', '.join(found.quarantined)}" if found.quarantined else ""
    failed = len(found.always) + len(found.sometimes)
    said = [f"must-pass cases compared: {found.cases}, of which {failed} failed a trial of the baseline{sheltered}"]
    if found.always:
        said.append(f"failed every trial, so that every pull request is blocked: {', '.join(found.always)}")
    if found.sometimes:
        said.append(f"failed some of their trials: {', '.join(found.sometimes)}")
    if found.unmeasured:
        said.append(f"must-pass, without a measured trial: {', '.join(found.unmeasured)}")
    if found.others:
        said.append(
            f"some of the {found.others} that passed a trial blocks by luck: {_share(found.likely)} by the flakes that "
            f"were seen of them, at most {_share(found.most)}"
        )
    return said


def _row(each: StratumBand) -> tuple[str, ...]:
    from evalkit.bands import DROPS

    score = "-" if each.score.value is None else f"{each.score.value:.2f}"
    head = (each.stratum, str(each.n), str(each.m), score)
    if each.band.value is None:
        return (*head, "not measured", *[""] * (len(_HEADS) - len(head) - 1))
    margin = "-" if each.achieved.margin is None else f"{100 * each.achieved.margin:.0f}"
    looks = [each.sight(drop) for drop in (0.0, *DROPS)]
    chances = ["-" if one is None else f"{_share(one.once)} > {_share(one.rerun)}" for one in looks]
    return (*head, f"{each.band.value:.2f}", each.band.decided, margin, *chances)


def _share(value: float) -> str:
    # Rare is not never.
    if 0 < value < 0.0005:
        return "< 0.1 %"
    return f"{100 * value:.1f} %"


def _figures(run: Run, found: Noise) -> dict[str, Any]:
    return {
        "run": run.id,
        "candidate": found.candidate,
        "suite": run.suite.snapshot,
        "k": found.k,
        "repeats": found.repeats,
        "z": found.z,
        "compared": found.compared.says,
        "why": found.why,
        "luck": asdict(found.luck) if found.luck else None,
        "flaking": _flaking(found.flaking) if found.flaking else None,
        "must_pass": asdict(found.must_pass),
        "span": found.span and {"first": found.span.first, "last": found.span.last},
        "strata": {each.stratum: _stratum(each) for each in found.strata},
    }


def _flaking(found: Flaking) -> dict[str, float | None]:
    # JSON has no infinity.
    return {**asdict(found), "weight": found.weight if math.isfinite(found.weight) else None}


def _stratum(each: StratumBand) -> dict[str, Any]:
    return {
        "n": each.n,
        "m": each.m,
        "score": asdict(each.score),
        "band": asdict(each.band),
        "band_on_all": each.whole.value,
        "sees_nothing": each.sees_nothing,
        "stored_score": each.compared,
        "least_drop": each.least,
        "achieved": asdict(each.achieved),
        "few_repeats": {"worst": each.worst and asdict(each.worst), "likely": each.likely and asdict(each.likely)},
        "chances": [
            {"drop": one.drop, "once": one.looks and one.looks.once, "rerun": one.looks and one.looks.rerun}
            for one in each.sights
        ],
        "at_most": each.most and each.most.looks and asdict(each.most.looks),
        "left_out": dict(each.left_out or {}),
    }
