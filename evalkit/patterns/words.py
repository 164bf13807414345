"""What a text must hold for an alternative to stand in it: words, each whole, and how near to each other."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import re2

from evalkit.patterns.translation import tokens

# Words are of ASCII letters and digits, in lower case. Whatever else a text holds stands between them: here a blank.
_LETTERS = string.ascii_lowercase + string.digits
_BLANK = " "
# In what can be written in too many ways: any text, or none.
_ANY = "\0"
_MOST_WAYS, _MOST_LETTERS = 4_096, 12
# More choices than this tell a text with one of them from others no more; asking for them takes its time.
_MOST_CHOICES = 400

_TIMES = re.compile(r"\{(\d+)(,?)(\d*)\}")
_ENDLESS = 1 << 20
_LOOSE = re.compile(f"{_ANY}[^{_BLANK}]*{_ANY}")

# Of several ways to write a part one is chosen, and all words of it are needed.
Choice = frozenset[frozenset[str]]


class Need(NamedTuple):
    """What a branch of an alternative needs: one of each of the choices, with so many spaces at most in all of it."""

    choices: tuple[Choice, ...]
    spaces: int


class _Part(NamedTuple):
    """A part of an alternative: the ways to write it, in words and blanks, and the spaces that it holds at most."""

    ways: frozenset[str]
    spaces: float = 0


def needs(source: str) -> list[Need]:
    """What RE2 `source` for folded text needs, branch by branch; it stands where the need of one of them is met."""
    return [_need(branch) for branch in _Reader(source).branches()]


class _Reader:
    """Reads a source from left to right."""

    def __init__(self, source: str) -> None:
        self._tokens = list(tokens(source))[::-1]

    def branches(self) -> list[list[_Part]]:
        """The branches that follow, up to the end of the group that was opened last."""
        branches: list[list[_Part]] = [[]]
        while self._tokens:
            kind, token = self._tokens.pop()
            if kind == "close":
                break
            if kind == "bar":
                branches.append([])
            elif kind == "open":
                branches[-1].append(_group(self.branches()))
            elif kind == "repeat" and branches[-1]:
                branches[-1].append(_repeated(branches[-1].pop(), token))
            elif kind == "escape":
                # \b, \A and the like match no text; another letter behind a backslash is a class.
                if token not in "bBAz":
                    branches[-1].append(_class(f"\\{token}"))
            elif kind in ("dot", "named", "set"):
                branches[-1].append(_class(token))
            elif kind not in ("flags", "edge"):
                branches[-1].append(_Part(frozenset({_seen(token)}), token.count(" ")))
        return branches


def _seen(text: str) -> str:
    return "".join(char if char in _LETTERS else _BLANK for char in text.lower())


@lru_cache(maxsize=1 << 10)
def _class(token: str) -> _Part:
    """A character of a class."""
    matches = re2.compile(f"(?i){token}").fullmatch
    letters = frozenset(filter(matches, _LETTERS))
    # Of characters beside ASCII it may match some that are not tried here.
    others = token[0] != "[" or not token.isascii() or bool(re.search(r"\^|\\[a-zA-Z]|\[:", token))
    others = others or any(map(matches, map(chr, range(0x20, 0x7F))) if False else (matches(c) for c in string.punctuation + " "))
    ways = letters | {_BLANK} if others else letters
    return _Part(ways if len(ways) <= _MOST_LETTERS else frozenset({_ANY}), int(bool(matches(" "))))


def _group(branches: list[list[_Part]]) -> _Part:
    ways = frozenset[str]().union(*map(_ways, branches))
    return _Part(
        ways if len(ways) <= _MOST_WAYS else _blurred(ways),
        max(sum(part.spaces for part in branch) for branch in branches),
    )


def _repeated(part: _Part, token: str) -> _Part:
    times = _TIMES.match(token)
    if times:
        fewest = int(times[1])
        most = fewest if not times[2] else int(times[3] or _ENDLESS)
    else:
        fewest, most = int(token[0] == "+"), 1 if token[0] == "?" else _ENDLESS
    ways = part.ways if most == 1 or part.ways == {_BLANK} else _blurred(part.ways)
    return _Part(ways if fewest else ways | {""}, part.spaces * most)


def _blurred(ways: Iterable[str]) -> frozenset[str]:
    """One way in place of many or of their repetitions, or two where nothing is one of them: their rims stay blank."""
    written = [way for way in ways if way]
    first = _BLANK if all(way[0] == _BLANK for way in written) else ""
    last = _BLANK if all(way[-1] == _BLANK for way in written) else ""
    return frozenset({f"{first}{_ANY}{last}", *({""} if "" in ways else ())})


def _ways(parts: Iterable[_Part]) -> frozenset[str]:
    ways = frozenset({""})
    for part in parts:
        ways = frozenset(_tidy(before + behind) for before in ways for behind in part.ways)
        if len(ways) > _MOST_WAYS:
            ways = _blurred(ways)
    return ways


def _tidy(way: str) -> str:
    if "  " in way:
        way = way.replace("  ", " ")
    return _LOOSE.sub(_ANY, way) if way.count(_ANY) > 1 else way


def _need(parts: list[_Part]) -> Need:
    choices = filter(None, map(_choice, _stretches(parts)))
    spaces = sum(part.spaces for part in parts)
    return Need(tuple(sorted(choices, key=len)), ceil(min(spaces, _ENDLESS)))


def _choice(parts: list[_Part]) -> Choice | None:
    """The words of each way to write the parts, between blanks; None where one of them needs no word."""
    found: set[frozenset[str]] = set()
    for way in _ways(parts):
        found.add(frozenset(word for word in way.split(_BLANK) if word and _ANY not in word))
    if frozenset() in found:
        return None
    # What needs more than another one needs nothing of its own.
    return frozenset(each for each in found if not any(other < each for other in found)) if len(found) <= _MOST_CHOICES or True else None


def _stretches(parts: list[_Part]) -> list[list[_Part]]:
    """The parts in stretches between which there is a blank, however they are written."""
    ends = [True]
    for part in parts:
        ends.append(_always(part.ways, -1, ends[-1]))
    begins = [True]
    for part in reversed(parts):
        begins.append(_always(part.ways, 0, begins[-1]))
    begins.reverse()
    stretches: list[list[_Part]] = []
    for place, part in enumerate(parts):
        if not stretches or ends[place] or begins[place]:
            stretches.append([])
        stretches[-1].append(part)
    return stretches


def _always(ways: frozenset[str], rim: int, beyond: bool) -> bool:
    return all(way[rim] == _BLANK if way else beyond for way in ways)
