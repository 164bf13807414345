"""Cards quote hostile text: it stays text, and marks stand where they belong."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit import cards
from evalkit.transcript import Hit

HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)>"


class _Reader(HTMLParser):
    """The text of a document, its tags, and the text of its marks by class."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.text, self.tags, self.marks, self._open = "", [], [], []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "mark":
            self._open.append(dict(attrs)["class"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "mark":
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._open:
            self.marks.append((self._open[-1], data))


def card(**changes: object) -> cards.Card:
    given = {
        "candidate": "eager", "case": "billing-017", "trial": 2, "why": "It should have been escalated.",
        "subject": "Charged twice", "body": "I will dispute it.", "answer": "ROUTE: direct\n\nNo worries.",
    }  # fmt: skip
    return cards.disqualifying_answer(**(given | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["candidate", "case", "trial", "why", "subject", "body", "answer"])
def test_hostile_text_in_any_field_of_a_card_stays_text(field: str) -> None:
    read = _Reader(card(**{field: HOSTILE}).html)
    assert HOSTILE in read.text
    assert not {"script", "img"} & set(read.tags)


@pytest.mark.parametrize(
    "made",
    [
        cards.prose(HOSTILE),
        cards.headline(HOSTILE, "good", detail=HOSTILE),
        cards.watermark(HOSTILE),
        cards.stack([], empty=HOSTILE),
    ],
    ids=["prose", "headline", "watermark", "stack"],
)
def test_hostile_text_in_any_other_card_stays_text(made: cards.Card) -> None:
    read = _Reader(made.html)
    assert HOSTILE in read.text
    assert not {"script", "img"} & set(read.tags)


def test_the_line_of_the_route_is_marked_and_nothing_else() -> None:
    read = _Reader(card(answer="hm\nROUTE: direct\n\nNo worries.", route=(3, 16)).html)
    assert read.marks == [("ek-route", "ROUTE: direct")]


def test_hits_are_marked_but_negated_ones_are_not() -> None:
    answer = "No refund here. Your refund is on its way."
    hits = (Hit("refund", "refund", 3, 9, negated=True), Hit("refund", "refund", 21, 27))
    html = card(answer=answer, hits=hits).html
    assert _Reader(html).marks == [("ek-hit", "refund")]
    assert "Your <mark" in html
    assert 'title="found: refund"' in html


def test_overlapping_marks_are_cut_into_pieces_that_name_all_that_cover_them() -> None:
    # abcdef: route covers 0–4, the hit 2–6, so ab | cd | ef.
    read = _Reader(card(answer="abcdef", route=(0, 4), hits=[Hit("x", "x", 2, 6)]).html)
    assert read.marks == [("ek-route", "ab"), ("ek-hit ek-route", "cd"), ("ek-hit", "ef")]


def test_a_concept_with_quotes_in_its_name_does_not_leave_its_attribute() -> None:
    html = card(answer="abc", hits=[Hit('" onmouseover="alert(1)', "x", 0, 3)]).html
    assert 'onmouseover="alert' not in html


@given(
    answer=st.text(max_size=60),
    spans=st.lists(st.tuples(st.integers(-5, 70), st.integers(-5, 70)), max_size=5),
)
def test_marking_never_changes_the_text(answer: str, spans: list[tuple[int, int]]) -> None:
    marks = [cards._Mark(start, end, "ek-hit", "found") for start, end in spans]
    shown = _Reader(cards._marked(answer, marks)).text
    assert shown == (_Reader(cards.escaped(answer)).text or "(no answer)")


def test_characters_that_no_page_can_hold_are_replaced() -> None:
    # A lone surrogate cannot be written as UTF-8; NUL ends some parsers' reading.
    assert cards.escaped("a\ud83db\x00c\x1bd\n\te") == "a\ufffdb\ufffdc\ufffdd\n\te"
    cards.prose("\ud800").html.encode("utf-8")


def test_paragraphs_of_prose_are_parted_by_blank_lines() -> None:
    assert len(re.findall("<p ", cards.prose("One.\nStill one.\n\n\nTwo.").html)) == 2


def test_an_answer_that_never_came_is_said_to_be_missing() -> None:
    assert "(no answer)" in card(answer="").html


def test_a_tone_is_also_a_sign_for_those_who_see_no_colour() -> None:
    assert len({re.search(">(.)</span>", cards.headline("x", tone).html)[1] for tone in ("good", "warn", "bad")}) == 3
