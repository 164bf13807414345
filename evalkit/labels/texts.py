"""The files of people's labels, as texts: what a run carries, so that its archive holds them."""

from __future__ import annotations

from pathlib import Path

from evalkit.labels.guide import GUIDE


def label_files(folder: Path) -> dict[str, str]:
    """The .jsonl files of a folder, the ledger of trust among them, and its guide, by their names; {} without it."""
    if not folder.is_dir():
        return {}
    found = [path for path in sorted(folder.glob("*.jsonl")) if not path.name.startswith(".") and path.is_file()]
    guide = folder / GUIDE
    # What is no UTF-8 stays in the text as it is, so that reading the set names its line.
    return {
        path.name: path.read_bytes().decode("utf-8", "surrogateescape")
        for path in [*found, *([guide] if guide.is_file() else [])]
    }
