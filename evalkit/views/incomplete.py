"""The watermark of every page of a run that is not complete: why, how much of each candidate, and which slots."""

from __future__ import annotations

from evalkit import cards
from evalkit.cards import Card
from evalkit.missing import missing
from evalkit.tables import Run

# Lines of slots that are named; of a run that was stopped early the others are counted.
NAMED = 200


def marks(run: Run, more: str = "") -> list[Card]:
    """The watermark of a run that is not complete, none of one that is; `more` is what the page itself misses."""
    found = missing(run)
    said = " ".join(filter(None, [found.says, more]))
    if not said:
        return []
    lines = [*found.lost, *found.ungraded]
    rest = sum(len(each.numbers) for each in lines[NAMED:])
    return [cards.watermark(said, [each.says for each in lines[:NAMED]], rest)]
