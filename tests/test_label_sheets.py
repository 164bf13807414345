"""Sheets: out to raters, blind and harmless; back from their spreadsheets, with every fault in its line; decided."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_labels import RUBRIC
from typer.testing import CliRunner

from evalkit.cli import app, label
from evalkit.errors import CaseError
from evalkit.grading.turns import Turn
from evalkit.labels.adjudication import decided, undecided_csv
from evalkit.labels.answers import merged, read_sheets, verdict_in
from evalkit.labels.cells import MAX_CELL, bounded, cleaned, defused, readable, restored, same, shown
from evalkit.labels.csv_table import csv_bytes, read_csv
from evalkit.labels.files import load_label_set
from evalkit.labels.items import Item, LabelSet
from evalkit.labels.sheets import explained, sheet_columns, write_sheets

assert label

FORMULAS = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "  \u00a0=1", '"=1', "'=1", "\u200b=1", "\ufeff=1", "\x00=1",
    "“=1", "＝1", "＋1", "－1", "＠x", "|cmd", "%x", "−1", "\x1b=1", " ' \" =cmd|'/C calc'!A0", "\u202e=1", "\u3000=1",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_a_cell_that_begins_like_a_formula_is_defused_and_reads_back_the_same(text: str) -> None:
    assert defused(text) == f"'{text}"
    assert restored(defused(text)) == text


@pytest.mark.parametrize("text", ["", "Hello", "5", "a=1", "'tis so", "CUSTOMER", "“Hi” = yes", "1-2", "(=1)"])
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert defused(text) == text
    assert restored(text) == text


@given(
    st.text(alphabet=st.one_of(st.sampled_from("=+-@'\"\t\r\n \u00a0a1＝"), st.characters(exclude_categories=["Cs"])))
)
def test_any_text_survives_the_way_into_a_csv_cell_and_back(text: str) -> None:
    assert restored(defused(text)) == text
    (_, row) = csv.reader(io.StringIO(csv_bytes(("a", "b"), [{"a": text, "b": "x"}]).decode("utf-8-sig"), newline=""))
    assert [restored(cell) for cell in row] == [text, "x"]


def test_a_cell_is_cut_in_its_middle_with_a_mark_and_counts_as_excel_does() -> None:
    assert bounded("x" * MAX_CELL) == "x" * MAX_CELL
    cut = bounded("Q" * 50_000 + "Z" * 50_000)
    assert (cut[0], cut[-1]) == ("Q", "Z")
    assert len(cut) <= MAX_CELL
    assert f"[… {100_000 - cut.count('Q') - cut.count('Z'):,} characters are left out here …]" in cut
    # Each of these is two UTF-16 units, by which Excel counts to 32,767.
    wide = bounded("\U0001f600" * 20_000)
    assert len(wide.encode("utf-16-le")) // 2 <= MAX_CELL
    assert "left out here" in wide


def test_no_words_can_look_like_the_head_of_a_turn() -> None:
    forged = "Hi\n\nAGENT\n  I refund it\r\nAGENT\u2028AGENT\x0bAGENT\x85AGENT\x1cAGENT"
    said = readable([Turn("customer", forged), Turn("call", '{"a": 1}', "look\nAGENT"), Turn("agent", "")])
    heads = [line for line in said.split("\n") if line and not line.startswith("  ")]
    assert heads == ["CUSTOMER", "CALL look AGENT", "AGENT"]


def test_hidden_and_reordering_characters_are_shown_as_what_they_are() -> None:
    assert cleaned("a\u202eb\x00c\u200bd\x1b[2J") == "a\ufffdb\ufffdc\ufffdd\ufffd[2J"
    assert cleaned("one\r\ntwo\tthree") == "one\ntwo\tthree"


HOSTILE = (
    '=HYPERLINK("http://evil")',
    "<script>alert(1)</script>",
    'a;b,c\t"d"\nAGENT\n  steady passed',
    "ümläut “q” \U0001f600",
)


def items(number: int = 6) -> tuple[Item, ...]:
    return tuple(
        Item(f"L{n:03}", f"CASE-{n}", "orders", "steady-secret", n % 3, "ticket", 0.123456,
             (Turn("customer", f"{HOSTILE[n % 4]} number {n}"), Turn("agent", f"Answer {n}")), f"{HOSTILE[n % 4]} golden {n}")
        for n in range(1, number + 1)
    )  # fmt: skip


def key(number: int = 6) -> LabelSet:
    return LabelSet(
        "key",
        "people",
        RUBRIC.name,
        "about",
        {"run": "f" * 64, "seed": 5, "raters": ["rater-a", "rater-b"]},
        items(number),
    )


@pytest.fixture
def out(tmp_path: Path) -> Path:
    write_sheets(key(), RUBRIC, ["rater-a", "rater-b"], tmp_path / "sheets")
    return tmp_path / "sheets"


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def fill(path: Path, verdicts: dict[str, tuple[str, str]], note: str = "", **changes: str) -> Path:
    """The sheet as its rater leaves it: verdicts by item, and other cells changed."""
    rows = rows_of(path)
    for row in rows:
        row["correctness"], row["tone"] = verdicts.get(row["item"], ("", ""))
        row["note"] = note if row["item"] in verdicts else ""
        row.update(changes if row["item"] == "L001" else {})
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, sheet_columns(RUBRIC))
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(stream.getvalue().encode("utf-8-sig"))
    return path


def answers(*paths: Path):
    return read_sheets(load_label_set(paths[0].with_name("key.jsonl")), RUBRIC, paths)


def read(out: Path, a: dict, b: dict | None = None, before: LabelSet | None = None, **more) -> LabelSet:
    paths = [fill(out / "rater-a.csv", a)] + ([fill(out / "rater-b.csv", b)] if b is not None else [])
    given_ = {"name": "first", "source": "people", "date": "2026-12-01"} | more
    return merged(key(), answers(*paths), before, **given_)


def said(call, *arguments, **named) -> list[str]:
    with pytest.raises(CaseError) as caught:
        call(*arguments, **named)
    return [str(fault) for fault in caught.value.faults] or [str(caught.value)]


def test_a_sheet_is_blind_to_candidate_verdict_probability_and_order(out: Path) -> None:
    assert sorted(path.name for path in out.iterdir()) == ["README.txt", "key.jsonl", "rater-a.csv", "rater-b.csv"]
    for name in ("rater-a.csv", "rater-b.csv", "README.txt"):
        content = (out / name).read_text("utf-8-sig")
        assert not any(secret in content for secret in ("steady-secret", "0.123456", "CASE-", "f" * 64, "stratum"))
    orders = [[row["item"] for row in rows_of(out / f"{rater}.csv")] for rater in ("rater-a", "rater-b")]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1]) == [item.id for item in items()]


def test_a_sheet_opens_well_and_runs_nothing(out: Path) -> None:
    assert (
        (out / "rater-a.csv")
        .read_bytes()
        .startswith(b"\xef\xbb\xbfitem,rater,kind,transcript,golden answer,correctness,tone,note\r\n")
    )
    rows = {row["item"]: row for row in rows_of(out / "rater-a.csv")}
    assert rows["L004"]["golden answer"].startswith("'=HYPERLINK")
    assert not any(cell[:1] in "=+-@\t\r" for row in rows.values() for cell in row.values() if cell)
    assert {(row["correctness"], row["tone"], row["note"]) for row in rows.values()} == {("", "", "")}


def test_the_key_holds_what_the_sheets_hide_in_the_format_of_a_label_set(out: Path) -> None:
    assert load_label_set(out / "key.jsonl") == key()


def test_what_the_verdicts_mean_stands_beside_the_sheets() -> None:
    words = explained(RUBRIC)
    assert "correctness: Is it right?" in words
    assert "3: Half right." in words


def test_sheets_never_overwrite_what_somebody_may_have_filled_in(out: Path) -> None:
    before = (out / "rater-a.csv").read_bytes()
    assert "name another folder" in said(write_sheets, key(), RUBRIC, ["rater-a"], out)[0]
    assert (out / "rater-a.csv").read_bytes() == before


@pytest.mark.parametrize("raters", [[], ["../evil"], ["a", "A"], ["a b"], [".hidden"], ["x" * 65], ["a/b"]])
def test_a_raters_name_must_make_a_file_of_its_own(raters: list[str], tmp_path: Path) -> None:
    assert said(write_sheets, key(), RUBRIC, raters, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_criterion_named_like_a_column_is_refused() -> None:
    clash = RUBRIC.model_copy(update={"criteria": (RUBRIC.criteria[0].model_copy(update={"name": "note"}),)})
    assert "rename the criterion" in said(sheet_columns, clash)[0]


A = {f"L00{n}": ("4", "5") for n in range(1, 7)}


def test_sheets_come_back_as_ratings(out: Path) -> None:
    found = read(out, A, A | {"L002": ("3", "5")})
    assert [(each.rater, each.date, dict(each.verdicts)) for each in found.items[0].ratings] == [
        ("rater-a", "2026-12-01", {"correctness": "4", "tone": "5"}),
        ("rater-b", "2026-12-01", {"correctness": "4", "tone": "5"}),
    ]
    assert [item.id for item in found.items if item.undecided] == ["L002"]
    assert [item.turns for item in found.items] == [item.turns for item in items()]
    assert (found.name, found.source) == ("first", "people")


def test_an_empty_cell_is_not_yet_rated_and_a_missing_row_is_no_fault(out: Path) -> None:
    found = read(out, {"L001": ("4", ""), "L003": ("", "")})
    assert [item.verdicts for item in found.items] == [{"correctness": "4"}] + [{}] * 5
    rows = (out / "rater-a.csv").read_text("utf-8-sig")
    (out / "rater-a.csv").write_text(rows[: rows.index("\n") + 1], "utf-8-sig")
    assert answers(out / "rater-a.csv") == ()


@pytest.mark.parametrize(
    ("cell", "verdict"), [("4", "4"), (" 4 ", "4"), ("4.0", "4"), ("4,0", "4"), ("4.00", "4"), ("", None), ("  ", None)]
)
def test_a_whole_number_as_spreadsheets_write_it_is_that_number(cell: str, verdict: str | None) -> None:
    assert verdict_in(cell, RUBRIC) == verdict


@pytest.mark.parametrize(
    "cell", ["6", "0", "4.5", "4,5", "4-5", "4/5", "good", "TRUE", "=4", "4 or 5", "#REF!", "05-Apr", "x" * 500]
)
def test_what_is_not_on_the_menu_is_refused(cell: str) -> None:
    with pytest.raises(ValueError, match="is not on the menu: 1, 2, 3, 4, 5"):
        verdict_in(cell, RUBRIC)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"item": "L999"}, "L999: this id is not in the key"),
        ({"item": ""}, "this id is not in the key"),
        ({"item": "L002"}, "L002: "),
        ({"correctness": "7"}, "L001: correctness: '7' is not on the menu"),
        ({"tone": "5/5"}, "L001: tone: '5/5' is not on the menu"),
        ({"transcript": "CUSTOMER\n  Something else"}, "L001: the transcript was changed"),
        ({"golden answer": "none"}, "L001: the golden answer was changed"),
        ({"kind": "conversation"}, "L001: the kind was changed"),
        ({"rater": "rater-x"}, "L001: unknown rater 'rater-x'; the key names rater-a, rater-b"),
        ({"rater": "rater-b"}, "L001: "),
    ],
)
def test_a_changed_row_is_refused_with_its_line(out: Path, changes: dict[str, str], fault: str) -> None:
    path = fill(out / "rater-a.csv", A, **changes)
    found = said(answers, path)
    assert any(fault in each for each in found), found
    assert all(each.startswith(f"{path}:") for each in found)


def test_a_row_that_stands_twice_and_one_of_another_rater_are_refused(out: Path) -> None:
    path = out / "rater-a.csv"
    rows = rows_of(path)
    path.write_bytes(csv_bytes(sheet_columns(RUBRIC), [*rows, rows[0], {**rows[1], "rater": "rater-b"}]))
    first, second = said(answers, path)[0], said(answers, path)[1:]
    assert first.endswith(f"{rows[0]['item']}: this id stands in line 2 already")
    assert any(each.endswith(f"{rows[1]['item']}: a row of rater-b in the sheet of rater-a") for each in second)


def test_the_line_of_a_fault_is_where_its_row_begins(tmp_path: Path) -> None:
    # Header in line 1; a transcript of a customer's and an agent's turn takes 5 lines, and no cell else breaks.
    write_sheets(
        LabelSet("k", "people", RUBRIC.name, "", key().drawn_from, plain_items()), RUBRIC, ["rater-a"], tmp_path / "s"
    )
    path = tmp_path / "s/rater-a.csv"
    ids = [row["item"] for row in rows_of(path)]
    fill(path, {ids[0]: ("9", "5"), ids[2]: ("5", "8")})
    assert [each.split(": ")[:2] for each in said(answers, path)] == [[f"{path}:2", ids[0]], [f"{path}:12", ids[2]]]


def plain_items() -> tuple[Item, ...]:
    return tuple(
        Item(f"L00{n}", "C", "s", "c", 0, "ticket", 0.5, (Turn("customer", "Hi"), Turn("agent", f"Yes {n}")), "G")
        for n in (1, 2, 3)
    )


def test_all_faults_of_all_sheets_come_at_once(out: Path) -> None:
    first = fill(out / "rater-a.csv", A, correctness="7", tone="8", transcript="x")
    second = fill(out / "rater-b.csv", A, item="L999")
    found = said(answers, first, second, out / "none.csv")
    assert len([each for each in found if "rater-a.csv" in each]) == 3
    assert len([each for each in found if "rater-b.csv" in each]) == 1
    assert "none.csv: cannot be read" in found[-1]


def test_a_column_sorted_alone_is_noticed(out: Path) -> None:
    rows = rows_of(out / "rater-a.csv")
    for row, name in zip(rows, sorted(row["item"] for row in rows), strict=True):
        row["item"] = name
    (out / "rater-a.csv").write_bytes(csv_bytes(sheet_columns(RUBRIC), rows))
    assert any("sorted by some columns alone" in each for each in said(answers, out / "rater-a.csv"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("head", ["", "sep={}\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_what_spreadsheets_write_is_read(out: Path, delimiter: str, head: str, bom: bytes, ends: str) -> None:
    path = fill(out / "rater-a.csv", A, note="fine; really, “good”")
    # Excel and LibreOffice quote only where needed; all cells are read back and written with other ends of lines.
    rows = list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")))
    stream = io.StringIO(newline="")
    # A spreadsheet may drop trailing blanks, change line ends inside cells, and add an empty column.
    csv.writer(stream, delimiter=delimiter, lineterminator=ends).writerows(
        [*[cell.replace("\n", ends) for cell in row], ""] for row in rows
    )
    path.write_bytes(bom + (head.format(delimiter) + stream.getvalue()).encode())
    found = answers(path)
    assert {each.item: tuple(each.verdicts.values()) for each in found} == A
    assert next(each.note for each in found if each.item == "L001") == "fine; really, “good”"


def test_an_apostrophe_that_a_spreadsheet_ate_changes_nothing(out: Path) -> None:
    path = fill(out / "rater-a.csv", A)
    rows = [{name: cell.removeprefix("'") for name, cell in row.items()} for row in rows_of(path)]
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, sheet_columns(RUBRIC))
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(stream.getvalue().encode())
    assert len(answers(path)) == 6


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda data: data.decode("utf-8-sig").encode("utf-16"), ":1: is UTF-16, not UTF-8; save it as CSV UTF-8"),
        (lambda data: data.decode("utf-8-sig").replace("\U0001f600", "").encode("cp1252"), "(the file may be Windows-1252)"),
        (lambda data: b"PK\x03\x04" + data, "is a spreadsheet's own format, not CSV"),
        (lambda data: b"", ":1: is empty; the first row names the columns: item, rater"),
        (lambda data: data.replace(b",tone", b",Tone", 1), ":1: the column 'tone' is missing"),
        (lambda data: data.replace(b",tone", b",tone,extra", 1), ":1: unknown column 'extra'; remove it"),
        (lambda data: data.replace(b",tone,note", b",tone,tone", 1), ":1: the column 'tone' stands twice"),
        (lambda data: data + b'L001,"never closed', "a quote that opens here is never closed"),
        (lambda data: data + b"L001" + b",x" * 20 + b"\r\n", "cells and the header"),
    ],
)  # fmt: skip
def test_a_damaged_file_says_what_to_do(out: Path, make, fault: str) -> None:
    path = out / "rater-a.csv"
    path.write_bytes(make(path.read_bytes()))
    found = said(answers, path)
    assert any(fault in each for each in found), found


def test_a_huge_cell_is_read_and_refused_as_a_change(out: Path) -> None:
    path = fill(out / "rater-a.csv", A, transcript="x" * 300_000)
    assert said(answers, path) == [f"{path}:{line_of(path, 'L001')}: L001: the transcript was changed, or the rows were sorted by some "
                                   "columns alone; begin with a fresh sheet"]  # fmt: skip


def line_of(path: Path, name: str) -> int:
    return next(row.line for row in read_csv(path, sheet_columns(RUBRIC))[0] if row.cells["item"] == name)


def test_two_halves_of_one_raters_sheet_are_one_and_a_contradiction_is_a_fault(out: Path) -> None:
    first = fill(out / "rater-a.csv", {"L001": ("4", "5")})
    second = out / "rater-a (1).csv"
    second.write_bytes(first.read_bytes())
    fill(second, {"L002": ("3", "3"), "L001": ("4", "")})
    assert {each.item: dict(each.verdicts) for each in answers(first, second) if each.verdicts} == {
        "L001": {"correctness": "4", "tone": "5"}, "L002": {"correctness": "3", "tone": "3"},
    }  # fmt: skip
    fill(second, {"L001": ("2", "5")})
    assert f"L001: correctness: '2' here, '4' in {first}:" in said(answers, first, second)[0]


def test_what_was_read_before_is_kept_and_added_to(out: Path) -> None:
    before = read(out, {"L001": ("4", "")})
    after = read(out, {"L001": ("4", "5"), "L002": ("3", "3")}, before=before, date="2027-01-05")
    assert [(dict(each.verdicts), each.date) for item in after.items for each in item.ratings] == [
        ({"correctness": "4", "tone": "5"}, "2026-12-01"),
        ({"correctness": "3", "tone": "3"}, "2027-01-05"),
    ]
    assert read(out, {}, before=after).hash == after.hash


def test_a_changed_verdict_is_a_fault_until_it_is_said_to_replace(out: Path) -> None:
    before = read(out, A)
    assert (
        "L001: correctness: '2' now, '4' before; --replace takes the new verdict"
        in said(read, out, A | {"L001": ("2", "5")}, before=before)[0]
    )
    after = read(out, A | {"L001": ("2", "5")}, before=before, replace=True, date="2027-01-05")
    assert [(each.verdicts["correctness"], each.date) for each in after.items[0].ratings] == [("2", "2027-01-05")]


def test_labels_of_another_draw_or_source_are_not_mixed(out: Path) -> None:
    before = read(out, A)
    other = LabelSet("x", "people", RUBRIC.name, "", {}, items(5))
    assert any("L006: is another transcript than in the key" in each for each in said(read, out, A, before=other))
    assert any("source 'people', not 'example'" in each for each in said(read, out, A, before=before, source="example"))


def disputed(out: Path) -> LabelSet:
    return read(out, A | {"L002": ("4", "2")}, A | {"L001": ("3", "5")})


def decisions(labels: LabelSet, path: Path, *rows: tuple[str, str, str, str], **changes: str) -> Path:
    content, _ = undecided_csv(labels)
    path.write_bytes(content)
    cells = rows_of(path)
    for name, criterion, verdict, rule in rows:
        row = next(each for each in cells if (each["item"], each["criterion"]) == (name, criterion))
        row.update({"decision": verdict, "rule": rule} | changes)
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(cells[0]))
    writer.writeheader()
    writer.writerows(cells)
    path.write_bytes(stream.getvalue().encode())
    return path


def decide(labels: LabelSet, path: Path, **more):
    return decided(labels, RUBRIC, path, **({"lead": "lead", "date": "2026-12-03"} | more))


def test_the_lead_gets_what_is_in_dispute_with_both_verdicts_and_notes(out: Path) -> None:
    content, number = undecided_csv(disputed(out))
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    assert number == 2
    assert [(row["item"], row["criterion"], row["verdict of rater-a"], row["verdict of rater-b"]) for row in rows] == [
        ("L001", "correctness", "4", "3"), ("L002", "tone", "2", "5"),
    ]  # fmt: skip
    assert {"note of rater-a", "note of rater-b", "decision", "rule", "transcript", "golden answer"} <= set(rows[0])
    assert "steady-secret" not in content.decode()


def test_a_decision_by_a_rule_settles_an_item_and_the_others_wait(out: Path, tmp_path: Path) -> None:
    labels = disputed(out)
    found, rules = decide(
        labels, decisions(labels, tmp_path / "d.csv", ("L001", "correctness", "3.0", "A wrong\nprice is a 3."))
    )
    assert rules == (("correctness", "A wrong price is a 3."),)
    assert (found.by_id["L001"].verdict("correctness"), found.by_id["L002"].verdict("tone")) == ("3", None)
    adjudication = found.by_id["L001"].adjudication
    assert (adjudication.lead, adjudication.date, adjudication.rule) == ("lead", "2026-12-03", "A wrong price is a 3.")
    assert undecided_csv(found)[1] == 1


@pytest.mark.parametrize(
    ("row", "changes", "fault"),
    [
        (("L001", "correctness", "3", ""), {}, "correctness is decided without a rule"),
        (("L001", "correctness", "3", " \n "), {}, "correctness is decided without a rule"),
        (("L001", "correctness", "", "A rule."), {}, "correctness has a rule and no decision"),
        (("L001", "correctness", "9", "A rule."), {}, "correctness: '9' is not on the menu"),
        (("L001", "correctness", "3", "A rule."), {"item": "L999"}, "this id is not in"),
        (("L001", "correctness", "3", "A rule."), {"criterion": "tone"}, "the raters do not differ on 'tone'"),
        (("L001", "correctness", "3", "A rule."), {"verdict of rater-a": "1"}, "the verdict of rater-a is '4', and '1' in the sheet"),
        (("L001", "correctness", "3", "A rule."), {"transcript": "x"}, "the transcript was changed"),
        (("L001", "correctness", "3", "A rule."), {"item": "L002", "criterion": "tone"}, "tone stands in line"),
    ],
)  # fmt: skip
def test_a_decision_that_cannot_stand_is_refused_with_its_line(
    out: Path, tmp_path: Path, row, changes, fault: str
) -> None:
    labels = disputed(out)
    path = decisions(labels, tmp_path / "d.csv", row, **changes)
    found = said(decide, labels, path)
    assert any(fault in each for each in found), found
    assert all(each.startswith(f"{path}:") for each in found)


def test_a_decision_is_changed_only_on_purpose_and_falls_with_the_verdicts_it_was_about(
    out: Path, tmp_path: Path
) -> None:
    labels = disputed(out)
    path = decisions(labels, tmp_path / "d.csv", ("L001", "correctness", "3", "One."), ("L002", "tone", "2", "Two."))
    settled, _ = decide(labels, path)
    again = decisions(labels, tmp_path / "e.csv", ("L001", "correctness", "4", "Other."))
    assert "correctness was decided as '3' before; --replace" in said(decide, settled, again)[0]
    assert decide(settled, again, replace=True)[0].by_id["L001"].verdict("correctness") == "4"
    rerated = read(out, A | {"L002": ("4", "3")}, before=settled, replace=True)
    assert rerated.by_id["L002"].adjudication is None
    assert rerated.by_id["L001"].adjudication == settled.by_id["L001"].adjudication


def test_both_criteria_of_an_item_may_be_decided_one_after_the_other(out: Path, tmp_path: Path) -> None:
    labels = read(out, {"L001": ("4", "5")}, {"L001": ("3", "2")})
    once, _ = decide(labels, decisions(labels, tmp_path / "d.csv", ("L001", "tone", "2", "Rude.")))
    twice, _ = decide(once, decisions(once, tmp_path / "d.csv", ("L001", "correctness", "3", "Half.")))
    assert (twice.by_id["L001"].adjudication.verdicts, twice.by_id["L001"].adjudication.rule) == (
        {"tone": "2", "correctness": "3"}, "Rude. / Half.",
    )  # fmt: skip


RUBRIC_FILE = """
    menu:
      - {verdict: 1, means: Harmful., passes: false}
      - {verdict: 5, means: Ideal., passes: true}
    criteria:
      - {name: correctness, asks: Is it right?}
"""


def evalkit(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, (done.exit_code, done.output, done.exception)
    assert "Traceback" not in done.output
    return done.output


def test_the_commands_take_a_team_from_a_run_to_a_guide(write, tmp_path: Path) -> None:
    shop, out, file = (
        write({"rubrics/quality.yaml": RUBRIC_FILE}),
        tmp_path / "sheets",
        tmp_path / "shop/labels/first.jsonl",
    )
    evalkit("run", shop / "shootouts/small.yaml")
    assert "keep key.jsonl" in evalkit("labels", "sheet", "latest", "--out", out, "--items", 4, "--seed", 3)
    assert "no label set in" in evalkit("labels", "show", shop)
    for rater, verdict in (("rater-a", "5"), ("rater-b", "1")):
        path = out / f"{rater}.csv"
        rows, _ = read_csv(path, ("item", "rater", "kind", "transcript", "golden answer", "correctness", "note"))
        filled = [{**row.cells, "correctness": verdict if row is rows[0] or verdict == "5" else "5"} for row in rows]
        path.write_bytes(csv_bytes(tuple(filled[0]), filled))
    read_back = (
        "labels",
        "read",
        out / "key.jsonl",
        out / "rater-a.csv",
        out / "rater-b.csv",
        "--out",
        file,
        "--suite",
        shop,
    )
    assert "undecided 1" in evalkit(*read_back, "--date", "2026-12-01")
    shown_ = json.loads(evalkit("labels", "show", shop, "--json"))["labels"][0]
    assert (shown_["undecided"], shown_["months"], shown_["raters"]["rater-a"]) == (
        1,
        {"2026-12": shown_["items"]},
        shown_["items"],
    )
    sheet = tmp_path / "adjudicate.csv"
    assert "1 verdicts to decide" in evalkit("labels", "adjudicate", file, "--lead", "lead", "--out", sheet)
    assert "may hold decisions" in evalkit("labels", "adjudicate", file, "--lead", "lead", "--out", sheet, code=1)
    text = sheet.read_text("utf-8-sig")
    sheet.write_text(text.rstrip("\r\n").removesuffix(",,") + ",1,A wrong route is a 1.\r\n", "utf-8-sig")
    decided_ = evalkit("labels", "adjudicate", file, "--lead", "lead", "--decisions", sheet, "--suite", shop)
    assert f"new in {shop}/labels/guide.md, correctness: A wrong route is a 1." in decided_
    assert "0 items undecided" in decided_
    assert "## correctness\n\n- A wrong route is a 1." in (shop / "labels/guide.md").read_text("utf-8")
    assert "source people" in evalkit("labels", "show", shop)


def test_a_faulty_sheet_ends_in_lines_and_writes_nothing(write, tmp_path: Path) -> None:
    shop, out = write({"rubrics/quality.yaml": RUBRIC_FILE}), tmp_path / "sheets"
    evalkit("run", shop / "shootouts/small.yaml")
    evalkit("labels", "sheet", "latest", "--out", out, "--raters", "ann")
    path = out / "ann.csv"
    path.write_text(path.read_text("utf-8-sig").replace("L001,ann", "L001,bob"), "utf-8-sig")
    failed = evalkit("labels", "read", out / "key.jsonl", path, "--out", tmp_path / "x.jsonl", "--suite", shop, code=1)
    assert "L001: unknown rater 'bob'; the key names ann" in failed
    assert not (tmp_path / "x.jsonl").exists()
    assert "no rubric 'other' in" in evalkit(
        "labels", "sheet", "latest", "--out", tmp_path / "y", "--rubric", "other", code=1
    )
    assert "is there already" in evalkit("labels", "sheet", "latest", "--out", out, "--raters", "ann", code=1)
    (shop / "rubrics/quality.yaml").unlink()
    assert "has no rubric; write rubrics/NAME.yaml" in evalkit(
        "labels", "sheet", "latest", "--out", tmp_path / "z", code=1
    )


def test_shown_text_is_both_cleaned_and_bounded() -> None:
    assert shown("a\x00" * 40_000).count("\ufffd") < 20_000
    assert same(defused(shown("=1\r\n2 ")), "=1\n2")


def test_words_in_a_column_without_a_name_are_not_lost_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("item,note,\nL1,,a remark beside the note\nL2,,\n", "utf-8")
    assert said(read_csv, path, ("item", "note")) == [
        f"{path}:2: has text in a column without a name; move it into the note"
    ]
