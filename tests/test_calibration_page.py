"""What the calibration page shows: the answer first, no month swallowed, no interval made up, nothing as markup."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Write
from measured import GRADER, RUBRIC, Row, label_lines, measured_run, table
from misbehaving_server import MisbehavingServer
from months import another, ledger, month_line, months_run, other_labels

from evalkit import cards, figures, report, views
from evalkit.errors import ReportError
from evalkit.report.kinds import headline_of, is_complete
from evalkit.tables import Run

NOTEBOOK = ROOT / "notebooks" / "50_calibration.ipynb"
HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)>"
GOOD, BAD, SAME = table(150, 10, 6, 34), table(130, 30, 20, 20), table(149, 11, 7, 33)
PIECES = (
    "calibration_answer", "month_table", "month_changes", "fresh_table", "month_cascade", "month_raters",
    "month_reading", "month_cost", "month_grounds", "month_labels",
)  # fmt: skip
CHARTS = ("month_chart", "fresh_chart")


class _Reader(HTMLParser):
    """The text of a piece of a page, its tags, and the cells of its rows."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.text, self.tags, self.attributes = "", [], set()
        self.rows: list[list[str]] = []
        self._row: list[str] = []
        self.feed(markup)
        self.close()
        self.text = self.text.replace("\u00a0", " ")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "tr":
            self._row = []
            self.rows.append(self._row)
        elif tag in ("td", "th"):
            self._row.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr":
            self._row[:] = [cell.strip() for cell in self._row]
            self._row = []

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._row:
            self._row[-1] += data.replace("\u00a0", " ")


def shown(piece: Any) -> str:
    return piece.html if isinstance(piece, cards.Card) else piece.as_raw_html()


def read(run: Run, name: str, month: str = "") -> _Reader:
    return _Reader(shown(getattr(views, name)(run, month)))


def by_month(run: Run, name: str, month: str = "") -> dict[str, list[str]]:
    """The rows of a table by their month."""
    return {row[0].removeprefix("▸ "): row[1:] for row in read(run, name, month).rows if re.match("(▸ )?2", row[0])}


def drawn(run: Run, name: str) -> str:
    return getattr(views, name)(run).to_dict()["description"].replace("\u00a0", " ")


def history() -> Run:
    """Graded in two months, of which one is recorded; before them others, with a gap, another grader, other labels."""
    old = [another(month_line(BAD, month), "prompt") for month in ("2026-04", "2026-06")]
    lines = [*old, other_labels(month_line(GOOD, "2026-08")), month_line(GOOD, "2026-09")]
    return months_run({"2026-09": GOOD, "2026-10": SAME}, *lines)


EDGES: dict[str, Run] = {
    "a history": history(),
    "one month": months_run({"2026-10": GOOD}),
    "nothing graded yet": months_run({"2026-10": [Row(grader=None), Row("fail", None)]}),
    "all unscored": months_run({"2026-10": [Row(grader="unscored")] * 3}),
    "one class": months_run({"2026-10": table(9, 0, 0, 0)}, month_line(table(9, 0, 0, 0), "2026-09")),
    "nobody rated": months_run({"2026-10": [Row(raters={"ann": {}, "bob": {}})]}),
    "no labels": measured_run([], labels={}),
    "no labels, a month": measured_run([], labels={}, series="2026-10"),
    "no grader": measured_run(GOOD, grader=None),
    "only live": measured_run(GOOD),
    "a broken ledger": measured_run(GOOD, ledger="{"),
    "only a ledger": measured_run(GOOD, ledger=ledger(month_line(GOOD, "2026-03"))),
    "two graders": measured_run(
        GOOD, series="2026-10", grader={**GRADER, "strong": {"model": "offline/grader-strong"}}
    ),
}
edge = pytest.mark.parametrize("run", EDGES.values(), ids=EDGES)


@edge
def test_at_every_edge_each_piece_says_something_and_nothing_is_nan(run: Run) -> None:
    for month in ("", "2026-10", "2025-12"):
        for name in PIECES:
            text = read(run, name, month).text
            assert text.strip(), name
            assert not re.search(r"\b(nan|NaN|inf|None|null)\b", text), (name, text)
    for name in CHARTS:
        spec = getattr(views, name)(run, "").to_dict()
        figures.script_json(spec)
        assert "<svg" in figures.static_svg(spec)


def test_months_without_a_measurement_keep_their_place_in_tables_and_charts() -> None:
    run = history()
    row = [f"2026-{n:02}" for n in range(4, 11)]
    for name in ("month_table", "fresh_table", "month_raters"):
        assert list(by_month(run, name)) == row, name
    table_ = by_month(run, "month_table")
    assert table_["2026-05"][:2] == ["not measured", "–"]
    assert table_["2026-05"][2:] == ["–", "", ""]
    assert table_["2026-04"][0].startswith("0.29 (")
    assert table_["2026-08"][2] == "trusted; on other labels"
    assert table_["2026-10"][2] == "not trusted; not recorded yet"
    assert [month for month, cells in table_.items() if cells[4] not in ("–", "")] == ["2026-08"]
    said = drawn(run, "month_chart")
    for part in (
        "2026-05: not measured",
        "2026-07: not measured",
        "prompt changed in 2026-08",
        "n = 200, on other labels",
    ):
        assert part in said, part
    assert re.search(r"2026-09, [^:]*: 0\.76 \(0\.64 to 0\.86\), n = 200, as recorded", said)
    assert "not recorded yet" in said


def test_the_grader_changes_are_lines_of_the_chart_before_their_month() -> None:
    spec = views.month_chart(history()).to_dict()
    marks = [layer for layer in spec["layer"] if layer["encoding"].get("x", {}).get("bandPosition") == 0]
    assert [mark["mark"]["type"] for mark in marks] == ["rule", "text"]
    assert {json.dumps(spec["datasets"][mark["data"]["name"]]) for mark in marks} == {
        json.dumps([{"month": "2026-08", "text": "prompt changed"}])
    }


def test_the_change_has_an_interval_on_the_same_transcripts_and_else_none_is_made_up() -> None:
    rows = by_month(history(), "month_changes")
    assert list(rows) == ["2026-09", "2026-08", "2026-06", "2026-04"]
    # Kappa of [[149, 11], [7, 33]]: p_o .91, p_e .8 · .78 + .2 · .22 = .668, .242/.332 = .7289; less .7590: −.0301.
    assert rows["2026-09"][0].startswith("−0.03 (−0.")
    assert rows["2026-09"][1:3] == ["2 of 200\n1 to fail, 1 to pass", "none seen: too few verdicts changed to tell"]
    assert rows["2026-08"][0] == "no interval"
    assert "the labels are others" in rows["2026-08"][4]
    # The grader was another then; its verdicts stand in the ledger, item by item.
    assert rows["2026-06"][0].startswith("+0.44 (0.")
    assert rows["2026-06"][2:4] == ["risen beyond chance", "prompt"]
    # Four of the earlier months are of this grader or have their verdicts here: 1 − 0.05/4.
    assert "Each at 98.75 %, so that all of them together err in 5 %" in read(history(), "month_changes").text


def test_the_answer_names_what_moved_and_what_changed_and_stands_first(tmp_path: Path) -> None:
    fallen = months_run({"2026-09": GOOD, "2026-10": BAD}, month_line(GOOD, "2026-09"))
    archive = tmp_path / "archive"
    archive.mkdir()
    fallen.archive(archive)
    page = report.render(NOTEBOOK, {"run": str(archive)}, tmp_path / "out").read_text("utf-8")
    first = re.search('<p class="ek-say">([^<]*)', page)[1]
    assert first.startswith("By its thresholds the grader is not trusted in 2026-10. Agreement with people has fallen")
    body = page.partition("<body>")[2]
    assert body.index("EXAMPLE LABELS") < body.index('class="ek-say"') < body.index("ek-static")
    # Two charts, each with its image, and nothing from another host.
    assert body.count('<img class="ek-static"') == 2
    assert not re.search(r'(src|href)\s*=\s*"?(https?:)?//', page)
    assert "INCOMPLETE" not in re.sub("<style>.*?</style>", "", page, flags=re.DOTALL)


def test_labels_of_people_have_no_example_band_and_a_half_graded_month_a_watermark() -> None:
    own = {"own.jsonl": label_lines(GOOD, source="people")}
    assert "ek-example" not in shown(views.calibration_answer(months_run({"2026-10": GOOD}, labels=own)))
    assert "ek-example" in shown(views.calibration_answer(months_run({"2026-10": GOOD})))
    half = months_run({"2026-10": [*GOOD, Row(grader=None)]})
    assert "Of 201 labelled transcripts 1 are not graded" in read(half, "calibration_answer").text


def test_new_transcripts_stand_beside_the_same_ones_with_their_own_n() -> None:
    run = months_run({"2026-10": GOOD})
    rows = by_month(run, "fresh_table")
    # All are dated 2026-08, so August's new transcripts are all 200, and nobody labelled since.
    assert rows["2026-08"] == ["200", "0.76 (0.64 to 0.86)", "200 / 200", "not measured", "–"]
    assert rows["2026-09"] == ["no labels", "no labels", "–", "not measured", "–"]
    assert rows["2026-10"] == ["no labels", "no labels", "–", "0.76 (0.64 to 0.86)", "200 / 200"]
    assert "other transcripts: what differs is the tickets" in read(run, "fresh_table").text


def test_raters_are_counted_by_month_with_their_own_kappa_and_n() -> None:
    verdict = {"pass": "3", "fail": "1"}

    def rated(first: str, second: str | None, month: str) -> Row:
        said = [("ann", first), *([("bob", second)] if second else [])]
        ratings = [
            {"rater": name, "date": f"{month}-02", "verdicts": {"right": verdict[each], "kind": "3"}, "note": ""}
            for name, each in said
        ]
        return Row(more={"ratings": ratings})

    # September: [[6, 2], [2, 6]], p_o .75, p_e .5, kappa .5, and four items that wait for the lead; October: one rater.
    pairs = [("pass", "pass")] * 6 + [("pass", "fail")] * 2 + [("fail", "pass")] * 2 + [("fail", "fail")] * 6
    rows = [rated(*pair, "2026-09") for pair in pairs] + [rated("pass", None, "2026-10")] * 3
    found = by_month(months_run({"2026-10": rows}), "month_raters")
    assert found["2026-09"][0].split() == ["ann:", "16", "bob:", "16"]
    assert re.fullmatch(r"ann and bob: 0\.50 \(0\.\d\d to 0\.\d\d\), n 16", found["2026-09"][1])
    assert found["2026-09"][2] == "4 of 16"
    assert found["2026-10"] == ["ann: 3", "no two raters judged the same transcript", "0 of 3"]


def test_unscored_and_errors_have_their_share_and_their_reasons_and_costs_are_said() -> None:
    run = months_run({"2026-10": [*table(5, 1, 1, 5), Row(grader="unscored"), Row(grader="error")]})
    cells = by_month(run, "month_reading")["2026-10"]
    assert cells[:2] == ["offline/grader-cheap (cheap)", "12"]
    # Wilson's interval of 1 of 14: 1.3 to 31.5 %.
    assert cells[2:4] == ["1 of 14\n7 % (1 to 31)"] * 2
    assert "error, error: 1" in cells[4]
    assert "unscored, unscored: 1" in cells[4]
    first = next(iter(run.grades))
    priced = {key: replace(each, attempts=()) for key, each in run.grades.items()}
    assert by_month(Run(run.manifest, run.suite, (), "", priced, run.labels), "month_cost")["2026-10"][1:] == [
        "14", "0", "$0.00",
    ]  # fmt: skip
    from evalkit.transcript import Attempt

    priced[first] = replace(priced[first], attempts=(Attempt("m", "m", 0.1, None),))
    assert by_month(Run(run.manifest, run.suite, (), "", priced, run.labels), "month_cost")["2026-10"][3] == "unknown"
    from_ledger = measured_run(GOOD, ledger=ledger(month_line(GOOD, "2026-10")))
    assert "The run holds no grades of a month's series" in read(from_ledger, "month_cost").text


def test_what_each_month_rests_on_is_shown_and_what_changed_is_marked() -> None:
    run = history()
    rows = by_month(run, "month_grounds")
    assert list(rows) == ["2026-04", "2026-06", "2026-08", "2026-09", "2026-10"]
    identity = {part: sha[:12] for part, sha in run.panel.identity.items()}
    assert rows["2026-10"][0] == "not recorded yet"
    assert rows["2026-10"][2:5] == [identity["rubric"], identity["model"], identity["prompt"]]
    assert [month for month, cells in rows.items() if "●" in "".join(cells)] == ["2026-08"]
    assert rows["2026-08"][5].startswith("000000000000 (EXAMPLE)")
    assert "Thresholds in each month: kappa_low 0.4, negative_low 0.7" in read(run, "month_grounds").text
    assert read(run, "month_labels").rows[1][:3] == ["hand", "EXAMPLE, not collected from people", "200"]


def test_hostile_names_stay_text_in_every_piece_and_in_the_charts() -> None:
    named = {HOSTILE: {"right": "3", "kind": "3"}, "bob": {"right": "1", "kind": "3"}}
    rows = [*GOOD, Row(raters=named)]
    labels = {"own.jsonl": label_lines(rows, name=HOSTILE)}
    hostile = {**GRADER, "model": f"offline/{HOSTILE}"}
    line = month_line(rows, "2026-09", labels=labels)
    line = replace(line, reasons=(HOSTILE,), decision="not measured", grader={**line.grader, "cheap": HOSTILE})
    run = months_run({"2026-10": rows}, line, labels=labels, grader=hostile)
    run = Run(run.manifest, run.suite, (), "", {
        key: replace(each, status="unscored", reason=HOSTILE) for key, each in run.grades.items()
    }, run.labels)  # fmt: skip
    for name in PIECES:
        found = read(run, name)
        assert not {"script", "img"} & set(found.tags), name
        assert not {each for each in found.attributes if each.startswith("on")}, name
    for name, piece in (("month_table", HOSTILE), ("month_grounds", HOSTILE), ("month_raters", HOSTILE),
                        ("month_labels", HOSTILE), ("month_reading", HOSTILE), ("month_cost", HOSTILE)):  # fmt: skip
        assert piece in read(run, name).text, name
    for name in CHARTS:
        assert "<script>alert" not in str(figures.figure(getattr(views, name)(run).to_dict()))


def test_a_month_that_is_none_is_refused_by_the_page() -> None:
    for name in (*PIECES, *CHARTS):
        with pytest.raises(ReportError, match="'2026-13', which is no month; write it as 2026-10"):
            getattr(views, name)(measured_run(GOOD), "2026-13")


# Archived, and by make


def test_a_month_is_archived_under_its_own_sentence_and_only_with_the_pages_that_it_fills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    run = months_run({"2026-10": GOOD})
    assert headline_of(run).startswith("2026-10 is the first month measured: kappa with people is 0.76")
    assert is_complete(run)
    assert not is_complete(months_run({"2026-10": [*GOOD, Row(grader="error")]}))
    assert headline_of(measured_run(GOOD)).startswith("The grader is trusted. Kappa with people is 0.76")
    with pytest.raises(ReportError, match="played nothing, so 10_shootout, 60_cases shows nothing"):
        report.report(run, tmp_path, ["10_shootout", "60_cases"])
    assert not list(tmp_path.iterdir())
    folder = report.report(run, tmp_path, ["10_shootout", "50_calibration", "20_escalation_safety"])
    assert [path.name for path in folder.glob("*.html")] == ["50_calibration.html"]
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert (manifest["headline"], manifest["complete"]) == (headline_of(run), True)
    assert "2026-10 is the first month measured" in (tmp_path / "index.html").read_text("utf-8")


@pytest.fixture
def shop(write: Write) -> Path:
    def made(grader: str) -> Path:
        return write(
            {
                "rubrics/quality.yaml": RUBRIC,
                "prompts/grader.md": "Grade it.\n",
                "labels/hand.jsonl": label_lines(table(2, 0, 0, 1)),
                "shootouts/small.yaml": f"name: small\ngrader: {grader}\ncandidates:\n"
                "  - {name: a, model: offline/agent, prompt: desk.md}\n",
            }
        )

    return made


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    # Never sets anything up: that it does so is tested elsewhere.
    command = ["make", "--no-print-directory", "-o", ".venv/.ready", "calibration", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=dict(os.environ))


def test_make_calibration_names_the_month_that_it_needs() -> None:
    done = make()
    assert done.returncode == 2
    assert "name the month: make calibration MONTH=2026-10" in done.stderr
    assert done.stdout.strip() == "exit 2: wrong usage"


def test_make_calibration_refuses_what_is_no_month(shop, tmp_path: Path) -> None:
    done = make("MONTH=2026-13", f"SHOOTOUT={shop('{model: offline/grader-cheap, rubric: quality}')}/shootouts/small.yaml",
                f"REPORTS={tmp_path / 'out'}")  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (2, "exit 2: wrong usage")
    assert "2026-13" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("behaviour", "code", "said"), [("ok", 0, "exit 0: done"), ("403", 2, "exit 4: incomplete")])
def test_make_calibration_grades_and_renders_and_fails_after_that(
    shop, tmp_path: Path, behaviour: str, code: int, said: str
) -> None:
    criteria = [{"name": name, "reasoning": "so", "verdict": 3} for name in ("right", "kind")]
    answer = (lambda _: json.dumps({"criteria": criteria})) if behaviour == "ok" else None
    with MisbehavingServer(reply=answer) as server:
        grader = json.dumps({"model": f"openai/{behaviour}", "api_base": server.url, "rubric": "quality"})
        folder = shop(grader)
        out = tmp_path / "out"
        done = make("MONTH=2026-10", f"SHOOTOUT={folder}/shootouts/small.yaml", f"REPORTS={out}")
        assert (done.returncode, len(server.requests)) == (code, 3), done.stderr
    assert done.stdout.strip().splitlines()[-1].startswith(said)
    (page,) = out.glob("*-calibration-2026-10-*/50_calibration.html")
    assert ('<div class="ek-watermark" role="alert">' in page.read_text("utf-8")) is (code != 0)
