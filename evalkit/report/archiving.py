"""A run's notebooks → pages in an archive, each in its place only when it is whole."""

from __future__ import annotations

import asyncio
import html
import importlib.metadata
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import nbformat
from nbformat import NotebookNode

from evalkit.errors import ReportError
from evalkit.loops import in_own_loop
from evalkit.report import execution, kinds, pages, shelf

if TYPE_CHECKING:
    from evalkit.tables import Run

_Result = TypeVar("_Result")
CELL_TIMEOUT_S = 600
NOTEBOOKS = Path("notebooks")


@dataclass(frozen=True)
class _Job:
    notebook: Path
    parameters: Mapping[str, Any] = field(default_factory=dict)


def render(
    notebook: Path,
    parameters: Mapping[str, Any],
    folder: Path,
    *,
    store: Path | None = None,
    timeout_s: int = CELL_TIMEOUT_S,
) -> Path:
    """Runs one notebook and writes `<name>.html` and the executed `<name>.ipynb` into `folder`; the page.

    `store` (default: $EVALKIT_STORE) is where the notebook finds its run; `timeout_s` is for one cell. Raises
    ReportError, and writes nothing, where a parameter is unknown, a cell fails, or the page would fetch or
    betray something.
    """
    place = store or os.environ.get("EVALKIT_STORE")
    environment = {"EVALKIT_STORE": str(Path(place).resolve())} if place else {}
    return _rendered([_Job(notebook, parameters)], folder, environment, {}, timeout_s)[0]


def report(
    run: Run,
    out: Path,
    notebooks: Sequence[str | Path] | None = None,
    parameters: Mapping[str, Any] | None = None,
    *,
    timeout_s: int = CELL_TIMEOUT_S,
) -> Path:
    """Archives `run` under `out` with a page for each notebook and rewrites `out/index.html`; the archive.

    The folder is `<date>-<name>-<run8>`; one of that name is replaced as a whole. `notebooks` are paths, or
    names in `notebooks/`; by default the numbered ones there that read a run. Those that read trials are not asked of
    a run that played nothing. A parameter goes to each notebook that has it. The pages are made from the archive
    itself, so they show what it holds and need no store. Raises ReportError, and leaves an older report as it was,
    where a page cannot be made.
    """
    chosen = kinds.asked_of(run, find_notebooks(notebooks), NOTEBOOKS)
    jobs = _jobs(chosen, run.id, parameters or {})
    out.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".report-", dir=out))
    try:
        date = datetime.now(UTC).isoformat(timespec="seconds")
        run.archive(
            staging,
            date=date,
            headline=kinds.headline_of(run),
            complete=kinds.is_complete(run),
            notebooks={job.notebook.stem: dict(job.parameters) for job in jobs},
        )
        _rendered(jobs, staging, {}, {run.id: staging}, timeout_s)
        os.chmod(staging, 0o755)
        folder = out / folder_name(date, run.name, run.id)
        _replace(staging, folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    shelf.write_index(out)
    return folder


def find_notebooks(names: Sequence[str | Path] | None = None) -> list[Path]:
    """The notebooks that `names` mean: paths, or names in `notebooks/`, with or without their ending.

    Without names: the numbered ones that read a stored run, which is all but `00_…`. Raises ReportError
    where there is no such notebook, or two have one name.
    """
    if names is None:
        found = sorted(path for path in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb") if path.name[:3] != "00_")
        if not found:
            raise ReportError(f"there is no notebook in {NOTEBOOKS}/ that reads a run; name one by its path")
        return found
    found = [_notebook(Path(name)) for name in names]
    if len({path.stem for path in found}) < len(found):
        raise ReportError(f"two notebooks have one name: {', '.join(sorted(path.stem for path in found))}")
    return found


def parameters_from_text(pairs: Sequence[str], notebooks: Sequence[Path]) -> dict[str, Any]:
    """`name=value` pairs as values of the types that the notebooks declare: '007' stays text for a `str`.

    Raises ReportError for a pair without '=', a name that none of them has, or text that is no such value.
    """
    declared = {name: kind for path in notebooks for name, kind in execution.declared(path).items()}
    values = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise ReportError(f"{pair!r} is no parameter; write NAME=VALUE")
        if name not in declared:
            raise ReportError(f"no notebook has a parameter {name!r}; known: {', '.join(sorted(declared))}")
        values[name] = execution.typed(name, text, declared[name])
    return values


def folder_name(date: str, name: str, run: str) -> str:
    """`<date>-<name>-<run8>`, with nothing in it that a file system or a link could stumble over."""
    safe = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"
    return f"{date[:10]}-{safe}-{run[:8]}"


def _notebook(name: Path) -> Path:
    named = name if name.suffix == ".ipynb" else name.with_name(f"{name.name}.ipynb")
    for path in (named, NOTEBOOKS / named):
        if path.is_file():
            return path
    known = ", ".join(sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")))
    raise ReportError(f"there is no notebook {name}; {NOTEBOOKS}/ holds {known or 'none'}")


def _jobs(notebooks: Sequence[Path], run: str, parameters: Mapping[str, Any]) -> list[_Job]:
    known = {path: execution.declared(path) for path in notebooks}
    for name in parameters:
        if name in ("run", "store"):
            raise ReportError(f"the parameter {name!r} is the report's own; name the run as the command's argument")
        if not any(name in names for names in known.values()):
            said = "; ".join(f"{path.name}: {', '.join(names)}" for path, names in known.items())
            raise ReportError(f"no notebook has a parameter {name!r}. {said}")
    return [
        _Job(path, {"run": run, **{name: value for name, value in parameters.items() if name in names}})
        for path, names in known.items()
    ]


def _rendered(
    jobs: Sequence[_Job],
    folder: Path,
    environment: Mapping[str, str],
    archives: Mapping[str, Path],
    timeout_s: int,
) -> list[Path]:
    """The pages of `jobs`, all of them written into `folder` or none.

    `archives` are archived runs that the notebooks find by run id in their working directory.
    """
    nodes = [execution.parametrized(job.notebook, job.parameters) for job in jobs]
    with tempfile.TemporaryDirectory(prefix="evalkit-report-") as temporary:

        async def run_all() -> list[NotebookNode]:
            turns = asyncio.Semaphore(max(2, (os.cpu_count() or 2) // 2))

            async def run_one(node: NotebookNode, name: str) -> NotebookNode:
                async with turns:
                    place = Path(temporary) / name
                    place.mkdir()
                    for run, archive in archives.items():
                        (place / run).symlink_to(archive.resolve(), target_is_directory=True)
                    return await execution.executed(
                        node, name, folder=place, timeout_s=timeout_s, environment=environment
                    )

            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(run_one(node, job.notebook.name)) for node, job in zip(nodes, jobs, strict=True)
                ]
            return [task.result() for task in tasks]

        executed = in_own_loop(run_all())
        betrayals = {f"the value of {name}": value for name, value in execution.secrets(os.environ).items()}
        betrayals |= {f"the path in {name}": path for name, path in environment.items()}
        betrayals |= {f"the path of run {run}": str(path.resolve()) for run, path in archives.items()}
        betrayals["the path of a temporary folder"] = temporary
        made = Path(temporary) / "made"
        made.mkdir()
        for node, job in zip(executed, jobs, strict=True):
            for file, text in _texts(node, job).items():
                _refuse_betrayal(text, betrayals, job.notebook.name)
                (made / file).write_text(text, encoding="utf-8")
        folder.mkdir(parents=True, exist_ok=True)
        for file in sorted(made.iterdir(), reverse=True):
            _put(file, folder)
    return [folder / f"{job.notebook.stem}.html" for job in jobs]


def _texts(node: NotebookNode, job: _Job) -> dict[str, str]:
    name = job.notebook
    try:
        pages.illustrate(node)
        document = pages.page(node, footer=_footer(job))
    except ReportError as error:
        raise ReportError(f"{name.name}: {error}") from error
    return {f"{name.stem}.ipynb": nbformat.writes(node) + "\n", f"{name.stem}.html": document}


def _footer(job: _Job) -> str:
    given = ", ".join(f"{name} = {value!r}" for name, value in job.parameters.items() if name != "run")
    parts = [
        f"Run {job.parameters['run']}" if "run" in job.parameters else "",
        f"notebook {job.notebook.name}" + (f" with {given}" if given else ""),
        f"evalkit {importlib.metadata.version('evalkit')}",
    ]
    return " · ".join(part for part in parts if part)


def _refuse_betrayal(text: str, betrayals: Mapping[str, str], name: str) -> None:
    for what, value in betrayals.items():
        written = (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
        if any(form in text for form in (value, html.escape(value), *written)):
            raise ReportError(f"{name}: {what} would stand in the page; nothing was written")


def _put(file: Path, folder: Path) -> None:
    """Moves a finished file into `folder`, which may lie on another file system, in one step."""
    handle, partial = tempfile.mkstemp(prefix=f".{file.name}-", dir=folder)
    os.close(handle)
    try:
        shutil.copyfile(file, partial)
        os.chmod(partial, 0o644)
        os.replace(partial, folder / file.name)
    finally:
        Path(partial).unlink(missing_ok=True)


def _replace(staging: Path, folder: Path) -> None:
    """Puts the finished folder in its place; an older one steps aside and comes back where that fails."""
    if not folder.exists():
        staging.rename(folder)
        return
    aside = folder.with_name(f".{folder.name}.old-{os.getpid()}")
    folder.rename(aside)
    try:
        staging.rename(folder)
    except OSError:
        aside.rename(folder)
        raise
    shutil.rmtree(aside, ignore_errors=True)
