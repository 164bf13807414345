"""From what a customer says to the record that is meant: its number, the look-up, and whose it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from evalkit.offline.desk import Desk, Step, ids_of
from evalkit.offline.intents import SOMEBODY_ELSE, Want, orders_in, subscriptions_in

_MOST_LISTED = 6


def order_of(desk: Desk, want: Want) -> tuple[str, Mapping[str, Any]] | Step:
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
        listed = _listed(desk) if desk.asked("ask_order") else desk.tell("ask_order")
        if isinstance(listed, Step):
            return listed
        order = listed
        deed = desk.talk.deed("lookup_order", order=order)
    if deed is None:
        return desk.call("lookup_order", order=order) if desk.can("lookup_order") else desk.hand_off("billing", "order")
    if deed.failed:
        return desk.refuse("no_record") if desk.asked("ask_order_again") else desk.tell("ask_order_again", order=order)
    return desk.stranger(deed.record) or (order, deed.record)


def _listed(desk: Desk) -> str | Step:
    """The customer's own order that is meant where they do not know its number: by its items, else the latest."""
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


def subscription_of(desk: Desk, want: Want) -> tuple[str, Mapping[str, Any]] | Step:
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
