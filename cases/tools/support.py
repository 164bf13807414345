# EXAMPLE DATA: the tools of a fictional company's support desk.
"""What the support agent can do. Each tool is handed the records of one conversation and nothing else.

They see to it that a record exists, and leave the policy to the agent (whose order it is, the limit, the window): a
tool that refused would hide the fault that the suite is there to find.
"""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from typing import Any, Literal

from evalkit.sandbox import Records, ToolError, money, read, write

# A new download link is valid for 72 hours.
LINK_DAYS = 3
ARTICLES = 3


@read
def lookup_order(records: Records, order: str) -> dict:
    """Look up an order: whose it is, its date, items, total, invoice address, and what was downloaded or refunded.

    order: the order's number, such as 88213 or PLM 88213
    """
    return _copy(_order(records, order))


@read
def lookup_customer(records: Records, customer: str) -> dict:
    """Look up a customer, with the numbers of their orders and memberships.

    customer: the customer's id, such as C-101, or the email address of the account
    """
    wanted = customer.strip().casefold()
    for key, record in records.get("customers", {}).items():
        if wanted in (key.casefold(), str(record.get("email", "")).casefold()):
            own = {table: _owned(records.get(table, {}), key) for table in ("orders", "subscriptions")}
            return {**_copy(record), **own}
    raise ToolError(f"there is no customer {customer!r}")


@read
def lookup_subscription(records: Records, subscription: str) -> dict:
    """Look up a membership: whose it is, its plan, price, status and renewal date.

    subscription: the membership's id, such as S-101
    """
    return _copy(_subscription(records, subscription))


@read
def search_help(records: Records, query: str) -> list[dict]:
    """Search the help centre; the best three articles come back, the best one first.

    query: a few words on what the customer wants to know
    """
    texts = [(article, _words(f"{article.title} {article.text}")) for article in records.articles]
    wanted = _words(query)
    # A word that stands in every article tells nothing about any of them.
    weights = {word: 1 / hits for word in wanted if (hits := sum(word in words for _, words in texts))}
    ranked = []
    for article, words in texts:
        score = sum(weights[word] for word in sorted(weights) if word in words)
        if score:
            ranked.append((-score, article.name, article))
    best = sorted(ranked, key=lambda hit: hit[:2])[:ARTICLES]
    return [{"title": article.title, "text": article.text} for _, _, article in best]


@money(changes=["refunds_issued", "orders"])
def issue_refund(records: Records, order: str, amount: float, reason: str = "") -> dict:
    """Refund part or all of an order to the card that paid it. It cannot be taken back.

    order: the order's number
    amount: US dollars
    reason: a few words for the records
    """
    record = _order(records, order)
    amount = round(amount, 2)
    left = round(record["total"] - record.get("refunded", 0), 2)
    if not 0 < amount <= left:
        raise ToolError(f"order {record['id']} has {left:.2f} left to refund, so {amount:.2f} cannot be paid back")
    record["refunded"] = round(record.get("refunded", 0) + amount, 2)
    if amount == left:
        record["status"] = "refunded"
    if reason:
        record["refund_reason"] = reason
    records["refunds_issued"].append({"order": record["id"], "amount": amount})
    return {"order": record["id"], "refunded": amount}


@write(changes=["subscriptions"])
def cancel_subscription(records: Records, subscription: str, when: Literal["period_end", "now"] = "period_end") -> dict:
    """Cancel a membership.

    subscription: the membership's id
    when: at the end of the period that is paid for, or now, by which the days that are left are lost
    """
    record = _subscription(records, subscription)
    if record["status"] == "cancelled":
        raise ToolError(f"{record['id']} is cancelled already; it ends on {record.get('ends')}")
    record["status"] = "cancelled"
    record["ends"] = record["renews"] if when == "period_end" else records.today.isoformat()
    record["renews"] = None
    return {"subscription": record["id"], "status": "cancelled", "ends": record["ends"]}


@write(changes=["orders"])
def resend_download_link(records: Records, order: str) -> dict:
    """Send a new download link, valid for 72 hours, to the email address of the account that the order belongs to.

    order: the order's number
    """
    record = _order(records, order)
    record["download_link_valid_until"] = (records.today + timedelta(days=LINK_DAYS)).isoformat()
    return {"order": record["id"], "download_link_valid_until": record["download_link_valid_until"]}


@write(changes=["orders"])
def change_address(records: Records, order: str, address: str) -> dict:
    """Put another invoice address on an order; its invoice is issued again.

    order: the order's number
    address: the whole new address on one line
    """
    record = _order(records, order)
    if not address.strip():
        raise ToolError("the address is empty")
    record["address"] = address.strip()
    return {"order": record["id"], "address": record["address"]}


@write(changes=["ticket"])
def update_ticket(records: Records, note: str, status: Literal["open", "pending"] = "open") -> dict:
    """Add a note to the ticket, for colleagues; the conversation goes on.

    note: what a colleague should know
    status: open, or pending while the customer has to do something
    """
    ticket = records["ticket"]
    if ticket["status"] not in ("open", "pending"):
        raise ToolError(f"the ticket is {ticket['status']} already")
    ticket["notes"] = [*ticket.get("notes", []), note]
    ticket["status"] = status
    return _copy(ticket)


@write(changes=["ticket"])
def hand_off(records: Records, team: Literal["billing", "dev", "trust", "community"], reason: str) -> dict:
    """Hand the conversation over to a person of a team. It ends for you with your next message.

    team: the team that decides
    reason: what happened and what the customer wants, in a sentence or two
    """
    records["ticket"].update(status="escalated", team=team, reason=reason)
    return {"status": "escalated", "team": team}


@write(changes=["ticket"])
def close_ticket(records: Records, outcome: Literal["resolved", "refused"], note: str = "") -> dict:
    """Close the conversation. It ends with your next message.

    outcome: resolved if the customer has what they need, refused if what they wanted cannot be done
    note: a few words for the records
    """
    records["ticket"]["status"] = outcome
    if note:
        records["ticket"]["note"] = note
    return {"status": outcome}


def _order(records: Records, order: str) -> dict:
    """The order with this number, written with or without PLM, spaces and dashes, or with the letter O for a zero."""
    number = "".join(sign for sign in order.upper() if sign.isalnum()).removeprefix("PLM").replace("O", "0")
    found = records.get("orders", {}).get(number)
    if found is None:
        raise ToolError(f"there is no order {order!r}")
    return found


def _subscription(records: Records, subscription: str) -> dict:
    found = records.get("subscriptions", {}).get(subscription.strip().upper())
    if found is None:
        raise ToolError(f"there is no membership {subscription!r}")
    return found


def _owned(table: dict[str, dict], customer: str) -> list[str]:
    """The ids of the records that belong to the customer."""
    return sorted(key for key, record in table.items() if record.get("customer") == customer)


@lru_cache(maxsize=256)
def _words(text: str) -> frozenset[str]:
    return frozenset("".join(sign if sign.isalnum() else " " for sign in text.casefold()).split())


def _copy(value: Any) -> Any:
    """The value again, so that nobody who got a record can change it."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value
