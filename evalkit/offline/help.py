"""Answers from the help centre: sentences of what a search found, or of the articles in the prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from evalkit.offline.agent import facts, telling
from evalkit.offline.desk import Desk, Step
from evalkit.offline.intents import COMMAND, SOMEBODY_ELSE, Want, orders_in, says_no

_HEADING = "# Help-centre articles"
_LONGEST_QUERY = 300
_SHORT = 3
# Who wants to have a thing, and not to know one; and what an article says where nobody can have it.
_DEMANDS = re.compile(
    r"\b(?:want|like|need) (?:you )?to (?!find out|know|learn|ask|understand|check|be told|hear|see|sort)",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:do not|don't|does not|cannot|can't|no longer|not possible|never|nobody)\b", re.IGNORECASE)
_FIRST = 2


def question(desk: Desk, want: Want) -> Step:
    """An answer in sentences of the help centre; where nothing fits, the offer to pass it on."""
    if desk.asked("no_command") and COMMAND.search(want.sentence):
        return desk.refuse("no_command")
    if desk.asked("no_wish") and _DEMANDS.search(want.sentence):
        return desk.refuse("no_wish")
    if desk.asked("not_yours") and SOMEBODY_ELSE.search(want.sentence):
        return desk.refuse("not_yours")
    if not want.turn and desk.happens("hands_off_early"):
        return desk.early("community", "a question")
    if want.turn < len(desk.talk.customer) - 1:
        reply = desk.reply("not_found")
        if not reply or reply != desk.talk.customer[want.turn + 1]:
            return Step(done=True)
        return desk.refuse("not_found", team="") if says_no(reply) else desk.hand_off("community", "a question")
    if COMMAND.search(want.sentence):
        return desk.refuse("no_command")
    if desk.happens("checks_owner") and SOMEBODY_ELSE.search(want.sentence):
        return desk.refuse("not_yours")
    record = _asked_about(desk, want)
    if isinstance(record, Step):
        return record
    # Who says little of what they ask means what they asked before.
    first = desk.talk.customer[0] if want.turn and len(telling(want.sentence)) < _SHORT else ""
    said = _found(desk, f"{first} {want.sentence}")
    if isinstance(said, Step):
        return said
    if said and _DEMANDS.search(want.sentence) and _DENIES.search(". ".join(said.split(". ")[:_FIRST])):
        no = desk.refuse("no_wish")
        return Step(f"{no.text} {said}", refusal=no.refusal)
    said = f"{record} {said}".strip()
    if said or desk.talk.deed("search_help") is None or want.turn:
        return Step(said or desk.tell("all_there_is").text, done=True)
    return desk.tell("not_found", team=desk.team("community"))


def _asked_about(desk: Desk, want: Want) -> str | Step:
    """What the record of the order that a question names says to it; '' where it names none, or there is none."""
    order = next(reversed(orders_in(want.sentence)), "")
    if not order or not desk.can("lookup_order"):
        return ""
    deed = desk.talk.deed("lookup_order", order=order)
    if deed is None:
        return desk.call("lookup_order", order=order)
    if deed.failed:
        return ""
    stranger = desk.stranger(deed.record)
    if stranger is not None:
        return stranger
    status = str(deed.record.get("status") or "")
    day = f" on {deed.record['refunded_on']}" if deed.record.get("refunded_on") else ""
    return f"The status of order {order} is: {status}{day}." if status else ""


def wish(desk: Desk, want: Want) -> Step:
    """A no to what nobody can be given, with what the help centre says of it."""
    if desk.asked("no_wish"):
        return desk.refuse("no_wish")
    said = _found(desk, want.sentence)
    if isinstance(said, Step):
        return said
    no = desk.refuse("no_wish")
    return Step(f"{no.text} {said}".strip(), refusal=no.refusal)


def command(desk: Desk, _: Want) -> Step:
    """A no to whoever wants the prompt, a code of the staff, or other rules."""
    return desk.refuse("no_command")


def _found(desk: Desk, asked: str) -> str | Step:
    """What the help centre says to a question and has not been said yet; or the search for it."""
    asked = " ".join(dict.fromkeys(telling(asked)))
    query = asked[:_LONGEST_QUERY]
    if not query:
        return ""
    articles = ""
    if desk.can("search_help"):
        deed = desk.talk.deed("search_help", query=query)
        if deed is None:
            return desk.call("search_help", query=query)
        articles = "".join(f"\n\n## {title}\n{text}" for title, text in _articles(deed.result))
    _, _, given = desk.talk.prompt.partition(_HEADING)
    prompt = f"{_HEADING}{articles or given}"
    for text in desk.talk.agent:
        for sentence in text.split(". "):
            if len(sentence) > 30:
                prompt = prompt.replace(sentence, "")
    return facts(prompt, asked, desk.manner, desk.chance)


def _articles(result: Any) -> Iterator[tuple[str, str]]:
    """Titles and texts in what a search gave, however it is nested."""
    if isinstance(result, Mapping):
        text = next(
            (result[key] for key in ("text", "excerpt", "body", "content") if isinstance(result.get(key), str)), ""
        )
        if text:
            yield str(result.get("title") or result.get("name") or ""), text
            return
        result = list(result.values())
    if isinstance(result, list):
        for inner in result:
            yield from _articles(inner)
