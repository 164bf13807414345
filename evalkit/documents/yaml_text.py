"""YAML 1.2 by its core schema: `no` stays a word and a date stays text. Tags are refused, `<<` merges."""

from __future__ import annotations

import io
import re
from typing import Any

from evalkit.documents.building import (
    MERGE,
    Bad,
    Builder,
    line_at,
    real_number,
    short,
    storable,
    whole_number,
)

MAX_ALIASED = 100_000

_NOT_YAML = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]")
# YAML 1.2 breaks no line at these three, ruamel.yaml does: noncharacters stand in, which _NOT_YAML refuses.
_HIDE_BREAKS = str.maketrans("\x85\u2028\u2029", "\ufdd0\ufdd1\ufdd2")
_SHOW_BREAKS = str.maketrans("\ufdd0\ufdd1\ufdd2", "\x85\u2028\u2029")

# What only one of the two reads as a sign, or where one of them is more lenient than the other.
_READ_APART = re.compile(
    "[\t\x85\u2028\u2029\ufeff]"
    r"|^%|^---|^\.\.\.|\A(?: *(?:#[^\n]*)?\r?\n)* *[&!|>]|(?<![^\s\[{,])[&!]\S* *\r?\n|[|>][-+0-9]* *\r?\n *\r?\n",
    re.MULTILINE,
)

_YAML_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_YAML_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_YAML_ZEROS = re.compile(r"[-+]?0[0-9]+")
_YAML_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_YAML_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

# ruamel.yaml's words; whether the fault lies where the construct began; what to tell people.
_YAML_PROBLEMS = (
    (r"found character '\t'", False, "tabs cannot indent YAML; use spaces"),
    ("that cannot start any token", False, "text cannot start with this character; put it in quotes"),
    ("found unexpected end of stream", True, "the quotes that open here are never closed"),
    (
        "mapping values are not",
        False,
        "a ':' does not fit here; put the text in quotes, or mend the indentation",
    ),
    ("could not find expected ':'", True, "neither a key with its ':' nor a part of the text above"),
    ("expected ',' or ']'", True, "the [ is never closed, or a ',' is missing in it"),
    ("expected ',' or '}'", True, "the { is never closed, or a ',' is missing in it"),
    ("expected <block end>", False, "the indentation fits none of the lines above"),
    ("sequence entries are not", False, "a list cannot start here; put each '- ' on a line of its own"),
    ("found unknown escape", False, r"an unknown escape in double quotes; write \\ for a backslash"),
    ("expected escape sequence", False, r"an unknown escape in double quotes; write \\ for a backslash"),
    ("found unexpected document separator", True, "the quotes that open here are never closed"),
    ("comment or a line break", False, "after | or > text starts on the next line; else put it in quotes"),
    ("chomping or indentation", False, "after | or > text starts on the next line; else put it in quotes"),
    ("expected the node content", False, "a value is missing here, or text needs quotes"),
    (
        "expected '<document start>'",
        False,
        "this stands outside the document; mend the indentation here or above",
    ),
    ("expected ' ', but found", False, "text cannot start with !; put it in quotes"),
    ("expected URI", False, "text cannot start with !; put it in quotes"),
    ("incompatible YAML", False, "is not YAML 1.2"),
    ("expected alphabetic or numeric", False, "text cannot start with * or &; put it in quotes"),
)


def read_yaml(text: str) -> tuple[Any, int, Any]:
    """The value, its line, and the lines below it."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    if strange := _NOT_YAML.search(text):
        line = line_at(text[: strange.start()])
        raise Bad(line, f"holds the character U+{ord(strange.group()):04X}; remove it")
    lines = max(1, line_at(text) - text.endswith(("\n", "\r")))
    reading = _YamlReading(lines, hides=any(char in text for char in "\x85\u2028\u2029"))
    if _is_plain(text) and (found := _read_fast(text, lines)) is not None:
        return found
    try:
        # ruamel.yaml keeps a snippet with every mark of a string; a stream spares that third of the time.
        stream = io.StringIO(text.translate(_HIDE_BREAKS) if reading.hides else text)
        for event in YAML(typ="safe", pure=True).parse(stream):
            reading.take(event)
    except YAMLError as error:
        raise _yaml_fault(error, reading) from None
    except (ValueError, OverflowError):
        raise Bad(reading.line, "an escape that stands for no character, near here") from None
    except AssertionError:  # how ruamel.yaml meets %YAML 1.3
        raise Bad(reading.line, "is not YAML 1.2") from None
    if reading.empty:
        raise Bad(1, "is empty")
    return reading.builder.result()


def _is_plain(text: str) -> bool:
    """Whether YAML 1.1 and 1.2 read a text alike: nothing in it that only one of them takes for a sign."""
    return not _READ_APART.search(text)


def _read_fast(text: str, lines: int) -> tuple[Any, int, Any] | None:
    """What libyaml's parser, thirty times as fast, makes of a text; None where there is any fault to be told."""
    import yaml

    reading = _YamlReading(lines, hides=False)
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            reading.take(event)
    except (yaml.YAMLError, Bad, ValueError, OverflowError, AttributeError):
        return None
    return None if reading.empty else reading.builder.result()


class _YamlReading:
    """Parsing events, taken one by one, as values of the YAML 1.2 core schema."""

    def __init__(self, lines: int, *, hides: bool) -> None:
        self.builder = Builder()
        self.empty = True
        self.line, self.lines, self.hides = 1, lines, hides
        self.quoted_on: int | None = None
        self._anchors: dict[str, tuple[Any, Any, int]] = {}
        self._open: list[tuple[str | None, int]] = []
        self._size = self._aliased = 0

    def take(self, event: Any) -> None:
        self.line = event.start_mark.line + 1
        self.quoted_on = None
        kind = type(event).__name__
        if kind == "ScalarEvent":
            self._scalar(event)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._refuse_tag(event.tag)
            self.builder.open({} if kind == "MappingStartEvent" else [], self.line)
            self.empty = False
            self._anchors.pop(event.anchor, None)
            self._open.append((event.anchor, self._size))
            self._size += 1
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            anchor, before = self._open.pop()
            value, children = self.builder.close()
            if anchor is not None:
                self._anchors[anchor] = (value, children, self._size - before)
        elif kind == "AliasEvent":
            self._alias(event.anchor)
        elif kind == "DocumentStartEvent" and self.builder.stack[0].container:
            raise Bad(self.line, "a second YAML document starts here; one file holds one")

    def _scalar(self, event: Any) -> None:
        text = event.value.translate(_SHOW_BREAKS) if self.hides else event.value
        plain = not event.style and event.tag is None
        if event.tag != "tag:yaml.org,2002:str":
            self._refuse_tag(event.tag)
        self.quoted_on = self.line if event.style in ("'", '"') else None
        self.empty = self.empty and plain and not text
        value = _yaml_value(text, self.line) if plain else storable(text, self.line)
        size = 1 + len(text) // 1000
        self._size += size
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, None, size)
        if plain and text == "<<" and self.builder.wants_key():
            self.builder.key(MERGE, self.line)
        else:
            self._place(value, None, text or "an empty key")

    def _alias(self, name: str) -> None:
        shown = "*" + short(name)
        if name not in self._anchors:
            if any(name == anchor for anchor, _ in self._open):
                raise Bad(self.line, f"{shown} stands inside what it repeats")
            raise Bad(self.line, f"{shown} repeats nothing; put text that starts with * in quotes")
        value, children, size = self._anchors[name]
        self._size += size
        self._aliased += size
        if self._aliased > MAX_ALIASED:
            raise Bad(self.line, f"aliases repeat more than {MAX_ALIASED:,} values")
        self._place(value, children, shown)

    def _place(self, value: Any, children: Any, shown: str) -> None:
        if not self.builder.wants_key():
            self.builder.add(value, self.line, children)
        elif isinstance(value, str):
            self.builder.key(value, self.line)
        else:
            raise Bad(self.line, f"a key must be text, and {short(shown)} is not; put it in quotes")

    def _refuse_tag(self, tag: str | None) -> None:
        if tag is not None:
            shown = short(tag.replace("tag:yaml.org,2002:", "!!"))
            raise Bad(self.line, f"the tag {shown} is not read; remove it, or put text that starts with ! in quotes")


def _yaml_value(text: str, line: int) -> Any:
    if text in _YAML_WORDS:
        return _YAML_WORDS[text]
    if text[0] not in "+-.0123456789":
        return storable(text, line)
    if _YAML_ZEROS.fullmatch(text):
        raise Bad(line, f"the number {short(text)} starts with 0; put it in quotes to keep its zeros")
    if _YAML_INT.fullmatch(text):
        return whole_number(text, line)
    if _YAML_FLOAT.fullmatch(text):
        return real_number(text, line)
    if _YAML_NOT_FINITE.fullmatch(text):
        raise Bad(line, f"{text} is no number to compare with; write a finite one, or put it in quotes")
    return storable(text, line)


def _yaml_fault(error: Any, reading: _YamlReading) -> Bad:
    problem = (getattr(error, "problem", None) or str(error)).translate(_SHOW_BREAKS)
    mark, began = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    line = min(mark.line + 1, reading.lines) if mark else reading.line
    if "but found '<scalar>'" in problem and reading.quoted_on:
        return Bad(reading.quoted_on, "text follows a closing quote; put the whole value in quotes")
    if "but found '<stream end>'" in problem:
        return Bad(reading.builder.stack[-1].line, "a [ or { is never closed")
    for words, at_beginning, message in _YAML_PROBLEMS:
        if words in problem:
            return Bad(began.line + 1 if at_beginning and began else line, message)
    return Bad(line, f"is not YAML: {short(problem)}")
