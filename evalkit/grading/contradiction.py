"""Whether a grader's reasoning names another verdict than the one that it gave."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from evalkit.folding import fold
from evalkit.rubrics import Rubric, criterion_key, verdict_key

# Longer reasoning is read at its end, where a verdict stands.
_READ = 20_000
# A reasoning that is nothing else holds the line that some graders end with, or that a customer asked for.
_LINE_ALONE = re.compile(r"\W*grade:\W*\w+\W*")
# What says that a criterion is met or not, whatever the verdicts are called.
_END = r"(?=\s*(?:\Z|[.;!](?:\s|\Z)|because\b|since\b))"
_THING = r"the (?:agent|answer|reply|response|criterion|trial|turn)"
_OUTCOME = re.compile(
    rf"\b(?:(?:so|thus|hence|therefore|and so|which is why),? (?:this|it|that|{_THING})|(?<=: )(?:this|it)|{_THING})"
    rf"(?: therefore| thus| clearly| hence| also)? (?:fails|(?P<passes>passes))(?: the (?:criterion|rubric))?{_END}"
    rf"|\bthe criterion (?:is|was) (?:clearly |therefore |thus )?(?:not (?:met|satisfied|fulfilled)|unmet|"
    rf"(?P<met>met|satisfied|fulfilled)){_END}"
)
_SENTENCE_END = re.compile(r"[.!?;](?=\s)|[\n]")
# What makes a named verdict one that is not given: "not a 5", "would be a 5 if", "better than a 2".
_NOT_GIVEN = re.compile(
    r"\b(?:not|never|cannot|no|nor|neither|hardly|without|if|unless|had|have|otherwise|almost|nearly|close|near|short|"
    r"than|above|below|between|instead|might|could|may|although|though|tempted|consider\w*|"
    r"claims?|says?|asks?|asked|tells?|told|demands?|wrote)\b|n't\b|[\"“”«»`]|(?<!\w)'(?=\w)"
)


def contradicts(reasoning: str, given: str, criterion: str, rubric: Rubric) -> bool:
    """Whether the last verdict that a reasoning names as its own is another one than was given.

    It counts only what is said as a verdict ("deserves a 2", "I give it a 2", "score: 2", "so this fails"), in a
    sentence that neither negates nor supposes it, nor quotes, nor speaks of another criterion: "4 of 5 facts" names
    none.
    """
    text = fold(reasoning[-_READ:]).text.casefold()
    if _LINE_ALONE.fullmatch(text):
        return False
    others = [criterion_key(name) for name in rubric.criterion_names if name != criterion]
    passes = rubric.passes(given)
    differs = False
    for found in sorted(_said(text, rubric), key=re.Match.start):
        sentence = text[max(found.start() - 300, 0) : found.end() + 100]
        before = found.start() - max(found.start() - 300, 0)
        if not _is_meant(sentence, before, found.end() - found.start(), others):
            continue
        if found.re is _OUTCOME:
            differs = passes != bool(found["passes"] or found["met"])
        else:
            differs = verdict_key(found["verdict"]) != verdict_key(given)
    return differs


def _said(text: str, rubric: Rubric) -> Iterator[re.Match[str]]:
    yield from _OUTCOME.finditer(text)
    yield from _statement(rubric.verdicts).finditer(text)


def _is_meant(text: str, before: int, length: int, others: Iterable[str]) -> bool:
    """Whether a statement at `before` is the grader's own, by the sentence that it stands in."""
    start = max((found.end() for found in _SENTENCE_END.finditer(text, 0, before)), default=0)
    end = _SENTENCE_END.search(text, before + length)
    sentence = text[start : end.start() if end else len(text)]
    # The statement's own "not met" and its marks around a verdict deny nothing.
    around = sentence[: before - start] + " " + sentence[before - start + length :]
    return not _NOT_GIVEN.search(around) and not any(other in sentence for other in others)


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
    # "Verdict 1." at a sentence's beginning, and "Therefore: fail".
    bare = rf"(?:\A|(?<=[.!?;:,] )){noun}"
    ends = r"\b(?:therefore|thus|hence|so|conclusion):"
    return re.compile(
        rf"(?:\b{own}|{gives}|{bare}|{ends})(?: an?| only| just| at most)*(?: {noun} of)? "
        rf"['*_`]*(?P<verdict>{'|'.join(keys)})(?!\w){scale}['*_`]*(?=\s*(?:\Z|[-,;:!()]|[.](?:\s|\Z)|because\b|since\b|here\b|overall\b))"
    )
