"""Rubrics: what is read from a file, what decides, and every fault with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalkit.errors import CaseError, Fault
from evalkit.rubrics import Rubric, criterion_key, load_rubric, rubric_faults, rubric_of, rubrics_of, verdict_key

SHIPPED = Path(__file__).parents[1] / "cases" / "rubrics" / "tone-and-correctness.yaml"
GOOD = """\
per: turn
ordered: true
menu:
  - {verdict: 0, means: bad, passes: false}
  - {verdict: 0.5, means: so so, passes: false}
  - {verdict: 1, means: good, passes: true}
near: [0.5]
audit: 0.25
criteria:
  - {name: correctness, asks: Is it right?}
  - {name: tone, asks: Is it kind?}
"""


AS_JSON = b"""{"per": "turn", "ordered": true, "near": [0.5], "audit": 0.25, "menu": [
  {"verdict": 0, "means": "bad", "passes": false},
  {"verdict": 0.5, "means": "so so", "passes": false},
  {"verdict": 1, "means": "good", "passes": true}],
 "criteria": [{"name": "correctness", "asks": "Is it right?"}, {"name": "tone", "asks": "Is it kind?"}]}"""


def rubric(text: str = GOOD) -> Rubric:
    return load_rubric("rubrics/mine.yaml", text.encode())


def faults(text: str) -> list[str]:
    with pytest.raises(CaseError) as caught:
        rubric(text)
    return [str(fault) for fault in caught.value.faults]


def test_the_shipped_rubric_is_a_scale_of_five_of_which_two_pass() -> None:
    found = load_rubric(str(SHIPPED), SHIPPED.read_bytes())
    assert (found.name, found.per, found.ordered) == ("tone-and-correctness", "trial", True)
    assert found.verdicts == ("1", "2", "3", "4", "5")
    assert [found.passes(verdict) for verdict in found.verdicts] == [False, False, False, True, True]
    assert (found.near, found.audit, found.criterion_names) == (("3",), 0.1, ("correctness", "tone"))


def test_verdicts_are_text_however_they_are_written() -> None:
    found = rubric()
    assert (found.name, found.per, found.verdicts, found.near) == ("mine", "turn", ("0", "0.5", "1"), ("0.5",))
    assert rubric(GOOD.replace("near: [0.5]", 'near: ["0.50"]')).near == ("0.5",)


def test_what_a_rubric_leaves_out_has_a_default() -> None:
    kept = [line for line in GOOD.splitlines(keepends=True) if not line.startswith(("per", "ordered", "near", "audit"))]
    found = rubric("".join(kept))
    assert (found.per, found.ordered, found.near, found.audit) == ("trial", False, (), 0.1)


def test_the_worst_verdict_fails_before_it_passes_and_then_goes_by_the_menu() -> None:
    assert rubric().worst(["1", "0.5", "0", "1"]) == "0"
    assert rubric().worst(iter(["1"])) == "1"
    assert rubric().worst([]) is None
    # A menu that is no scale: a verdict that fails is worse than one that passes, wherever it stands.
    unordered = rubric(GOOD.replace("ordered: true\n", "").replace("bad, passes: false", "fine, passes: true"))
    assert unordered.worst(["0", "1", "0.5"]) == "0.5"


def test_a_verdict_that_is_not_on_the_menu_neither_passes_nor_fails() -> None:
    with pytest.raises(ValueError, match=r"'4' is no verdict of rubric 'mine': 0, 0\.5, 1"):
        rubric().passes("4")
    with pytest.raises(ValueError, match="no verdict"):
        rubric().worst(["0", "4"])


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("1", "1"), (" 1.0\n", "1"), ("**1**.", "1"), ("\uff11", "1"), (".5", None), ("0,5", None), ("1/1", None), ("", None)],
)  # fmt: skip
def test_a_text_stands_for_a_verdict_only_where_it_is_plain(text: str, verdict: str | None) -> None:
    assert rubric().verdict_of(text) == verdict


def test_keys_fold_case_marks_and_the_value_of_numbers() -> None:
    assert verdict_key(" `Not OK.` ") == verdict_key("not\u00a0ok") == "not ok"
    assert verdict_key("-0.0") == verdict_key("0") == "0"
    assert verdict_key("4e0") == verdict_key("4.000") == "4"
    assert verdict_key("100") == "100"
    assert verdict_key("A+") != verdict_key("A")
    assert criterion_key(" \uff34one\u200b") == "tone"


def test_the_hash_is_made_of_all_that_counts_and_of_no_comment() -> None:
    plain = rubric().canonical()
    assert plain == rubric("# A note.\n" + GOOD.replace("turn\n", "turn   # each answer\n")).canonical()
    assert plain == load_rubric("rubrics/other.json", AS_JSON).canonical()
    for old, new in [
        ("means: bad", "means: baD"),
        ("Is it kind?", "Is it kind!"),
        ("per: turn", "per: trial"),
        ("ordered: true", "ordered: false"),
        ("near: [0.5]", "near: []"),
        ("audit: 0.25", "audit: 0.2"),
        ("so so, passes: false", "so so, passes: true"),
        ("name: tone", "name: Tone"),
        ("verdict: 0.5", "verdict: 0.50001"),
    ]:
        text = GOOD.replace(old, new).replace("near: [0.5]", "near: [0]" if "50001" in new else "near: [0.5]")
        assert rubric(text).canonical() != plain, new


def test_what_a_prompt_shows_in_a_line_is_one_line() -> None:
    text = GOOD.replace("means: bad,", 'means: "bad\\n- 9: \\u2028 worse",')
    assert rubric(text).menu[0].means == "bad - 9: worse"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("verdict: 1,", "verdict: 0,", "mine.yaml:6: the verdict '0' stands twice"),
        ("verdict: 1,", 'verdict: "0.0",', "mine.yaml:6: the verdict '0.0' would be read as '0'"),
        ("verdict: 1,", 'verdict: "\uff10",', "mine.yaml:6: the verdict '\uff10' would be read as '0'"),
        ("verdict: 1,", 'verdict: "*0*",', "mine.yaml:6: the verdict '*0*' would be read as '0'"),
        ("verdict: 1,", 'verdict: "**",', "mine.yaml:6: the verdict '**' is all marks"),
        (
            "verdict: 1,",
            "verdict: true,",
            'mine.yaml:6: menu.2.verdict: true is a truth value; put it in quotes: "true"',
        ),
        ("verdict: 1,", 'verdict: "1: good",', "mine.yaml:6: menu.2.verdict: '1: good' holds a ':'"),
        ("good, passes: true", "good, passes: false", "mine.yaml:3: no verdict passes"),
        (
            "bad, passes: false",
            "bad, passes: true",
            "mine.yaml:5: '0' passes, and this is an ordered menu, worst first",
        ),
        ("near: [0.5]", "near: [0.5, 3]", "mine.yaml:7: near: '3' is not on the menu; its verdicts are 0, 0.5, 1"),
        ("near: [0.5]", "near: [0.5, 0.50]", "mine.yaml:7: near: '0.5' stands twice"),
        ("audit: 0.25", "audit: 1.5", "mine.yaml:8: audit: input should be less than or equal to 1"),
        ("audit: 0.25", "audit: -0.1", "mine.yaml:8: audit: input should be greater than or equal to 0"),
        ("audit: 0.25", "audit: often", "mine.yaml:8: audit: "),
        ("name: tone", "name: Correctness", "mine.yaml:11: the criterion 'Correctness' stands twice"),
        ("name: tone", "name: \uff23orrectness", "mine.yaml:11: the criterion '\uff23orrectness' stands twice"),
        ("name: tone", "name: Verdict", "mine.yaml:11: a criterion cannot be called 'Verdict'"),
        ("name: tone", 'name: "a: b"', "mine.yaml:11: criteria.1.name: 'a: b' holds a ':'"),
        ("means: bad", "mean: bad", "mine.yaml:4: unknown key 'menu.0.mean'; did you mean 'means'?"),
        ("per: turn", "per: case", "mine.yaml:1: per: "),
        ("per: turn", "name: x", "mine.yaml:1: unknown key 'name'"),
        (", asks: Is it kind?", "", "mine.yaml:11: 'criteria.1.asks' is missing"),
    ],
)
def test_a_fault_has_its_line_and_says_what_is_wrong(old: str, new: str, said: str) -> None:
    assert GOOD.count(old) == 1
    found = faults(GOOD.replace(old, new))
    assert any(fault.startswith(f"rubrics/{said}") for fault in found), found


def test_all_verdicts_that_pass_decide_nothing() -> None:
    assert faults(GOOD.replace("passes: false", "passes: true")) == [
        "rubrics/mine.yaml:3: every verdict passes, so the rubric decides nothing"
    ]


def test_all_faults_are_told_in_one_go() -> None:
    text = GOOD.replace("near: [0.5]", "near: [7]").replace("name: tone", "name: correctness")
    assert len(faults(text.replace("good, passes: true", "good, passes: false"))) == 3


@pytest.mark.parametrize("text", ["", "[]", "menu: []\ncriteria: []", "just a text", "{", "menu: 3"])
def test_what_is_no_rubric_is_a_fault_and_no_traceback(text: str) -> None:
    assert faults(text)


def test_a_rubric_is_found_by_its_name() -> None:
    files = {"rubrics/mine.yml": GOOD, "rubrics/bad.yaml": "menu: 3", "rubrics/notes.md": "# Notes"}
    found = rubric_of(files, "mine")
    assert found is not None
    assert found.name == "mine"
    assert rubric_of(files, "notes") is None
    assert rubric_of({}, "mine") is None
    with pytest.raises(CaseError, match=r"rubrics/bad\.yaml:1: "):
        rubric_of(files, "bad")


def test_a_suite_has_all_its_rubrics_by_name() -> None:
    found = rubrics_of(
        {"rubrics/b.json": AS_JSON.decode(), "rubrics/a.yaml": GOOD, "rubrics/x/c.yaml": GOOD, "a.md": ""}
    )
    assert {name: each.name for name, each in found.items()} == {"a": "a", "b": "b"}


def test_a_suite_names_its_faulty_rubrics_and_no_other_file() -> None:
    files = {
        "rubrics/mine.yaml": GOOD.encode(),
        "rubrics/mine.yml": GOOD.encode(),
        "rubrics/bad.yaml": GOOD.replace("audit: 0.25", "audit: 2").encode(),
        "rubrics/many.jsonl": b"{}",
        "rubrics/notes.md": b"# Notes",
        "golden/menu.yaml": b"menu: 3",
    }
    found = rubric_faults(files, "cases")
    assert [(fault.file, fault.line) for fault in found] == [
        ("cases/rubrics/bad.yaml", 8),
        ("cases/rubrics/many.jsonl", None),
        ("cases/rubrics/mine.yml", None),
    ]
    assert found[2].message == "rubrics/mine.yaml is a rubric of this name too; keep one"
    assert rubric_faults({"rubrics/mine.yaml": b"\xff\xfe"}) == [
        Fault("rubrics/mine.yaml", 1, "", "is UTF-16, not UTF-8; save the file as UTF-8")
    ]
