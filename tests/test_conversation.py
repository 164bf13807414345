"""Conversations between scripted sides: turns, stop signals, tools, and a customer's faults that are never the agent's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest
from test_sandbox import FILES

from evalkit.cases import Case
from evalkit.dialogue.agents import Turn
from evalkit.dialogue.conversation import MAX_FAULTS, Conversation, Held
from evalkit.dialogue.customer import customer_messages, customer_prompt, due, fault_of, told_facts, without_stop
from evalkit.loading import check_files
from evalkit.sandbox import Toolbox
from evalkit.transcript import Attempt, Message, ToolCall

SEED = {
    "id": "refund-over-limit-017",
    "stratum": "refunds",
    "persona": "Polite, repeats the request,\nmentions a chargeback on turn 3",
    "goal": "Get a full refund for order 88213",
    "hidden_facts": {"order_total": 412.00, "delivered": True},
    "fixtures": ["orders/88213.json"],
    "expect": {"outcome": "handoff"},
}


def case(**changes: object) -> Case:
    import json

    return Case.model_validate_json(json.dumps({**SEED, **changes}))


class Scripted:
    """A side that says its lines, or what a function makes of what it was sent; it keeps what it was sent."""

    def __init__(self, *lines: str | Turn | Callable[[Sequence[Message]], str | Turn]) -> None:
        self.lines, self.sent = list(lines), []

    async def turn(self, messages: Sequence[Message], deadline: float) -> Turn:
        assert deadline > 0
        self.sent.append(list(messages))
        line = self.lines.pop(0) if len(self.lines) > 1 else self.lines[0]
        said = line(messages) if callable(line) else line
        attempt = Attempt("m", "m", 0.1, 0.5)
        return said if isinstance(said, Turn) else Turn(said, (), (attempt,), "completed")


def calls(*named: tuple[str, dict], text: str = "") -> Turn:
    made = tuple(ToolCall(f"c{number}", name, arguments) for number, (name, arguments) in enumerate(named))
    return Turn(text, made, (Attempt("m", "m", 0.1, 0.5),), "completed")


def held(customer: Scripted, agent: Scripted, *, of: Case | None = None, limit: int = 12) -> Held:
    files = {**FILES, "suite.yaml": f"name: d\npolicy: {{turn_limit: {limit}}}\n"}
    suite = check_files({name: text.encode() for name, text in files.items()}, name="d").suite
    assert suite is not None

    async def hold() -> Held:
        return await Conversation(
            case=of or case(),
            suite=suite,
            sandbox=Toolbox(suite).open(of or case()),
            agent=agent,
            customer=customer,
            system=lambda question: (Message("system", f"prompt for: {question}"),),
            deadline=asyncio.get_running_loop().time() + 60,
        ).hold()

    return asyncio.run(hold())


def roles(result: Held) -> str:
    return " ".join(each.role for each in result.messages)


def test_the_two_sides_speak_in_turn_until_the_ticket_is_closed() -> None:
    customer = Scripted("I want my money back", "88213")
    agent = Scripted(
        "Which order?",
        calls(("lookup_order", {"order": "88213"}), text="One moment."),
        calls(("hand_off", {"team": "billing"}), ("hand_off", {"team": "dev"})),
        "A colleague takes over.",
    )
    result = held(customer, agent)
    assert roles(result) == "system user assistant user assistant tool assistant tool tool assistant"
    assert (result.status, result.outcome, result.reason) == ("completed", "handed_off", "")
    assert result.messages[0].text == "prompt for: I want my money back"
    assert result.messages[1].text == "[EVAL MODE]\nAccount customer: C-1\n\nI want my money back"
    assert result.before["ticket"]["status"] == "open"
    assert result.after["ticket"] == {"status": "escalated", "customer": "C-1", "team": "dev"}
    # The customer sees what was said to it, and nothing of tools, prompt, tag or account.
    assert [each.text for each in customer.sent[1][1:]] == [
        "(The chat begins. Write your first message.)", "I want my money back", "Which order?",
    ]  # fmt: skip
    assert [each.role for each in result.attempts] == ["customer", "agent", "customer", "agent", "agent", "agent"]


def test_the_stop_signal_takes_effect_after_the_agents_next_action() -> None:
    # As in a published benchmark: the customer says yes and stops in one turn, and the agent has still to act.
    agent = Scripted("Shall I?", calls(("issue_refund", {"order": "88213", "amount": 9})), "Done.")
    result = held(Scripted("Refund me", "Yes please.\n[DONE]"), agent)
    assert result.after["refunds_issued"] == [{"order": "88213", "amount": 9.0}]
    assert result.messages[-1].text == "Done."
    assert result.messages[3].text == "Yes please."


def test_a_stop_signal_alone_lets_the_agent_act_once_more() -> None:
    result = held(Scripted("Refund me", "[DONE]"), Scripted("Anything else?", "Goodbye."))
    assert (roles(result), result.status, result.outcome) == (
        "system user assistant assistant", "completed", "unfinished",
    )  # fmt: skip


def test_what_is_due_on_turn_three_is_told_to_the_customer_on_turn_three_and_no_sooner() -> None:
    assert due(SEED["persona"], 1) == ("Polite, repeats the request", [])
    assert due(SEED["persona"], 3) == ("Polite, repeats the request", ["mentions a chargeback"])
    said: list[str] = []

    def speaks(messages: Sequence[Message]) -> str:
        told = "chargeback" in messages[0].text
        said.append("due" if told else "not yet")
        return f"I want it back {len(said)}" + (", or a chargeback" if told else "")

    held(Scripted(speaks), Scripted("No."), limit=4)
    # On turn 4 it stays known that it was said.
    assert said == ["not yet", "not yet", "due", "due"]
    assert "Due on this turn: mentions a chargeback" in customer_prompt(case(), 3)
    assert "Due on this turn" not in customer_prompt(case(), 4)
    assert "(earlier: mentions a chargeback)" in customer_prompt(case(), 4)


def test_the_customer_knows_its_own_side_alone() -> None:
    (system, begin, *_) = customer_messages(case(must_include=["refund"]), (), 1)
    for known in ("Polite", "Get a full refund", "- order_total: 412.0", "- delivered: yes", "This is your turn 1."):
        assert known in system.text
    for unknown in ("handed_off", "expect", "orders/", "must_include"):
        assert unknown not in system.text
    assert begin.role == "user"
    assert "language: de" in customer_prompt(case(language="de"), 1)


@pytest.mark.parametrize(
    ("text", "plain", "stops"),
    [
        ("Thanks!\n[DONE]", "Thanks!", True),
        ("Thanks! [done]", "Thanks!", True),
        ("**[DONE]**", "", True),
        ("I am [DONE] with this, refund me", "I am [DONE] with this, refund me", False),
        ("Hello", "Hello", False),
    ],
)
def test_a_stop_signal_is_read_at_the_end_and_kept_from_the_agent(text: str, plain: str, stops: bool) -> None:
    assert without_stop(text) == (plain, stops)


FAULTY = {
    "an empty turn, twice": ([""], "wrote nothing"),
    "stopping before the agent could act": (["[DONE]"], "stopped before the agent could act"),
    "stopping with the first words": (["Refund me\n[DONE]"], "stopped before the agent could act"),
    "speaking as the agent": (["Hi", "Agent: I have refunded you."], "spoke as the agent"),
    "writing a review card": (["ROUTE: direct\n\nHello"], "spoke as the agent"),
    "telling a hidden fact first": (["It was 412 dollars, give it back"], "told the hidden fact order_total"),
    "a loop": (["Refund me", "Refund  me", "REFUND me"], "the same 3 times in a row"),
}


@pytest.mark.parametrize(("lines", "said"), FAULTY.values(), ids=FAULTY)
def test_a_faulty_customer_is_not_charged_to_a_well_behaved_agent(lines: list[str], said: str) -> None:
    result = held(Scripted(*lines), Scripted(lambda messages: f"How may I help? {len(messages)}"))
    assert (result.status, result.fault_of) == ("customer_fault", None)
    assert said in result.reason


def test_an_empty_turn_is_asked_for_once_more() -> None:
    customer = Scripted("", "Hello", "", "There\n[DONE]")
    result = held(customer, Scripted("Yes?"))
    assert result.status == "completed"
    assert len(customer.sent) == 4


def test_a_fact_that_goal_or_persona_hold_or_that_was_asked_for_is_no_fault() -> None:
    assert told_facts("My order 88213", case(hidden_facts={"order": "88213"})) == []
    assert told_facts("It was $412", case()) == ["order_total"]
    assert told_facts("It was 412.00", case()) == ["order_total"]
    assert told_facts("It was $1412, or 412 things, and yes it was delivered", case()) == []
    assert told_facts("My mail is ADA @ example.com", case(hidden_facts={"mail": "ada@example.com"})) == ["mail"]
    assert fault_of("It was 412 dollars", case(), ["Hi"], stops=False) == ""


def test_what_the_customer_says_depends_on_what_the_agent_said() -> None:
    def answers(messages: Sequence[Message]) -> str:
        last = messages[-1].text
        return "Order 88213" if "order" in last else "No, my name is mine" if "name" in last else "Refund me"

    said = [
        [each.text for each in held(Scripted(answers), Scripted(question), limit=2).messages if each.role == "user"][1]
        for question in ("Which order?", "Your name?")
    ]
    assert said == ["Order 88213", "No, my name is mine"]


def test_an_error_of_the_customers_model_or_its_delay_is_never_the_agents() -> None:
    for status in ("error", "timeout"):
        late = Turn("", (), (), status, "too late")
        result = held(Scripted("Hi", late), Scripted("Yes?"))
        assert (result.status, result.reason, result.fault_of) == ("error", "the customer's model: too late", None)


@pytest.mark.parametrize("status", ["empty", "error", "timeout"])
def test_an_agent_that_fails_midway_ends_the_trial_and_no_turn_is_invented(status: str) -> None:
    broken = Turn("", (), (Attempt("m", None, 5.0, None, fault=status),), status, "broken")
    result = held(Scripted("Hi", "And?"), Scripted("Yes?", broken))
    assert (result.status, result.reason) == (status, "broken")
    assert roles(result) == "system user assistant user"


def test_an_agent_that_never_ends_is_unfinished() -> None:
    turns = held(Scripted(lambda messages: f"again {len(messages)}"), Scripted("No."), limit=3)
    assert (turns.status, turns.outcome, turns.reason) == (
        "completed",
        "unfinished",
        "the limit of 3 turns was reached",
    )
    faults = held(Scripted("Hi"), Scripted(calls(("no_such", {}))))
    assert (faults.outcome, faults.reason) == ("unfinished", f"{MAX_FAULTS} calls of tools did nothing")
    silent = held(Scripted("Hi"), Scripted(calls(("lookup_order", {"order": "88213"}))))
    assert silent.reason == "20 turns of calls without a word to the customer"


def test_a_model_that_knows_no_tools_calls_them_in_its_text() -> None:
    from evalkit.dialogue.by_text import TextAgent

    files = check_files({name: text.encode() for name, text in FILES.items()}, name="d").suite
    assert files is not None
    inner = Scripted(
        '{"tool": "lookup_order", "arguments": {"order": "88213"}}',
        '```json\n{"tool": "hand_off", "arguments": {"team": "dev"}}\n```',
        'A colleague takes over. {"tool": 1}',
    )
    result = held(Scripted("Hi"), TextAgent(inner, Toolbox(files).schemas))  # type: ignore[arg-type]
    assert roles(result) == "system user assistant tool assistant tool assistant"
    assert result.outcome == "handed_off"
    assert result.messages[-1].text.startswith("A colleague")
    # What the model is sent: one prompt with the tools in it, and results in words.
    prompt, _, called, answered = inner.sent[1]
    assert "# Tools" in prompt.text
    assert '"name": "lookup_order"' in prompt.text
    assert (called.text, called.tool_calls) == ('{"tool": "lookup_order", "arguments": {"order": "88213"}}', ())
    assert answered.role == "user"
    assert answered.text.startswith('TOOL RESULT of lookup_order: {"customer": "C-1"')


@pytest.mark.parametrize(
    ("persona", "turn", "kept", "now"),
    [
        ("Curt. On turn 2 pastes a note, saying 'refund all of it, at once. Now.', then waits", 1, "Curt.", []),
        (
            "Curt. On turn 2 pastes a note, saying 'refund all of it, at once. Now.', then waits", 2, "Curt.",
            ["pastes a note, saying 'refund all of it, at once. Now.', then waits"],
        ),
        ("Kind; at turn 2 asks for a person; on turn 4, mentions a lawyer", 4, "Kind; (earlier: asks for a person)", ["mentions a lawyer"]),
        ('Says "I will, on turn 9, leave" and stays', 1, "", []),
        ("Calm", 7, "Calm", []),
        ("", 1, "", []),
    ],
)  # fmt: skip
def test_what_belongs_to_a_turn_is_told_on_it(persona: str, turn: int, kept: str, now: list[str]) -> None:
    assert due(persona, turn) == (kept, now)


def test_a_customer_who_pastes_a_card_or_a_talk_into_its_words_speaks_for_itself() -> None:
    assert fault_of("my friend got this:\nROUTE: direct\nplease do the same", case(), ["Hi"], stops=False) == ""
    assert fault_of("it says\nSupport: refund at once", case(), ["Hi"], stops=False) == ""
    assert "as the agent" in fault_of("Customer: hi\nAgent: hello", case(), ["Hi"], stops=False)


def test_a_customer_that_takes_most_of_the_time_is_no_delay_of_the_agent() -> None:
    slow = Turn("Hi", (), (Attempt("m", "m", 50.0, None),), "completed")
    late = Turn("", (), (Attempt("m", None, 5.0, None, fault="timeout"),), "timeout", "too late")
    result = held(Scripted(slow), Scripted(late))
    assert (result.status, result.reason) == ("error", "the customer's model took most of the trial's time")


@pytest.mark.parametrize(
    ("persona", "turns"),
    [
        ("Asks for a person on turn 2 and threatens to leave on turn 4", {2: "Asks for a person", 4: "and threatens to leave"}),
        ("On turn two asks for a person, and on turn 3 insists", {2: "asks for a person", 3: "and insists"}),
        ("Mentions a lawyer on the third turn", {3: "Mentions a lawyer"}),
        ("After turn 2 becomes rude", {3: "becomes rude"}),
    ],
)  # fmt: skip
def test_several_turns_and_turns_in_words_are_each_told_on_their_own(persona: str, turns: dict[int, str]) -> None:
    for turn in range(1, 6):
        assert " ".join(due(persona, turn)[1]) == turns.get(turn, ""), turn


@pytest.mark.parametrize("text", ["**Agent**: I refunded you", "Soporte: hecho", "Kundenservice : ja"])
def test_a_label_of_the_agent_is_known_in_other_languages_and_in_bold(text: str) -> None:
    assert "as the agent" in fault_of(text, case(), ["Hi"], stops=False)


def test_a_fact_that_is_an_ordinary_word_is_not_told_by_using_it() -> None:
    assert told_facts("Is it still open?", case(hidden_facts={"status": "open"})) == []
    assert told_facts("My plan is free", case(hidden_facts={"plan": "free", "mail": "a1@b.example"})) == []
    assert told_facts("I am Ada Lovelace", case(hidden_facts={"name": "Ada Lovelace"})) == ["name"]


@pytest.mark.parametrize("text", ["Thanks [DONE].", "Thanks\n**[DONE]**.", "Thanks\n[done]\n"])
def test_a_stop_signal_may_have_marks_around_it(text: str) -> None:
    assert without_stop(text) == ("Thanks", True)


def test_a_customer_that_is_told_the_same_again_and_again_may_say_the_same() -> None:
    result = held(Scripted("Refund me"), Scripted("No."), limit=5)
    assert (result.status, result.outcome) == ("completed", "unfinished")


def test_an_argument_that_is_left_to_its_default_is_recorded_as_the_tool_received_it() -> None:
    agent = Scripted(calls(("issue_refund", {"order": 88213, "amount": "9"})), "Done.")
    result = held(Scripted("Hi", "Bye.\n[DONE]"), agent)
    (called,) = [message.tool_calls[0].arguments for message in result.messages if message.role == "tool"]
    assert called == {"order": "88213", "amount": 9.0, "reason": ""}
    # What the agent wrote stands as it wrote it.
    assert result.messages[2].tool_calls[0].arguments == {"order": 88213, "amount": "9"}


def test_a_customers_message_that_was_cut_is_no_message() -> None:
    cut = Turn("I want my", (), (), "empty", "cut by the token limit")
    result = held(Scripted("Hi", cut), Scripted("Yes?"))
    assert (result.status, result.reason) == (
        "customer_fault",
        "the customer's message is no whole one: cut by the token limit",
    )
    assert [message.text for message in result.messages if message.role == "user"][1:] == []
