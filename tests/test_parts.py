"""What fingerprints are made of, kept in the store: each piece once, and the nearest other identity of a case."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from evalkit.errors import StoreError
from evalkit.plan import plan
from evalkit.runner import play_plan
from evalkit.store import Composed, Slot, Store
from evalkit.transcript import Trial
from evalkit.why import Difference, why

MANIFEST = {"run": "r1", "name": "n", "started": "2026-11-01", "suite": {"snapshot": "s1"}}


def composed(identity: str, fingerprint: str, case: str = "C", **parts: str) -> Composed:
    return Composed(identity, case, {name: json.dumps(value) for name, value in parts.items()}, (fingerprint,))


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def begin(store: Store, *kept: Composed) -> None:
    slots = [Slot(each.identity, each.case, 0, each.fingerprints[0]) for each in kept]
    store.begin(MANIFEST, slots, {}, "/suite", kept)


def test_the_nearest_is_the_stored_trial_of_the_case_that_shares_most_parts(store: Store) -> None:
    begin(
        store,
        composed("own", "f0", prompt="a", model="m", salt="s"),
        composed("two off", "f1", prompt="b", model="m", salt="t"),
        composed("one off", "f2", prompt="a", model="n", salt="s"),
        composed("not played", "f3", prompt="a", model="m", salt="s"),
        composed("other case", "f4", case="D", prompt="a", model="m", salt="s"),
    )
    assert store.parts.nearest("f0") is None
    for fingerprint in ("f1", "f2", "f4"):
        store.save("r1", Trial(fingerprint, "C", 0, "completed"))
    found = why(store, "r1", "C", "own")
    assert found.nearest == {"run": "r1", "candidate": "one off", "trial": 0, "status": "completed", "same": 2}
    assert found.differences == (Difference("model", '"n"', '"m"'),)
    assert found.differences[0].lines == ["- n", "+ m"]
    assert found.status is None
    assert [part.name for part in found.parts] == ["model", "prompt", "salt"]


def test_a_piece_that_many_trials_share_is_kept_once(store: Store) -> None:
    begin(store, *(composed(f"i{n}", f"f{n}", prompt="long " * 1000, number=n) for n in range(50)))
    sizes = sqlite3.connect(store.path).execute("SELECT count(*), sum(length(value)) FROM pieces").fetchone()
    assert sizes[0] == 51
    assert sizes[1] < 6000


def test_a_store_of_the_first_version_is_read_and_gains_the_parts(shop: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    planned = plan(shop / "shootouts/small.yaml")
    with Store(path) as store:
        play_plan(planned, store)
    old = sqlite3.connect(path)
    for table in ("identities", "parts", "pieces", "grades"):
        old.execute(f"DROP TABLE {table}")
    old.execute("PRAGMA user_version = 1")
    old.commit()
    old.close()
    with Store(path) as store:
        assert set(store.statuses(planned.run).values()) == {"completed"}
        with pytest.raises(StoreError, match="was not kept"):
            why(store, planned.run, "ORD-1")
        assert play_plan(planned, store).calls == 0
        assert len(why(store, planned.run, "ORD-1").parts) > 8


def test_an_unknown_case_candidate_or_trial_is_named(store: Store) -> None:
    begin(store, composed("own", "f0", prompt="a"))
    for wanted in (("r1", "X"), ("r1", "C", "nobody"), ("r1", "C", "own", 4)):
        with pytest.raises(StoreError, match="has no"):
            why(store, *wanted)
