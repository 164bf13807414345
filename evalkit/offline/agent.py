"""A support agent made of rules: it routes by signals and answers in sentences of the articles in its prompt."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from evalkit.folding import fold
from evalkit.offline.signal import Signal
from evalkit.offline.signals import SIGNALS

_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_HEADING = "# Help-centre articles"
_EXAMPLE = re.compile(r"^ROUTE: escalate\nTEAM: .+\n\n(.+)$", re.MULTILINE)
_OUR_TEAM = re.compile(r"\bour (?:\w+ )?team\b")
# Words that tell nothing about what a sentence is about.
_COMMON_WORDS = """
    a about after all also am an and any are as at be been but by can could did do does for from get had has
    have how i if in into is it its just me my no not of on or our out please so some than that the their them
    then there they this to up us was we were what when where which who why will with would you your hi hello
    thanks hey
"""
_COMMON = frozenset(_COMMON_WORDS.split())
# Headings, dates and greetings are shorter, and answer nothing.
_SHORTEST = 6
# In a chat these tell as little.
_CHAT_WORDS = """
    like want need good morning guten tag tell little more know find learn ask see help whether sorry page because
    still really new old day one two here now also something anything everything
"""
_CHAT = frozenset(_CHAT_WORDS.split())
# In a chat a sentence must be at least so near to the question as this share of the best one.
_NEAR = 0.35
# A question that no article answers is half a reason to hand off.
_AT_A_LOSS = 0.5
# What a year more of age leaves of a sentence's worth, for an agent that trusts the later article.
_OLDER = 0.4
_DATE = re.compile(r"(?:Updated|Published) on \d{1,2} \w+ (\d{4})")
_CHANCES = ("presses_over_limit", "forgets_to_confirm", "hands_off_early", "obeys_injection", "checks_owner")
_QUESTION = re.compile(r"[?\n]+|(?<=[.!])\s+")


@dataclass(frozen=True)
class Manner:
    """How one agent behaves: the parameters of its candidate.

    `escalate_at`: the strength of signals, 0 to 1, from which it hands off. `sentences`: how many it answers in.
    `by_question`: whether it divides them among the questions of a ticket. `newest`: whether it prefers articles of a
    later date. `says_team`: whether a handoff names its team. `team`: the one team that gets all handoffs, '' for the
    team that fits. `slips`: how often it forgets the head of its card, 0 to 1. `temperature`: how much its choices
    vary from seed to seed.

    In conversations, by chance once for each of them: `presses_over_limit`: whether it gives in and refunds over the
    limit when it is pressed twice. `forgets_to_confirm`: how often it acts without asking for a yes.
    `hands_off_early`: how often it hands off what it could do itself. `obeys_injection`: how often it obeys a command
    that stands in a message or in a record. `checks_owner`: how often it compares whose record it is, true for always.
    """

    escalate_at: float = 0.5
    sentences: int = 3
    by_question: bool = False
    newest: bool = False
    says_team: bool = True
    team: str = ""
    slips: float = 0.0
    temperature: float = 0.0
    presses_over_limit: float = 0.0
    forgets_to_confirm: float = 0.0
    hands_off_early: float = 0.0
    obeys_injection: float = 0.0
    checks_owner: float = 1.0

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Manner:
        """The manner that a call's parameters ask for; raises ValueError on one that it does not know."""
        known = {name: parameters[name] for name in cls.__dataclass_fields__ if name in parameters}
        unknown = sorted(
            parameters.keys() - known.keys() - {"seed", "max_tokens", "top_p", "max_retries", "stream", "tools"}
        )
        if unknown:
            raise ValueError(
                f"an offline agent knows no parameter {', '.join(unknown)}; "
                f"known: {', '.join(cls.__dataclass_fields__)}"
            )
        manner = cls(**known)
        within = 0 <= manner.escalate_at <= 2 and 0 <= manner.sentences <= 20 and 0 <= manner.temperature <= 10
        if not (within and 0 <= manner.slips <= 1 and isinstance(manner.team, str) and "\n" not in manner.team):
            raise ValueError(
                "an offline agent needs escalate_at 0 to 2, sentences 0 to 20, temperature 0 to 10, slips 0 to 1, "
                "and a team of one line"
            )
        chances = [name for name in _CHANCES if not 0 <= getattr(manner, name) <= 1]
        if chances:
            raise ValueError(f"an offline agent needs 0 to 1, or true or false, for {', '.join(chances)}")
        return manner


@dataclass(frozen=True)
class Sentence:
    """One sentence of an article: the words that it and its article's title are about, and the article's year."""

    text: str
    words: frozenset[str]
    title: frozenset[str]
    place: int
    year: int


def answer(prompt: str, ticket: str, manner: Manner, seed: int) -> str:
    """The review card for a ticket: the route, the team of a handoff, and the reply."""
    chance = random.Random(seed)
    ranked = _ranked(_sentences(prompt), ticket, manner)
    strength, signal = _strongest(ticket, nothing_fits=not any(ranked))
    strength += chance.gauss(0, 0.15) * manner.temperature
    forgets = chance.random() < manner.slips
    if strength >= manner.escalate_at:
        whom = manner.team or (signal.team if signal else "")
        head = ["ROUTE: escalate", *([f"TEAM: {whom}"] if whom and manner.says_team else [])]
        reply = _handoff(prompt, whom)
    else:
        head = ["ROUTE: direct"]
        reply = f"Hi,\n\n{_said(ranked, manner, chance) or 'I could not find this in our help centre.'}"
    return reply if forgets else "\n".join([*head, "", reply])


def _said(ranked: Sequence[Sequence[tuple[float, Sentence]]], manner: Manner, chance: random.Random) -> str:
    """The best sentences, taken in turn from what fits each question, in the order of the articles."""
    queues = [
        sorted(scored, key=lambda pair: -pair[0] * math.exp(chance.gauss(0, 0.35) * manner.temperature))
        for scored in ranked
    ]
    chosen: dict[int, Sentence] = {}
    for turn in zip_longest(*queues):
        for pair in turn:
            if pair is not None and len(chosen) < manner.sentences:
                chosen.setdefault(pair[1].place, pair[1])
    return " ".join(chosen[place].text for place in sorted(chosen))


def _handoff(prompt: str, team: str) -> str:
    """What the customer is told of a handoff: as the prompt's own example has it, where it gives one."""
    example = _EXAMPLE.search(prompt.partition(_HEADING)[0])
    text = example[1].strip() if example else "I am passing this to our team, and a person will reply to you."
    return f"Hi,\n\n{_OUR_TEAM.sub(f'our {team} team' if team else 'our team', text)}"


def telling(question: str) -> list[str]:
    """The words of a chat message that tell what it is about."""
    words = _WORD.findall(question)
    return [word for word in words if word.lower() not in _COMMON | _CHAT and not word.isdigit() and len(word) > 1]


def facts(prompt: str, question: str, manner: Manner, chance: random.Random) -> str:
    """The sentences of a prompt's articles that answer a question and come near to the best one; '' where none does."""
    near = []
    for scored in _ranked(_sentences(prompt), question, manner):
        scored = [pair for pair in scored if not pair[1].text.endswith("?")]
        near.append([pair for pair in scored if pair[0] >= _NEAR * scored[0][0]])
    return _said(near, manner, chance)


def _strongest(ticket: str, *, nothing_fits: bool) -> tuple[float, Signal | None]:
    """How strongly a ticket asks for a handoff, and by which signal: independent signs, each a doubt more."""
    text = fold(ticket).text
    found = [signal for signal in SIGNALS if signal.stands_in(text)]
    left = math.prod(1 - signal.weight for signal in found) * (1 - _AT_A_LOSS * nothing_fits)
    return 1 - left, max(found, key=lambda signal: signal.weight, default=None)


@lru_cache(maxsize=256)
def _sentences(prompt: str) -> tuple[Sentence, ...]:
    """The sentences of the articles that stand in a prompt."""
    found: list[Sentence] = []
    _, _, block = prompt.partition(_HEADING)
    for article in block.split("\n## ")[1:]:
        title, _, text = article.partition("\n")
        dated = _DATE.search(text)
        year = int(dated[1]) if dated else 0
        for sentence in _SENTENCE.split(text):
            if len(sentence.split()) >= _SHORTEST:
                found.append(Sentence(sentence.strip(), _words(sentence), _words(title), len(found), year))
    return tuple(found)


def _ranked(sentences: Sequence[Sentence], ticket: str, manner: Manner) -> list[list[tuple[float, Sentence]]]:
    """For the ticket, or for each question of it, the sentences that share a telling word with it, best first."""
    weight = _rarity(sentence.words for sentence in sentences)
    newest = max((sentence.year for sentence in sentences), default=0)

    def shared(asked: frozenset[str], words: frozenset[str]) -> float:
        return sum(weight[word] for word in asked & words) / math.sqrt(len(words) + 4)

    def score(asked: frozenset[str], sentence: Sentence) -> float:
        found = shared(asked, sentence.words) + 0.5 * shared(asked, sentence.title)
        return found * _OLDER ** (newest - sentence.year) if manner.newest and sentence.year else found

    parts = [ticket, *(part for part in _QUESTION.split(ticket) if len(part.split()) >= _SHORTEST)]
    ranked = []
    for asked in (_words(part) for part in (parts if manner.by_question else parts[:1])):
        scored = [(score(asked, sentence), sentence) for sentence in sentences]
        ranked.append(sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1].place)))
    return ranked


def _rarity(texts: Iterable[frozenset[str]]) -> Counter[str]:
    texts = list(texts)
    counts = Counter(word for words in texts for word in words)
    return Counter({word: math.log(1 + len(texts) / count) for word, count in counts.items()})  # type: ignore[misc]


def _words(text: str) -> frozenset[str]:
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in words if word not in _COMMON)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if len(word) - len(ending) >= 4 and word.endswith(ending):
            return word[: -len(ending)]
    return word
