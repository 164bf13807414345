"""Whether a grader is trusted now, by the lines of the ledger.

A grader's verdicts count only while the newest line that fits says "trusted": the same rubric, model and prompt, the
same labels, and the same thresholds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evalkit.errors import CaseError
from evalkit.grading.panel import Panel
from evalkit.labels import LabelSet, label_files
from evalkit.labels.files import LEDGER
from evalkit.labels.items import Source
from evalkit.measurement import Measurement, labels_hash, sets_that_count
from evalkit.measurement.figures import grader_figures, label_figures, side_figures
from evalkit.settings import Trust as Thresholds
from evalkit.shown import listed
from evalkit.tables import Run, once_a_run
from evalkit.trust.ledger import TrustLine, append, read_ledger

AGAIN = "`evalkit grade`, then `evalkit agreement --record`, measure it"


@dataclass(frozen=True)
class Trust:
    """Whether the verdicts of a run's grader count, and why not.

    `decision` is that of `line`, the newest that fits, or "no line". `source` says who labelled what it rests on:
    on "example" labels no gate may rest. `why` holds sentences: the line's reasons, or what keeps every line from
    fitting.
    """

    decision: Literal["trusted", "not trusted", "not measured", "no line"]
    source: Source | None
    line: TrustLine | None
    why: tuple[str, ...]

    @property
    def trusted(self) -> bool:
        """Whether graded scores may be shown; those on example labels under their mark."""
        return self.decision == "trusted"


@once_a_run
def trust_of(run: Run) -> Trust:
    """What the run's ledger says of its grader, as rubric, model, prompt, labels and thresholds are now.

    Of several lines that fit, the last in the file stands, whatever their dates: lines are only ever added.
    """
    if run.panel is None:
        return _no_line(run.no_panel)
    text = run.labels.get(LEDGER)
    if text is None:
        nobody = "nobody recorded how far the grader agrees with people"
        return _no_line(f"there is no ledger labels/{LEDGER}: {nobody}; {AGAIN}")
    try:
        lines = read_ledger(text, f"labels/{LEDGER}")
    except CaseError as error:
        return _no_line(*(f"the ledger cannot be read: {fault}" for fault in error.faults))
    if not lines:
        return _no_line(f"the ledger labels/{LEDGER} is empty; {AGAIN}")
    sets, thresholds = sets_that_count(run.label_sets), run.suite.settings.trust
    fitting = [line for line in lines if not changes(line, run.panel, sets, thresholds)]
    if fitting:
        line = fitting[-1]
        return Trust(line.decision, sets[0].source, line, line.reasons)
    by_rubric = [line for line in lines if line.rubric == run.panel.rubric.name]
    return _no_line(*changes((by_rubric or lines)[-1], run.panel, sets, thresholds))


def changes(line: TrustLine, panel: Panel, sets: Sequence[LabelSet], thresholds: Thresholds) -> tuple[str, ...]:
    """What changed since a line was written, as sentences; () where it fits."""
    since = f"since the grader was measured on {line.date} (series {line.series})"
    parts = [name for name, now in panel.identity.items() if line.grader[name] != now]
    said = []
    if parts:
        verb = "has" if len(parts) == 1 else "have"
        models = _models(line, panel) if "model" in parts else ""
        said.append(f"the grader's {listed(parts)} {verb} changed {since}{models}; {AGAIN} again")
    if line.labels["hash"] != labels_hash(sets):
        gone = "no label set is by its rubric any more" if not sets else "the labels have changed"
        said.append(f"{gone} {since}; {AGAIN} again")
    elif line.source != sets[0].source:
        said.append(f"the ledger says that its labels are of the source {line.source}, and they are {sets[0].source}")
    now = thresholds.model_dump(mode="json")
    if moved := [f"{name} {line.thresholds[name]} → {now[name]}" for name in now if line.thresholds[name] != now[name]]:
        said.append(f"the thresholds in suite.yaml have changed {since}: {', '.join(moved)}; {AGAIN} again")
    return tuple(said)


def line_of(measurement: Measurement, day: str) -> TrustLine:
    """The line of the ledger for a measurement; `day` as YYYY-MM-DD. Its figures are the held-out side's."""
    decision = measurement.decision
    return TrustLine(
        date=day,
        series=measurement.series,
        grader=grader_figures(measurement.panel),
        rubric=measurement.panel.rubric.name,
        labels=label_figures(measurement),
        # As they come back from the file, so that equal lines are equal.
        figures=json.loads(json.dumps(side_figures(measurement.held_out))),
        thresholds=measurement.thresholds.model_dump(mode="json"),
        decision=decision.word,
        reasons=decision.reasons,
    )


def record(measurement: Measurement, folder: Path, day: str) -> tuple[Path, bool]:
    """Add a measurement to the ledger of a folder of labels: its file, and whether the line is new on that day.

    Raises CaseError where the ledger has faults, StoreError where it cannot be written.
    """
    path, line = folder / LEDGER, line_of(measurement, day)
    there = label_files(folder).get(LEDGER, "")
    before = [each for each in read_ledger(there, str(path)) if each.series == line.series]
    # Compared with the newest alone: what was measured otherwise in between is undone by measuring this again.
    if before and before[-1] == line:
        return path, False
    append(path, line)
    return path, True


def _models(line: TrustLine, panel: Panel) -> str:
    """Which of the two models are others, or that it is something about them."""
    now = {"cheap": panel.cheap.spec.model, "strong": panel.strong and panel.strong.spec.model}
    before = line.grader
    moved = [f"{before[each] or 'none'} → {name or 'none'}" for each, name in now.items() if before[each] != name]
    same = "of the same names, with other parameters, another version or another draw for the strong one"
    return f" ({', '.join(moved) or same})"


def _no_line(*why: str) -> Trust:
    return Trust("no line", None, None, tuple(f"{each[0].upper()}{each[1:]}." for each in why))
