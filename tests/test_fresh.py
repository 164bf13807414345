"""The offline agents on tickets that were written without sight of their rules or of the shipped suite."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT

import evalkit
from evalkit.loading import check_suite
from evalkit.tables import Run

FRESH = ROOT / "tests/fresh/tickets.yaml"
CANDIDATE = "harbour-steady"


def accuracy(run: Run) -> tuple[int, int]:
    """Trials routed right, of those whose route was expected."""
    routed = run.judged.filter(pl.col("routing").is_not_null())
    return routed.filter(routing="right").height, routed.height


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[tuple[int, int], tuple[int, int]]:
    folder = tmp_path_factory.mktemp("fresh")
    suite = folder / "suite"
    for source in (*(ROOT / "cases/knowledge").iterdir(), *(ROOT / "cases/prompts").iterdir()):
        target = suite / source.parent.name / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    (suite / "tickets").mkdir()
    (suite / "tickets/fresh.yaml").write_bytes(FRESH.read_bytes())
    shootout = re.sub(
        r"^(?:purposes|grader):\n(?:  .*\n)+",
        "",
        (ROOT / "cases/shootouts/offline.yaml").read_text(),
        flags=re.MULTILINE,
    )
    (suite / "shootouts").mkdir()
    (suite / "shootouts/offline.yaml").write_text(shootout)
    store = folder / "store.sqlite"
    chosen = {"candidates": [CANDIDATE], "quiet": True, "store": store}
    fresh = evalkit.run(suite / "shootouts/offline.yaml", **chosen)
    tickets = list(dict.fromkeys(c.stratum for c in evalkit.load_suite(ROOT / "cases").cases if c.kind == "ticket"))
    shipped = evalkit.run(ROOT / "cases/shootouts/offline.yaml", strata=tickets, **chosen)
    return accuracy(fresh), accuracy(shipped)


def test_there_are_forty_fresh_tickets_and_each_says_where_it_goes(tmp_path: Path) -> None:
    (tmp_path / "tickets.yaml").write_bytes(FRESH.read_bytes())
    suite = check_suite(tmp_path).suite
    assert len(suite.cases) == 40
    assert sum(case.expects_handoff for case in suite.cases) >= 10
    assert all(case.expected_handling for case in suite.cases)


def test_routing_on_fresh_tickets_is_within_fifteen_points_of_the_shipped_suite_and_the_docs_say_both(both) -> None:
    (right, of), (shipped_right, shipped_of) = both
    assert abs(right / of - shipped_right / shipped_of) <= 0.15
    page = (ROOT / "docs/offline.md").read_text()
    assert f"{shipped_right} of {shipped_of} trials ({100 * shipped_right / shipped_of:.1f} %)" in page
    assert f"{right} of {of} ({100 * right / of:.1f} %)" in page
