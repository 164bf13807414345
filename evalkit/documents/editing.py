"""An item added to a list in a YAML text, whose comments and order stay."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from evalkit.documents.files import MAX_BYTES, read
from evalkit.errors import CaseError, Fault

# No line is folded that was not folded by hand.
_WIDTH = 1_000_000
_EMPTY = re.compile(r"^\[[ ]*\][ \t]*\n?", re.MULTILINE)


def is_blank(data: bytes) -> bool:
    """Whether a YAML file holds nothing but comments and blank lines: a list that nobody has written to yet."""
    lines = data.removeprefix(b"\xef\xbb\xbf").splitlines()
    return all(not line.strip() or line.lstrip().startswith(b"#") for line in lines)


def appended(name: str, text: str, path: Sequence[str | int], item: Mapping[str, str | date]) -> str:
    """The text with one more item at the end of the list that stands at `path`, and no other value changed.

    Args:
        name: the file's name, for messages and for what kind of file it is: .yaml or .yml.
        text: what the file holds; '' and comments alone are an empty list.
        path: keys and indexes from the root to the list, () for the root itself; a last key that is not there, or holds
            nothing, is made.
        item: a flat mapping.

    Raises CaseError where the text is faulty, or would be, or where it cannot be edited without another change.
    Example: `appended("q.yaml", "- {case: A}\\n", (), {"case": "B"})` is "- {case: A}\\n- case: B\\n".
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = _WIDTH
    yaml.allow_unicode = True
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    ends = "\r\n" if "\r\n" in text else "\n"
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        root = yaml.load(plain)
        if not root and not path:
            # An empty list may stand among comments, which no round trip keeps.
            around = _EMPTY.sub("", plain)
            written = around + "\n" * bool(around and not around.endswith("\n")) + _dumped(yaml, [_laid_out(item)])
        else:
            _append(root, path, item)
            written = _dumped(yaml, root)
    except (YAMLError, ValueError, AttributeError, LookupError, TypeError) as error:
        raise _refused(name, f"cannot be edited: {str(error).splitlines()[0][:200]}") from error
    edited = mark + written.replace("\n", ends)
    if len(edited.encode()) > MAX_BYTES:
        raise _refused(name, f"would be larger than {MAX_BYTES // 1_000_000} MB; take out what is done with")
    before = read(name, text.encode()).value if root is not None else []
    if read(name, edited.encode()).value != _expected(before, path, item):
        raise _refused(name, "cannot be edited without another change in it; write the entry by hand")
    return edited


def _append(root: Any, path: Sequence[str | int], item: Mapping[str, str | date]) -> None:
    if not path:
        root.append(_laid_out(item))
        return
    held = root
    for step in path[:-1]:
        held = held[step]
    # What stands below its parent, such as the heading of the next entry, stays below it.
    below = _cut_below(held)
    if not held.get(path[-1]):
        held[path[-1]] = type(root)()
    held[path[-1]].append(_laid_out(item, flow=True))
    if below:
        _put_below(held, below)


def _cut_below(node: Any) -> str:
    """The comments on the lines below a block of YAML, taken from it; ruamel.yaml hangs them on its last value."""
    holder, key, slot = _last(node)
    hung = holder.ca.items.get(key)
    token = hung[slot] if hung else None
    if token is None:
        return ""
    beside, _, below = ("", "", token.value) if token.start_mark.column == 0 else token.value.partition("\n")
    if beside:
        token.value = beside + "\n"
    else:
        hung[slot] = None
    return below.removeprefix("\n") if not beside else below


def _put_below(node: Any, comments: str) -> None:
    from ruamel.yaml.error import CommentMark
    from ruamel.yaml.tokens import CommentToken

    holder, key, slot = _last(node)
    hung = holder.ca.items.setdefault(key, [None] * 4)
    hung[slot] = CommentToken("\n" + comments, CommentMark(0), None)


def _last(node: Any) -> tuple[Any, Any, int]:
    """Where the last value of a block stands: its holder, its key or index there, and the place of its comment."""
    listed = isinstance(node, list)
    key = len(node) - 1 if listed else next(reversed(node))
    inner = node[key]
    if isinstance(inner, dict | list) and inner and not inner.fa.flow_style():
        return _last(inner)
    return node, key, 0 if listed else 2


def _laid_out(item: Mapping[str, str | date], *, flow: bool = False) -> Any:
    from ruamel.yaml.comments import CommentedMap
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    found = CommentedMap()
    for key, value in item.items():
        # All digits, and digits around an e, would be read as a number.
        risky = isinstance(value, str) and value[:1].isdigit()
        found[key] = DoubleQuotedScalarString(value) if risky else value
    if flow:
        found.fa.set_flow_style()
    return found


def _dumped(yaml: Any, value: Any) -> str:
    stream = io.StringIO()
    yaml.dump(value, stream)
    return stream.getvalue()


def _expected(before: Any, path: Sequence[str | int], item: Mapping[str, str | date]) -> Any:
    """The values that the edited text must hold."""
    # What an alias repeats is one value, which here is two.
    root = json.loads(json.dumps(before))
    held = root
    for step in path:
        if isinstance(step, str) and held.get(step) is None:
            held[step] = []
        held = held[step]
    held.append({key: value.isoformat() if isinstance(value, date) else value for key, value in item.items()})
    return root


def _refused(name: str, message: str) -> CaseError:
    return CaseError([Fault(name, None, "", message)])
