"""The embedded provider: `offline/…` models, which answer by rules and need no network.

They are rule-based baselines, not language models. They see what a model sees, prompt and messages, and open no file.
"""

from __future__ import annotations

# The models there are.
MODELS = ("offline/agent", "offline/customer", "offline/grader-cheap", "offline/grader-strong")


def register() -> None:
    """Make LiteLLM know `offline/…` models; calling it again changes nothing."""
    from evalkit.offline.provider import register as add

    add()
