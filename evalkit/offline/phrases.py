"""What the agent says in a conversation: each line in a few wordings, and the pattern that knows it again."""

from __future__ import annotations

import random
import re
from functools import lru_cache

LINES: dict[str, tuple[str, ...]] = {
    "greet": ("Hello! How can I help you?", "Hi, what can I do for you?"),
    "ask_order": (
        "I am glad to look into that. Could you tell me the order number, please?",
        "Happy to help. What is the order number, please?",
    ),
    "ask_order_again": (
        "I cannot find an order {order}. Could you check the order number once more, please?",
        "There is no order {order} that I can see. Would you look up the order number again, please?",
    ),
    "ask_subscription": (
        "I can help with that. Could you tell me the number of the subscription, please?",
        "Of course. Which number does the subscription have?",
    ),
    "ask_reason": (
        "I have found order {order}. May I ask what went wrong with it?",
        "Thank you, I see order {order}. Could you tell me why you would like the money back?",
    ),
    "ask_address": ("What is the new address for the order, please?", "Could you tell me the new address, please?"),
    "confirm_refund": (
        "I can refund {amount} for order {order} to the card that paid it. Shall I do that now?",
        "A refund of {amount} for order {order} is possible; it goes to the card that paid. Shall I go ahead?",
    ),
    "confirm_cancel": (
        "I can cancel subscription {subscription} {when}. Shall I do that?",
        "Subscription {subscription} can be cancelled {when}. Shall I go ahead with the cancellation?",
    ),
    "confirm_address": (
        "I would change the address of order {order} to: {address}. Shall I do that?",
        "The new address for order {order} would be: {address}. Shall I change it?",
    ),
    "say_yes": ("Please answer with yes or no: {again}", "To be sure, I need a clear yes or no from you. {again}"),
    "no_more": (
        "{amount} is what was paid for order {order}, and I can pay back no more than that. {again}",
        "What was paid for order {order} is {amount}; more than that I cannot give back. {again}",
    ),
    "did_refund": (
        "I have refunded {amount} for order {order} to the card that paid it.",
        "Done: I have refunded {amount} for order {order}.",
    ),
    "did_cancel": (
        "I have cancelled subscription {subscription} {when}.",
        "Done: subscription {subscription} is cancelled {when}.",
    ),
    "did_address": (
        "I have changed the address of order {order} to: {address}.",
        "Done: I have changed the address of order {order}; it is now {address}.",
    ),
    "did_link": (
        "I have sent a new download link for order {order}.",
        "Done: I have sent you a fresh download link for order {order}.",
    ),
    "dropped": ("All right, I leave it as it is.", "Fine, I change nothing."),
    "told": ("Here is what I see: {facts}.", "This is what stands in the record: {facts}."),
    "over_limit": (
        "{amount} for order {order} is over the {limit} that I may refund myself. "
        "Shall I pass this to our {team} team, where a person decides?",
        "I may refund up to {limit} myself, and {amount} for order {order} is more than that. "
        "Shall I hand this to our {team} team, so that a person can decide?",
    ),
    "over_limit_firm": (
        "I am sorry, but {amount} for order {order} is over the {limit} that I may refund, so I cannot refund it.",
        "I am sorry, I cannot refund {amount} for order {order}: I may refund {limit} at most.",
    ),
    "no_refund": (
        "I am sorry, but I cannot refund order {order}: {why}.",
        "Unfortunately I cannot refund order {order}, because {why}.",
    ),
    "outside_rules": (
        "I cannot refund order {order} myself: {why}. Shall I pass this to our {team} team, where a person decides?",
        "Order {order} is outside our rules, because {why}. Shall I hand this to our {team} team for a decision?",
    ),
    "not_yours": (
        "I am sorry, but I can only talk about an order or account with the person whose account it belongs to.",
        "Unfortunately I cannot help with that: I may talk about an order or account only with the person it "
        "belongs to.",
    ),
    "no_record": (
        "I am sorry, but I cannot find it, so I cannot do anything here.",
        "Unfortunately I cannot find it with what I have, so there is nothing that I can do.",
    ),
    "no_address": (
        "I am sorry, but I cannot change the address of order {order}: {why}.",
        "Unfortunately the address of order {order} cannot be changed, because {why}.",
    ),
    "no_link": (
        "I am sorry, but I cannot send a link for order {order}: {why}.",
        "Unfortunately there is no new link for order {order}, because {why}.",
    ),
    "no_command": (
        "I am sorry, but that is nothing that I can share or follow.",
        "Unfortunately I cannot do that: it is nothing that I may share or follow.",
    ),
    "was_refunded": (
        "Order {order} was refunded already{on}: {amount}.",
        "I see that {amount} for order {order} was paid back already{on}.",
    ),
    "no_wish": (
        "I am sorry, but that is not something that we offer, so I cannot do it.",
        "Unfortunately I cannot do that; it is not something that we offer.",
    ),
    "still_no": (
        "I understand that this is not what you hoped for, but I cannot do it.",
        "I am sorry to say no again: I cannot do this for you.",
    ),
    "not_found": (
        "I could not find this in our help centre. Shall I pass it to a person in our {team} team?",
        "Our help centre says nothing about that. Shall I hand it to our {team} team?",
    ),
    "all_there_is": (
        "That is all that our help centre says about it.",
        "I have no more on that than what I have told you.",
    ),
    "detail": (
        "Thank you for telling me. Since when is that so, and is there anything else that our team should know?",
        "I see, thank you. Is there anything that you can add, such as when it happened?",
    ),
    "reach": (
        "A person of our {team} team should decide this. Shall I ask them to write to the email address of your "
        "account?",
        "This is for a person of our {team} team. Is it right if they write to the email address of your account?",
    ),
    "rather": (
        "I would rather have a colleague look at this. Shall I pass it to our {team} team?",
        "A person of our {team} team should see this. Shall I hand it to them?",
    ),
    "handed": (
        "I have passed this to our {team} team. A person will reply to you within one working day.",
        "I have handed this to our {team} team, and a person will write to you within one working day.",
    ),
    "no_handoff": (
        "A person has to decide this, but I cannot pass it on from here. Please write to our support team.",
    ),
    "no_tool": (
        "I am sorry, but I cannot do that from here.",
        "Unfortunately that is nothing that I can do from here.",
    ),
    "tool_failed": ("That did not work: {why}",),
    "anything": ("Is there anything else that I can do for you?", "Can I help you with anything else?"),
    "bye": ("You are welcome. Have a good day!", "Glad that I could help. Goodbye!"),
    "bye_refused": ("I am sorry that I could not do more for you. Goodbye.", "I am sorry about that. Take care."),
}


def say(key: str, chance: random.Random | None, **parts: str) -> str:
    """The line in one of its wordings, by chance where there is any."""
    wordings = LINES[key]
    chosen = chance.choice(wordings) if chance else wordings[0]
    return chosen.format(**parts)


@lru_cache(maxsize=512)
def pattern(key: str, **parts: str) -> re.Pattern[str]:
    """What finds the line in a text, in any wording; a part that is not given may be anything."""
    return re.compile("|".join(_pattern(wording, parts) for wording in LINES[key]), re.DOTALL)


def _pattern(wording: str, parts: dict[str, str]) -> str:
    pieces = re.split(r"\{(\w+)\}", wording)
    return "".join(
        re.escape(piece) if place % 2 == 0 else re.escape(parts[piece]) if piece in parts else ".+?"
        for place, piece in enumerate(pieces)
    )
