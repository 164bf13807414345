"""Where relative paths start: a notebook is opened in notebooks/, its project is the folder above."""

from __future__ import annotations

from pathlib import Path


def home() -> Path:
    """The project's folder: the one that holds the notebooks/ we are in, else the working directory, as '.'."""
    here = Path.cwd()
    inside = next((folder for folder in (here, *here.parents) if folder.name == "notebooks"), None)
    return Path() if inside is None else inside.parent


def at_home(path: str | Path) -> Path:
    """The path as written where it leads somewhere from here, else as seen from the project's folder.

    So `cases` means the same in JupyterLab, in papermill and in a shell.
    """
    written = Path(path)
    return written if written.exists() or written.is_absolute() else home() / written
