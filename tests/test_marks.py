"""What is marked in an answer, and how a terminal shows it."""

from __future__ import annotations

from handmade import run_of

from evalkit.marks import Mark, marks_of, pieces
from evalkit.reader import as_json, lines, printable, readings

CASES = """
- id: A
  ticket: {body: May I have my money back?}
  expected_handling: direct
  must_include: [thirty days]
  must_not_include: [refund]
"""
PATTERNS = "thirty days: ['(30|thirty) days']\nrefund: ['refunds?', 'refund is sent']\n"


def plain(text: str, _: str) -> str:
    return text


def one(answer: str):
    run = run_of(CASES, {"x": {"A": [answer]}}, patterns=PATTERNS)
    (reading,) = readings(run, "A")
    return reading


def test_the_route_facts_claims_and_denied_hits_are_marked_where_they_stand() -> None:
    answer = "**ROUTE: direct**\n\n😀 You have 30 days. We cannot give a refund. Your refund is sent."
    marks = marks_of(one(answer).judgement)
    assert [(answer[mark.start : mark.end], mark.kind, mark.said) for mark in marks] == [
        ("**ROUTE: direct**", "route", "direct"),
        ("30 days", "fact", "thirty days"),
        ("refund", "negated", "refund (only in a negation)"),
        ("refund is sent", "claim", "refund"),
    ]


def test_overlapping_marks_cut_a_text_into_pieces_that_name_all_of_them() -> None:
    one, two = Mark(1, 4, "fact", "a"), Mark(3, 6, "claim", "b")
    assert [(piece.text, piece.marks) for piece in pieces("abcdef", [one, two])] == [
        ("a", ()), ("bc", (one,)), ("d", (one, two)), ("ef", (two,)),
    ]  # fmt: skip
    assert "".join(piece.text for piece in pieces("abc", [])) == "abc"
    assert pieces("", [one]) == []
    # A mark that reaches beyond the text is cut at its end.
    assert [piece.marks for piece in pieces("abcd", [Mark(3, 99, "claim", "b")])] == [(), (Mark(3, 4, "claim", "b"),)]


def test_a_terminal_is_shown_the_marks_and_each_check() -> None:
    said = "\n".join(lines(one("ROUTE: direct\n\nYour refund is sent."), plain))
    assert "«ROUTE: direct»{route: direct}" in said
    assert "Your «refund is sent»{claim: refund}." in said
    # −1 for the fact, −2 for the claim, +2 for the route, of 1 + 2.
    assert "-1 of 3 points · not passed" in said
    assert "FAIL      -1  must include: thirty days – not said [wrong answer]" in said
    assert "pass      +2  route: direct" in said


def test_what_a_model_wrote_cannot_drive_a_terminal() -> None:
    said = "\n".join(lines(one("ROUTE: direct\n\n\x1b[2J\x07 gone \u202e txt"), plain))
    assert not {"\x1b", "\x07", "\u202e"} & set(said)
    assert printable("a\r\nb\tc\x00") == "a\nb\tc\ufffd"


def test_a_slot_that_was_not_played_says_so() -> None:
    run = run_of(CASES, {"x": {"A": [None]}}, patterns=PATTERNS)
    (reading,) = readings(run, "A")
    assert lines(reading, plain)[-1] == "not played"
    assert as_json(reading)["status"] == "not_run"
