"""The answer of a calibration in sentences: is the month measured, has agreement moved, has the grader changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from evalkit.calibration.change import PARTS, Change
from evalkit.calibration.counts import transcripts
from evalkit.calibration.months import Calibration, Month, calibrated, is_month
from evalkit.shown import counted, listed, with_interval
from evalkit.tables import Run

NO_MONTH = "No month is measured: the grader's agreement with people was never measured in a month's series."
HOW = "`make calibration MONTH={}` grades the labelled transcripts anew and shows what came of it."


@dataclass(frozen=True)
class Answer:
    """What the page says first: `says` in a sentence or two, and paragraphs on what that rests on.

    `incomplete` says what is missing where the run's own month is not graded whole, '' where nothing is.
    """

    says: str
    tone: Literal["good", "warn", "bad", "note"]
    rests_on: tuple[str, ...]
    incomplete: str = ""


def answer(run: Run, month: str = "") -> Answer:
    """The answer for a month. Raises ReportError where `month` is none."""
    found = calibrated(run, month)
    if run.panel is None:
        return Answer(f"No grader is calibrated: {run.no_panel}.", "note", ())
    if found.now is None:
        return Answer(NO_MONTH, "note", (*found.faults, HOW.format("YYYY-MM")))
    says, tone = _says(found, found.now)
    if found.now.line is not None and found.now.line.decision == "not trusted":
        says, tone = f"By its thresholds the grader is not trusted in {found.now.month}. {says}", "bad"
    return Answer(says, tone, tuple(_rests_on(found, found.now)), _incomplete(found))


def settled(run: Run) -> bool:
    """Whether every labelled transcript of a run's series has its grade, be it one that cannot be read."""
    found = calibrated(run)
    states = transcripts(found, run.series)
    return bool(states) and not (states["not graded"] or states["error"])


def _says(found: Calibration, now: Month) -> tuple[str, Literal["good", "warn", "bad", "note"]]:
    if not now.measured:
        return f"{now.month} is not measured: {_begun(now.why_not)}", "warn"
    kappa = f"kappa with people is {_kappa(now)}"
    if not found.before:
        return f"{now.month} is the first month measured: {kappa}. There is no earlier one to compare it with.", "note"
    drift = _drift(found)
    by = {moved: [each for each in drift if each.moved == moved] for moved in ("fallen", "risen")}
    grader = _grader(found, now)
    if not any(not each.parts for each in found.changes):
        return _first_of_its_grader(now, drift[0], kappa, grader)
    said = [
        f"Agreement with people has {moved} beyond chance against {listed([each.since for each in reversed(moves)])}"
        for moved, moves in by.items()
        if moves
    ]
    if said:
        return f"{'; '.join(said)}: in {now.month} {kappa}. {grader}", "bad" if by["fallen"] else "warn"
    against = [each.since for each in reversed(drift) if each.moved == "none seen"]
    if not against:
        return f"Whether agreement has moved cannot be told: in {now.month} {kappa}. {grader}", "warn"
    earlier = against[0] if len(against) == 1 else f"any of the {len(against)} months compared"
    tone = "warn" if now.changed else "good"
    return f"No drift beyond chance is seen in {now.month} against {earlier}: {kappa}. {grader}", tone


def _first_of_its_grader(
    now: Month, last: Change, kappa: str, grader: str
) -> tuple[str, Literal["good", "warn", "bad", "note"]]:
    """What is said in the first month of a grader: no drift of it can be told, but what the change did to agreement."""
    first = f"{now.month} is the first month of this grader, so no drift of it can be told: {kappa}. {grader}"
    moved = {
        "fallen": f"Against {last.since}, with the grader before it, agreement with people has fallen beyond chance.",
        "risen": f"Against {last.since}, with the grader before it, agreement with people has risen beyond chance.",
        "none seen": f"No difference beyond chance from the grader before it is seen against {last.since}.",
        "not comparable": f"It cannot be compared with {last.since}.",
    }[last.moved]
    return f"{first} {moved}", "bad" if last.moved == "fallen" else "warn"


def _drift(found: Calibration) -> tuple[Change, ...]:
    """The changes that tell of drift: against months of the same grader or, right after a change, of the last one.

    What lies further back was another grader; that agreement was another then is no news.
    """
    alike = tuple(each for each in found.changes if not each.parts)
    return alike or found.changes[:1]


def _grader(found: Calibration, now: Month) -> str:
    since = found.last_line
    if now.changed and since is not None:
        verb = "has" if len(now.changed) == 1 else "have"
        return f"The grader's {listed(now.changed)} {verb} changed since {since.month}."
    return "The grader is the same: rubric, model and prompt."


def _rests_on(found: Calibration, now: Month) -> Iterator[str]:
    yield from (f"{fault}." for fault in found.faults)
    if now.line is None:
        yield HOW.format(now.month)
    else:
        yield from _of_the_month(found, now, len(found.before) > 0)
    yield from _of_the_row(found, now)


def _of_the_month(found: Calibration, now: Month, compared: bool) -> Iterator[str]:
    line = now.line
    if line is None:
        return
    kappa = now.kappa
    yield (
        f"Measured on {counted(kappa['n'], 'held-out transcript')} of {counted(kappa['cases'], 'case')}, the same "
        f"words graded anew each month, so that a change is the grader's. By the thresholds of suite.yaml the "
        f"grader is {line.decision} on them."
    )
    if compared and now.measured:
        yield from _how_compared(found)
    if not now.recorded:
        yield (
            "This month is not recorded yet, as it stands here: `evalkit agreement --record` adds it to "
            "labels/trust.jsonl, and later months are compared with it once that is committed."
        )
    measurement = found.measurement
    parts = [part for part in PARTS if measurement and measurement.panel.identity[part] != line.grader[part]]
    if parts:
        verb = "is" if len(parts) == 1 else "are"
        yield (
            f"The grader of this run is not the one that was measured in {now.month}: its {listed(parts)} {verb} "
            f"another. {HOW.format(now.month)}"
        )


def _how_compared(found: Calibration) -> Iterator[str]:
    changes, drift = found.changes, _drift(found)
    by_intervals = [each.since for each in reversed(changes) if each.paired is None and each.same_labels]
    others = [each.since for each in reversed(changes) if each.moved == "not comparable"]
    pair = changes[0].paired
    if pair is not None and pair.value is not None:
        told = "0: no verdict changed"
        if pair.changed:
            value = with_interval(pair.value, pair.low, pair.high)
            told = f"{value} at {100 * pair.confidence:.4g} %, with another verdict in {counted(pair.changed, 'case')}"
        yield f"On the {pair.n} transcripts graded in both months, kappa moved since {changes[0].since} by {told}."
    if by_intervals:
        yield (
            f"Against {listed(by_intervals)} all that can be said is whether the 95 % intervals overlap, since the "
            "grades of both months are not at hand. That is a coarse look: intervals that overlap do not show that "
            "nothing moved, and those that lie apart show that something did."
        )
    for moved in ("fallen", "risen"):
        if then := [each.since for each in reversed(changes) if each.moved == moved and each not in drift]:
            yield f"Against {listed(then)}, when the grader was another, agreement has {moved} beyond chance."
    if others:
        yield f"Not comparable: {listed(others)}; the table of changes says why."


def _of_the_row(found: Calibration, now: Month) -> Iterator[str]:
    gaps = [each for each in found.months if each.line is None and each.month != now.month]
    if gaps:
        yield f"Without a measurement: {listed([each.month for each in gaps])}."
    if found.left_out:
        yield f"Not shown: {counted(found.left_out, 'month')} on record further off."


def _incomplete(found: Calibration) -> str:
    """What is missing of the run's own month."""
    run = found.run
    if not is_month(run.series) or run.series != found.month:
        return ""
    states = transcripts(found, run.series)
    words = {"not graded": "are not graded", "error": "ended in an error"}
    missing = [f"{states[state]} {said}" for state, said in words.items() if states[state]]
    if not missing:
        return ""
    return f"Of {counted(sum(states.values()), 'labelled transcript')} {listed(missing)}; `evalkit grade` goes on."


def _kappa(month: Month) -> str:
    figures = month.kappa
    return f"{with_interval(figures['value'], figures['low'], figures['high'])}, n {figures['n']}"


def _begun(reason: str) -> str:
    # A sentence of its own keeps its full stop.
    said = reason[:1].lower() + reason[1:]
    return said if said.endswith(".") else f"{said}."
