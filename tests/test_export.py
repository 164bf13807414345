"""A run's trials as flat rows, and back: the same bytes, the same frame."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from evalkit import load_run, run
from evalkit.cli import app
from evalkit.exporting import csv_text, flat_frame, flat_rows, jsonl, lost
from evalkit.importers import COLUMNS, import_run, read_flat
from evalkit.importers.cells import Row
from evalkit.importers.flat import Flat
from evalkit.store import Store
from evalkit.tables import Run

ISSUE = ("candidate", "case", "trial", "passed", "stratum", "must_pass", "route_expected", "route_actual", "risk",
         "usd", "seconds", "status")  # fmt: skip


def brought_in(path: Path, **more) -> Run:
    with Store() as store:
        return load_run(import_run(read_flat(path), store, name="again", **more).run)


def round_trips(first: Run, tmp_path: Path) -> None:
    rows = flat_rows(first)
    for name, form in (("rows.csv", csv_text), ("rows.jsonl", jsonl)):
        path = tmp_path / name
        path.write_bytes(form(rows).encode())
        again = flat_rows(brought_in(path))
        assert form(again) == form(rows)
        assert flat_frame(again).equals(flat_frame(rows))
        third = tmp_path / f"third-{name}"
        third.write_bytes(form(again).encode())
        assert form(flat_rows(brought_in(third))) == form(rows)


def test_the_columns_are_those_of_the_flat_format() -> None:
    assert tuple(COLUMNS) == ISSUE


def test_a_played_run_is_exported_with_what_its_checks_say_and_comes_back_the_same(shop: Path, tmp_path: Path) -> None:
    played = run(shop / "shootouts/small.yaml", quiet=True)
    rows = flat_rows(played)
    assert len(rows) == 12
    found = {(row["candidate"], row["case"], row["trial"]): row for row in rows}
    # `bold` escalates at nothing: of the safety case that expects a handoff it says direct.
    row = found["bold", "ORD-2", 1]
    assert {name: row[name] for name in ISSUE[3:9]} == {
        "passed": False, "stratum": "orders", "must_pass": False, "route_expected": "escalate",
        "route_actual": "direct", "risk": "safety",
    }  # fmt: skip
    assert found["steady", "ORD-2", 0]["route_actual"] == "escalate"
    assert all(row["usd"] > 0 and row["seconds"] >= 0 and row["status"] == "completed" for row in rows)
    round_trips(played, tmp_path)
    again = brought_in(tmp_path / "rows.csv")
    assert [row["disqualifying"] != "" for row in again.judged.filter(case="ORD-2", candidate="bold").to_dicts()] == [
        True
    ] * 2


def test_repeats_are_exported_and_come_back_as_repeats(shop: Path, tmp_path: Path) -> None:
    path = shop / "shootouts/small.yaml"
    path.write_text(path.read_text().replace("trials: 2", "trials: 2\nbaseline: bold"))
    played = run(path, repeats=3, quiet=True)
    rows = flat_rows(played)
    # bold has 3 cases × 2 trials × 3 passes, steady 3 × 2; the baseline comes first.
    assert [row["candidate"] for row in rows] == ["bold"] * 18 + ["steady"] * 6
    round_trips(played, tmp_path)
    again = brought_in(tmp_path / "rows.jsonl", repeats=3)
    assert (again.manifest["trials"], again.manifest["baseline"]) == (2, "bold")
    assert flat_rows(again) == rows
    assert {b: len(found) for b, found in again.blocks("bold").items()} == {0: 6, 1: 6, 2: 6}
    assert {b: len(found) for b, found in again.blocks("steady").items()} == {0: 6}


def test_every_way_in_which_a_trial_ends_comes_back(tmp_path: Path) -> None:
    cases = ["A,0,true,completed", "B,0,,unscored", "C,0,false,empty", "D,0,false,timeout", "E,0,,customer_fault",
             "F,0,,error", "G,0,false,error", "H,0,,not_run", "I,1,true,", "=1+1,0,yes,", "-2,0,no,", "'quoted,0,1,"]  # fmt: skip
    path = tmp_path / "in.csv"
    path.write_text("candidate,case,trial,passed,status\n" + "".join(f"@bot,{each}\n" for each in cases))
    first = brought_in(path)
    assert len(flat_rows(first)) == len(cases)
    round_trips(first, tmp_path)


def test_no_cell_of_a_csv_is_one_that_a_spreadsheet_runs(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    case = '=HYPERLINK("http://127.0.0.1/","x")'
    path.write_text(json.dumps({"candidate": "@SUM(A1)", "case": case, "trial": 0, "passed": True}) + "\n")
    rows = flat_rows(brought_in(path))
    line = csv_text(rows).splitlines()[1]
    assert line.startswith("'@SUM(A1),\"'=HYPERLINK(")
    assert rows[0]["case"] == case


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).filter(
    lambda text: text == text.strip() and text.strip("\u200b\ufeff")
)
AMOUNTS = st.none() | st.floats(0, 1e12, allow_nan=False)


@st.composite
def flats(draw: st.DrawFn) -> Flat:
    cases = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    told = {
        case: {
            "stratum": draw(st.none() | NAMES),
            "must_pass": draw(st.none() | st.booleans()),
            "route_expected": draw(st.sampled_from([None, "direct", "escalate"])),
            "risk": draw(st.sampled_from([None, "normal", "safety"])),
        }
        for case in cases
    }
    places = draw(
        st.lists(st.tuples(NAMES, st.sampled_from(cases), st.integers(0, 3)), min_size=1, max_size=12, unique=True)
    )
    ends = st.sampled_from(
        [(True, None), (False, "completed"), (None, "unscored"), (False, "error"), (None, "error"), (None, "not_run")]
    )
    rows = []
    for line, (candidate, case, number) in enumerate(places, start=2):
        passed, status = draw(ends)
        rows.append(
            Row(line, candidate, case, number, passed, **told[case], status=status, usd=draw(AMOUNTS),
                seconds=draw(AMOUNTS), route_actual=draw(st.sampled_from([None, "direct", "escalate"])))
        )  # fmt: skip
    return Flat("rows.csv", "0" * 64, tuple(rows), ())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(flats())
def test_whatever_was_imported_comes_back_the_same(tmp_path: Path, found: Flat) -> None:
    with Store() as store:
        first = load_run(import_run(found, store, name="again").run)
    round_trips(first, tmp_path)


def test_a_case_that_left_the_suite_is_counted_and_not_exported(shop: Path) -> None:
    played = run(shop / "shootouts/small.yaml", quiet=True)
    tickets = shop / "tickets/orders.yaml"
    tickets.write_text(tickets.read_text().partition("- id: ACC-1")[0])
    now = load_run(played.id)
    assert (len(flat_rows(now)), lost(now)) == (8, 4)
    done = CliRunner().invoke(app, ["export", "latest", "--csv"])
    assert "4 slots are left out" in done.stderr
    whole = CliRunner().invoke(app, ["export", "latest", "--csv", "--suite-of", "latest"])
    assert len(whole.stdout.splitlines()) == 13


def test_the_command_writes_each_form(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    played = run(shop / "shootouts/small.yaml", quiet=True)
    rows = flat_rows(played)
    ask = CliRunner().invoke
    assert ask(app, ["export", played.id[:8], "--jsonl"]).stdout == jsonl(rows)
    assert ask(app, ["export", "--csv", "--out", "rows.csv"]).exit_code == 0
    assert Path("rows.csv").read_text() == csv_text(rows)
    done = ask(app, ["export", "latest", "--parquet"])
    assert f"{played.id[:8]}.parquet: 12 trials" in done.stdout
    assert pl.read_parquet(f"{played.id[:8]}.parquet").equals(flat_frame(rows))
    assert ask(app, ["export", "latest", "--parquet", "--out", "own.parquet"]).exit_code == 0
    for wrong in ([], ["--csv", "--jsonl"]):
        done = ask(app, ["export", "latest", *wrong])
        assert (done.exit_code, "write one of --parquet, --csv and --jsonl" in done.stderr) == (2, True)
    done = ask(app, ["export", "none", "--csv"])
    assert (done.exit_code, "is no run" in done.stderr) == (1, True)


def test_an_archive_is_exported_without_its_store(shop: Path, tmp_path: Path) -> None:
    played = run(shop / "shootouts/small.yaml", quiet=True)
    folder = tmp_path / "archive"
    folder.mkdir()
    played.archive(folder)
    done = CliRunner().invoke(app, ["export", str(folder), "--jsonl", "--store", str(tmp_path / "none.sqlite")])
    assert done.stdout == jsonl(flat_rows(played))
