"""What people say of transcripts: drawn, sent out on sheets, taken back, decided where they differ, and kept."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.labels.desk import open_sheet
    from evalkit.labels.files import check, load_label_set, load_label_sets
    from evalkit.labels.items import Adjudication, Item, LabelSet, Rating
    from evalkit.labels.subjects import subject_of_item
    from evalkit.labels.texts import label_files

_HOME = {
    "Adjudication": "items",
    "Item": "items",
    "LabelSet": "items",
    "Rating": "items",
    "check": "files",
    "label_files": "texts",
    "load_label_set": "files",
    "load_label_sets": "files",
    "open_sheet": "desk",
    "subject_of_item": "subjects",
}

__all__ = [
    "Adjudication",
    "Item",
    "LabelSet",
    "Rating",
    "check",
    "label_files",
    "load_label_set",
    "load_label_sets",
    "open_sheet",
    "subject_of_item",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
