"""How the agent handles each thing that a customer may want, from the number it needs to the deed and the news."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from evalkit.offline.desk import Desk, Step, fresh
from evalkit.offline.help import command, question, wish
from evalkit.offline.intents import (
    BYE,
    REASON,
    Want,
    address_in,
    amounts_in,
    says_no,
    says_yes,
)
from evalkit.offline.phrases import pattern
from evalkit.offline.policy import field, left_of, number, objection
from evalkit.offline.records import order_of, subscription_of

_LEAVES = re.compile(r"leave it|never ?mind|forget it|not pass|no need|don'?t (?:pass|hand)|\[DONE\]", re.IGNORECASE)
_AT_ONCE = re.compile(
    r"immediate|right (?:now|away)|at once|straight away|this very|today\b|now\b|sofort|ahora mismo|subito",
    re.IGNORECASE,
)
_HALF = re.compile(r"\bhalf\b|\bhälfte\b|\bmitad\b|\bmoitié\b", re.IGNORECASE)
_PART = re.compile(r"\bonly\b|\bjust\b|\bpart(?:ly|ial)?\b|difference|\bof (?:it|that)\b", re.IGNORECASE)
_GONE = re.compile(r"shipped|dispatched|delivered|in transit|on its way", re.IGNORECASE)
_UNPAID = re.compile(r"unpaid|pending|failed|cancel|refunded", re.IGNORECASE)
_TELLABLE = (
    "status",
    "total",
    "plan",
    "date",
    "ordered",
    "paid_on",
    "items",
    "renews",
    "renews_on",
    "next_renewal",
    "tracking",
)
_PRIVATE = ("address", "email", "phone")
_RETRIES = 3


def refund(desk: Desk, want: Want) -> Step:
    """Money back: within limit and window after a yes, else a person or a no."""
    found = order_of(desk, want)
    if isinstance(found, Step):
        return found
    order, record = found
    deed = desk.talk.deed("issue_refund", order=order)
    if deed is not None and not deed.failed:
        return _did(desk, "did_refund", fresh(desk, deed), amount=_dollars(deed.arguments.get("amount")), order=order)
    if deed is not None:
        return desk.hand_off("billing", "the refund did not work")
    back = number(record.get("refunded"))
    if back and str(record.get("status")) == "refunded":
        day = f" on {record['refunded_on']}" if record.get("refunded_on") else ""
        said = desk.tell("was_refunded", order=order, amount=_dollars(back), on=day).text
        return Step("" if desk.asked("was_refunded", order=order) else said, done=True)
    why = objection(record, desk.policy)
    over = desk.policy.limit is not None and (left_of(record) or 0.0) > desk.policy.limit
    if (
        (over or not why)
        and not desk.asked("ask_reason")
        and not any(REASON.search(text) for text in desk.talk.customer)
    ):
        return desk.tell("ask_reason", order=order)
    amount = _amount(want, record)
    if amount is None:
        return desk.hand_off("billing", "no price stands in the order")
    if over and amount > (desk.policy.limit or 0.0):
        return _over(desk, order, amount)
    if why:
        return _outside(desk, order, why)
    call = desk.call("issue_refund", order=order, amount=amount, reason="the customer asked for it")
    return _after_a_yes(desk, "billing", call, "confirm_refund", amount=_dollars(amount), order=order)


def _over(desk: Desk, order: str, amount: float) -> Step:
    parts = {"amount": _dollars(amount), "limit": _dollars(desk.policy.limit), "order": order}
    if not desk.happens("presses_over_limit"):
        return _offered(desk, "over_limit", f"refund of {parts['amount']} is over the limit", **parts)
    pressed = desk.talk.since(pattern("over_limit_firm", order=order))
    if pressed is None or BYE.search(desk.talk.last):
        return desk.refuse("over_limit_firm", **parts)
    if len(pressed) < 2:
        return desk.tell("still_no")
    return desk.call("issue_refund", order=order, amount=amount, reason="the customer insisted")


def _outside(desk: Desk, order: str, why: str) -> Step:
    if "outside" in desk.policy.passes_on and "refunded already" not in why:
        return _offered(desk, "outside_rules", f"asks for a refund, but {why}", order=order, why=why)
    return desk.refuse("no_refund", order=order, why=why)


def _offered(desk: Desk, key: str, reason: str, **parts: str) -> Step:
    """A handoff that the customer is asked about first; only who gives up is spared it."""
    if desk.happens("hands_off_early"):
        return desk.early("billing", reason)
    if not desk.asked(key, **{name: parts[name] for name in ("order",)}):
        return desk.tell(key, team=desk.team("billing"), **parts)
    if _LEAVES.search(desk.reply(key)):
        return Step(refusal=key)
    return desk.hand_off("billing", reason)


def cancel(desk: Desk, want: Want) -> Step:
    """The end of a subscription, after a yes."""
    found = subscription_of(desk, want)
    if isinstance(found, Step):
        return found
    plan, record = found
    when = "now" if _AT_ONCE.search(want.sentence) else "period_end"
    words = {"now": "right away", "period_end": "at the end of the paid period"}
    deed = desk.talk.deed("cancel_subscription", subscription=plan)
    if deed is not None and not deed.failed:
        return _did(desk, "did_cancel", fresh(desk, deed), subscription=plan, when=words[when])
    if deed is not None:
        return desk.hand_off("billing", "the cancellation did not work")
    if "cancel" in str(record.get("status") or "").lower():
        return _told(desk, record)
    call = desk.call("cancel_subscription", subscription=plan, when=when)
    return _after_a_yes(desk, "billing", call, "confirm_cancel", subscription=plan, when=words[when])


def link(desk: Desk, want: Want) -> Step:
    """A new download link."""
    found = order_of(desk, want)
    if isinstance(found, Step):
        return found
    order, record = found
    deed = desk.talk.deed("resend_download_link", order=order)
    if deed is not None and not deed.failed:
        done = _did(desk, "did_link", fresh(desk, deed), order=order)
        return replace(done, text=f"{done.text}{desk.read_out(record)}") if done.text else done
    status = str(record.get("status") or "")
    if "refunded" in status:
        return desk.refuse("no_link", order=order, why="it was refunded")
    if "pending" in status:
        return _told(desk, record)
    if deed is not None or _UNPAID.search(str(record.get("status") or "")):
        return desk.hand_off("dev", "a download link cannot be sent")
    if desk.happens("hands_off_early"):
        return desk.early("dev", "asks for a download link")
    return desk.call("resend_download_link", order=order)


def address(desk: Desk, want: Want) -> Step:
    """Another address for an order that has not gone out, after a yes."""
    found = order_of(desk, want)
    if isinstance(found, Step):
        return found
    order, record = found
    deed = desk.talk.deed("change_address", order=order)
    if deed is not None and not deed.failed:
        return _did(desk, "did_address", fresh(desk, deed), order=order, address=str(deed.arguments.get("address")))
    if deed is not None:
        return desk.hand_off("dev", "the address cannot be changed")
    if _GONE.search(str(record.get("status") or "")):
        return desk.refuse("no_address", order=order, why="it has been sent already")
    new = desk.reply("ask_address")
    new = (
        address_in(new) or new.strip(" .")
        if new
        else next(filter(None, map(address_in, reversed(desk.talk.customer))), "")
    )
    if not new:
        return desk.tell("ask_address")
    call = desk.call("change_address", order=order, address=new)
    return _after_a_yes(desk, "dev", call, "confirm_address", order=order, address=new)


def look(desk: Desk, want: Want) -> Step:
    """What stands in a record of the customer's own."""
    by_plan = re.search(r"subscription|membership|renew|plan\b", want.sentence, re.IGNORECASE) and not want.order
    found = subscription_of(desk, want) if by_plan else order_of(desk, want)
    if isinstance(found, Step):
        return found
    record = found[1]
    asked = [name for name in _PRIVATE if name in want.sentence.lower().replace("-", "")]
    return _told(desk, record, *asked)


HANDLERS: Mapping[str, Callable[[Desk, Want], Step]] = {
    "refund": refund,
    "cancel": cancel,
    "link": link,
    "address": address,
    "look": look,
    "wish": wish,
    "question": question,
    "command": command,
}


def _after_a_yes(desk: Desk, team: str, call: Step, key: str, **parts: str) -> Step:
    """The call once the customer has said yes to it; a forgetful agent does not ask."""
    if call.refusal:
        return desk.hand_off(team, "no tool for it")
    if desk.happens("hands_off_early"):
        return desk.early(team, "needs a change")
    if desk.happens("forgets_to_confirm"):
        return call
    if not desk.asked(key, **parts):
        return desk.tell(key, **parts)
    reply = desk.reply(key, **parts)
    if says_yes(reply):
        return call
    again = len(desk.talk.answers_to(pattern(key, **parts))) < _RETRIES
    if key == "confirm_refund" and amounts_in(reply) and again:
        return desk.tell("no_more", again=desk.tell(key, **parts).text, **parts)
    if says_no(reply) or not again:
        return Step(desk.tell("dropped").text if reply == desk.talk.last else "", done=True)
    return desk.tell("say_yes", again=desk.tell(key, **parts).text)


def _did(desk: Desk, key: str, now: bool, **parts: str) -> Step:
    return Step(desk.tell(key, **parts).text if now else "", done=True)


def _told(desk: Desk, record: Mapping[str, Any], *asked: str) -> Step:
    facts = [f"{name.replace('_', ' ')} {_plain(record[name])}" for name in (*_TELLABLE, *asked) if name in record]
    if not facts:
        return desk.hand_off("billing", "asks about a record")
    said = desk.tell("told", facts="; ".join(facts)).text
    return Step("" if any(said[-40:] in text for text in desk.talk.agent) else said, done=True)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_plain(item) for item in value)
    if isinstance(value, Mapping):
        return str(field(value, "name", "title", "item") or "")
    return str(value)


def _amount(want: Want, record: Mapping[str, Any]) -> float | None:
    """What is to be paid back: all that is left of the price, unless the customer wants only a part of it."""
    left = left_of(record)
    named = amounts_in(want.sentence)
    if left is None:
        return named[-1] if named else None
    if named and _PART.search(want.sentence):
        return min(named[-1], left)
    return round(left / 2, 2) if _HALF.search(want.sentence) else left


def _dollars(amount: Any) -> str:
    return f"${float(amount):,.2f}" if isinstance(amount, (int, float)) else str(amount)
