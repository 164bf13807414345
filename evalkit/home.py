"""Where relative paths start: a notebook is opened in notebooks/, its project is the folder above."""

from __future__ import annotations

from pathlib import Path


def home() -> Path:
    """The project's folder: the one that holds the notebooks/ we are in, else the working directory, as '.'.

    A project is known by its Makefile or its cases/; another folder that is called notebooks is none of ours.
    """
    for folder in (Path.cwd(), Path.cwd().parent):
        if folder.name == "notebooks" and any((folder.parent / mark).exists() for mark in ("Makefile", "cases")):
            return folder.parent
    return Path()


def at_home(path: str | Path) -> Path:
    """The path as written where it leads somewhere from here, else as seen from the project's folder.

    So `cases` means the same in JupyterLab, in papermill and in a shell.
    """
    written = Path(path)
    return written if written.exists() or written.is_absolute() else home() / written
