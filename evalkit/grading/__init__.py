"""Grading: what a grader is told, how its reply is read, and which grader's verdict stands."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalkit.grading.cascade import Grading, grading_of
    from evalkit.grading.panel import LIVE, Panel, Subject, grader_of, panel_of, panel_of_run, subject_of
    from evalkit.grading.parsing import Parsed, parse_reply
    from evalkit.grading.prompt import GRADER_PROTOCOL, grader_messages, reply_schema
    from evalkit.grading.session import Graded, GradeOptions, cannot_grade, grade_subjects, limit_usd
    from evalkit.grading.turns import Turn, content_hash, from_plain, reference_of, to_plain, turns_of

_HOME = {
    "GRADER_PROTOCOL": "prompt",
    "GradeOptions": "session",
    "Graded": "session",
    "Grading": "cascade",
    "LIVE": "panel",
    "Panel": "panel",
    "Parsed": "parsing",
    "Subject": "panel",
    "Turn": "turns",
    "cannot_grade": "session",
    "content_hash": "turns",
    "from_plain": "turns",
    "grade_subjects": "session",
    "grader_messages": "prompt",
    "grader_of": "panel",
    "grading_of": "cascade",
    "limit_usd": "session",
    "panel_of": "panel",
    "panel_of_run": "panel",
    "parse_reply": "parsing",
    "reference_of": "turns",
    "reply_schema": "prompt",
    "subject_of": "panel",
    "to_plain": "turns",
    "turns_of": "turns",
}

__all__ = [
    "GRADER_PROTOCOL",
    "LIVE",
    "GradeOptions",
    "Graded",
    "Grading",
    "Panel",
    "Parsed",
    "Subject",
    "Turn",
    "cannot_grade",
    "content_hash",
    "from_plain",
    "grade_subjects",
    "grader_messages",
    "grader_of",
    "grading_of",
    "limit_usd",
    "panel_of",
    "panel_of_run",
    "parse_reply",
    "reference_of",
    "reply_schema",
    "subject_of",
    "to_plain",
    "turns_of",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
