"""The agent in a conversation: from all messages so far to what it says or does next, by rules alone."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalkit.offline.agent import Manner
from evalkit.offline.desk import REFUSALS, Desk, Step
from evalkit.offline.handling import HANDLERS
from evalkit.offline.handoff import danger, matter
from evalkit.offline.injection import obey
from evalkit.offline.intents import BYE, PERSON, Want, orders_in, wants_in
from evalkit.offline.phrases import pattern
from evalkit.offline.policy import day_of, policy_of
from evalkit.offline.reading import Talk, read_talk

# How often a customer who is refused may come back to it before the agent ends the conversation.
_PATIENCE = 2
# A wish that is known already may come with a question of its own.
_ASKS = re.compile(
    r"(?:^|[.!] )(?:and |but |so )?(?:how|when|what|where|which|do I|does|is|will|can I)\b[^.!?]*\?", re.IGNORECASE
)
# What is asked on the first turns before a matter is handed off.
_BEFORE_HANDOFF = ("detail", "reach")


@dataclass(frozen=True)
class Move:
    """What the agent does next: a text, or calls of tools as (name, arguments)."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


def next_move(
    messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], manner: Manner, seed: int
) -> Move:
    """The agent's next move, from the messages and the tools' schemas of a call; the same seed moves alike."""
    talk = read_talk(messages)
    chance = random.Random(f"{seed}:{len(messages)}")
    policy = policy_of(talk.prompt)
    if policy.today is None and "today" in talk.account:
        policy = replace(policy, today=day_of(talk.account["today"]))
    desk = Desk(talk, policy, _schemas(tools), manner, seed, chance)
    step = _next(desk)
    if step.call is not None:
        return Move(calls=(step.call,))
    return Move(step.text)


def _next(desk: Desk) -> Step:
    talk = desk.talk
    if not talk.last.strip():
        return desk.tell("greet")
    ended = _ended(desk)
    if ended:
        return ended
    obeyed = obey(desk)
    if obeyed:
        return obeyed
    urgent = danger(talk.customer)
    if urgent:
        return desk.hand_off("trust", "a person may be in danger")
    serious = matter(talk.customer, desk.manner, bool(_wants(talk)))
    if serious:
        return _passed_on(desk, *serious)
    return _served(desk)


def _ended(desk: Desk) -> Step | None:
    """The last words, where this turn has handed the matter off or closed it."""
    for deed in desk.talk.fresh:
        if deed.name == "hand_off":
            if deed.failed:
                return desk.tell("no_handoff")
            said = desk.tell("handed", team=str(deed.arguments.get("team", "")))
            crisis = desk.policy.crisis or "your local emergency number"
            if danger(desk.talk.customer):
                return Step(
                    f"I am sorry that things are so hard. If you are in danger, please call {crisis}. {said.text}"
                )
            if deed.arguments.get("reason") == "personal data" and desk.policy.data_days:
                return Step(f"{said.text} It is handled within {desk.policy.data_days}.")
            return said
        if deed.name == "close_ticket":
            return desk.tell("bye" if deed.arguments.get("outcome") == "resolved" else "bye_refused")
    return None


def _passed_on(desk: Desk, team: str, reason: str) -> Step:
    """A matter for a person: the order is looked up, details are asked for, and the team gets it."""
    order = next(reversed([number for text in desk.talk.customer for number in orders_in(text)]), "")
    if order and not desk.talk.deed("lookup_order", order=order) and desk.can("lookup_order"):
        return desk.call("lookup_order", order=order)
    done = BYE.search(desk.talk.last) or PERSON.search(desk.talk.last)
    if not done and len(desk.talk.customer) <= len(_BEFORE_HANDOFF):
        return desk.tell(_BEFORE_HANDOFF[len(desk.talk.customer) - 1], team=desk.team(team))
    return desk.hand_off(team, reason)


def _served(desk: Desk) -> Step:
    """What the customer wants, one thing after another; what only a person can do comes last."""
    talk, news, later, refused, served = desk.talk, [], None, [], False
    for want in _wants(talk):
        # A question after a no is one more try, not another matter.
        if refused and want.kind == "question" and want.turn:
            continue
        step = HANDLERS[want.kind](desk, want)
        if step.done:
            news += [step.text] if step.text else []
            # A question that a refused customer adds is not what they came for.
            served = served or want.kind != "question" or want.turn == 0
        elif step.refusal:
            refused.append(want)
            if not desk.asked(step.refusal):
                return _with(news, step)
        elif step.last:
            later = later or step
        else:
            return _with(news, step)
    if later:
        return _with(news, later)
    if news:
        return _with(news, desk.tell("anything"))
    return _closed(desk, refused, served)


def _closed(desk: Desk, refused: Sequence[Want], served: bool) -> Step:
    """Nothing is left to do: the conversation is closed, or a customer who presses hears no again."""
    talk = desk.talk
    if refused and PERSON.search(talk.last):
        return desk.hand_off("billing", "wants a person after a no")
    if refused and not BYE.search(talk.last) and len(_pressing(desk)) <= _PATIENCE:
        return desk.tell("still_no")
    if not _wants(talk) and not BYE.search(talk.last) and len(talk.customer) < 2:
        return desk.tell("greet")
    outcome = "refused" if refused and not served else "resolved"
    if desk.can("close_ticket"):
        return desk.call("close_ticket", outcome=outcome, note=_note(talk))
    return desk.tell("bye" if outcome == "resolved" else "bye_refused")


def _pressing(desk: Desk) -> tuple[str, ...]:
    """What the customer has said since the first refusal."""
    heard = [desk.talk.since(pattern(key)) for key in REFUSALS]
    return max((said for said in heard if said is not None), key=len, default=())


def _note(talk: Talk) -> str:
    return ", ".join(dict.fromkeys(want.kind for want in _wants(talk))) or "question"


def _wants(talk: Talk) -> list[Want]:
    """All that the customer has asked for; a message that asks for nothing new, and asks, is a question."""
    found: dict[tuple[str, str], Want] = {}
    for place, text in enumerate(talk.customer):
        before = len(found)
        wants = wants_in(text)
        for want in wants:
            # The number of an order may come in a later message than the wish.
            alike = (key for key in found if key[0] == want.kind and (not want.order or key[1] in ("", want.order)))
            known = next(alike, None)
            if known is None:
                found[want.kind, want.order] = want
            elif want.order and not found[known].order:
                found[known] = replace(found[known], order=want.order)
        asks = _is_question(place, text) if not wants else _ASKS.search(text) is not None
        if len(found) == before and asks:
            found["question", str(place)] = Want("question", text, turn=place)
    return list(found.values())


def _is_question(place: int, text: str) -> bool:
    if place == 0:
        return len(text.split()) >= 4
    return "?" in text and len(text.split()) >= 5


def _with(news: Sequence[str], step: Step) -> Step:
    if step.call is not None or not news:
        return step
    return replace(step, text=" ".join([*news, step.text]))


def _schemas(tools: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The parameters' schema of each offered tool, by its name."""
    functions = [tool.get("function", tool) for tool in tools]
    return {function["name"]: function.get("parameters") or {} for function in functions}
