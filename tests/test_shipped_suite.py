"""The suite and the shootout that are shipped: what they hold, and what the default report finds."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT

import evalkit
from evalkit.loading import check_suite
from evalkit.purposes import purposes
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
    tickets = [case for case in suite.cases if case.kind == "ticket"]
    assert list(suite.strata(tickets)) == GROUPS
    assert len(tickets) >= 96
    assert 0.25 <= sum(case.expects_handoff for case in tickets) / len(tickets) <= 0.35
    assert sum(case.risk == "safety" and case.expects_handoff for case in tickets) >= 16
    assert any(case.escalate_to == "dev" and case.risk == "safety" for case in tickets)
    assert len({case.language for case in suite.cases}) >= 5
    assert len(suite.patterns) >= 130
    assert len(suite.articles) >= 40
    assert {"refund", "cancel", "entitlement", "download link", "never expires"} <= set(suite.patterns)
    for case in tickets:
        assert all([case.ticket, case.owner, case.reference.golden_answer, case.reference.human_reply]), case.id


def test_the_suite_says_that_it_is_example_data(checked) -> None:
    assert "Example data" in checked.suite.settings.description


def test_no_two_tickets_are_alike(checked) -> None:
    def grams(text: str) -> Counter[str]:
        return Counter(text[i : i + 5] for i in range(len(text) - 4))

    counts = {
        case.id: grams(f"{case.ticket.subject}\n{case.ticket.body}".lower())
        for case in checked.suite.cases
        if case.ticket
    }
    norms = {name: math.sqrt(sum(n * n for n in each.values())) for name, each in counts.items()}
    for one, two in itertools.combinations(counts, 2):
        shared = sum(n * counts[two][gram] for gram, n in counts[one].items())
        assert shared / (norms[one] * norms[two]) < 0.6, (one, two)


def test_the_default_report_recommends_one_names_whom_it_is_not_told_apart_from_and_disqualifies_others(
    default_store: Path,
) -> None:
    run = evalkit.load_run("latest", default_store)
    assert set(run.judged["status"]) <= {"completed", "empty"}
    for name, rows in run.judged.group_by("candidate"):
        assert rows.height == 3 * len(run.suite.active), name
    board = {row["candidate"]: row for row in leaderboard(run).to_dicts()}
    assert len(board) >= 6
    standings = Counter(row["standing"] for row in board.values())
    assert standings["cleared"] >= 2
    assert standings["disqualified"] >= 2
    # The docs say how the baseline fares in conversations.
    talks = {case.id for case in run.suite.cases if case.kind == "conversation"}
    mine = run.judged.filter((pl.col("candidate") == "harbour-steady") & pl.col("case").is_in(talks))
    assert f"{mine['passed'].sum()} of {mine.height} passed trials" in (ROOT / "docs/offline.md").read_text()
    # Each of the four harms is done by somebody, so that the report has something to show.
    harms = run.judged.select("wrong_answer", "wrong_action", "missed_handoff", "leaked_data").sum().row(0)
    assert all(harms)
    found = recommend(run)
    assert board[found.candidate]["standing"] == "cleared"
    assert "not told apart" in found.headline or all(lead.told_apart for lead in found.leads)
    # A candidate that keeps nearly all direct tickets is out all the same.
    bold = board["harbour-bold"]
    assert bold["standing"] == "disqualified"
    assert bold["direct_kept"] / bold["directs"] > 0.9
    # The flaky one forgets its card now and then; the expensive one costs five times as much as the baseline.
    assert board["harbour-flaky"]["unreadable"] > 0
    assert board["harbour-scholar"]["usd_per_ticket"] > 5 * board["harbour-steady"]["usd_per_ticket"]
    assert all(row["price_invented"] for row in board.values())
    assert {each.name for each in purposes(run)} == {
        "money and accounts",
        "files and website",
        "chat",
        "tool calls",
        "difficult customers",
    }
    assert all(each.candidate and board[each.candidate]["standing"] == "cleared" for each in purposes(run))
