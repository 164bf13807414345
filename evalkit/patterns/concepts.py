"""Concepts and their alternatives: read from what people write, found in what an agent says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from evalkit.errors import Fault, PatternError
from evalkit.folding import Folded, fold
from evalkit.negation import negated
from evalkit.patterns.alternatives import Alternative, any_may_stand, literal, read, shown
from evalkit.patterns.prefilter import Prefilter
from evalkit.patterns.short import ShortPrefilter
from evalkit.patterns.spans import Characters, Found, longest, outside
from evalkit.patterns.translation import Unreadable
from evalkit.patterns.windows import REACH, Kept, Place, Window, boundary, kept
from evalkit.transcript import Hit

# Lists of hits are for people. After so many claims of one concept in one text, or so many hits of any kind, no more
# are looked for; the last of MAX_HITS counts as a claim unseen, since in doubt it is one. Of a text of more characters
# than anybody reads, the first claim does.
MAX_CLAIMS = 20
MAX_HITS = 200
MAX_READ = 50_000
# A text of more bytes is long: it is cut into windows, and what it says again need not be read again.
WHOLE = 8_000
# No hit of a long text has more, in the characters that it is sure to be found with.
MAX_SPACES = 150
# Of a long text so many bytes are looked through at first, and then so many times as many: a concept that is decided in
# a few is not looked for in many.
FIRST, GROWTH = 16_000, 8
# So few alternatives are sooner looked for one by one than ruled out together with all others, but in such a text.
FEW = 64

# Where alternatives of a concept, by their place in it, are looked for.
Windows = Iterable[tuple[Window, Sequence[int]]]

# So many answers of no more characters are remembered with their hits.
REMEMBERED, SHORT = 4_096, 2_000

Text = Annotated[str, StringConstraints(min_length=1, max_length=10_000, pattern=r"\S")]


class Pattern(BaseModel):
    """A concept as people write it: what it means, what says it (`any`) and what does not (`unless`), and examples."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    any: tuple[Text, ...] = Field(min_length=1)
    unless: tuple[Text, ...] = ()
    means: Text | None = None
    matches: tuple[Text, ...] = ()
    misses: tuple[Text, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _plain_list(cls, value: Any) -> Any:
        return {"any": value} if isinstance(value, list | tuple) else value


@lru_cache(maxsize=1 << 12)
def concept_key(name: str) -> str:
    """The form in which names of concepts are compared: folded, in lower case."""
    return fold(name).text.casefold()


@dataclass(frozen=True)
class Concept:
    """A concept with its alternatives read."""

    name: str
    any: tuple[Alternative, ...]
    unless: tuple[Alternative, ...] = ()

    @cached_property
    def may_exclude(self) -> Callable[[bytes, int, int], bool]:
        """Whether any of `unless` may stand in UTF-8 data from byte to byte."""
        return any_may_stand(self.unless)


class Concepts:
    """A dictionary of concepts, compiled: what of it stands in a text, and where.

    `notices` are what is no fault but worth a look, each with its concept as `where`.
    """

    def __init__(self, concepts: Sequence[Concept]) -> None:
        self._concepts = tuple(concepts)
        self._numbers = {concept_key(concept.name): number for number, concept in enumerate(concepts)}
        self._owners = [(number, place) for number, concept in enumerate(concepts) for place in range(len(concept.any))]
        self.notices: tuple[Fault, ...] = tuple(
            Fault("", None, concept.name, f"{shown(each.written)}: {each.notice}")
            for concept in concepts
            for each in (*concept.any, *concept.unless)
            if each.notice
        )
        # Agents say the same again, to the same ticket and to others.
        self._remembered = lru_cache(REMEMBERED)(lambda text, wanted: self._find(fold(text), wanted))

    @classmethod
    def compile(cls, patterns: Mapping[str, Pattern], literals: Iterable[str] = ()) -> Concepts:
        """The patterns by their concept, and phrases that are looked for as they stand (none that names a concept).

        Raises PatternError with all faults; each has the concept's name as `where`, and neither file nor line.
        """
        faults: list[Fault] = []
        concepts: list[Concept] = []
        taken: dict[str, str] = {}
        for name, pattern in patterns.items():
            key = concept_key(name)
            if not key:
                faults.append(Fault("", None, name, "the concept's name is blank; give it one that can be read"))
            elif key in taken:
                faults.append(Fault("", None, name, f"is the same concept as {taken[key]!r}; write it once"))
            taken.setdefault(key, name)
            any_, unless = (_all(each, name, faults) for each in (pattern.any, pattern.unless))
            concepts.append(Concept(name, any_, unless))
        for phrase in literals:
            if (key := concept_key(phrase)) not in taken:
                taken[key] = phrase
                concepts.append(Concept(phrase, _all((phrase,), phrase, faults, literal)))
        if faults:
            raise PatternError(faults)
        return cls(concepts)

    @cached_property
    def _prefilter(self) -> Prefilter:
        return Prefilter([each for concept in self._concepts for each in concept.any], MAX_SPACES)

    @cached_property
    def _short(self) -> ShortPrefilter:
        return ShortPrefilter([each for concept in self._concepts for each in concept.any])

    def concept(self, name: str) -> Concept:
        """The concept of a name; raises PatternError where there is none."""
        (number,) = self._wanted([name])
        return self._concepts[number]

    def find(self, text: str | Folded, wanted: Iterable[str] | None = None) -> tuple[Hit, ...]:
        """All hits of the `wanted` concepts, or of all, sorted by where they start in the text as it was written.

        Negated hits are among them. Where hits of one concept overlap, the longest is given. After 20 claims of a
        concept, or 200 hits, no more of it are looked for; the last of these counts as a claim. In a text of more than
        8,000 bytes, a hit is sure to be found only if it is no longer than 300 characters, and what stands there again
        may be given once; in one of more than 50,000 characters, no more is looked for after a concept's first claim.
        Raises PatternError for a name that is no concept here.
        """
        names = None if wanted is None else tuple(wanted)
        if isinstance(text, Folded):
            return self._find(text, names)
        return self._remembered(text, names) if len(text) <= SHORT else self._find(fold(text), names)

    def _find(self, folded: Folded, wanted: Sequence[str] | None) -> tuple[Hit, ...]:
        data = folded.text.encode()
        searched = self._wanted(wanted)
        most = MAX_CLAIMS if len(folded.text) <= MAX_READ else 1
        chars = Characters(data)
        found: dict[int, list[Found]] = {}
        for number, windows in self._candidates(data, searched):
            hits = found.setdefault(number, [])
            for spans in self._spans(data, number, windows):
                if not _keep(folded, map(chars.span, spans), most, hits):
                    searched.discard(number)
                    break
        those = [self._hit(folded, number, each) for number, hits in found.items() for each in longest(hits)]
        return tuple(sorted(those, key=attrgetter("start", "end", "concept")))

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

    def _alternatives_of(self, numbers: Iterable[int]) -> int:
        return sum(len(self._concepts[number].any) for number in numbers)

    def _candidates(self, data: bytes, searched: Set[int]) -> Iterator[tuple[int, Windows]]:
        """Each concept that may stand in a text, of those that are still `searched`, and where its alternatives may.

        A concept may come several times, with windows further on in the text.
        """
        few = len(searched) <= FEW and len(data) <= MAX_READ and self._alternatives_of(searched) <= FEW
        if len(data) > WHOLE:
            yield from self._in_windows(kept(data), searched, few)
            return
        whole = Window(0, len(data), len(data))
        if few:
            for number in tuple(searched):
                yield number, [(whole, range(len(self._concepts[number].any)))]
            return
        found: defaultdict[int, list[int]] = defaultdict(list)
        for alternative in self._short.candidates(data):
            number, place = self._owners[alternative]
            found[number].append(place)
        for number in searched & found.keys():
            yield number, [(whole, found[number])]

    def _in_windows(self, text: Kept, searched: Set[int], few: bool) -> Iterator[tuple[int, Windows]]:
        """The candidates in a long text; `few` of them are looked for in all of it."""
        concepts, owners, data = self._concepts, self._owners, text.text
        if few:
            for number in tuple(searched):
                everywhere = [(0, len(data), place) for place in range(len(concepts[number].any))]
                yield number, text.windows(everywhere, len(data))
            return
        begin, end, standing = 0, FIRST, None
        while begin < len(data):
            sought = {alternative for alternative, (number, _) in enumerate(owners) if number in searched}
            standing = standing or self._prefilter.standing(data, sought)
            near: defaultdict[int, list[Place]] = defaultdict(list)
            edge = standing.edge(end)
            for alternative, places in standing.places(sought, begin, edge):
                number, place = owners[alternative]
                # Most of what may stand in a long text does not, which a single look at all its places tells.
                if concepts[number].any[place].may_stand(b" ".join([data[first:last] for first, last in places])):
                    near[number] += [(first, last, place) for first, last in places]
            for number, those in near.items():
                yield number, text.windows(those, edge)
            begin, end = edge, end * GROWTH

    def _spans(self, data: bytes, number: int, windows: Windows) -> Iterator[list[Found]]:
        """Where a concept stands, window by window."""
        concept = self._concepts[number]
        for window, near in windows:
            spans = [
                Found(start, end, place) for place in near for start, end in concept.any[place].spans(data, *window)
            ]
            if spans and concept.unless:
                begin, end = 0, len(data)
                if end > WHOLE:
                    begin = boundary(data, max(min(span.start for span in spans) - REACH, 0))
                    end = boundary(data, min(max(span.end for span in spans) + REACH, len(data)))
                if concept.may_exclude(data, begin, end):
                    excluded = [span for each in concept.unless for span in each.spans(data, begin, end, end)]
                    spans = outside(spans, excluded)
            if spans:
                yield longest(spans)

    def _hit(self, folded: Folded, number: int, found: Found) -> Hit:
        concept = self._concepts[number]
        written = concept.any[found.alternative].written
        return Hit(concept.name, written, *folded.original(found.start, found.end), found.negated)


def _keep(folded: Folded, spans: Iterable[Found], most: int, hits: list[Found]) -> bool:
    """Whether more hits than these and the `hits` are to be looked for, of `most` claims; these are added."""
    claims = sum(not each.negated for each in hits)
    for span in spans:
        last = len(hits) == MAX_HITS - 1
        denied = not last and negated(folded, span.start, span.end)
        hits.append(span._replace(negated=True) if denied else span)
        claims += not denied
        if last or claims == most:
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
            faults.append(Fault("", None, concept, f"{shown(each)} {error}"))
    return tuple(alternatives)
