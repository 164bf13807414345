"""A file's bytes to a Document, or to the faults in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evalkit.documents.building import Bad, line_at
from evalkit.documents.json_text import read_json, read_jsonl
from evalkit.documents.yaml_text import read_yaml
from evalkit.errors import CaseError, Fault

MAX_BYTES = 10_000_000


@dataclass(frozen=True)
class Document:
    """A file as plain values (dict, list, str, int, float, bool, None), with the line of each.

    A JSONL file is the list of its lines' values. What an alias repeats has the lines of the original.
    """

    file: str
    value: Any
    _root: int = field(repr=False)
    _lines: dict[Any, Any] | None = field(repr=False)

    def line(self, path: Sequence[str | int] = ()) -> int:
        """The line, from 1, of the key or item at the end of `path`, or of its nearest ancestor that exists.

        Example: `document.line((0, "ticket", "body"))`.
        """
        line, children = self._root, self._lines
        for step in path:
            if not children or step not in children:
                break
            line, children = children[step]
        return line


def read(name: str, data: bytes) -> Document:
    """The document in `data`.

    Args:
        name: the file's name as messages show it; its suffix (.yaml, .yml, .json, .jsonl) says what it holds.
        data: the file's bytes: UTF-8 with or without a byte order mark, any line ends, 10 MB at most.

    Raises:
        CaseError: the file, the line and what is wrong there; for JSONL every bad line.
    """
    readers = {"yaml": read_yaml, "yml": read_yaml, "json": read_json, "jsonl": read_jsonl}
    suffix = name.rpartition(".")[2].lower()
    try:
        if suffix not in readers:
            raise Bad(1, "is none of .yaml, .yml, .json and .jsonl")
        return Document(name, *readers[suffix](_decoded(data)))
    except Bad as bad:
        raise CaseError([Fault(name, each.line, "", each.message) for each in (bad, *bad.more)]) from None


def _decoded(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise Bad(1, f"is larger than {MAX_BYTES // 1_000_000} MB; split it")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Bad(1, "is UTF-16, not UTF-8; save the file as UTF-8")
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        byte = error.object[error.start]
        raise Bad(line_at(before), f"the byte 0x{byte:02x} is not UTF-8; save the file as UTF-8") from None
