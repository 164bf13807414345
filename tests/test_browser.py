"""What a reader sees: pages opened in a headless Chromium that reaches no host."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from browser import Browser, Opened, browser, wait_until_drawn
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from evalkit import report
from evalkit.report import shelf

pytestmark = pytest.mark.browser
__all__ = ["browser"]

HOSTILE = "<script>alert(1)</script>"
CANDIDATES = ["steady", "unsure", HOSTILE + "-<img src=x onerror=alert(2)>"]
SETUP = """
import polars as pl
from evalkit import boards, cards, charts
charts.enable()
HOSTILE = "<script>alert(1)</script>"
NAMES = ["steady", "unsure", HOSTILE + "-<img src=x onerror=alert(2)>"]
board = pl.DataFrame({
    "candidate": NAMES, "standing": ["cleared", "not cleared", "disqualified"], "rank": ["1", "2", None],
    "score": [0.71, 0.68, 0.77], "low": [0.60, 0.55, 0.66], "high": [0.81, 0.78, 0.87],
    "cases": 32, "measured": 96, "timed": 96,
    "wrong_answers": 12, "wrong_actions": 0, "missed_handoffs": [0, 0, 4], "leaks": 0,
    "escalations_caught": 35,
    "escalations": 36, "direct_kept": 51, "directs": 60, "unreadable": 1,
    "usd_per_ticket": [0.0021, 0.0031, None],
    "price_invented": [True, True, False], "seconds_median": 0.012, "seconds_p95": 1.25,
    "not_completed": ["", "2 empty, 1 timeout", HOSTILE], "n": 32,
})
strata = pl.DataFrame([
    {"candidate": name, "stratum": stratum, "score": 0.5, "low": 0.4, "high": 0.6, "n": 4}
    for stratum in ["billing_knowledge", "cross_domain_routing", HOSTILE] for name in NAMES
])
points = pl.DataFrame([
    {"candidate": name, "kind": kind, "points": value}
    for name in NAMES for kind, value in [("fact present", 88.0), ("routing wrong", -27.0), (HOSTILE, -8.0)]
])
"""
CARD = """cards.disqualifying_answer(
    candidate=NAMES[2], case="billing-017", trial=2, why="It had to be escalated. " + HOSTILE,
    subject="Charged twice " + HOSTILE, body="I will dispute it. " + HOSTILE + "x" * 300,
    answer="ROUTE: direct\\n\\nNo worries. " + HOSTILE, route=(0, 13))"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with all kinds of charts, a table and a card, and hostile text wherever data comes from."""
    folder = tmp_path_factory.mktemp("page")
    cells = [
        new_markdown_cell("# Which candidate should answer tickets next?"),
        new_code_cell('run: str = ""', metadata={"tags": ["parameters"]}),
        new_code_cell(SETUP.strip()),
        new_code_cell('cards.headline("steady is recommended. " + HOSTILE, "good", "It leads by 0.03.")'),
        new_markdown_cell("## The board"),
        new_code_cell("boards.leaderboard(board)"),
        new_code_cell("charts.score_intervals(board)"),
        new_markdown_cell("## Where they differ"),
        new_code_cell("charts.score_by_stratum(strata)"),
        new_code_cell("charts.points_by_kind(points)"),
        new_markdown_cell("## The answers that disqualified"),
        new_code_cell(CARD),
        new_code_cell("print(HOSTILE)\npoints"),
    ]
    path = folder / "10_page.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return report.render(path, {}, folder / "out")


def marks(opened: Opened, role: str) -> list[int]:
    """How many marks of a role each chart of the page has drawn."""
    return opened.page.evaluate(
        "(role) => [...document.querySelectorAll('.ek-live')].map((chart) =>"
        " chart.querySelectorAll(`svg g.${role} > path, svg g.${role} > line`).length)",
        role,
    )


def test_a_page_asks_no_host_for_anything_and_makes_no_complaint(browser: Browser, page: Path) -> None:
    with browser.open(page) as opened:
        wait_until_drawn(opened)
        assert opened.requests == []
        assert opened.complaints == []
        assert opened.dialogs == []


def test_every_chart_is_drawn_with_all_its_marks(browser: Browser, page: Path) -> None:
    with browser.open(page) as opened:
        wait_until_drawn(opened)
        # Points: 3 candidates; 3 strata × 3 candidates; a colour's sign for each of 3 candidates × 3 kinds.
        assert marks(opened, "mark-symbol.role-mark") == [3, 9, 9]
        # Intervals, one a point.
        assert marks(opened, "mark-rule.role-mark") == [3, 9, 0]
        # Bars: 3 candidates × 3 kinds, and a stroke at zero for each candidate.
        assert marks(opened, "mark-rect.role-mark") == [0, 0, 9 + 3]
        assert opened.page.locator(".ek-static").evaluate_all("all => all.every(i => !i.checkVisibility())")


def test_hostile_text_stays_text_wherever_it_comes_from(browser: Browser, page: Path) -> None:
    with browser.open(page) as opened:
        wait_until_drawn(opened)
        shown = opened.page.locator("main").inner_text()
        said = (
            "steady is recommended.",
            "It had to be escalated.",
            "Charged twice",
            "I will dispute it.",
            "No worries.",
        )
        assert all(f"{text} {HOSTILE}" in shown for text in said)
        assert opened.page.locator("main img:not(.ek-static)").count() == 0
        drawn = opened.page.locator(".ek-live svg text").all_text_contents()
        assert any(text == CANDIDATES[2] for text in drawn)
        assert HOSTILE in drawn
        assert opened.dialogs == []


def test_a_tooltip_shows_a_hostile_name_as_text(browser: Browser, page: Path) -> None:
    with browser.open(page) as opened:
        wait_until_drawn(opened)
        opened.page.locator(".ek-live").first.locator("g.mark-symbol.role-mark > path").last.hover()
        tooltip = opened.page.locator("#vg-tooltip-element")
        tooltip.wait_for(state="visible")
        assert CANDIDATES[2] in tooltip.inner_text()
        assert "32" in tooltip.inner_text()
        assert opened.dialogs == []


def test_without_scripts_each_chart_is_a_picture(browser: Browser, page: Path) -> None:
    with browser.open(page, scripts=False) as opened:
        pictures = opened.page.locator("img.ek-static")
        assert pictures.count() == 3
        for place in range(3):
            assert pictures.nth(place).is_visible()
            box = pictures.nth(place).bounding_box()
            assert box
            assert box["width"] > 300
            assert box["height"] > 80
        assert opened.requests == []


def test_in_print_each_chart_is_a_picture_and_code_is_gone(browser: Browser, page: Path) -> None:
    with browser.open(page) as opened:
        wait_until_drawn(opened)
        opened.page.emulate_media(media="print")
        assert opened.page.locator("img.ek-static").nth(1).is_visible()
        assert not opened.page.locator(".ek-live").nth(1).is_visible()
        assert not opened.page.locator("details.code").first.is_visible()


@pytest.mark.parametrize("width", [320, 400, 700, 1280])
def test_nothing_but_a_wide_table_is_wider_than_the_window(browser: Browser, page: Path, width: int) -> None:
    with browser.open(page, width=width) as opened:
        wait_until_drawn(opened)
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        table = opened.page.locator(".output.html", has=opened.page.locator("table.gt_table")).first
        inner, outer = table.evaluate("box => [box.scrollWidth, box.clientWidth]")
        if width <= 400:
            assert inner > outer
            # The names stay in sight while the figures scroll.
            table.evaluate("box => { box.scrollLeft = 400; }")
            name = opened.page.locator("table.gt_table .gt_stub").first.bounding_box()
            assert name
            assert name["x"] >= 0


def test_the_contents_are_a_side_bar_on_a_desk_and_folded_on_a_phone(browser: Browser, page: Path) -> None:
    with browser.open(page, width=1280) as opened:
        links = opened.page.locator(".contents.wide a")
        assert links.all_inner_texts() == ["The board", "Where they differ", "The answers that disqualified"]
        assert links.first.is_visible()
        links.last.click()
        assert opened.page.locator("#the-answers-that-disqualified").is_visible()
    with browser.open(page, width=400) as opened:
        assert not opened.page.locator(".contents.wide a").first.is_visible()
        assert not opened.page.locator(".contents.narrow a").first.is_visible()
        opened.page.locator(".contents.narrow summary").click()
        assert opened.page.locator(".contents.narrow a").first.is_visible()


def test_markup_that_slipped_in_would_not_run(browser: Browser, page: Path, tmp_path: Path) -> None:
    # The second line of defence, tried by breaking the first one by hand.
    torn = tmp_path / "torn.html"
    hole = '<main id="content"><script>alert(1)</script><img src="https://x.example/a.png" onerror="alert(2)">'
    text = page.read_text(encoding="utf-8")
    assert '<main id="content">' in text
    torn.write_text(text.replace('<main id="content">', hole, 1), encoding="utf-8")
    with browser.open(torn) as opened:
        wait_until_drawn(opened)
        assert opened.dialogs == []
        assert opened.requests == []
        assert any("Content Security Policy" in complaint for complaint in opened.complaints)


def test_the_index_reads_on_a_phone_and_asks_no_host(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "2026-11-03-small-01234567"
    folder.mkdir()
    manifest = {
        "name": HOSTILE,
        "date": "2026-11-03T10:00:00",
        "run": "0" * 64,
        "headline": "x" * 400,
        "complete": False,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "10_shootout.html").write_text("<title>there</title>")
    with browser.open(shelf.write_index(tmp_path), width=400) as opened:
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 400
        assert HOSTILE in opened.page.locator("h2").inner_text()
        opened.page.locator("h2 a").click()
        assert opened.page.title() == "there"
        assert opened.requests == opened.complaints == opened.dialogs == []
