"""The pattern laboratory: how the concepts of a suite fare on labelled sentences and on replies that were stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from evalkit.card import as_read, read_card
from evalkit.patterns import Pattern, concept_key
from evalkit.sentences import Sentence
from evalkit.stats.intervals import Interval, clopper_pearson
from evalkit.store import Store, store_path
from evalkit.suite import Suite
from evalkit.transcript import Hit

# An alternative that hits this share of the replies to cases that do not ask for its concept may say too little.
BROAD = 0.10
# Of fewer replies a share says nothing.
FEW = 20


@dataclass(frozen=True)
class Mistake:
    """A concept that was missed in a sentence that says it, or found in one that does not."""

    sentence: Sentence
    concept: str
    found: bool
    said: str = ""


@dataclass(frozen=True)
class Measured:
    """How the patterns did on labelled sentences; a pair is a sentence and a concept.

    `recall` is over the pairs that people labelled, `precision` over those that the patterns found; both with the
    exact 95 % interval. `by_concept`: concept → (labelled, found of these, found wrongly).
    """

    sentences: int
    silent: int
    recall: Interval
    precision: Interval
    by_concept: Mapping[str, tuple[int, int, int]]
    mistakes: tuple[Mistake, ...]


@dataclass(frozen=True)
class Reply:
    """A stored answer: the case that it was given to, and the whole text with its card."""

    case: str
    answer: str


@dataclass(frozen=True)
class Coverage:
    """What one concept found in stored replies: how many it stands in, and what its alternatives decided.

    `asked` replies answer cases that name the concept; `elsewhere` of `others` replies hold it though their cases do
    not. `hits` counts by alternative, `negated` those that count for nothing, being only denied.
    """

    concept: str
    asked: int
    replies: int
    others: int
    elsewhere: int
    hits: Mapping[str, int]
    negated: int
    denied: tuple[str, ...]
    broad: tuple[tuple[str, int], ...]

    @property
    def never(self) -> tuple[str, ...]:
        """The alternatives that hit nothing."""
        return tuple(alternative for alternative, count in self.hits.items() if not count)


def stored_replies(suite: Suite, store: str | Path | None, newest: int) -> tuple[Reply, ...]:
    """The newest replies in a store that were given to cases of this suite; none where there is no store yet."""
    if not store_path(store).is_file():
        return ()
    with Store(store, create=False) as opened:
        return tuple(Reply(trial.case, trial.answer) for trial in opened.answers(newest) if trial.case in suite.by_id)


def try_on_sentences(suite: Suite, sentences: Sequence[Sentence]) -> Measured:
    """Recall and precision of all concepts on labelled sentences."""
    names = {concept_key(name): name for name in suite.patterns}
    counts = {name: [0, 0, 0] for name in suite.patterns}
    mistakes: list[Mistake] = []
    for sentence in sentences:
        says = {names[concept_key(name)] for name in sentence.says}
        hits: dict[str, Hit] = {}
        for hit in suite.concepts.find(sentence.text, suite.patterns):
            if not hit.negated:
                hits.setdefault(hit.concept, hit)
        for name in says:
            counts[name][0] += 1
            counts[name][1] += name in hits
        for name in hits.keys() - says:
            counts[name][2] += 1
        mistakes += [Mistake(sentence, name, found=False) for name in sorted(says - hits.keys())]
        mistakes += [
            Mistake(sentence, name, found=True, said=sentence.text[hits[name].start : hits[name].end])
            for name in sorted(hits.keys() - says)
        ]
    labelled, found, wrong = (sum(each[place] for each in counts.values()) for place in range(3))
    return Measured(
        sentences=len(sentences),
        silent=sum(not sentence.says for sentence in sentences),
        recall=clopper_pearson(found, labelled),
        precision=clopper_pearson(found, found + wrong),
        by_concept={name: (each[0], each[1], each[2]) for name, each in counts.items()},
        mistakes=tuple(mistakes),
    )


def coverage(suite: Suite, replies: Iterable[Reply]) -> tuple[Coverage, ...]:
    """What each concept found in stored replies, each distinct reply to a case once, in the dictionary's order."""
    distinct = list(dict.fromkeys(replies))
    tallies = {name: _Tally() for name in suite.patterns}
    asks = {case.id: {concept_key(each) for each in case.assertions} for case in suite.cases}
    asked: Counter[str] = Counter()
    for reply in distinct:
        asked.update(asks.get(reply.case, ()))
        text = as_read(read_card(reply.answer).reply)
        for name, hits in groupby(
            sorted(suite.concepts.find(text, suite.patterns), key=attrgetter("concept")), key=attrgetter("concept")
        ):
            tallies[name].add(text, list(hits), wanted=concept_key(name) in asks.get(reply.case, ()))
    return tuple(
        tallies[name].coverage(name, pattern, asked[concept_key(name)], len(distinct))
        for name, pattern in suite.patterns.items()
    )


class _Tally:
    """What one concept found, reply by reply."""

    def __init__(self) -> None:
        self.replies = self.elsewhere = self.negated = 0
        self.hits: Counter[str] = Counter()
        self.strange: Counter[str] = Counter()
        self.denied: dict[str, None] = {}

    def add(self, text: str, hits: Sequence[Hit], *, wanted: bool) -> None:
        claims = [hit for hit in hits if not hit.negated]
        self.hits.update(hit.alternative for hit in hits)
        self.negated += len(hits) - len(claims)
        self.denied.update(dict.fromkeys(_around(text, hit) for hit in hits if hit.negated))
        self.replies += bool(claims)
        if claims and not wanted:
            self.elsewhere += 1
            self.strange.update({hit.alternative for hit in claims})

    def coverage(self, name: str, pattern: Pattern, asked: int, replies: int) -> Coverage:
        others = replies - asked
        broad = [(each, n) for each, n in self.strange.most_common() if others >= FEW and n >= BROAD * others]
        return Coverage(
            concept=name,
            asked=asked,
            replies=self.replies,
            others=others,
            elsewhere=self.elsewhere,
            hits={each: self.hits[each] for each in pattern.any},
            negated=self.negated,
            denied=tuple(self.denied),
            broad=tuple(broad),
        )


def _around(text: str, hit: Hit) -> str:
    """A hit with the words around it, on one line."""
    before, after = text[max(0, hit.start - 40) : hit.start], text[hit.end : hit.end + 40]
    return " ".join(f"{before}«{text[hit.start : hit.end]}»{after}".split())
