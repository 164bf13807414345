"""How the agent handles each thing that a customer may want, from the number it needs to the deed and the news."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from evalkit.offline.desk import Desk, Step, fresh, ids_of
from evalkit.offline.help import command, question, wish
from evalkit.offline.intents import (
    BYE,
    REASON,
    SOMEBODY_ELSE,
    Want,
    address_in,
    amounts_in,
    orders_in,
    says_no,
    says_yes,
    subscriptions_in,
)
from evalkit.offline.phrases import pattern
from evalkit.offline.policy import field, left_of, number, objection

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
_MOST_LISTED = 6


def refund(desk: Desk, want: Want) -> Step:
    """Money back: within limit and window after a yes, else a person or a no."""
    found = _order(desk, want)
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
    if not why and not desk.asked("ask_reason") and not any(REASON.search(text) for text in desk.talk.customer):
        return desk.tell("ask_reason", order=order)
    amount = _amount(desk, want, record)
    if amount is None:
        return desk.hand_off("billing", "no price stands in the order")
    if why:
        return _outside(desk, order, why)
    if desk.policy.limit is not None and amount > desk.policy.limit:
        return _over(desk, order, amount)
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
    found = _subscription(desk, want)
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
    found = _order(desk, want)
    if isinstance(found, Step):
        return found
    order, record = found
    deed = desk.talk.deed("resend_download_link", order=order)
    if deed is not None and not deed.failed:
        return _did(desk, "did_link", fresh(desk, deed), order=order)
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
    found = _order(desk, want)
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
    found = _subscription(desk, want) if by_plan else _order(desk, want)
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


def _order(desk: Desk, want: Want) -> tuple[str, Mapping[str, Any]] | Step:
    """The order that is meant, with its record; or what is needed to get there."""
    named = [number for text in desk.talk.customer for number in orders_in(text)]
    order = want.order or (named[-1] if named else "")
    deed = desk.talk.deed("lookup_order", order=order)
    if deed is not None and deed.failed and named[-1:] != [order]:
        order = named[-1]
        deed = desk.talk.deed("lookup_order", order=order)
    if not order:
        if _of_somebody_else(desk, want):
            return desk.refuse("not_yours")
        listed = _listed(desk, want) if desk.asked("ask_order") else desk.tell("ask_order")
        if isinstance(listed, Step):
            return listed
        order = listed
        deed = desk.talk.deed("lookup_order", order=order)
    if deed is None:
        return desk.call("lookup_order", order=order) if desk.can("lookup_order") else desk.hand_off("billing", "order")
    if deed.failed:
        return desk.refuse("no_record") if desk.asked("ask_order_again") else desk.tell("ask_order_again", order=order)
    return desk.stranger(deed.record) or (order, deed.record)


def _listed(desk: Desk, want: Want) -> str | Step:
    """The order of the customer's own that is meant, where they do not know its number: by its items, else the latest."""
    own = desk.own_record()
    if isinstance(own, Step):
        return own
    listed = ids_of(own, "orders", "order")[-_MOST_LISTED:]
    records = {}
    for order in listed:
        deed = desk.talk.deed("lookup_order", order=order)
        if deed is None:
            return desk.call("lookup_order", order=order)
        records[order] = deed.record
    told = set(re.findall(r"[^\W\d_]{4,}", " ".join(desk.talk.customer).lower()))

    def likeness(order: str) -> tuple[int, str]:
        words = set(re.findall(r"[^\W\d_]{4,}", str(records[order].get("items", "")).lower()))
        return len(told & words), str(records[order].get("date", ""))

    return max(listed, key=likeness) if listed else desk.refuse("no_record")


def _of_somebody_else(desk: Desk, want: Want) -> bool:
    return desk.happens("checks_owner") and SOMEBODY_ELSE.search(want.sentence) is not None


def _subscription(desk: Desk, want: Want) -> tuple[str, Mapping[str, Any]] | Step:
    """The subscription that is meant, with its record; or what is needed to get there."""
    named = [number for text in desk.talk.customer for number in subscriptions_in(text)]
    named = named or ids_of(desk.talk.account, "subscription")
    if not named:
        if _of_somebody_else(desk, want):
            return desk.refuse("not_yours")
        own = desk.own_record()
        if isinstance(own, Step):
            return own
        named = list(ids_of(own, "subscription", "subscriptions"))[:1]
    if not named:
        reply = re.search(r"(?<![\w-])(?=[\w-]*\d)[\w-]{3,20}", desk.reply("ask_subscription"))
        if not reply:
            asked = desk.asked("ask_subscription")
            return desk.refuse("no_record") if asked else desk.tell("ask_subscription")
        named = [reply[0]]
    deed = desk.talk.deed("lookup_subscription", subscription=named[-1])
    if deed is None:
        step = desk.call("lookup_subscription", subscription=named[-1])
        return desk.hand_off("billing", "a subscription") if step.refusal else step
    if deed.failed:
        asked = desk.asked("ask_subscription") or len(named) > 1
        return desk.refuse("no_record") if asked else desk.tell("ask_subscription")
    return desk.stranger(deed.record) or (named[-1], deed.record)


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
    if says_no(reply) or len(desk.talk.answers_to(pattern(key, **parts))) >= _RETRIES:
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


def _amount(desk: Desk, want: Want, record: Mapping[str, Any]) -> float | None:
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
