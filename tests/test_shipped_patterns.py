"""The patterns that are shipped: tested by their examples, by labelled sentences, and by variants of both."""

from __future__ import annotations

import itertools
import random

import pytest
from conftest import ROOT

from evalkit.folding import fold
from evalkit.laboratory import try_on_sentences
from evalkit.loading import load_suite
from evalkit.patterns import Concepts, Pattern
from evalkit.patterns.examples import mistaken
from evalkit.sentences import SENTENCES, load_sentences


@pytest.fixture(scope="module")
def suite():
    return load_suite(ROOT / "cases")


@pytest.fixture(scope="module")
def sentences(suite):
    return load_sentences(ROOT / "cases" / SENTENCES, suite.patterns)


def test_recall_and_precision_on_the_labelled_sentences(suite, sentences) -> None:
    measured = try_on_sentences(suite, sentences)
    print(
        f"\nrecall {measured.recall.value:.4f} of {measured.recall.n}, precision {measured.precision.value:.4f} of {measured.precision.n}"
    )
    assert measured.sentences >= 300
    assert measured.silent >= 30
    assert measured.recall.value >= 0.97
    assert measured.precision.value >= 0.97
    # Every concept is said by some sentence, so that none goes untested.
    assert not [name for name, (labelled, _, _) in measured.by_concept.items() if not labelled]


def test_recall_and_precision_on_sentences_that_no_pattern_was_mended_by(suite) -> None:
    unseen = load_sentences(ROOT / "cases/labels/unseen.yaml", suite.patterns)
    measured = try_on_sentences(suite, unseen)
    print(
        f"\nunseen: recall {measured.recall.value:.4f} of {measured.recall.n}, precision {measured.precision.value:.4f}"
    )
    assert measured.sentences >= 200
    # Below what was measured once (0.948 and 0.976), above what a change for the worse would leave.
    assert measured.recall.value >= 0.93
    assert measured.precision.value >= 0.96
    assert not {each.text for each in unseen} & {
        text for p in suite.patterns.values() for text in (*p.matches, *p.misses)
    }


def test_no_labelled_sentence_repeats_an_example_or_an_alternative(suite, sentences) -> None:
    def plain(text: str) -> str:
        return fold(text).text.casefold().strip(" .!?")

    taken = {
        plain(text)
        for pattern in suite.patterns.values()
        for text in (*pattern.any, *pattern.unless, *pattern.matches, *pattern.misses)
    }
    assert [each.text for each in sentences if plain(each.text) in taken] == []


def test_every_concept_says_what_it_means(suite) -> None:
    assert [name for name, pattern in suite.patterns.items() if not pattern.means] == []


def test_dropping_any_one_alternative_is_noticed_by_an_example(suite) -> None:
    unnoticed = []
    for name, pattern in suite.patterns.items():
        for kind in ("any", "unless"):
            written = getattr(pattern, kind)
            for place in range(len(written)):
                kept = (*written[:place], *written[place + 1 :])
                if kind == "any" and not kept:
                    continue
                dropped = Pattern.model_validate({**pattern.model_dump(), kind: kept})
                if not mistaken(Concepts.compile({name: dropped}), {name: dropped}):
                    unnoticed.append((name, kind, written[place]))
    assert unnoticed == []


# What a reader does not notice: each keeps a sentence the same to the eye, or nearly so.
LOOK_ALIKES = {
    "curly quotes": lambda text: text.replace("'", "\u2019").replace('"', "\u201d"),
    "non-breaking spaces": lambda text: text.replace(" ", "\u00a0"),
    "narrow spaces": lambda text: text.replace(" ", "\u202f"),
    "double spaces and a new line": lambda text: text.replace(" ", "  ", 2).replace(" ", "\n", 1),
    "zero-width spaces": lambda text: "\u200b".join(text[i : i + 3] for i in range(0, len(text), 3)),
    "word joiners and soft hyphens": lambda text: text.replace("e", "\u00ade\u2060"),
    "fullwidth letters": lambda text: "".join(
        chr(ord(char) + 0xFEE0) if "a" <= char <= "z" or "A" <= char <= "Z" else char for char in text
    ),
    "upper case": str.upper,
    "bold": lambda text: " ".join(f"**{word}**" if n % 4 == 1 else word for n, word in enumerate(text.split(" "))),
    "another dash": lambda text: text.replace("-", "\u2011"),
}
# What a paraphrase puts around a claim without denying it.
FRAMES = (
    "{}",
    "Hi there, thanks for writing! {} Have a good day.",
    "Just so you know: {}",
    "- {}\n- Anything else, just ask.",
    "Good news. {} We hope that helps.",
    "> {}",
    "As our help centre says, \u201c{}\u201d",
    "We can't tell you more today. {}",
)


def test_five_hundred_variants_of_matching_sentences_all_match(suite) -> None:
    chance = random.Random(20261130)
    examples = [(name, text) for name, pattern in suite.patterns.items() for text in pattern.matches]
    kinds = list(itertools.product(LOOK_ALIKES, FRAMES))
    from evalkit.card import as_read

    missed = []
    for (name, text), (look, frame) in zip(
        chance.sample(examples, 500),
        itertools.islice(itertools.cycle(chance.sample(kinds, len(kinds))), 500),
        strict=True,
    ):
        # Upper case has no small sharp s, and fullwidth signs are not what a reply is written in.
        variant = LOOK_ALIKES[look](frame.format(text))
        hits = suite.concepts.find(as_read(variant), [name])
        if not any(not hit.negated for hit in hits):
            missed.append((name, look, variant))
    assert missed == []
