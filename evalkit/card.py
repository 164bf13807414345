"""The admin review card: how an answer to a ticket says where the ticket goes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from evalkit.folding import fold

# Markdown marks, quotes and table bars around a line of the card's head.
_MARKS = re.compile(r"[*_`~\"'#>|\\]+")
_BULLET = re.compile(r"^(?:[-+\u2022]|\d{1,3}[.)])\s+")
_ROUTE = re.compile(r"^route\s?:\s?(direct|escalate)$", re.IGNORECASE)
_TEAM = re.compile(r"^team\s?:\s?(.{1,60})$", re.IGNORECASE)
_RULE = re.compile(r"^[-=\s]*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$")
# A head is two lines; whatever goes on for longer is a reply.
_HEAD_LINES = 40
_LINE_CHARS = 200


@dataclass(frozen=True)
class Card:
    """What an answer says: the route, or why it is unreadable; the team; and the reply that the customer would read.

    `reply_start` is the reply's offset in the answer, `route_line` the (start, end) of the line that decided.
    """

    route: Literal["direct", "escalate"] | None
    team: str | None
    reply: str
    reply_start: int
    route_line: tuple[int, int] | None = None
    reason: str = ""


def read_card(answer: str) -> Card:
    """The card that an answer holds.

    The head is all that stands before the first line of the reply: `ROUTE: direct|escalate`, `TEAM: name`, and blank
    lines, in any case and any Markdown. No route there, or two different ones, is unreadable.
    """
    routes: dict[str, tuple[int, int]] = {}
    team: str | None = None
    position, fenced = 0, False
    for line in islice(answer.splitlines(keepends=True), _HEAD_LINES):
        text = _plain(line)
        if found := _ROUTE.match(text):
            routes.setdefault(found[1].lower(), (position, position + len(line.rstrip("\r\n"))))
        elif team is None and (named := _TEAM.match(text)):
            team = named[1].strip(" .") or None
        elif _FENCE.match(line):
            fenced = True
        elif not _RULE.match(text):
            break
        position += len(line)
    reply = _without_closing_fence(answer[position:]) if fenced else answer[position:]
    if len(routes) == 1:
        route, place = next(iter(routes.items()))
        return Card(route, team, reply, position, place)  # type: ignore[arg-type]
    reason = "two different routes stand before the reply" if routes else "no route stands before the reply"
    return Card(None, team, reply, position, None, reason)


def team_key(team: str) -> str:
    """The form in which teams are compared: folded, in lower case, without a closing 'team'."""
    return fold(team).text.casefold().removesuffix(" team").strip()


def _plain(line: str) -> str:
    # A long line is never a line of the head; its start is enough to tell.
    text = _MARKS.sub("", fold(line[:_LINE_CHARS]).text).strip()
    return _BULLET.sub("", text).strip()


def _without_closing_fence(reply: str) -> str:
    kept = reply.rstrip()
    last = kept.rfind("\n") + 1
    return kept[:last] if _FENCE.match(kept[last:]) else reply
