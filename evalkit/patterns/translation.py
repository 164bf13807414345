"""From a regular expression as people write it to RE2's source for folded text, and what stands at its edges."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import re2

from evalkit.folding import BACKTICK, fold_char

# Scripts that set no spaces between words: a word may begin and end anywhere in them.
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
WORDS = r"\pL\pM\pN"

# What a class of all scripts counts as beside a single character.
WIDE_SIZE = 10

_WORD = re2.compile(f"[{WORDS}]")
_UNSPACED = re2.compile(f"[{UNSPACED}]")
# RE2's own \w, \d and \s know ASCII alone; folded text holds no white space but single spaces.
_WIDE = {"w": f"[{WORDS}_]", "W": f"[^{WORDS}_]", "d": r"\pN", "D": r"\PN", "Z": r"\z"}
_BLANK = dict.fromkeys("stnrfvhR", " ")
# RE2 cannot subtract inside a set: all but letters, marks, numbers and the underscore, kind by kind.
_OTHERS = "\\pC\\pZ\\pS\\p{Pd}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{Po}\u203f\u2040\u2054"
_WIDE_IN_SET = {"w": f"{WORDS}_", "W": _OTHERS, "d": r"\pN", "D": r"\PN", "S": r"\S"}

_POINT = r"\\x\{[0-9A-Fa-f]{1,6}\}|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_NAMED = r"\\[pP](?:\{\^?\w+\}|\w)"
_TOKEN = re.compile(
    rf"""(?P<quote>\\Q(?:(?!\\E).)*(?:\\E)?)
    |(?P<point>{_POINT})
    |(?P<named>{_NAMED})
    |\\(?P<escape>.)
    |(?P<set>\[\^?\]?(?:\[:\^?\w+:\]|{_NAMED}|\\.|[^\]\\])*\])
    |(?P<lacking>\(\?(?:<?[=!]|[>\#|(&+]|P[=>]|R\)|\d+\)))
    |(?P<flags>\(\?[A-Za-z-]+\))
    |(?P<open>\((?:\?(?:[A-Za-z-]*:|P?<\w+>))?)
    |(?P<close>\))
    |(?P<repeat>(?:[*+?]|\{{\d+(?:,\d*)?\}}|\{{,\d+\}})[?+]?)
    |(?P<bar>\|)
    |(?P<edge>[\^$])
    |(?P<dot>\.)
    |(?P<run>[A-Za-z0-9]{{2,}}(?![*+?{{]))
    |(?P<char>\s+|.)""",
    re.VERBOSE | re.DOTALL,
)
_MEMBER = re.compile(rf"(?P<point>{_POINT})|(?P<named>{_NAMED}|\[:\^?\w+:\])|\\(?P<escape>.)|(?P<char>.)", re.DOTALL)
# A set that excludes these is a boundary of words that somebody wrote by hand.
_LETTERS = (r"\w", "a-z", "A-Z", r"\pL", r"\p{L", "[:al")
_LACKING = {
    "(?=": "looking ahead is not possible; write what follows into the alternative",
    "(?!": "looking ahead is not possible; write what must not count under `unless`",
    "(?<=": "looking behind is not possible; write what precedes into the alternative",
    "(?<!": "looking behind is not possible; negation is found by itself, write what else excludes a hit "
    "under `unless`",
    "(?>": "atomic groups are not needed, since matching takes linear time; write (?:…)",
    "(?#": "a comment inside is not possible; write a YAML comment (#) beside the alternative",
    "(?(": "a condition is not possible; write two alternatives",
    "(?|": "counting groups anew is not needed, since none is counted; write (?:…|…)",
}
_BACK = "pointing back at a group is not possible; write the words out, one alternative for each"


class Unreadable(ValueError):
    """An alternative that cannot be used; says what to write instead."""


class Part(NamedTuple):
    """A piece of an alternative: whether a word's character may stand `first` and `last` in it.

    `through` says whether what stands beyond it may be the edge instead, `empty` whether it may match no text.
    `size` is its number of characters with counted repetitions written out, a class such as \\w counting as many.
    """

    first: bool = False
    last: bool = False
    through: bool = True
    empty: bool = True
    size: int = 0

    def then(self, other: Part) -> Part:
        """This piece, followed by another."""
        return Part(
            self.first or (self.through and other.first),
            other.last or (other.through and self.last),
            self.through and other.through,
            self.empty and other.empty,
            self.size + other.size,
        )

    def either(self, other: Part | None) -> Part:
        """This piece or another in its place."""
        if other is None:
            return self
        flags = (mine or theirs for mine, theirs in zip(self[:4], other[:4], strict=True))
        return Part(*flags, size=self.size + other.size)

    def repeated(self, token: str) -> Part:
        """This piece with `*`, `?`, `{2,3}` or the like behind it."""
        most = max((int(number) for number in re.findall(r"\d+", token)), default=1)
        part = self._replace(size=self.size * max(most, 1))
        return part._replace(through=True, empty=True) if re.match(r"[*?]|\{0*[,}]", token) else part


_ZERO_WIDTH = Part()
_TEXT_EDGE = Part(through=False)


@lru_cache(maxsize=1 << 14)
def is_word(char: str) -> bool:
    """Whether a character continues a word: a letter, mark or number in a script that has spaces."""
    return bool(_WORD.fullmatch(char)) and not _UNSPACED.fullmatch(char)


def escaped(text: str) -> str:
    """RE2's source for a text as it stands."""
    return "".join(f"\\{c}" if c.isascii() and not c.isalnum() and c not in "_ " else c for c in text)


def translate(written: str) -> tuple[str, Part]:
    """RE2's source for a written alternative, folded and without capturing groups, and its edges.

    Raises Unreadable for what RE2 lacks.
    """
    pattern = BACKTICK.sub("'", "".join(c for c in written if c.isspace() or fold_char(c)).strip())
    pieces: list[str] = []
    # For each open group: its finished branches, the branch at work but for its last piece, and that piece.
    groups: list[tuple[Part | None, Part, Part]] = [(None, _ZERO_WIDTH, _ZERO_WIDTH)]
    for kind, token in tokens(pattern):
        branches, before, last = groups[-1]
        if kind == "open":
            pieces.append(token if token.endswith(":") else "(?:")
            groups.append((None, _ZERO_WIDTH, _ZERO_WIDTH))
        elif kind == "close" and len(groups) > 1:
            pieces.append(token)
            groups.pop()
            outer, earlier, latest = groups[-1]
            groups[-1] = (outer, earlier.then(latest), before.then(last).either(branches))
        elif kind == "bar":
            pieces.append(token)
            groups[-1] = (before.then(last).either(branches), _ZERO_WIDTH, _ZERO_WIDTH)
        elif kind == "repeat":
            if token.endswith("+") and len(token) > 1:
                raise Unreadable(
                    "possessive repetition is not needed, since matching takes linear time; drop the last +"
                )
            pieces.append(token.replace("{,", "{0,"))
            groups[-1] = (branches, before, last.repeated(token))
        else:
            source, part = _atom(kind, token)
            pieces.append(source)
            groups[-1] = (branches, before.then(last), part)
    if len(groups) > 1:
        raise Unreadable(r"opens a group that is never closed; write \( for the character itself")
    branches, before, last = groups[0]
    return unicodedata.normalize("NFC", "".join(pieces)), before.then(last).either(branches)


def tokens(pattern: str) -> Iterator[tuple[str, str]]:
    """The tokens of a regular expression, by their kind; a backslash before a character is left out of its token."""
    for token in _TOKEN.finditer(pattern):
        kind = token.lastgroup or ""
        if kind == "quote":
            inside = token[kind].removeprefix(r"\Q").removesuffix(r"\E")
            yield from (("text", char) for char in inside)
        else:
            yield kind, token[kind]


@lru_cache(maxsize=1 << 12)
def _atom(kind: str, token: str) -> tuple[str, Part]:
    if kind == "lacking":
        raise Unreadable(_LACKING.get(token, _LACKING.get(token[:3], _BACK)))
    if kind == "run":
        # Characters that fold to themselves, none of them repeated.
        return token, Part(first=True, last=True, through=False, empty=False, size=len(token))
    if kind == "flags":
        return token, _ZERO_WIDTH
    if kind == "edge":
        return token, _TEXT_EDGE
    if kind == "dot":
        return token, _one(word=True)
    if kind == "named":
        return token, _one(word=_names_words(token), size=WIDE_SIZE)
    if kind == "set":
        return _set(token)
    if kind == "escape":
        return _escape(token)
    if kind == "close":
        raise Unreadable(r"closes a group that was never opened; write \) for the character itself")
    if kind == "char" and token in "[\\":
        raise Unreadable(f"ends inside {token}…; write \\{token} for the character itself")
    return _text(_point(token) if kind == "point" else token)


def _escape(char: str) -> tuple[str, Part]:
    if char in "bB":
        return f"\\{char}", _ZERO_WIDTH
    if char in "AzZ":
        return _WIDE.get(char, f"\\{char}"), _TEXT_EDGE
    if char in "123456789":
        raise Unreadable(_BACK)
    if char == "C":
        raise Unreadable(r"\C may match half a character; write . for any character")
    if char in _WIDE:
        return _WIDE[char], _one(word=char in "wdD", size=WIDE_SIZE)
    if char in _BLANK:
        return " ", _one(word=False)
    if char.isascii() and char.isalnum():
        return f"\\{char}", _one(word=True)  # RE2 says whether it knows this one
    return _text(char)


def _text(char: str) -> tuple[str, Part]:
    folded = _folded(char)
    if not folded:
        return "", _ZERO_WIDTH
    source = escaped(folded) if len(folded) == 1 else f"(?:{escaped(folded)})"
    return source, Part(is_word(folded[0]), is_word(folded[-1]), through=False, empty=False, size=len(folded))


def _set(token: str) -> tuple[str, Part]:
    head = "[^" if token.startswith("[^") else "["
    inside = token[len(head) : -1]
    members: list[str] = []
    word = wide = False
    for member in _MEMBER.finditer(inside):
        escape = member["escape"] or ""
        if member["named"]:
            members.append(member["named"])
            word |= _names_words(member["named"])
            wide = True
        elif escape and escape in _WIDE_IN_SET:
            members.append(_WIDE_IN_SET[escape])
            word |= escape != "W"
            wide = True
        else:
            char = _point(member["point"]) if member["point"] else member["char"] or _BLANK.get(escape, escape)
            folded = _folded(char)
            if len(folded) > 1:
                raise Unreadable(f"{char} is {folded} once folded, too long for […]; write (?:…|{folded})")
            as_written = member["char"] is not None and char.isascii() and not char.isspace()
            members.append(char if as_written else escaped(folded))
            word |= any(map(is_word, folded))
    if not any(members):
        raise Unreadable("[…] holds no visible character; write those that may stand there")
    if head == "[^":
        word = not any(letters in inside for letters in _LETTERS)
    return f"{head}{''.join(members)}]", _one(word=word, size=WIDE_SIZE if wide else 1)


def _names_words(name: str) -> bool:
    # Punctuation, symbols, spaces and scripts without spaces are no words; what is not known is taken for one.
    return not re.match(
        r"\[:(?:punct|space|blank|cntrl)|\\p\{?(?:[PSZC]|Han|Hira|Kata|Thai|Lao|Khmer|Myan)|\\P\{?[LN]", name
    )


def _one(*, word: bool, size: int = 1) -> Part:
    return Part(word, word, through=False, empty=False, size=size)


def _folded(char: str) -> str:
    return " " if char.isspace() else fold_char(char)


def _point(token: str) -> str:
    number = int(token.lstrip("\\xuU").strip("{}"), 16)
    if number > 0x10FFFF:
        raise Unreadable(rf"{token} is no character; the last one is \x{{10FFFF}}")
    return chr(number)
