"""Negation scope: what stands only inside a negation is no claim, and in doubt it is one.

In each sentence the hit stands in [brackets].
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.folding import fold
from evalkit.negation import negated
from evalkit.negation.scope import AFTER, BEFORE

DENIED = r"""
# The design's own
I can't issue a [refund]
We do not offer [refunds]
[Refunds] are not possible
I can't [refund] it twice, so I refunded it once
# What is denied goes on to the hit
I can't promise that you will get a [refund]
I do not think you will get a [refund]
You will not be able to get a [refund]
You do not automatically get a [refund]
You cannot get a [refund]
We can't approve your request for a [refund]
You are not eligible for a [refund]
There is no way to get a [refund]
The [refund] was denied.
Your [refund] request was rejected.
We do not offer [refunds].
No item that is on sale is [refundable]
We are not in a position to [refund]
I'm not able to offer you a [refund]
It is not our policy to [refund]
# An auxiliary and "not", in every spelling
I can’t give a [refund]
I cannot issue a [refund]
I cant give a [refund]
i dont think you get a [refund]
We do n't [refund]
We won't be able to [refund] you
I'm not able to issue a [refund] here.
We aren't going to [refund] you.
It isn't possible to get a [refund].
This cannot be treated as a [refund]
I can't promise that you will get a [refund]
I do not see any [refund] on your account
If you do not want a [refund], tell us
# Other words that deny
We never [refund]
We've never before given a [refund]
We no longer offer [refunds]
We do not yet offer [refunds]
There is no [refund].
There are no [refunds] on renewals
No customer gets a [refund]
no-[refund] policy
We offer no discount or [refund].
Nobody gets a [refund]
None of these get a [refund]
There is nothing to [refund]
There is no way to get a [refund].
Unfortunately I am unable to issue a [refund]
It is impossible to [refund] you
You are ineligible for a [refund]
You are not eligible for a [refund]
We refuse to [refund] this
We declined to [refund] this
Neither [refunds] nor credits are given
Neither refunds nor [credits] are given
We don't ship, nor do we [refund]
The fee is non-[refundable].
# "Without" reaches a few words
You leave without a [refund]
Without issuing a [refund], we close it
# What joins and lists does not end the clause
We can't [refund] or cancel
We can't refund or [cancel]
We do not offer [refunds], credits, or exchanges
We do not offer refunds, [credits], or exchanges
We do not offer refunds, credits, or [exchanges]
We do not offer refunds, [credits] or exchanges
You can't get a [refund], cancel or pause.
We don't offer a discount or a [refund].
We cannot and do not offer [refunds]
Orders can't be cancelled and [refunded].
# Asides
I can't, unfortunately, issue a [refund]
I can't (at this time) issue a [refund]
I can't - unfortunately - issue a [refund]
I can't—unfortunately—issue a [refund]
We do not, under any circumstances, offer [refunds].
We do not offer e.g. [refunds].
# What looks like an end of clause and is none
I can't open store.example/a.b and give a [refund]
I can't take 1,093.34 off it as a [refund]
It can't be\n[refunded] now
We do **not** offer **[refunds]**
We do not offer [[refunds](https://example.org/a)]
# Behind the hit, by a closed list
A [refund] is not something we can offer
**[Refunds]** are *not* possible.
[Refunds] aren't available for digital goods.
[Refunds] for digital goods are not available.
[Refunds] for orders that are older than 30 days are not possible
[Refunds] (full or partial) are not possible
[Refunds] and exchanges are not possible
[Refund] requests are not accepted
[Refunds] cannot be issued.
[Refunds] will not be given
[Refunds] are no longer offered
[Refunds], unfortunately, are not possible.
A [refund] is, unfortunately, not possible
A [refund] isn't an option
[Refunds] are impossible
[Refunds] are out of the question
# Labels
[Refund]: no
**[Refund]:** Not possible.
- [Refund]: none - sorry
| [Refund] | not available | x |
# A duty that is denied, said of the hit itself
You do not have to [pay again].
You don't have to [connect Discord].
We have no obligation to [refund] you
There is no reason to [refund] you.
There is no need for a [refund]
# Other verbs and nouns
Please don't [retry the payment].
It does not cost [$29] any more.
It is not in the [spam folder].
I have not [passed this to our team].
Never [send us your password].
You don't [need the commercial] licence for that.
# German, Spanish, French
Sie erhalten keine [Erstattung].
Eine [Erstattung] ist leider nicht möglich.
Wir [erstatten] den Betrag nicht.
Wir können den Betrag nicht [erstatten].
Wir [erstatten] leider keine Gebühren.
Ohne [Erstattung].
No ofrecemos [reembolsos].
Nunca damos [reembolsos].
Los [reembolsos] no son posibles.
Nous ne [remboursons] pas.
Nous ne pouvons pas vous [rembourser].
Le [remboursement] n'est pas possible.
Aucun [remboursement].
"""

CLAIMED = r"""
# What is denied ends before the hit, or is itself a denial
[Refunds] are not only possible, they're easy.
Files that do not print are [refunded].
Orders not delivered are [refunded].
Everything you have not downloaded will be [refunded].
Whoever is not happy is [refunded].
What you don't use is [refunded].
When files don't print we [refund].
In case it does not print you get a [refund].
If nobody answers you get a [refund].
You don't need a receipt for a [refund].
We do not charge a fee for a [refund].
No action is needed for the [refund].
There is no time limit for [refunds].
You have not lost your right to a [refund].
We cannot refuse a [refund].
We never fail to [refund].
It isn't unreasonable to expect a [refund].
I don't doubt that you'll get a [refund].
# The design's own
Don't worry, your [refund] is on its way
We can't ship it, but you get a [refund]
Not only a [refund] but a gift
There is no reason to wait: [refunded]
I can't refund it twice, so I [refunded] it once
# No negation at all, or in another sentence, line or clause
Yes, a [refund] is possible
The knot is here: [refund]
It can't be shipped. [Refund] issued.
I can't ship it.[Refund] issued
I can't ship it! [Refund] issued
I can't ship it\n[Refund] issued
• We can't ship\n• [Refund] issued
I can't ship it—you get a [refund]
I can't ship the chair—your [refund] is here
I can't ship it.Your [refund] is here
I can't ship it - you get a [refund]
I can't ship it; you get a [refund]
I can't ship it (you get a [refund])
| not shipped | [refund] |
[Refund] issued. Credits are not possible.
You get a [refund]. No, really.
# Commas that end the clause
No, you will get a [refund]
Do not wait, request a [refund]
We can't ship it, you get a [refund] or a credit
We don't ship, we offer refunds, [credits], or exchanges
# Words that begin a clause
We can't do anything until your [refund] arrives
It isn't late because we [refunded] it
We do not charge extra when we [refund] you
You won't be charged during your [refund]
It can be cancelled without cover only if we [refunded] it
You get more than a [refund], not less
We have nothing but [refunds]
# "And" with a clause behind it
We can't and you'll get a [refund]
We can't ship it and your [refund] is on its way
We can't ship it and [refunded] you
You won't be charged and will get a [refund]
Do not reply or you lose your [refund]
# A main clause whose comma is missing
We can't ship it you get a [refund]
If we can't find it we will [refund] you
As we cannot ship the item we will [refund] you
Although it's not our policy we will [refund] you
# Idioms
You're not too late for a [refund]
Nothing stands in the way of your [refund]
Don't worry your [refund] is on its way
Not to worry, your [refund] is here
Not just a [refund].
Please don't hesitate to request a [refund]
Don't forget to request your [refund]
Why not request a [refund]?
Why don't you request a [refund]?
Don't you want a [refund]?
Isn't your [refund] here yet? It was sent
I can't wait to [refund] you
No problem, [refunded]
No worries - [refund] sent!
[Refund]: no problem
No doubt you will get a [refund]
No matter what, we [refund] you
No later than Friday you get a [refund]
In no time you will have your [refund]
A no-hassle [refund]
It's not a problem to [refund] you
There is no charge for a [refund]
Not all [refunds] take long.
You do not always get a [refund]
We can never thank you enough for waiting for your [refund]
I could not be happier to [refund] you
This does not affect your [refund]
Nothing stops you from getting a [refund]
We won't deny you a [refund]
Whether or not you ask, you get a [refund]
Your order 5 has no 5 stickers. [Refund]
# "Without" reaches no further
Without delay you will get a [refund]
Without any doubt this is a [refund]
You can pause without losing your [refund]
Without a card on file send the [refund] by post
Without cover you get [refunds]
# "Decline" without "to"
You may decline a call about your [refund]
# A duty that is denied, said of something else
You don't need to ask for a [refund]
No need to call us for a [refund]
You don't have to send it back to get a [refund]
There's no need to worry about your [refund]
# Two negations
I can't see why you would not get a [refund]
We can't cancel without issuing a [refund]
We never said that [refunds] are not possible
# Behind the hit, whatever is not on the list
Your [refund] is not late
You will get a [refund] without delay
[Refunds] are possible, not credits
[Refunds] take no more than 5 days
Your [refund] has arrived and we are not closed
# German, Spanish, French
Keine Sorge, Ihre [Erstattung] kommt.
Nicht nur eine [Erstattung], auch Guthaben.
Kein Problem, die [Erstattung] ist da.
Wir liefern nicht, aber Sie erhalten eine [Erstattung].
Ihre [Erstattung] kommt nicht zu spät an, versprochen.
No se preocupe, su [reembolso] llegará.
Sin duda recibirá un [reembolso].
N'hésitez pas à demander un [remboursement].
Pas de problème, [remboursement] fait.
"""


def sentences(block: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in block.strip().splitlines() if not line.startswith("# ")]


def denies(marked: str) -> bool:
    """Whether the part in the innermost brackets is negated in the sentence."""
    opened = marked.rindex("[", 0, marked.index("]"))
    hit, rest = marked[opened + 1 :].split("]", 1)
    # The folded text before the hit is as long with a letter in the hit's place, which keeps the white space.
    start = len(fold(f"{marked[:opened]}x").text) - 1
    return negated(fold(f"{marked[:opened]}{hit}{rest}"), start, start + len(fold(hit).text))


@pytest.mark.parametrize("sentence", sentences(DENIED))
def test_what_stands_inside_a_negation_is_no_claim(sentence: str) -> None:
    assert denies(sentence)


@pytest.mark.parametrize("sentence", sentences(CLAIMED))
def test_what_stands_outside_a_negation_or_in_doubt_is_a_claim(sentence: str) -> None:
    assert not denies(sentence)


def test_the_target_of_a_link_is_not_read() -> None:
    folded = fold("We do not offer [our](https://example.org/a) refunds")
    start = folded.text.index("refunds")
    assert negated(folded, start, start + len("refunds"))


def test_a_negation_inside_the_hit_belongs_to_the_concept() -> None:
    assert not denies("Your credit [doesn't expire]")
    assert not denies("[Not possible]")
    assert denies("It is not true that your credit [expires]")


def test_a_negator_is_seen_as_far_as_the_window_reaches_and_no_further() -> None:
    # "not " and the filler fill the window exactly; one character more, and "not" is cut in half.
    filler = "ab " * ((BEFORE - len(" not ")) // 3)
    assert denies(f"{'x' * 50}. {'y' * 50} not {filler}[refund]")
    assert not denies(f"{'x' * 50}. {'y' * 50} not {filler}ab ab [refund]")


def test_half_a_word_at_the_rim_of_the_window_is_no_negator() -> None:
    # What is seen begins with the last three letters of "slipknot".
    filler = f"{' ab' * BEFORE}"[: BEFORE - len("not") - 1]
    assert not denies(f"{'x' * 50} slipknot{filler} [refund]")


def test_a_denial_behind_the_hit_is_seen_as_far_as_the_window_reaches() -> None:
    assert not denies(f"[Refunds] for {'a' * AFTER} are not possible")


@pytest.mark.parametrize("text", ["refund", "not", "not refund", "n't", "- refund", ", refund", "not, refund or"])
def test_a_hit_may_be_the_whole_text_or_stand_at_its_rim(text: str) -> None:
    folded = fold(text)
    assert negated(folded, 0, len(folded.text)) is False
    assert negated(folded, 0, 1) in (True, False)
    assert negated(folded, len(folded.text), len(folded.text)) in (True, False)


pieces = st.sampled_from(
    [
        *(
            "not",
            "n't",
            "no",
            "never",
            "without",
            "or",
            "and",
            "but",
            "if",
            "why",
            "you",
            "it",
            "can",
            "refund",
            "you'll",
        ),
        *(
            ",",
            ".",
            "(",
            ")",
            " - ",
            "—",
            "\n",
            "e.g.",
            "[x](y)",
            "**",
            "don't need to",
            "unfortunately",
            "5",
            "ne",
            "pas",
        ),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(pieces, max_size=15), st.lists(pieces, max_size=15))
def test_any_text_is_decided_and_a_full_stop_with_a_blank_line_ends_every_scope(
    before: list[str], after: list[str]
) -> None:
    left, right = " ".join(before), " ".join(after)
    folded = fold(f"{left} |refund| {right}")
    start = folded.text.index("|refund|") + 1
    assert negated(folded, start, start + 6) in (True, False)
    apart = fold(f"{left}.\n\nX refund y.\n\nX {right}")
    start = apart.text.index("X refund y") + 2
    assert negated(apart, start, start + 6) is False


@pytest.mark.parametrize(
    "piece",
    ["not ", "a", ",", "not, ", "no refund or ", "(", "- ", "e.g. ", "is not ", "i you ", "and ", "\n", "for a "],
)
def test_the_time_for_one_hit_does_not_grow_with_the_text(piece: str) -> None:
    def seconds(copies: int) -> float:
        folded = fold(f"{piece * copies} refund {piece * copies}")
        start = folded.text.rindex("refund", 0, len(folded.text) // 2 + 20)
        assert folded.breaks is not None
        best = float("inf")
        for _ in range(5):
            begun = time.process_time()
            for _ in range(200):
                negated(folded, start, start + 6)
            best = min(best, time.process_time() - begun)
        return best

    assert seconds(40_000) < 3 * seconds(1_000) + 0.01
