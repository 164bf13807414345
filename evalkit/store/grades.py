"""The grades in a store: each under the fingerprint of all that it is made of, apart from what it grades."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

from evalkit.transcript import Grade

Execute = Callable[..., Any]
# A grader's answer in one of these is kept; an error is asked again.
ANSWERED = ("graded", "unscored")


class Grades:
    """The grades of a store."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def save(self, grade: Grade) -> None:
        """Keep a grade; the ones before it stay."""
        body = json.dumps(grade.to_json(), ensure_ascii=True, separators=(",", ":"), allow_nan=False)
        self._execute(
            "INSERT INTO grades (fingerprint, status, body) VALUES (?, ?, ?)", (grade.fingerprint, grade.status, body)
        )

    def of(self, fingerprints: Collection[str]) -> dict[str, Grade]:
        """The grades of these fingerprints: of each its newest answer, or else its newest error."""
        rows = self._execute(
            "SELECT fingerprint, body FROM grades WHERE fingerprint IN (SELECT value FROM json_each(?)) "
            "ORDER BY status = 'error' DESC, id",
            (json.dumps(list(fingerprints)),),
        )
        # The last of each stands.
        return {fingerprint: Grade.from_json(json.loads(body)) for fingerprint, body in dict(rows.fetchall()).items()}
