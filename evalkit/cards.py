"""Cards: what a report says in boxes and sentences, with everything that is quoted in it escaped."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from evalkit.transcript import Hit

Tone = Literal["good", "warn", "bad"]

# A sign beside the colour, for those who do not see it and for print.
_SIGNS: dict[str, str] = {"good": "✓", "warn": "!", "bad": "✗"}


@dataclass(frozen=True)
class Card:
    """Markup that a notebook shows; made by this module's functions alone, which escape what they quote."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


@dataclass(frozen=True)
class _Mark:
    start: int
    end: int
    kind: str
    title: str


def prose(text: str) -> Card:
    """Paragraphs computed by code: blank lines part them, and nothing in them is markup."""
    paragraphs = [part for part in re.split(r"\n\s*\n", text.strip()) if part]
    return Card("".join(f'<p class="ek-prose" dir="auto">{escaped(part)}</p>' for part in paragraphs))


def headline(text: str, tone: Tone, detail: str = "") -> Card:
    """The answer of a page, large and first; `detail` says below it what it rests on."""
    sign = _SIGNS[tone]
    more = f'<p class="ek-detail">{escaped(detail)}</p>' if detail else ""
    return Card(
        f'<div class="ek-headline ek-{tone}"><span class="ek-sign" aria-hidden="true">{sign}</span>'
        f'<div><p class="ek-say">{escaped(text)}</p>{more}</div></div>'
    )


def watermark(text: str) -> Card:
    """The band that an incomplete run's page carries at its top, on screen and on every printed page."""
    return Card(f'<div class="ek-watermark" role="alert"><strong>INCOMPLETE</strong> {escaped(text)}</div>')


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
) -> Card:
    """The answer that disqualified a candidate, beside the ticket that it answered.

    `why` is the sentence that says what went wrong. `route` is the (start, end) of the route's line in
    `answer`; `hits` are patterns found, with offsets into `answer`. A negated hit, which counts for
    nothing, is not marked.
    """
    marks = [_Mark(hit.start, hit.end, "ek-hit", f"found: {hit.concept}") for hit in hits if not hit.negated]
    if route:
        marks.append(_Mark(*route, "ek-route", "the route that this answer chose"))
    return Card(
        f'<article class="ek-card"><header><p class="ek-why">{escaped(why)}</p>'
        f'<p class="ek-meta"><b dir="auto">{escaped(candidate)}</b> · case <code>{escaped(case)}</code> · '
        f"trial {escaped(str(trial))}</p></header>"
        f'<div class="ek-sides"><section><h4>The customer wrote</h4>'
        f'<p class="ek-subject" dir="auto">{escaped(subject)}</p>'
        f'<div class="ek-quote" dir="auto" tabindex="0">{escaped(body)}</div></section>'
        f"<section><h4>The candidate answered</h4>"
        f'<div class="ek-quote" dir="auto" tabindex="0">{_marked(answer, marks)}</div></section></div></article>'
    )


def stack(cards: Iterable[Card], empty: str) -> Card:
    """Cards one below the other; `empty` is said where there is none."""
    found = list(cards)
    return Card("".join(card.html for card in found)) if found else prose(empty)


def escaped(text: str) -> str:
    """`text` as markup that shows it; control characters and halves of characters become U+FFFD."""
    kept = "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t\r" else c for c in text)
    return html.escape(kept)


def _marked(text: str, marks: Sequence[_Mark]) -> str:
    # Marks may overlap: the text is cut wherever one begins or ends, and each piece names all that cover it.
    inside = [_Mark(max(0, m.start), min(len(text), m.end), m.kind, m.title) for m in marks]
    inside = [m for m in inside if m.start < m.end]
    cuts = sorted({0, len(text), *(m.start for m in inside), *(m.end for m in inside)})
    pieces = []
    for start, end in pairwise(cuts):
        piece = escaped(text[start:end])
        covering = [m for m in inside if m.start <= start and end <= m.end]
        if covering:
            kinds = " ".join(dict.fromkeys(m.kind for m in covering))
            titles = "; ".join(dict.fromkeys(m.title for m in covering))
            piece = f'<mark class="{kinds}" title="{escaped(titles)}">{piece}</mark>'
        pieces.append(piece)
    return "".join(pieces) or '<span class="ek-none">(no answer)</span>'
