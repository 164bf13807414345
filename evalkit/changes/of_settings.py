"""Changes of suite.yaml and of the quarantine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalkit.changes.change import Change, differing
from evalkit.quarantine import Quarantined
from evalkit.settings import Settings
from evalkit.suite import Suite


def of_settings(before: Suite, after: Suite) -> Iterator[Change]:
    """Changed weights, limits, private fields, thresholds, samples, and what disqualifies.

    Names, descriptions, the data's owner and the list of strata change no verdict.
    """
    old, new = before.settings, after.settings
    for section in ("points", "policy", "trust", "gate"):
        sides = (getattr(side, section).model_dump(mode="json") for side in (old, new))
        yield from (Change(f"{section}.{key}", words) for key, words in differing(*sides))
    tables = ({name: sorted(fields) for name, fields in side.private.items()} for side in (old, new))
    yield from (Change(f"private.{name}", words) for name, words in differing(*tables))
    samples, others = _samples(old), _samples(new)
    # A new one too: by it a change could be played on cases of its own choice.
    yield from (Change(f"samples.{name}", words) for name, words in differing(samples, others))
    yield from (Change(key, words) for key, words in differing(_alone(old), _alone(new)))


def of_quarantine(before: Suite, after: Suite) -> Iterator[Change]:
    """Entries that are new, or have another owner or other days: what lets a must-pass case fail.

    One that is taken out lets nothing fail, and a sign-off is its owner's own word.
    """
    for name, entry in after.quarantine.items():
        old = before.quarantine.get(name)
        days = _days(entry)
        if old is None:
            said = f"new in quarantine: owner {entry.owner}, fix_by {entry.fix_by}"
        else:
            said = "; ".join(f"{key}: {words}" for key, words in differing(_days(old), days))
        if said:
            case = before.by_id.get(name) or after.by_id.get(name)
            yield Change(f"quarantine/{name}", said, case.owner if case else None)


def _days(entry: Quarantined) -> dict[str, Any]:
    return entry.model_dump(mode="json", include={"owner", "since", "fix_by"})


def _samples(settings: Settings) -> Mapping[str, Any]:
    written = {name: sample.model_dump(mode="json") for name, sample in settings.samples.items()}
    return {name: {**each, "strata": each["strata"] and sorted(each["strata"])} for name, each in written.items()}


def _alone(settings: Settings) -> dict[str, Any]:
    return {
        "disqualify_on": sorted({*settings.disqualify_on}),
        "eval_mode_tag": settings.eval_mode_tag,
        "today": settings.today and settings.today.isoformat(),
    }
