"""Flex patterns: a concept is found by any of its alternatives, on whole words, in linear time."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterator

import pytest
from conftest import ROOT
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from evalkit.errors import PatternError
from evalkit.folding import fold
from evalkit.loading import load_suite
from evalkit.patterns import Concepts, Pattern, concept_key
from evalkit.patterns import blocks as blocks_module
from evalkit.patterns import concepts as concepts_module
from evalkit.patterns import vocabulary as vocabulary_module
from evalkit.patterns import windows as windows_module
from evalkit.patterns.alternatives import MAX_CHARS, MAX_SIZE
from evalkit.patterns.examples import mistaken, unproved
from evalkit.patterns.words import needs

NEVER_EXPIRES = Pattern(
    any=["never expires?", "(does ?n[o']t|will not|won't) expire", "locked in", "no rush"],
    unless=["(could|might) expire"],
    matches=["Your credit doesn't expire.", "It is locked in."],
    misses=["Your credit expires in May."],
)


def of(*alternatives: str, unless: tuple[str, ...] = ()) -> Concepts:
    return Concepts.compile({"it": Pattern(any=alternatives, unless=unless)})


@pytest.fixture(autouse=True, scope="module", params=[0, concepts_module.FEW], ids=["ruled out together", "one by one"])
def _both_ways(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test holds however few alternatives are looked for one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concepts_module, "FEW", request.param)
        # Each look is a look of its own here.
        patch.setattr(concepts_module, "SHORT", -1)
        yield


def found(concepts: Concepts, text: str) -> list[str]:
    """The hits of a text, as they stand in it."""
    return [text[hit.start : hit.end] for hit in concepts.find(text)]


def fault(*alternatives: str) -> str:
    with pytest.raises(PatternError) as caught:
        of(*alternatives)
    return str(caught.value)


# What people write -------------------------------------------------------------------------------------------------


def test_the_printed_example_holds_what_it_says() -> None:
    concepts = Concepts.compile({"never expires": NEVER_EXPIRES})
    assert mistaken(concepts, {"never expires": NEVER_EXPIRES}) == []
    assert concepts.notices == ()
    assert found(concepts, "It never expires, it doesn’t expire: no rush.") == [
        "never expires",
        "doesn’t expire",
        "no rush",
    ]


def test_a_plain_list_means_any_and_a_misspelt_key_is_refused() -> None:
    assert Pattern.model_validate(["a", "b"]) == Pattern(any=("a", "b"))
    assert Pattern.model_validate_json(json.dumps({"any": ["a"]})) == Pattern(any=("a",))
    for wrong in ({"any": ["a"], "unles": ["b"]}, {"any": []}, {"any": [" "]}, {"any": "a"}, {"any": [5]}, {}):
        with pytest.raises(ValidationError):
            Pattern.model_validate(wrong)
    with pytest.raises(ValidationError):
        NEVER_EXPIRES.any = ()  # type: ignore[misc]


def test_an_example_that_does_not_hold_is_a_fault_of_its_concept() -> None:
    patterns = {
        "good": NEVER_EXPIRES,
        "refund": Pattern(
            any=["refunds?"],
            unless=["refund policy"],
            matches=["Your refund is here.", "We owe you", "We can't refund.", "See the refund policy."],
            misses=["We can't refund.", "Your Refund is here."],
        ),
    }
    faults = mistaken(Concepts.compile(patterns), patterns)
    assert [(each.where, each.file, each.line) for each in faults] == [("refund", "", None)] * 4
    said = [each.message for each in faults]
    assert "'We owe you' is not hit" in said[0]
    assert "'We can't refund.' is hit only inside a negation" in said[1].replace('"', "'")
    assert "'See the refund policy.' is not hit" in said[2]
    assert "'Your Refund is here.' is hit at 'Refund' by `refunds?`" in said[3]


def test_an_alternative_that_no_example_needs_is_noticed() -> None:
    patterns = {
        "refund": Pattern(
            any=["refunds?", "refunded", "refund", "no refunds", "gone"],
            unless=["refund policy", "refund desk"],
            matches=["Your refunds are here.", "You were refunded.", "We give no refunds."],
            misses=["See the refund policy.", "We sell."],
        ),
    }
    noticed = unproved(Concepts.compile(patterns), patterns)
    # "no refunds" claims where "refunds?" is denied; "refund" is a whole word that no sentence holds.
    assert [(each.where, each.message.split(":")[0]) for each in noticed] == [
        ("refund", "`refund`"),
        ("refund", "`gone`"),
        ("refund", "`refund desk` (unless)"),
    ]


def test_names_are_compared_folded_and_without_case() -> None:
    assert concept_key(" Can’t\u00a0Wait ") == concept_key("can't wait")
    concepts = Concepts.compile({"Never Expires": NEVER_EXPIRES})
    assert [hit.concept for hit in concepts.find("no rush", ["never  expires"])] == ["Never Expires"]
    with pytest.raises(PatternError, match="NEVER expires: is the same concept as 'Never Expires'"):
        Concepts.compile({"Never Expires": NEVER_EXPIRES, "NEVER expires": NEVER_EXPIRES})
    with pytest.raises(PatternError, match="blank"):
        Concepts.compile({"\u200b": NEVER_EXPIRES})


def test_only_the_wanted_concepts_are_found_and_an_unknown_one_is_a_fault() -> None:
    concepts = Concepts.compile({"a": Pattern(any=["x"]), "b": Pattern(any=["y"])}, ["z"])
    assert [hit.concept for hit in concepts.find("z y x")] == ["z", "b", "a"]
    assert [hit.concept for hit in concepts.find("z y x", ["b", "Z"])] == ["z", "b"]
    assert concepts.find("z y x", []) == ()
    with pytest.raises(PatternError, match="c: is no concept here"):
        concepts.find("x", ["a", "c"])


def test_a_phrase_that_names_no_concept_is_matched_as_it_stands() -> None:
    concepts = Concepts.compile({"refund": Pattern(any=["money back"])}, ["Refund", "50% off (today)", "C++", "a.c"])
    assert found(concepts, "Refund") == []  # that is the concept's name, not a phrase
    assert found(concepts, "Now 50 % off") == []
    assert found(concepts, "Now 50%  OFF (today)!") == ["50%  OFF (today)"]
    assert found(concepts, "C++20, c++ and xC++") == ["C++", "c++"]
    assert found(concepts, "abc a.c") == ["a.c"]
    with pytest.raises(PatternError, match="nothing to look for"):
        Concepts.compile({}, ["\u200b"])
    with pytest.raises(PatternError, match=f"longer than {MAX_CHARS:,}"):
        Concepts.compile({}, ["x" * (MAX_CHARS + 1)])


def test_a_dictionary_without_concepts_finds_nothing() -> None:
    assert Concepts.compile({}).find("anything") == ()
    assert of("x").find("") == ()


# Folding, case, words ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        "doesn’t expire",
        "DOESN'T EXPIRE",
        "doesn't\u00a0expire",
        "doesn't\u200b expire",
        "doesn't\nexpire",
        "doesn't   expire",
        "do\u00adesn't ex\u00adpire",
        "ｄｏｅｓｎ＇ｔ ｅｘｐｉｒｅ",
        "does n't expire",
        "doesn`t expire",
    ],
)
def test_a_reply_is_found_however_it_is_typed_and_its_span_is_as_it_was_written(reply: str) -> None:
    text = f"“Well” — it {reply}, ﬁne…"
    assert found(Concepts.compile({"never expires": NEVER_EXPIRES}), text) == [reply]


@pytest.mark.parametrize(
    ("alternative", "text", "hits"),
    [
        # On whole words, in any script; an underscore is Markdown and no letter.
        ("refund", "refunds prerefund refund2 refund", ["refund"]),
        (
            "refund",
            "_refund_ **Refund** (refund) refund's -refund-",
            ["refund", "Refund", "refund", "refund", "refund"],
        ),
        ("refund", "érefund refundé refund\u0301 Жrefund refund٣", []),
        ("caf", "café cafe\u0301", []),
        ("café", "CAFÉ cafe\u0301 cafés", ["CAFÉ", "cafe\u0301"]),
        ("возврат", "Возврат, возврата.", ["Возврат"]),
        ("caf|café", "café", ["café"]),
        ("refunds?", "refundsé refunds", ["refunds"]),
        ("refund refund|refund", "refund refundé refund", ["refund", "refund"]),
        # Scripts without spaces.
        ("退款", "我们可以退款给您", ["退款"]),
        ("退款", "iPhone退款ok退款退款", ["退款", "退款", "退款"]),
        ("iPhone", "我的iPhone坏了", ["iPhone"]),
        ("คืนเงิน", "เราจะคืนเงินให้คุณ", ["คืนเงิน"]),
        ("ユーザ", "ユーザー", ["ユーザ"]),
        ("退款|a", "退款退款 a", ["退款", "退款", "a"]),
        ("[^a-z]at", "x5at", ["5at"]),
        # An edge of punctuation or symbols asks for no boundary there.
        (r"\$12", "US$12 $12 $123", ["$12", "$12"]),
        ("5 €", "5 €uro 15 € 5 €", ["5 €", "5 €"]),
        ("50%", "50%ig 150% 50%", ["50%", "50%"]),
        ("/sync", "use/sync /sync /synced", ["/sync", "/sync"]),
        ("C#", "C#7 c# xc#", ["C#", "c#"]),
        # An edge that may be either asks for one.
        (r"[$€] ?12|12 (€|EUR)", "x€12 €12 12 €, 12 €x", ["€12", "12 €"]),
        ("(^| )no( |$)", "no", ["no"]),
        (r"(\W|^)no(\W|$)", "say no!", [" no!"]),
        ("([^a-z]|^)no([^a-z]|$)", "say no!", [" no!"]),
        ("[^.]efund", "prefund refund", ["refund"]),
        ("#?role", "my#role roles", ["role"]),
        ("refund!?", "refundx refund! refund", ["refund!", "refund"]),
        # A separator serves two hits.
        ("refund", "refund refund,refund", ["refund", "refund", "refund"]),
        ("a", "a a a", ["a", "a", "a"]),
        # Anchors are the whole text's.
        ("^yes", "Yes. Yes.", ["Yes"]),
        ("yes$", "yes yes", ["yes"]),
        (r"\Ayes\Z", "yes", ["yes"]),
        (r"\byes\b", "yes yesterday", ["yes"]),
    ],
)
def test_an_alternative_is_found_on_whole_words(alternative: str, text: str, hits: list[str]) -> None:
    assert found(of(alternative), text) == hits


@pytest.mark.parametrize(
    ("alternative", "text", "hits"),
    [
        # Classes know every script.
        (r"\w+ refund", "größere refund", ["größere refund"]),
        (r"\w+", "नमस्ते", ["नमस्ते"]),
        (r"[\w-]+x", "é-ßx", ["é-ßx"]),
        (r"a[^\W_]b", "aéb a_b a-b", ["aéb"]),
        (r"a[\W_]b", "aéb a_b a-b a b a→b", ["a_b", "a-b", "a b", "a→b"]),
        (r"a\Wb", "aéb a_b a→b", ["a→b"]),
        (r"\d+ days", "١٢ days", ["١٢ days"]),
        (r"[\d.]+x", "1.٢x", ["1.٢x"]),
        (r"a\Db", "a1b aéb", ["aéb"]),
        (r"a[\D]b", "a1b aéb", ["aéb"]),
        (r"a\sb", "a\u2003b a\n\nb", ["a\u2003b", "a\n\nb"]),
        (r"a\nb|c\tb", "a\nb c b", ["a\nb", "c b"]),
        (r"a[\s,]b", "a\nb a,b", ["a\nb", "a,b"]),
        (r"a\Sb", "a b a.b", ["a.b"]),
        (r"a[\S]b", "a b a.b", ["a.b"]),
        (r"\p{Greek}+", "xαβγ αβγ", ["αβγ"]),
        # Alternatives are folded as texts are.
        ("doesn’t", "doesn't", ["doesn't"]),
        ("doesn`t", "doesn't", ["doesn't"]),
        ("no\u00a0rush", "no rush", ["no rush"]),
        ("no  rush ", "no rush", ["no rush"]),
        ("no\n  rush", "no rush", ["no rush"]),
        ("[’‘]x", "'x", ["'x"]),
        ("a[–—]b", "a-b", ["a-b"]),
        ("[+–9]x", "-x +x 5x", ["-x", "+x"]),
        ("a–b", "a—b", ["a—b"]),
        ("ﬁx", "fix", ["fix"]),
        ("ﬁ?x", "x fix", ["x", "fix"]),
        ("cafe\u0301s?", "cafés", ["cafés"]),
        ("ｶﾞ", "ガ", ["ガ"]),
        ("re\u200bfund\ufeff", "refund", ["refund"]),
        (r"doesn\u2019t|\x{201c}x|a\xA0b", "doesn't \"x a b", ["doesn't", '"x', "a b"]),
        # What folding brings in is never a metacharacter.
        ("（a）", "(a) a", ["(a)"]),
        ("a＊", "a* aaa", ["a*"]),
        ("wait…", "wait... waitxyz", ["wait..."]),
        ("［a］", "[a] a", ["[a]"]),
        ("a＋b｜c", "a+b|c aab c", ["a+b|c"]),
        ("[＾a]x", "^x ax bx", ["^x", "ax"]),
        ("［＼ｄ］", r"[\d] 5", [r"[\d]"]),
        # What else RE2 and people write.
        (r"\Qa.b\E+", "a.bb acb", ["a.bb"]),
        ("(?P<x>a)(?<y>b)(c)", "abc", ["abc"]),
        ("(?i:A)b", "ab", ["ab"]),
        ("(?-i:IT)", "it IT", ["IT"]),
        ("a{,2}b", "aab", ["aab"]),
        ("a{2}|b{x}", "aa b{x}", ["aa", "b{x}"]),
        (r"a\_b\-c\/d", "a_b-c/d", ["a_b-c/d"]),
        ("[]a]x|[^]b]y", "]x ay by", ["]x", "ay"]),
        ("[[:alpha:]]9", "a9", ["a9"]),
        ("straße", "STRASSE Straße STRAẞE", ["Straße", "STRAẞE"]),
    ],
)
def test_an_alternative_means_the_same_in_every_script_and_spelling(
    alternative: str, text: str, hits: list[str]
) -> None:
    assert found(of(alternative), text) == hits


def test_the_longest_of_overlapping_hits_is_given_with_the_alternative_that_hit() -> None:
    hits = of("refund", "refund (is )?(sent|issued)", "is sent today").find("Your refund is sent today. A refund.")
    assert [(hit.alternative, hit.start, hit.end) for hit in hits] == [
        ("refund (is )?(sent|issued)", 5, 19),
        ("refund", 29, 35),
    ]


def test_hits_of_different_concepts_do_not_displace_each_other() -> None:
    concepts = Concepts.compile({"a": Pattern(any=["refund"]), "b": Pattern(any=["refund sent"])})
    assert [(hit.concept, hit.start) for hit in concepts.find("refund sent")] == [("a", 0), ("b", 0)]


def test_a_hit_inside_unless_is_no_hit_and_one_that_sticks_out_is() -> None:
    concepts = of("expires?", "expire (in|on) \\w+", unless=("(could|might) expire", "“never expires”"))
    assert found(concepts, "It might expire.") == []
    assert found(concepts, "It might expire on Monday, or it expires.") == ["expire on Monday", "expires"]
    assert found(concepts, 'We say "never expires".') == []
    # The shorter one stands nearer and is no cover; the longer one is.
    assert found(of("expire", unless=("a b expire x", "b")), "a b expire x, b expire x") == ["expire"]


# Negation ------------------------------------------------------------------------------------------------------------


def test_every_hit_is_kept_and_says_whether_it_is_negated() -> None:
    text = "I can’t refund it twice, so I refunded it once."
    hits = of("refund(ed)?").find(text)
    assert [(text[hit.start : hit.end], hit.negated) for hit in hits] == [("refund", True), ("refunded", False)]


def test_a_fact_inside_a_negation_is_absent_and_one_that_is_a_negation_is_present() -> None:
    concepts = Concepts.compile({"link": Pattern(any=["download link"]), "never expires": NEVER_EXPIRES})
    hits = concepts.find("There is no download link yet.\nYour credit doesn't expire.")
    assert [(hit.concept, hit.negated) for hit in hits] == [("link", True), ("never expires", False)]


def test_a_line_break_ends_a_negation_where_the_folded_text_shows_none() -> None:
    assert [hit.negated for hit in of("refund").find("I can't ship it\nRefund issued")] == [False]
    assert [hit.negated for hit in of("refund").find("I can't issue\na refund")] == [True]


# Faults --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alternative", "says"),
    [
        ("a(?=b)", "looking ahead is not possible; write what follows"),
        ("a(?!b)", "under `unless`"),
        ("(?<=a)b", "looking behind is not possible; write what precedes"),
        ("(?<!not )refund", "negation is found by itself"),
        (r"(a)\1", "pointing back"),
        ("(?P<x>a)(?P=x)", "pointing back"),
        ("a++", "drop the last +"),
        ("a{2}+", "drop the last +"),
        ("(?>a)", "write (?:…)"),
        ("a(?#why)", "YAML comment"),
        ("(?(1)a|b)", "two alternatives"),
        ("(?x)a", "of the flags it has"),
        (r"a\K", "RE2 lacks it"),
        (r"a\C", "write . for any character"),
        ("a)", r"write \)"),
        ("(a", r"write \("),
        ("[a", r"write \["),
        ("a\\", "ends inside"),
        ("*a", r"write \*"),
        ("a**", "repeats nothing"),
        ("[z-a]", "invalid character class range"),
        (r"\p{Foo}", "RE2 cannot read it"),
        (r"\x{110000}", "is no character"),
        ("[ﬁ]x", "write (?:…|fi)"),
        ("[\u200b]x", "no visible character"),
        ("a{1001}", "repeats too much"),
        (".{0,900}", "too large: 900 characters"),
        ("(.{0,30}x){20}", "write smaller numbers"),
        (r"(\w+ ){0,60}x", "too large"),
        ("x" * (MAX_CHARS + 1), "split it into several alternatives"),
        ("(a)?", "can match no text"),
        ("a*|b", "can match no text"),
        ("a|", "can match no text"),
        ("a{0,3}", "can match no text"),
        ("a{,3}b{0}", "can match no text"),
        ("()", "can match no text"),
        (r"\b", "can match no text"),
        ("^$", "can match no text"),
        ("\u200b", "can match no text"),
    ],
)
def test_what_cannot_be_matched_is_a_fault_that_says_what_to_write(alternative: str, says: str) -> None:
    message = fault(alternative)
    assert message.startswith("it: `")
    assert says in message


def test_all_faults_are_listed_with_concept_and_alternative_and_no_place() -> None:
    patterns = {
        "one": Pattern(any=["(?=a)b", "good", "b)"], unless=["c*"]),
        "two": Pattern(any=["fine"]),
        "three": Pattern(any=["[d"]),
    }
    with pytest.raises(PatternError) as caught:
        Concepts.compile(patterns, ["\u00ad"])
    faults = caught.value.faults
    assert [(each.file, each.line, each.where) for each in faults] == [
        ("", None, where) for where in ("one", "one", "one", "three", "\u00ad")
    ]
    assert [each.message.split("`")[1] for each in faults] == ["(?=a)b", "b)", "c*", "[d", "\u00ad"]


def test_an_alternative_as_large_as_is_possible_is_read() -> None:
    assert found(of(f"a.{{0,{MAX_SIZE - 2}}}b"), "a and b") == ["a and b"]


def test_a_needless_word_boundary_is_a_notice() -> None:
    concepts = Concepts.compile({"it": Pattern(any=[r"\brefund\b", "fine", r"a\\b"], unless=[r"\Bx"])})
    assert [each.where for each in concepts.notices] == ["it", "it"]
    assert [each.message.split("`")[1] for each in concepts.notices] == [r"\brefund\b", r"\Bx"]


# Against a plain reference ---------------------------------------------------------------------------------------------

# Python's re, one alternative, one position after the other; "_" is no word here, and Han needs no boundary.
SIMPLE = {
    "ab?": "ab?",
    "a|ab|b": "a|ab|b",
    "é+b?": "é+b?",
    "退": "退",
    "退款|a": "退款|a",
    r"\$a": r"\$a",
    "a %": "a %",
    "(b )+a": "(b )+a",
    r"a\Wb": r"a[^\w]b",
    "b.{0,3}é": "b.{0,3}é",
}


def plain_hits(alternative: str, text: str) -> list[tuple[int, int]]:
    word = "(?:(?![退款_])\\w)"
    left = "" if alternative.startswith(("退", r"\$")) and "|" not in alternative else f"(?<!{word})"
    right = "" if alternative.endswith(("%", "退")) else f"(?!{word})"
    left = left.replace(word, "[^\\W退款_]")
    right = right.replace(word, "[^\\W退款_]")
    return [match.span() for match in re.finditer(f"{left}(?:{SIMPLE[alternative]}){right}", text, re.IGNORECASE)]


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(sorted(SIMPLE)), st.text(alphabet="abéÉ退款 _$%-.1ж→", max_size=30))
def test_one_alternative_is_found_where_a_plain_search_finds_it(alternative: str, text: str) -> None:
    folded = fold(text).text
    assert [(hit.start, hit.end) for hit in of(alternative).find(folded)] == plain_hits(alternative, folded)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(["refund", "é", "退款", "not ", " ", ", ", "a b", "\n", "sent refund", "…", "a b refund"]),
        max_size=60,
    ),
    st.integers(5, 30),
)
def test_a_long_text_searched_piece_by_piece_gives_the_hits_of_a_search_at_once(pieces: list[str], step: int) -> None:
    text = "".join(pieces)
    concepts = Concepts.compile(
        {
            "r": Pattern(any=["refund", "(sent )+refund", "退款"], unless=["a b refund"]),
            "e": Pattern(any=["é+", "refundé+"]),
        }
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concepts_module, "MAX_CLAIMS", 10_000)
        patch.setattr(concepts_module, "MAX_HITS", 10_000)
        at_once = concepts.find(fold(text))
        patch.setattr(concepts_module, "WHOLE", -1)
        patch.setattr(windows_module, "_STEP", step)
        patch.setattr(windows_module, "unrepeated", lambda data, pieces: pieces)
        assert concepts.find(fold(text)) == at_once


# What is told from the words of an alternative: with gaps, optional words and ends, digits and signs between letters.
FRAGMENTS = [
    "refunds?",
    "(re)?fund",
    "a ?b",
    "(sent|will( not)? be sent)",
    "( very){0,2} good",
    "( [^ .]+){0,2}",
    " [a-z]+n't",
    "[^a-z]{1,2}",
    r"\W{1,3}",
    r"\W",
    "[^a-z]",
    ".{0,5}",
    "[0-9]+",
    "[ck]at",
    "(é|退)?",
    "e-?mail",
    "(x|y z|)",
    "(5|five)[- ]?(mm)?",
    "[a-c]",
    "(good )*",
    r"\.? ",
    " ",
    " ",
]
SAID = [
    *[
        "refund",
        "refunds",
        "fund",
        "re",
        "a",
        "b",
        "ab",
        "sent",
        "will be sent",
        "will",
        "not",
        "very",
        "good",
        "isn't",
    ],
    *[
        "cat",
        "kat",
        "e-mail",
        "email",
        "x",
        "y z",
        "5mm",
        "five",
        "mm",
        "12",
        "é",
        "退",
        "wort",
        ".",
        ",",
        "-",
        "_",
        "\n",
    ],
    *[" "] * 12,
]


@settings(max_examples=600, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=5).map("".join), min_size=1, max_size=4),
    st.lists(st.sampled_from(SAID), max_size=60).map("".join),
)
def test_an_alternative_is_never_ruled_out_where_it_stands(alternatives: list[str], text: str) -> None:
    try:
        concepts = Concepts.compile(
            {each: Pattern(any=(each,)) for each in dict.fromkeys(map(str.strip, alternatives)) if each}
        )
    except (PatternError, ValidationError):
        assume(False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concepts_module, "MAX_CLAIMS", 10_000)
        patch.setattr(concepts_module, "FEW", 10_000)
        one_by_one = concepts.find(fold(text))
        patch.setattr(concepts_module, "FEW", 0)
        assert concepts.find(fold(text)) == one_by_one
        patch.setattr(concepts_module, "WHOLE", -1)
        for module in (blocks_module, vocabulary_module):
            patch.setattr(module, "BLOCK", 2)
        assert concepts.find(fold(text)) == one_by_one


@pytest.mark.parametrize(
    ("alternative", "said"),
    [
        ("refund( x){0,6} sent", "refund sent"),
        ("refund( x){0,6} sent", "refund x sent"),
        ("refund( x){0,6} sent", "refund x x x x x x sent"),
        ("refund(( [^ .]+){3}){2} sent", "refund x y-z 'x' y z x sent"),
        ("refund [^.]{0,40} sent", "refund x x x x x x x x x x x x x x x x sent"),
        ("refund.*sent", f"refund {'x ' * 100}sent"),
        ("(refund|sent )", "sent ;"),
        ("(^| )refund", "- refund"),
    ],
)
def test_an_alternative_is_found_in_a_long_text_wherever_it_begins(alternative: str, said: str) -> None:
    concepts = of(alternative)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concepts_module, "WHOLE", -1)
        patch.setattr(concepts_module, "FEW", 0)
        for before in range(40):
            text = f"{'so ' * before}{said}{' so' * 400}"
            assert [text[hit.start : hit.end].strip() for hit in concepts.find(text)] == [said.strip("; -")]


def needed(alternative: str) -> list[tuple[list[str], int]]:
    """Of each branch what is asked for: of each of these lists a word, or all words with "+", and the spaces at most."""
    (each,) = of(alternative).concept("it").any
    return [
        (
            sorted(
                " ".join(sorted(b"+".join(sorted(way)).decode() for way in (*zip(choice.words), *choice.phrases)))
                for choice in need.choices
            ),
            need.spaces,
        )
        for need in needs(each.source, left=each.left, right=each.right)
    ]


@pytest.mark.parametrize(
    ("alternative", "asks"),
    [
        ("refund", [(["refund"], 0)]),
        ("Refunds? (sent|issued)|paid", [(["issued sent", "refund refunds"], 1), (["paid"], 0)]),
        ("(we|I)( [^ .]+){0,3} pay", [(["i we", "pay"], 4)]),
        ("(will|is going to) pay", [(["going+is+to will", "pay"], 3)]),
        ("won't( ever)? pay", [(["pay", "t", "won"], 2)]),
        ("e-?mail", [(["e+mail email"], 0)]),
        ("[ck]at", [(["cat kat"], 0)]),
        ("café", [(["caf"], 0)]),
        (r"\$12", [(["12"], 0)]),
        # What is no boundary is none: this stands in "x5at".
        ("[^a-z]at", [([], 1)]),
        # Half a word is none, and what may be left out is not asked for.
        ("[a-z]+n't pay", [(["pay", "t"], 1)]),
        ("(pre|re|)fund", [(["fund prefund refund"], 0)]),
        # Of any characters in a row, at most every second is a space once they are folded.
        ("not.{0,40}paid", [([], 20)]),
        ("not .{0,40} paid", [(["not", "paid"], 22)]),
        ("refund( it)?", [(["refund"], 1)]),
        ("退款", [([], 0)]),
    ],
)
def test_an_alternative_asks_for_its_whole_words(alternative: str, asks: list[tuple[list[str], int]]) -> None:
    assert needed(alternative) == asks


def test_a_text_that_is_remembered_has_the_hits_of_the_concepts_that_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(concepts_module, "SHORT", 100)
    concepts = Concepts.compile({"a": Pattern(any=["refund"]), "b": Pattern(any=["paid"])})
    for _ in range(2):
        assert [hit.concept for hit in concepts.find("A refund is paid.")] == ["a", "b"]
        assert [hit.concept for hit in concepts.find("A refund is paid.", iter(["b"]))] == ["b"]
        assert [hit.concept for hit in concepts.find("A refund is paid.", ["a"])] == ["a"]
        with pytest.raises(PatternError):
            concepts.find("A refund is paid.", ["c"])


# Bounds --------------------------------------------------------------------------------------------------------------


def test_after_so_many_claims_no_more_are_looked_for() -> None:
    hits = of("refund").find("A refund. " * 600)
    assert len(hits) == concepts_module.MAX_CLAIMS
    assert not any(hit.negated for hit in hits)


def among_many(*alternatives: str) -> Concepts:
    """The concept "it", beside so many others that none is looked for by itself."""
    others = {f"x{number}": Pattern(any=(f"zz{number}",)) for number in range(concepts_module.FEW + 1)}
    return Concepts.compile({"it": Pattern(any=alternatives), **others})


def words(name: str, count: int) -> str:
    """So many words, none of which stands there again."""
    return " ".join(f"{name}{number}" for number in range(count))


@pytest.mark.parametrize("before", range(15_900, 16_100, 7))
def test_what_stands_where_more_is_looked_through_is_found_once(before: int) -> None:
    concepts = among_many("refund issued")
    claims = " ".join(f"Then a refund issued {words(f'q{number}_', 8)}." for number in range(30))
    text = f"{words('w', 4_000)[:before].rsplit(' ', 1)[0]} refund issued. {claims} {words('y', 3_000)}"
    hits = concepts.find(text)
    assert len({hit.start for hit in hits}) == len(hits) == concepts_module.MAX_CLAIMS


@pytest.mark.parametrize("before", range(15_900, 16_100, 7))
def test_a_claim_behind_many_denials_counts_where_more_is_looked_through(before: int) -> None:
    denials = " ".join(f"No refund issued {number}." for number in range(concepts_module.MAX_HITS - 1))
    head = words("w", 4_000)[: before - len(denials)].rsplit(" ", 1)[0]
    text = f"{head}. {denials} {words('v', 40)}. We have refund issued to you. {words('u', 1_500)}"
    assert [hit.negated for hit in among_many("refund issued").find(text)].count(False) == 1


def test_what_excludes_a_hit_may_be_longer_than_it() -> None:
    concepts = Concepts.compile({"it": Pattern(any=("refund issued",), unless=("example.{0,360}refund issued",))})
    text = f"example {'abcdefg ' * 42}refund issued."
    assert not concepts.find(text)
    assert not concepts.find(f"{words('w', 2_000)} {text}")


def test_of_a_text_that_nobody_reads_an_early_claim_is_given_whatever_alternative_it_is() -> None:
    # The second alternative names no word of letters, and so is looked for everywhere.
    text = f"{words('w', 3_500)} refund issued. {words('v', 12_000)} 退款 {words('u', 3_000)}"
    (hit,) = among_many("refund issued", "退款").find(text)
    assert hit.alternative == "refund issued"


def test_of_a_text_that_nobody_reads_one_claim_is_enough() -> None:
    concepts = Concepts.compile({"a": Pattern(any=["refund"]), "b": Pattern(any=["the end"])})
    hits = concepts.find(f"We never refund. {'A refund. ' * 50_000}The end.")
    assert [(hit.concept, hit.negated) for hit in hits] == [("a", True), ("a", False), ("b", False)]


def test_what_a_text_says_again_and_again_is_read_once_and_what_follows_is_still_found() -> None:
    chance = random.Random(3)
    paragraph = " ".join("".join(chance.choices("abcdefgh", k=chance.randint(2, 9))) for _ in range(700))
    text = f"{paragraph} refund " * 40 + "We never pay. " * 900 + "It is paid."
    data = text.encode()
    pieces = list(windows_module.windows(data))
    assert len(list(windows_module.unrepeated(data, pieces))) < len(pieces) / 4
    concepts = Concepts.compile({"a": Pattern(any=["refund"]), "b": Pattern(any=["paid", "pay"])})
    found = [(hit.concept, hit.negated) for hit in concepts.find(text)]
    assert ("a", False) in found
    assert found[-1] == ("b", False)


def test_a_piece_behind_another_piece_is_read_anew() -> None:
    # The same words behind a "not" are a denial, and none behind something else.
    piece = windows_module.Window
    data = b"aaabbbcccbbbaaabbb"
    pieces = [piece(start, start + 3, start + 3) for start in range(0, len(data), 3)]
    assert [each.begin for each in windows_module.unrepeated(data, pieces)] == [0, 3, 6, 9, 12]


def test_a_claim_behind_many_denials_still_counts() -> None:
    text = f"{'We never refund. ' * (concepts_module.MAX_HITS - 2)}Refunded."
    hits = of("refund(ed)?").find(text)
    assert [hit.negated for hit in hits] == [True] * (concepts_module.MAX_HITS - 2) + [False]


def test_past_the_last_hit_that_is_looked_at_doubt_makes_it_a_claim() -> None:
    hits = of("refund").find("We never refund. " * 5_000)
    assert [hit.negated for hit in hits] == [True] * (concepts_module.MAX_HITS - 1) + [False]


def test_a_concept_that_is_full_takes_nothing_from_another() -> None:
    concepts = Concepts.compile({"a": Pattern(any=["refund"]), "b": Pattern(any=["the end"])})
    text = f"{'refund ' * 20_000}the end"
    assert [text[hit.start : hit.end] for hit in concepts.find(text)][-1] == "the end"


def test_a_large_dictionary_finds_what_a_small_one_finds() -> None:
    many = {f"concept {number}": Pattern(any=[f"word{number} (is|was) here"]) for number in range(5_000)}
    assert [hit.concept for hit in Concepts.compile(many).find("word17 is here, word4999 was here")] == [
        "concept 17",
        "concept 4999",
    ]


def test_a_megabyte_in_which_nothing_repeats_is_searched_for_all_shipped_concepts_in_a_moment() -> None:
    suite = load_suite(ROOT / "cases")
    chance = random.Random(1)
    said = [
        *(text for each in suite.patterns.values() for text in each.matches),
        *(each.text for each in suite.articles),
    ]
    words = " ".join(said).split()
    text = " ".join(chance.choices(words, k=250_000))[:1_000_000]
    suite.concepts.find(said[0])
    # Some 0.2 s. One automaton of all alternatives, that forgets what it has no memory for, took 5.
    assert seconds(suite.concepts, text) < 1.5


def seconds(concepts: Concepts, text: str) -> float:
    best = float("inf")
    for _ in range(4):
        start = time.process_time()
        concepts.find(text)
        best = min(best, time.process_time() - start)
    return best


HOSTILE_PATTERNS = [
    "(a|aa)+z",
    "refund.*sent",
    "refund.{0,100}sent",
    r"(\w+ ){0,5}refund",
    r"a[^.]{0,60}é",
    "é",
    r"\w+é",
    "no",
]
HOSTILE_TEXTS = [
    "a",
    "é",
    "refund ",
    "a é ",
    "no refund, ",
    "not ",
    ",",
    "refund sent ",
    "\u0301",
    "ßé ",
    "not ok\n",
    "退",
]


@pytest.mark.parametrize("piece", HOSTILE_TEXTS)
def test_the_time_to_search_grows_with_the_text_and_no_faster(piece: str) -> None:
    concepts = of(*HOSTILE_PATTERNS, unless=("refund", "(a )+é"))
    small, large = piece * (120_000 // len(piece)), piece * (240_000 // len(piece))
    concepts.find(small)
    assert seconds(concepts, large) < 3.5 * seconds(concepts, small) + 0.01


def test_a_hit_in_a_megabyte_is_led_back_to_where_it_stands() -> None:
    text = f"{'so ’ . ' * 150_000}A  Re\u00adfund… {'ok. ' * 1_000}"
    (hit,) = of("a refund").find(text)
    assert text[hit.start : hit.end] == "A  Re\u00adfund"
