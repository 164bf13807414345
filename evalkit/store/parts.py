"""What each fingerprint is made of, part by part; a part that many trials share is kept once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.transcript import Trial

Execute = Callable[..., Any]


def piece_hash(value: str) -> str:
    """SHA-256 of a part's JSON, in hexadecimal: the key under which it is kept."""
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Composed:
    """One identity: the parts of all trials of one candidate on one case, each as JSON, and their fingerprints."""

    identity: str
    case: str
    parts: Mapping[str, str]
    fingerprints: tuple[str, ...]


@dataclass(frozen=True)
class Neighbour:
    """The newest stored trial of another identity of the same case: where it stands in a run, and its parts."""

    run: str
    candidate: str
    number: int
    status: str
    parts: Mapping[str, str]


class Parts:
    """The parts of fingerprints in a store."""

    def __init__(self, execute: Execute, many: Execute) -> None:
        self._execute = execute
        self._many = many

    def keep(self, composed: Iterable[Composed]) -> None:
        """Keep what is not there yet; within a transaction of the store."""
        pieces: dict[str, str] = {}
        parts: list[tuple[str, str, str]] = []
        identities: list[tuple[str, str, str]] = []
        for each in composed:
            for part, value in each.parts.items():
                piece = piece_hash(value)
                pieces[piece] = value
                parts.append((each.identity, part, piece))
            identities += [(fingerprint, each.identity, each.case) for fingerprint in each.fingerprints]
        self._many("INSERT OR IGNORE INTO pieces VALUES (?, ?)", list(pieces.items()))
        self._many("INSERT OR IGNORE INTO parts VALUES (?, ?, ?)", parts)
        self._many("INSERT OR IGNORE INTO identities VALUES (?, ?, ?)", identities)

    def of(self, fingerprint: str) -> dict[str, str]:
        """The parts of a fingerprint, each as JSON; empty where they were never kept."""
        rows = self._execute(
            "SELECT p.part, v.value FROM identities i JOIN parts p ON p.identity = i.identity "
            "JOIN pieces v ON v.hash = p.piece WHERE i.fingerprint = ? ORDER BY p.part",
            (fingerprint,),
        )
        return dict(rows)

    def nearest(self, fingerprint: str) -> Neighbour | None:
        """Of the other identities of the same case that hold a stored trial, that which shares most parts with this.

        Of several that share as many, the one played last. None where there is no other.
        """
        found = self._execute(
            """
            WITH own AS (SELECT identity, "case" FROM identities WHERE fingerprint = ?),
                 others AS (
                     SELECT i.identity, max(t.id) AS trial FROM identities i
                     JOIN own ON own."case" = i."case" AND own.identity <> i.identity
                     JOIN trials t ON t.fingerprint = i.fingerprint GROUP BY i.identity
                 )
            SELECT o.trial,
                   (SELECT count(*) FROM parts a JOIN parts b ON b.part = a.part AND b.piece = a.piece
                    WHERE a.identity = o.identity AND b.identity = (SELECT identity FROM own)) AS same
            FROM others o ORDER BY same DESC, o.trial DESC LIMIT 1
            """,
            (fingerprint,),
        ).fetchone()
        return None if found is None else self._neighbour(found[0])

    def trials_with(self, parts: Mapping[str, str], newest: int) -> list[Trial]:
        """The newest completed trials whose fingerprints hold all of these parts, given as JSON; at most so many."""
        one = "SELECT identity FROM parts WHERE part = ? AND piece = ?"
        rows = self._execute(
            f"SELECT t.body FROM trials t JOIN identities i ON i.fingerprint = t.fingerprint "
            f"WHERE i.identity IN ({' INTERSECT '.join([one] * len(parts))}) AND t.status = 'completed' "
            "ORDER BY t.id DESC LIMIT ?",
            (*(value for part, text in parts.items() for value in (part, piece_hash(text))), newest),
        )
        return [Trial.from_json(json.loads(body)) for (body,) in rows]

    def _neighbour(self, trial: int) -> Neighbour:
        other, status = self._execute("SELECT fingerprint, status FROM trials WHERE id = ?", (trial,)).fetchone()
        place: Sequence[Any] | None = self._execute(
            "SELECT s.run, s.candidate, s.number FROM slots s JOIN runs r ON r.id = s.run "
            "WHERE s.fingerprint = ? ORDER BY r.touched DESC LIMIT 1",
            (other,),
        ).fetchone()
        run, candidate, number = place or ("", "", -1)
        return Neighbour(run, candidate, number, status, self.of(other))
