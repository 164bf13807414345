"""Text that speaks to whoever grades: it is no answer to a customer, and earns nothing."""

from __future__ import annotations

import re

from evalkit.folding import fold

# Broad on purpose: a sentence too many that is left out can only cost an agent something. All is matched in small
# letters, and each phrase begins with a word.
_PHRASES = (
    r"grad(?:er|ers|ing)\b",
    r"graded?\b(?=\s*[:=]|\s+(?:this|it|me|the|as|should|of|is|was|must|with|[a-f1-9]\b))",
    r"verdicts?\b|rubrics?\b|criteri(?:on|a)\b|evaluat(?:or|ors|ion|e the|e this)\b",
    r"(?:dear|to|note to|for the|as the|you are an?|the) (?:judges?|raters?|reviewers?|language model|ai|llm)\b",
    r"(?:rate|score|mark|give|award|assign|return|output|(?:reply|answer|respond) with)\b.{0,80}?"
    r"\b(?:pass(?:ed)?|full (?:marks|points|score)|highest|top|maximum|perfect|excellent|scores?|rating|stars"
    r"|\d ?/ ?\d|as (?:a )?\d|a \d)\b",
    r"(?:scores?|rating|marks?|correctness|tone|result|passed)\s*[:=]",
    r"\d{1,3} ?(?:/|out of) ?(?:5|10|100)\b",
    r"system (?:message|prompt|override|note|notice)\b|base64\b",
    r"(?:ignore|disregard|forget|override|overrule|skip)\b.{0,60}?\b(?:instructions?|rules?|golden|prompt|previous|above"
    r"|prior|reference|guidelines)\b",
    r"(?:golden|reference|model) answer\b|ground truth\b",
    r"(?:this|the|my) (?:answer|reply|response|agent|conversation|transcript|assistant)(?:'s \w+)? "
    r"(?:is|was|are|deserves?|should|must|has|gets|meets|passes|fully|shows|handled|did)\b",
    r"(?:bewert\w+|benot\w+|calific\w+|punteggio|beoordel\w+|notez|évalu\w+|valut\w+)",
)
_SPEAKS = re.compile(rf"\b(?:{'|'.join(_PHRASES)})")
# What only the machinery of a grader's prompt, or of a chat's, looks like.
_MARKS = re.compile(
    r"\[ ?/?(?:begin|end|inst|system)\b"
    r"|</?\|?(?:im_|system|data|golden|transcript|instructions?|assistant|user|endoftext)"
    r"|['\"](?:verdict|criteria|reasoning|grade|score|passed?|passes)['\"]\s*:"
)
_BEGINS = re.compile(
    r"\W{0,4}(?:system|assistant|developer|user|human|reviewer|judge|evaluator)\s*:"
    r"|#+ *(?:criteria|verdicts|reply|instructions?)\b"
)
# A line of JSON or code is nothing that a customer is told.
_CODE = re.compile(r"\s*(?:[{}]|\[\s*(?:[{\"\[]|$)|```|\"\w+\"\s*:|</?\w+>)")
_PIECE = re.compile(r"(?<=[.!?])\s+")


def speaks(text: str) -> bool:
    """Whether a sentence or a line speaks to a grader, or is code."""
    small = fold(text).text.lower()
    return bool(_CODE.match(text) or _BEGINS.match(small) or _MARKS.search(small) or _SPEAKS.search(small))


def rid(text: str, *, rest: bool) -> str:
    """The text without the sentences that speak to a grader; with `rest`, without what follows them on their line.

    A list goes with the heading above it.
    """
    lines, under = [], False
    for line in text.split("\n"):
        under = _BEGINS.match(line.lower()) is not None or (under and line.startswith(("-", "*")))
        if under:
            continue
        pieces = _PIECE.split(line)
        if not line or not (speaks(line) or any(map(_CODE.match, pieces))):
            lines.append(line)
            continue
        kept: list[str] = []
        for piece in pieces:
            if not speaks(piece):
                kept.append(piece)
            elif rest:
                break
        if kept:
            lines.append(" ".join(kept))
    return "\n".join(lines)
