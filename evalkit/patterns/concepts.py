"""Concepts and their alternatives: read from what people write, found in what an agent says."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from evalkit.errors import Fault, PatternError
from evalkit.folding import Folded, fold
from evalkit.negation import negated
from evalkit.patterns.alternatives import Alternative, literal, read
from evalkit.patterns.prefilter import Prefilter
from evalkit.patterns.translation import Unreadable
from evalkit.transcript import Hit

# Lists of hits are for people. After so many claims of one concept in one text, or so many hits of any kind, no more
# are looked for; the last of MAX_HITS counts as a claim unseen, since in doubt it is one.
MAX_CLAIMS = 20
MAX_HITS = 200
# Bytes. A longer text is searched piece by piece: a hit is sure to be found there if it is no longer than _REACH.
_STEP = 4_000
_REACH = 1_200

_start = itemgetter(0)

Text = Annotated[str, StringConstraints(min_length=1, max_length=10_000, pattern=r"\S")]


class Pattern(BaseModel):
    """A concept as people write it: what says it (`any`), what does not after all (`unless`), and examples."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    any: tuple[Text, ...] = Field(min_length=1)
    unless: tuple[Text, ...] = ()
    matches: tuple[Text, ...] = ()
    misses: tuple[Text, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _plain_list(cls, value: Any) -> Any:
        return {"any": value} if isinstance(value, list | tuple) else value


def concept_key(name: str) -> str:
    """The form in which names of concepts are compared: folded, in lower case."""
    return fold(name).text.casefold()


@dataclass(frozen=True)
class _Concept:
    name: str
    any: tuple[Alternative, ...]
    unless: tuple[Alternative, ...] = ()


class _Found(NamedTuple):
    """An alternative, by its place in its concept, found in the folded text; offsets in bytes, then in characters."""

    start: int
    end: int
    alternative: int
    negated: bool = False


class _Window(NamedTuple):
    """A piece of a text, in bytes: hits that start in [begin, until) are looked for up to `end`."""

    begin: int
    until: int
    end: int


class Concepts:
    """A dictionary of concepts, compiled: what of it stands in a text, and where.

    `notices` are what is no fault but worth a look, each with its concept as `where`.
    """

    def __init__(self, concepts: Sequence[_Concept], patterns: Mapping[str, Pattern]) -> None:
        self._concepts = tuple(concepts)
        self._patterns = patterns
        self._numbers = {concept_key(concept.name): number for number, concept in enumerate(concepts)}
        self._owners = [(number, place) for number, concept in enumerate(concepts) for place in range(len(concept.any))]
        self._prefilter = Prefilter([each.source for concept in concepts for each in concept.any])
        self.notices: tuple[Fault, ...] = tuple(
            Fault("", None, concept.name, f"{_shown(each.written)}: {each.notice}")
            for concept in concepts
            for each in (*concept.any, *concept.unless)
            if each.notice
        )

    @classmethod
    def compile(cls, patterns: Mapping[str, Pattern], literals: Iterable[str] = ()) -> Concepts:
        """The patterns by their concept, and phrases that are looked for as they stand (none that names a concept).

        Raises PatternError with all faults; each has the concept's name as `where`, and neither file nor line.
        """
        faults: list[Fault] = []
        concepts: list[_Concept] = []
        taken: dict[str, str] = {}
        for name, pattern in patterns.items():
            key = concept_key(name)
            if not key:
                faults.append(Fault("", None, name, "the concept's name is blank; give it one that can be read"))
            elif key in taken:
                faults.append(Fault("", None, name, f"is the same concept as {taken[key]!r}; write it once"))
            taken.setdefault(key, name)
            any_, unless = (_all(each, name, faults) for each in (pattern.any, pattern.unless))
            concepts.append(_Concept(name, any_, unless))
        for phrase in literals:
            if (key := concept_key(phrase)) not in taken:
                taken[key] = phrase
                concepts.append(_Concept(phrase, _all((phrase,), phrase, faults, literal)))
        if faults:
            raise PatternError(faults)
        return cls(concepts, dict(patterns))

    def find(self, text: str | Folded, wanted: Iterable[str] | None = None) -> tuple[Hit, ...]:
        """All hits of the `wanted` concepts, or of all, sorted by where they start in the text as it was written.

        Negated hits are among them. Where hits of one concept overlap, the longest is given. In a text of more than
        8,000 bytes, a hit is sure to be found only if it is no longer than 300 characters.
        Raises PatternError for a name that is no concept here.
        """
        folded = text if isinstance(text, Folded) else fold(text)
        data = folded.text.encode()
        searched = self._wanted(wanted)
        found: dict[int, list[_Found]] = {}
        behind = chars = 0
        for window in _windows(data):
            chars += len(data[behind : window.begin].decode())
            behind = window.begin
            piece = data[window.begin : window.end]
            candidates = self._candidates(piece, searched)
            spans = {number: self._spans(data, window, number, places) for number, places in candidates.items()}
            for number, here in spans.items():
                if here and len(data) != len(folded.text):
                    here = [_in_chars(data, span, window.begin, chars) for span in here]
                if here and not _keep(folded, here, found.setdefault(number, [])):
                    searched.discard(number)
            if not searched:
                break
        hits = [self._hit(folded, number, each) for number, kept in found.items() for each in _longest(kept)]
        return tuple(sorted(hits, key=attrgetter("start", "end", "concept")))

    def check_examples(self) -> list[Fault]:
        """A fault for each `matches` that is no claim of its concept, and for each of `misses` that is one."""
        return [
            Fault("", None, name, message)
            for name, pattern in self._patterns.items()
            for expected, texts in ((True, pattern.matches), (False, pattern.misses))
            for text in texts
            if (message := self._mistaken(name, text, expected=expected))
        ]

    def _mistaken(self, name: str, text: str, *, expected: bool) -> str:
        hits = self.find(text, [name])
        claims = [hit for hit in hits if not hit.negated]
        if bool(claims) is expected:
            return ""
        if claims:
            said = text[claims[0].start : claims[0].end]
            by = _shown(claims[0].alternative)
            return f"misses: {text!r} is hit at {said!r} by {by}; narrow it, or write an `unless`"
        if hits:
            return f"matches: {text!r} is hit only inside a negation; write the negation into an alternative"
        return f"matches: {text!r} is not hit; add an alternative, or look at `unless`"

    def _wanted(self, names: Iterable[str] | None) -> set[int]:
        if names is None:
            return set(range(len(self._concepts)))
        numbers = {name: self._numbers.get(concept_key(name)) for name in names}
        unknown = [name for name, number in numbers.items() if number is None]
        if unknown:
            raise PatternError(
                [Fault("", None, name, "is no concept here; write a pattern for it") for name in unknown]
            )
        return {number for number in numbers.values() if number is not None}

    def _candidates(self, piece: bytes, searched: set[int]) -> dict[int, list[int]]:
        """For each searched concept that may stand in a piece of text, the places of its alternatives that may."""
        candidates: dict[int, list[int]] = {}
        for alternative in self._prefilter.candidates(piece):
            number, place = self._owners[alternative]
            if number in searched:
                candidates.setdefault(number, []).append(place)
        return candidates

    def _spans(self, data: bytes, window: _Window, number: int, places: Iterable[int]) -> list[_Found]:
        concept = self._concepts[number]
        spans = [_Found(*span, place) for place in places for span in concept.any[place].spans(data, *window)]
        if spans and concept.unless:
            begin = _boundary(data, max(window.begin - _REACH, 0))
            excluded = [span for each in concept.unless for span in each.spans(data, begin, window.end, window.end)]
            spans = _outside(spans, excluded)
        return _longest(spans)

    def _hit(self, folded: Folded, number: int, found: _Found) -> Hit:
        concept = self._concepts[number]
        written = concept.any[found.alternative].written
        return Hit(concept.name, written, *folded.original(found.start, found.end), found.negated)


def _keep(folded: Folded, spans: Iterable[_Found], kept: list[_Found]) -> bool:
    """Whether more hits of the concept are to be looked for, once these are added to those `kept`."""
    claims = sum(not each.negated for each in kept)
    for span in spans:
        last = len(kept) == MAX_HITS - 1
        denied = not last and negated(folded, span.start, span.end)
        kept.append(span._replace(negated=True) if denied else span)
        claims += not denied
        if last or claims == MAX_CLAIMS:
            return False
    return True


def _all(
    written: Iterable[str], concept: str, faults: list[Fault], reader: Callable[[str], Alternative] = read
) -> tuple[Alternative, ...]:
    """The alternatives that can be used; of each other one a fault is added to `faults`."""
    alternatives = []
    for each in written:
        try:
            alternatives.append(reader(each))
        except Unreadable as error:
            faults.append(Fault("", None, concept, f"{_shown(each)} {error}"))
    return tuple(alternatives)


def _shown(alternative: str) -> str:
    line = " ".join(alternative.split())
    return f"`{line if len(line) <= 80 else line[:79] + '…'}`"


def _windows(data: bytes) -> Iterator[_Window]:
    if len(data) <= 2 * _STEP:
        yield _Window(0, len(data), len(data))
        return
    begin = 0
    while begin < len(data):
        until = _boundary(data, min(begin + _STEP, len(data)))
        yield _Window(begin, until, _boundary(data, min(until + _REACH, len(data))))
        begin = until


def _boundary(data: bytes, place: int) -> int:
    while place < len(data) and data[place] & 0xC0 == 0x80:
        place -= 1
    return place


def _in_chars(data: bytes, span: _Found, begin: int, chars: int) -> _Found:
    start = chars + len(data[begin : span.start].decode())
    return _Found(start, start + len(data[span.start : span.end].decode()), span.alternative)


def _outside(spans: list[_Found], excluded: list[tuple[int, int]]) -> list[_Found]:
    """The spans that lie in none of the excluded ones."""
    # For each start, the furthest end of all excluded spans that start there or before.
    starts: list[int] = []
    furthest: list[int] = []
    for start, end in sorted(excluded):
        starts.append(start)
        furthest.append(max(end, furthest[-1]) if furthest else end)
    return [span for span in spans if not (at := bisect_left(starts, span.start + 1)) or furthest[at - 1] < span.end]


def _longest(spans: list[_Found]) -> list[_Found]:
    """Of those that overlap the longest (the first of equals), sorted by start."""
    if len(spans) < 2:
        return spans
    kept: list[_Found] = []
    for span in sorted(spans, key=lambda each: (each.start - each.end, each.start)):
        at = bisect_left(kept, span.start, key=_start)
        after = kept[at].start if at < len(kept) else span.end
        before = kept[at - 1].end if at else span.start
        if before <= span.start and span.end <= after:
            kept.insert(at, span)
    return kept
