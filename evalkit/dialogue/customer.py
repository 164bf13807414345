"""The simulated customer: what the model that plays it is told, and the faults in its part, found by rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from evalkit.cases import Case
from evalkit.checks.leaks import leaves
from evalkit.checks.searched import Searched, Value, value_of
from evalkit.folding import fold
from evalkit.transcript import Message

STOP = "[DONE]"
BEGIN = "(The chat begins. Write your first message.)"
CUSTOMER_RULES = """\
You are a customer who writes to a company's support in a chat. You are not the support agent; never speak for it.
- Write one short message at a time, as a person types, and nothing else: no name in front, no notes, no quotes.
- Keep to your persona and pursue your goal. React to what the agent really said; answer what it asks.
- You know only what stands here. Tell a hidden fact only when the agent asks for it; invent no other facts.
- Never repeat a message word for word. Never write the agent's part, and never say that this is a test.
- When your goal is reached, or clearly will not be, or a person will take over, write your last message and then
  [DONE] on a line of its own."""

# "on turn 3", as a persona says when it does what.
_NUMBERS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TURN = re.compile(
    r"\b(?P<when>on|at|from|in|by|after)\s+(?:the\s+|your\s+|their\s+)?"
    rf"(?:turns?\s+(?P<number>\d{{1,2}}|{'|'.join(_WORDS)})|(?P<ordinal>{'|'.join(_NUMBERS)})\s+turn)\b",
    re.IGNORECASE,
)
# Where a persona's clauses part: at the end of a sentence or a line, and at commas; never inside a quotation.
_QUOTED = r"\"[^\"\n]*\"|\u201c[^\u201d\n]*\u201d|(?<![^\W_])'[^'\n]{8,}'(?![^\W_])"
_CLAUSE = re.compile(rf"{_QUOTED}|(?P<end>(?<=[.;!?])\s+|\n+)|(?P<comma>(?<=,)\s+)")
_STOP_LINE = re.compile(r"^\W*\[done\]\W*$", re.IGNORECASE | re.MULTILINE)
_STOP_END = re.compile(r"[*_`]*\[done\]\W*$", re.IGNORECASE)
_AS_AGENT = re.compile(
    r"^\W*(?:agent|support(?: agent| team)?|assistant|customer (?:service|support)|agente|asistente|assistente|soporte"
    r"|atendimento|assistenza|kunden(?:service|dienst)|mitarbeiter(?:in)?|medewerker|klantenservice|service client)"
    r"[\s*_]*:",
    re.IGNORECASE | re.MULTILINE,
)
_AS_CUSTOMER = re.compile(r"^\W*(?:customer|user|me)\s*:", re.IGNORECASE | re.MULTILINE)
_CARD = re.compile(r"\W*route\s*:\s*\W*(?:direct|escalate)\b", re.IGNORECASE)
_LOOP = 3
# A turn that stands within so many characters opens its clause: "and then on turn 2 asks".
_OPENING = 12


def due(persona: str, turn: int) -> tuple[str, list[str]]:
    """A persona without what is due on another turn than this, and what is due on this very turn.

    "Polite, mentions a chargeback on turn 3" is "Polite" before turn 3, and nothing of the chargeback is told. Where a
    clause begins with its turn, what follows it in the sentence belongs to it.
    """
    kept, now = [], []
    for clause in _clauses(persona):
        scheduled = _TURN.search(clause)
        plain = " ".join(_TURN.sub("", clause).split()).strip(" ,;.")
        if scheduled is None:
            kept.append(clause)
        elif _number(scheduled) == turn:
            now.append(plain)
        elif _number(scheduled) < turn:
            # What was done on its turn is done; it stays known, so that the part holds together.
            kept.append(f"(earlier: {plain})")
    return " ".join(kept).rstrip(" ,;"), now


def _number(scheduled: re.Match[str]) -> int:
    word = (scheduled["number"] or scheduled["ordinal"]).lower()
    names = _NUMBERS if scheduled["ordinal"] else _WORDS
    number = int(word) if word.isdecimal() else names.index(word) + 1
    return number + (scheduled["when"].lower() == "after")


def _turns_apart(clause: str) -> list[str]:
    """A clause with several turns in it, turn by turn: "asks on turn 2 and insists on turn 4" are two."""
    found = list(_TURN.finditer(clause))
    if len(found) < 2:
        return [clause]
    leads = found[0].start() <= _OPENING
    cuts = [each.start() for each in found[1:]] if leads else [each.end() for each in found[:-1]]
    return [clause[start:end].strip() for start, end in pairwise([0, *cuts, len(clause)])]


def _clauses(persona: str) -> list[str]:
    clauses: list[str] = []
    start, open_turn = 0, False
    cuts = [(cut.start(), cut.end(), cut.lastgroup) for cut in _CLAUSE.finditer(persona) if cut.lastgroup]
    for begin, end, kind in (*cuts, (len(persona), len(persona), "end")):
        *before, clause = _turns_apart(persona[start:begin].strip())
        clauses += before
        if open_turn and _TURN.search(clause) is None:
            clauses[-1] = f"{clauses[-1]} {clause}".strip()
        elif clause:
            clauses.append(clause)
            # "On turn 2, sends a note" and "on turn 2 sends a note, then waits"
            open_turn = bool(found := _TURN.search(clause)) and found.start() <= _OPENING
        open_turn = open_turn and kind == "comma"
        start = end
    return clauses


def customer_prompt(case: Case, turn: int) -> str:
    """The system message of the model that plays the customer, for its turn, counted from 1."""
    persona, now = due(case.persona or "", turn)
    facts = [f"- {name}: {_said(value)}" for name, value in case.hidden_facts.items()] or ["- none"]
    language = [] if case.language == "en" else [f"You write in this language: {case.language}."]
    return "\n".join(
        [
            *("# Your part", CUSTOMER_RULES, *language, "# Persona", persona or "An ordinary customer."),
            *("# Goal", (case.goal or "").strip(), "# Hidden facts (tell one only when asked for it)", *facts),
            *("# Turn", f"This is your turn {turn}.", *(f"Due on this turn: {each}" for each in now)),
        ]
    )


def customer_messages(case: Case, said: Sequence[Message], turn: int) -> tuple[Message, ...]:
    """What the customer's model is sent: its part, and the dialogue with its own words as the assistant's.

    `said` holds the words of both sides alone, the customer's as `user`; of tools the customer sees nothing.
    """
    swapped = [Message("assistant" if each.role == "user" else "user", each.text) for each in said]
    return (Message("system", customer_prompt(case, turn)), Message("user", BEGIN), *swapped)


def without_stop(text: str) -> tuple[str, bool]:
    """A customer's message without its stop signal, and whether it gave one."""
    plain, lines = _STOP_LINE.subn("", text)
    plain, ends = _STOP_END.subn("", plain)
    return plain.strip(), bool(lines or ends)


def fault_of(text: str, case: Case, earlier: Sequence[str], *, stops: bool, answers: Sequence[str] = ()) -> str:
    """What is wrong with a customer's message, '' where nothing is: a fault of its part, and never the agent's.

    `earlier` are its own messages before this one, and `answers` the agent's: who is told the same again and again may
    well say the same.
    """
    if stops and not earlier:
        return "the customer stopped before the agent could act"
    if not text and not stops:
        return "the customer's model wrote nothing"
    if _AS_AGENT.match(text) or _CARD.match(text) or (_AS_AGENT.search(text) and _AS_CUSTOMER.search(text)):
        return "the customer spoke as the agent"
    if not earlier and (told := told_facts(text, case)):
        return f"the customer's first message told the hidden fact {told[0]}"
    if _goes_round([*earlier, text], _LOOP) and not _goes_round(answers, _LOOP - 1):
        return f"the customer said the same {_LOOP} times in a row"
    return ""


def _goes_round(said: Sequence[str], times: int) -> bool:
    last = {fold(each).text.casefold() for each in said[-times:]}
    return len(said) >= times and len(last) == 1


def told_facts(text: str, case: Case) -> list[str]:
    """The hidden facts whose values stand in a text, though neither persona nor goal holds them.

    A value of less than four letters or digits tells nothing, but for an amount with its currency.
    """
    said, known = Searched(text), Searched(f"{case.persona or ''}\n{case.goal or ''}")
    return [
        name
        for name, fact in case.hidden_facts.items()
        if any(said.find(value) and not known.holds(value) for value in _telling(fact))
    ]


def _telling(fact: Any) -> Iterator[Value]:
    """The values of a fact that a message can hold only by telling it: a lone word, such as "open", is in any."""
    for leaf in leaves(fact):
        value = value_of(leaf)
        if value is not None and not (isinstance(leaf, str) and leaf.strip().isalpha()):
            yield value


def _said(value: Any) -> str:
    return "yes" if value is True else "no" if value is False else str(value)
