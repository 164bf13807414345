"""Cards: what a report says in boxes and sentences, with everything that is quoted in it escaped."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from evalkit.marks import Mark as _Mark
from evalkit.marks import pieces
from evalkit.transcript import Hit

Tone = Literal["good", "warn", "bad"]

# A sign beside the colour, for those who do not see it and for print.
_SIGNS: dict[str, str] = {"good": "✓", "warn": "!", "bad": "✗"}
# An order other than the script's own, under which a sentence could be read as another one.
_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True)
class Card:
    """Markup that a notebook shows; made by this module's functions alone, which escape what they quote."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


@dataclass(frozen=True)
class Sign:
    """One sign of a grid's cell; `title` says it in words, for those who point at it or hear it."""

    text: str
    tone: Literal["good", "warn", "bad", "none"]
    title: str = ""


@dataclass(frozen=True)
class Line:
    """A line of a grid: what it is about, a word on it, and for each column its signs and what stands small below.

    `anchor` is the id, on the same page, of what its name leads to; '' where it leads nowhere.
    """

    name: str
    about: str
    cells: tuple[tuple[tuple[Sign, ...], str], ...]
    anchor: str = ""


@dataclass(frozen=True)
class Quote:
    """An answer in brief: its case, a word on it, the first line that the customer wrote and the first of the reply."""

    case: str
    about: str
    asked: str
    answered: str


def prose(text: str) -> Card:
    """Paragraphs computed by code: blank lines part them, and nothing in them is markup."""
    paragraphs = [part for part in re.split(r"\n\s*\n", text.strip()) if part]
    return Card("".join(f'<p class="ek-prose" dir="auto">{escaped(part)}</p>' for part in paragraphs))


def headline(text: str, tone: Tone | Literal["note"], detail: str = "", *, sign: str = "") -> Card:
    """The answer of a page, large and first; `detail` says below it what it rests on.

    A page that judges nobody has the tone "note", and a `sign` of its own.
    """
    shown = escaped(sign or _SIGNS[tone])
    more = f'<p class="ek-detail">{escaped(detail)}</p>' if detail else ""
    return Card(
        f'<div class="ek-headline ek-{tone}"><span class="ek-sign" aria-hidden="true">{shown}</span>'
        f'<div><p class="ek-say">{escaped(text)}</p>{more}</div></div>'
    )


def watermark(text: str, slots: Sequence[str] = (), more: int = 0) -> Card:
    """The band that an incomplete run's page carries at its top, on screen and on every printed page.

    `slots` name what is missing, a line each, folded away; `more` is the number of slots that no line names.
    """
    lines = "".join(f'<li dir="auto">{escaped(each)}</li>' for each in slots)
    rest = f"<p>and {more:,} more</p>" if more else ""
    named = f"<details><summary>The missing slots</summary><ul>{lines}</ul>{rest}</details>" if slots else ""
    return Card(f'<div class="ek-watermark" role="alert"><strong>INCOMPLETE</strong> {escaped(text)}{named}</div>')


def quarantine(text: str, entries: Sequence[str]) -> Card:
    """The band that names the must-pass cases in quarantine, a line each; they are on show and not folded away."""
    lines = "".join(f'<li dir="auto">{escaped(each)}</li>' for each in entries)
    return Card(
        f'<div class="ek-quarantine" role="note"><strong>QUARANTINE</strong> {escaped(text)}<ul>{lines}</ul></div>'
    )


def example_labels(text: str) -> Card:
    """The band above figures that rest on example labels, which nobody may decide by."""
    return Card(
        f'<div class="ek-watermark ek-example" role="alert"><strong>EXAMPLE LABELS</strong> {escaped(text)}</div>'
    )


def disqualifying_answer(
    *,
    candidate: str,
    case: str,
    trial: int | str,
    why: str,
    subject: str,
    body: str,
    answer: str,
    route: tuple[int, int] | None = None,
    hits: Sequence[Hit] = (),
    asked: str = "The customer wrote",
    answered: str = "The candidate answered",
) -> Card:
    """The answer that disqualified a candidate, beside the ticket that it answered.

    `why` is the sentence that says what went wrong; `asked` and `answered` head the two sides. `route` is the (start,
    end) of the route's line in `answer`; `hits` are patterns found, with offsets into `answer`. A negated hit, which
    counts for nothing, is not marked.
    """
    marks = [_Mark(hit.start, hit.end, "ek-hit", f"found: {hit.concept}") for hit in hits if not hit.negated]
    if route:
        marks.append(_Mark(*route, "ek-route", "the route that this answer chose"))
    return Card(
        f'<article class="ek-card"><header><p class="ek-why">{escaped(why)}</p>'
        f'<p class="ek-meta"><b dir="auto">{escaped(candidate)}</b> · case <code>{escaped(case)}</code> · '
        f"trial {escaped(str(trial))}</p></header>"
        f'<div class="ek-sides"><section><h4>{escaped(asked)}</h4>'
        f'<p class="ek-subject" dir="auto">{escaped(subject)}</p>'
        f'<div class="ek-quote" dir="auto" tabindex="0">{escaped(body)}</div></section>'
        f"<section><h4>{escaped(answered)}</h4>"
        f'<div class="ek-quote" dir="auto" tabindex="0">{_marked(answer, marks)}</div></section></div></article>'
    )


def grid(columns: Sequence[str], lines: Sequence[Line], *, corner: str, legend: str) -> Card:
    """A table of signs, a line a case and a column a candidate; on a narrow screen each line stands for itself.

    `corner` heads the lines' names, `legend` says below it what the signs mean. ValueError where a line has not one
    cell a column.
    """
    heads = "".join(f'<th scope="col" dir="auto">{escaped(name)}</th>' for name in columns)
    rows = "".join(
        f'<tr><th scope="row"><span class="ek-name" dir="auto">{_link(line.name, line.anchor)}</span>'
        f'<span class="ek-about" dir="auto">{escaped(line.about)}</span></th>'
        f"{''.join(_cell(name, *cell) for name, cell in zip(columns, line.cells, strict=True))}</tr>"
        for line in lines
    )
    return Card(
        f'<table class="ek-grid"><thead><tr><th scope="col">{escaped(corner)}</th>{heads}</tr></thead>'
        f'<tbody>{rows}</tbody></table><p class="ek-legend">{escaped(legend)}</p>'
    )


def _link(text: str, anchor: str) -> str:
    return f'<a href="#{escaped(anchor)}">{escaped(text)}</a>' if anchor else escaped(text)


def _cell(column: str, signs: Sequence[Sign], small: str) -> str:
    shown = "".join(
        f'<span class="ek-s ek-s-{sign.tone}" role="img" aria-label="{escaped(sign.title or sign.text)}" '
        f'title="{escaped(sign.title)}">{escaped(sign.text)}</span>'
        for sign in signs
    )
    below = f'<span class="ek-small">{escaped(small)}</span>' if small else ""
    return f'<td data-column="{escaped(column)}"><span class="ek-signs">{shown}</span>{below}</td>'


def quotes(title: str, found: Sequence[Quote], *, more: str = "") -> Card:
    """Answers in brief, below a heading; `more` says at the end how many are not shown."""
    items = "".join(
        f'<li><p class="ek-meta"><code>{escaped(each.case)}</code> · {escaped(each.about)}</p>'
        f'<p dir="auto"><span class="ek-who">The customer wrote</span> {escaped(each.asked)}</p>'
        f'<p dir="auto"><span class="ek-who">The candidate answered</span> {escaped(each.answered)}</p></li>'
        for each in found
    )
    rest = f'<p class="ek-meta">{escaped(more)}</p>' if more else ""
    return Card(f'<section class="ek-quotes"><h4 dir="auto">{escaped(title)}</h4><ul>{items}</ul>{rest}</section>')


def stack(cards: Iterable[Card], empty: str) -> Card:
    """Cards one below the other; `empty` is said where there is none."""
    found = list(cards)
    return Card("".join(card.html for card in found)) if found else prose(empty)


def brief(text: str, limit: int = 160) -> str:
    """`text` on one line and cut after `limit` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def escaped(text: str) -> str:
    """`text` as markup that shows it; U+FFFD stands in for what no page can hold or what would turn a line around.

    These are control characters, halves of characters, and the marks that override a script's own direction.
    """
    return html.escape("".join("\ufffd" if _unfit(char) else char for char in text))


def _unfit(char: str) -> bool:
    if char in _OVERRIDES:
        return True
    return unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t\r"


def _marked(text: str, marks: Sequence[_Mark]) -> str:
    shown = []
    for piece in pieces(text, marks):
        markup = escaped(piece.text)
        if piece.marks:
            kinds = " ".join(dict.fromkeys(mark.kind for mark in piece.marks))
            titles = "; ".join(dict.fromkeys(mark.said for mark in piece.marks))
            markup = f'<mark class="{kinds}" title="{escaped(titles)}">{markup}</mark>'
        shown.append(markup)
    return "".join(shown) or '<span class="ek-none">(no answer)</span>'
