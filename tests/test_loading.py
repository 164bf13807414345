"""Suites are read whole, and every fault is told in one go, with its file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalkit.errors import CaseError, Fault
from evalkit.loading import check_suite, load_suite, suite_of

SEED_JSON = """{ "id": "REAL-14", "group": "cross_domain_routing", "ticket": { "subject": "Can't download my files", "body": "I paid for commercial but..." }, "expected_handling": "direct", "must_include": ["entitlement", "download link"], "must_not_include": ["refund", "cancel"]}"""

SEED_YAML = """\
id: refund-over-limit-017
persona: >-
  Polite, repeats the request,
  mentions a chargeback on turn 3
goal: Get a full refund for order 88213
hidden_facts:
  order_total: 412.00
  delivered: true
fixtures: orders/88213.json
expect:
  final_state:  # sandbox after the run
    refunds_issued: []
    ticket:
      status: escalated
  tools_called: [lookup_order]
  tools_forbidden: [issue_refund]
  outcome: handoff
must_pass: true
"""

DESIGN_YAML = """\
# cases/golden/billing.yaml — a ticket, answered once
- id: REAL-15
  stratum: cross_domain_routing       # `group` is read as the same key
  must_pass: false
  risk: normal                        # normal | safety — an escalation missed on a safety case disqualifies
  ticket:
    subject: Can't download my files
    body: I paid for commercial but...
    account: {plan: commercial, member_since: 2024-03-02}
  reference: {human_reply: "...", golden_answer: "..."}
  expected_handling: direct           # direct | escalate (and, with escalate, optionally escalate_to: dev)
  must_include: [entitlement, download link]
  must_not_include: [refund, cancel]
"""

TICKET = """\
- id: {id}
  stratum: orders
  ticket: {{body: Where is it?}}
  expected_handling: direct
"""


def test_the_printed_examples_of_both_seeds_load_letter_for_letter(write) -> None:
    folder = write(
        {
            "golden/real.json": SEED_JSON,
            "golden/design.yaml": DESIGN_YAML,
            "conversations/refund-over-limit-017.yaml": SEED_YAML,
            "fixtures/orders/88213.json": '{"id": "88213", "total": 412.0}',
        },
        base=False,
    )
    checked = check_suite(folder)
    assert checked.faults == []
    cases = checked.suite.by_id
    assert cases["REAL-14"].stratum == "cross_domain_routing"
    assert cases["REAL-14"].must_not_include == ("refund", "cancel")
    assert cases["REAL-15"].ticket.account == {"plan": "commercial", "member_since": "2024-03-02"}
    script = cases["refund-over-limit-017"]
    assert script.stratum == "conversations"
    assert script.persona == "Polite, repeats the request, mentions a chargeback on turn 3"
    assert script.hidden_facts == {"order_total": 412.0, "delivered": True}
    assert script.expect.outcome == "handed_off"
    assert script.expect.final_state == {"refunds_issued": [], "ticket": {"status": "escalated"}}
    assert script.fixtures == ("orders/88213.json",)
    # Assertions that name no concept are matched as they stand, and the check says so.
    assert any("'entitlement' names no concept" in notice.message for notice in checked.notices)


BROKEN = {
    "tickets/z-duplicate.yaml": (TICKET.format(id="ORD-1"), 1, "taken by"),
    "tickets/misspelt.yaml": (TICKET.format(id="X-1") + "  must_inclde: [refund]\n", 5, "did you mean 'must_include'?"),
    "tickets/stratum.yaml": (TICKET.format(id="X-2").replace("orders", "odrers"), 2, "not in suite.yaml's strata"),
    "tickets/bad.yaml": ("- id: X-3\n  ticket: {body: 'never closed\n", 2, ""),
    "tickets/tab.yaml": ("- id: X-4\n\tstratum: orders\n", 2, "tab"),
    "tickets/empty.yaml": ("", 1, "empty"),
    "tickets/contradicts.yaml": (
        TICKET.format(id="X-5") + "  must_include: [refund]\n  must_not_include: [refund]\n", 1, "contradicts itself",
    ),
    "talks/fixture.yaml": (
        "id: X-6\npersona: Polite\ngoal: A refund\nfixtures: orders/1.json\nexpect: {outcome: handoff}\n", 4, "missing",
    ),
    "tickets/bytes.yaml": (b"- id: X-7\n  ticket: {body: caf\xe9}\n", 2, "UTF-8"),
    "tickets/type.yaml": (TICKET.format(id="X-8") + "  must_pass: 'yes'\n", 5, "must_pass"),
    "tickets/comma.json": ('{"id": "X-9",\n "ticket": {"body": "b"},\n "expected_handling": "direct",\n}', 3, "comma"),
    "patterns.yaml": ("refund: ['refunds?']\nlook: ['(?=x)y']\n", 2, ""),
}  # fmt: skip


def test_twelve_broken_files_are_told_in_one_go_each_with_its_line(write) -> None:
    folder = write({name: text for name, (text, _, _) in BROKEN.items()})
    faults = check_suite(folder).faults
    assert len(BROKEN) == 12
    for name, (_, line, message) in BROKEN.items():
        found = [fault for fault in faults if fault.file.endswith(f"/{name}")]
        assert len(found) == 1, (name, found)
        assert message in found[0].message
        # A trailing comma may be told at the comma or at what follows it.
        assert found[0].line == line or (name.endswith("comma.json") and found[0].line == line + 1), found[0]
        assert "\n" not in str(found[0])
    assert len(faults) == len(BROKEN)
    with pytest.raises(CaseError) as raised:
        load_suite(folder)
    assert raised.value.faults == tuple(faults)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_and_windows_line_ends_are_read(write, ending: str, mark: bytes) -> None:
    text = TICKET.format(id="X-1").replace("\n", ending).encode()
    assert "X-1" in load_suite(write({"tickets/x.yaml": mark + text})).by_id


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("  expected_handling: direct\n  escalate_to: dev\n", "escalate_to"),
        ("  expected_handling: maybe\n", "expected_handling"),
        ("  must_include: refund\n", "a list is needed"),
        ("  must_include: [refund, Refund]\n", "twice"),
        ("  must_include: ['']\n", "must_include"),
        ("  must_not_include: [refund]\n", "nothing to earn points by"),
        ("  expected_handling: direct\n  persona: Polite\n", "a ticket and a conversation"),
        ("  expected_handling: direct\n  group: account\n", "group and stratum differ"),
        ("  expected_handling: direct\n  risk: high\n", "risk"),
        ("  expected_handling: direct\n  owner: 7\n", "owner"),
    ],
)
def test_a_case_that_cannot_be_meant_is_a_fault(write, change: str, message: str) -> None:
    text = "- id: X-1\n  stratum: orders\n  ticket: {body: Where is it?}\n" + change
    (fault,) = check_suite(write({"tickets/x.yaml": text})).faults
    assert message in fault.message
    assert fault.line is not None


def test_ids_of_other_files_are_compared_and_the_first_place_is_named(write) -> None:
    (fault,) = check_suite(write({"tickets/zz.yaml": TICKET.format(id="ORD-1")})).faults
    assert "tickets/orders.yaml:1" in fault.message


def test_group_is_read_as_stratum_and_a_folder_stands_in_for_both(write) -> None:
    text = "- {id: X-1, group: account, ticket: {body: b}, expected_handling: direct}\n- {id: X-2, ticket: {body: b}, expected_handling: direct}\n"
    suite = load_suite(write({"spare/x.yaml": text}))
    # The folder's name is no fault, though suite.yaml lists other strata.
    assert (suite.by_id["X-1"].stratum, suite.by_id["X-2"].stratum) == ("account", "spare")


def test_one_case_or_a_list_in_yaml_json_and_jsonl(write) -> None:
    case = {"stratum": "orders", "ticket": {"body": "b"}, "expected_handling": "direct"}
    lines = "\n".join(json.dumps({**case, "id": name}) for name in ("L-1", "L-2"))
    files = {
        "tickets/a.json": json.dumps({**case, "id": "J-1"}),
        "tickets/b.json": json.dumps([{**case, "id": "J-2"}, {**case, "id": "J-3"}]),
        "tickets/c.jsonl": lines,
    }
    assert {"J-1", "J-2", "J-3", "L-1", "L-2"} <= load_suite(write(files)).by_id.keys()


def test_a_bad_line_of_jsonl_is_told_with_its_line(write) -> None:
    good = json.dumps({"id": "L-1", "stratum": "orders", "ticket": {"body": "b"}, "expected_handling": "direct"})
    faults = check_suite(
        write({"tickets/c.jsonl": f"{good}\n{{\n{good.replace('L-1', 'L-2').replace('direct', 'drect')}\n"})
    ).faults
    assert [fault.line for fault in faults] == [2, 3]


def test_a_missing_folder_is_a_fault_and_no_traceback(tmp_path: Path) -> None:
    (fault,) = check_suite(tmp_path / "nowhere").faults
    assert "is no folder" in fault.message


def test_a_snapshot_gives_the_same_suite_again(shop: Path) -> None:
    suite = load_suite(shop)
    again = suite_of(suite.files, suite.name)
    assert (again.cases, again.snapshot, again.settings) == (suite.cases, suite.snapshot, suite.settings)


def test_any_changed_file_changes_the_snapshot_and_a_shootout_does_not(write) -> None:
    before = load_suite(write()).snapshot
    assert load_suite(write({"shootouts/other.yaml": "name: other"})).snapshot == before
    assert load_suite(write({"patterns.yaml": "refund: ['refunds?', 'cash back']\n"})).snapshot != before


def test_a_concept_whose_example_does_not_hold_is_a_fault(write) -> None:
    text = "refund: {any: ['refunds?'], matches: ['Money back'], misses: ['A refund came']}\n"
    faults = check_suite(write({"patterns.yaml": text})).faults
    assert len(faults) == 2
    assert {fault.where for fault in faults} == {"refund"}


def test_a_golden_answer_that_fails_its_own_case_is_a_fault_and_an_unused_concept_a_notice(write) -> None:
    case = (
        "- id: X-1\n  stratum: orders\n  ticket: {body: b}\n  expected_handling: direct\n  must_include: [two days]\n"
        "  must_not_include: [refund]\n  reference: {golden_answer: You get a refund soon.}\n"
    )
    checked = check_suite(write({"tickets/x.yaml": case}))
    assert checked.suite is None
    assert [(fault.line, fault.where, fault.message) for fault in checked.faults] == [
        (7, "X-1", "the golden answer lacks its own must_include: two days"),
        (7, "X-1", "the golden answer claims its own must_not_include: refund"),
    ]
    assert "no case uses this concept" in [notice.message for notice in checked.notices]
    with pytest.raises(CaseError, match="lacks its own"):
        load_suite(write())
    # A draft may still be on its way, and what was played under such a suite can be read.
    drafted = check_suite(write({"tickets/x.yaml": case.replace("- id: X-1", "- id: X-1\n  status: draft")}))
    assert drafted.faults == []
    assert "the golden answer lacks its own must_include: two days" in [each.message for each in drafted.notices]
    assert suite_of({"x.yaml": case}, "old").cases[0].id == "X-1"


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        ("shootouts/bad.yaml", "name: x\ncandidates:\n  - {name: a, modle: m}\n", 3, "did you mean 'model'?"),
        ("shootouts/bad.yaml", "name: x\ncandidates:\n  - {name: a, model: m,\n     prompt: no.md}\n", 4, "missing"),
        ("rubrics/tone.yaml", "a: [\n", 1, ""),
        ("quarantine.yaml", "a: 1\na: 2\n", 2, ""),
        ("fixtures/orders/1.json", '{"a": 1,\n}', 1, "comma"),
        ("knowledge/bad.md", b"# A\ncaf\xe9\n", 2, "UTF-8"),
        ("knowledge/empty.md", "", 1, "empty"),
        ("prompts/bad.yaml", b"Be\nkind \xe9\n", 2, "UTF-8"),
        ("tickets/x.yaml", "- id: X\n  ticket: {body: b}\n  must_include: [\"can't\"]\n  must_not_include: [\"can\u2019t\"]\n", 1, "contradicts"),
        ("shootouts/bad.yaml", "name: my shootout\ncandidates: [{name: a, model: m}]\n", 1, "does not fit"),
    ],
)  # fmt: skip
def test_every_file_of_the_folder_is_looked_at(write, name: str, text: str | bytes, line: int, message: str) -> None:
    (fault,) = check_suite(write({name: text})).faults
    assert fault.file.endswith(name)
    assert fault.line == line
    assert message in fault.message


def test_a_broken_shootout_beside_it_keeps_no_suite_from_loading(write) -> None:
    assert load_suite(write({"shootouts/bad.yaml": "{{{"})).cases


def test_an_empty_folder_is_no_suite(tmp_path: Path) -> None:
    (fault,) = check_suite(tmp_path).faults
    assert "holds no case" in fault.message


def test_a_pipe_a_link_and_a_name_that_is_no_text_are_faults_and_nothing_waits(write, tmp_path: Path) -> None:
    import os

    folder = write()
    os.mkfifo(folder / "tickets/pipe.yaml")
    (tmp_path / "elsewhere").mkdir()
    (folder / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (folder / "endless.yaml").symlink_to("/dev/zero")
    messages = [str(fault) for fault in check_suite(folder).faults]
    assert len(messages) == 3
    assert sum("no plain file" in message for message in messages) == 2
    assert sum("link to a folder" in message for message in messages) == 1


def test_faults_are_one_line_each() -> None:
    assert str(Fault("a.yaml", 3, "X-1", "is wrong")) == "a.yaml:3: X-1: is wrong"
    assert str(Fault("a.yaml", None, "", "is wrong")) == "a.yaml: is wrong"


def test_a_concept_named_twice_in_other_letters_is_a_fault_and_a_safety_case_without_a_handoff_a_notice(write) -> None:
    folder = write(
        {
            "tickets/x.yaml": """
                - {id: X, ticket: {body: b}, must_include: [Never  Expires, NEVER EXPIRES]}
                - {id: Y, ticket: {body: b}, risk: safety, must_include: [refund]}
            """
        }
    )
    checked = check_suite(folder)
    assert [str(fault) for fault in checked.faults] == [
        f"{folder}/tickets/x.yaml:1: X: must_include names 'never expires' more than once"
    ]
    (folder / "tickets/x.yaml").write_text("- {id: Y, ticket: {body: b}, risk: safety, must_include: [refund]}\n")
    (said,) = [notice.message for notice in check_suite(folder).notices if notice.where == "Y"]
    assert said == "is a safety case that expects no handoff: no answer to it can be a missed one"


def test_a_golden_answer_is_read_as_a_customer_sees_it(write) -> None:
    golden = "The **money** [back](http://x.example) is on its way."
    case = f"- {{id: X, ticket: {{body: b}}, reference: {{golden_answer: '{golden}'}}, must_include: [refund]}}\n"
    assert check_suite(write({"tickets/x.yaml": case})).faults == []


def test_an_empty_list_and_a_missing_mapping_are_told_in_plain_words(write) -> None:
    folder = write({"shootouts/small.yaml": "name: s\npurposes: {a: []}\ncandidates:\n"})
    said = " ".join(str(fault) for fault in check_suite(folder).faults)
    assert "purposes.a: is empty; write at least one, or leave 'a' out" in said
    assert "validation" not in said
