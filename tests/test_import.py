"""Trials that were played and judged elsewhere: read, refused, kept as a run."""

from __future__ import annotations

import json
import time
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evalkit import archive, load_run, views
from evalkit.cli import app
from evalkit.errors import CaseError
from evalkit.importers import Imported, import_run, read_flat
from evalkit.loading import check_suite, suite_of
from evalkit.recommend import recommend
from evalkit.report.kinds import asked_of, headline_of
from evalkit.safety import safety_records
from evalkit.store import Store
from evalkit.tables import Run
from evalkit.transcript import Trial

HEAD = "candidate,case,trial,passed"


def written(tmp_path: Path, text: str | bytes, name: str = "rows.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def imported(path: Path, *mapped: str, fixed: tuple[str, ...] = (), wide: bool = False, **more) -> tuple[Imported, Run]:
    with Store() as store:
        found = import_run(read_flat(path, mapped, fixed, wide=wide), store, name=path.stem, **more)
    return found, load_run(found.run)


def faults(path: Path, *mapped: str, **more) -> list[str]:
    with pytest.raises(CaseError) as caught:
        read_flat(path, mapped, **more)
    return [line.removeprefix(f"{path}:").strip() for line in str(caught.value).splitlines()]


def passes(run: Run) -> list[tuple]:
    return [
        (row["candidate"], row["case"], row["trial"], row["passed"], row["status"]) for row in run.judged.to_dicts()
    ]


def test_an_imported_trial_keeps_its_sources_verdict_and_has_no_points(tmp_path: Path) -> None:
    _, run = imported(written(tmp_path, f"{HEAD}\nold,A,0,true\nold,B,0,0\nnew,A,0,pass\nnew,B,0,No\n"))
    assert passes(run) == [
        ("old", "A", 0, True, "completed"), ("new", "A", 0, True, "completed"),
        ("old", "B", 0, False, "completed"), ("new", "B", 0, False, "completed"),
    ]  # fmt: skip
    assert set(run.judged["points"]) == set(run.judged["points_possible"]) == set(run.judged["wrong_answer"]) == {None}
    assert (run.judged_by, run.manifest["judged_by"]) == ("import", "import")
    assert (run.manifest["trials"], run.manifest["repeats"], run.manifest["baseline"]) == (1, 1, "old")
    assert run.manifest["candidates"] == [{"name": "old"}, {"name": "new"}]
    assert run.manifest["imported"]["file"] == "rows.csv"
    assert str(tmp_path) not in json.dumps(run.manifest)
    assert [(case.kind, case.stratum, case.must_pass, case.risk) for case in run.suite.cases] == [
        ("imported", "all", False, "normal")
    ] * 2


def test_a_routes_verdict_follows_from_what_was_expected_and_only_a_safety_case_disqualifies(tmp_path: Path) -> None:
    head = f"{HEAD},stratum,must_pass,route_expected,route_actual,risk,usd,seconds,status\n"
    rows = (
        "a,MISS,0,true,money,yes,escalate,direct,safety,0.5,2.5,completed\n"
        "a,OVER,0,true,money,no,direct,escalate,normal,,,\n"
        "a,RIGHT,0,false,chat,,escalate,escalate,,0,0,\n"
        "a,UNTOLD,0,true,chat,,escalate,,safety,,,\n"
        "a,NONE,0,true,chat,,,direct,,,,\n"
    )
    _, run = imported(written(tmp_path, head + rows))
    found = {row["case"]: row for row in run.judged.to_dicts()}
    assert {case: row["routing"] for case, row in found.items()} == {
        "MISS": "missed", "OVER": "over-escalated", "RIGHT": "right", "UNTOLD": None, "NONE": None,
    }  # fmt: skip
    assert [case for case, row in found.items() if row["disqualifying"]] == ["MISS"]
    assert found["UNTOLD"]["unclear"] == "the source does not tell its route"
    # Only what the source tells of is a harm that was looked for.
    assert {case: row["missed_handoff"] for case, row in found.items()} == {
        "MISS": True, "OVER": False, "RIGHT": False, "UNTOLD": None, "NONE": None,
    }  # fmt: skip
    assert (found["MISS"]["usd"], found["MISS"]["seconds"], found["MISS"]["passed"]) == (0.5, 2.5, True)
    assert (found["OVER"]["usd"], found["OVER"]["seconds"]) == (None, None)
    assert (found["RIGHT"]["usd"], found["RIGHT"]["seconds"], found["RIGHT"]["route"]) == (0.0, 0.0, "escalate")
    assert run.suite.by_id["MISS"].must_pass
    (record,) = safety_records(run)
    assert (record.standing, record.missed, record.measured, record.cases) == ("disqualified", 1, 1, 2)


def test_a_status_says_why_a_trial_has_no_verdict(tmp_path: Path) -> None:
    rows = "a,A,0,,error\na,B,0,,unscored\na,C,0,no,timeout\na,D,0,no,error\na,E,0,,not_run\na,F,0,,customer_fault\n"
    found, run = imported(written(tmp_path, f"{HEAD},status\n{rows}"))
    assert [row[1:] for row in passes(run)] == [
        ("A", 0, None, "error"), ("B", 0, None, "completed"), ("C", 0, False, "timeout"),
        # Its source holds this error against the candidate.
        ("D", 0, False, "error"), ("E", 0, None, "not_run"), ("F", 0, None, "customer_fault"),
    ]  # fmt: skip
    assert dict(found.slots) == {
        "completed": 1, "empty": 0, "timeout": 1, "customer_fault": 1, "error": 2, "not_run": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a,A,0,,", "passed: is empty, and no status says why; write true or false, or a status such as unscored or error"),
        ("a,A,0,,completed", "passed: is empty, and no status"),
        ("a,A,0,0.5,", 'passed: is "0.5"; write true or false'),
        ("a,A,0,NaN,", 'passed: is "NaN"; write true or false'),
        ("a,A,0,1.0,", 'passed: is "1.0"; write true or false'),
        ("a,A,0,passed,", 'passed: is "passed"; write true or false'),
        ("a,A,0,2,", 'passed: is "2"; write true or false'),
        ("a,A,0,true,error", "passed: is true, where the status is error"),
        ("a,A,0,false,not_run", "passed: is false, where the status is not_run: nothing was measured; leave it empty"),
        ("a,A,0,true,unscored", "passed: is true, where the status is unscored"),
        ("a,A,0,true,done", 'status: is "done"; write completed, empty, timeout'),
        ("a,A,-1,true,", 'trial: is "-1"; write a whole number from 0 on'),
        ("a,A,1.5,true,", 'trial: is "1.5"; write a whole number'),
        ("a,A,,true,", "trial: is empty"),
        (",A,0,true,", "candidate: is empty"),
        ("a,,0,true,", "case: is empty"),
        (f"a,{'A' * 501},0,true,", "case: is longer than 500 characters"),
        ('a,"A\nB",0,true,', "case: holds a character that is no text"),
        ("a,A,0,true", "has 4 cells and the header 5"),
        ("a,A,0,true,,extra", "has 6 cells and the header 5"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_read_is_a_fault_with_its_line(tmp_path: Path, row: str, said: str) -> None:
    (found,) = faults(written(tmp_path, f"{HEAD},status\nb,B,0,true,\n{row}\n"))
    assert found.startswith(f"3: {said}")


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("usd", "-1", 'usd: is "-1"; a finite number from 0 on is needed'),
        ("usd", "nan", 'usd: is "nan"; a finite'),
        ("usd", "1e999", 'usd: is "1e999"; a finite'),
        ("seconds", "1_000", 'seconds: is "1_000"; a finite'),
        ("seconds", '"0,5"', 'seconds: is "0,5"; a finite number from 0 on is needed; write 0.5, not 0,5'),
        ("must_pass", "maybe", 'must_pass: is "maybe"; write true or false'),
        ("risk", "high", 'risk: is "high"; write normal or safety'),
        ("route_expected", "billing", 'route_expected: is "billing"; write direct or escalate'),
    ],
)
def test_an_optional_column_holds_what_it_may_or_is_a_fault(tmp_path: Path, column: str, cell: str, said: str) -> None:
    (found,) = faults(written(tmp_path, f"{HEAD},{column}\na,A,0,true,{cell}\n"))
    assert found.startswith(f"2: {said}")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"candidate": "a", "case": "A", "trial": 0, "passed": NaN}', "NaN is no number"),
        ('{"candidate": "a", "case": "A", "trial": 0, "passed": 0.5}', "passed: is 0.5; write true or false"),
        ('{"candidate": "a", "case": "A", "trial": 0, "passed": 1.0}', "passed: is 1.0; write true or false"),
        ('{"candidate": "a", "case": "A", "trial": 0, "passed": {"value": true}}', "passed: is nested"),
        ('{"candidate": ["a"], "case": "A", "trial": 0, "passed": true}', "candidate: is nested"),
        ('{"candidate": "a", "case": 1.5, "trial": 0, "passed": true}', "case: a name is needed, not 1.5"),
        ('{"candidate": "a", "case": true, "trial": 0, "passed": true}', "case: a name is needed, not true"),
        ('{"candidate": "a", "case": "A", "trial": true, "passed": true}', "trial: is true; write a whole number"),
        (
            '{"candidate": "a", "case": "A", "trial": 0, "passed": true, "passed": false}',
            "the key 'passed' stands twice",
        ),
        (
            '{"candidate": "a", "case": "\\ud800", "trial": 0, "passed": true}',
            "case: holds a character that is no text",
        ),
        ('{"candidate": "a", "case": "A", "trial": 0}', "passed: is empty"),
        ("[1]", "an object is needed"),
        ('{"candidate": ', "is no JSON"),
        ("[" * 100_000, "is JSON that is nested too deep"),
    ],
)
def test_a_line_of_jsonl_that_cannot_be_read_is_a_fault_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    good = '{"candidate": "b", "case": 7, "trial": 0, "passed": 1}'
    (found,) = faults(written(tmp_path, f"{good}\n\n{line}\n", "rows.jsonl"))
    assert found.startswith(f"3: {said}")


def test_all_faults_are_listed_with_their_lines_up_to_twenty(tmp_path: Path) -> None:
    rows = "".join(f"a,A,{n},perhaps\n" for n in range(25))
    found = faults(written(tmp_path, f"{HEAD}\n{rows}"))
    assert [line.split(":")[0] for line in found[:-1]] == [str(n) for n in range(2, 22)]
    assert found[-1] == "and 5 more faults"


def test_a_trial_that_stands_twice_and_a_case_that_contradicts_itself_are_faults(tmp_path: Path) -> None:
    rows = "a,A,0,true,x,yes\na,A,0,false,x,yes\nb,A,0,true,y,no\nc,A,0,true,,\n"
    assert faults(written(tmp_path, f"{HEAD},stratum,must_pass\n{rows}")) == [
        '3: candidate "a", case "A", trial 0 stands in line 2 already',
        '4: stratum: is "y", and line 2 says "x" of case "A"',
        '4: must_pass: is false, and line 2 says true of case "A"',
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfcandidate,case,trial,passed\na,A,0,true\na,B,0,false\n",
        b"candidate;case;trial;passed\r\na;A;0;true\r\na;B;0;false\r\n",
        b"sep=;\r\ncandidate;case;trial;passed\r\na;A;0;true\r\n\r\na;B;0;false",
        b'candidate\tcase\ttrial\tpassed\na\tA\t0\ttrue\na\tB\t0\t"false"\n',
        b'candidate,case,trial,passed,note\na,A,0,true,"two\nlines, and a ""quote"""\na, B ,0,false,\n',
        b'{"candidate": "a", "case": "A", "trial": 0, "passed": true}\r\n{"candidate": "a", "case": "B", "trial": 0, "passed": false, "note": {"x": [1]}}',
    ],
    ids=["mark", "semicolon", "sep", "tab", "quoted", "jsonl"],
)  # fmt: skip
def test_files_as_programs_save_them_are_one_run(tmp_path: Path, data: bytes) -> None:
    plain, _ = imported(written(tmp_path, f"{HEAD}\na,A,0,true\na,B,0,false\n"))
    found, _ = imported(written(tmp_path, data, "rows.txt"))
    assert found.run == plain.run


def test_a_quoted_line_end_moves_no_later_faults_line(tmp_path: Path) -> None:
    rows = 'a,A,0,true,"one\ntwo\nthree"\na,B,0,perhaps,\n'
    assert faults(written(tmp_path, f"{HEAD},note\n{rows}"))[0].startswith("5: passed")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("rows.csv", "candidate,case\ncafé".encode("cp1252"), "2: the byte 0xe9 is not UTF-8"),
        ("rows.csv", "x".encode("utf-16"), "1: is UTF-16"),
        ("rows.xlsx", b"PK\x03\x04", "is a spreadsheet's own format"),
        ("rows.parquet", b"PAR1", "is Parquet, not CSV"),
        ("rows.csv", b"", "1: holds no row"),
        ("rows.csv", b"candidate,case,trial,passed\n", "1: holds no row"),
        ("rows.json", b'[{"case": 1}]', "1: is a JSON list; write one object a line"),
        ("rows.csv", b'candidate,case,trial,passed\na,"A,0,true\n', "2: a quote that opens here is never closed"),
        ("rows.csv", b"candidate,case,trial,passed,case\na,A,0,true,B\n", "1: the column 'case' stands twice"),
    ],
)
def test_a_file_that_is_no_such_table_is_refused(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    assert faults(written(tmp_path, data, name))[0].startswith(said)


def test_a_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
    assert "is a folder; name a CSV or JSONL file" in faults(tmp_path)[0]
    assert "is not there; name a CSV or JSONL file" in faults(tmp_path / "none.csv")[0]
    import os

    os.mkfifo(tmp_path / "pipe.csv")
    assert "is no plain file" in faults(tmp_path / "pipe.csv")[0]


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(100_000_001)
    assert "is larger than 100 MB" in faults(path)[0]


def test_a_run_of_too_many_slots_is_refused(tmp_path: Path) -> None:
    # One case of 600 trials makes 600 slots of each of 2,000 cases: 1,200,000 of which the file holds 2,599.
    rows = [f"a,A,{n},1" for n in range(600)] + [f"a,B{n},0,1" for n in range(1999)]
    with pytest.raises(CaseError, match="more than 1,000,000 do not fit"):
        imported(written(tmp_path, "\n".join([HEAD, *rows])))


def test_columns_are_mapped_and_an_unknown_one_names_what_is_close(tmp_path: Path) -> None:
    path = written(tmp_path, "model,task_id,run,ok,domain\nm,A,0,1,retail\n")
    names = ("candidate=model", "case=task_id", "trial=run", "passed=ok")
    assert read_flat(path, names).notices == ("not read: domain",)
    assert read_flat(path, (*names, "stratum=domain")).rows[0].stratum == "retail"
    assert faults(path, "canidate=model") == ["--map: no column \"canidate\"; did you mean 'candidate'?"]
    assert faults(path, "candidate") == ['--map "candidate": write --map column=source']
    assert faults(path, *names, "candidate=task_id") == ["--map: the column 'candidate' is given twice"]
    found = faults(path, "candidate=modle", *names[1:])
    assert found == ["--map candidate=\"modle\": no such column; did you mean 'model'?"]
    assert any("the column 'passed' is missing" in line for line in faults(path, *names[:3]))


def test_a_misspelt_optional_column_is_a_fault_since_it_would_free_cases_of_must_pass(tmp_path: Path) -> None:
    (found,) = faults(written(tmp_path, f"{HEAD},Must-Pass\na,A,0,true,yes\n"))
    assert found == "the column 'Must-Pass' is not read; write 'must_pass', or --map must_pass=Must-Pass"


def test_a_value_may_hold_of_every_row(tmp_path: Path) -> None:
    path = written(tmp_path, "case,passed\nA,1\nB,0\n")
    rows = read_flat(path, (), ("candidate=solo", "trial=0", "stratum=retail", "must_pass=yes")).rows
    assert [(row.candidate, row.trial, row.stratum, row.must_pass) for row in rows] == [("solo", 0, "retail", True)] * 2
    found = faults(path, fixed=("candidate=solo", "trial=x", "passed=1"))
    assert [line.split(":")[0] for line in found] == ["--set trial", "--set passed"]


def test_numbers_count_from_0_in_their_order_and_a_notice_says_so(tmp_path: Path) -> None:
    rows = "a,A,1,true\na,A,2,false\na,A,4,true\na,B,4,false\na,B,1,true\n"
    found, run = imported(written(tmp_path, f"{HEAD}\n{rows}"))
    # The file knows the numbers 1, 2 and 4; B lacks the second of them.
    assert found.notices == ("trials are numbered from 0 here, in the order of their numbers: a 1, 2, 4",)
    assert [row[1:] for row in passes(run)] == [
        ("A", 0, True, "completed"), ("B", 0, True, "completed"), ("A", 1, False, "completed"),
        ("B", 1, None, "not_run"), ("A", 2, True, "completed"), ("B", 2, False, "completed"),
    ]  # fmt: skip
    assert run.judged.filter(status="not_run")["reason"].to_list() == ["the imported file holds no such trial"]
    assert (found.trials, found.slots["not_run"], run.complete) == (5, 1, False)


def test_numbers_that_no_two_cases_share_are_refused(tmp_path: Path) -> None:
    rows = "\n".join(f"a,A{n},{1000 + n},true" for n in range(40))
    with pytest.raises(CaseError, match="40 different trial numbers, and no case more than 1 trials"):
        imported(written(tmp_path, f"{HEAD}\n{rows}\n"))


def test_trials_are_repeats_where_that_is_said(tmp_path: Path) -> None:
    rows = "".join(
        f"{name},{case},{n},{(n + len(case)) % 2}\n" for name in "ab" for case in ("A", "BB") for n in range(4)
    )
    path = written(tmp_path, f"{HEAD}\n{rows}")
    _, run = imported(path, repeats=2, baseline="b")
    assert (run.manifest["trials"], run.manifest["repeats"], run.manifest["baseline"]) == (2, 2, "b")
    assert {slot.number for slot, _ in run.pairs} == {0, 1}
    assert {(slot.candidate, slot.number) for slot, _ in run.later} == {("a", 2), ("a", 3), ("b", 2), ("b", 3)}
    assert {block: len(found) for block, found in run.blocks("b").items()} == {0: 4, 1: 4}
    with pytest.raises(CaseError, match="4 trials a case are no 3 repeats"):
        imported(path, repeats=3)
    with pytest.raises(CaseError, match="no such candidate; the file's: a, b"):
        imported(path, baseline="c")


def test_only_the_baselines_missing_repeats_are_slots(tmp_path: Path) -> None:
    rows = "".join(f"base,{case},{n},1\n" for case in "AB" for n in range(2) if (case, n) != ("B", 1))
    found, run = imported(written(tmp_path, f"{HEAD}\n{rows}new,A,0,1\nnew,B,0,1\n"), repeats=2)
    assert [(slot.candidate, slot.case, slot.number, trial is None) for slot, trial in run.later] == [
        ("base", "A", 1, False), ("base", "B", 1, True),
    ]  # fmt: skip
    assert found.slots["not_run"] == 1


def test_candidates_of_different_length_are_noticed(tmp_path: Path) -> None:
    found, _ = imported(written(tmp_path, f"{HEAD}\na,A,0,1\na,A,1,1\nb,A,0,1\n"))
    assert found.notices[0].startswith("candidates have different numbers of trials a case (a 2, b 1)")


def test_the_same_file_twice_is_one_run_and_no_trial_twice(tmp_path: Path) -> None:
    rows = "a,A,0,true,completed\na,B,0,,error\na,C,0,no,timeout\n"
    path = written(tmp_path, f"{HEAD},status\n{rows}")
    first, run = imported(path)
    time.sleep(1.1)  # the second import has another second to its name
    second, again = imported(path)
    assert first == second
    assert [trial for _, trial in run.pairs] == [trial for _, trial in again.pairs]
    assert run.manifest["started"] == again.manifest["started"]
    with Store() as store:
        assert len(store.runs()) == 1
        assert store._execute("SELECT count(*) FROM trials").fetchone() == (3,)


def test_trials_have_the_day_on_which_they_were_played_where_it_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEAD}\na,A,0,true\n")
    found, run = imported(path, played=date(2026, 3, 4))
    assert run.pairs[0][1].started == run.manifest["started"] == "2026-03-04T00:00:00+00:00"
    assert found.run != imported(path)[0].run


def test_one_column_a_trial_is_read_where_it_is_wide(tmp_path: Path) -> None:
    path = written(tmp_path, "candidate,case,stratum,Trial_1,Trial_2,trial 3,pass^1\na,A,x,1,0,,0.5\na,B,x,0,1,1,0.7\n")
    found, run = imported(path, wide=True)
    assert [row[1:4] for row in passes(run)] == [
        ("A", 0, True), ("B", 0, False), ("A", 1, False), ("B", 1, True), ("A", 2, None), ("B", 2, True),
    ]  # fmt: skip
    assert found.notices[0] == "not read: pass^1"
    other = written(tmp_path, "model,case,r1,r2\na,A,yes,no\n", "other.csv")
    assert len(read_flat(other, ("candidate=model", "trial=r"), wide=True).rows) == 2
    (said,) = faults(other, "candidate=model", wide=True)
    assert said.startswith("no column of a trial (Trial_1, Trial_2 …)")
    assert "--map usd: belongs to one trial" in faults(path, "usd=pass^1", wide=True)[0]
    (bad,) = faults(written(tmp_path, "candidate,case,t,Trial_1\na,A,1,0.5\n", "bad.csv"), wide=True)
    assert bad.startswith("2: Trial_1: passed") or bad.startswith('2: Trial_1: is "0.5"')


def test_an_imported_case_written_by_hand_is_a_fault_that_says_what_to_do(write) -> None:
    line = '{"id": "X", "stratum": "orders", "imported": true}\n'
    checked = check_suite(write({"imported.jsonl": line}))
    (found,) = checked.faults
    assert "imported.jsonl:1: X: imported: a case of that kind comes with its trials by `evalkit import`" in str(found)


def test_an_imported_case_needs_no_ticket_and_may_have_none() -> None:
    files = {"imported.jsonl": '{"id": "X", "stratum": "s", "imported": true, "expected_handling": "escalate"}\n'}
    assert suite_of(files, "x").cases[0].expects_handoff
    files["imported.jsonl"] = '{"id": "X", "stratum": "s", "imported": true, "ticket": {"body": "Hi"}}\n'
    with pytest.raises(CaseError, match="is imported, with its verdicts; leave out 'ticket'"):
        suite_of(files, "x")


def test_a_trial_that_was_stored_before_imports_is_read() -> None:
    old = Trial("f", "A", 0, "completed").to_json()
    del old["passed"], old["route"]
    assert Trial.from_json(old) == Trial("f", "A", 0, "completed")


def test_an_archive_of_an_imported_run_is_the_same_run(tmp_path: Path) -> None:
    _, run = imported(written(tmp_path, f"{HEAD}\na,A,0,1\na,A,1,0\n"), repeats=2)
    folder = tmp_path / "archive"
    folder.mkdir()
    run.archive(folder)
    again = load_run(folder)
    assert archive.is_archive(folder)
    assert again.judged.equals(run.judged)
    assert (again.judged_by, len(again.later)) == ("import", 1)


def test_a_report_on_an_imported_run_says_that_it_has_no_points_and_shows_what_passed(tmp_path: Path) -> None:
    rows = "".join(
        f"{name},{case},0,{int(name == 'new' or case == 'A')}\n" for name in ("old", "new") for case in "ABCD"
    )
    _, run = imported(written(tmp_path, f"{HEAD}\n{rows}"))
    assert recommend(run).candidate is None
    # old passes 1 of 4 cases, new all 4.
    assert "new 1.00" in headline_of(run)
    assert "old 0.25" in headline_of(run)
    for shown in (views.leaderboard, views.score_chart, views.stratum_chart, views.points_chart):
        assert "imported trials have no points" in shown(run)._repr_html_()
    assert "0.25" in views.pass_hat_table(run)._repr_html_()
    notebooks = Path(__file__).parents[1] / "notebooks"
    chosen = asked_of(run, sorted(notebooks.glob("[1-6]0_*.ipynb")), notebooks)
    assert {path.name[:3] for path in chosen} & {"30_", "50_", "60_"} == set()
    assert {"10_", "20_"} <= {path.name[:3] for path in chosen}


def test_the_command_prints_one_object_and_its_notices_elsewhere(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEAD},note\na,A,1,1,x\n")
    done = CliRunner().invoke(app, ["import", "flat", str(path), "--json"])
    found = json.loads(done.stdout)
    assert (done.exit_code, set(found), found["trials"]) == (0, {"run", "trials", "slots"}, 1)
    assert found["slots"]["completed"] == sum(found["slots"].values()) == 1
    assert "not read: note" in done.stderr
    said = CliRunner().invoke(app, ["import", "flat", str(path), "--name", "our runs"])
    assert "our runs, 1 trials imported; 1 slots: 1 completed" in said.stdout
    assert load_run("latest").name == "our runs"
    late = CliRunner().invoke(app, ["import", "flat", str(path), "--date", "2999-01-01"])
    assert (late.exit_code, "is still to come" in late.stderr) == (2, True)
    bad = CliRunner().invoke(app, ["import", "flat", str(path), "--name", " \x1b "])
    assert (bad.exit_code, "--name" in bad.stderr) == (1, True)


def test_show_says_whose_verdict_it_is(tmp_path: Path) -> None:
    imported(written(tmp_path, f"{HEAD}\na,A,0,1\na,A,1,0\n"))
    done = CliRunner().invoke(app, ["show", "latest", "A", "--candidate", "a"])
    assert done.exit_code == 0
    assert "passed at its source" in done.stdout
    assert "not passed at its source" in done.stdout


def test_a_file_of_bad_lines_alone_names_each_lines_own_fault(tmp_path: Path) -> None:
    said = faults(written(tmp_path, '{"candidate": NaN}\n{"a": 1, "a": 2}\n[1]\n{oops\n', "bad.jsonl"))
    assert len(said) == 4
    assert not [each for each in said if "is missing" in each]
    assert "the key 'a' stands twice" in said[1]


@pytest.mark.parametrize("name", ["wide.csv", "wide.jsonl"])
def test_more_columns_than_any_file_of_trials_has_are_refused_at_once(tmp_path: Path, name: str) -> None:
    names = [f"c{number}" for number in range(20_000)]
    text = ",".join(names) + "\n" if name.endswith("csv") else json.dumps(dict.fromkeys(names, 1))
    assert faults(written(tmp_path, text, name)) == [
        "1: holds more than 2,000 columns; leave those out that are not read"
    ]
    # A thousand trials in a wide row are fine.
    head = "candidate,case," + ",".join(f"Trial_{number}" for number in range(1000))
    row = "a,A," + ",".join(["1"] * 1000)
    assert len(read_flat(written(tmp_path, f"{head}\n{row}\n", "fits.csv"), wide=True).rows) == 1000
