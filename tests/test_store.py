"""The store keeps what it was given, whatever happens to the process."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from evalkit.errors import StoreError
from evalkit.store import Slot, Store
from evalkit.transcript import Attempt, Message, ToolCall, Trial, Usage

SLOTS = (Slot("a", "C1", 0, "f1"), Slot("b", "C1", 0, "f2"))
FILES = {"x.yaml": "text"}


def manifest(run: str = "r1", snapshot: str = "s1", **more: object) -> dict:
    return {"run": run, "name": "n", "started": "2026-11-01", "suite": {"snapshot": snapshot}, **more}


def trial(fingerprint: str, status: str = "completed", text: str = "Hello") -> Trial:
    attempt = Attempt("m", "m-1", 0.5, 0.001, Usage(3, 4, 1), "fp", None, "")
    call = ToolCall("1", "look", {"id": 7})
    return Trial(fingerprint, "C1", 0, status, (Message("user", "Hi"), Message("assistant", text, (call,))), (attempt,))  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "deep" / "store.sqlite") as opened:
        yield opened


def begin(store: Store, run: str = "r1", slots=SLOTS) -> None:
    store.begin(manifest(run), slots, FILES, "/suite")


def test_a_trial_comes_back_as_it_was(store: Store) -> None:
    begin(store)
    strange = trial("f1", text="\ud800 \x00 <script> \u2028 😀")
    store.save("r1", strange)
    assert dict(store.trials("r1")) == {SLOTS[0]: strange, SLOTS[1]: None}
    assert list(store.statuses("r1").values()) == ["completed", None]


def test_a_later_run_finds_what_is_stored_and_an_error_is_no_result(store: Store) -> None:
    begin(store)
    store.save("r1", trial("f1"))
    store.save("r1", trial("f2", status="error"))
    begin(store, "r2")
    assert list(store.statuses("r2").values()) == ["completed", None]


def test_taking_up_a_run_keeps_its_start_and_points_at_results_that_came_meanwhile(store: Store) -> None:
    begin(store)
    store.save("r1", trial("f2", status="error"))
    begin(store, "r2")
    store.save("r2", trial("f2"))
    store.begin(manifest("r1", started="2026-12-01", note=1), SLOTS, FILES, "/elsewhere")
    assert list(store.statuses("r1").values()) == [None, "completed"]
    assert (store.manifest("r1")["started"], store.manifest("r1")["note"]) == ("2026-11-01", 1)
    assert store.origin("r1") == Path("/elsewhere")


def test_a_trial_played_afresh_stands_and_the_old_one_is_kept(store: Store) -> None:
    begin(store)
    store.save("r1", trial("f1", text="old"))
    store.save("r1", trial("f1", text="new"))
    assert dict(store.trials("r1"))[SLOTS[0]].answer == "new"
    rows = sqlite3.connect(store.path).execute("SELECT count(*) FROM trials").fetchone()
    assert rows == (2,)


def test_an_error_of_a_trial_played_afresh_is_not_undone_by_the_older_result(store: Store) -> None:
    begin(store)
    store.save("r1", trial("f1"))
    store.save("r1", trial("f1", status="error"))
    begin(store)
    assert list(store.statuses("r1").values()) == ["error", None]
    begin(store, "r2")
    store.save("r2", trial("f1", text="later"))
    begin(store)
    assert dict(store.trials("r1"))[SLOTS[0]].answer == "later"


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.sqlite"
    with sqlite3.connect(path) as theirs:
        theirs.execute("CREATE TABLE letters (text)")
    with pytest.raises(StoreError, match="another program"):
        Store(path)
    assert sqlite3.connect(path).execute("SELECT name FROM sqlite_master").fetchall() == [("letters",)]


def test_a_damaged_store_is_told_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    sqlite3.connect(path).execute("PRAGMA user_version = 1").connection.close()
    with Store(path) as opened, pytest.raises(StoreError, match="cannot be used as a store"):
        opened.runs()


def test_a_run_is_found_by_prefix_and_as_the_latest(store: Store) -> None:
    for run in ("aa1", "aa2", "b"):
        begin(store, run)
    begin(store, "aa1")
    assert (store.find("latest"), store.find("aa2"), store.find("b")) == ("aa1", "aa2", "b")
    for name, said in (("aa", "fits 2 runs"), ("zz", "is no run"), ("", "is no run")):
        with pytest.raises(StoreError, match=said):
            store.find(name)


def test_an_empty_or_missing_store_says_what_to_do(tmp_path: Path, store: Store) -> None:
    with pytest.raises(StoreError, match="play one"):
        store.find("latest")
    with pytest.raises(StoreError, match="no store"):
        Store(tmp_path / "none.sqlite", create=False)


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    other.write_text("not a database, but long enough to be taken for one " * 50)
    with pytest.raises(StoreError, match="cannot be used as a store"):
        Store(other)


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "future.sqlite"
    sqlite3.connect(path).execute("PRAGMA user_version = 99").connection.close()
    with pytest.raises(StoreError, match="version 99"):
        Store(path)


def test_a_second_writer_is_refused_and_the_lock_ends_with_the_first(store: Store) -> None:
    with Store(store.path) as other:
        with store.writing(), pytest.raises(StoreError, match="another evalkit run"), other.writing():
            pass
        with other.writing():
            pass


def test_the_store_is_in_wal_mode_and_read_while_it_is_written(store: Store) -> None:
    begin(store)
    store._execute("BEGIN IMMEDIATE")
    with Store(store.path, create=False) as reader:
        assert list(reader.statuses("r1").values()) == [None, None]
        assert reader._execute("PRAGMA journal_mode").fetchone() == ("wal",)
    store._execute("COMMIT")


def test_the_suite_of_a_run_is_kept_once(store: Store) -> None:
    begin(store)
    begin(store, "r2")
    assert store.files("s1") == FILES
    with pytest.raises(StoreError, match="no suite snapshot"):
        store.files("s2")
