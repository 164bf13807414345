"""What a text must hold for an alternative to stand in it: its pieces, without the gaps between them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf, prod

from evalkit.patterns.branches import branches
from evalkit.patterns.translation import escaped

# What is taken for a boundary of words. A text that is looked through has to begin and end with one.
BOUNDARY = "[^0-9A-Za-z]"
# A piece can be written in so many ways: each of them is one more in the automaton of all pieces.
_MOST_WAYS = 128
# A shorter piece is looked for only where there is no longer one.
_FEW_CHARS = 4

_MEMBERS = re.compile(r"\[(?!\^)(?:\\[^0-9A-Za-z]|[^\\\[\]])+\]")
_ENDLESS = 1 << 20
_TIMES = re.compile(r"\{(\d+)(,?)(\d*)\}")

# A piece with its least number of characters, which tells how seldom it stands in a text.
Piece = tuple[int, str]


@dataclass(frozen=True)
class _Part:
    """A part of an alternative: its source, the fewest characters that it matches, and in how many ways.

    A gap can be written in any number of ways; `piece` is what even a gap cannot do without, if there is anything.
    """

    source: str
    least: int = 1
    ways: float = 1
    piece: Piece | None = None


def pieces(source: str, *, left: bool, right: bool) -> list[list[str]] | None:
    """The pieces of RE2 `source` for folded text, branch by branch, the longest first; None where a branch has none.

    Where the source is found, there stand all pieces of one branch. `left` and `right` say whether a word must begin
    or end there.
    """
    found = []
    for branch in branches(source, _part, _group, _repeated):
        longest, *others = sorted(_runs(branch, BOUNDARY if left else "", BOUNDARY if right else ""), reverse=True) or [
            None
        ]
        if longest is None:
            return None
        found.append([longest[1], *(piece for least, piece in others if least >= _FEW_CHARS)])
    return found


def _part(kind: str, token: str) -> _Part | None:
    """The part that a token makes; None where it matches no text."""
    if kind == "escape":
        # \b, \A and the like match no text; another letter behind a backslash is a class.
        return None if token in "bBAz" else _Part(f"\\{token}", ways=inf if token.isalnum() else 1)
    if kind in ("dot", "named") or (kind == "set" and not _MEMBERS.fullmatch(token)):
        return _Part(token, ways=inf)
    if kind == "run":
        return _Part(token, least=len(token))
    return None if kind in ("flags", "edge") else _Part(token if kind == "set" else escaped(token))


def _group(branches: list[list[_Part]]) -> _Part:
    return _Part(
        source=f"(?:{'|'.join(map(_joined, branches))})",
        least=min(sum(part.least for part in branch) for branch in branches),
        ways=sum(prod(part.ways for part in branch) for branch in branches),
        piece=_any_of([max(_runs(branch), default=None) for branch in branches]),
    )


def _any_of(found: list[Piece | None]) -> Piece | None:
    if None in found:
        return None
    return min(least for least, _ in found), f"(?:{'|'.join(source for _, source in found)})"


def _repeated(part: _Part, token: str) -> _Part:
    times = _TIMES.match(token)
    if times:
        fewest = int(times[1])
        most = fewest if not times[2] else int(times[3] or _ENDLESS)
    else:
        fewest, most = int(token[0] == "+"), 1 if token[0] == "?" else _ENDLESS
    ways = sum(part.ways**number for number in range(fewest, most + 1)) if most <= _MOST_WAYS else inf
    piece = part.piece or ((part.least, part.source) if part.ways <= _MOST_WAYS and part.least else None)
    return _Part(part.source + token, part.least * fewest, ways, piece if fewest else None)


def _runs(parts: list[_Part], left: str = "", right: str = "") -> list[Piece]:
    """The longest stretches of parts that can be written in few ways, and what the parts between cannot do without."""
    found: list[Piece] = []
    begin, ways = 0, 1.0
    for place, part in enumerate((*parts, _Part("", ways=inf))):
        if ways * part.ways <= _MOST_WAYS:
            ways *= part.ways
            continue
        run = parts[begin:place]
        if least := sum(each.least for each in run):
            before, behind = left if begin == 0 else "", right if place == len(parts) else ""
            found.append((least + bool(before) + bool(behind), f"{before}{_joined(run)}{behind}"))
        if part.piece and part.ways > _MOST_WAYS:
            found.append(part.piece)
        begin, ways = (place + 1, 1.0) if part.ways > _MOST_WAYS else (place, part.ways)
    return found


def _joined(parts: list[_Part]) -> str:
    return "".join(part.source for part in parts)
