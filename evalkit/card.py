"""The admin review card: how an answer to a ticket says where the ticket goes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from evalkit.folding import fold

# Markdown marks, quotes and table bars around a line of the card's head.
_MARKS = " \t*_`~\"'#>|\\"
_AROUND = _MARKS + ".,;!()[]"
_BULLET = re.compile(r"^(?:[-+\u2022]|\d{1,3}[.)])\s+")
_HEAD = re.compile(r"^(route|team)[*_`~\"']*\s?:[*_`~\"'\s]*(.*)$", re.IGNORECASE | re.ASCII)
_ROUTES = {"direct": "direct", "escalate": "escalate"}
_RULE = re.compile(r"^[-=\s]*$")
_FENCE = re.compile(r"^[>\s]*(?:`{3,}|~{3,})[^`]*$")
# A name of a team is a few words; a sentence behind `Team:` is the reply's.
_TEAM_WORDS = 6
_NO_TEAM = {"", "none", "no", "n/a", "na", "-", "unknown", "tbd", "nobody"}
# A line of the head is short, whatever marks stand around it.
_LINE_CHARS = 200

# Marks that a reader does not see: of emphasis and of code, and a link's target. Some stay: a bullet, which ends a
# clause; _ and ` inside a word or between spaces; and all that stands in a link's text. A pattern that begins with
# the very character that it looks for is found ten times as fast as others.
_UNSEEN = "\u200b"
_HIDDEN = {mark: _UNSEEN * len(mark) for mark in ("*", "_", "`", "~~")}
_LINK = re.compile(r"\[([^\[\]\n]{1,200})\]\(([^()\s]{1,500})\)")
_INDENTED_BULLET = re.compile(r"\n(?P<indent>[ \t]{1,20})\*(?=[ \t])")
_STAYING = {mark: re.compile(rf"{mark}(?:(?<=[^\W_]{mark})(?=[^\W_])|(?<!\S{mark})(?!\S))") for mark in "_`"}
# Noncharacters keep the places of the marks that stay; in a reply they stand for nothing.
_KEPT = {"*": "\ufdd0", "_": "\ufdd1", "`": "\ufdd2", "~": "\ufdd3"}
_KEEPING = str.maketrans(_KEPT)


@dataclass(frozen=True)
class Card:
    """What an answer says: the route, or why it is unreadable; the team; and the reply that the customer would read.

    `reply_start` is the reply's offset in the answer, `route_line` and `team_line` the (start, end) of the lines that
    decided.
    """

    route: Literal["direct", "escalate"] | None
    team: str | None
    reply: str
    reply_start: int
    route_line: tuple[int, int] | None = None
    team_line: tuple[int, int] | None = None
    reason: str = ""


def read_card(answer: str) -> Card:
    """The card that an answer holds.

    The head is all that stands before the first line of the reply: `ROUTE: direct|escalate`, `TEAM: name`, and blank
    lines, in any case and any Markdown. No route there, or two different ones, or two teams, is unreadable.
    """
    routes: dict[str, tuple[int, int]] = {}
    teams: dict[str, tuple[str, tuple[int, int]]] = {}
    position, fenced = 0, False
    for line in answer.splitlines(keepends=True):
        key, value = _read(line)
        place = (position, position + len(line.rstrip("\r\n")))
        if key == "route":
            routes.setdefault(value, place)
        elif key == "team":
            teams.setdefault(team_key(value), (value, place))
        elif key == "fence":
            fenced = True
        elif key != "blank":
            break
        position += len(line)
    reply = _without_closing_fence(answer[position:]) if fenced else answer[position:]
    named = [found for key, found in teams.items() if key not in _NO_TEAM]
    team, team_line = named[0] if named else (None, None)
    if len(routes) == 1 and len(named) < 2:
        route, place = next(iter(routes.items()))
        return Card(route, team, reply, position, place, team_line)  # type: ignore[arg-type]
    twice = "routes" if len(routes) > 1 else "teams"
    reason = f"two different {twice} stand before the reply" if routes else "no route stands before the reply"
    return Card(None, None if len(named) > 1 else team, reply, position, reason=reason)


def team_key(team: str) -> str:
    """The form in which teams are compared: folded, in lower case, without marks around it, 'the' and 'team'."""
    name = fold(team).text.casefold().strip(_AROUND)
    return name.removeprefix("the ").removesuffix(" team").removesuffix("-team").strip(_AROUND)


def _read(line: str) -> tuple[Literal["route", "team", "fence", "blank", "reply"], str]:
    """What a line is to a card's head, and the value that it gives."""
    if not line.strip():
        return "blank", ""
    if len(line) > _LINE_CHARS:
        return "reply", ""
    if _FENCE.match(line):
        return "fence", ""
    text = fold(line).text.strip(_MARKS)
    text = _BULLET.sub("", text).strip(_MARKS)
    if _RULE.match(text):
        return "blank", ""
    found = _HEAD.match(text)
    if found is None:
        return "reply", ""
    key, value = found[1].lower(), found[2].strip(_MARKS)
    if key == "route":
        return ("route", _ROUTES[value.lower()]) if value.lower() in _ROUTES else ("reply", "")
    return ("team", value) if len(value.split()) <= _TEAM_WORDS else ("reply", "")


def _without_closing_fence(reply: str) -> str:
    kept = reply.rstrip()
    last = kept.rfind("\n") + 1
    return kept[:last] if _FENCE.match(kept[last:]) else reply


def as_read(reply: str) -> str:
    """The reply as a customer sees it: Markdown's marks and link targets hidden, every other character in its place."""
    # Hidden marks are as many characters that folding drops, so that a hit keeps its place in the answer.
    marks = [mark for mark in _HIDDEN if mark in reply]
    if not marks and "](" not in reply:
        return reply
    text = f"\n{reply}"
    for kept in _KEPT.values():
        text = text.replace(kept, "\ufffd")
    if "](" in text:
        text = _without_targets(text)
    if "*" in marks:
        text = text.replace("\n* ", f"\n{_KEPT['*']} ").replace("\n*\t", f"\n{_KEPT['*']}\t")
        text = _INDENTED_BULLET.sub(rf"\n\g<indent>{_KEPT['*']}", text)
    for mark in marks:
        if mark in _STAYING:
            text = text.replace(mark * 2, _UNSEEN * 2)
            text = _STAYING[mark].sub(_KEPT[mark], text)
        text = text.replace(mark, _HIDDEN[mark])
    for mark, kept in _KEPT.items():
        text = text.replace(kept, mark)
    return text[1:]


def _without_targets(text: str) -> str:
    # Before a link, its text, its target, before the next one …; a link's text holds no line break.
    pieces = _LINK.split(text)
    pieces[2::3] = [_UNSEEN * (len(target) + len("]()")) for target in pieces[2::3]]
    if len(pieces) > 1:
        pieces[1::3] = [_UNSEEN + each for each in "\n".join(pieces[1::3]).translate(_KEEPING).split("\n")]
    return "".join(pieces)
