"""The line of trust that is shipped: it fits the shipped grader, and measuring again gives it again."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT

from evalkit.graded import begin_measurement, grade_run
from evalkit.grading.panel import panel_of
from evalkit.labels import label_files, load_label_sets
from evalkit.loading import load_suite
from evalkit.measurement import measure, sets_that_count
from evalkit.runs import load_run
from evalkit.shootout import load_shootout
from evalkit.trust import TrustLine, changes, line_of, read_ledger

SHOOTOUT = ROOT / "cases/shootouts/offline.yaml"
RECORD = "grade the labels again and record: evalkit grade, then evalkit agreement --record"


@pytest.fixture(scope="module")
def line() -> TrustLine:
    text = label_files(ROOT / "cases/labels").get("trust.jsonl", "")
    assert text, f"no ledger is shipped; {RECORD}"
    return read_ledger(text, "cases/labels/trust.jsonl")[-1]


def test_the_shipped_line_fits_the_shipped_grader_labels_and_thresholds(line: TrustLine) -> None:
    suite = load_suite(ROOT / "cases")
    panel = panel_of(load_shootout(SHOOTOUT).grader, suite)
    sets = [each for each in load_label_sets(label_files(ROOT / "cases/labels")) if each.rubric == panel.rubric.name]
    assert changes(line, panel, sets_that_count(sets), suite.settings.trust) == (), RECORD


def test_the_shipped_line_says_that_its_labels_are_an_example(line: TrustLine) -> None:
    assert line.source == "example"
    assert sum(line.labels["sets"].values()) >= 240
    assert line.figures["unscored"] + line.figures["errors"] + line.figures["not_graded"] < 0.05 * line.figures["items"]


def test_measuring_again_gives_the_shipped_line_again(line: TrustLine, tmp_path: Path) -> None:
    store = tmp_path / "evalkit.sqlite"
    # A month's grades are asked anew, so it is the same series that is measured again.
    run = begin_measurement(SHOOTOUT, store, "" if line.series == "live" else line.series)
    grade_run(run, store)
    again = line_of(measure(load_run(run, store)), line.date)
    assert (again.grader, again.labels, again.decision) == (line.grader, line.labels, line.decision), RECORD
    # Counts alone: an interval's last digits may be another machine's.
    for tables in (lambda figures: figures["kappa"]["table"], lambda figures: figures["candidates"]):
        assert tables(again.figures) == tables(line.figures), RECORD
