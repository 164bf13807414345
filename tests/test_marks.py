"""What is marked in an answer, and how a terminal shows it."""

from __future__ import annotations

import json
from dataclasses import replace

import talks
from handmade import run_of
from talks import agent, call, customer, mixed, run_with, slot, talk

from evalkit.marks import Mark, marks_in, marks_of, pieces
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


def test_marks_of_a_conversation_stand_in_the_message_in_which_they_were_found() -> None:
    eager = mixed().readings[1]
    found = {
        place: [(message.text[mark.start : mark.end], mark.kind) for mark in marks_in(eager.judgement, place)]
        for place, message in enumerate(eager.trial.messages)
    }
    assert {place: marks for place, marks in found.items() if marks} == {
        6: [("ruben@dry-dock.example", "leak")], 12: [("on its way", "claim")],
    }  # fmt: skip


def test_a_terminal_is_shown_a_conversation_with_its_calls_its_end_state_and_what_it_changed() -> None:
    run = mixed()
    said = lines(run.readings[1], plain, case=run.suite.by_id["refund-over-limit"])
    assert said[0] == "eager · refund-over-limit · trial 0 · completed · unfinished · -18 of 5 points · not passed"
    # What the agent was told is shown on demand alone.
    assert said[2] == "-- customer, turn 1 --"
    place = said.index("-- agent, turn 1 --")
    assert said[place + 1 : place + 5] == [
        "    > lookup_orders(order='88213')",
        '    < unknown tool: {"error": "there is no tool \'lookup_orders\'"}',
        "    > lookup_order(order='88213')",
        '    < {"customer": "C-1", "total": 412.0, "refunded": 0, "id": "88213"}',
    ]
    text = "\n".join(said)
    assert "«ruben@dry-dock.example»{leak: the email of customers/C-2, which is not this customer's}" in text
    assert "FAIL      -3  refunds within $100.00 – refunded $412.00 in 2 refunds [wrong action]" in text
    assert "DIFFERS ticket.status: expected 'escalated', was 'open'" in said
    assert "orders.88213.refunded: 0 → 412" in said
    good = lines(run.readings[0], plain, case=run.suite.by_id["refund-over-limit"])
    assert "ok      ticket.status: expected 'escalated', as expected" in good
    assert "You are support." in "\n".join(lines(run.readings[0], plain, prompt=True))


def test_a_conversation_as_json_holds_its_messages_outcome_and_both_states() -> None:
    run = mixed()
    found = json.loads(json.dumps(as_json(run.readings[1], run.suite.by_id["refund-over-limit"])))
    assert (found["outcome"], found["customer"]) == ("unfinished", "offline/customer")
    assert found["before"] == talks.START
    assert found["after"]["orders"]["88213"]["refunded"] == 412
    made = {"id": "call-lookup_orders", "name": "lookup_orders", "arguments": {"order": "88213"}}
    assert found["messages"][3] == {
        "role": "tool", "text": '{"error": "there is no tool \'lookup_orders\'"}', "tool_calls": [made],
        "fault": "unknown tool",
    }  # fmt: skip
    assert [(mark["message"], mark["kind"]) for mark in found["marks"]] == [(6, "leak"), (12, "claim")]
    assert {"field": "ticket.status", "expected": "escalated", "actual": "open", "as_expected": False} in found[
        "end_state"
    ]
    assert {"field": "orders.88213.refunded", "before": 0, "after": 412} in found["changes"]
    # Of a ticket these are empty.
    other = as_json(run.readings[2], run.suite.by_id["a-ticket"])
    assert (other["before"], other["after"], other["outcome"], other["end_state"]) == (None, None, "", [])


def test_what_a_tool_or_a_record_holds_cannot_drive_a_terminal() -> None:
    bad = "\x1b[2J\x07 gone \u202e txt\nFAIL all"
    trial = talk(
        slot("x"),
        customer(bad),
        call(bad, bad, x=bad),
        call("long", "w" * 5_000),
        agent(bad),
        after={"refunds_issued": [bad]},
    )
    run = run_with((slot("x"), replace(trial, reason=bad)))
    said = lines(run.readings[0], plain, case=run.suite.by_id["refund-over-limit"])
    assert not {"\x1b", "\x07", "\u202e"} & set("".join(said))
    # A result stands on one line, so that no line of it can pose as another.
    assert all("\n" not in line for line in said if line.startswith(("    ", "DIFFERS", "refunds_issued")))
    # 5,000 less the 1,000 that are shown.
    assert any(line.endswith("w … (4,000 more characters)") for line in said)
