"""Which commit is checked out, and which one a sign-off speaks of."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

_SECONDS = 10
_SHA = re.compile(r"[0-9a-f]{40,64}")


def commit() -> str | None:
    """The commit that is checked out where evalkit runs; None where there is no repository, no commit or no git."""
    return _asked("rev-parse", "--verify", "HEAD")


def commit_signed(quarantine: str | Path) -> str | None:
    """The last commit that changed anything but the quarantine file; None as for `commit`.

    A sign-off stands in the quarantine file, so writing it down makes a commit of its own. It speaks of the commit
    that is released, and that file's own commits are looked through. `quarantine` is the file's path, as seen from
    here; one outside the repository leaves the commit that is checked out. A clone without its history holds the
    last commit alone, which then stands for the one that is asked for.
    """
    top = _asked("rev-parse", "--show-toplevel", sha=False)
    if top is None:
        return None
    try:
        inside = Path(quarantine).resolve().relative_to(Path(top).resolve())
    except (OSError, ValueError):
        return commit()
    # rev-list, unlike log, has no settings of the user's that change what it prints.
    return _asked("rev-list", "-1", "HEAD", "--", ":/", f":(top,exclude,literal){inside.as_posix()}") or commit()


def _asked(*words: str, sha: bool = True) -> str | None:
    try:
        found = subprocess.run(
            ["git", *words],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    said = found.stdout.rstrip("\r\n")
    return said if found.returncode == 0 and said and (not sha or _SHA.fullmatch(said)) else None
