"""What a text must hold for an alternative to stand in it: words, each whole, and how near to each other."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import re2

from evalkit.patterns.branches import branches

# Words are of ASCII letters and digits, in lower case. All else that a text holds parts them, and is a blank here.
_LETTERS = string.ascii_lowercase + string.digits
_BLANK = " "
# Any text, or none: in the place of what can be written in more ways than these.
_ANY = "\0"
_MOST_LETTERS = 12
_MOST_WAYS = 4_096

_TIMES = re.compile(r"\{(\d+)(,?)(\d*)\}")
_ENDLESS = 1 << 20
_LOOSE = re.compile(f"{_ANY}[^{_BLANK}]*{_ANY}")
# What names more characters than those that it shows.
_OPEN = re.compile(r"\[\^|\\[A-Za-z]|\[:|[^\x00-\x7f]")


class Ways(NamedTuple):
    """What a piece can be written with: any of the `words`, or all words of any of the `phrases`."""

    words: frozenset[bytes]
    phrases: tuple[frozenset[bytes], ...]

    def all(self) -> frozenset[bytes]:
        """All the words, each once."""
        return self.words.union(*self.phrases)


class Need(NamedTuple):
    """What a branch of an alternative needs: of each choice a way, and not more than so many spaces in all of it."""

    choices: tuple[Ways, ...]
    spaces: int


class _Part(NamedTuple):
    """A part of an alternative: the ways to write it, of words and blanks, and how many spaces it holds at most.

    `single` says that it is one character.
    """

    ways: frozenset[str]
    spaces: int = 0
    single: bool = False


_NOTHING, _ANYTHING = _Part(frozenset({""})), _Part(frozenset({_ANY}))


def needs(source: str, *, left: bool, right: bool) -> list[Need]:
    """What RE2 `source` for folded text needs, branch by branch: where it stands, one of them has what it needs.

    `left` and `right` say whether a word must begin or end there.
    """
    before, behind = [_ANYTHING] * (not left), [_ANYTHING] * (not right)
    return [_need([*before, *branch, *behind]) for branch in branches(source, _part, _group, _repeated)]


def _part(kind: str, token: str) -> _Part:
    """The part that a token makes."""
    if kind in ("dot", "named", "set"):
        return _class(token)
    if kind in ("flags", "edge") or (kind == "escape" and token in "bBAz"):
        return _NOTHING
    if kind == "escape" and token.isalnum():
        return _class(f"\\{token}")
    return _Part(frozenset({_seen(token)}), token.count(" "))


def _seen(text: str) -> str:
    return "".join(char.lower() if char.isascii() and char.isalnum() else _BLANK for char in text)


@lru_cache(maxsize=1 << 10)
def _class(token: str) -> _Part:
    """A character of a class."""
    matches = re2.compile(f"(?i){token}").fullmatch
    ways = set(filter(matches, _LETTERS))
    if token[0] != "[" or _OPEN.search(token) or any(map(matches, f" {string.punctuation}")):
        ways.add(_BLANK)
    return _Part(
        frozenset(ways) if len(ways) <= _MOST_LETTERS else frozenset({_ANY}), int(bool(matches(" "))), single=True
    )


def _group(branches: list[list[_Part]]) -> _Part:
    ways = frozenset[str]().union(*map(_ways, branches))
    spaces = max(sum(part.spaces for part in branch) for branch in branches)
    return _Part(ways if len(ways) <= _MOST_WAYS else _blurred(ways), spaces)


def _repeated(part: _Part, token: str) -> _Part:
    times = _TIMES.match(token)
    if times:
        fewest = int(times[1])
        most = fewest if not times[2] else int(times[3] or _ENDLESS)
    else:
        fewest, most = int(token[0] == "+"), 1 if token[0] == "?" else _ENDLESS
    ways = part.ways if most == 1 or part.ways == {_BLANK} else _blurred(part.ways)
    # Folded text holds no two spaces in a row.
    spaces = part.spaces * ((most + 1) // 2 if part.single else most)
    return _Part(ways if fewest else ways | {""}, spaces)


def _blurred(ways: frozenset[str]) -> frozenset[str]:
    """One way in the place of many or of any number of them, blank at its rims if each of them is."""
    first = _BLANK if _all_blank(ways - {""}, 0) else ""
    last = _BLANK if _all_blank(ways - {""}, -1) else ""
    return frozenset({f"{first}{_ANY}{last}"}) | (ways & {""})


def _all_blank(ways: Iterable[str], rim: int, beyond: bool = True) -> bool:
    """Whether all ways have a blank at a rim, or nothing in them, and a blank beyond it."""
    return all(way[rim] == _BLANK if way else beyond for way in ways)


def _ways(parts: Iterable[_Part]) -> frozenset[str]:
    ways = frozenset({""})
    for part in parts:
        ways = frozenset(_tidy(before + behind) for before in ways for behind in part.ways)
        if len(ways) > _MOST_WAYS:
            ways = frozenset(map(_rims, ways))
        if len(ways) > _MOST_WAYS:
            ways = _blurred(ways)
    return ways


def _tidy(way: str) -> str:
    if "  " in way:
        way = way.replace("  ", " ")
    return _LOOSE.sub(_ANY, way) if way.count(_ANY) > 1 else way


def _rims(way: str) -> str:
    """A way without the words inside it, but for the first and the last."""
    first, *inside = way.split(_BLANK)
    return f"{first}{_BLANK}{inside[-1]}" if inside else first


def _need(parts: list[_Part]) -> Need:
    choices = filter(None, map(_words, _pieces(parts)))
    return Need(tuple(choices), sum(part.spaces for part in parts))


def _words(piece: list[_Part]) -> Ways | None:
    found = {
        frozenset(word.encode() for word in way.split(_BLANK) if word and _ANY not in word) for way in _ways(piece)
    }
    # Where one way asks for no word, the piece asks for nothing; and what asks for more than another does not count.
    if frozenset() in found:
        return None
    least = [way for way in found if not any(other < way for other in found)]
    return Ways(
        frozenset(word for way in least if len(way) == 1 for word in way), tuple(way for way in least if len(way) > 1)
    )


def _pieces(parts: list[_Part]) -> list[list[_Part]]:
    """The parts in pieces: there is a blank between one and the next, in whatever way they are written."""
    before, behind = [True], [True]
    for part in parts:
        before.append(_all_blank(part.ways, -1, before[-1]))
    for part in reversed(parts):
        behind.append(_all_blank(part.ways, 0, behind[-1]))
    pieces: list[list[_Part]] = []
    for part, blank in zip(parts, map(max, before, reversed(behind[1:])), strict=False):
        if blank or not pieces:
            pieces.append([])
        pieces[-1].append(part)
    return pieces
