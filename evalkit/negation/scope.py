"""The clause that a hit stands in, and the negators in whose scope it is there.

The scope of a negation is its clause. In doubt a hit is a claim: a false claim that is missed is the worse error.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from evalkit.folding import Folded
from evalkit.negation.tables import (
    AND,
    ASIDES,
    CONDITIONS,
    DENIALS,
    DETERMINERS,
    DUTIES,
    FILLERS,
    IDIOMS,
    INVERTED,
    NEGATORS,
    OBJECTS,
    OPENERS,
    OR,
    PARTNERS,
    QUESTIONS,
    REACH,
    REFUSALS,
    SIGNS,
    SUBJECTS,
    VERBS,
)

# Characters before and after a hit that are looked at. What lies beyond is not seen, and the hit is a claim.
BEFORE, AFTER = 400, 200
_LIST_ITEM, _LIST_ITEMS = 4, 5

_WORD = re.compile(r"[^\W_]+")
_MARKDOWN = re.compile(r"[*_~`]+|\[(?=\S)|\](?:\([^()\s]*\))?")
# Dots inside words, numbers and addresses end no clause; one before a capital does, where a space was forgotten.
_ENDS = re.compile(
    r"[!?;\n\u3002\u2022|\u2192]|\.\.+|:(?![\d/])"
    r"|(?<!\be\.g)(?<!\bi\.e)\.(?=[\s\"')]|$)|(?<=[a-z])\.(?=[A-Z])"
)
_DASHES = re.compile(r"--+|(?:^| )-(?= |$)")
_CONTRACTED = re.compile(
    r"\b(do|does|did|is|are|was|were|has|have|had|could|should|would|must|need|might|ai|ca|wo|sha) ?n'?t\b"
)
_TOKENS = re.compile(r"\d+(?:[.,]\d+)*|[^\W_]+|[;,()\x00]")


def negated(folded: Folded, start: int, end: int) -> bool:
    """Whether the hit `folded.text[start:end]` stands inside exactly one negation.

    A negation inside the hit itself belongs to the concept. Two negations undo each other, or leave doubt.
    """
    text = folded.text
    begin, until = max(start - BEFORE, 0), min(end + AFTER, len(text))
    around = f"{text[begin:start]} {text[end:until]}"
    if SIGNS.isdisjoint(_WORD.findall(around.lower())):
        return False
    before, after = _marked(folded, begin, start), _marked(folded, end, until)
    # Half a word at the rim of what is looked at could be taken for a negator.
    left = _plain(before.partition(" ")[2] if begin else before)
    right = _plain(f"{after.rpartition(' ')[0]};" if until < len(text) else after)
    left = _spaced(ASIDES.sub("", _spaced(left.rpartition(";")[2])))
    right = _spaced(ASIDES.sub("", _spaced(right.partition(";")[0])))
    first = next(iter(_plain(text[start:end]).split()), "")
    denied = DENIALS.match(_spaced(re.split(r" [-)] ", right)[0])) is not None
    return _negators(left, first, right) + denied == 1


def _marked(folded: Folded, start: int, end: int) -> str:
    # A hard line break stands before its offset, in place of the space there; a long dash at its offset.
    chars = list(folded.text[start:end])
    breaks = folded.breaks
    for at in breaks[bisect_left(breaks, start) : bisect_left(breaks, end + 1)]:
        if at < end and folded.text[at] == "-":
            chars[at - start] = " - "
        elif at > start:
            chars[at - 1 - start] = "\n"
    return "".join(chars)


def _plain(text: str) -> str:
    """Lower-case words and the marks ; , ( ) and - with a space between them."""
    text = _DASHES.sub(" \x00 ", _ENDS.sub(" ; ", _MARKDOWN.sub("", text))).lower()
    text = _CONTRACTED.sub(r"\1 not", text).replace("cannot", "can not").replace(" n'", " ne ")
    return " ".join(_TOKENS.findall(text)).replace("\x00", "-")


def _spaced(text: str) -> str:
    return f" {' '.join(text.split())} "


def _negators(left: str, first: str, right: str) -> int:
    """How many negators a hit stands under, by what precedes it in its sentence; `first` is its own first word."""
    *earlier, own = re.split(r" [()-] ", left)[-1].split(" , ")
    if earlier and _in_list(own.split(), right):
        while earlier:
            item = earlier.pop()
            own = f"{item} {own}"
            if not _is_item(item.split()):
                break
    own = IDIOMS.sub(" ~", FILLERS.sub(r" \g<negator>", _spaced(own)))
    outside, clause = _clause(own.split(), first)
    if INVERTED.match(_spaced(" ".join(clause))):
        return 0
    inside = DUTIES.sub(lambda duty: " ~" if duty["direct"] is None else " not", _spaced(" ".join(clause)))
    return _count(inside.split()) + _count(outside)


def _count(words: list[str]) -> int:
    count = partners = 0
    for place, word in enumerate(words):
        behind = words[place + 1 :]
        if word in NEGATORS or (word in REFUSALS and behind[:1] == ["to"]):
            count += 1
        elif word in PARTNERS:
            partners = 1
        elif len(behind) <= REACH.get(word, -1) and SUBJECTS.isdisjoint(behind):
            count += 1
    return count or partners


def _clause(words: list[str], first: str) -> tuple[list[str], list[str]]:
    """The words of the clause that goes on with `first`, and before them those of a question that it stands in."""
    for place in reversed(range(len(words))):
        word, clause = words[place], words[place + 1 :]
        before, behind = words[place - 1] if place else "", clause[0] if clause else first
        if word in OPENERS:
            outside = words[:place] if word in QUESTIONS else []
            return outside, _main_clause(clause, first) if word in CONDITIONS else clause
        if word in AND and (behind in SUBJECTS or behind in DETERMINERS or behind in VERBS):
            return [], clause
        # "cancelled and refunded" is one denial, "ship it and refunded you" is not.
        if word in AND and behind.endswith("ed") and not before.endswith("ed"):
            return [], clause
        if (word in OR or word == "as") and behind in SUBJECTS:
            return [], clause
        if word in SUBJECTS and before in OBJECTS:
            return [], words[place:]
    return [], words


def _main_clause(clause: list[str], first: str) -> list[str]:
    # "If we can't find it we will refund you": a new subject with its verb begins it where a comma is missing.
    for place in reversed(range(3, len(clause))):
        behind = clause[place + 1] if place + 1 < len(clause) else first
        if clause[place] in SUBJECTS and behind in VERBS:
            return clause[place:]
    return clause


def _in_list(own: list[str], right: str) -> bool:
    """Whether a hit, with its `own` words before it, is an item of a list that ends in "or …"."""
    if not _is_item(own):
        return False
    if own and own[0] in OR:
        return True
    for number, item in enumerate(right.split(" , ")[:_LIST_ITEMS]):
        words = item.split()
        if not OR.isdisjoint(words[:_LIST_ITEM]):
            return True
        if not _is_item(words) or (number and not words):
            return False
    return False


def _is_item(words: list[str]) -> bool:
    return len(words) <= _LIST_ITEM and all(map(set(words).isdisjoint, (SUBJECTS, VERBS, OPENERS)))
