from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import documents
from evalkit.documents import read, yaml_text
from evalkit.documents.building import Bad
from evalkit.errors import CaseError, Fault


def faults(name: str, data: str | bytes) -> list[Fault]:
    with pytest.raises(CaseError) as caught:
        read(name, data.encode() if isinstance(data, str) else data)
    return list(caught.value.faults)


def fault(name: str, data: str | bytes) -> Fault:
    found = faults(name, data)
    assert len(found) == 1
    assert found[0].file == name
    assert found[0].where == ""
    assert "\n" not in found[0].message
    return found[0]


def value(text: str, name: str = "case.yaml"):
    return read(name, text.encode()).value


# Values


def test_yaml_words_stay_words_and_dates_stay_text():
    text = "a: no\nb: yes\nc: off\nd: 2024-03-02\ne: 2024-03-02 10:00:00\nf: 12:30\ng: 1_000\nh: 0b11\n"
    assert value(text) == {
        "a": "no",
        "b": "yes",
        "c": "off",
        "d": "2024-03-02",
        "e": "2024-03-02 10:00:00",
        "f": "12:30",
        "g": "1_000",
        "h": "0b11",
    }


def test_yaml_numbers_truths_and_nulls_follow_the_core_schema():
    got = value("[412.00, 1e3, .5, -7, +2, 0, 0x1F, 0o17, true, FALSE, null, ~, '412', \"true\", !!str 5]")
    assert got == [412.0, 1000.0, 0.5, -7, 2, 0, 31, 15, True, False, None, None, "412", "true", "5"]
    assert [type(x) for x in got[:8]] == [float, float, float, int, int, int, int, int]


def test_only_plain_types_come_back():
    def walk(node):
        yield type(node)
        for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            yield from walk(child)

    text = "a: [1, 2.5, true, null, x]\nb: {c: 'q'}\ne: >-\n  folded\n"
    assert set(walk(value(text))) == {dict, list, int, float, bool, type(None), str}


def test_aliases_repeat_and_merge_keys_yield_to_what_is_written():
    text = "base: &b {plan: free, seats: 1}\nsame: *b\n"
    text += "more:\n  seats: 5\n  <<: *b\nboth:\n  <<: [{plan: pro}, *b]\n"
    got = value(text)
    assert got["same"] == {"plan": "free", "seats": 1}
    assert got["more"] == {"plan": "free", "seats": 5}
    assert got["both"] == {"plan": "pro", "seats": 1}


def test_a_quoted_merge_key_is_an_ordinary_key():
    assert value('"<<": 1') == {"<<": 1}
    assert value('{"<<": 1}', "a.json") == {"<<": 1}


def test_line_separators_inside_text_end_no_line():
    document = read("a.yaml", "a: one\u2028two\u0085three\n# \u2029\nb: 2\n".encode())
    assert document.value == {"a": "one\u2028two\u0085three", "b": 2}
    assert document.line(("b",)) == 3


def test_surrogate_pairs_become_one_character():
    assert value(r'"\ud83d\ude00"') == "\U0001f600"
    assert value(r'"\ud83d\ude00"', "a.json") == "\U0001f600"


@pytest.mark.parametrize("name", ["a.yaml", "a.YML", "a.json", "a.jsonl"])
def test_a_byte_order_mark_and_crlf_are_read(name):
    document = read(name, b'\xef\xbb\xbf{"a":\t1}\r\n' if name.endswith("l") else b'\xef\xbb\xbf{\r\n"a": 1}\r\n')
    assert (document.value[0] if name == "a.jsonl" else document.value) == {"a": 1}


def test_crlf_in_a_yaml_block_is_one_line_end():
    document = read("a.yaml", b"\xef\xbb\xbfbody: |\r\n  one\r\n  two\r\nlast: 1\r\n")
    assert document.value == {"body": "one\ntwo\n", "last": 1}
    assert document.line(("last",)) == 4


def test_jsonl_is_the_list_of_its_lines():
    document = read("a.jsonl", '{"a": "\u2028"}\n\n  \n[1]\r\n2'.encode())
    assert document.value == [{"a": "\u2028"}, [1], 2]
    assert [document.line((i,)) for i in range(3)] == [1, 4, 5]


# Lines


def test_lines_are_those_of_keys_and_items():
    text = (
        "# a comment\n"  # 1
        "- id: one\n"  # 2
        "  ticket:\n"  # 3
        "    subject: hi\n"  # 4
        "    body: >-\n"  # 5
        "      two\n"  # 6
        "      lines\n"  # 7
        "  must_include:\n"  # 8
        "    - x\n"  # 9
        "    -\n"  # 10
        "      y\n"  # 11
        "- {id: two,\n"  # 12
        "   tags: [a,\n"  # 13
        "     b]}\n"  # 14
    )
    line = read("a.yaml", text.encode()).line
    assert line() == 2
    assert line((0, "id")) == 2
    assert line((0, "ticket")) == 3
    assert line((0, "ticket", "body")) == 5
    assert line((0, "must_include", 0)) == 9
    assert line((1, "id")) == 12
    assert line((1, "tags", 1)) == 14


def test_json_lines_are_those_of_keys_and_items():
    line = read("a.json", b'\n{"a":\n  [1,\n  {"b": null}],\n "c": {}}\n').line
    assert [line(), line(("a",)), line(("a", 1)), line(("a", 1, "b")), line(("c",))] == [2, 2, 4, 4, 5]


def test_an_unknown_path_has_the_line_of_its_nearest_ancestor():
    line = read("a.yaml", b"a: 1\nb:\n  - c: 2\n").line
    assert line(("b", 0, "nowhere", 3)) == 3
    assert line(("b", 7)) == 2
    assert line(("nowhere",)) == 1
    assert line(("a", "below a scalar")) == 1


def test_a_repeated_value_has_the_lines_where_it_was_written():
    line = read("a.yaml", b"a: &x\n  p: 1\nb: *x\nc:\n  <<: *x\n").line
    assert line(("b",)) == 3
    assert line(("b", "p")) == 2
    assert line(("c", "p")) == 2


# Faults


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        ("a.yaml", "a: 1\nb:\n\tc: 1\n", 3, "tabs cannot indent YAML; use spaces"),
        ("a.yaml", "- id: x\n\tbody: y\n", 2, "tabs cannot indent"),
        ("a.yaml", "a:\n  b: |\n    text\n\tc: 2\n", 4, "tabs cannot indent"),
        ("a.yaml", "a: 1\nb: two: three\n", 2, "':' does not fit"),
        ("a.yaml", "a:\n  b: 1\n c: 2\n", 3, "indentation"),
        ("a.yaml", "a: 1\nb: [x, y\nc: 2\n", 2, "the [ is never closed"),
        ("a.yaml", "a: 1\nb: {x: 1\nc: 2\n", 2, "the { is never closed"),
        ("a.yaml", "a: 1\nb: [x,\n\n# end\n", 2, "never closed"),
        ("a.yaml", "%YAML 2.0\n---\na: 1\n", 1, "not YAML 1.2"),
        ("a.yaml", "%YAML 1.2\n", 1, "outside the document"),
        ("a.yaml", "%YAML 1.11\n---\na: 1\n", 1, "not YAML 1.2"),
        ("a.yaml", "a: 1\nb: 'two\nc: 3\nd: 4\n", 2, "never closed"),
        ("a.yaml", 'a: 1\nb: "two\nc: 3\n', 2, "never closed"),
        ("a.yaml", 'a: 1\nb: "two\nc: "three"\n', 2, "follows a closing quote"),
        ("a.yaml", "a: b\nc\nd: e\n", 2, "neither a key"),
        ("a.yaml", "a: 1\nb: @home\n", 2, "quotes"),
        ("a.yaml", "a: 1\nb: - c\n", 2, "list"),
        ("a.yaml", 'a: 1\nb: "C:\\q"\n', 2, "unknown escape"),
        ("a.yaml", 'a: 1\nb: "\\UFFFFFFFF"\n', 2, "escape"),
        ("a.yaml", "a: 1\nb: {{name}}\n", 2, "quotes"),
        ("a.yaml", "a: 1\nb: *bold\n", 2, "quotes"),
        ("a.yaml", "a: 1\n---\nb: 2\n", 2, "second YAML document"),
        ("a.yaml", "a: 1\n...\n---\n- 2\n", 3, "second YAML document"),
        ("a.yaml", "a: !!python/object/apply:os.system [x]\n", 1, "!!python/object/apply:os.system"),
        ("a.yaml", "a: 1\nb: !secret x\n", 2, "!secret"),
        ("a.yaml", "a: 1\nb: !!int '2'\n", 2, "!!int"),
        ("a.yaml", "a: 1\nb: ! now\n", 2, "starts with !"),
        ("a.yaml", "a: 1\nb: !!! now\n", 2, "start with !"),
        ("a.yaml", "a: 1\nb: > now\n", 2, "after | or >"),
        ("a.yaml", "a: 1\nb: >now\n", 2, "after | or >"),
        ("a.yaml", "a: 1\nb: [x,,y]\n", 2, "a value is missing here"),
        ("a.yaml", 'a: 1\nb: "C:\\users"\n', 2, "unknown escape"),
        ("a.yaml", "a: 1\nb: 'x\n---\nc: 1\n", 2, "never closed"),
        ("a.yaml", "  a: 1\nb: 2\n", 2, "mend the indentation"),
        ("a.yaml", "a: 1\nb: 2\na: 3\n", 3, "'a' stands twice (first on line 1)"),
        ("a.yaml", "a: 1\n'a': 3\n", 2, "stands twice"),
        ("a.yaml", "x: &x {}\na:\n  <<: *x\n  <<: *x\n", 4, "'<<' stands twice"),
        ("a.yaml", "a:\n  <<: 3\n", 2, "'<<' takes a mapping"),
        ("a.yaml", "a: 1\n1: x\n", 2, "a key must be text, and 1 is not"),
        ("a.yaml", "a: 1\nnull: x\n", 2, "null"),
        ("a.yaml", "a: 1\ntrue: x\n", 2, "true"),
        ("a.yaml", "a: 1\n[b]: x\n", 2, "a key must be text"),
        ("a.yaml", "a: &x [1]\n*x : x\n", 2, "a key must be text"),
        ("a.yaml", "a: 1\nb: .nan\n", 2, ".nan"),
        ("a.yaml", "a: 1\nb: -.INF\n", 2, "-.INF"),
        ("a.yaml", "a: 1\nb: 1e999\n", 2, "too large"),
        ("a.yaml", "a: 1\nb: " + "7" * 100_000, 2, "digits"),
        ("a.yaml", "a: 1\nb: 007\n", 2, "007"),
        ("a.yaml", "a: 1\nb: \0\n", 2, "U+0000"),
        ("a.yaml", 'a: 1\nb: "\\0"\n', 2, "U+0000"),
        ("a.yaml", "a: 1\nb: \x1b[31m\n", 2, "U+001B"),
        ("a.yaml", 'a: 1\nb: "\\ud800"\n', 2, "half a character"),
        ("a.yaml", "a: 1\nb: *b\n", 2, "*b repeats nothing"),
        ("a.yaml", "a: 1\nb: &b [*b]\n", 2, "*b stands inside what it repeats"),
        ("a.yaml", "a: &b 1\nb: &b [*b]\n", 2, "*b stands inside what it repeats"),
        ("a.yaml", "a:\n  " + "[" * 10_000, 2, "nested deeper than 100"),
        ("a.yaml", "\n".join(" " * i + "a:" for i in range(300)), 101, "nested deeper than 100"),
        ("a.yaml", "", 1, "is empty"),
        ("a.yaml", "# nothing\n\n# here\n", 1, "is empty"),
        ("a.yaml", "---\n...\n", 1, "is empty"),
        ("a.json", " \n", 1, "is empty"),
        ("a.jsonl", "\n\n", 1, "is empty"),
        ("a.json", '{\n"a": 1,\n}\n', 2, "a trailing comma before }"),
        ("a.json", '{"a": [1,\n2,]}\n', 2, "a trailing comma before ]"),
        ("a.json", '{"a": 1,\n"a": 2}', 2, "'a' stands twice (first on line 1)"),
        ("a.json", '{"a": 1\n"b": 2}', 2, "a ',' or } is missing"),
        ("a.json", '{"a"\n1}', 2, "a ':' is missing"),
        ("a.json", "{\na: 1}", 2, "double quotes"),
        ("a.json", "{1: 2}", 1, "double quotes"),
        ("a.json", "[\n'x']", 2, "double quotes"),
        ("a.json", "[1, // one\n2]", 1, "no comments"),
        ("a.json", '[\n"x\n]', 2, "not closed"),
        ("a.json", '[\n"x', 2, "not closed"),
        ("a.json", '\n{"a": [1,\n', 2, "the [ is never closed"),
        ("a.json", "[1}", 1, "a ',' or ] is missing"),
        ("a.json", "[1]\n[2]", 2, "follows the end"),
        ("a.json", "[\nNaN]", 2, "NaN"),
        ("a.json", "[\n-Infinity]", 2, "-Infinity"),
        ("a.json", "[\n1e999]", 2, "too large"),
        ("a.json", "[\n" + "7" * 100_000 + "]", 2, "digits"),
        ("a.json", "[\n01]", 2, "01"),
        ("a.json", '[\n"\\ud800"]', 2, "half a character"),
        ("a.json", '[\n"\\u0000"]', 2, "U+0000"),
        ("a.json", '[\n"\x01"]', 2, "U+0001"),
        ("a.json", '[\n"C:\\q"]', 2, "unknown escape"),
        ("a.json", "[\n\0]", 2, "U+0000"),
        ("a.json", "[" * 10_000, 1, "nested deeper than 100"),
        ("a.json", '{"a":' * 10_000, 1, "nested deeper than 100"),
        ("a.txt", "a", 1, ".jsonl"),
        ("Makefile", "a", 1, ".jsonl"),
    ],
)
def test_a_fault_names_its_line_and_says_what_is_wrong(name, text, line, words):
    found = fault(name, text)
    assert words in found.message
    assert found.line == line
    assert len(found.message) < 130


@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.jsonl"])
def test_a_byte_that_is_not_utf8_is_found_on_its_line(name):
    found = fault(name, b"\xef\xbb\xbfone\r\ntw\xc3\xb6\nthr\xe9e\n")
    assert (found.line, "0xe9" in found.message, "UTF-8" in found.message) == (3, True, True)


def test_utf16_is_named():
    assert "UTF-16" in fault("a.yaml", "a: 1\n".encode("utf-16")).message


def test_a_file_over_ten_megabytes_is_refused():
    assert "10 MB" in fault("a.json", b" " * 10_000_001).message


def test_all_bad_lines_of_a_jsonl_file_are_named_at_once():
    found = faults("a.jsonl", '{"a": 1}\n{"a": 1,}\n\n{"b": NaN}\n{"c": 1, "c": 2}\n{"d": \n')
    assert [(f.file, f.line) for f in found] == [("a.jsonl", n) for n in (2, 4, 5, 6)]


def test_aliases_that_multiply_are_refused_and_many_plain_values_are_not():
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    found = fault("a.yaml", "\n".join(rows))
    # A row counts 1 + 10 times the row before: a0 11, a1 111, a2 1,111, a3 11,111; so a4 repeats 111,110.
    assert (found.line, "aliases repeat more than 100,000" in found.message) == (5, True)
    assert len(value("[" + "1, " * 100_001 + "1]", "a.json")) == 100_002


def test_aliases_that_repeat_a_long_text_are_refused():
    # A text of 1,000,000 characters counts as 1,001 values: 99 repeats are 99,099, the hundredth is too many.
    start = "a: &a " + "x" * 1_000_000 + "\nb: ["
    assert len(value(start + "*a, " * 98 + "*a]")["b"]) == 99
    assert "aliases repeat" in fault("a.yaml", start + "*a, " * 99 + "*a]").message


def test_importing_documents_loads_no_yaml_library():
    code = "import sys, evalkit.documents; evalkit.documents.read; print('ruamel.yaml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nowhere"):
        documents.nowhere  # noqa: B018


# Properties

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
NUMBERS = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=15,
)
CHARACTERS = st.sampled_from("a1.'\"[]{},:-?#&*!|>%@`~=\n\t\r \u2028\x85\ufeff\0")
MARKS = st.sampled_from(
    ("b: ", "- ", ": ", "? ", "\n  ", "&x ", "*x", "<<", "|\n", ">-\n", "!!str ", "%YAML 1.1", "---", "...")
)
WORDS = st.sampled_from(("\\u", "\\ud800", "\\U0011", "e9", "0x", ".inf", "null", "true", "NaN", "//"))
SNIPPETS = st.lists(CHARACTERS | MARKS | WORDS, max_size=25).map("".join)


def lines_of(node, children, root: int):
    yield root
    below = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in below:
        assert key in children
        yield from lines_of(child, children[key][1], children[key][0])


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["a.yaml", "a.json", "a.jsonl"]), st.binary(max_size=60) | SNIPPETS.map(str.encode))
def test_any_bytes_are_a_value_or_a_case_error_and_every_line_is_in_the_file(name, data):
    # Each \r\n, \n and \r ends a line, and text after the last one is a line.
    rest = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    last = max(1, rest.count(b"\n") + (not rest.endswith(b"\n")))
    try:
        document = read(name, data)
        found = list(lines_of(document.value, document._lines, document.line()))
        json.dumps(document.value, allow_nan=False, ensure_ascii=False).encode()
    except CaseError as error:
        found = [f.line for f in error.faults]
    assert found
    assert all(1 <= line <= last for line in found)


@settings(max_examples=150, deadline=None)
@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_json_comes_back_as_it_was_written(written, ascii_only, indent):
    text = json.dumps(written, ensure_ascii=ascii_only, indent=indent)
    assert repr(value(text, "a.json")) == repr(written)


@settings(max_examples=100, deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=4))
def test_jsonl_comes_back_as_it_was_written(written):
    document = read("a.jsonl", "\n".join(json.dumps(each, ensure_ascii=False) for each in written).encode())
    assert repr(document.value) == repr(written)
    assert [document.line((i,)) for i in range(len(written))] == list(range(1, len(written) + 1))


@settings(max_examples=150, deadline=None)
@given(VALUES.filter(lambda value: value is not None))
def test_json_written_in_a_yaml_file_is_read_alike(written):
    # Every JSON text of ASCII alone is YAML 1.2 text; 1e+30 is a float in both.
    assert repr(value(json.dumps(written))) == repr(value(json.dumps(written), "a.json"))


PIECES = ["a", "b: ", "- ", "\n", "\n  ", "{", "}", "[", "]", ", ", ": ", "# c", "'", '"', "|\n", ">-\n  ", "&x ", "*x", "<<: ", "1",
          "~", "é", "\\", "key: value\n", "k: [a, b]\n", "m: {p: q, r: s}\n", "t: 'it''s'\n", "\r\n", "a:b", "a#b"]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_the_fast_parser_reads_what_the_thorough_one_reads(text: str) -> None:
    def read(*, fast: bool):
        with pytest.MonkeyPatch.context() as patch:
            if not fast:
                patch.setattr(yaml_text, "_is_plain", lambda _: False)
            try:
                return yaml_text.read_yaml(text)
            except Bad as error:
                return error.line, error.message

    assert repr(read(fast=True)) == repr(read(fast=False))


def test_the_fast_parser_is_used_where_both_versions_of_yaml_read_a_text_alike() -> None:
    assert yaml_text._read_fast("a: [1, {b: no}]\n", 1)[0] == {"a": [1, {"b": "no"}]}
    assert yaml_text._is_plain("a: [1, {b: no}]\n")
    for apart in ("%YAML 1.2\n---\na: 1\n", "a:\tb\n", "|\n# c\n"):
        assert not yaml_text._is_plain(apart)
