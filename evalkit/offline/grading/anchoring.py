"""Which sentences can speak for an agent: what the case itself knows, plain courtesy, and who takes a matter on.

A text that a grader cannot place, in whatever language and whoever it addresses, may cost an agent something and never
earns it anything. What a customer or a tool says is no anchor: neither can place a sentence of the agent's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evalkit.offline.grading.words import digits, particular, telling

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
# A sentence is of the case with this share of its words, a longer one with that share of so many.
_SHARE, _LONG = 0.5, 6
_COURTESY = re.compile(
    r"\b(?:sorry|thanks?|glad|happy|welcome|understand|apolog\w+|good ?bye|good day|frustrating|difficult)\b",
    re.IGNORECASE,
)
# With what words courtesy is spoken; a sentence that holds any other is none.
_COURTEOUS = telling(
    "sorry thank thanks glad happy welcome understand apologise apologize apologies apology goodbye good day nice week "
    "weekend hi hello hear hope hoped trouble inconvenience delay wait waiting patience patient frustrating difficult "
    "annoying disappointing worrying worried feel feeling let help helped question writing contacting "
    "message telling told asking able anything morning evening afternoon bye congratulations lovely great best wishes "
    "kind regards support confusion wrong mistake upset situation matter course truly really very deeply experience "
    "happened happen things hard offer pleasure bad news care unfortunately"
)
# A desk says who takes a matter on, and when; whatever the team is called and however long it takes.
_DESK = re.compile(
    r"\b(?:(?:a|another) (?:person|colleague|specialist)|someone|our (?:\w+ )?team|working days?|working hours)\b"
    r"|\b(?:can|may) i help\b|\bi can do for you\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\bour \w+ team\b|\b\d+(?: (?:to|or|and) \d+)? (?:working |business )?(?:hours?|days?)\b", re.IGNORECASE
)
_DESK_WORDS = _COURTEOUS | telling(
    "passed passing handed handing forwarded team person people colleague specialist reply replies answer write "
    "writes contact within working business hour hours minutes look looks decide decides decision check checks request "
    "matter conversation case email account order place rather tomorrow tonight early possible two three five details"
)


@dataclass(frozen=True)
class Anchor:
    """What a case knows: the words and the numbers of its golden answer, or of its goal and expectations."""

    words: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, *texts: str) -> Anchor:
        """The anchor that texts make."""
        text = "\n".join(texts)
        return cls(particular(text), digits(text))

    def holds(self, sentence: str) -> bool:
        """Whether a sentence is of the case, by enough of its words, or plain courtesy."""
        return self.knows(sentence) or courteous(sentence) or self.hands_on(sentence)

    def hands_on(self, sentence: str) -> bool:
        """Whether a sentence tells who takes the matter on, or when, or offers help, and nothing else."""
        if not _DESK.search(sentence):
            return False
        rest = _NAMED.sub("team", sentence)
        return not (particular(rest) - _DESK_WORDS - self.words or digits(rest) - self.numbers)

    def knows(self, sentence: str) -> bool:
        """Whether enough of a sentence's words are the case's."""
        words = particular(sentence)
        shared = len(words & self.words)
        numbers = digits(sentence)
        both = shared + len(numbers & self.numbers)
        return bool(shared) and both >= _SHARE * min(len(words) + len(numbers), _LONG)

    def held(self, text: str) -> str:
        """The sentences of a text that this anchor holds, on their lines."""
        lines = (" ".join(filter(self.holds, _SENTENCE.split(line))) for line in text.split("\n"))
        return "\n".join(lines)


def courteous(sentence: str) -> bool:
    """Whether a sentence is courtesy and nothing else."""
    return _COURTESY.search(sentence) is not None and not (telling(sentence) - _COURTEOUS or digits(sentence))
