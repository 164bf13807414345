"""Folding: one form for texts that look alike, and the way back to the text as it was written."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.folding import characters, fold, pieces
from evalkit.folding import folded as folded_module

LONG_DASHES = "\u2014\u2015\u2e3a\u2e3b\ufe31\ufe58"
# Characters that NFKC composes, takes apart or reorders, that vanish, break lines or fold to something else.
AWKWARD = [
    *("a", "e", "A", " ", "  ", "\n", "\n\n", "\r\n", "\t", "\x85", "\u2028", "\u00a0", "\u3000", "refund", "don't"),
    *("\u0301", "\u0327", "\u200b", "\u00ad", "\ufe0f", "\u202e", "\ufeff", "\x00", "\x01", "\ud800", "\U000e0041"),
    *("ﬁ", "…", "½", "¨", "´", "ﷺ", "Å", "Ⅻ", "（", "，", "。", "—", "–", "’", "“", "`", "😀", "退", "款"),
    *("가", "ᄀ", "ᅡ", "ᆨ", "ｶ", "ﾞ", "क", "्", "\u09c7", "\u09be", "ß", "İ"),
]
awkward = st.lists(st.sampled_from(AWKWARD), max_size=40).map("".join)
texts = st.one_of(awkward, st.text(max_size=60))
# From how many characters on a piece is read with arrays.
MANY = st.sampled_from([0, 10_000])


@contextmanager
def read_in(block: int, many: int) -> Iterator[pytest.MonkeyPatch]:
    """Texts are read in blocks of so many characters, with arrays from so many on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_BLOCK", block)
        patch.setattr(pieces, "_MANY", many)
        yield patch


@settings(max_examples=400, deadline=None)
@given(awkward)
def test_the_way_back_is_the_same_run_by_run_and_with_arrays(text: str) -> None:
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for many in (0, 10_000):
            patch.setattr(pieces, "_MANY", many)
            folded = fold(text)
            found.append(([*folded.breaks], [folded.original(at, at + 1) for at in range(len(folded.text))]))
    assert found[0] == found[1]


def plainly(text: str, long_dash: str = "-") -> str:
    """What folding does before white space, one character after the other."""
    fixed = {**characters._FIXED, **dict.fromkeys(LONG_DASHES, long_dash)}
    seen = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else fixed.get(c, c) for c in text)
    seen = "".join(c for c in seen if c == long_dash or not characters._INVISIBLE.match(c))
    seen = "".join(fixed.get(c, c) for c in unicodedata.normalize("NFKC", seen))
    return re.sub(r"(?<=[^\W_])`(?=[^\W_])", "'", seen)


def breaks_of(text: str) -> tuple[int, ...]:
    """The hidden breaks by their definition: words one after the other, and the white space between them."""
    # U+E000 stands for a long dash; no text here holds it.
    pieces = re.split(r"(\s+)", plainly(text, "\ue000").strip())
    found, offset = [], 0
    for number, piece in enumerate(pieces):
        if number % 2 == 0:
            found += [offset + at for at, char in enumerate(piece) if char == "\ue000"]
            offset += len(piece)
            continue
        lines = len(re.findall(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]", piece))
        offset += 1
        if lines > 1 or (lines and not pieces[number + 1][0].islower()):
            found.append(offset)
    return tuple(sorted(found))


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("can’t ‘x’ ‚y‛ ʼz", "can't 'x' 'y' 'z"),
        ("can´t, can`t, canʹt, can′t, can＇t", "can't, can't, can't, can't, can't"),
        ("can`t", "can't"),
        ("`refund` ``` x", "`refund` ``` x"),
        ("“a” „b‟ «c» ″d″ 「e」 ＂f＂", '"a" "b" "c" "d" "e" "f"'),
        ("a‐b‑c‒d–e—f―g−h－i﹣j⸺k", "a-b-c-d-e-f-g-h-i-j-k"),
        ("never\u00a0expires\u202fnow\u3000ok\u2009!", "never expires now ok !"),
        ("never\u200b ex\u00adpi\u2060res\ufeff", "never expires"),
        ("\u202ea\u202c\u2066b\u2069\u200ec\u061cd", "abcd"),
        ("  a \t\r\n b\u2028c\x85d\x0be\x1cf  ", "a b c d e f"),
        ("ﬁx…½ ①２３ ＡＢ", "fix...1⁄2 123 AB"),
        ("cafe\u0301 A\u030a", "café Å"),
        ("a\u200b\u0301", "á"),
        ("ref\x00und\x1b[0m\x7f", "refund[0m"),
        ("x\ud800y", "x\ufffdy"),
        ("⚠\ufe0f ok", "⚠ ok"),
        ("", ""),
        (" \u200b\n ", ""),
    ],
)
def test_texts_that_look_alike_fold_to_one_form(written: str, folded: str) -> None:
    assert fold(written).text == folded
    assert fold(written).source == written


def test_every_dash_white_space_and_hidden_character_is_folded() -> None:
    for char in map(chr, range(0x20000)):
        kind = unicodedata.category(char)
        if kind == "Pd":
            assert fold(f"a{char}b").text == "a-b", hex(ord(char))
        elif char.isspace():
            assert fold(f"a{char}b{char}").text == "a b", hex(ord(char))
        elif kind == "Cc":
            assert fold(f"a{char}b").text == "ab", hex(ord(char))


def test_every_character_by_itself_folds_once_and_for_all_and_as_it_is_defined() -> None:
    for char in map(chr, (*range(0x20000), *range(0xE0000, 0xE0200))):
        once = fold(char).text
        assert fold(once).text == once, hex(ord(char))
        assert once == " ".join(plainly(char).split()), hex(ord(char))


@settings(max_examples=400, deadline=None)
@given(texts)
def test_folding_equals_its_definition_and_a_second_time_changes_nothing(text: str) -> None:
    folded = fold(text).text
    assert folded == " ".join(plainly(text).split())
    assert fold(folded).text == folded
    folded.encode()


def test_a_text_with_more_kinds_of_odd_characters_than_are_replaced_one_by_one_folds_the_same() -> None:
    text = "".join(map(chr, range(0xFF01, 0xFF5F)))
    assert fold(text).text == "".join(map(chr, range(0x21, 0x7F)))


@pytest.mark.parametrize(
    ("text", "breaks"),
    [
        ("I can't ship it\nRefund issued", (16,)),
        ("I can't ship it\nand no refund", ()),
        ("one\n\ntwo", (4,)),
        ("one \r\n \r\n two", (4,)),
        ("one\r\ntwo", ()),
        ("one\n- two\n2 three\n• four", (4, 10, 18)),
        ("one\u2028Two\u2029Three", (4, 8)),
        ("\n\nOne\n\n", ()),
        ("ship it—you", (7,)),
        ("ship it — You\nMe", (8, 14)),
        ("5–7 days, follow-up", ()),
        ("one two", ()),
        ("", ()),
    ],
)
def test_breaks_are_where_a_line_ends_hard_or_a_long_dash_stands(text: str, breaks: tuple[int, ...]) -> None:
    assert tuple(fold(text).breaks) == breaks


def test_a_lone_hangul_vowel_is_a_character_of_its_own_and_one_in_a_syllable_is_not() -> None:
    lone, syllable = fold("a`\u1161"), fold("a\u1100\u1161\u11a8b")
    assert [lone.source[slice(*lone.original(at, at + 1))] for at in range(len(lone.text))] == ["a", "`", "\u1161"]
    assert syllable.text == "a\uac01b"
    assert syllable.original(1, 2) == (1, 4)


@settings(max_examples=400, deadline=None)
@given(texts, st.sampled_from([1, 2, 3, 5, 512]), MANY)
def test_a_text_folded_with_its_way_back_is_the_one_folded_alone(text: str, block: int, many: int) -> None:
    with read_in(block, many) as patch:
        patch.setattr(folded_module, "_MANY", 10_000)
        alone = fold(text)
        patch.setattr(folded_module, "_MANY", -1)
        assert fold(text) == alone


@settings(max_examples=400, deadline=None)
@given(awkward, st.sampled_from([1, 2, 3, 5, 512]), MANY)
def test_breaks_equal_their_definition_however_the_text_is_cut_into_blocks(text: str, block: int, many: int) -> None:
    with read_in(block, many):
        assert tuple(fold(text).breaks) == breaks_of(text)


@pytest.mark.parametrize(
    ("source", "found", "original"),
    [
        ("Your  refund\n is late", "refund is", "refund\n is"),
        ("a re\u00adfund\u200b now", "refund", "re\u00adfund\u200b"),
        ("“oﬃce” hours", "ffi", "ﬃ"),
        ("“oﬃce” hours", "fi", "ﬃ"),
        ("wait… refund", "refund", "refund"),
        ("wait… refund", "..", "…"),
        ("cafe\u0301 refund", "é refund", "e\u0301 refund"),
        ("ＲＥＦＵＮＤ。", "REFUND", "ＲＥＦＵＮＤ"),
        ("don’t  expire", "don't expire", "don’t  expire"),
        ("\u200b\n refund \n", "refund", "refund"),
        ("plain refund text", "refund", "refund"),
        ("\u1100\u1161\u11a8\u1100\u1161 refund", "\uac00", "\u1100\u1161"),
    ],
)
def test_a_span_is_led_back_to_the_characters_that_it_was_made_from(source: str, found: str, original: str) -> None:
    folded = fold(source)
    start = folded.text.index(found)
    first, last = folded.original(start, start + len(found))
    assert source[first:last] == original


@settings(max_examples=400, deadline=None)
@given(awkward, st.sampled_from([1, 2, 3, 5, 512]), MANY)
def test_every_folded_character_is_led_back_to_a_piece_that_folds_to_it(text: str, block: int, many: int) -> None:
    with read_in(block, many):
        folded = fold(text)
        ends = []
        for at, char in enumerate(folded.text):
            start, end = folded.original(at, at + 1)
            assert 0 <= start < end <= len(text)
            piece = plainly(text[start:end])
            # A space may be the one inside a character's own expansion, and an apostrophe needs its neighbours.
            assert char in piece or (char == " " and re.search(r"\s", piece)) or (char == "'" and piece == "`")
            ends.append((start, end))
        assert ends == sorted(ends)


@settings(max_examples=300, deadline=None)
@given(awkward, st.sampled_from(["refund", "don’t", "ｒｅｆｕｎｄ", "退款", "oﬃce"]), awkward)
def test_a_word_in_any_text_is_led_back_exactly(before: str, word: str, after: str) -> None:
    source = f"{before} |{word}| {after}"
    folded = fold(source)
    start = len(fold(f"{before} |").text)
    first, last = folded.original(start, start + len(fold(word).text))
    assert source[first:last] == word


@pytest.mark.parametrize("block", [1, 2, 3, 4])
def test_what_composes_is_never_cut_apart(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_BLOCK", block)
    for cluster in ("\u1100\u1161\u11a8", "e\u0301", "\uff76\uff9e", "a\u200b\u0301"):
        source = f"x{cluster}y refund"
        assert fold(source).original(1, 2) == (1, 1 + len(cluster))
        assert fold(source).original(4, 10) == (len(source) - 6, len(source))


@pytest.mark.parametrize("source", ["", " ", "\u200b", "\n\n", " " * 20_000])
def test_a_text_of_which_nothing_is_seen_is_led_back_to_its_start(source: str) -> None:
    folded = fold(source)
    assert (folded.text, [*folded.breaks], folded.original(0, 0)) == ("", [], (0, 0))


def test_an_empty_span_is_led_back_to_a_place() -> None:
    first, last = fold("a  b").original(2, 2)
    assert first == last == 3


def seconds(act: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(4):
        start = time.process_time()
        act()
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize(
    "piece",
    ["a", " ", "\n", "a\n", "\u0301", "\u200b", "é…", "退款，", "\ud800", "— ", "a \n ", "`a", "ﷺ ", "\u1161"],
)
def test_the_time_to_fold_and_to_go_back_grows_with_the_text_and_no_faster(piece: str) -> None:
    def all_of(text: str) -> None:
        folded = fold(text)
        assert folded.breaks is not None
        folded.original(max(len(folded.text) - 1, 0), len(folded.text))

    small, large = f"x {piece * 40_000} x", f"x {piece * 80_000} x"
    assert seconds(lambda: all_of(large)) < 3.5 * seconds(lambda: all_of(small)) + 0.01
