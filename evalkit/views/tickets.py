"""A ticket beside an answer to it."""

from __future__ import annotations

from evalkit.cases import Case
from evalkit.transcript import Trial


def as_answered(case: Case, trial: Trial) -> tuple[str, str]:
    """The subject and the text that a trial answered.

    The suite as it stands may hold another text than the one that was answered; then all that was sent is the text.
    """
    ticket = case.ticket
    if ticket is not None and ticket.body.strip() in trial.asked:
        return ticket.subject, ticket.body
    return "", trial.asked
