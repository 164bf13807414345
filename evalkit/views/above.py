"""What stands above the answer of every page: that its run is incomplete, and which cases are in quarantine."""

from __future__ import annotations

from datetime import UTC, date, datetime

from evalkit import cards
from evalkit.cards import Card
from evalkit.flaking import by_baseline
from evalkit.missing import missing
from evalkit.quarantine import Quarantined
from evalkit.shown import counted, one_line
from evalkit.tables import Run

# Lines of slots that are named; of a run that was stopped early the others are counted.
NAMED = 200


def above(run: Run, more: str = "") -> list[Card]:
    """The bands of a run's page, none where all is well; `more` is what the page itself misses."""
    return [*_incomplete(run, more), *_quarantined(run)]


def _incomplete(run: Run, more: str) -> list[Card]:
    found = missing(run)
    said = " ".join(filter(None, [found.says, more]))
    if not said:
        return []
    lines = [*found.lost, *found.ungraded]
    rest = sum(len(each.numbers) for each in lines[NAMED:])
    return [cards.watermark(said, [each.says for each in lines[:NAMED]], rest)]


def _quarantined(run: Run) -> list[Card]:
    entries = run.suite.quarantine
    if not entries:
        return []
    # An archived page stays as it was: by the day on which it was archived.
    written = run.manifest.get("date")
    today = date.fromisoformat(written[:10]) if written else datetime.now(UTC).date()
    text = (
        f"Must-pass cases that flake, {len(entries)} in all. They are played and counted like any other; until the day "
        "named, their failure alone does not block a change, and each release needs the owner's sign-off."
    )
    # A page on graders judges no trial.
    tallies = by_baseline(run) if run.pairs else ()
    seen = {
        each.case: f" Passed {each.passed} of {counted(each.measured, 'trial')} by {each.candidate} here."
        for each in tallies
        if each.measured
    }
    return [cards.quarantine(text, [_line(each, today) + seen.get(name, "") for name, each in entries.items()])]


def _line(entry: Quarantined, today: date) -> str:
    expired = "EXPIRED: it was " if entry.expired(today) else ""
    return (
        f"{entry.case}: {expired}to be mended by {entry.fix_by} by {entry.owner}; since {entry.since}: "
        f"{one_line(entry.reason)}"
    )
