"""Known words in a long text: which of them stand in it, and in which of its blocks."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.patterns.blocks import BLOCK, SHORTEST
from evalkit.patterns.vocabulary import Vocabulary

# Words that begin alike, that are longer than what is read of them at once, and one that is known only in part.
KNOWN = [b"a", b"ab", b"refund", b"refunds", b"refundable", b"entitlement", b"x" * 8, b"x" * 9, b"x" * 16, b"x" * 25]
OTHERS = [b"b", b"refun", b"refunded", b"entitlements", b"x" * 7, b"x" * 10, b"x" * 24, b"x" * 26, b"y" * 25]
SEPARATORS = [b" ", b" ", b" ", b"-", b", ", "é".encode(), b"\n", b"' "]
texts = st.lists(
    st.tuples(st.sampled_from([*KNOWN, *OTHERS, b"REFUND", b"Ab"]), st.sampled_from(SEPARATORS)), max_size=80
).map(lambda parts: b"".join(word + separator for word, separator in parts))


def words_by_block(data: bytes) -> dict[bytes, set[int]]:
    """Each word with the blocks that it stands in, read character by character."""
    found: dict[bytes, set[int]] = {}
    word, spaces = b"", 0
    for code in (*data.lower(), 0x20):
        char = bytes([code])
        if char.isalnum():
            word += char
            continue
        if word:
            found.setdefault(word, set()).add(spaces // BLOCK)
        word = b""
        spaces += char == b" "
    return found


@settings(max_examples=300, deadline=None)
@given(texts)
def test_the_words_of_a_text_are_those_that_are_known_each_in_its_blocks(data: bytes) -> None:
    vocabulary = Vocabulary(KNOWN)
    blocks = vocabulary.blocks(data)
    expected = {vocabulary.numbers[word]: those for word, those in words_by_block(data).items() if word in KNOWN}
    assert blocks.words == expected.keys()
    for word, those in expected.items():
        # A place is a block with the next one, and begins in either.
        places = those | {block - 1 for block in those if block}
        assert blocks.bits(word) == sum(1 << place for place in places)


@settings(max_examples=300, deadline=None)
@given(texts)
def test_a_block_begins_behind_so_many_spaces(data: bytes) -> None:
    begins = Vocabulary(KNOWN).blocks(data).begins.tolist()
    spaces = [place for place, code in enumerate(data) if code == 0x20]
    assert begins == [0, *(place + 1 for place in spaces[BLOCK - 1 :: BLOCK]), len(data)]


def test_words_that_meet_in_a_table_are_told_apart() -> None:
    many = [f"w{number}".encode() for number in range(20_000)]
    vocabulary = Vocabulary(many)
    assert len(vocabulary._tables[1]) > 1
    blocks = vocabulary.blocks(b" ".join([*many[::7], b"w20000", b"v1"]))
    assert blocks.words == {vocabulary.numbers[word] for word in many[::7]}


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2**40 - 1), st.integers(SHORTEST, 5)), max_size=6),
    st.integers(0, 300),
    st.integers(0, 300),
)
def test_places_are_runs_of_bits_as_far_as_they_begin_within(
    rows: list[tuple[int, int]], begin: int, size: int
) -> None:
    # Forty blocks of eight words with a single letter: each is sixteen bytes of the text, spaces among them.
    blocks = Vocabulary([b"a"]).blocks(b"a " * (40 * BLOCK))
    begins = blocks.begins.tolist()
    expected = []
    for bits, length in rows:
        places: list[tuple[int, int]] = []
        last = None
        for block in range(40):
            if not bits >> block & 1 or not begin <= begins[block] < begin + size:
                continue
            end = begins[min(block + length, len(begins) - 1)]
            if last is not None and block - last <= length:
                places[-1] = (places[-1][0], end)
            else:
                places.append((begins[block], end))
            last = block
        expected.append(places)
    found = blocks.places([bits for bits, _ in rows], [length for _, length in rows], begin, begin + size)
    assert list(found) == expected


def test_no_words_are_known_by_an_empty_vocabulary() -> None:
    assert Vocabulary([]).blocks(b"a refund").words == frozenset()
