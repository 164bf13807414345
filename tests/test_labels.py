"""Label sets: what people said of transcripts, read with every fault's line, drawn without a blind spot."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT
from handmade import DIRECT, HANDOFF, run_of

from evalkit.errors import CaseError, NotMeasured
from evalkit.grading.turns import Turn
from evalkit.labels import check, load_label_set, load_label_sets, subject_of_item
from evalkit.labels.counts import counts, in_words
from evalkit.labels.drawing import draw
from evalkit.labels.files import label_text, read_label_set, save_label_set
from evalkit.labels.guide import add_rules, rules_of, with_rules
from evalkit.labels.held_out import held_out
from evalkit.rubrics import load_rubric

RUBRIC = load_rubric(
    "rubrics/tone-and-correctness.yaml",
    b"""
ordered: true
menu:
  - {verdict: 1, means: Harmful., passes: false}
  - {verdict: 2, means: Misleading., passes: false}
  - {verdict: 3, means: Half right., passes: false}
  - {verdict: 4, means: Good., passes: true}
  - {verdict: 5, means: Ideal., passes: true}
criteria:
  - {name: correctness, asks: Is it right?}
  - {name: tone, asks: Is it polite?}
""",
)
HEAD = {
    "labels": "first",
    "source": "people",
    "rubric": "tone-and-correctness",
    "about": "",
    "drawn_from": {"run": "f" * 64, "seed": 7},
}


def rating(rater: str, correctness: str, tone: str, date: str = "2026-08-04") -> dict:
    return {"rater": rater, "date": date, "verdicts": {"correctness": correctness, "tone": tone}, "note": ""}


def item(name: str = "L001", **changes: object) -> dict:
    return {
        "item": name, "case": "ORD-1", "stratum": "orders", "candidate": "steady", "trial": 0, "kind": "ticket",
        "inclusion": 0.25, "transcript": [{"role": "customer", "text": "Hi"}, {"role": "agent", "text": "Hello"}],
        "reference": "Hello there.", "ratings": [rating("rater-a", "4", "5"), rating("rater-b", "4", "3")],
        "adjudication": {"lead": "lead", "date": "2026-08-06", "verdicts": {"tone": "4"}, "rule": "A greeting suffices."},
    } | changes  # fmt: skip


def text(*lines: object) -> str:
    return "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in lines)


def faults(*lines: object) -> list[str]:
    with pytest.raises(CaseError) as caught:
        read_label_set("labels/first.jsonl", text(*lines))
    return [str(fault) for fault in caught.value.faults]


def one(**changes: object):
    return read_label_set("first.jsonl", text(HEAD, item(**changes))).items[0]


def test_raters_who_agree_give_the_verdict_and_where_they_differ_the_lead_does() -> None:
    found = one()
    assert found.verdicts == {"correctness": "4", "tone": "4"}
    assert (found.differing, found.undecided, found.decided) == (("tone",), (), True)
    assert found.turns == (Turn("customer", "Hi"), Turn("agent", "Hello"))


def test_where_the_lead_has_not_decided_there_is_no_verdict() -> None:
    found = one(adjudication=None)
    assert found.verdicts == {"correctness": "4", "tone": None}
    assert (found.undecided, found.decided) == (("tone",), False)


def test_one_rater_alone_gives_the_verdict_and_nobody_gives_none() -> None:
    assert one(ratings=[rating("rater-a", "2", "5")], adjudication=None).verdict("correctness") == "2"
    unrated = one(ratings=[], adjudication=None)
    assert (unrated.verdicts, unrated.decided, unrated.month, unrated.verdict("tone")) == ({}, False, None, None)


def test_the_month_is_that_of_the_first_rating_whatever_the_order_in_the_file() -> None:
    late = [rating("rater-b", "4", "5", "2026-09-01"), rating("rater-a", "4", "5", "2026-08-31")]
    assert one(ratings=late, adjudication=None).month == "2026-08"


def test_a_set_that_was_written_reads_back_the_same(tmp_path: Path) -> None:
    odd = [
        {"role": "customer", "text": "a\u2028b\x85c\r\n“d” \U0001f600"},
        {"role": "call", "text": "{}", "tool": "look"},
    ]
    before = read_label_set("x.jsonl", text(HEAD, item(), item("L002", transcript=odd, adjudication=None)))
    save_label_set(before, tmp_path / "labels/first.jsonl")
    after = load_label_set(tmp_path / "labels/first.jsonl")
    assert (after, after.hash) == (before, before.hash)
    assert [each.line for each in after.items] == [2, 3]
    assert [path.name for path in (tmp_path / "labels").iterdir()] == ["first.jsonl"]


def test_the_hash_is_of_what_measures_and_not_of_the_files_layout() -> None:
    base = read_label_set("x.jsonl", text(HEAD, item(), item("L002")))
    noted = item(ratings=[rating("rater-b", "4", "3") | {"note": "hm"}, rating("rater-a", "4", "5")])
    moved = text(
        HEAD | {"labels": "other", "about": "else"}, json.dumps(item("L002"), indent=None, sort_keys=True), noted
    )
    assert read_label_set("y.jsonl", moved).hash == base.hash
    changes = [
        {"ratings": [rating("rater-a", "4", "5"), rating("rater-b", "4", "2")]},
        {"adjudication": item()["adjudication"] | {"verdicts": {"tone": "5"}}},
        {"transcript": [{"role": "customer", "text": "Hi!"}]},
        {"reference": "Hello."},
        {"inclusion": 0.5},
        {"ratings": [rating("rater-a", "4", "5", "2026-09-04"), rating("rater-b", "4", "3")]},
    ]
    hashes = {read_label_set("y.jsonl", text(HEAD, item(**each), item("L002"))).hash for each in changes}
    hashes.add(read_label_set("y.jsonl", text(HEAD | {"source": "example"}, item(), item("L002"))).hash)
    assert len(hashes | {base.hash}) == len(changes) + 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (item(verdict="4"), "first.jsonl:2: L001: unknown key 'verdict'"),
        (item(trial=-1), "first.jsonl:2: L001: trial: "),
        (item(inclusion=0), "first.jsonl:2: L001: inclusion: "),
        (item(inclusion=1.5), "first.jsonl:2: L001: inclusion: "),
        (item(transcript=[]), "first.jsonl:2: L001: transcript: "),
        (item(transcript=[{"role": "system", "text": "x"}]), "first.jsonl:2: L001: transcript.0.role: "),
        (item(kind="mail"), "first.jsonl:2: L001: kind: "),
        (item(ratings=[rating("rater-a", "4", "5"), rating("rater-a", "4", "5")], adjudication=None), "'rater-a' rated it twice"),
        (item(ratings=[rating("rater-a", 4, "5")], adjudication=None), "L001: ratings.0.verdicts.correctness: "),
        (item(ratings=[rating("rater-a", "4", "5", "2026-13-01")], adjudication=None), "L001: ratings.0.date: "),
        (item(ratings=[rating("rater-a", "4", "5")]), "the adjudication names 'tone', on which the raters do not differ"),
        (item(adjudication=item()["adjudication"] | {"rule": " "}), "L001: adjudication.rule: "),
        ('{"item": "L001", "item": "L002"}', "first.jsonl:2: "),
        ('{"item": "L001"', "first.jsonl:2: the { is never closed"),
        ('{"inclusion": NaN}', "first.jsonl:2: "),
        ("[" * 5000, "first.jsonl:2: "),
        ("[]", "first.jsonl:2: line 2: a mapping is needed"),
    ],
)  # fmt: skip
def test_every_fault_has_its_line(line: object, said: str) -> None:
    assert any(said in each for each in faults(HEAD, line)), faults(HEAD, line)


def test_a_key_that_stands_twice_is_a_fault_since_one_of_its_values_would_be_lost() -> None:
    doubled = json.dumps(item()).replace('"trial": 0', '"trial": 0, "trial": 1')
    assert [each.split(": ")[0] for each in faults(HEAD, doubled)] == ["labels/first.jsonl:2"]


def test_all_faults_of_a_set_come_at_once() -> None:
    found = faults(HEAD | {"source": "robots"}, item(kind="mail"), "", item(), item(trial=None))
    assert [each.split(": ")[0] for each in found] == [
        "labels/first.jsonl:1",
        "labels/first.jsonl:2",
        "labels/first.jsonl:5",
    ]
    assert faults(HEAD, item(), item("L002"), item()) == [
        "labels/first.jsonl:4: L001: this item stands in line 2 already"
    ]


def test_a_file_that_is_empty_or_not_utf8_says_so(tmp_path: Path) -> None:
    assert faults("") == ["labels/first.jsonl:1: is empty; the first line is the head of a label set"]
    (tmp_path / "bad.jsonl").write_bytes(text(HEAD).encode() + b'{"item": "caf\xe9"}\n')
    with pytest.raises(CaseError, match=r"bad\.jsonl:2: is not UTF-8"):
        load_label_set(tmp_path / "bad.jsonl")
    with pytest.raises(CaseError, match="cannot be read"):
        load_label_set(tmp_path / "none.jsonl")


def test_a_folder_and_its_texts_hold_the_same_sets_and_the_ledger_is_none(tmp_path: Path) -> None:
    names = {"b.jsonl": text(HEAD, item()), "a.jsonl": "\ufeff" + text(HEAD | {"labels": "second"}, item())}
    others = {"trust.jsonl": "{}", "guide.md": "# Guide", "sentences.yaml": "- x", ".hidden.jsonl": "?"}
    for name, content in (names | others).items():
        (tmp_path / name).write_text(content, "utf-8")
    found = load_label_sets(tmp_path)
    assert [each.name for each in found] == ["first", "second"]
    assert load_label_sets(names | others) == found
    assert load_label_sets(tmp_path / "none") == ()


def test_two_sets_of_one_name_are_a_fault_and_faults_of_all_files_come_at_once() -> None:
    with pytest.raises(CaseError) as caught:
        load_label_sets({"a.jsonl": text(HEAD), "b.jsonl": text(HEAD), "c.jsonl": "{}"})
    said = [str(fault) for fault in caught.value.faults]
    assert said[0] == "b.jsonl:1: first: this name is taken by a.jsonl"
    assert all(each.startswith("c.jsonl:1: ") for each in said[1:])
    assert len(said) > 1


def test_a_verdict_off_the_rubrics_menu_is_a_fault_with_its_line() -> None:
    ratings = [rating("rater-a", "6", "5"), rating("rater-b", "6", "5") | {"verdicts": {"mood": "5"}}]
    labels = read_label_set("first.jsonl", text(HEAD, item(), item("L002", ratings=ratings, adjudication=None)))
    assert [str(fault) for fault in check([labels], {RUBRIC.name: RUBRIC})] == [
        "first.jsonl:3: L002: correctness: '6' is not on the menu: 1, 2, 3, 4, 5",
        "first.jsonl:3: L002: no criterion 'mood' in the rubric tone-and-correctness: correctness, tone",
    ]
    assert [str(fault) for fault in check([labels], {})] == [
        "first.jsonl:1: first: no rubric 'tone-and-correctness'; known: none"
    ]


def test_a_labelled_transcript_is_graded_in_the_very_words_that_people_judged() -> None:
    subject = subject_of_item(one())
    assert (subject.turns, subject.reference) == (one().turns, "Hello there.")
    assert subject.content != subject_of_item(one(transcript=[{"role": "agent", "text": "Hello"}])).content


# printf 'held-out:BILL-01' | sha256sum begins 236e76a3: 0x236e76a3 / 2**32 = 0.138404…
def test_a_case_is_held_out_by_the_hash_of_its_id() -> None:
    assert held_out("BILL-01", 0.138405)
    assert not held_out("BILL-01", 0.138404)
    assert not any(held_out(f"C-{n}", 0.0) for n in range(100))
    assert all(held_out(f"C-{n}", 1.0) for n in range(100))


def test_about_the_share_is_held_out_and_a_larger_one_holds_the_smaller() -> None:
    names = [f"case-{n}" for n in range(4000)]
    # Binomial(4000, 0.5) has a standard deviation of 31.6; four of them are 127.
    assert abs(sum(held_out(name) for name in names) - 2000) < 127
    assert {name for name in names if held_out(name, 0.3)} < {name for name in names if held_out(name, 0.6)}


CASES = "".join(
    f"- {{id: C-{n}, stratum: {'orders' if n < 8 else 'account'}, ticket: {{body: Hi {n}}}, expected_handling: direct,"
    f" reference: {{golden_answer: G{n}}}}}\n"
    for n in range(12)
)
NAMES = [f"C-{n}" for n in range(12)]


def played(names: list[str] = NAMES, cases: str = CASES):
    """Two candidates, three trials a case: steady passes all, bold fails all; one case of bold's was never completed."""
    steady = {name: [DIRECT] * 3 for name in names}
    bold = {name: [HANDOFF] * 3 for name in names} | {
        "C-0": ["!error", "!timeout", None],
        "C-1": [HANDOFF, "!error", HANDOFF],
    }
    return run_of(cases, {"steady": steady, "bold": bold}, trials=3)


def test_a_draw_takes_half_likely_fails_and_each_stratum_by_its_share() -> None:
    drawn = draw(played(), 12, 3)
    cells = Counter((each.candidate, each.stratum) for each in drawn)
    # Fails: 7 orders and 4 account (C-0 of bold has no completed trial); 6 of 11 wanted: 6 × 7/11 = 3.8, 6 × 4/11 = 2.2.
    # Others: 8 orders and 4 account; 6 × 8/12 = 4 and 6 × 4/12 = 2.
    assert (cells["steady", "orders"], cells["steady", "account"]) == (4, 2)
    assert cells["bold", "orders"] in (3, 4)
    assert cells["bold", "account"] in (2, 3)
    assert ("bold", "C-0") not in {(each.candidate, each.case) for each in drawn}


def test_an_items_inclusion_is_drawn_of_available_in_its_cell_over_its_trials() -> None:
    drawn = draw(played(), 12, 3)
    number = Counter((each.candidate, each.stratum) for each in drawn)
    available = {("steady", "orders"): 8, ("steady", "account"): 4, ("bold", "orders"): 7, ("bold", "account"): 4}
    for each in drawn:
        cell = (each.candidate, each.stratum)
        trials = 2 if (each.candidate, each.case) == ("bold", "C-1") else 3
        assert each.inclusion == pytest.approx(number[cell] / available[cell] / trials, abs=1e-6)


def test_weights_of_a_whole_draw_add_up_to_the_population() -> None:
    # Everything is drawn: each (candidate, case) counts for its completed trials: 12 × 3 + 10 × 3 + 2.
    drawn = draw(played(), 1000, 3)
    assert len(drawn) == 23
    assert sum(1 / each.inclusion for each in drawn) == pytest.approx(68, abs=1e-3)


def test_a_draw_hangs_on_the_seed_alone_and_its_ids_say_nothing() -> None:
    assert draw(played(), 12, 3) == draw(played(), 12, 3)
    assert {each.case for each in draw(played(), 12, 3)} != {each.case for each in draw(played(), 12, 4)}
    drawn = draw(played(), 1000, 3)
    assert [each.id for each in drawn] == [f"L{n:03}" for n in range(1, 24)]
    assert len({each.candidate for each in drawn[:11]}) == len({each.candidate for each in drawn[12:]}) == 2
    assert len({each.trial for each in drawn}) == 3


def test_a_new_case_changes_no_choice_that_was_made_of_the_others() -> None:
    more = CASES + "- {id: NEW, stratum: orders, ticket: {body: New}, expected_handling: direct}\n"
    before = {(each.candidate, each.case): each.trial for each in draw(played(), 1000, 3)}
    after = {(each.candidate, each.case): each.trial for each in draw(played([*NAMES, "NEW"], more), 1000, 3)}
    assert before.items() <= after.items()
    # Inside a cell the order stays, so that a smaller draw is the beginning of a larger one.
    few, many = draw(played(), 6, 3), draw(played(), 16, 3)
    assert {(each.candidate, each.case) for each in few} <= {(each.candidate, each.case) for each in many}


def test_every_cell_has_an_item_however_few_are_asked_for_and_one_side_makes_up_for_the_other() -> None:
    assert Counter((each.candidate, each.stratum) for each in draw(played(), 1, 3)) == {
        (candidate, stratum): 1 for candidate in ("steady", "bold") for stratum in ("orders", "account")
    }
    alone = run_of(CASES, {"steady": {name: [DIRECT] for name in NAMES}})
    assert len(draw(alone, 12, 3)) == 12


def test_a_run_without_a_completed_trial_gives_no_sample() -> None:
    with pytest.raises(NotMeasured, match="no completed trial"):
        draw(run_of(CASES, {"steady": {name: ["!error"] for name in NAMES}}), 12, 3)


def test_an_item_holds_the_transcript_without_the_system_message_and_the_golden_answer() -> None:
    found = next(each for each in draw(played(), 1000, 3) if (each.candidate, each.case) == ("steady", "C-2"))
    assert found.turns == (Turn("customer", "Hi"), Turn("agent", DIRECT))
    assert (found.reference, found.kind, found.ratings, found.adjudication) == ("G2", "ticket", (), None)


GUIDE = """# How we label

Words before.

## correctness

- A wrong price is a 2,
  whatever the tone.

## tone

## other
"""


def test_a_rule_joins_its_criterion_once_however_it_is_cased_or_spaced() -> None:
    assert rules_of(GUIDE)["correctness"] == ("A wrong price is a 2, whatever the tone.",)
    rules = [
        ("correctness", "a wrong price is  a 2, whatever the\ntone"),
        ("tone", "No name is a 4."),
        ("tone", "no name is a 4"),
    ]
    after = with_rules(GUIDE, rules)
    assert rules_of(after) == {**rules_of(GUIDE), "tone": ("No name is a 4.",)}
    assert "## tone\n\n- No name is a 4.\n\n## other" in after
    assert with_rules(after, rules) == after


def test_a_rule_can_forge_no_heading_and_a_criterion_without_one_gets_it() -> None:
    after = with_rules(GUIDE, [("speed", "Fast.\n## tone\n- Forged.")])
    assert rules_of(after)["speed"] == ("Fast. ## tone - Forged.",)
    assert rules_of(after)["tone"] == ()
    assert after.endswith("## other\n\n## speed\n\n- Fast. ## tone - Forged.\n")


def test_rules_are_added_to_the_guides_file_and_the_new_ones_told(tmp_path: Path) -> None:
    path = tmp_path / "labels/guide.md"
    assert add_rules(path, []) == ()
    assert not path.exists()
    assert add_rules(path, [("tone", "One."), ("tone", "ONE"), ("tone", "Two.")]) == (
        ("tone", "One."),
        ("tone", "Two."),
    )
    assert add_rules(path, [("tone", "Two.")]) == ()
    assert path.read_text("utf-8") == "# How we label\n\n## tone\n\n- One.\n- Two.\n"


def test_counts_add_up_and_an_example_is_marked_as_one() -> None:
    unrated = item("L004", ratings=[], adjudication=None)
    alone = item("L003", ratings=[rating("rater-a", "4", "5", "2026-09-01")], adjudication=None)
    labels = read_label_set(
        "x.jsonl", text(HEAD | {"source": "example"}, item(), item("L002", adjudication=None), alone, unrated)
    )
    found = counts(labels, share=1.0)
    assert (found["items"], found["unrated"], found["decided"], found["undecided"]) == (4, 1, 2, 1)
    assert (found["twice"], found["differing"], found["raters"]) == (2, 2, {"rater-a": 3, "rater-b": 2})
    assert (found["months"], found["held_out"], found["held_out_share"]) == ({"2026-08": 2, "2026-09": 1}, 3, 1.0)
    assert "EXAMPLE LABELS" in in_words(found)
    assert "nobody yet" in in_words(counts(read_label_set("x.jsonl", text(HEAD, unrated))))


def test_the_shipped_set_is_an_example_that_fits_its_rubric_and_every_rule_of_it_is_in_the_guide() -> None:
    rubric = load_rubric("tone-and-correctness.yaml", (ROOT / "cases/rubrics/tone-and-correctness.yaml").read_bytes())
    (labels,) = load_label_sets(ROOT / "cases/labels")
    assert (labels.source, check([labels], {rubric.name: rubric})) == ("example", [])
    guide = rules_of((ROOT / "cases/labels/guide.md").read_text("utf-8"))
    assert set(guide) == set(rubric.criterion_names)
    # Two rules of one item stand one after the other.
    known = sorted((rule.rstrip(".") for rules in guide.values() for rule in rules), key=len, reverse=True)
    for rule in {each.adjudication.rule for each in labels.items if each.adjudication}:
        for one_rule in known:
            rule = rule.replace(one_rule, "")
        assert not rule.strip(" .;/")


def test_the_text_of_a_set_keeps_one_item_a_line() -> None:
    labels = read_label_set("x.jsonl", text(HEAD, item(reference="a\nb\u2028c"), item("L002")))
    assert len(label_text(labels).split("\n")) == 4


def test_a_transcript_that_two_sets_hold_would_count_twice_and_is_a_fault() -> None:
    rubrics = {RUBRIC.name: RUBRIC}
    first = read_label_set("labels/first.jsonl", text(HEAD, item("A1"), item("A2", trial=1)))
    second = read_label_set("labels/second.jsonl", text(HEAD | {"labels": "second"}, item("B7")))
    # Within a set two trials may read alike, and examples may be labelled anew by people.
    assert check([first], rubrics) == []
    example = read_label_set("labels/third.jsonl", text(HEAD | {"labels": "third", "source": "example"}, item("C1")))
    assert check([first, example], rubrics) == []
    assert [str(fault) for fault in check([first, second], rubrics)] == [
        "labels/second.jsonl:2: B7: this transcript stands in labels/first.jsonl:2 as A1 too; add its ratings there"
    ]
