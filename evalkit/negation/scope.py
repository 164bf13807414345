"""The clause that a hit stands in, and the negators in whose scope it is there.

The scope of a negation is its clause. In doubt a hit is a claim: a false claim that is missed is the worse error.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import pairwise

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
    LABELS,
    NEGATORS,
    NOTE,
    OBJECTS,
    OPENERS,
    OR,
    PARTNERS,
    PREDICATES,
    QUESTIONS,
    REACH,
    REFUSALS,
    REPORTS,
    SIGNS,
    SUBJECTS,
    TAKES,
    THINGS,
    VERBS,
)

# Characters before and after a hit that are looked at. What lies beyond is not seen, and the hit is a claim.
BEFORE, AFTER = 400, 200
_LIST_ITEM, _LIST_ITEMS = 4, 5

# After these a sentence is over for sure, unless it was an abbreviation.
_STOPS = (". ", "! ", "? ")
_ABBREVIATED = ("e.g.", "i.e.")
_WORD = re.compile(r"[^\W_]+")
# Lower-case letters and digits as they are, capitals in lower case, and a space for all else.
_ASCII_WORDS = bytes(ord(chr(code).lower()) if code < 0x80 and chr(code).isalnum() else 0x20 for code in range(0x100))
_ASCII_SIGNS = frozenset(sign.encode() for sign in SIGNS)
_TOKEN = re.compile(
    # Words and numbers; commas and brackets; the target of a Markdown link, which is not read; dashes between words.
    r" *([^\W_]+(?:'[^\W_]+|(?<=\d)[.,](?=\d)[^\W_]+)*|[,()]|\]\([^()\s]*\)|--+|(?<!\S)-(?!\S)"
    # Dots in words and addresses end no clause; one before a capital does, where a space was forgotten.
    r"|[!?;\n\u3002\u2022|\u2192]|\.\.+|:(?![\d/])|(?<!\be\.g)(?<!\bi\.e)\.(?![^\W_])|(?<=[a-z])\.(?=[A-Z]))"
)
_PAUSE = re.compile(" [()-] ")
_STEMS = (
    *("do", "does", "did", "is", "are", "was", "were", "has", "have", "had"),
    *("could", "should", "would", "must", "need", "might", "ai"),
)
_WRITTEN_OUT = {
    **{f"{stem}{ending}": f"{stem} not" for stem in _STEMS for ending in ("n't", "nt")},
    **dict.fromkeys(("can't", "cant", "cannot"), "can not"),
    **dict.fromkeys(("won't", "wont"), "will not"),
    **dict.fromkeys(("shan't", "shant"), "shall not"),
    "n't": "not",
}


def negated(folded: Folded, start: int, end: int) -> bool:
    """Whether the hit `folded.text[start:end]` stands inside exactly one negation.

    A negation inside the hit itself belongs to the concept. Two negations undo each other, or leave doubt.
    """
    begin, until = _sentence(folded.text, start, end)
    if not _signs(folded.text[begin:until]):
        return False
    denied, denying = _signs(folded.text[begin:start]), _signs(folded.text[end:until])
    before, after = _seen(folded, begin, start), _seen(folded, end, until)
    # What follows matters where it holds a negator, or the end of a list that the hit stands in.
    right = ASIDES.sub("", _plain(after).partition(";")[0]) if denying or "," in before else " "
    count = denying and bool(LABELS.match(after) or DENIALS.match(_PAUSE.split(NOTE.sub("", f"{right}) "))[0] + " "))
    if denied:
        left = ASIDES.sub("", _plain(before).rpartition(";")[2])
        first = _WORD.search(folded.text, start, end)
        count += _negators(left, first[0].lower() if first else "", right)
    return count == 1


@lru_cache(maxsize=2_048)
def _signs(text: str) -> bool:
    if text.isascii():
        return not _ASCII_SIGNS.isdisjoint(text.encode().translate(_ASCII_WORDS).split())
    return not SIGNS.isdisjoint(_WORD.findall(text.lower()))


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence around a hit starts and ends, or what is seen of it."""
    begin, until = max(start - BEFORE, 0), min(end + AFTER, len(text))
    stop = max(text.rfind(". ", begin, start), text.rfind("! ", begin, start), text.rfind("? ", begin, start))
    if stop >= begin and not text.endswith(_ABBREVIATED, 0, stop + 1):
        begin = stop + 1
    elif begin:
        # Half a word at the rim could be taken for a negator.
        space = text.find(" ", begin, start)
        begin = space if space >= 0 else start
    for mark in _STOPS:
        stop = text.find(mark, end, until)
        if stop >= 0 and not text.endswith(_ABBREVIATED, 0, stop + 1):
            until = stop
    return begin, until


def _seen(folded: Folded, start: int, end: int) -> str:
    """A piece of the folded text with the clause breaks that it does not show by itself."""
    # A hard line break stands before its offset, in place of the space there; a long dash at its offset.
    seen, breaks = folded.text[start:end], folded.breaks
    first, last = bisect_left(breaks, start), bisect_left(breaks, end + 1)
    if first == last:
        return seen
    chars = list(seen)
    for at in breaks[first:last]:
        if at < end and folded.text[at] == "-":
            chars[at - start] = " - "
        elif at > start:
            chars[at - 1 - start] = "\n"
    return "".join(chars)


@lru_cache(maxsize=2_048)
def _plain(text: str) -> str:
    """Lower-case words and the marks ; , ( ) and - with single spaces between and around them."""
    plain = []
    for token in _TOKEN.findall(text):
        if token[0].isalnum():
            word = token.lower()
            if word in _WRITTEN_OUT:
                word = _WRITTEN_OUT[word]
            elif "'" in word:
                word = word.replace("n'", "ne ", 1) if word.startswith("n'") else word.replace("'", " ")
            plain.append(word)
        elif token[0] != "]":
            plain.append("-" if token[0] == "-" else token if token in ",()" else ";")
    return f" {' '.join(plain)} "


def _negators(left: str, first: str, right: str) -> int:
    """How many negators a hit stands under, by what precedes it in its sentence; `first` is its own first word."""
    if SIGNS.isdisjoint(left.split()):
        return 0
    *earlier, own = f" {_PAUSE.split(left)[-1]}".split(" ,")
    if earlier and _in_list(own.split(), right):
        while earlier:
            item = earlier.pop()
            own = f"{item}{own}"
            if not _is_item(item.split()):
                break
    own = IDIOMS.sub(" ~", FILLERS.sub(r" \g<negator>", own))
    outside, words = _clause(own.split(), first)
    clause = f" {' '.join(words)} "
    if INVERTED.match(clause) or _goes_on(words):
        return 0
    count = _count(DUTIES.sub(lambda duty: " ~" if duty["direct"] is None else " not", clause).split())
    return count and count + _count(outside)


def _goes_on(words: list[str]) -> bool:
    """Whether a second predicate stands between the last negator and the hit, so that the hit is not denied."""
    last = next((place for place in reversed(range(len(words))) if words[place] in NEGATORS), None)
    behind = [] if last is None else words[last + 1 :]
    if len(behind) < 2 or behind[0] in REPORTS or "that" in behind[:4]:
        return False
    if any(word in PREDICATES or (word in TAKES and behind[i] in SUBJECTS) for i, word in enumerate(behind[1:])):
        return True
    object_of_for = [word for word, after in pairwise(behind) if after == "for"]
    return behind[-1] in SUBJECTS or bool(THINGS.intersection(object_of_for))


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
        if word == "as" and (behind in SUBJECTS or (not place and behind in DETERMINERS)):
            return [], _main_clause(clause, first)
        if word in AND and (behind in SUBJECTS or behind in DETERMINERS or behind in VERBS):
            return [], clause
        # "cancelled and refunded" is one denial, "ship it and refunded you" is not.
        if word in AND and behind.endswith("ed") and not before.endswith("ed"):
            return [], clause
        if word in OR and behind in SUBJECTS:
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
        item_words = item.split()
        if not OR.isdisjoint(item_words[:_LIST_ITEM]):
            return True
        if not _is_item(item_words) or (number and not item_words):
            return False
    return False


def _is_item(item: list[str]) -> bool:
    return len(item) <= _LIST_ITEM and all(map(set(item).isdisjoint, (SUBJECTS, VERBS, OPENERS)))
