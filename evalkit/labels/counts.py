"""What is in label sets, counted: who rated how much, what is open, and how much of it is held out."""

from __future__ import annotations

from collections import Counter
from typing import Any

from evalkit.labels.held_out import SHARE, held_out
from evalkit.labels.items import LabelSet


def counts(labels: LabelSet, share: float = SHARE) -> dict[str, Any]:
    """Counts of one set as plain values; `share` is the part of the cases that is held out.

    `items` = `unrated` + `decided` + `undecided`; `twice` of them were rated by two raters or more.
    """
    items = labels.items
    rated = [item for item in items if item.criteria]
    held = [item for item in rated if held_out(item.case, share)]
    months = Counter(item.month for item in rated if item.month)
    return {
        "labels": labels.name,
        "source": labels.source,
        "rubric": labels.rubric,
        "about": labels.about,
        "items": len(items),
        "unrated": len(items) - len(rated),
        "decided": sum(item.decided for item in items),
        "undecided": sum(bool(item.undecided) for item in items),
        "twice": sum(sum(bool(rating.verdicts) for rating in item.ratings) > 1 for item in items),
        "differing": sum(bool(item.differing) for item in items),
        "raters": dict(sorted(Counter(r.rater for item in items for r in item.ratings if r.verdicts).items())),
        "months": dict(sorted(months.items())),
        "held_out": len(held),
        "held_out_share": len(held) / len(rated) if rated else None,
        "hash": labels.hash,
    }


def in_words(found: dict[str, Any]) -> str:
    """The counts of one set as lines for people."""
    raters = ", ".join(f"{name} {number}" for name, number in found["raters"].items()) or "nobody yet"
    months = ", ".join(f"{month} {number}" for month, number in found["months"].items()) or "none"
    share = "none rated" if found["held_out_share"] is None else f"{found['held_out']} ({found['held_out_share']:.0%})"
    mark = "  EXAMPLE LABELS: not collected from people" if found["source"] == "example" else ""
    return "\n".join(
        [
            f"{found['labels']}: {found['items']} items, by {found['rubric']}, source {found['source']}{mark}",
            f"  rated by {raters}; by two or more {found['twice']}; not rated {found['unrated']}",
            f"  raters differ on {found['differing']}, of which undecided {found['undecided']}",
            f"  held out {share}; months: {months}",
        ]
    )
