"""What notebooks show: each function one piece of a page, from the run to what is seen.

The modules are the pages; every name is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PAGES = {
    "shootout": (
        "answer",
        "would_change",
        "provenance",
        "leaderboard",
        "score_chart",
        "stratum_chart",
        "points_chart",
        "leads",
        "safety_table",
        "purposes",
        "disqualifying_answers",
        "status_table",
    ),
    "reliability": ("harm_table", "pass_hat_chart", "pass_hat_table"),
    "graded": ("graded_answer", "graded_table"),
    "suite": ("suite_table",),
    "safety": ("safety_answer", "routing_chart", "handoff_routes", "direct_routes", "team_table", "bound_table"),
    "handoffs": (
        "case_grid",
        "strata_grid",
        "handoff_price",
        "handoff_cost",
        "needless_handoffs",
        "unreadable_cards",
    ),
    "agreement": (
        "trust_answer",
        "trust_would_change",
        "threshold_chart",
        "more_labels",
    ),
    "agreement_figures": ("confusion_table", "agreement_table"),
    "raters": ("people_agreement", "rater_table"),
    "agreement_parts": (
        "criterion_table",
        "criterion_grids",
        "stratum_agreement",
        "candidate_agreement",
        "favours",
        "slice_table",
        "left_out_table",
        "measured_grader",
    ),
    "disputed": ("disputed_transcripts",),
    "calibration": (
        "calibration_answer",
        "month_chart",
        "month_table",
        "month_changes",
        "fresh_chart",
        "fresh_table",
    ),
    "calibration_grounds": (
        "month_cascade",
        "month_raters",
        "month_reading",
        "month_cost",
        "month_grounds",
        "month_labels",
    ),
    "noise": (
        "noise_bands",
        "noise_answer",
        "noise_would_change",
    ),
    "noise_tables": ("band_chart", "band_table", "precision_table", "power_chart", "power_table"),
    "noise_checks": ("luck_table", "self_check_table", "repeats_table", "noise_grounds"),
    "cases": ("cases_answer", "chosen_transcripts", "disagreement_table", "mark_legend", "transcripts"),
}
_HOME = {name: page for page, names in _PAGES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
