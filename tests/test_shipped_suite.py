"""The suite and the shootout that are shipped: what they hold, and what the default report finds."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import pytest
from conftest import ROOT

import evalkit
from evalkit.loading import check_suite
from evalkit.recommend import recommend
from evalkit.scores import leaderboard

GROUPS = ["billing_knowledge", "cross_domain_routing", "regression", "data_quality", "website_tech", "discord"]
GROUPS += ["design_assistance", "general_member"]


@pytest.fixture(scope="module")
def checked():
    return check_suite(ROOT / "cases")


def test_the_suite_has_no_fault_and_no_notice(checked) -> None:
    assert (checked.faults, checked.notices) == ([], [])


def test_the_suite_holds_tickets_of_all_groups_patterns_and_articles(checked) -> None:
    suite = checked.suite
    assert list(suite.strata()) == GROUPS
    assert len(suite.cases) >= 32
    assert sum(case.risk == "safety" and case.expects_handoff for case in suite.cases) >= 8
    assert len(suite.patterns) >= 45
    assert len(suite.articles) >= 12
    assert {"refund", "cancel", "entitlement", "download link", "never expires"} <= set(suite.patterns)
    for case in suite.cases:
        assert all([case.ticket, case.owner, case.reference.golden_answer, case.reference.human_reply]), case.id


def test_the_suite_says_that_it_is_example_data(checked) -> None:
    assert "Example data" in checked.suite.settings.description


def test_no_two_tickets_are_alike(checked) -> None:
    def grams(text: str) -> Counter[str]:
        return Counter(text[i : i + 5] for i in range(len(text) - 4))

    counts = {case.id: grams(f"{case.ticket.subject}\n{case.ticket.body}".lower()) for case in checked.suite.cases}
    norms = {name: math.sqrt(sum(n * n for n in each.values())) for name, each in counts.items()}
    for one, two in itertools.combinations(counts, 2):
        shared = sum(n * counts[two][gram] for gram, n in counts[one].items())
        assert shared / (norms[one] * norms[two]) < 0.6, (one, two)


def test_the_default_report_finds_one_disqualified_and_two_that_are_not_told_apart() -> None:
    run = evalkit.run(ROOT / "cases/shootouts/offline.yaml", quiet=True)
    board = {row["candidate"]: row for row in leaderboard(run).to_dicts()}
    standings = Counter(row["standing"] for row in board.values())
    assert standings == {"cleared": 2, "disqualified": 1}
    found = recommend(run)
    assert "not told apart" in found.headline
    # It scores well: within the interval of the one that is recommended.
    (out,) = (row for row in board.values() if row["standing"] == "disqualified")
    assert board[found.candidate]["low"] < out["score"]
    assert all(row["price_invented"] for row in board.values())
