"""JSON as models write it, found in the text around it: fenced, commented, with raw line breaks in its strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from evalkit.folding import fold

MAX_DEPTH = 100

# A brace that no key, closer or comment follows opens no object; one at the text's end may have been cut.
_OPENER = re.compile(r'\[|\{(?=[\s\ufeff\u200b]*+(?:["}/]|\Z))')
_GAP = re.compile(r"(?:[\s\ufeff\u200b]|(?://|#)[^\n]*(?:\n|\Z)|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/)*+")
_STRING = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)
_SCALAR = re.compile(r"(?:true|false|null|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?)")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CUT = re.compile(r'"|/\*|[\w.+-]*\Z')
_HALF = re.compile("[\ud800-\udfff]")
_WORDS = {"true": True, "false": False, "null": None}
# What an outline leaves out, and the closer behind it.
_ELIDED = re.compile(r"\s*+(?:\.{3}|\u2026)\s*+[\]}]")
# An opener that the text ends behind, with no string in between, as in a note "[1]: see [policy".
_STRAY = re.compile(r'[\[{][^"\[{:]{0,80}\Z')
# A key that is longer is none that is looked for.
_KEY_CHARS = 300


@dataclass(frozen=True)
class Number:
    """A number as it was written: 4.0 stays apart from 4, and both from true."""

    text: str


@dataclass
class Found:
    """A list or an object that stands in no other one, from `start` to `end` of the text.

    `state` is "broken" where it stops being JSON, "open" where the text ends inside it, "deep" where it is nested
    deeper than `MAX_DEPTH`; its `value` is then None. Keys are folded and in lower case: `keys` are all of them, and
    `doubled` is the first that one object holds twice with different values.
    """

    start: int
    end: int = 0
    value: Any = None
    state: Literal["whole", "broken", "open", "deep"] = "whole"
    doubled: str = ""
    keys: set[str] = field(default_factory=set)


def found_in(text: str) -> Iterator[Found]:
    """Every list and object of the text that stands in no other one, in time linear in its length.

    What is broken is left behind where it breaks, so that nothing is read twice. Python's recursion is not used.
    """
    at = 0
    while opener := _OPENER.search(text, at):
        found = _Reading(text, opener.start()).read()
        yield found
        if found.state in ("open", "deep"):
            return
        at = max(found.end, opener.end())


def is_elided(found: Found, text: str) -> bool:
    """Whether a list or an object breaks at an ellipsis that a closer follows: it is told of, not given."""
    return found.state == "broken" and _ELIDED.match(text, found.end) is not None


def is_stray(found: Found, text: str) -> bool:
    """Whether what the text ends inside is a lone bracket, and no object that was cut."""
    return found.state == "open" and not found.keys and _STRAY.match(text, found.start) is not None


class _Stop(Exception):
    """The text is no JSON from here on, or ends here."""


class _Reading:
    """One list or object, read without recursion."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.at = text, start
        self.found = Found(start)
        # What is open: each container with the key that waits for its value.
        self.stack: list[tuple[Any, str]] = []

    def read(self) -> Found:
        try:
            self.found.value = self._whole()
        except _Stop as stop:
            self.found.state = stop.args[0]
        self.found.end = self.at
        return self.found

    def _whole(self) -> Any:
        """The value, read token by token; after an opener or a comma a closer may follow."""
        self._open()
        while True:
            container, _ = self.stack[-1]
            if self._is_next("}" if isinstance(container, dict) else "]"):
                self.stack.pop()
                if not self.stack:
                    return container
                self._put(container)
                continue
            if isinstance(container, dict):
                key = _key(self._string())
                if not self._is_next(":"):
                    self._stop()
                self.found.keys.add(key)
                self.stack[-1] = (container, key)
            self._gap()
            if self.text[self.at : self.at + 1] in ("{", "["):
                self._open()
            else:
                self._put(self._scalar())

    def _open(self) -> None:
        if len(self.stack) == MAX_DEPTH:
            raise _Stop("deep")
        self.stack.append(({} if self.text[self.at] == "{" else [], ""))
        self.at += 1

    def _put(self, value: Any) -> None:
        """Gives a value to what is open, and reads on to its next item or to its closer."""
        container, key = self.stack[-1]
        if isinstance(container, list):
            container.append(value)
        else:
            if key in container and container[key] != value:
                self.found.doubled = self.found.doubled or key
            container[key] = value
        closer = "}" if isinstance(container, dict) else "]"
        if not self._is_next(",") and self.text[self.at : self.at + 1] != closer:
            self._stop()

    def _is_next(self, mark: str) -> bool:
        self._gap()
        if self.text.startswith(mark, self.at):
            self.at += 1
            return True
        return False

    def _gap(self) -> None:
        self.at = _GAP.match(self.text, self.at).end()  # type: ignore[union-attr]

    def _string(self) -> str:
        self._gap()
        found = _STRING.match(self.text, self.at)
        if found is None:
            self._stop()
        self.at = found.end()
        return _unescaped(found[1])

    def _scalar(self) -> Any:
        if self.text.startswith('"', self.at):
            return self._string()
        found = _SCALAR.match(self.text, self.at)
        if found is None:
            self._stop()
        self.at = found.end()
        return _WORDS[found[0]] if found[0] in _WORDS else Number(found[0])

    def _stop(self) -> NoReturn:
        # A string, a comment or a word that is never closed is cut; all else that is no token is no JSON.
        raise _Stop("open" if _CUT.match(self.text, self.at) else "broken")


def _key(text: str) -> str:
    return text if len(text) > _KEY_CHARS else fold(text).text.casefold()


def _unescaped(raw: str) -> str:
    text = _ESCAPE.sub(_escaped, raw) if "\\" in raw else raw
    # A character may be written as two halves; a half that is left has no place in a file.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _HALF.search(text) else text


def _escaped(found: re.Match[str]) -> str:
    sign = found[1]
    return chr(int(sign[1:], 16)) if len(sign) == 5 else _ESCAPES.get(sign, sign)
