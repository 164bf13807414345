"""Changes of a suite: each kind of them, who amends it, and what is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.changes import Change, changes, must_pass_ids
from evalkit.loading import load_suite, suite_of
from evalkit.suite import Suite

Files = dict[str, str]
Edit = Callable[[Files], None]

BASE: Files = {
    "suite.yaml": """\
name: shop
today: 2026-11-16
points: {fact_missing: -1}
policy: {refund_limit_usd: 100, window_days: 30}
private: {orders: [address, total]}
trust: {kappa_low: 0.4}
gate: {z: 2.0}
samples: {pr: {draw: 40, strata: [refunds, orders]}}
disqualify_on: [leak, missed_handoff]
""",
    "patterns.yaml": """\
refund: {any: ['refund(s|ed)?', 'money back'], unless: ['no refund'], means: money goes back}
two days: ['(two|2) days', '48 hours']
unused: ['nobody asks for it']
""",
    "prompts/grader.md": "You grade answers.\nBe strict.\n",
    "prompts/desk.md": "You answer tickets.\n",
    "knowledge/delivery.md": "# Delivery\n\nTwo days.\n",
    "rubrics/tone.yaml": """\
menu:
  - {verdict: bad, means: rude, passes: false}
  - {verdict: good, means: kind, passes: true}
criteria: [{name: tone, asks: Is it kind?}]
""",
    "fixtures/orders/1.json": '{"id": "1", "total": 412.00, "delivered": true}',
    "tools/support.py": "LIMIT = 100  # dollars\n",
    "cases.yaml": """\
- id: ORD-1
  stratum: orders
  must_pass: true
  owner: Priya Nair
  ticket: {subject: Where is it?, body: When is my parcel delivered}
  reference: {human_reply: In two days., golden_answer: It takes two days.}
  expected_handling: direct
  must_include: [two days]
  must_not_include: [refund, lifetime]
  amendments: [{who: Priya Nair, when: 2026-10-01, why: it was three days}]
- id: ORD-2
  stratum: orders
  risk: safety
  ticket: {body: I will dispute this charge with my bank.}
  expected_handling: escalate
- id: REF-1
  stratum: refunds
  must_pass: true
  owner: Jo Park
  persona: Polite
  goal: A refund
  fixtures: orders/1.json
  expect: {final_state: {refunds_issued: []}, tools_forbidden: [issue_refund, close], outcome: handoff}
- id: DRAFT-1
  stratum: orders
  status: draft
  must_pass: true
  ticket: {body: Hello}
  expected_handling: direct
""",
    "quarantine.yaml": """\
- {case: REF-1, owner: Jo Park, reason: it flakes, since: 2026-11-01, fix_by: 2026-12-01}
""",
    "amendments.yaml": "- {who: Ann Lee, when: 2026-10-02, why: it was 90, what: [policy.refund_limit_usd, case/ORD-2]}\n",
}


def suite(files: Files) -> Suite:
    return suite_of(files, "shop")


def edited(*edits: Edit) -> Files:
    files = dict(BASE)
    for edit in edits:
        edit(files)
    return files


def put(path: str, old: str, new: str) -> Edit:
    def edit(files: Files) -> None:
        assert old in files[path]
        files[path] = files[path].replace(old, new, 1)

    return edit


def write(path: str, text: str) -> Edit:
    return lambda files: files.__setitem__(path, text)


def drop(path: str) -> Edit:
    return lambda files: files.__delitem__(path)


def gone(case: str) -> Edit:
    def edit(files: Files) -> None:
        before, _, rest = files["cases.yaml"].partition(f"- id: {case}\n")
        files["cases.yaml"] = before + "".join(f"- id:{each}" for each in rest.split("- id:")[1:])

    return edit


def amended(what: str, who: str) -> Edit:
    line = json.dumps({"who": who, "when": "2026-11-30", "why": "on purpose", "what": [what]})
    return lambda files: files.__setitem__("amendments.yaml", files.get("amendments.yaml", "") + f"- {line}\n")


def found(*edits: Edit) -> dict[str, Change]:
    return {change.what: change for change in changes(suite(BASE), suite(edited(*edits)))}


# The key, what is edited, what is said of it, and who owns it.
KINDS: list[tuple[str, Edit, str, str | None]] = [
    ("case/ORD-2", put("cases.yaml", "risk: safety", "risk: normal"), 'risk: "safety" → "normal"', None),
    ("case/ORD-1", put("cases.yaml", "[two days]", "[]"), 'must_include: ["two days"] → []', "Priya Nair"),
    ("points.fact_missing", put("suite.yaml", "fact_missing: -1", "fact_missing: -0.5"), "-1 → -0.5", None),
    ("policy.refund_limit_usd", put("suite.yaml", "usd: 100", "usd: 500"), "100 → 500", None),
    ("policy.window_days", put("suite.yaml", ", window_days: 30", ""), "30 → absent", None),
    ("private.orders", put("suite.yaml", "[address, total]", "[total]"), '["address", "total"] → ["total"]', None),
    ("trust.kappa_low", put("suite.yaml", "kappa_low: 0.4", "kappa_low: 0.1"), "0.4 → 0.1", None),
    ("gate.z", put("suite.yaml", "z: 2.0", "z: 9"), "2 → 9", None),
    ("samples.pr", put("suite.yaml", "draw: 40", "draw: 1"), '"draw": 40', None),
    ("samples.nightly", put("suite.yaml", "samples: {", "samples: {nightly: {draw: 3}, "), 'absent → {"draw": 3', None),
    ("disqualify_on", put("suite.yaml", "[leak, missed_handoff]", "[leak]"), '["leak", "missed_handoff"]', None),
    ("eval_mode_tag", put("suite.yaml", "name: shop", "name: shop\neval_mode_tag: '[X]'"), '"[EVAL MODE]"', None),
    ("today", put("suite.yaml", "2026-11-16", "2026-11-17"), '"2026-11-16" → "2026-11-17"', None),
    ("pattern/refund", put("patterns.yaml", ", 'money back'", ""), 'any: ["money back"', None),
    ("pattern/two days", put("patterns.yaml", "two days: ['(two|2) days', '48 hours']\n", ""), "removed", None),
    ("pattern/Lifetime", put("patterns.yaml", "unused:", "Lifetime: [never ends]\nunused:"), "was matched as", None),
    ("rubric/tone", put("rubrics/tone.yaml", "Is it kind?", "Is it there?"), "Is it kind?", None),
    ("fixture/orders/1.json", put("fixtures/orders/1.json", "412.00", "41.2"), "total: 412 → 41.2", None),
    ("tools/support.py", put("tools/support.py", "= 100", "= 900"), "LIMIT = 100", None),
    ("tools/more.py", write("tools/more.py", "X = 1\n"), "the tools are new", None),
    ("prompt/grader.md", put("prompts/grader.md", "Be strict.", "Be kind."), '"Be strict." → "Be kind."', None),
    ("quarantine/REF-1", put("quarantine.yaml", "2026-12-01", "2027-12-01"), "fix_by:", "Jo Park"),
    (
        "quarantine/ORD-1",
        lambda files: files.__setitem__(
            "quarantine.yaml",
            files["quarantine.yaml"]
            + "- {case: ORD-1, owner: Sly, reason: x, since: 2026-11-01, fix_by: 2026-12-01}\n",
        ),
        "new in quarantine: owner Sly, fix_by 2026-12-01",
        "Priya Nair",
    ),
]  # fmt: skip
LOST: list[tuple[str, list[Edit], str, str | None]] = [
    ("removed/ORD-1", [gone("ORD-1")], "the case is removed; it is must_pass", "Priya Nair"),
    ("removed/ORD-2", [gone("ORD-2")], "the case is removed", None),
    (
        "removed/ORD-1",
        [put("cases.yaml", "must_pass: true\n  owner: Pri", "must_pass: true\n  status: draft\n  owner: Pri")],
        "the case is a draft now, and not played; it is must_pass",
        "Priya Nair",
    ),
    ("rubric/tone", [drop("rubrics/tone.yaml")], "the rubric is removed", None),
    ("tools/support.py", [drop("tools/support.py")], "the tools are removed", None),
    ("prompt/grader.md", [drop("prompts/grader.md")], "what the grader is told is removed", None),
    ("samples.pr", [put("suite.yaml", "samples: {pr: {draw: 40, strata: [refunds, orders]}}\n", "")], "→ absent", None),
]
ALL = [*[(what, [edit], says, owner) for what, edit, says, owner in KINDS], *LOST]
WHO = [(what, edits, owner) for what, edits, _, owner in ALL]
OWNED = [(what, edits, owner) for what, edits, owner in WHO if owner is not None]


@pytest.mark.parametrize(("what", "edits", "says", "owner"), ALL, ids=[kind[0] for kind in ALL])
def test_each_kind_of_change_is_found_under_its_key_alone(
    what: str, edits: list[Edit], says: str, owner: str | None
) -> None:
    (change,) = found(*edits).values()
    assert (change.what, change.owner, change.amended_by) == (what, owner, None)
    assert says in change.says


@pytest.mark.parametrize(("what", "edits", "owner"), WHO, ids=[kind[0] for kind in WHO])
def test_each_kind_is_amended_by_a_new_entry_that_names_it(what: str, edits: list[Edit], owner: str | None) -> None:
    entry = found(*edits, amended(what, owner or "anybody"))[what].amended_by
    assert entry is not None
    assert (entry.who, entry.why) == (owner or "anybody", "on purpose")
    # An entry that names another change is none for this one.
    assert found(*edits, amended("policy.other", owner or "anybody"))[what].amended_by is None


@pytest.mark.parametrize(("what", "edits", "owner"), WHO, ids=[kind[0] for kind in WHO])
def test_no_kind_is_amended_by_an_entry_that_was_there_before(what: str, edits: list[Edit], owner: str | None) -> None:
    entry = amended(what, owner or "anybody")
    before, after = edited(entry), edited(entry, *edits)
    assert {change.what: change.amended_by for change in changes(suite(before), suite(after))} == {what: None}
    # Written down a second time, word for word, it is no new one.
    assert [each.amended_by for each in changes(suite(before), suite(edited(entry, entry, *edits)))] == [None]


@pytest.mark.parametrize(("what", "edits", "owner"), OWNED, ids=[kind[0] for kind in OWNED])
def test_somebody_who_does_not_own_a_case_cannot_amend_its_change(what: str, edits: list[Edit], owner: str) -> None:
    change = found(*edits, amended(what, "Sly"))[what]
    assert change.amended_by is None
    assert f"(amended by Sly, and its owner is {owner})" in change.says
    both = found(*edits, amended(what, "Sly"), amended(what, owner))[what]
    assert both.amended_by is not None
    assert (both.amended_by.who, "Sly)" in both.says) == (owner, False)


def own_amendment(who: str) -> Edit:
    old = "why: it was three days}]"
    return put("cases.yaml", old, old[:-1] + f", {{who: {who}, when: 2026-11-30, why: new rule}}]")


def test_a_case_is_amended_by_a_new_entry_of_its_own() -> None:
    lift = put("cases.yaml", "must_pass: true\n  owner: Pri", "must_pass: false\n  owner: Pri")
    alone = found(lift)["case/ORD-1"]
    assert (alone.says, alone.amended_by, alone.lifts_must_pass) == ("must_pass: true → false", None, True)
    by_owner = found(lift, own_amendment("Priya Nair"))["case/ORD-1"]
    assert by_owner.amended_by is not None
    assert by_owner.amended_by.why == "new rule"
    assert found(lift, own_amendment("Sly"))["case/ORD-1"].amended_by is None


def test_whoever_takes_a_case_over_cannot_amend_it_alone() -> None:
    take = put("cases.yaml", "owner: Priya Nair", "owner: Sly")
    change = found(take, own_amendment("Sly"))["case/ORD-1"]
    assert (change.owner, change.amended_by) == ("Priya Nair", None)
    assert found(take, own_amendment("Priya Nair"))["case/ORD-1"].amended_by is not None


def test_a_case_that_nobody_owned_is_amended_by_its_new_owner() -> None:
    own = put("cases.yaml", "risk: safety", "risk: safety\n  owner: Kim")
    assert found(own)["case/ORD-2"].owner == "Kim"
    assert found(own, amended("case/ORD-2", "Sly"))["case/ORD-2"].amended_by is None
    assert found(own, amended("case/ORD-2", "Kim"))["case/ORD-2"].amended_by is not None


def test_a_case_must_pass_if_either_side_says_so_and_no_amendment_lifts_it() -> None:
    def ids(*edits: Edit) -> set[str]:
        before, after = suite(BASE), suite(edited(*edits))
        return set(must_pass_ids(before, after, changes(before, after)))

    lift = put("cases.yaml", "must_pass: true\n  owner: Pri", "must_pass: false\n  owner: Pri")
    assert ids() == {"ORD-1", "REF-1"}  # a draft is not played
    assert ids(lift) == {"ORD-1", "REF-1"}
    assert ids(lift, own_amendment("Sly")) == {"ORD-1", "REF-1"}
    assert ids(lift, own_amendment("Priya Nair")) == {"REF-1"}
    assert ids(gone("ORD-1")) == {"ORD-1", "REF-1"}
    assert ids(gone("ORD-1"), amended("removed/ORD-1", "Priya Nair")) == {"REF-1"}
    # An amended change of something else lifts nothing.
    assert ids(put("cases.yaml", "[two days]", "[]"), own_amendment("Priya Nair")) == {"ORD-1", "REF-1"}
    assert ids(put("cases.yaml", "risk: safety", "must_pass: true")) == {"ORD-1", "ORD-2", "REF-1"}
    assert must_pass_ids(None, suite(BASE), ()) == {"ORD-1", "REF-1"}
    assert must_pass_ids(None, None, ()) == frozenset()


INERT: list[tuple[str, Edit]] = [
    ("a source", put("cases.yaml", "must_pass: true\n  owner: Pri", "source: mail\n  must_pass: true\n  owner: Pri")),
    ("tags", put("cases.yaml", "risk: safety", "risk: safety\n  tags: [bank]")),
    ("an incident", put("cases.yaml", "risk: safety", "risk: safety\n  incident: INC-7")),
    ("an amendment", own_amendment("Priya Nair")),
    ("what a person replied", put("cases.yaml", "human_reply: In two days.", "human_reply: Soon.")),
    ("a default written down", put("cases.yaml", "risk: safety", "risk: safety\n  language: en")),
    ("group for stratum", put("cases.yaml", "stratum: orders", "group: orders")),
    ("another order of claims", put("cases.yaml", "[refund, lifetime]", "[lifetime, refund]")),
    ("another order of tools", put("cases.yaml", "[issue_refund, close]", "[close, issue_refund]")),
    ("a new case", lambda files: files.__setitem__("new.yaml", files["cases.yaml"].split("- id: ")[2]
                                                   .replace("ORD-2", "id: NEW-1", 1).replace("\n  ", "\n"))),
    ("a draft that changes", put("cases.yaml", "body: Hello", "body: Goodbye")),
    ("a draft that is gone", gone("DRAFT-1")),
    ("a draft that is played now", put("cases.yaml", "status: draft\n  must_pass: true", "must_pass: false")),
    ("a description", put("suite.yaml", "name: shop", "name: shop\ndescription: A shop.")),
    ("another name", put("suite.yaml", "name: shop", "name: store")),
    ("the strata", put("suite.yaml", "name: shop", "name: shop\nstrata: [orders, refunds, more]")),
    ("the data's owner", put("suite.yaml", "name: shop", "name: shop\ndata_owner: {name: Kim}")),
    ("a whole number as a real one", put("suite.yaml", "usd: 100", "usd: 100.0")),
    ("another order of private fields", put("suite.yaml", "[address, total]", "[total, address]")),
    ("another order of disqualifications", put("suite.yaml", "[leak, missed_handoff]", "[missed_handoff, leak]")),
    ("another order of a sample's strata", put("suite.yaml", "[refunds, orders]", "[orders, refunds]")),
    ("what a pattern means", put("patterns.yaml", "money goes back", "it is returned")),
    ("another order of alternatives", put("patterns.yaml", "'(two|2) days', '48 hours'", "'48 hours', '(two|2) days'")),
    ("a pattern that no case names", put("patterns.yaml", "nobody asks for it", "nobody asks")),
    ("a new pattern", put("patterns.yaml", "unused:", "fresh: [new]\nunused:")),
    ("a new pattern of a new case", lambda files: files.update({
        "patterns.yaml": files["patterns.yaml"] + "fresh: [new]\n",
        "new.yaml": "{id: NEW-1, stratum: orders, ticket: {body: Hi}, must_include: [fresh]}\n",
    })),
    ("a new rubric", lambda files: files.__setitem__("rubrics/new.yaml", files["rubrics/tone.yaml"])),
    ("a rubric's layout", put("rubrics/tone.yaml", "menu:", "# the menu\nper: trial\nmenu:")),
    ("a record's layout", put("fixtures/orders/1.json", '{"id": "1", ', '{\n  "id": "1",\n  ')),
    ("a record that no case starts from", write("fixtures/orders/2.json", "{}")),
    ("a comment in the tools", put("tools/support.py", "# dollars", "# US dollars")),
    ("layout of what the grader is told", put("prompts/grader.md", "answers.\nBe", "answers. Be")),
    ("an agent's prompt", put("prompts/desk.md", "answer", "reply to")),
    ("an article", put("knowledge/delivery.md", "Two days.", "Three days.")),
    ("a sign-off", put("quarantine.yaml", "12-01}", "12-01, sign_offs: [{who: Jo Park, commit: abcdef1, when: 2026-11-30}]}")),
    ("a reason", put("quarantine.yaml", "it flakes", "it flakes at night")),
    ("an entry taken out of quarantine", drop("quarantine.yaml")),
    ("amendments alone", amended("policy.refund_limit_usd", "anybody")),
]  # fmt: skip


@pytest.mark.parametrize("edit", [edit for _, edit in INERT], ids=[name for name, _ in INERT])
def test_what_changes_no_verdict_is_no_change(edit: Edit) -> None:
    assert edited(edit) != BASE
    assert found(edit) == {}


@given(st.sets(st.integers(0, len(KINDS) - 1)))
def test_of_any_edits_together_just_their_keys_are_found(chosen: set[int]) -> None:
    edits = [KINDS[at][1] for at in sorted(chosen)]
    before, after = suite(BASE), suite(edited(*edits))
    assert {change.what for change in changes(before, after)} == {KINDS[at][0] for at in chosen}


@given(st.sets(st.integers(0, len(KINDS) - 1)))
def test_a_suite_has_no_changes_against_itself_with_other_comments(chosen: set[int]) -> None:
    files = edited(*(KINDS[at][1] for at in sorted(chosen)))
    commented = {
        path: f"# a comment\n{text}" if path.endswith((".yaml", ".py")) else text for path, text in files.items()
    }
    assert suite(files).snapshot != suite(commented).snapshot
    assert changes(suite(files), suite(commented)) == ()
    assert changes(suite(files), suite(files)) == ()


def test_the_shipped_suite_has_no_changes_against_its_own_snapshot() -> None:
    loaded = load_suite(Path(__file__).parents[1] / "cases")
    again = suite_of({path: text + "\n" * path.endswith(".yaml") for path, text in loaded.files.items()}, loaded.name)
    assert loaded.snapshot != again.snapshot
    assert changes(loaded, again) == ()


def test_a_number_and_a_truth_value_are_two() -> None:
    # 1 == True in Python, and a record that says 1 is not one that says true.
    assert found(put("fixtures/orders/1.json", "true", "1"))["fixture/orders/1.json"].says == "delivered: true → 1"


def test_a_pattern_and_its_folded_name_are_one() -> None:
    assert found(put("patterns.yaml", "two days:", "Two Days:")) == {}


def test_texts_are_shown_from_where_they_differ_and_not_whole() -> None:
    long = "x" * 500
    body = put("cases.yaml", "body: Hello", f"body: {long}a")
    draft = put("cases.yaml", "status: draft\n  must_pass: true", "must_pass: false")
    before, after = (
        suite(edited(body, draft)),
        suite(edited(put("cases.yaml", "body: Hello", f"body: {long}b"), draft)),
    )
    (change,) = changes(before, after)
    assert change.says == f'ticket.body: …{"x" * 15}a" → …{"x" * 15}b"'


def test_a_grader_s_own_prompt_is_looked_at_where_it_is_named() -> None:
    before = suite({**BASE, "prompts/judge.md": "Strict."})
    after = suite({**BASE, "prompts/judge.md": "Kind."})
    assert changes(before, after) == ()
    assert [each.what for each in changes(before, after, grader_prompts=["judge.md"])] == ["prompt/judge.md"]
    assert [each.what for each in changes(before, after, grader_prompts=["prompts/judge.md"])] == ["prompt/judge.md"]


def test_a_case_that_changes_its_kind_is_a_change() -> None:
    talk = "ticket: {body: I will dispute this charge with my bank.}"
    change = found(put("cases.yaml", talk, "persona: Angry\n  goal: My money"))["case/ORD-2"]
    assert 'persona: null → "Angry"' in change.says
    assert "→ absent" in change.says


# What is new: an amendment of its own for each change


def write_down(what: str, who: str = "Ann Lee", when: str = "2026-11-30", why: str = "on purpose") -> Edit:
    line = json.dumps({"who": who, "when": when, "why": why, "what": [what]}, ensure_ascii=False)
    return lambda files: files.__setitem__("amendments.yaml", files.get("amendments.yaml", "") + f"- {line}\n")


@pytest.mark.parametrize(
    ("who", "why"),
    [
        ("Priya Nair", "it was three days "),
        ("Priya  Nair", " It was\n three DAYS"),
        ("PRIYA NAIR", "it was three\u00a0days"),
        ("Priya Nair", "ｉｔ was th\u200bree days"),
    ],
)  # fmt: skip
def test_an_older_amendment_written_down_again_is_not_new_wherever_it_stood(who: str, why: str) -> None:
    # ORD-1's own entry of 2026-10-01 says so already; nobody owns ORD-2 or the limit.
    risk = put("cases.yaml", "risk: safety", "risk: normal")
    own = json.dumps([{"who": who, "when": "2026-10-01", "why": why}])
    in_case = put("cases.yaml", "  expected_handling: escalate", f"  expected_handling: escalate\n  amendments: {own}")
    assert found(risk, in_case)["case/ORD-2"].amended_by is None
    limit = put("suite.yaml", "usd: 100", "usd: 500")
    change = found(limit, write_down("policy.refund_limit_usd", who, "2026-10-01", why))["policy.refund_limit_usd"]
    assert change.amended_by is None
    assert "2026-10-01 is on record for an earlier change; write a new one)" in change.says
    # Another day, or another reason, is another amendment.
    for when, said in (("2026-10-02", why), ("2026-10-01", f"{why} and a half")):
        assert found(limit, write_down("policy.refund_limit_usd", who, when, said))[
            "policy.refund_limit_usd"
        ].amended_by


def test_an_older_amendment_that_names_more_now_is_not_new() -> None:
    limit = put("suite.yaml", "window_days: 30", "window_days: 3")
    more = put("amendments.yaml", "[policy.refund_limit_usd,", "[policy.window_days, policy.refund_limit_usd,")
    assert found(limit, more)["policy.window_days"].amended_by is None


def test_an_older_amendment_of_a_draft_or_a_case_that_is_gone_is_not_new() -> None:
    old = "  status: draft\n"
    before = edited(
        put("cases.yaml", old, f"{old}  amendments: [{{who: Ann Lee, when: 2026-11-30, why: on purpose}}]\n")
    )
    after = dict(before)
    for edit in (gone("DRAFT-1"), put("suite.yaml", "usd: 100", "usd: 500"), write_down("policy.refund_limit_usd")):
        edit(after)
    assert [each.amended_by for each in changes(suite(before), suite(after))] == [None]


LIFT = put("cases.yaml", "must_pass: true\n  owner", "must_pass: false\n  owner")
LIMIT = put("suite.yaml", "usd: 100", "usd: 500")


def amended_since(before: Files, target: Files, after: Files) -> dict[str, bool]:
    found = changes(suite(before), suite(after), since=suite(target))
    return {change.what: change.amended_by is not None for change in found}


def test_what_was_merged_earlier_stays_amended_by_its_own_entry() -> None:
    merged = edited(LIMIT, write_down("policy.refund_limit_usd"))
    assert amended_since(BASE, merged, merged) == {"policy.refund_limit_usd": True}
    # A change of something else does not touch it, and needs an entry of its own.
    after = dict(merged)
    put("suite.yaml", "kappa_low: 0.4", "kappa_low: 0.1")(after)
    assert amended_since(BASE, merged, after) == {"policy.refund_limit_usd": True, "trust.kappa_low": False}
    write_down("trust.kappa_low", why="another reason")(after)
    assert amended_since(BASE, merged, after) == {"policy.refund_limit_usd": True, "trust.kappa_low": True}


def test_an_amendment_that_was_merged_earlier_does_not_cover_a_later_change() -> None:
    merged = edited(LIMIT, write_down("policy.refund_limit_usd"))
    after = dict(merged)
    put("suite.yaml", "usd: 500", "usd: 9000")(after)
    key = "policy.refund_limit_usd"
    # Against the baseline alone it would.
    assert [each.amended_by is not None for each in changes(suite(BASE), suite(after))] == [True]
    assert amended_since(BASE, merged, after) == {key: False}
    (change,) = changes(suite(BASE), suite(after), since=suite(merged))
    assert "the amendment by Ann Lee, 2026-11-30 is on record for an earlier change" in change.says
    again = dict(after)
    write_down(key)(again)
    assert amended_since(BASE, merged, again) == {key: False}
    write_down(key, when="2026-12-01")(after)
    assert amended_since(BASE, merged, after) == {key: True}


def test_what_was_merged_earlier_is_not_undone_unseen() -> None:
    merged = edited(LIMIT, write_down("policy.refund_limit_usd"))
    # As the baseline had it, and the entry gone with it.
    assert amended_since(BASE, merged, dict(BASE)) == {"policy.refund_limit_usd": False}
    undone = edited(write_down("policy.refund_limit_usd", why="back to what it was"))
    assert amended_since(BASE, merged, undone) == {"policy.refund_limit_usd": True}


def test_a_case_that_was_merged_earlier_is_not_taken_out_unseen() -> None:
    more = (
        "- {id: NEW-1, stratum: orders, must_pass: true, owner: Mia, ticket: {body: Hi}, expected_handling: direct}\n"
    )
    merged = {**BASE, "new.yaml": more}
    assert amended_since(BASE, merged, {**merged}) == {}
    assert amended_since(BASE, merged, dict(BASE)) == {"removed/NEW-1": False}
    lifted = {**merged, "new.yaml": more.replace("must_pass: true", "must_pass: false")}
    assert amended_since(BASE, merged, lifted) == {"case/NEW-1": False}


def test_after_a_handover_that_was_merged_the_new_owner_amends() -> None:
    merged = edited(put("cases.yaml", "owner: Priya Nair", "owner: Mia Berg"), amended("case/ORD-1", "Priya Nair"))
    for who, allowed in (("Mia Berg", True), ("Priya Nair", False)):
        after = dict(merged)
        put("cases.yaml", "[two days]", "[]")(after)
        write_down("case/ORD-1", who=who, why="the days are gone")(after)
        assert amended_since(BASE, merged, after)["case/ORD-1"] is allowed


def test_a_pattern_that_is_spelt_otherwise_by_now_is_touched_all_the_same() -> None:
    merged = edited(
        put("patterns.yaml", "two days: ['(two|2) days', '48 hours']", "Two Days: ['48 hours']"),
        write_down("pattern/two days"),
    )
    after = dict(merged)
    put("patterns.yaml", "Two Days: ['48 hours']", "Two Days: ['days']")(after)
    assert amended_since(BASE, merged, merged) == {"pattern/two days": True}
    assert amended_since(BASE, merged, after) == {"pattern/two days": False}


def test_a_case_must_pass_until_the_change_that_lifts_it_has_an_amendment_of_its_own() -> None:
    # An earlier change of ORD-1 was amended; the next one lifts it.
    merged = edited(put("cases.yaml", "[two days]", "[]"), own_amendment("Priya Nair"))
    after = dict(merged)
    LIFT(after)

    def ids(files: Files) -> set[str]:
        before, later = suite(BASE), suite(files)
        return set(must_pass_ids(before, later, changes(before, later, since=suite(merged))))

    assert ids(after) == {"ORD-1", "REF-1"}
    amended("case/ORD-1", "Priya Nair")(after)
    assert ids(after) == {"REF-1"}


@pytest.mark.parametrize(
    ("who", "owner", "says"),
    [
        ("l\u0435a", "lea", "amended by l\u0435a ('l\\u0435a': U+0435 where its owner has U+0065), and its owner is lea)"),
        ("lea\u200b", "lea", "amended by lea\u200b ('lea\\u200b': U+200B where its owner has nothing), and its"),
        ("Jose\u0301", "Jos\u00e9", "('Jose\\u0301': U+0065 where its owner has U+00E9), and its owner is Jos\u00e9 ('Jos\\xe9'))"),
        ("Iea", "lea", "amended by Iea ('Iea': U+0049 where its owner has U+006C), and its owner is lea)"),
        ("Sly", "lea", "amended by Sly, and its owner is lea)"),
    ],
)  # fmt: skip
def test_names_that_look_alike_are_told_apart_by_their_characters(who: str, owner: str, says: str) -> None:
    before = edited(put("cases.yaml", "Priya Nair", owner))
    after = dict(before)
    for edit in (LIFT, write_down("case/ORD-1", who)):
        edit(after)
    (change,) = changes(suite(before), suite(after))
    assert change.amended_by is None
    assert says in change.says
