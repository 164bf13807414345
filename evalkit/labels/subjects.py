"""Labelled transcripts as a grader is given them."""

from __future__ import annotations

from evalkit.grading import Subject, content_hash
from evalkit.labels.items import Item


def subject_of_item(item: Item) -> Subject:
    """What a grader is asked about an item: the very words that people judged, beside the same reference."""
    return Subject(content_hash(item.turns), item.turns, item.reference)
