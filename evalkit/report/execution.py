"""One notebook, parametrized by papermill and run to its very end; or where it stopped, and why."""

from __future__ import annotations

import json
import logging
import os
import re
import site
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

import evalkit
from evalkit import errors
from evalkit.errors import ReportError

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)
# A shorter value would be found in any page by chance.
_SECRET_LENGTH = 8
_PLAIN = {"str": str, "int": int, "float": (int, float), "bool": bool, "list": list, "dict": dict}
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
# nbclient's own complaints are said again, better, by the ReportError.
_quiet = logging.getLogger("evalkit.report.nbclient")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False


def secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of `environment` whose name says that they hold a secret, such as `…_API_KEY`."""
    return {
        name: value for name, value in environment.items() if _SECRET_NAME.search(name) and len(value) >= _SECRET_LENGTH
    }


def declared(notebook: Path) -> dict[str, str]:
    """The parameters of a notebook and the types that it declares for them ('None' where it does not say).

    Raises ReportError for a file that is no notebook, or has no cell tagged `parameters`.
    """
    return _declared(_read(notebook))


def parametrized(notebook: Path, parameters: Mapping[str, Any]) -> NotebookNode:
    """The notebook with `parameters` injected behind its `parameters` cell.

    Values are None, str, int, float, bool, or lists and dicts of these, and of the type that the notebook
    declares. Raises ReportError as `declared` does, for a name that the notebook does not declare, or for a
    value of another type.
    """
    from papermill.parameterize import parameterize_notebook

    node = _read(notebook)
    known = _declared(node)
    for name, value in parameters.items():
        if name not in known:
            said = ", ".join(known) or "none"
            raise ReportError(f"{notebook.name}: has no parameter {name!r}; it knows {said}")
        if not _is_plain(value):
            raise ReportError(
                f"{notebook.name}: parameter {name!r} is a {type(value).__name__}; "
                "pass None, text, a number, true or false, or a list or dict of these"
            )
        if not _fits(value, known[name]):
            raise ReportError(f"{notebook.name}: parameter {name!r} is {value!r}, but is declared as {known[name]}")
    if parameters:
        node = parameterize_notebook(node, dict(parameters))
        injected = next(cell for cell in node.cells if "injected-parameters" in cell.metadata.get("tags", ()))
        # papermill's is random, and two renderings would not be the same bytes.
        injected["id"] = "injected-parameters"
    return node


def typed(name: str, text: str, kind: str) -> Any:
    """`text` as a value of the declared type `kind`; text itself where that is str or not said.

    Raises ReportError where it is no such value.
    """
    names = _names(kind)
    if "str" in names or not set(names) & set(_PLAIN):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    if not _fits(value, kind):
        raise ReportError(f"parameter {name!r} is {text!r}, but it is declared as {kind}")
    return value


async def executed(
    node: NotebookNode, name: str, *, folder: Path, timeout_s: int, environment: Mapping[str, str]
) -> NotebookNode:
    """`node` with the outputs of every cell, run in a fresh kernel of this very Python.

    `folder` is the kernel's working directory and holds its profile and connection file; `timeout_s` is for
    one cell. The kernel sees no variable that looks like a secret. Raises ReportError, naming notebook,
    cell and the error's last line, where a cell raises, runs too long, kills the kernel, or ends the
    notebook early.
    """
    sentinel = nbformat.v4.new_code_cell(f"print({uuid.uuid4().hex!r})")
    node = nbformat.from_dict({**node, "cells": [*node.cells, sentinel]})
    manager = AsyncKernelManager(
        kernel_name="python3",
        kernel_spec_manager=_ThisPython(),
        connection_file=str(folder / "kernel.json"),
    )
    client = NotebookClient(
        node,
        km=manager,
        timeout=timeout_s,
        record_timing=False,
        coalesce_streams=True,
        # A report shows no cell that failed, even where the cell is tagged as one that may.
        force_raise_errors=True,
        shutdown_kernel="immediate",
        # Automagic reads a cell that says only `run: str = "latest"` as the magic %run.
        extra_arguments=["--log-level=40", "--InteractiveShell.automagic=False"],
        log=_quiet,
    )
    running = [0]
    client.on_cell_execute = lambda cell_index, **_: running.__setitem__(0, cell_index)
    visible = _environment(os.environ, folder) | dict(environment)
    try:
        # cleanup_kc: a manager of our own is otherwise left running.
        await client.async_execute(cwd=str(folder), env=visible, cleanup_kc=True)
    except CellExecutionError as error:
        if error.ename == "SystemExit":
            raise _stopped(name, node, running[0], "it ends the notebook early (sys.exit)") from None
        raise _stopped(name, node, running[0], _last_line(error)) from None
    except CellTimeoutError:
        raise _stopped(name, node, running[0], f"it ran longer than {timeout_s} s") from None
    except DeadKernelError:
        raise _stopped(name, node, running[0], "the kernel died") from None
    except RuntimeError as error:
        raise ReportError(f"{name}: the kernel did not start: {error}") from error
    said = "".join(output.get("text", "") for output in node.cells[-1].outputs)
    if said.strip() != sentinel.source.split("'")[1]:
        raise _stopped(name, node, running[0], "the notebook did not run to its end")
    del node.cells[-1]
    return _cleaned(node)


def _read(notebook: Path) -> NotebookNode:
    from papermill.iorw import load_notebook_node
    from papermill.utils import any_tagged_cell

    try:
        read = nbformat.read(notebook, as_version=4)
        nbformat.validate(read)
    except OSError as error:
        raise ReportError(f"{notebook}: cannot be read: {error.strerror}") from error
    except (
        nbformat.reader.NotJSONError,
        nbformat.ValidationError,
        ValueError,
        TypeError,
        AttributeError,
    ) as error:
        raise ReportError(f"{notebook}: is no Jupyter notebook") from error
    node = load_notebook_node(read)
    node.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    if not any_tagged_cell(node, "parameters"):
        raise ReportError(f"{notebook.name}: has no cell tagged 'parameters', so its defaults would win unseen")
    return node


def _declared(node: NotebookNode) -> dict[str, str]:
    import papermill

    return {name: found["inferred_type_name"] for name, found in papermill.inspect_notebook(node).items()}


class _ThisPython(KernelSpecManager):
    """Knows one kernel: the interpreter that runs now, whatever kernels are installed elsewhere."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:  # noqa: ARG002
        from ipykernel.kernelspec import get_kernel_dict

        return KernelSpec(**get_kernel_dict())


def _environment(parent: Mapping[str, str], folder: Path) -> dict[str, str]:
    secret = {name for name in parent if _SECRET_NAME.search(name)}
    kept = {name: value for name, value in parent.items() if name not in secret | {"EVALKIT_STORE"}}
    # The working directory changes, so relative entries are made absolute; the kernel imports this evalkit.
    paths = [str(Path(entry).resolve()) for entry in kept.get("PYTHONPATH", "").split(os.pathsep) if entry]
    home = str(Path(evalkit.__file__).resolve().parent.parent)
    if home not in {str(Path(entry).resolve()) for entry in [*site.getsitepackages(), *paths]}:
        paths.append(home)
    return kept | {
        "PYTHONPATH": os.pathsep.join(paths),
        "IPYTHONDIR": str(folder / "ipython"),
        "EVALKIT_REPORT": "1",
    }


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_plain(item) for item in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    return value is None or type(value) in (str, int, float, bool)


def _names(kind: str) -> list[str]:
    return [part.strip().split("[")[0] for part in kind.split("|")]


def _fits(value: Any, kind: str) -> bool:
    """Whether `value` is of the declared type; one that is not said, or no plain type, takes anything."""
    names = _names(kind)
    if kind == "None" or any(name not in _PLAIN and name != "None" for name in names):
        return True
    if value is None:
        return "None" in names
    if isinstance(value, bool):
        return "bool" in names
    return any(isinstance(value, _PLAIN[name]) for name in names if name not in ("None", "bool"))


def _stopped(name: str, node: NotebookNode, index: int, why: str) -> ReportError:
    cell = node.cells[index]
    first = next((line.strip() for line in cell.source.splitlines() if line.strip()), "")
    return ReportError(f"{name}: cell {index + 1} of {len(node.cells) - 1} ({first[:60]}): {why}")


def _last_line(error: CellExecutionError) -> str:
    name, text = error.ename, _ANSI.sub("", error.evalue).strip()
    if name == "NoneType":
        # What failed was showing the result, and the reply does not say how; its traceback does.
        lines = _ANSI.sub("", error.traceback).strip().splitlines()
        name, _, text = lines[-1].partition(": ")
    last = text.splitlines()[-1] if text else ""
    # evalkit's own errors say for people what is wrong; another's class is part of what it says.
    own = isinstance(vars(errors).get(name), type)
    return last if own and last else f"{name}: {last}".rstrip(": ")


def _cleaned(node: NotebookNode) -> NotebookNode:
    """Without papermill's and the kernel's marks, which hold times and this machine's paths."""
    parameters = node.metadata.get("papermill", {}).get("parameters", {})
    node.metadata.pop("papermill", None)
    node.metadata["evalkit"] = {"parameters": parameters}
    node.metadata.get("language_info", {}).pop("version", None)
    for cell in node.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
    for cell in node.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                output["text"] = _without_paths(output["text"])
    return node


def _without_paths(text: str) -> str:
    """A warning's text without the folders of this machine."""
    folders = {sys.prefix: "<python>", str(Path(evalkit.__file__).resolve().parent.parent): "<evalkit>"}
    for folder in sorted(folders, key=len, reverse=True):
        text = text.replace(folder, folders[folder])
    return text
