"""How long it takes to read 30,000 grades from a store and to say what the cascade makes of them."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from evalkit.grading import Subject, grading_of, panel_of
from evalkit.grading.turns import Turn, content_hash
from evalkit.loading import load_suite
from evalkit.shootout import load_shootout
from evalkit.store import Store
from evalkit.transcript import Attempt, CriterionGrade, Grade, Usage

GRADES = 30_000


def main() -> None:
    """Print the seconds of processor time that each step takes."""
    shootout = load_shootout("cases/shootouts/offline.yaml")
    panel = panel_of(shootout.grader, load_suite("cases"))
    said = [(Turn("customer", f"Question {n} " * 20), Turn("agent", f"Answer {n} " * 60)) for n in range(GRADES)]
    subjects = [Subject(content_hash(turns), turns, "A golden answer.") for turns in said]
    why = "All that the golden answer holds is there, in other words; nothing is invented. " * 2
    criteria = tuple(CriterionGrade(name, "4", why) for name in panel.rubric.criterion_names)
    attempt = Attempt("offline/grader-cheap", "grader-cheap", 0.01, 0.0001, Usage(900, 80), role="grader")
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "grades.sqlite") as store:
        with store._transaction():
            for subject in subjects:
                for key, _ in panel.asked_for(subject, "cheap"):
                    store.grades.save(Grade(key, "graded", criteria, model="offline/grader-cheap", attempts=(attempt,)))
        started = time.process_time()
        keys = list(panel.keys(subjects))
        reading = time.process_time()
        grades = store.grades.of(keys)
        judging = time.process_time()
        found = [grading_of(panel, subject, grades) for subject in subjects]
        done = time.process_time()
    print(f"{len(grades):,} grades: keys {reading - started:.2f} s, read {judging - reading:.2f} s, ", end="")
    print(
        f"judged {done - judging:.2f} s, in all {done - started:.2f} s; {sum(each.passed is True for each in found):,}"
    )


if __name__ == "__main__":
    main()
