"""The ledger of trust, what of it stands now, and the command that measures and records."""

import json
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from measured import GRADER, PROMPT, RUBRIC, TICKET, Row, grade, label_lines, measured_run, table
from typer.testing import CliRunner

import evalkit.cli.trust  # noqa: F401  (registers the command)
from evalkit import run
from evalkit.cli import app
from evalkit.errors import CaseError, StoreError
from evalkit.graded import begin_measurement
from evalkit.labels import subject_of_item
from evalkit.measurement import measure
from evalkit.runs import load_run
from evalkit.store import Store
from evalkit.trust import TrustLine, append, line_of, read_ledger, record, trust_of

ROWS = table(150, 10, 6, 34)


def line_for(rows: list[Row] = ROWS, day: str = "2026-10-01", **more) -> TrustLine:
    return line_of(measure(measured_run(rows, **more)), day)


def ledger(*lines: TrustLine) -> str:
    return "".join(f"{line.to_json()}\n" for line in lines)


@pytest.fixture(scope="module")
def trusted() -> TrustLine:
    return line_for()


@pytest.fixture(scope="module")
def text(trusted: TrustLine) -> str:
    return ledger(trusted)


def why(**more) -> str:
    found = trust_of(measured_run(ROWS, **more))
    assert (found.decision, found.trusted, found.line, found.source) == ("no line", False, None, None)
    return "\n".join(found.why)


def test_a_line_says_all_that_it_rests_on_and_comes_back_as_it_was(trusted: TrustLine, text: str) -> None:
    plain = json.loads(text)
    assert list(plain) == [
        "date", "series", "grader", "rubric", "labels", "figures", "thresholds", "decision", "reasons",
    ]  # fmt: skip
    run = measured_run(ROWS)
    assert plain["grader"] == {
        "fingerprint": run.panel.fingerprint, **run.panel.identity, "cheap": "offline/grader-cheap", "strong": None,
    }  # fmt: skip
    assert plain["labels"] == {"hash": measure(run).labels_hash, "source": "example", "sets": {"hand": 200}}
    assert plain["thresholds"] == {"kappa_low": 0.4, "negative_low": 0.7, "least_rarer": 5, "held_out": 0.5}
    assert (plain["date"], plain["series"], plain["rubric"], plain["decision"]) == (
        "2026-10-01", "live", "quality", "trusted",
    )  # fmt: skip
    figures = plain["figures"]
    assert figures["kappa"]["value"] == pytest.approx(63 / 83)
    assert (figures["kappa"]["n"], figures["kappa"]["table"]) == (200, [[150, 10], [6, 34]])
    assert figures["candidates"] == {
        "steady": {"items": 200, "table": [[150, 10], [6, 34]], "weighted": [[150, 10], [6, 34]]}
    }
    assert figures["months"]["2026-08"]["n"] == 200
    assert figures["raters"] == {"ann": 200, "bob": 200}
    assert "Answer" not in text
    assert read_ledger(text, "trust.jsonl") == (trusted,)


def test_every_decision_can_be_kept_and_read_again() -> None:
    differ = {"ann": {"right": "3", "kind": "3"}, "bob": {"right": "1", "kind": "3"}}
    for rows in (table(3, 0, 0, 0), [Row(grader=None)], [Row(raters=differ)], table(80, 10, 5, 5), [Row(held=False)]):
        line = line_for(rows)
        assert read_ledger(ledger(line), "trust.jsonl")[0].decision == line.decision


def test_a_line_that_fits_is_the_trust_of_the_grader(text: str, trusted: TrustLine) -> None:
    found = trust_of(measured_run(ROWS, ledger=text))
    assert (found.decision, found.trusted, found.source) == ("trusted", True, "example")
    assert found.why == trusted.reasons
    assert found.line.figures["kappa"]["n"] == 200


def test_one_letter_of_the_rubric_takes_trust_away_and_is_named(text: str) -> None:
    said = why(ledger=text, rubric=RUBRIC.replace("Is it kind?", "Is it kinD?"))
    assert said.startswith("The grader's rubric has changed since the grader was measured on 2026-10-01 (series live);")


def test_one_letter_of_the_prompt_takes_trust_away_and_is_named(text: str) -> None:
    assert "The grader's prompt has changed since" in why(ledger=text, prompt=f"{PROMPT}!")


def test_another_model_takes_trust_away_and_is_named(text: str) -> None:
    said = why(ledger=text, grader={**GRADER, "model": "offline/grader-strong"})
    assert "The grader's model has changed since" in said
    assert "(offline/grader-cheap → offline/grader-strong)" in said


@pytest.mark.parametrize("change", [{"temperature": 0.5}, {"audit_seed": 1}])
def test_another_parameter_or_draw_is_a_change_of_the_model(text: str, change: dict) -> None:
    said = why(ledger=text, grader={**GRADER, **change})
    assert "The grader's model has changed since" in said
    assert "of the same names, with other parameters, another version or another draw" in said


def test_several_changes_are_all_named(text: str) -> None:
    said = why(
        ledger=text,
        rubric=RUBRIC.replace("kind?", "kinD?"),
        prompt=f"{PROMPT}!",
        grader={**GRADER, "strong": {"model": "offline/grader-strong"}},
        settings="name: handmade\ntrust: {kappa_low: 0.5, least_rarer: 9}",
        labels={"hand.jsonl": label_lines(ROWS[1:])},
    )
    assert "The grader's rubric, model and prompt have changed since" in said
    assert "(none → offline/grader-strong)" in said
    assert "The labels have changed since" in said
    assert "The thresholds in suite.yaml have changed since" in said
    assert "kappa_low 0.4 → 0.5, least_rarer 5 → 9" in said


def test_a_changed_label_takes_trust_away_and_a_note_does_not(text: str) -> None:
    assert "The labels have changed since" in why(ledger=text, labels={"hand.jsonl": label_lines(ROWS[:-1])})
    noted = label_lines(ROWS).replace('"note": ""', '"note": "hm"').replace("By hand.", "By hand!")
    assert trust_of(measured_run(ROWS, ledger=text, labels={"hand.jsonl": noted})).trusted


def test_labels_of_people_put_an_end_to_trust_in_examples(text: str) -> None:
    files = {"hand.jsonl": label_lines(ROWS), "own.jsonl": label_lines(ROWS, source="people", name="own")}
    assert "The labels have changed since" in why(ledger=text, labels=files)


def test_without_labels_nothing_fits(text: str) -> None:
    assert "No label set is by its rubric any more" in why(ledger=text, labels={})


def test_without_a_ledger_a_line_or_a_grader_there_is_no_trust() -> None:
    assert "There is no ledger labels/trust.jsonl" in why()
    assert "The ledger labels/trust.jsonl is empty" in why(ledger="\n")
    assert "The run's shootout names no `grader`" in why(grader=None)


def test_a_ledger_with_a_fault_trusts_nobody_and_says_where(text: str) -> None:
    said = why(ledger=text + text[:100])
    assert "The ledger cannot be read: labels/trust.jsonl:2: this line of the ledger is cut off, as by a crash" in said


def test_a_newer_line_of_the_same_grader_undoes_an_older_one(trusted: TrustLine) -> None:
    doubted = replace(trusted, date="2026-10-02", decision="not trusted", reasons=("It got worse.",), series="2026-10")
    found = trust_of(measured_run(ROWS, ledger=ledger(trusted, doubted)))
    assert (found.decision, found.trusted, found.why) == ("not trusted", False, ("It got worse.",))
    # The place counts, and no date: a wrong clock must not put one line above all that come after it.
    assert trust_of(measured_run(ROWS, ledger=ledger(doubted, trusted))).trusted
    ahead = replace(trusted, date="2099-01-01")
    assert not trust_of(measured_run(ROWS, ledger=ledger(ahead, doubted))).trusted


def test_a_line_of_another_grader_undoes_nothing(trusted: TrustLine) -> None:
    other = line_for(day="2026-10-09", prompt="Another.")
    worse = replace(other, decision="not trusted")
    assert trust_of(measured_run(ROWS, ledger=ledger(trusted, worse))).trusted


def test_what_changed_is_told_against_the_newest_line_of_the_rubric(trusted: TrustLine) -> None:
    newer = line_for(day="2026-10-05", prompt="Another.")
    elsewhere = replace(trusted, date="2026-10-08", rubric="other")
    assert "measured on 2026-10-05" in why(ledger=ledger(trusted, newer, elsewhere), prompt="A third.")
    assert "measured on 2026-10-08" in why(ledger=ledger(elsewhere), prompt="A third.")


def test_all_faults_of_a_ledger_are_named_with_their_lines(text: str) -> None:
    plain = json.loads(text)
    lines = [
        text.strip(),
        json.dumps({**plain, "decison": "trusted"}),
        json.dumps({**plain, "decision": "maybe"}),
        json.dumps({**plain, "date": "2026-13-01"}),
        "",
        text.strip()[:-1] + ', "date": "2026-10-01"}',
        json.dumps({**plain, "grader": {**plain["grader"], "rubric": "0" * 64}}),
        text.strip().replace('"ac1": 0.', '"ac1": NaN, "pabak": 0.', 1).replace('"pabak": 0.8', '"pabak": 0.8', 1),
        "<<<<<<< HEAD",
        json.dumps({key: value for key, value in plain.items() if key != "figures"}),
        "[]",
        text[:100],
    ]
    with pytest.raises(CaseError) as found:
        read_ledger("\n".join(lines), "labels/trust.jsonl")
    faults = {fault.line: fault.message for fault in found.value.faults}
    assert sorted(faults) == [2, 3, 4, 6, 7, 8, 9, 10, 11, 12]
    assert "did you mean 'decision'?" in faults[2]
    assert "a key stands twice" in faults[6]
    assert "fingerprint is not that of its three hashes" in faults[7]
    assert "is no JSON" in faults[9]
    assert "cut off, as by a crash; remove it" in faults[12]


def test_a_last_line_without_its_end_is_read(text: str) -> None:
    assert len(read_ledger(text.rstrip("\n"), "trust.jsonl")) == 1
    assert len(read_ledger("\ufeff" + text.replace("\n", "\r\n"), "trust.jsonl")) == 1


def test_odd_characters_of_a_name_stay_inside_their_line(trusted: TrustLine, tmp_path: Path) -> None:
    odd = replace(trusted, reasons=("one\u2028two\u0085three\ud800",))
    append(tmp_path / "trust.jsonl", odd)
    data = (tmp_path / "trust.jsonl").read_bytes()
    assert data.count(b"\n") == 1
    assert json.loads(data)["reasons"] == ["one\u2028two\u0085three\ud800"]


def test_a_line_is_added_behind_the_others_and_never_glued_to_one(trusted: TrustLine, tmp_path: Path) -> None:
    path = tmp_path / "labels/trust.jsonl"
    append(path, trusted)
    append(path, replace(trusted, date="2026-10-02"))
    assert [line.date for line in read_ledger(path.read_text(), "f")] == ["2026-10-01", "2026-10-02"]
    # A crash, and an editor that leaves the last line without its end.
    for left in ('{"date": "2026-', trusted.to_json()):
        path.write_text(left)
        append(path, trusted)
        assert path.read_text() == f"{left}\n{trusted.to_json()}\n"


def test_a_line_that_does_not_fit_on_the_disk_leaves_nothing_behind(
    trusted: TrustLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "trust.jsonl"
    append(path, trusted)
    before, write = path.read_bytes(), os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:50]))
    with pytest.raises(StoreError, match="no room for the whole line"):
        append(path, trusted)
    assert path.read_bytes() == before


def test_a_ledger_that_cannot_be_written_is_one_line_of_error(trusted: TrustLine, tmp_path: Path) -> None:
    (tmp_path / "trust.jsonl").mkdir()
    with pytest.raises(StoreError, match=r"trust\.jsonl cannot be written"):
        append(tmp_path / "trust.jsonl", trusted)


def test_lines_of_many_writers_stay_apart(trusted: TrustLine, tmp_path: Path) -> None:
    path = tmp_path / "trust.jsonl"

    def write(day: int) -> None:
        for _ in range(10):
            append(path, replace(trusted, date=f"2026-10-{day:02}"))

    writers = [threading.Thread(target=write, args=(day,)) for day in range(1, 5)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert len(read_ledger(path.read_text(), "f")) == 40


def test_one_measurement_is_recorded_once_a_day(tmp_path: Path) -> None:
    found = measure(measured_run(ROWS))
    assert record(found, tmp_path, "2026-10-01") == (tmp_path / "trust.jsonl", True)
    assert record(found, tmp_path, "2026-10-01") == (tmp_path / "trust.jsonl", False)
    assert record(found, tmp_path, "2026-10-02")[1]
    other = measure(measured_run(table(40, 9, 6, 45)))
    assert record(other, tmp_path, "2026-10-02")[1]
    assert len(read_ledger((tmp_path / "trust.jsonl").read_text(), "f")) == 3


def test_a_torn_ledger_is_named_and_nothing_is_added(tmp_path: Path) -> None:
    path = tmp_path / "trust.jsonl"
    path.write_text('{"date": "2026-')
    with pytest.raises(CaseError, match=r"trust\.jsonl:1: this line of the ledger is cut off"):
        record(measure(measured_run(ROWS)), tmp_path, "2026-10-01")
    assert path.read_text() == '{"date": "2026-'


# The command, on a run of no trial whose grades are put into the store by hand.


@pytest.fixture
def graded(write) -> Path:
    rows = table(60, 2, 1, 20)
    root = write(
        {
            "rubrics/quality.yaml": RUBRIC,
            "prompts/grader.md": PROMPT,
            "suite.yaml": "name: handmade",
            "t.yaml": TICKET,
            "labels/hand.jsonl": label_lines(rows),
            "shootouts/graded.yaml": f"name: graded\ngrader: {json.dumps(GRADER)}\n"
            "candidates: [{name: one, model: offline/agent}]",
        },
        base=False,
    )
    run = load_run(begin_measurement(root / "shootouts/graded.yaml"))
    with Store() as store:
        for row, item in zip(rows, run.label_sets[0].items, strict=True):
            for key, _ in run.panel.asked_for(subject_of_item(item), "cheap"):
                store.grades.save(grade(key, row.grader))
    return root


def command(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["agreement", *arguments])
    return done.exit_code, done.stdout.replace("\u00a0", " "), done.stderr


def test_the_command_prints_the_decision_first(graded: Path) -> None:
    code, out, _ = command()
    assert code == 0
    assert out.splitlines()[0] == "trusted: offline/grader-cheap, by the rubric quality"
    assert "EXAMPLE LABELS" in out.splitlines()[1]
    # Kappa of [[60, 2], [1, 20]]: p_o 80/83, p_e (62·61 + 21·22)/83².
    assert "kappa                0.91 (" in out
    assert "  people pass                    60              2" in out
    assert "to tell kappa to within ±0.1" in out
    assert not (graded / "labels/trust.jsonl").exists()


def test_the_command_records_a_line_that_then_stands(graded: Path) -> None:
    code, out, _ = command("latest", "--record")
    path = graded / "labels/trust.jsonl"
    assert (code, out.splitlines()[-1]) == (0, f"recorded in {path}")
    assert trust_of(load_run("latest")).trusted
    code, out, _ = command("--record")
    assert (code, out.splitlines()[-1]) == (0, f"not recorded again: {path} holds it")
    assert len(path.read_text().splitlines()) == 1


def test_the_command_gives_one_json_object(graded: Path) -> None:
    plain = json.loads(command("--json")[1])
    assert (plain["decision"], plain["trust"], plain["held_out"]["kappa"]["n"]) == ("trusted", "no line", 83)
    assert "There is no ledger" in plain["why"][0]
    again = json.loads(command("--json", "--record")[1])
    assert (again["trust"], again["recorded"], again["ledger"]) == ("trusted", True, str(graded / "labels/trust.jsonl"))


def test_a_grader_that_is_not_trusted_is_no_error_of_the_command(graded: Path) -> None:
    (graded / "suite.yaml").write_text("name: handmade\ntrust: {kappa_low: 0.99}")
    code, out, _ = command("--record")
    assert (code, out.splitlines()[0][:12]) == (0, "not trusted:")
    assert trust_of(load_run("latest")).decision == "not trusted"


def test_without_labels_the_command_says_what_to_do(graded: Path) -> None:
    (graded / "labels/hand.jsonl").unlink()
    code, _, err = command()
    assert (code, err) == (
        1,
        "evalkit: No label set under labels/ is by the rubric quality; `evalkit labels sheet` draws one.\n",
    )


def test_an_archive_or_a_lost_suite_cannot_be_recorded(graded: Path, tmp_path: Path) -> None:
    folder = tmp_path / "archived"
    folder.mkdir()
    load_run("latest").archive(folder)
    assert command(str(folder))[0] == 0
    code, _, err = command(str(folder), "--record")
    assert code == 1
    assert "is an archive, whose figures stay as they are; record a run of the store" in err
    graded.rename(tmp_path / "moved")
    code, _, err = command("--record")
    assert code == 1
    assert "is gone, so there is no ledger to record in" in err


def test_a_run_without_a_grader_is_an_error_of_one_line(shop: Path) -> None:
    run(shop / "shootouts/small.yaml", trials=1, quiet=True)
    code, out, err = command()
    assert (code, out) == (1, "")
    assert err == "evalkit: the run's shootout names no `grader`: there is no grader to measure\n"


def test_a_measurement_that_undoes_a_newer_one_is_recorded_again(tmp_path: Path) -> None:
    good, bad = measure(measured_run(ROWS)), measure(measured_run(table(*(50, 30, 30, 50))))
    new = [record(found, tmp_path, "2026-10-01")[1] for found in (good, good, bad, good, good)]
    assert new == [True, False, True, True, False]
    assert len(read_ledger((tmp_path / "trust.jsonl").read_text(), "f")) == 3


def test_a_line_that_claims_more_than_its_labels_or_figures_do_counts_for_nothing(trusted: TrustLine) -> None:
    claimed = replace(trusted, labels={**trusted.labels, "source": "people"})
    found = trust_of(measured_run(ROWS, ledger=ledger(claimed)))
    assert (found.trusted, found.why) == (
        False,
        ("The ledger says that its labels are of the source people, and they are example.",),
    )
    kappa = {**trusted.figures["kappa"], "low": -0.5}
    boasting = replace(trusted, figures={**trusted.figures, "kappa": kappa})
    with pytest.raises(CaseError, match="f:1: says trusted, and its own figures do not reach its thresholds"):
        read_ledger(ledger(boasting), "f")
