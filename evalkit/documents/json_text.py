"""JSON as RFC 8259 has it, and JSONL; without recursion, and with the line of every value."""

from __future__ import annotations

import re
from bisect import bisect_right
from json import JSONDecodeError
from json.decoder import scanstring
from typing import Any

from evalkit.documents.building import BREAK, Bad, Builder, real_number, short, storable, whole_number

_JSON_SPACE = re.compile(r"[ \t\n\r]*")
_JSON_WORD = re.compile(r"[-+.\w]*")
_JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_JSON_WORDS = {"null": None, "true": True, "false": False}


def read_json(text: str, first_line: int = 1) -> tuple[Any, int, Any]:
    """The value, its line, and the lines below it."""
    return _JsonReading(text, first_line).read()


def read_jsonl(text: str) -> tuple[Any, int, Any]:
    """The list of the lines' values, its line, and the lines below it; all bad lines at once."""
    values: list[Any] = []
    children: dict[Any, Any] = {}
    bad: list[Bad] = []
    for number, line in enumerate(BREAK.split(text), start=1):
        if not line.strip(" \t"):
            continue
        try:
            value, _, below = read_json(line, number)
        except Bad as fault:
            bad.append(fault)
            continue
        children[len(values)] = (number, below)
        values.append(value)
    if bad:
        raise Bad(bad[0].line, bad[0].message, bad[1:])
    if not values:
        raise Bad(1, "is empty")
    return values, 1, children


class _JsonReading:
    """One JSON text, read without recursion."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text, self.first_line = text, first_line
        self.starts = [found.end() for found in BREAK.finditer(text)]
        self.builder = Builder()
        self.closers: list[str] = []
        self.at = 0

    def read(self) -> tuple[Any, int, Any]:
        want, comma = "value", 0
        while True:
            self.at = _JSON_SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
            char = self.text[self.at : self.at + 1]
            closer = self.closers[-1] if self.closers else "none"
            if want == "end":
                if char:
                    raise self._bad("something follows the end of the JSON value; use a list, or .jsonl")
                return self.builder.result()
            if not char:
                opener = {"}": "{", "]": "["}.get(closer)
                if opener is None:
                    raise Bad(self.first_line, "is empty")
                raise Bad(self.builder.stack[-1].line, f"the {opener} is never closed")
            if char == closer and want in ("first", "next"):
                self.at += 1
                self.closers.pop()
                self.builder.close()
                want = self._after()
            elif want == "next":
                if char != ",":
                    raise self._bad(f"a ',' or {closer} is missing before {_shown(self._word())}")
                comma, want = self.at, "item"
                self.at += 1
            elif want == "colon":
                if char != ":":
                    raise self._bad(f"a ':' is missing before {_shown(self._word())}")
                want = "value"
                self.at += 1
            elif want == "item" and char in "]}":
                raise self._bad(f"a trailing comma before {char}; JSON allows none, remove it", comma)
            elif want != "value" and closer == "}":
                if char != '"':
                    raise self._bad(f"a key must be text in double quotes, and {_shown(self._word())} is not")
                line = self._line(self.at)
                self.builder.key(self._string(), line)
                want = "colon"
            else:
                want = self._value(char)

    def _value(self, char: str) -> str:
        line = self._line(self.at)
        if char == '"':
            self.builder.add(self._string(), line)
        elif char in "{[":
            self.builder.open({} if char == "{" else [], line)
            self.closers.append("}" if char == "{" else "]")
            self.at += 1
            return "first"
        else:
            word = self._word()
            self.builder.add(self._scalar(word), line)
            self.at += len(word)
        return self._after()

    def _scalar(self, word: str) -> Any:
        line = self._line(self.at)
        if word in _JSON_WORDS:
            return _JSON_WORDS[word]
        if number := _JSON_NUMBER.fullmatch(word):
            return real_number(word, line) if number.group(2) or number.group(3) else whole_number(word, line)
        if word.lstrip("+-").lower() in ("nan", "infinity", "inf"):
            raise self._bad(f"{word} is no number to compare with; write a finite one, or null")
        if word in ("/", "#"):
            raise self._bad("JSON has no comments; remove it")
        raise self._bad(f"{_shown(word)} is no JSON value; text stands in double quotes")

    def _after(self) -> str:
        return "next" if self.closers else "end"

    def _word(self) -> str:
        """The word at this place, or its one character where that can be in no word."""
        return _JSON_WORD.match(self.text, self.at).group() or self.text[self.at]  # type: ignore[union-attr]

    def _string(self) -> str:
        start = self.at
        try:
            text, self.at = scanstring(self.text, start + 1, True)
        except JSONDecodeError as error:
            if error.msg.startswith("Unterminated") or self.text[error.pos : error.pos + 1] in ("\n", "\r"):
                raise self._bad("the quotes that open here are not closed on this line", start) from None
            if error.msg.startswith("Invalid control"):
                code = ord(self.text[error.pos])
                message = f"text holds the character U+{code:04X}; write \\u{code:04x}"
                raise self._bad(message, error.pos) from None
            raise self._bad("an unknown escape; write \\\\ for a backslash", error.pos) from None
        return storable(text, self._line(start))

    def _line(self, at: int) -> int:
        return self.first_line + bisect_right(self.starts, at)

    def _bad(self, message: str, at: int | None = None) -> Bad:
        return Bad(self._line(self.at if at is None else at), message)


def _shown(word: str) -> str:
    return short(word) if word.isprintable() else f"U+{ord(word[0]):04X}"
