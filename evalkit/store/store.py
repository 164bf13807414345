"""Trials, runs and suite snapshots in one SQLite file that a killed process cannot harm."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from evalkit.errors import StoreError
from evalkit.home import home
from evalkit.store.grades import Grades
from evalkit.store.parts import Composed, Parts
from evalkit.store.schema import VERSION, statements
from evalkit.transcript import Trial

DEFAULT = Path("reports/store/evalkit.sqlite")
# What a manifest keeps when its run is taken up again.
_STAYS = ("started", "reruns", "grading_stopped")
# A trial in one of these is a result; in any other it is played again when a run asks for it.
FINAL = ("completed", "empty", "customer_fault")


@dataclass(frozen=True)
class Slot:
    """One trial that a run asks for: candidate × case × number, and the fingerprint under which it is kept."""

    candidate: str
    case: str
    number: int
    fingerprint: str


class Store:
    """Trials by their fingerprint, and the runs that point at them."""

    def __init__(self, path: str | Path | None = None, *, create: bool = True) -> None:
        """Open a store, or make one. Raises StoreError where the file is no store, or is missing and not to be made."""
        self.path = store_path(path)
        if not create and not self.path.is_file():
            raise StoreError(f"there is no store at {self.path}: play a run first, or name one with --store FILE")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
            self._execute("PRAGMA journal_mode = WAL")
            self._execute("PRAGMA synchronous = NORMAL")
            # A conversation is some 40 kB, and a run thousands: room for the index in memory, and a longer log before
            # it is copied into the file.
            self._execute("PRAGMA cache_size = -65536")
            self._execute("PRAGMA wal_autocheckpoint = 8192")
            self._prepare()
            self.parts = Parts(self._execute, self._many)
            self.grades = Grades(self._execute)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"{self.path} cannot be opened as a store: {error}; name another with --store FILE"
            ) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the store for one writing process; raises StoreError where another one holds it.

        The lock is the operating system's, so that a killed process leaves none.
        """
        try:
            lock = os.open(f"{self.path}.lock", os.O_CREAT | os.O_RDWR, 0o644)
        except OSError as error:
            raise StoreError(f"{self.path}.lock cannot be written: {error.strerror}; name another store") from error
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise StoreError(
                    f"another evalkit run is writing to {self.path}: "
                    "wait for it, or name another store with --store FILE"
                ) from error
            yield
        finally:
            os.close(lock)

    def begin(
        self,
        manifest: Mapping[str, Any],
        slots: Sequence[Slot],
        files: Mapping[str, str],
        origin: str,
        composed: Iterable[Composed] = (),
    ) -> None:
        """Record a run with its slots and its suite's files, or take up one that is already there.

        `composed` is what the slots' fingerprints are made of. `origin` is the folder of the suite, kept here alone:
        a manifest names no path of a machine.
        """
        run, snapshot = manifest["run"], manifest["suite"]["snapshot"]
        with self._transaction():
            self._execute("INSERT OR IGNORE INTO snapshots VALUES (?, ?)", (snapshot, _text(dict(files))))
            (touched,) = self._execute("SELECT coalesce(max(touched), 0) + 1 FROM runs").fetchone()
            self._execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE "
                "SET touched = excluded.touched, origin = excluded.origin, manifest = excluded.manifest",
                (run, touched, origin, _text(self._with_what_stays(run, manifest))),
            )
            self._add(run, slots, 0, composed)

    def extend(
        self, run: str, slots: Sequence[Slot], composed: Iterable[Composed], reruns: Mapping[str, Mapping[str, int]]
    ) -> None:
        """Give a run further slots, after those that it has: what a gate plays anew.

        `reruns` is the block of numbers of each candidate's stratum that is played anew, added to what the manifest
        holds.
        """
        with self._transaction():
            (first,) = self._execute("SELECT coalesce(max(place), -1) + 1 FROM slots WHERE run = ?", (run,)).fetchone()
            self._add(run, slots, first, composed)
            known = self.manifest(run).get("reruns", {})
            added = {name: {**known.get(name, {}), **blocks} for name, blocks in reruns.items()}
            self._merge(run, {"reruns": {**known, **added}})

    def note(self, run: str, **keys: Any) -> None:
        """Set keys of a run's manifest; a key given as None is taken out."""
        with self._transaction():
            self._merge(run, keys)

    def save(self, run: str, *trials: Trial) -> None:
        """Keep trials and point the run's slots at them, in one transaction."""
        with self._transaction():
            for trial in trials:
                row = self._execute(
                    "INSERT INTO trials (fingerprint, status, body) VALUES (?, ?, ?)",
                    (trial.fingerprint, trial.status, _text(trial.to_json())),
                )
                self._execute(
                    "UPDATE slots SET trial = ? WHERE run = ? AND fingerprint = ?",
                    (row.lastrowid, run, trial.fingerprint),
                )

    def statuses(self, run: str) -> dict[str, str | None]:
        """The status of each slot of a run by its fingerprint, in order; None where nothing was played yet."""
        rows = self._execute(
            "SELECT s.fingerprint, t.status FROM slots s LEFT JOIN trials t ON t.id = s.trial "
            "WHERE s.run = ? ORDER BY s.place",
            (run,),
        )
        return dict(rows.fetchall())

    def unfinished(self, slots: Iterable[Slot], *, retry_empty: bool = False) -> list[Slot]:
        """Those of these slots that have no result here yet, in whatever run; an empty answer is one unless retried."""
        final = tuple(status for status in FINAL if not (retry_empty and status == "empty"))
        query = f"SELECT EXISTS (SELECT 1 FROM trials WHERE fingerprint = ? AND status IN ({_marks(final)}))"
        return [slot for slot in slots if not self._execute(query, (slot.fingerprint, *final)).fetchone()[0]]

    def trials(self, run: str) -> Iterator[tuple[Slot, Trial | None]]:
        """Each slot of a run with its trial, None where nothing was played."""
        rows = self._execute(
            'SELECT s.candidate, s."case", s.number, s.fingerprint, t.body '
            "FROM slots s LEFT JOIN trials t ON t.id = s.trial WHERE s.run = ? ORDER BY s.place",
            (run,),
        )
        for candidate, case, number, fingerprint, body in rows:
            yield (
                Slot(candidate, case, number, fingerprint),
                None if body is None else Trial.from_json(json.loads(body)),
            )

    def answers(self, newest: int) -> Iterator[Trial]:
        """The newest completed trials of all runs, at most so many, the last one first."""
        rows = self._execute("SELECT body FROM trials WHERE status = 'completed' ORDER BY id DESC LIMIT ?", (newest,))
        for (body,) in rows:
            yield Trial.from_json(json.loads(body))

    def manifest(self, run: str) -> dict[str, Any]:
        """The manifest of a run."""
        row = self._execute("SELECT manifest FROM runs WHERE id = ?", (run,)).fetchone()
        if row is None:
            raise StoreError(f"no run {run!r} in {self.path}; `evalkit runs` lists them")
        return json.loads(row[0])

    def origin(self, run: str) -> Path:
        """The folder of the suite that a run was played under, as it was on this machine."""
        row = self._execute("SELECT origin FROM runs WHERE id = ?", (run,)).fetchone()
        return Path(row[0]) if row is not None else Path()

    def files(self, snapshot: str) -> dict[str, str]:
        """The suite's files as they stood when a run was played."""
        row = self._execute("SELECT files FROM snapshots WHERE hash = ?", (snapshot,)).fetchone()
        if row is None:
            raise StoreError(f"no suite snapshot {snapshot[:8]} in {self.path}")
        return json.loads(row[0])

    def runs(self) -> list[dict[str, Any]]:
        """The manifests of all runs, the one played last first."""
        return [json.loads(body) for (body,) in self._execute("SELECT manifest FROM runs ORDER BY touched DESC")]

    def find(self, name: str) -> str:
        """The id of the run that a name means: an id, a unique prefix of one, or `latest`."""
        ids = [run for (run,) in self._execute("SELECT id FROM runs ORDER BY touched DESC")]
        if not ids:
            raise StoreError(f"no run in {self.path} yet: play one with `evalkit run SHOOTOUT`")
        if name == "latest":
            return ids[0]
        found = [run for run in ids if run.startswith(name)] if name else []
        if len(found) != 1:
            said = "is no run" if not found else f"fits {len(found)} runs: {', '.join(run[:12] for run in found[:5])}"
            raise StoreError(f"{name!r} {said} in {self.path}; `evalkit runs` lists them")
        return found[0]

    def _merge(self, run: str, keys: Mapping[str, Any]) -> None:
        merged = {**self.manifest(run), **keys}
        merged = {name: value for name, value in merged.items() if value is not None or name not in keys}
        self._execute("UPDATE runs SET manifest = ? WHERE id = ?", (_text(merged), run))

    def _add(self, run: str, slots: Sequence[Slot], first: int, composed: Iterable[Composed]) -> None:
        """Slots of a run from a place on, each with its trial where the store has one; within a transaction."""
        rows = [(run, place, *astuple(slot)) for place, slot in enumerate(slots, first)]
        self._many("INSERT OR IGNORE INTO slots VALUES (?, ?, ?, ?, ?, ?, NULL)", rows)
        self.parts.keep(composed)
        # A slot whose trial is already here is not played again; older ones do not undo what was played afresh.
        newest = (
            "(SELECT max(t.id) FROM trials t WHERE t.fingerprint = slots.fingerprint "
            f"AND t.status IN ({_marks(FINAL)}) AND t.id > coalesce(slots.trial, 0))"
        )
        unfinished = f"(trial IS NULL OR trial NOT IN (SELECT id FROM trials WHERE status IN ({_marks(FINAL)})))"
        self._execute(
            f"UPDATE slots SET trial = {newest} WHERE run = ? AND {unfinished} AND {newest} IS NOT NULL",
            (*FINAL, run, *FINAL, *FINAL),
        )

    def _with_what_stays(self, run: str, manifest: Mapping[str, Any]) -> Mapping[str, Any]:
        """A manifest with what the one before it had of the run's own story."""
        row = self._execute("SELECT manifest FROM runs WHERE id = ?", (run,)).fetchone()
        before = {} if row is None else json.loads(row[0])
        return {**manifest, **{key: before[key] for key in _STAYS if key in before}}

    def _prepare(self) -> None:
        (version,) = self._execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise StoreError(f"{self.path} is a store of version {version}, this evalkit reads {VERSION}; name another")
        if version == 0 and self._execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise StoreError(f"{self.path} is another program's database; name another with --store FILE")
        if version < VERSION:
            with self._transaction():
                # Another process may have made it meanwhile.
                (version,) = self._execute("PRAGMA user_version").fetchone()
                for statement in statements(version):
                    self._execute(statement)
                self._execute(f"PRAGMA user_version = {VERSION}")

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            return self._db.execute(statement, values)
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} cannot be used as a store: {error}; what was kept is still there") from error

    def _many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        try:
            self._db.executemany(statement, rows)
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} cannot be used as a store: {error}; what was kept is still there") from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # A full disk has rolled back by itself.
            if self._db.in_transaction:
                self._execute("ROLLBACK")
            raise
        self._execute("COMMIT")


def store_path(path: str | Path | None = None) -> Path:
    """Where the store lies: as named, else $EVALKIT_STORE, else reports/store/evalkit.sqlite; from the project on."""
    return home() / (path or os.environ.get("EVALKIT_STORE") or DEFAULT)


def _text(value: Any) -> str:
    # Lone surrogates from a broken reply are kept as \ud800 escapes, which SQLite takes.
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)
