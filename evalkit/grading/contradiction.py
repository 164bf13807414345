"""Whether a grader's reasoning names another verdict than the one that it gave."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from evalkit.folding import fold
from evalkit.rubrics import Rubric, criterion_key, verdict_key

# Longer reasoning is read at its end, where a verdict stands.
_READ = 20_000
_SENTENCE_END = re.compile(r"[.!?;](?=\s)|[\n]")
# What makes a named verdict one that is not given: "not a 5", "would be a 5 if", "better than a 2".
_NOT_GIVEN = re.compile(
    r"\b(?:not|never|cannot|no|nor|neither|hardly|without|if|unless|had|have|otherwise|almost|nearly|close|near|short|"
    r"than|above|below|between|instead|might|could|may|although|though|tempted|consider\w*|"
    r"claims?|says?|asks?|asked|tells?|told|demands?|wrote)\b|n't\b|[\"“”]"
)


def contradicts(reasoning: str, given: str, criterion: str, rubric: Rubric) -> bool:
    """Whether the last verdict that a reasoning names as its own is another one than was given.

    It counts only what is said as a verdict ("deserves a 2", "I give it a 2", "score: 2"), in a sentence that neither
    negates nor supposes it, nor speaks of another criterion: "4 of 5 facts" names none.
    """
    text = fold(reasoning[-_READ:]).text.casefold()
    others = [criterion_key(name) for name in rubric.criterion_names if name != criterion]
    named = None
    for found in _statement(rubric.verdicts).finditer(text):
        sentence = text[max(found.start() - 300, 0) : found.end() + 100]
        before = found.start() - max(found.start() - 300, 0)
        if _is_meant(sentence, before, found.end() - found.start(), others):
            named = verdict_key(found["verdict"])
    return named is not None and named != verdict_key(given)


def _is_meant(around: str, before: int, length: int, others: Iterable[str]) -> bool:
    """Whether a statement at `before` is the grader's own, by the sentence that it stands in."""
    start = max((found.end() for found in _SENTENCE_END.finditer(around, 0, before)), default=0)
    end = _SENTENCE_END.search(around, before + length)
    sentence = around[start : end.start() if end else len(around)]
    return not _NOT_GIVEN.search(sentence) and not any(other in sentence for other in others)


@lru_cache(maxsize=32)
def _statement(verdicts: tuple[str, ...]) -> re.Pattern[str]:
    keys = sorted({re.escape(verdict_key(each)) for each in verdicts}, key=len, reverse=True)
    numbers = all(re.fullmatch(r"[0-9]+", verdict_key(each)) for each in verdicts)
    scale = r"(?: ?/ ?[0-9]+| out of [0-9]+)?" if numbers else ""
    noun = r"(?:grade|score|rating|verdict)"
    own = rf"(?:deserves?|merits?|warrants?|earns?|{noun}(?: of| is| must be| should be| would be|:| =))"
    gives = (
        r"\b(?:i|we)(?:'d|'ll| would| will| must)? (?:give|rate|grade|score|assign)(?: (?:this|it|that|the answer))?"
    )
    return re.compile(
        rf"(?:\b{own}|{gives})(?: an?| only| just| at most)*(?: {noun} of)? "
        rf"['*_`]*(?P<verdict>{'|'.join(keys)})(?!\w){scale}['*_`]*(?=\s*(?:\Z|[-,;:!()]|[.](?:\s|\Z)|because\b|since\b|here\b|overall\b))"
    )
