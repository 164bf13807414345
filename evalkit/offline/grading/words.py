"""Texts as the graders compare them: sentences, the words that tell something, and amounts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

_WORD = re.compile(r"[^\W\d_]+")
_AMOUNT = re.compile(r"\d+(?:[.,:]\d+)*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_ENDINGS = (
    "ations",
    "ation",
    "ings",
    "ing",
    "ments",
    "ment",
    "ers",
    "ies",
    "ied",
    "ed",
    "es",
    "er",
    "ly",
    "e",
    "s",
    "y",
)
_SHORTEST, _LONGEST = 3, 8
_SPELLED = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "twelve": "12", "fourteen": "14", "twenty": "20", "thirty": "30", "sixty": "60", "ninety": "90",
}  # fmt: skip
_COUNTS = re.compile(rf"{_AMOUNT.pattern}|\b(?:{'|'.join(_SPELLED)})\b")
# What stands in every message of every desk.
_COMMON = frozenset(
    """
    a about after again all already also always am an and any anything are as ask at be because been before being both
    but by can cannot could d day days did do does doesn don done each either else enough even every few first for from
    further get gets give given go goes got had has have he hello help her here hi him his how however i if in into is
    isn it its just keep know later least let like ll look made make makes many may me might mine more most much must my
    need needs neither never new next no nor not nothing now of off on once one only or other our ours out over own per
    please put re same say says see send shall she should since so some something soon still such sure take takes than
    thank thanks that the their them then there these they thing things this those through till to today together too
    under until up us use ve very want was way we well were what when where whether which while who whole whom whose why
    will with within without won would write yes yet you your yours
    """.split()  # noqa: SIM905
)
# Words that stand in English alone, and words that stand in none of it.
_ENGLISH = frozenset(
    """
    the and is of to you your it that not this for we with are have our from but can get which be was will on by at if
    or when how where why what whether after before without find out learn been they them has had would should my
    """.split()  # noqa: SIM905
)
_OTHER = frozenset(
    """
    der die das und ist nicht ich sie wir ein eine für auf mit zum zur den dem des wie kann habe bitte wird aber auch
    le la les des une est pas vous nous je pour dans avec sur que qui votre notre il elle du au aux ce mais merci
    el los las una es del por para con su se lo al como más pero gracias hay usted está qué
    di il che è non una per del della con mi si sono gli lo alla come nel più grazie
    het een van niet ik je op voor met zijn dat aan maar ook naar hebben
    o os as um uma não em do da com para por você sua seu mas obrigado
    w i nie na z do się jest że jak ale po dla
    """.split()  # noqa: SIM905
)
_ENOUGH = 2_000
_NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|none|nobody|nothing|cannot|without|unable|\w+n't|refus\w+|only|kein\w*|nicht|non|pas)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Sentence:
    """A sentence: its telling words, its amounts, and whether something in it is denied or limited."""

    text: str
    words: frozenset[str]

    @cached_property
    def amounts(self) -> frozenset[str]:
        """Its numbers."""
        return amounts(self.text)

    @cached_property
    def denied(self) -> bool:
        """Whether it denies something, or limits it."""
        return _NEGATION.search(self.text) is not None


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text that tell something."""
    parts = (Sentence(part, telling(part)) for part in _SENTENCE.split(text) if part and not part.isspace())
    return tuple(part for part in parts if part.words or part.amounts)


def telling(text: str) -> frozenset[str]:
    """The stems of a text's words that tell what it is about."""
    return frozenset(_stem(word) for word in _WORD.findall(text.lower()) if len(word) > 1 and word not in _COMMON)


def particular(text: str) -> frozenset[str]:
    """The telling words that are no small words of another language either."""
    small = text.lower()
    return frozenset(
        _stem(word) for word in _WORD.findall(small) if len(word) > 1 and word not in _COMMON and word not in _OTHER
    )


def digits(text: str) -> frozenset[str]:
    """The numbers of a text that are written in digits, in one form."""
    return frozenset(map(_number, _AMOUNT.findall(text)))


def amounts(text: str) -> frozenset[str]:
    """The numbers of a text in one form: `39.00`, `39,0` and `39` are the same, and so is a small one in words."""
    return frozenset(_SPELLED.get(part) or _number(part) for part in _COUNTS.findall(text.lower()))


def english(text: str) -> bool:
    """Whether a text reads as English rather than as another language, as far as its small words tell."""
    words = _WORD.findall(text[:_ENOUGH].lower())
    foreign = sum(word in _OTHER for word in words) + sum(not word.isascii() for word in words)
    return foreign <= sum(word in _ENGLISH for word in words) or foreign <= 1


def _number(digits: str) -> str:
    whole, point, rest = digits.replace(",", ".").rpartition(".")
    if not point:
        return digits.lstrip("0") or "0"
    rest = rest.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{rest}" if rest else whole


@lru_cache(maxsize=1 << 14)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word[: -len(ending)][:_LONGEST]
    return word[:_LONGEST]
