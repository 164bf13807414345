"""A support agent made of rules: it routes by signals and answers in sentences of the articles in its prompt."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.folding import fold
from evalkit.offline.signals import SIGNALS, Signal

_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_HEADING = "# Help-centre articles"
_EXAMPLE = re.compile(r"^ROUTE: escalate\nTEAM: .+\n\n(.+)$", re.MULTILINE)
_OUR_TEAM = re.compile(r"\bour (?:\w+ )?team\b")
# Words that tell nothing about what a sentence is about.
_COMMON = frozenset(
    [
        "a",
        "about",
        "after",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "get",
        "had",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "out",
        "please",
        "so",
        "some",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "they",
        "this",
        "to",
        "up",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "hi",
        "hello",
        "thanks",
        "hey",
    ]
)
# Headings, dates and greetings are shorter, and answer nothing.
_SHORTEST = 6
# A question that no article answers is half a reason to hand off.
_AT_A_LOSS = 0.5


@dataclass(frozen=True)
class Manner:
    """How one agent behaves: the parameters of its candidate.

    `escalate_at`: the strength of signals, 0 to 1, from which it hands off. `sentences`: how many it answers in.
    `says_team`: whether a handoff names its team. `temperature`: how much its choices vary from seed to seed.
    """

    escalate_at: float = 0.5
    sentences: int = 3
    says_team: bool = True
    temperature: float = 0.0

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
        if not (0 <= manner.escalate_at <= 2 and 0 <= manner.sentences <= 20 and 0 <= manner.temperature <= 10):
            raise ValueError("an offline agent needs escalate_at 0 to 2, sentences 0 to 20, temperature 0 to 10")
        return manner


@dataclass(frozen=True)
class Sentence:
    """One sentence of an article, with the words that it and its article's title are about."""

    text: str
    words: frozenset[str]
    title: frozenset[str]
    place: int


def answer(prompt: str, ticket: str, manner: Manner, seed: int) -> str:
    """The review card for a ticket: the route, the team of a handoff, and the reply."""
    chance = random.Random(seed)
    sentences = _sentences(prompt)
    scored = _ranked(sentences, _words(ticket))
    strength, signal = _strongest(ticket, nothing_fits=not scored)
    strength += chance.gauss(0, 0.15) * manner.temperature
    if strength >= manner.escalate_at:
        team = [f"TEAM: {signal.team}"] if signal is not None and manner.says_team else []
        return "\n".join(["ROUTE: escalate", *team, "", _handoff(prompt, signal)])
    noisy = sorted(scored, key=lambda pair: -pair[0] * math.exp(chance.gauss(0, 0.35) * manner.temperature))
    chosen = sorted((sentence for _, sentence in noisy[: manner.sentences]), key=lambda sentence: sentence.place)
    reply = " ".join(sentence.text for sentence in chosen) or "I could not find this in our help centre."
    return f"ROUTE: direct\n\nHi,\n\n{reply}"


def _handoff(prompt: str, signal: Signal | None) -> str:
    """What the customer is told of a handoff: as the prompt's own example has it, where it gives one."""
    whom = f"our {signal.team} team" if signal is not None else "our team"
    example = _EXAMPLE.search(prompt.partition(_HEADING)[0])
    text = example[1].strip() if example else "I am passing this to our team, and a person will reply to you."
    return f"Hi,\n\n{_OUR_TEAM.sub(whom, text)}"


def _strongest(ticket: str, *, nothing_fits: bool) -> tuple[float, Signal | None]:
    """How strongly a ticket asks for a handoff, and by which signal: independent signs, each a doubt more."""
    text = fold(ticket).text
    found = [signal for signal in SIGNALS if signal.phrases.search(text)]
    left = math.prod(1 - signal.weight for signal in found) * (1 - _AT_A_LOSS * nothing_fits)
    return 1 - left, max(found, key=lambda signal: signal.weight, default=None)


def _sentences(prompt: str) -> list[Sentence]:
    """The sentences of the articles that stand in a prompt."""
    found: list[Sentence] = []
    _, _, block = prompt.partition(_HEADING)
    for article in block.split("\n## ")[1:]:
        title, _, text = article.partition("\n")
        for sentence in _SENTENCE.split(text):
            if len(sentence.split()) < _SHORTEST:
                continue
            found.append(Sentence(sentence.strip(), _words(sentence), _words(title), len(found)))
    return found


def _ranked(sentences: Sequence[Sentence], asked: frozenset[str]) -> list[tuple[float, Sentence]]:
    """The sentences that share a telling word with what was asked, best first."""
    weight = _rarity(sentence.words for sentence in sentences)

    def shared(words: frozenset[str]) -> float:
        return sum(weight[word] for word in asked & words) / math.sqrt(len(words) + 4)

    scored = [(shared(sentence.words) + 0.5 * shared(sentence.title), sentence) for sentence in sentences]
    return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1].place))


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
