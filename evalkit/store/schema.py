"""The tables of a store, and how a store of an older version becomes one of this."""

from __future__ import annotations

_TRIALS = """
CREATE TABLE trials (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, status TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX trials_by_fingerprint ON trials (fingerprint, id);
CREATE TABLE snapshots (hash TEXT PRIMARY KEY, files TEXT NOT NULL);
CREATE TABLE runs (
    id TEXT PRIMARY KEY, touched INTEGER NOT NULL, origin TEXT NOT NULL, manifest TEXT NOT NULL
);
CREATE TABLE slots (
    run TEXT NOT NULL REFERENCES runs (id), place INTEGER NOT NULL, candidate TEXT NOT NULL, "case" TEXT NOT NULL,
    number INTEGER NOT NULL, fingerprint TEXT NOT NULL, trial INTEGER REFERENCES trials (id),
    PRIMARY KEY (run, place)
) WITHOUT ROWID;
CREATE INDEX slots_by_fingerprint ON slots (run, fingerprint);
"""
_PARTS = """
CREATE TABLE pieces (hash TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE parts (
    identity TEXT NOT NULL, part TEXT NOT NULL, piece TEXT NOT NULL REFERENCES pieces (hash),
    PRIMARY KEY (identity, part)
) WITHOUT ROWID;
CREATE TABLE identities (
    fingerprint TEXT PRIMARY KEY, identity TEXT NOT NULL, "case" TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX identities_by_case ON identities ("case");
"""
_GRADES = """
CREATE TABLE grades (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, status TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX grades_by_fingerprint ON grades (fingerprint, id);
"""
# What each version added; a store of version n holds the first n.
STEPS = (_TRIALS, _PARTS, _GRADES)
VERSION = len(STEPS)


def statements(version: int) -> list[str]:
    """What makes a store of a version (0: a new one) one of this, in order."""
    return [each for step in STEPS[version:] for each in step.split(";") if each.strip()]
