"""The seed's own example through the gate, and every hole of its sketch closed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date

import pytest

from evalkit.gate import Decision, decide, lines, side_of


# From here to `band` as the seed prints it.
@dataclass
class Case:
    id: str
    stratum: str  # intent, language or risk tier
    must_pass: bool
    runs: list[bool]  # n=3 runs of the same case


ok, flaky = [True] * 3, [True, False, True]
baseline = {f"order-{i}": Case(f"order-{i}", "orders", False, ok) for i in range(10)}
baseline["refund-017"] = Case("refund-017", "refunds", True, ok)
candidate = {**baseline}
for i in range(3):
    candidate[f"order-{i}"] = Case(f"order-{i}", "orders", False, flaky)

band = lambda stratum, n: 0.2  # 2 sd of repeated baseline runs at this n # noqa: E731


def orders(passed: int, of: int = 10) -> dict[str, Case]:
    """A stratum of which so many cases pass."""
    return {f"o-{i}": Case(f"o-{i}", "orders", False, ok if i < passed else flaky) for i in range(of)}


def kinds(decision: Decision) -> list[tuple[str, str]]:
    return [(each.kind, each.where) for each in decision.reasons]


# 10 of 10 before, 7 of 10 now: −0.3 leaves a band of 0.2.
def test_the_seeds_printed_example_is_not_allowed_for_orders_dropped() -> None:
    decision = decide(baseline, candidate, band)
    assert not decision.allow
    assert "orders dropped 0.30" in decision.reason
    assert kinds(decision) == [("stratum", "orders")]
    assert lines(decision)[0] == "BLOCK: candidate against baseline may not go out: 1 reason."


def test_with_all_trials_passing_it_is_allowed() -> None:
    decision = decide(baseline, baseline, band)
    assert decision.allow
    assert decision.reason == ""
    assert [(each.stratum, each.verdict, each.n, each.delta) for each in decision.strata] == [
        ("orders", "held", 10, 0.0),
        ("refunds", "held", 1, 0.0),
    ]


# 9 − 7, 8 − 6 and 10 − 8 of 10 are all drops of exactly 0.2; as floats two of them are −0.20000000000000007.
@pytest.mark.parametrize(("before", "now"), [(9, 7), (8, 6), (10, 8)])
def test_a_drop_as_large_as_the_band_is_inside_it_whatever_its_float(before: int, now: int) -> None:
    assert decide(orders(before), orders(now), 0.2).allow
    assert not decide(orders(before), orders(now - 1), 0.2).allow


@pytest.mark.parametrize("before", range(3, 11))
def test_at_a_band_of_three_tenths_all_eight_equal_drops_are_inside(before: int) -> None:
    assert decide(orders(before), orders(before - 3), 0.3).allow


def test_a_stratum_that_the_candidate_lacks_blocks_by_its_name() -> None:
    without = {name: case for name, case in baseline.items() if case.stratum != "orders"}
    decision = decide(baseline, without, band)
    assert kinds(decision) == [("missing", "orders")]
    assert decision.verdict == "block"


def test_a_sample_of_a_stratum_is_compared_on_its_own_cases() -> None:
    # The baseline fails o-8 and o-9, which are not asked: 8 of 8 before, 5 of 8 now.
    before = orders(8)
    now = {name: Case(name, "orders", False, ok if i < 5 else flaky) for i, name in enumerate(before) if i < 8}
    look = decide(before, now, 0.4).strata[0]
    assert (look.n, look.baseline, look.candidate) == (8, 1.0, 0.625)


def test_a_case_that_the_baseline_lacks_is_a_reason_with_its_name_and_no_key_error() -> None:
    decision = decide({name: case for name, case in baseline.items() if name != "order-4"}, baseline, band)
    assert kinds(decision) == [("missing", "order-4")]
    assert decision.verdict == "not measured"
    assert [each.verdict for each in decision.strata] == ["not measured", "held"]


def test_all_reasons_are_listed_and_not_the_first_alone() -> None:
    broken = {**candidate, "refund-017": Case("refund-017", "refunds", True, flaky)}
    for i in range(4):
        broken[f"mail-{i}"] = Case(f"mail-{i}", "mails", False, flaky)
    before = {**baseline, **{f"mail-{i}": Case(f"mail-{i}", "mails", False, ok) for i in range(4)}}
    decision = decide(before, broken, band)
    assert kinds(decision) == [
        ("must_pass", "refund-017"), ("stratum", "mails"), ("stratum", "orders"), ("stratum", "refunds"),
    ]  # fmt: skip
    assert "failed 1 of 3 trials (trial 1); it passes on the baseline" in decision.reasons[0].says


# all([]) is True: in the sketch a case with no trials passes.
@pytest.mark.parametrize(("runs", "has"), [([], "has no trial"), ([True, True], "has 2 of 3 trials")])
def test_a_case_with_too_few_trials_does_not_pass(runs: list[bool], has: str) -> None:
    decision = decide(baseline, {**baseline, "refund-017": Case("refund-017", "refunds", True, runs)}, 1.0)
    assert kinds(decision) == [("trials", "refund-017")]
    assert has in decision.reason
    assert decision.must_pass[0].passed is None
    assert not decision.allow


def test_a_baselines_case_with_too_few_trials_is_not_measured() -> None:
    short = {**baseline, "order-1": Case("order-1", "orders", False, [True])}
    decision = decide(short, baseline, band)
    assert kinds(decision) == [("trials", "order-1")]
    assert decision.strata[0].verdict == "not measured"


def test_a_candidate_with_fewer_trials_than_the_baseline_is_not_measured() -> None:
    few = {name: Case(name, case.stratum, case.must_pass, [True]) for name, case in baseline.items()}
    decision = decide(baseline, few, band)
    assert kinds(decision) == [("trials", "candidate")]
    assert "play it with --trials 3" in decision.reason
    assert {each.verdict for each in decision.strata} == {"not measured"}
    # Nor is a drop found by them.
    failed = {name: Case(name, case.stratum, case.must_pass, [case.must_pass]) for name, case in baseline.items()}
    assert kinds(decide(baseline, failed, band)) == [("trials", "candidate")]


def test_trials_beyond_k_count_for_must_pass_alone() -> None:
    more = {**baseline, "order-0": Case("order-0", "orders", False, [*ok, False, False])}
    assert decide(baseline, more, band).strata[0].candidate == 1.0
    more["refund-017"] = Case("refund-017", "refunds", True, [*ok, False])
    assert kinds(decide(baseline, more, band)) == [("must_pass", "refund-017")]


def test_a_candidate_with_more_trials_is_compared_by_as_many_as_the_baseline_has() -> None:
    more = {name: Case(name, c.stratum, c.must_pass, [*c.runs, True, c.must_pass]) for name, c in baseline.items()}
    decision = decide(baseline, more, band)
    assert decision.allow
    assert [each.kind for each in decision.notes if each.kind == "trials"] == ["trials"]


def test_an_unscored_trial_is_neither_passed_nor_failed() -> None:
    unscored = {**baseline, "refund-017": Case("refund-017", "refunds", True, [True, None, True])}  # type: ignore[list-item]
    decision = decide(baseline, unscored, 1.0)
    assert kinds(decision) == [("not measured", "refund-017")]
    assert "trial 1: unscored" in decision.reason
    assert (decision.must_pass[0].failed, decision.must_pass[0].unmeasured) == ((), (1,))
    assert decision.verdict == "not measured"


# 7 of 10 pass and one is open: with it a drop of 0.2, which the band holds, without it 0.3.
def test_a_drop_that_rests_on_what_was_not_measured_is_not_called_a_drop() -> None:
    open_one = {**orders(7), "o-9": Case("o-9", "orders", False, [True, None, True])}  # type: ignore[list-item]
    decision = decide(orders(10), open_one, 0.2)
    assert decision.verdict == "not measured"
    assert decision.strata[0].verdict == "not measured"
    assert decision.strata[0].looks[0].unmeasured == ("o-9",)
    # With 6 it is out of the band even if the open one had passed: −0.3.
    worse = {**orders(6), "o-9": open_one["o-9"]}
    assert decide(orders(10), worse, 0.2).strata[0].verdict == "dropped"


def test_must_pass_is_read_from_both_sides() -> None:
    disarmed = {**baseline, "refund-017": Case("refund-017", "refunds", False, flaky)}
    assert kinds(decide(baseline, disarmed, 1.0)) == [("must_pass", "refund-017")]
    raised = {**baseline, "order-2": Case("order-2", "orders", True, flaky)}
    assert kinds(decide(baseline, raised, 1.0)) == [("must_pass", "order-2")]


def test_a_must_pass_case_of_the_baseline_cannot_be_left_out() -> None:
    without = {name: case for name, case in baseline.items() if name != "refund-017"}
    decision = decide(baseline, without, 1.0)
    assert ("missing", "refund-017") in kinds(decision)
    assert decision.verdict == "block"


def test_a_case_moved_to_another_stratum_without_a_suite_to_say_so_blocks() -> None:
    moved = {**baseline, "order-0": Case("order-0", "misc", False, ok)}
    assert ("amendment", "order-0") in kinds(decide(baseline, moved, 1.0))


@pytest.mark.parametrize("sides", [({}, {}), (baseline, {}), ({}, baseline)])
def test_nothing_to_compare_is_not_allowed(sides: tuple[dict[str, Case], dict[str, Case]]) -> None:
    assert ("no overlap", "cases") in kinds(decide(*sides, band))


def test_without_repeats_no_band_is_measured_and_that_blocks_with_the_command_that_mends_it() -> None:
    decision = decide(baseline, baseline)
    assert kinds(decision) == [("not measured", "bands")]
    assert decision.reason.startswith("no repeats of the baseline: `evalkit run SHOOTOUT --repeats 3`")
    assert {each.verdict for each in decision.strata} == {"not measured"}


def test_an_assumed_band_is_called_so_in_the_record() -> None:
    decision = decide(baseline, baseline, 0.2)
    assert decision.band == "assumed"
    assert all(each.assumed and each.noise is None for each in decision.strata)
    assert "the bands were assumed, not measured" in "\n".join(lines(decision))
    assert "its assumed band" in decide(baseline, candidate, 0.2).reason


@pytest.mark.parametrize("width", [-0.1, float("nan"), float("inf")])
def test_a_band_that_is_no_width_is_refused(width: float) -> None:
    with pytest.raises(ValueError, match="a band is a number from 0 on"):
        decide(baseline, baseline, width)


# Ten of ten in all of three repeats: V(m) = w = 0, so the floor 2/m · 3/(R·N) = 0.2 · 0.1 = 0.02, and the band is
# 2 · √((1 + 1/3)/2) · √0.02 = 2 · 0.816497 · 0.141421 = 0.230940. A drop of 0.2 is inside, one of 0.3 is not.
def test_repeats_in_plain_mappings_measure_the_band() -> None:
    rows = {name: Case(name, "orders", False, ok * 3) for name in orders(10)}
    side = side_of(rows, "steady", k=3)
    assert side.repeats == 3
    decision = decide(side, orders(8))
    assert decision.allow
    look = decision.strata[0]
    assert look.band == pytest.approx(0.230940, abs=1e-6)
    assert (look.noise.decided, look.noise.repeats, look.noise.averaged) == ("floor", 3, 3)
    assert kinds(decide(side, orders(7))) == [("stratum", "orders")]


# Three repeats pass 10, 10 and 7 of 10: the baseline's own score is 0.9.
def test_the_baselines_score_is_averaged_over_its_repeats() -> None:
    rows = {name: Case(name, "orders", False, ok * 2 + (ok if i < 7 else flaky)) for i, name in enumerate(orders(10))}
    look = decide(side_of(rows, k=3), orders(9)).strata[0]
    assert (look.baseline, look.candidate, look.delta) == (0.9, 0.9, 0.0)


def test_a_stratum_too_small_to_see_anything_says_so_and_does_not_block() -> None:
    decision = decide(orders(6, of=6), orders(0, of=6), 1.0)
    assert decision.allow
    assert decision.strata[0].sees == "6 cases are too few: even a drop to none stays inside the band"
    assert any("6 cases are too few" in line for line in lines(decision))
    assert decide(orders(0), orders(0), 0.2).strata[0].sees.endswith("nothing can drop")
    assert decide(orders(10), orders(10), 0.2).strata[0].sees == ""


def test_the_decision_is_the_same_bytes_and_hangs_on_no_order() -> None:
    def said(*sides: dict[str, Case]) -> str:
        return json.dumps(decide(*sides, band, today=date(2026, 11, 30)).to_json())

    turned = [dict(reversed(side.items())) for side in (baseline, candidate)]
    assert said(baseline, candidate) == said(baseline, candidate) == said(*turned)


def test_trials_without_a_date_are_of_no_known_age_once_a_date_is_given() -> None:
    decision = decide(baseline, baseline, band, today=date(2026, 11, 30))
    assert kinds(decision) == [("stale", "baseline")]
    assert "33 trials of the baseline bear no date" in decision.reason
    assert decision.dates == {"baseline": None, "candidate": None}


def test_must_pass_alone_needs_no_baseline() -> None:
    assert decide(None, baseline, must_pass_only=True).allow
    broken = {**baseline, "refund-017": Case("refund-017", "refunds", True, flaky)}
    assert kinds(decide(None, broken, must_pass_only=True)) == [("must_pass", "refund-017")]
    assert ("not measured", "baseline") in kinds(decide(None, baseline, band))
    assert kinds(decide(None, orders(3), must_pass_only=True)) == [("no overlap", "must_pass")]


def test_what_a_name_holds_cannot_break_the_lines() -> None:
    name = "x\x1b[2J\ny"
    hostile = {name: Case(name, "s\r\nt", True, flaky)}
    said = lines(decide(hostile, hostile, 0.2))
    assert not any(char in line for line in said for char in "\x1b\r\n")
