"""Text as markup with all marks in it, each told apart by a sign, a line or words beside its colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalkit.cards import Card, escaped
from evalkit.marks import Mark, MarkKind, pieces

# What stands behind a mark, so that no reader depends on a colour.
_BEHIND: dict[MarkKind, str] = {"fact": "✓", "claim": "✗", "leak": "✗ leak", "negated": "only in a negation"}
_TITLES: dict[MarkKind, str] = {
    "fact": "fact found: {}",
    "claim": "false claim: {}",
    "leak": "leaked: {}",
    "negated": "{}; counts for nothing",
}
_LEGEND: tuple[tuple[MarkKind, str, str, bool], ...] = (
    ("route", "ROUTE: direct", "the line that was read as the route, right", True),
    ("route", "ROUTE: direct", "the same line, where another route is expected", False),
    ("fact", "drain holes", "a fact that was asked for", True),
    ("claim", "your refund is on its way", "a claim that must not be made", False),
    (
        "leak",
        "44 Chapel Rise",
        "what must not be told: another customer's, or a secret of the prompt",
        True,
    ),
    ("negated", "refund", "found, but denied: neither a fact nor a claim", True),
)


def marked(text: str, marks: Iterable[Mark], *, route_right: bool | None) -> str:
    """The text as markup with every mark in its place, its meaning as a title and its sign behind it.

    `route_right` is None where no route is expected.
    """
    shown, position = [], 0
    for piece in pieces(text, marks):
        position += len(piece.text)
        markup = escaped(piece.text)
        if piece.marks:
            markup = _piece(markup, piece.marks, route_right=route_right)
            markup += _behind(mark.kind for mark in piece.marks if min(mark.end, len(text)) == position)
        shown.append(markup)
    return "".join(shown)


def legend() -> Card:
    """What each mark means, drawn as it is in an answer."""
    items = "".join(
        f"<li>{_piece(escaped(text), [Mark(0, len(text), kind, text)], route_right=right)}"
        f"{_behind([kind])} <span>{escaped(meaning)}</span></li>"
        for kind, text, meaning, right in _LEGEND
    )
    return Card(f'<ul class="ek-marks">{items}</ul>')


def _piece(markup: str, marks: Sequence[Mark], *, route_right: bool | None) -> str:
    kinds = " ".join(dict.fromkeys(f"ek-m-{mark.kind}" for mark in marks))
    wrong = " ek-m-wrong" if any(mark.kind == "route" for mark in marks) and route_right is False else ""
    titles = "; ".join(dict.fromkeys(_title(mark, route_right=route_right) for mark in marks))
    return f'<mark class="{kinds}{wrong}" title="{escaped(titles)}">{markup}</mark>'


def _title(mark: Mark, *, route_right: bool | None) -> str:
    if mark.kind == "route":
        return f"route: {mark.said}" + {True: ", right", False: ", wrong", None: ""}[route_right]
    return _TITLES[mark.kind].format(mark.said)


def _behind(kinds: Iterable[MarkKind]) -> str:
    """The signs that stand behind a mark; drawn by the page's style, so that copied text is what was written."""
    return "".join(
        f'<span class="ek-behind ek-behind-{kind}" data-say="{_BEHIND[kind]}"></span>'
        for kind in dict.fromkeys(kinds)
        if kind in _BEHIND
    )
