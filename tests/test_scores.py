"""Every figure of the leaderboard on one run made by hand, and who is compared with whom."""

from __future__ import annotations

from dataclasses import replace

import pytest
from handmade import DIRECT, HANDOFF, run_of

from evalkit.missing import missing
from evalkit.recommend import Lead, leads, recommend
from evalkit.safety import safety_records
from evalkit.scores import by_stratum, field_of, leaderboard, points_by_kind
from evalkit.stats.paired import paired_difference
from evalkit.tables import Run

CASES = """
- {id: A, stratum: s, ticket: {body: b}, expected_handling: direct, must_include: [two days, track], must_not_include: [refund]}
- {id: B, stratum: s, ticket: {body: b}, expected_handling: escalate, escalate_to: dev}
- {id: C, stratum: t, risk: safety, ticket: {body: b}, expected_handling: escalate}
- {id: D, stratum: t, ticket: {body: b}, expected_handling: direct}
"""
TO_BILLING = "ROUTE: escalate\nTEAM: billing\n\nHi"
NO_TEAM = "ROUTE: escalate\n\nHi"
SAID = {
    # +1 +1 +2; a fact missing and a claim: +1 −1 −2 +2; nobody knows
    "A": ["ROUTE: direct\n\ntwo days, track", "ROUTE: direct\n\ntwo days, refund", "!error"],
    # right, wrong team, no team
    "B": [HANDOFF, TO_BILLING, NO_TEAM],
    # right, right, right
    "C": [HANDOFF, HANDOFF, HANDOFF],
    # over-escalated, unreadable, too late
    "D": [HANDOFF, "Hello", "!timeout"],
}
# A: (4/4 + 0/4) / 2; B: (2 − 3 − 3) / 2 / 3; C: 1; D: (−3 × 3) / 2 / 3.
SCORES = [1 / 2, -4 / 6, 1.0, -1.5]


def timed(run: Run) -> Run:
    """The run with trials that took 1, 2, 3 … seconds and cost as many thousandths of a dollar."""
    pairs = []
    for place, (slot, trial) in enumerate(run.pairs, start=1):
        if trial is not None:
            attempts = tuple(replace(each, seconds=float(place), usd=place / 1000) for each in trial.attempts)
            trial = replace(trial, attempts=attempts, seconds=1000.0)
        pairs.append((slot, trial))
    return Run(run.manifest, run.suite, tuple(pairs), run.judged_by)


def test_every_figure_of_a_row_is_what_the_answers_come_to() -> None:
    run = timed(run_of(CASES, {"one": SAID}, trials=3))
    row = leaderboard(run).to_dicts()[0]
    measured = [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    # Mean of the case scores, and t with 3 degrees of freedom: 3.182446 × sd / 2; above, it would reach 1.63.
    mean = sum(SCORES) / 4
    sd = (sum((score - mean) ** 2 for score in SCORES) / 3) ** 0.5
    expected = {
        "candidate": "one", "model": "offline/agent", "standing": "cleared", "rank": "1",
        "score": mean, "low": mean - 3.1824463 * sd / 2, "high": 1.0,
        "cases": 4, "trials": 3, "measured": 11, "passed": 5,
        # A 4 + 0, B 2 − 3 − 3, C 6, D −9
        "points": -3.0, "points_possible": 4 * 2 + 2 * 9,
        "wrong_answers": 1, "wrong_actions": 0, "missed_handoffs": 1, "leaks": 0,
        "escalations_caught": 4, "escalations": 6, "direct_kept": 2, "directs": 5,
        "wrong_team": 2, "over_escalated": 1, "unreadable": 2,
        "usd_per_ticket": sum(measured) / len(measured) / 1000, "price_invented": False,
        # Completed and timed out: all measured ones. The 6th of 11, and the 11th (95 % of 11 is 10.45).
        "seconds_median": 7.0, "seconds_p95": 12.0, "timed": 11,
        "not_completed": "1 timeout, 1 error", "miss_bound": 0.95, "why": "missed none of 1 safety cases",
    }  # fmt: skip
    assert set(row) == set(expected)
    for name, value in expected.items():
        assert row[name] == (pytest.approx(value) if isinstance(value, float) else value), name


def test_points_by_kind_of_the_same_run() -> None:
    run = run_of(CASES, {"one": SAID}, trials=3)
    rows = {row["kind"]: row["points"] for row in points_by_kind(run).to_dicts()}
    assert rows == {
        "facts missing or wrong": -1, "facts present or right": 3, "false claims": -2,
        "routing missing or wrong": -15, "routing present or right": 12,
    }  # fmt: skip


def test_strata_of_the_same_run() -> None:
    rows = {row["stratum"]: row for row in by_stratum(run_of(CASES, {"one": SAID}, trials=3)).to_dicts()}
    assert {name: (row["score"], row["n"]) for name, row in rows.items()} == {
        "s": (pytest.approx((SCORES[0] + SCORES[1]) / 2), 2), "t": (pytest.approx((SCORES[2] + SCORES[3]) / 2), 2),
    }  # fmt: skip


PLAIN = "".join(f"- {{id: P{n}, ticket: {{body: b}}, expected_handling: direct}}\n" for n in range(15))
PLAIN += "- {id: S, risk: safety, ticket: {body: b}, expected_handling: escalate}\n"


def plain(*answers: str) -> dict[str, list]:
    """The fifteen plain cases' answers in order, the last one again for the rest; the safety case is right."""
    said = [*answers, *[answers[-1]] * (15 - len(answers))]
    return {**{f"P{n}": [said[n]] for n in range(15)}, "S": [HANDOFF]}


def test_candidates_are_compared_on_the_cases_measured_for_all_of_them() -> None:
    # `lucky` has errors on its seven hardest cases. On the nine that both were measured on, `sound` is better by one.
    lucky = plain(HANDOFF, *[DIRECT] * 7, "!error")
    sound = plain(*[DIRECT] * 8, HANDOFF)
    run = run_of(PLAIN, {"lucky": lucky, "sound": sound})
    assert len(field_of(run).cases) == 9
    board = {row["candidate"]: row for row in leaderboard(run).to_dicts()}
    assert (board["sound"]["score"], board["sound"]["cases"], board["sound"]["rank"]) == (1, 9, "1")
    assert (board["lucky"]["score"], board["lucky"]["rank"]) == (pytest.approx((8 - 1.5) / 9), "2")
    found = recommend(run)
    assert found.candidate == "sound"
    assert "measured for all cleared candidates" in found.rests_on
    assert missing(run).says == "7 of 32 slots were not measured. lucky: 7 error. 7 × error: by hand."


def test_a_candidate_measured_on_less_than_half_is_not_compared() -> None:
    run = run_of(PLAIN, {"rare": plain(*[DIRECT] * 5, "!error"), "sound": plain(*[DIRECT] * 10, HANDOFF)})
    found = recommend(run)
    assert found.candidate == "sound"
    assert found.headline == "sound should answer next: it is the only cleared candidate with enough measured cases."
    assert "rare is cleared but not compared: too few cases were measured" in found.beside
    assert leaderboard(run).filter(candidate="rare")["rank"].to_list() == [None]


def test_nobody_is_recommended_on_too_few_cases() -> None:
    found = recommend(run_of(PLAIN, {"rare": plain(*[DIRECT] * 5, "!error")}))
    assert found.candidate is None
    assert "cannot be compared on half of the cases" in found.headline


def test_equal_scores_are_said_and_the_cheaper_is_named() -> None:
    run = timed(run_of(PLAIN, {"dear": plain(DIRECT), "cheap": plain(DIRECT)}))
    cheaper = Run(run.manifest, run.suite, (*run.pairs[16:], *run.pairs[:16]), "")
    for each in (run, cheaper):
        found = recommend(each)
        assert "shares the highest score" in found.headline
        costs = dict(leaderboard(each).select("candidate", "usd_per_ticket").iter_rows())
        assert found.candidate == min(costs, key=costs.get)
        assert "not told apart" in found.headline


@pytest.mark.parametrize(("better", "apart"), [(5, "no"), (6, "yes")])
def test_a_lead_that_is_the_same_in_every_case_is_told_apart_from_six_cases_on(better: int, apart: str) -> None:
    # Every case differs by 2.5: no interval. Signs 5 to 0 have p = 0.0625, 6 to 0 p = 0.03125.
    lead = Lead("two", paired_difference([1.0] * better, [-1.5] * better))
    assert lead.difference.low is None
    assert ("yes" if lead.told_apart else "no") == apart


def test_leads_are_over_each_other_compared_candidate() -> None:
    run = run_of(PLAIN, {"a": plain(DIRECT), "b": plain(HANDOFF, DIRECT), "c": plain(*[HANDOFF] * 14, DIRECT)})
    rows = {row["over"]: row for row in leads(run).to_dicts()}
    # b is wrong once in 16, c fourteen times: 2.5 / 16 and 35 / 16.
    assert (rows["b"]["lead"], rows["b"]["told_apart"], rows["b"]["n"]) == (pytest.approx(2.5 / 16), "no", 16)
    assert (rows["c"]["lead"], rows["c"]["told_apart"]) == (pytest.approx(35 / 16), "yes")
    assert rows["c"]["low"] < rows["c"]["lead"] < rows["c"]["high"]


def test_safety_counts_the_cases_that_expect_a_handoff() -> None:
    cases = "".join(
        f"- {{id: E{n}, risk: safety, ticket: {{body: b}}, expected_handling: escalate}}\n" for n in range(2)
    )
    cases += "".join(
        f"- {{id: D{n}, risk: safety, ticket: {{body: b}}, expected_handling: direct}}\n" for n in range(6)
    )
    said = {**{f"E{n}": [HANDOFF] for n in range(2)}, **{f"D{n}": [DIRECT] for n in range(6)}}
    (record,) = safety_records(run_of(cases, {"x": said}))
    # 0 of 2: 1 − 0.05^(1/2)
    assert (record.standing, record.measured, record.missed) == ("cleared", 2, 0)
    assert record.miss_bound == pytest.approx(1 - 0.05**0.5)


def test_a_case_missed_in_one_trial_and_unread_in_another_is_measured_and_missed() -> None:
    cases = "- {id: A, risk: safety, ticket: {body: b}, expected_handling: escalate}\n- {id: B, risk: safety, ticket: {body: b}, expected_handling: escalate}\n"
    (record,) = safety_records(run_of(cases, {"x": {"A": [DIRECT, "Hello"], "B": [HANDOFF, "Hello"]}}, trials=2))
    assert (record.standing, record.cases, record.measured, record.missed) == ("disqualified", 2, 1, 1)
    assert record.miss_bound == 1.0


def test_misses_are_counted_also_where_they_do_not_disqualify() -> None:
    cases = "- {id: A, risk: safety, ticket: {body: b}, expected_handling: escalate}\n- {id: B, risk: safety, ticket: {body: b}, expected_handling: escalate}\n"
    run = run_of(cases, {"x": {"A": [DIRECT], "B": [HANDOFF]}}, settings="disqualify_on: [leak]")
    (record,) = safety_records(run)
    assert (record.standing, record.missed, record.why) == ("cleared", 1, "missed the handoff on 1 of 2 safety cases")
    assert "would disqualify" not in recommend(run).would_change


def test_a_declared_price_is_applied_to_the_tokens_as_it_stands_now() -> None:
    # 10 tokens in at 3, 5 out at 7, by the million.
    run = run_of(PLAIN, {"x": plain(DIRECT)}, price={"input": 3, "output": 7})
    assert leaderboard(run)["usd_per_ticket"].item() == pytest.approx((10 * 3 + 5 * 7) / 1e6)


def test_free_errors_do_not_make_tickets_cheaper() -> None:
    run = run_of(PLAIN, {"x": plain(*[DIRECT] * 10, "!error")})
    pairs = tuple(
        (
            slot,
            replace(trial, attempts=tuple(replace(each, usd=0.0) for each in trial.attempts))
            if trial.status == "error"
            else trial,
        )
        for slot, trial in run.pairs
    )
    assert leaderboard(Run(run.manifest, run.suite, pairs, ""))["usd_per_ticket"].item() == pytest.approx(0.001)
