"""The index of all archived reports: one page, newest first, each with its verdict in a line."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evalkit.cards import escaped
from evalkit.figures import page_file


@dataclass(frozen=True)
class Entry:
    """An archived report: its folder's name, what its manifest says, and its pages' file names."""

    folder: str
    name: str
    date: str
    run: str
    headline: str
    complete: bool
    pages: tuple[str, ...]


def entries(out: Path) -> list[Entry]:
    """The reports archived under `out`, newest first; one with an unreadable manifest says so."""
    found = [_entry(path.parent) for path in out.glob("*/manifest.json") if not path.parent.name.startswith(".")]
    return sorted(found, key=lambda entry: (entry.date, entry.folder), reverse=True)


def write_index(out: Path) -> Path:
    """Rewrites `out/index.html` from the folders that are there, in one step; its path."""
    from jinja2 import Environment

    template = Environment(autoescape=True).from_string(page_file("shelf.html.j2"))
    document = template.render(entries=entries(out), style=page_file("page.css"), quote=quote, said=escaped)
    handle, partial = tempfile.mkstemp(prefix=".index-", dir=out)
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
        file.write(document)
    os.chmod(partial, 0o644)
    os.replace(partial, out / "index.html")
    return out / "index.html"


def _entry(folder: Path) -> Entry:
    pages = tuple(sorted(path.name for path in folder.glob("*.html")))
    manifest = _manifest(folder / "manifest.json")
    if manifest is None:
        return Entry(folder.name, folder.name, folder.name[:10], "", "Its manifest cannot be read.", False, pages)
    return Entry(
        folder=folder.name,
        name=str(manifest.get("name") or folder.name),
        date=str(manifest.get("date") or ""),
        run=str(manifest.get("run") or ""),
        headline=str(manifest.get("headline") or "No verdict was recorded."),
        complete=manifest.get("complete") is True,
        pages=pages,
    )


def _manifest(file: Path) -> dict[str, Any] | None:
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return read if isinstance(read, dict) else None
