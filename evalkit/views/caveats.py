"""What pages say of themselves: that some of their candidates are no language models, and some labels no people's."""

from __future__ import annotations

from evalkit.tables import Run

BASELINES = (
    "{names}: rule-based baselines, not language models, at invented prices. They show how the workbench works and "
    "say nothing about any hosted model."
)
EXAMPLE_LABELS = (
    "The labels behind these figures are examples, written to show the workflow and not collected from people. Decide "
    "nothing by them."
)


def caveat(run: Run) -> str:
    """That some candidates are no language models; '' where all are."""
    candidates = run.manifest["candidates"]
    offline = [each["name"] for each in candidates if (each.get("model") or "").startswith("offline/")]
    if not offline:
        return ""
    return BASELINES.format(names="All candidates" if len(offline) == len(candidates) else ", ".join(offline))
