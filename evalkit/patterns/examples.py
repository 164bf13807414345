"""A concept's examples are its tests: that they hold, and that each alternative is needed by one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evalkit.errors import Fault
from evalkit.folding import fold
from evalkit.negation import negated
from evalkit.patterns.alternatives import Alternative, shown
from evalkit.patterns.concepts import Concept, Concepts, Pattern
from evalkit.patterns.spans import Characters, Found, outside


def mistaken(concepts: Concepts, patterns: Mapping[str, Pattern]) -> list[Fault]:
    """A fault for each `matches` that is no claim of its concept, and for each of `misses` that is one."""
    return [
        Fault("", None, name, message)
        for name, pattern in patterns.items()
        for expected, texts in ((True, pattern.matches), (False, pattern.misses))
        for text in texts
        if (message := _mistake(concepts, name, text, expected=expected))
    ]


def unproved(concepts: Concepts, patterns: Mapping[str, Pattern]) -> list[Fault]:
    """A notice for each alternative that could be dropped while all examples of its concept still hold.

    An alternative of `any` is needed where it alone makes a sentence of `matches` a claim; one of `unless` where it
    alone keeps a sentence of `misses` from being one.
    """
    return [
        Fault("", None, name, message)
        for name, pattern in patterns.items()
        for message in _unproved(concepts.concept(name), pattern)
    ]


def _mistake(concepts: Concepts, name: str, text: str, *, expected: bool) -> str:
    hits = concepts.find(text, [name])
    claims = [hit for hit in hits if not hit.negated]
    if bool(claims) is expected:
        return ""
    if claims:
        said = text[claims[0].start : claims[0].end]
        by = shown(claims[0].alternative)
        return f"misses: {text!r} is hit at {said!r} by {by}; narrow it, or write an `unless`"
    if hits:
        return f"matches: {text!r} is hit only inside a negation; write the negation into an alternative"
    return f"matches: {text!r} is not hit; add an alternative, or look at `unless`"


def _unproved(concept: Concept, pattern: Pattern) -> Iterator[str]:
    claiming = [_claiming(text, concept.any, concept.unless) for text in pattern.matches]
    for place, alternative in enumerate(concept.any):
        if {place} not in claiming:
            hits = any(place in each for each in claiming)
            why = "no example needs it: another alternative hits as well" if hits else "it hits no example"
            yield f"{shown(alternative.written)}: {why}; write a sentence under `matches` that it alone hits"
    for place, alternative in enumerate(concept.unless):
        kept = [each for index, each in enumerate(concept.unless) if index != place]
        if not any(_claiming(text, concept.any, kept) for text in pattern.misses):
            yield f"{shown(alternative.written)} (unless): no example needs it; write a sentence under `misses`"


def _claiming(text: str, any_: Sequence[Alternative], unless: Sequence[Alternative]) -> set[int]:
    """The places of the alternatives that make a short text a claim, each on its own."""
    folded = fold(text)
    data = folded.text.encode()
    chars = Characters(data)
    excluded = [span for each in unless for span in each.spans(data, 0, len(data), len(data))]
    claiming = set()
    for place, alternative in enumerate(any_):
        found = [Found(*span, place) for span in alternative.spans(data, 0, len(data), len(data))]
        inside = map(chars.span, outside(found, excluded))
        if any(not negated(folded, each.start, each.end) for each in inside):
            claiming.add(place)
    return claiming
