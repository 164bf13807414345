"""Checks as lines of a card: sign, what was checked, why it failed, what was found, harm and points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalkit.cards import brief, escaped
from evalkit.shown import signed
from evalkit.transcript import Verdict

SIGNS = {True: "✓", False: "✗", None: "–"}
WORDS = {True: "passed", False: "failed", None: "not measured"}
TONES = {True: "good", False: "bad", None: "none"}
# Hits that a check quotes; all of them are marked in the answer.
FOUND = 3
UNMEASURED = '<p class="ek-meta">Not measured: no check was made, and it counts in no ranking.</p>'


def check_list(items: Iterable[str]) -> str:
    """Checks, one below the other."""
    return f'<ul class="ek-checks" aria-label="Checks">{"".join(items)}</ul>'


def check_item(verdict: Verdict, quoted: Sequence[str]) -> str:
    """One check; `quoted` are the texts that it found."""
    failed = verdict.passed is False
    reason = f' <span class="ek-because">{escaped(verdict.reason)}</span>' if verdict.reason else ""
    said = list(dict.fromkeys(brief(text, 60) for text in quoted))
    found = f' <q class="ek-found" dir="auto">{escaped(" … ".join(said[:FOUND]))}</q>' if said else ""
    harm = f' <span class="ek-harm">{escaped(verdict.harm)}</span>' if failed and verdict.harm else ""
    return (
        f'<li><span class="ek-s ek-s-{TONES[verdict.passed]}" role="img" aria-label="{WORDS[verdict.passed]}">'
        f'{SIGNS[verdict.passed]}</span><span dir="auto">{escaped(verdict.check)}{reason}{found}{harm}</span>'
        f'<span class="ek-points">{signed(verdict.points)}</span></li>'
    )
