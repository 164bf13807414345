"""A decision as JUnit XML, Markdown and JSON: every reason once, and nothing that people or models wrote takes effect."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit import summary
from evalkit.gate import Decision, Note, Reason, StratumLook
from evalkit.gate.decision import Look, MustPassLook, QuarantineLook, SideRecord

BASELINE = SideRecord("steady", "a" * 64, 3, 3, "2026-11-28", "2026-11-29", "s" * 64, "the candidate's suite", "c" * 40)
CANDIDATE = replace(BASELINE, run="b" * 64, repeats=1, first="2026-11-30", last="2026-11-30", judged_by="its own suite")
HELD = StratumLook("account", "held", 8, 0.875, 0.875, 0.0, 0.25, False, None, (Look(0, 0.875, 0.0, False),))
DROPPED = StratumLook(
    "orders", "dropped", 10, 1.0, 0.7, -0.3, 0.2, True, None, (Look(0, 0.7, -0.3, True), Look(1, 0.75, -0.25, True))
)
UNKNOWN = StratumLook(
    "refunds", "not measured", 6, 1.0, 1.0, 0.0, None, False, None, (), "no repeats of the baseline", "sees nothing"
)
PASSES = MustPassLook("M-1", "orders", True, 3, (), (), 0, 9, False)
FAILS = MustPassLook("M-2", "orders", False, 3, (1, 2), (), 4, 9, False)
FLAKES = MustPassLook("M-3", "refunds", False, 3, (0,), (), 0, 9, True)
LOST = MustPassLook("M-4", "refunds", None, 3, (), (2,), 0, 0, False)
IN_QUARANTINE = QuarantineLook(
    "M-3", "Priya", "flakes", "2026-11-20", "2026-12-11", False, ("abc1234",), False, 2, 1, 8, 1
)
REASONS = (
    Reason("must_pass", "M-2", "must-pass case M-2 failed 2 of 3 trials"),
    Reason("stratum", "orders", "orders dropped 0.30"),
    Reason("amendment", "pattern/refund", "pattern/refund was changed"),
    Reason("not measured", "M-4", "M-4 was not fully measured", measured=False),
    Reason("not measured", "refunds", "refunds has no band", measured=False),
    Reason("stale", "baseline", "the baseline is 20 days old", measured=False),
)


def decision(**changes: object) -> Decision:
    base = Decision(
        verdict="block",
        reasons=REASONS,
        strata=(HELD, DROPPED, UNKNOWN),
        must_pass=(PASSES, FAILS, FLAKES, LOST),
        quarantine=(IN_QUARANTINE,),
        notes=(Note("quarantine", "M-3", "M-3 failed in quarantine"),),
        baseline=BASELINE,
        candidate=CANDIDATE,
        band="measured",
        z=2.0,
        today="2026-11-30",
        release=False,
        commit="d" * 40,
        must_pass_only=False,
    )
    return replace(base, **changes)


def allowed() -> Decision:
    return decision(verdict="allow", reasons=(), strata=(HELD,), must_pass=(PASSES,), quarantine=(), notes=())


def by_place(xml: str) -> dict[tuple[str, str], ElementTree.Element]:
    root = ElementTree.fromstring(xml)
    return {(suite.get("name"), test.get("name")): test for suite in root for test in suite}  # type: ignore[misc]


def test_each_reason_stands_in_one_test_of_its_own_kind() -> None:
    found = by_place(summary.junit(decision()))
    said = {
        place: (test[0].tag, test[0].get("message"))
        for place, test in found.items()
        if len(test) and test[0].tag != "system-out"
    }
    assert said == {
        ("must pass", "M-2"): ("failure", "must-pass case M-2 failed 2 of 3 trials"),
        ("must pass", "M-3"): ("skipped", "trial 0 failed of 3; in quarantine, which does not block"),
        ("must pass", "M-4"): ("error", "M-4 was not fully measured"),
        ("strata", "orders"): ("failure", "orders dropped 0.30"),
        ("strata", "refunds"): ("error", "refunds has no band"),
        ("gate", "amendment: pattern/refund"): ("failure", "pattern/refund was changed"),
        ("gate", "stale: baseline"): ("error", "the baseline is 20 days old"),
    }
    assert {place for place, test in found.items() if place not in said} == {
        ("must pass", "M-1"),
        ("strata", "account"),
    }


def test_the_counts_of_the_xml_are_those_of_its_tests() -> None:
    root = ElementTree.fromstring(summary.junit(decision()))
    counts = {
        suite.get("name"): tuple(suite.get(key) for key in ("tests", "failures", "errors", "skipped")) for suite in root
    }
    # must pass: M-2 fails, M-4 is an error, M-3 is skipped; strata: orders fails, refunds is an error; beside them two.
    assert counts == {"must pass": ("4", "1", "1", "1"), "strata": ("3", "1", "1", "0"), "gate": ("2", "1", "1", "0")}
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["9", "3", "3"]


def test_what_is_allowed_has_no_failure_and_no_error() -> None:
    root = ElementTree.fromstring(summary.junit(allowed()))
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["2", "0", "0"]
    assert summary.markdown(allowed()).startswith("## ✓ Allowed\n")


def test_two_reasons_at_one_place_are_both_said_and_a_finding_decides() -> None:
    more = (Reason("not measured", "M-2", "trial 3 is lost", measured=False), *REASONS)
    (test,) = [each for place, each in by_place(summary.junit(decision(reasons=more))).items() if place[1] == "M-2"]
    assert [each.tag for each in test] == ["failure"]
    assert test[0].text == "trial 3 is lost\nmust-pass case M-2 failed 2 of 3 trials"


def test_a_stratum_and_a_case_of_one_name_are_told_apart() -> None:
    look = replace(DROPPED, stratum="M-2")
    reasons = (Reason("stratum", "M-2", "M-2 dropped 0.30"), REASONS[0])
    found = by_place(summary.junit(decision(strata=(look,), reasons=reasons)))
    assert found["strata", "M-2"][0].get("message") == "M-2 dropped 0.30"
    assert found["must pass", "M-2"][0].get("message") == REASONS[0].says


def test_the_summary_says_every_reason_both_looks_and_what_it_rests_on() -> None:
    text = summary.markdown(decision())
    assert text.startswith(
        "## ✗ Blocked\n\n**steady** of run bbbbbbbb, gated as a change against **steady** of run aaaaaaaa."
    )
    assert [line for line in text.splitlines() if line.startswith("- **")] == [
        "- **must\\_pass** must-pass case M-2 failed 2 of 3 trials",
        "- **stratum** orders dropped 0.30",
        "- **amendment** pattern/refund was changed",
        "- **not measured** M-4 was not fully measured",
        "- **not measured** refunds has no band",
        "- **stale** the baseline is 20 days old",
    ]
    assert "| orders | **dropped** | 10 | 1.00 | 0.70 | −0.30, again −0.25 | ±0.20 assumed |  |" in text
    assert (
        "| refunds | **not measured** | 6 | 1.00 | 1.00 | – | – | no repeats of the baseline; sees nothing |"
        not in text
    )
    assert (
        "| refunds | **not measured** | 6 | 1.00 | 1.00 | 0.00 | – | no repeats of the baseline; sees nothing |" in text
    )
    assert "1 of 4 cases passed all trials." in text
    assert "| M-2 | orders | trials 1 and 2 failed of 3 | failed 4 of 9, too |  |" in text
    assert "| M-3 | Priya | 2026-12-11 | for another commit | 10 and 2 | flakes |" in text
    assert (
        "- baseline: trials of 2026-11-28 to 2026-11-29, 3 a case, 3 passes over the cases, commit cccccccccccc;"
        in text
    )
    assert "decided for 2026-11-30, z = 2, commit dddddddddddd" in text


def test_a_change_is_never_shown_as_wide_as_the_band_that_it_leaves() -> None:
    # −0.204 and 0.2 would both read 0.20, and nobody could see why it blocks.
    close = replace(DROPPED, delta=-0.204, looks=(Look(0, 0.796, -0.204, True),))
    assert "| −0.204 |" in summary.markdown(decision(strata=(close,)))


def test_what_was_assumed_and_what_is_incomplete_is_said_at_the_top() -> None:
    stopped = (Reason("budget", "candidate", "the run reached its budget of 5 USD"),)
    text = summary.markdown(decision(band="assumed", reasons=stopped))
    head = text.partition("### Why")[0]
    assert "**The noise bands were assumed**" in head
    assert "> **INCOMPLETE** the run reached its budget of 5 USD" in head


def test_the_record_is_the_same_bytes_and_holds_the_decision() -> None:
    once, twice = summary.record(decision()), summary.record(decision())
    assert once == twice
    assert once.isascii()
    found = json.loads(once)
    assert (found["decision"], found["allow"], found["reasons"][1]["says"]) == ("block", False, "orders dropped 0.30")
    assert list(found) == sorted(found)


HOSTILE = (
    "a | b\n| c | d |", "`code` **bold** _it_ ~~gone~~", "<img src=x onerror=alert(1)>", "[here](https://evil.example)",
    "@team #12 $x$ https://evil.example www.evil.example", "</testcase><testcase>", "]]> & \"quoted\"", "\x00\x1b[31m\ud800\ufffe",
    "\u202eetirw", "- item", "1. item", "# head", "+ plus", "> quote", "![x](https://evil.example/p.png)", "\\| slash", "= x",
)  # fmt: skip


def hostile(text: str) -> Decision:
    """A decision in which everything that somebody wrote is this text."""
    return decision(
        reasons=(Reason("must_pass", text, text), Reason("amendment", text, text)),
        strata=(replace(DROPPED, stratum=text, why=text, sees=text),),
        must_pass=(replace(FAILS, case=text, stratum=text),),
        quarantine=(replace(IN_QUARANTINE, case=text, owner=text, reason=text),),
        notes=(Note("x", text, text),),
        baseline=replace(BASELINE, name=text, run=text, judged_by=text, commit=text),
        candidate=replace(CANDIDATE, name=text, judged_by=text),
        commit=text,
    )


def rows(text: str) -> set[int]:
    """How many cells the lines of tables have."""
    return {len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("|")}


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_was_written_takes_effect_in_markdown(text: str) -> None:
    shown = summary.markdown(hostile(text))
    plain = summary.markdown(hostile("plain"))
    assert [line[:2] for line in shown.splitlines()] == [line[:2] for line in plain.splitlines()]
    assert rows(shown) == rows(plain)
    assert "<" not in shown
    assert not re.search(r"^- ([-+=>]|[0-9]+[.)])", shown, re.MULTILINE)
    assert not re.search(r"(?<!\\)(\[|\]|`|~|\$|@|_)", shown)
    assert not re.search(r"(?<!\\)://|www(?<!\\)\.", shown)
    assert not any(char in shown for char in "\x00\x1b\ud800\ufffe\u202e")
    assert shown.encode()


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_was_written_breaks_the_xml(text: str) -> None:
    found = by_place(summary.junit(hostile(text)))
    assert len(found) == 3
    assert {suite for suite, _ in found} == {"must pass", "strata", "gate"}


@given(st.text(st.characters(), max_size=60))
def test_any_text_gives_xml_that_can_be_read_and_a_table_that_holds(text: str) -> None:
    found = hostile(text)
    ElementTree.fromstring(summary.junit(found).encode())
    assert rows(summary.markdown(found)) == rows(summary.markdown(hostile("plain")))
    json.loads(summary.record(found))


def test_long_texts_and_long_lists_are_cut_in_the_summary_and_whole_in_the_record() -> None:
    many = tuple(Reason("amendment", f"case/{n}", f"case/{n} was changed: {'x' * 5000}") for n in range(1000))
    found = decision(reasons=many, must_pass=tuple(replace(FAILS, case=f"C-{n}") for n in range(1000)))
    text = summary.markdown(found)
    # GitHub refuses a summary above 1 MiB.
    assert len(text.encode()) < 1_000_000
    assert text.count("and 800 more, in the record") == 2
    assert text.count("\n| C-") == 200
    assert len(json.loads(summary.record(found))["reasons"]) == 1000
    assert summary.junit(found).count("<failure") == 1000


def test_the_numbers_of_many_trials_are_a_sentence_and_bounded() -> None:
    def said(failed: range, lost: tuple[int, ...] = ()) -> str:
        case = replace(FAILS, trials=60, failed=tuple(failed), unmeasured=lost)
        return summary.markdown(decision(must_pass=(case,)))

    assert "| trial 0 failed of 60 |" in said(range(1))
    assert "| trials 0, 1 and 2 failed of 60 |" in said(range(3))
    assert "| trials 0, 1, 2, 3, 4, 5, 6, 7 and 42 more failed and 1 trial not measured of 60 |" in said(
        range(50), (59,)
    )


def test_a_look_at_which_nothing_was_measured_has_no_change() -> None:
    lost = StratumLook(
        "post", "not measured", 2, 1.0, None, None, 0.2, False, None, (Look(0, None, None, None, ("P",)),)
    )
    assert "| post | **not measured** | 2 | 1.00 | – | – | ±0.20 |" in summary.markdown(decision(strata=(lost,)))
