"""The order rule: a call that needs the customer's yes came after one, to a question that the agent had put."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from evalkit.cases import Case
from evalkit.checks.actions import call_in_words, calls
from evalkit.checks.consent import says_yes
from evalkit.checks.endstate import OWN_TOOLS
from evalkit.checks.said import turn_of
from evalkit.folding import fold
from evalkit.settings import Settings
from evalkit.transcript import Trial, Verdict

# A question, or what asks for a yes without one.
_ASKS = re.compile(
    r"[?\u061f\u037e]|\b(?:please|kindly) confirm|let me know (?:if|whether)"
    r"|\b(?:reply|answer|respond|say|write|type)(?: with)?(?: a)? [\"'*]{0,3}yes\b"
    r"|bestätigen sie|bitte bestätig|antworten sie|por favor,? confirm[ea]|(?:merci de|veuillez) confirmer|confirmez"
    r"|confermi|conferma per favore|bevestig",
    re.IGNORECASE,
)
_LINK = re.compile(r"\w+://\S+")
_QUOTED_CHARS = 80


def confirmed(trial: Trial, case: Case, settings: Settings) -> Iterator[tuple[Verdict, bool]]:
    """A verdict on each tool of `confirm_before`, and whether its failure rests on how a customer's answer was read.

    Each call of the tool that worked needs a yes before it: a customer's turn that says yes, to an agent's turn just
    before it that asks, with no customer's no or wait since. A yes is good for what is done until the customer speaks
    again, as for both orders that were asked about, but not for the same call twice. A failed call changed nothing and
    needs none.
    """
    for name in case.expect.confirm_before:
        check = f"confirmed before: {name}"
        if trial.after is None:
            yield Verdict(check, "action", None, 0.0, "wrong action", OWN_TOOLS), False
            continue
        faults = list(_unconfirmed(trial, name))
        # Where one call surely stood without a yes, that decides.
        asked = bool(faults) and all(asked for _, asked in faults)
        cost = settings.points.routing_wrong if faults else 0.0
        reason = "; ".join(said for said, _ in faults)
        yield Verdict(check, "action", not faults, cost, "wrong action", reason), asked


def _unconfirmed(trial: Trial, name: str) -> Iterator[tuple[str, bool]]:
    """Each call without a yes before it, in words, and whether the customer had been asked."""
    worked = {each.place: each for each in calls(trial) if each.name == name and not each.failed}
    question: str | None = None  # what the agent asked since the customer last spoke
    answer: str | None = None  # what the customer last said to a question
    yes = False
    covered: list[Mapping[str, Any]] = []  # the calls that this yes was good for
    for place, message in enumerate(trial.messages):
        if message.role == "assistant" and _ASKS.search(_LINK.sub("", fold(message.text).text)):
            question = message.text
        elif message.role == "user":
            said = says_yes(message.text)
            if covered:
                answer, yes, covered = None, False, []
            if question is not None:
                answer, yes = message.text, said is True or (yes and said is None)
            elif said is False:
                yes = False
            question = None
        elif place in worked:
            if not yes or worked[place].arguments in covered:
                call = f"{call_in_words(name, worked[place].arguments)} on turn {turn_of(trial, place)}"
                quoted = "" if answer is None else " ".join(answer.split())[:_QUOTED_CHARS]
                why = "the customer had not been asked" if answer is None else f"asked, the customer said '{quoted}'"
                yield f"{call}: {why}", answer is not None
            question = None
            covered.append(worked[place].arguments)
