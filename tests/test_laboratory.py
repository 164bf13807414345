"""The pattern laboratory: recall and precision by pairs, coverage of replies, and what is too broad."""

from __future__ import annotations

import pytest

from evalkit.laboratory import Reply, Sentence, coverage, try_on_sentences
from evalkit.loading import check_files

CASES = "- {id: A, ticket: {body: b}, must_include: [refund]}\n- {id: B, ticket: {body: b}, must_include: [soon]}\n"
PATTERNS = "refund: ['refunds?', 'money back', 'reimburse']\nsoon: ['soon', 'shortly']\n"


@pytest.fixture
def suite():
    files = {"cases/a.yaml": CASES, "patterns.yaml": PATTERNS}
    return check_files({name: text.encode() for name, text in files.items()}, name="lab").suite


def test_recall_is_over_what_people_labelled_and_precision_over_what_was_found(suite) -> None:
    sentences = [
        Sentence(text="Your refund comes soon.", says=("refund", "Soon")),
        Sentence(text="You get it all returned.", says=("refund",)),
        Sentence(text="Your money back shortly, we hope.", says=("soon",)),
        Sentence(text="We cannot refund it."),
    ]
    found = try_on_sentences(suite, sentences)
    # Labelled: 4 pairs, of which "returned" is missed; found: those 3 and a refund that nobody labelled.
    assert (found.recall.value, found.recall.n) == (3 / 4, 4)
    assert (found.precision.value, found.precision.n) == (3 / 4, 4)
    assert (found.sentences, found.silent) == (4, 1)
    assert found.by_concept == {"refund": (2, 1, 1), "soon": (2, 2, 0)}
    assert [(each.concept, each.found, each.said) for each in found.mistakes] == [
        ("refund", False, ""),
        ("refund", True, "money back"),
    ]


def test_nothing_labelled_and_nothing_found_is_not_measured(suite) -> None:
    found = try_on_sentences(suite, [Sentence(text="Hello.")])
    assert (found.recall.value, found.precision.value) == (None, None)
    assert found.recall.reason


def test_coverage_counts_distinct_replies_and_says_which_hits_count_for_nothing(suite) -> None:
    replies = [
        Reply("A", "ROUTE: direct\n\nA refund. A refund."),
        Reply("A", "ROUTE: direct\n\nA refund. A refund."),
        Reply("A", "ROUTE: direct\n\nWe can't refund that."),
        Reply("B", "ROUTE: direct\n\nShortly, with your money back."),
    ]
    refund, soon = coverage(suite, replies)
    assert (refund.asked, refund.others, refund.replies, refund.elsewhere) == (2, 1, 2, 1)
    assert refund.hits == {"refunds?": 3, "money back": 1, "reimburse": 0}
    assert refund.never == ("reimburse",)
    assert (refund.negated, refund.denied) == (1, ("We can't «refund» that.",))
    assert (soon.asked, soon.replies, soon.elsewhere) == (1, 1, 0)
    # One reply in others is too few to call an alternative broad.
    assert refund.broad == ()


def test_an_alternative_in_a_tenth_of_the_replies_that_do_not_ask_for_it_may_be_too_broad(suite) -> None:
    said = ["We will see." for _ in range(18)] + ["A refund." for _ in range(2)]
    replies = [Reply("B", f"ROUTE: direct\n\n{n}: {text}") for n, text in enumerate(said)]
    refund, _ = coverage(suite, replies)
    assert refund.broad == (("refunds?", 2),)
    (fewer, _) = coverage(suite, replies[:19])
    assert fewer.broad == ()
