"""The gate on runs and their suites: each thing that blocks does so with its own sentence, and nothing else does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from handmade import DIRECT, HANDOFF, trial
from measured import RUBRIC

from evalkit.errors import NotMeasured
from evalkit.gate import Decision, decide, lines, needs_rerun, side_of
from evalkit.loading import check_files
from evalkit.store import Slot
from evalkit.suite import Suite
from evalkit.tables import Run

TODAY = date(2026, 11, 30)
COMMIT, SIGNED = "c" * 40, "a" * 40
ORDERS = [f"O-{number}" for number in range(10)]
ALL = [*ORDERS, "P-0", "P-1", "MUST-1", "MUST-2"]
K = 3


USES = {"O-2": "\n  must_not_include: [two days]"}


def cases(**more: str) -> str:
    """Ten cases of orders, two of post, and two that must pass, of `account`; `more` are lines added to a case."""
    told = []
    for name in ALL:
        stratum = {"O": "orders", "P": "post", "M": "account"}[name[0]]
        must = "\n  must_pass: true\n  owner: Priya" if name[0] == "M" else ""
        extra = more.get(name.replace("-", "_"), "") + USES.get(name, "")
        told.append(
            f"- id: {name}\n  stratum: {stratum}\n  ticket: {{body: Hello}}\n  expected_handling: direct{must}{extra}\n"
        )
    return "".join(told)


SUITE = {
    "suite.yaml": "name: shop\nsamples: {pr: {draw: 6, seed: 1}, orders: {draw: 4, strata: [orders]}}\n",
    "patterns.yaml": "two days: ['two days']\n",
    "rubrics/quality.yaml": RUBRIC,
    "tickets/all.yaml": cases(),
}


def suite(changes: Mapping[str, str | None] | None = None) -> Suite:
    """The suite with some of its files changed or, where None, left out."""
    files = {name: text for name, text in {**SUITE, **(changes or {})}.items() if text is not None}
    checked = check_files({name: text.encode() for name, text in files.items()}, name="shop")
    assert checked.suite is not None, checked.faults
    return checked.suite


def run(
    results: Mapping[str, str] | None = None,
    *,
    of: Suite | None = None,
    repeats: int = 1,
    name: str = "steady",
    started: str = "2026-11-28T10:00:00.000+00:00",
    k: int = K,
    played: list[str] | None = None,
    **manifest: Any,
) -> Run:
    """A run of one candidate. `results` gives a case's trials by letters: 1 passed, 0 failed, e an error, - not played;
    what it does not name has passed."""
    of = of or suite()
    pairs = []
    for case in played or [each.id for each in of.active]:
        for number, letter in enumerate((results or {}).get(case, "1" * k * repeats)):
            slot = Slot(name, case, number, f"{name}-{case}-{number}")
            if letter == "-":
                pairs.append((slot, None))
            else:
                answer = {"1": DIRECT, "0": HANDOFF, "e": None}[letter]
                status, reason = ("error", "503 from the provider") if letter == "e" else ("completed", "")
                pairs.append((slot, replace(trial(slot, answer, status, reason=reason), started=started)))
    told = {
        "run": ("b" if name == "steady" else "c") * 64, "name": "nightly", "started": started, "trials": k,
        "baseline": name, "repeats": repeats, "candidates": [{"name": name, "model": "offline/agent"}],
        "suite": {"name": "shop", "snapshot": of.snapshot, "cases": len(of.active)}, "shootout": {},
        "commit": COMMIT, "commit_signed": SIGNED, **manifest,
    }  # fmt: skip
    first = tuple(pair for pair in pairs if pair[0].number < k)
    later = tuple(pair for pair in pairs if pair[0].number >= k)
    return Run(told, of, first, "the suite as it stands", later=later)


def gate(before: Run | None = None, after: Run | None = None, band: float | None = 0.25, **more: Any) -> Decision:
    """A decision; what is not given has passed all its trials."""
    given = {"today": TODAY, **more}
    return decide(before or run(), after or run(name="new"), band, **given)


def kinds(decision: Decision) -> list[tuple[str, str]]:
    return [(each.kind, each.where) for each in decision.reasons]


def failing(*names: str, letters: str = "101") -> dict[str, str]:
    return dict.fromkeys(names, letters)


def test_where_nothing_has_dropped_it_is_allowed() -> None:
    decision = gate()
    assert decision.verdict == "allow"
    assert (decision.reasons, decision.reason) == ((), "")
    assert [each.stratum for each in decision.strata] == ["account", "orders", "post"]
    assert lines(decision)[0] == (
        "ALLOW: new against steady: 2 must-pass cases passed and 3 strata held (its bands were assumed, not measured)."
    )


def test_one_must_pass_case_that_fails_one_trial_of_three_blocks() -> None:
    decision = gate(after=run(failing("MUST-1"), name="new"), band=1.0)
    assert kinds(decision) == [("must_pass", "MUST-1")]
    assert decision.reason == (
        "must-pass case MUST-1 failed 1 of 3 trials (trial 1); it passes on the baseline; "
        "`evalkit show cccccccc MUST-1 --trial 1` shows it"
    )


def test_that_the_baseline_fails_it_too_is_said_and_blocks_all_the_same() -> None:
    decision = gate(run(failing("MUST-1")), run(failing("MUST-1"), name="new"))
    assert decision.reason.endswith(
        "it fails on the baseline, too (1 of 3); `evalkit show cccccccc MUST-1 --trial 1` shows it"
    )


# A score that rises by 0.5 on ten cases does not make up for one case.
def test_a_change_that_raises_the_score_and_breaks_one_must_pass_case_is_blocked() -> None:
    decision = gate(run(failing(*ORDERS[:5])), run(failing("MUST-2"), name="new"), band=1.0)
    assert next(each for each in decision.strata if each.stratum == "orders").delta == 0.5
    assert kinds(decision) == [("must_pass", "MUST-2")]


# Three of ten fail: 0.3 is more than 0.25; two are not.
def test_a_stratum_that_drops_by_more_than_its_band_blocks() -> None:
    decision = gate(after=run(failing(*ORDERS[:3]), name="new"))
    assert kinds(decision) == [("stratum", "orders")]
    assert decision.reason.startswith("orders dropped 0.30, more than its assumed band of 0.25 (10 cases: 1.00 before")
    assert gate(after=run(failing(*ORDERS[:2]), name="new")).allow


# As the seed's test: the floor 2/10 · 3/(3·10) = 0.02, 2 · √(2/3) · √0.02 = 0.230940.
def test_the_band_is_measured_from_the_baselines_repeats() -> None:
    decision = gate(run(repeats=3), run(failing(*ORDERS[:3]), name="new"), band=None)
    assert kinds(decision) == [("stratum", "orders")]
    look = next(each for each in decision.strata if each.stratum == "orders")
    assert look.band == pytest.approx(0.230940, abs=1e-6)
    assert (look.noise.n, look.noise.m, look.noise.repeats) == (10, 10, 3)
    assert decision.band == "measured"
    assert "more than its band of 0.23" in decision.reason


# z = 3 in suite.yaml: 0.230940 · 3/2 = 0.346410, which holds a drop of 0.3.
def test_z_is_the_suites_own() -> None:
    wide = suite({"suite.yaml": "name: shop\ngate: {z: 3}\n"})
    decision = gate(run(of=wide, repeats=3), run(failing(*ORDERS[:3]), of=wide, name="new"), band=None)
    assert decision.z == 3
    assert decision.allow


def test_without_repeats_the_bands_are_not_measured() -> None:
    decision = gate(band=None)
    assert kinds(decision) == [("not measured", "bands")]
    assert decision.verdict == "not measured"
    assert "no repeats of the baseline" in decision.reason
    assert needs_rerun(decision) == ()


@pytest.mark.parametrize(("again", "verdict"), [("111", "allow"), ("101", "block")])
def test_a_stratum_blocks_only_where_both_looks_leave_the_band(again: str, verdict: str) -> None:
    results = dict.fromkeys(ORDERS, "111111") | dict.fromkeys(ORDERS[:3], "101" + again)
    once = gate(after=run(failing(*ORDERS[:3]), name="new"))
    assert needs_rerun(once) == ("orders",)
    assert "--rerun" in once.reason
    decision = gate(after=run(results, name="new", repeats=1, reruns={"new": {"orders": 1}}))
    assert decision.verdict == verdict
    look = next(each for each in decision.strata if each.stratum == "orders")
    assert [each.block for each in look.looks] == [0, 1]
    assert needs_rerun(decision) == ()
    if verdict == "block":
        assert "and 0.30 when it was run again" in decision.reason
    else:
        assert "left its band at the first look and not at the second" in "\n".join(lines(decision))


def test_a_rerun_that_was_not_measured_is_no_second_look() -> None:
    results = dict.fromkeys(ORDERS, "111111") | dict.fromkeys(ORDERS[:3], "101eee")
    decision = gate(after=run(results, name="new", reruns={"new": {"orders": 1}}))
    assert kinds(decision) == [("not measured", name) for name in ORDERS[:3]]
    # A rerun that was asked for and never played is none either.
    decision = gate(after=run(failing(*ORDERS[:3]), name="new", reruns={"new": {"orders": 1}}))
    assert decision.verdict == "not measured"
    assert kinds(decision) == [("not measured", "orders")]


def test_a_must_pass_case_has_to_pass_its_rerun_too() -> None:
    account = {"new": {"account": 1}}
    lost = gate(after=run({"MUST-1": "1111e1", "MUST-2": "111111"}, name="new", reruns=account))
    assert kinds(lost) == [("not measured", "MUST-1")]
    failed = gate(after=run({"MUST-1": "111101", "MUST-2": "111111"}, name="new", reruns=account))
    assert kinds(failed) == [("must_pass", "MUST-1")]


def test_an_outage_in_one_case_of_the_candidate_is_not_measured_and_counts_as_not_passed() -> None:
    decision = gate(after=run({"O-3": "1e1"}, name="new"))
    assert kinds(decision) == [("not measured", "O-3")]
    assert "trial 1: error: 503 from the provider" in decision.reason
    assert decision.verdict == "not measured"
    assert next(each for each in decision.strata if each.stratum == "orders").candidate == 0.9


def test_an_outage_in_one_case_of_the_baseline_leaves_its_stratum_unmeasured() -> None:
    decision = gate(run({"O-3": "11e"}))
    assert kinds(decision) == [("not measured", "O-3")]
    assert "so orders is not compared" in decision.reason
    assert {each.stratum: each.verdict for each in decision.strata}["orders"] == "not measured"
    assert decision.verdict == "not measured"


def test_an_outage_in_one_repeat_of_the_baseline_is_an_outage() -> None:
    decision = gate(run({"O-3": "111111e11"}, repeats=3), band=None)
    assert kinds(decision) == [("not measured", "O-3")]


def test_a_repeat_whose_slots_are_gone_is_not_measured() -> None:
    decision = gate(run({"O-3": "111111"}, repeats=3), band=None)
    assert kinds(decision) == [("trials", "O-3")]
    assert "has 6 of 9 trials" in decision.reason


def test_an_outage_outside_the_sample_is_left_out_of_the_band_and_said() -> None:
    drawn = run(name="new", sample={"name": "pr", "draw": 6, "seed": 1, "must_pass": None, "strata": None})
    asked = {each for look in gate(after=drawn).strata for each in _compared(drawn, look.stratum)}
    outside = next(name for name in ORDERS if name not in asked)
    decision = gate(run({outside: "111111e11"}, repeats=3), drawn, band=None)
    assert decision.allow, decision.reason
    look = next(each for each in decision.strata if each.stratum == "orders")
    assert (look.noise.n, look.noise.m) == (9, look.n)
    assert any(outside in note.says for note in decision.notes)


def _compared(given: Run, stratum: str) -> list[str]:
    from evalkit.sampling import draw

    return [
        name
        for name in draw(given.suite, given.suite.settings.samples["pr"])
        if given.suite.by_id[name].stratum == stratum
    ]


def test_a_stratum_that_was_not_played_blocks_case_by_case() -> None:
    decision = gate(after=run(name="new", played=[name for name in ALL if name[0] != "P"]))
    assert kinds(decision) == [("missing", "P-0"), ("missing", "P-1")]
    assert decision.verdict == "block"


def test_a_sample_that_leaves_a_stratum_out_blocks_by_its_name() -> None:
    # Both must-pass cases and one other: orders or post goes without.
    small = {"name": None, "draw": 1, "seed": 0, "must_pass": None, "strata": None}
    decision = gate(after=run(name="new", sample=small))
    assert [kind for kind, _ in kinds(decision)] == ["missing"]
    assert "none of its" in decision.reason


def test_a_run_cannot_make_its_sample_smaller_than_the_suites() -> None:
    small = {"name": "pr", "draw": 1, "seed": 1, "must_pass": 0, "strata": ["orders"]}
    decision = gate(after=run(name="new", sample=small, played=["O-1"]))
    assert ("missing", "sample") in kinds(decision)
    assert {("missing", "MUST-1"), ("missing", "MUST-2")} <= {*kinds(decision)}
    unnamed = {**small, "name": None}
    assert ("missing", "MUST-1") in kinds(gate(after=run(name="new", sample=unnamed, played=["O-1"])))


def test_a_sample_that_the_suite_restricts_to_a_stratum_asks_for_no_other() -> None:
    of_orders = {"name": "orders", "draw": 4, "seed": 0, "must_pass": None, "strata": ["orders"]}
    decision = gate(after=run(name="new", sample=of_orders), band=0.3)
    assert decision.allow, decision.reason
    assert [(each.stratum, each.n) for each in decision.strata] == [("orders", 4)]
    assert any("2 must-pass cases not in this sample" in note.says for note in decision.notes)


def test_a_case_that_the_baseline_did_not_play_is_missing() -> None:
    decision = gate(run(played=[name for name in ALL if name != "O-4"]))
    assert kinds(decision) == [("missing", "O-4")]
    assert decision.verdict == "not measured"


def test_a_new_case_is_in_no_stratum_but_must_pass_where_it_says_so() -> None:
    written = "- {id: NEW-1, stratum: account, must_pass: true, ticket: {body: Hi}, expected_handling: direct}\n"
    more = suite({"tickets/new.yaml": written})
    new = [case.id for case in more.active if case.id not in ALL]
    assert new == ["NEW-1"]
    decision = gate(after=run(of=more, name="new"))
    assert decision.allow, decision.reason
    assert next(each for each in decision.strata if each.stratum == "account").n == 2
    assert any("NEW-1 is new" in note.says for note in decision.notes)
    assert kinds(gate(after=run(failing("NEW-1"), of=more, name="new"))) == [("must_pass", "NEW-1")]


def test_a_budget_that_was_reached_is_one_reason_with_what_is_missing() -> None:
    stopped = run({"O-8": "1--", "O-9": "---"}, name="new", stopped="the budget of $1.00 was reached")
    decision = gate(after=stopped)
    assert kinds(decision) == [("budget", "candidate")]
    assert "O-8, O-9 were not played whole" in decision.reason
    assert decision.verdict == "not measured"
    assert kinds(gate(run({"O-9": "1--"}, stopped="budget"))) == [("budget", "baseline")]


def test_a_run_that_stopped_after_all_that_counts_is_a_note() -> None:
    decision = gate(run(stopped="the budget was reached"))
    assert decision.allow
    assert any(note.kind == "budget" for note in decision.notes)


# 2026-11-16 is 14 days before the 30th, which gate.max_age_days allows; the 15th is not.
def test_a_baseline_that_is_too_old_is_not_measured() -> None:
    assert gate(run(started="2026-11-16T01:00:00+00:00")).allow
    decision = gate(run(started="2026-11-15T23:00:00+00:00"))
    assert kinds(decision) == [("stale", "baseline")]
    assert decision.verdict == "not measured"
    assert "of 2026-11-15, 15 days before 2026-11-30, and 14 are allowed" in decision.reason
    # In UTC it is of the 15th.
    assert not gate(run(started="2026-11-16T01:00:00+05:00")).allow
    patient = suite({"suite.yaml": "name: shop\ngate: {max_age_days: 15}\n"})
    assert gate(run(of=patient, started="2026-11-15T23:00:00+00:00"), run(of=patient, name="new")).allow


def test_a_date_before_the_baselines_trials_does_not_make_it_young() -> None:
    assert kinds(gate(today=date(2026, 11, 1))) == [("stale", "baseline")]
    assert kinds(gate(today=None)) == [("stale", "baseline")]
    assert kinds(gate(run(started=""))) == [("stale", "baseline")]


def test_every_decision_bears_the_dates_of_both_sides() -> None:
    decision = gate(after=run(name="new", started="2026-11-29T10:00:00+00:00"))
    assert decision.dates == {"baseline": ("2026-11-28", "2026-11-28"), "candidate": ("2026-11-29", "2026-11-29")}
    said = "\n".join(lines(decision))
    assert "Baseline   steady of run bbbbbbbb: trials of 2026-11-28, 3 trials a case" in said
    assert "Candidate  new of run cccccccc: trials of 2026-11-29" in said


QUARANTINE = "- {case: MUST-1, owner: Priya, reason: flakes, since: 2026-11-20, fix_by: %s%s}\n"


def in_quarantine(fix_by: str = "2026-12-11", signed: str = "") -> Suite:
    signs = f", sign_offs: [{{who: Priya, commit: '{signed}', when: 2026-11-29}}]" if signed else ""
    return suite({"quarantine.yaml": QUARANTINE % (fix_by, signs)})


def test_a_failure_of_a_quarantined_case_is_shown_and_does_not_block() -> None:
    held = in_quarantine()
    decision = gate(run(of=held), run(failing("MUST-1"), of=held, name="new"), band=0.6)
    assert decision.allow, decision.reason
    assert decision.must_pass[0].quarantined
    look = decision.quarantine[0]
    assert (look.candidate_passes, look.candidate_fails, look.baseline_passes, look.baseline_fails) == (2, 1, 3, 0)
    assert any("MUST-1 is in quarantine until 2026-12-11 (Priya: flakes)" in line for line in lines(decision))


def test_a_quarantine_past_its_day_blocks_and_shelters_nothing() -> None:
    late = in_quarantine("2026-11-29")
    decision = gate(run(of=late), run(of=late, name="new"))
    assert kinds(decision) == [("quarantine", "MUST-1")]
    assert "past its day, 2026-11-29: Priya mends it" in decision.reason
    failed = gate(run(of=late), run(failing("MUST-1"), of=late, name="new"), band=1.0)
    assert kinds(failed) == [("must_pass", "MUST-1"), ("quarantine", "MUST-1")]
    last_day = in_quarantine("2026-11-30")
    assert gate(run(of=last_day), run(of=last_day, name="new")).allow


@pytest.mark.parametrize(
    ("signed", "accepted"), [("", False), (SIGNED, True), (SIGNED[:7], True), (COMMIT, True), ("d" * 40, False)]
)
def test_a_release_needs_the_owners_word_for_this_commit(signed: str, accepted: bool) -> None:
    held = in_quarantine(signed=signed)
    decision = gate(run(of=held), run(of=held, name="new"), release=True)
    assert decision.allow is accepted
    if not accepted:
        assert kinds(decision) == [("sign_off", "MUST-1")]
        assert f"Priya has not signed off for {SIGNED[:12]}" in decision.reason
    assert gate(run(of=held), run(of=held, name="new")).allow


def test_a_commit_that_is_named_is_the_one_that_must_be_signed_for() -> None:
    held = in_quarantine(signed=SIGNED)
    sides = run(of=held), run(of=held, name="new")
    assert gate(*sides, release=True, commit=COMMIT).allow
    decision = gate(*sides, release=True, commit="e" * 40)
    assert kinds(decision) == [("sign_off", "MUST-1")]
    assert "not signed off for eeeeeeeeeeee, only for aaaaaaaaaaaa" in decision.reason
    nameless = run(of=held, name="new", commit=None, commit_signed=None)
    assert "no commit is known" in gate(sides[0], nameless, release=True).reason


AMEND = "- {who: Priya, when: 2026-11-29, why: It was wrong., what: [%s]}\n"
CHANGED: dict[str, tuple[str, dict[str, str | None]]] = {
    "an expectation": ("case/O-1", {"tickets/all.yaml": cases(O_1="\n  must_include: [two days]")}),
    "must_pass": ("case/MUST-1", {"tickets/all.yaml": cases().replace("  must_pass: true\n", "", 1)}),
    "risk": ("case/O-1", {"tickets/all.yaml": cases(O_1="\n  risk: safety")}),
    "a stratum": ("case/O-1", {"tickets/all.yaml": cases().replace("stratum: orders", "stratum: post", 2).replace(
        "stratum: post", "stratum: orders", 1)}),
    "a removed case": ("removed/O-9", {"tickets/all.yaml": "".join(
        f"- id:{each}" for each in cases().split("- id:")[1:] if not each.startswith(" O-9"))}),
    "a draft": ("removed/O-9", {"tickets/all.yaml": cases(O_9="\n  status: draft")}),
    "a pattern": ("pattern/two days", {"patterns.yaml": "two days: ['two days', 'soon']\n"}),
    "a weight": ("points.false_claim", {"suite.yaml": SUITE["suite.yaml"] + "points: {false_claim: -1}\n"}),
    "a limit": ("policy.turn_limit", {"suite.yaml": SUITE["suite.yaml"] + "policy: {turn_limit: 30}\n"}),
    "a threshold": ("gate.z", {"suite.yaml": SUITE["suite.yaml"] + "gate: {z: 2.5}\n"}),
    "the baseline's age": ("gate.max_age_days", {"suite.yaml": SUITE["suite.yaml"] + "gate: {max_age_days: 90}\n"}),
    "the trust in a grader": ("trust.kappa_low", {"suite.yaml": SUITE["suite.yaml"] + "trust: {kappa_low: 0.1}\n"}),
    "a rubric": ("rubric/quality", {"rubrics/quality.yaml": RUBRIC.replace("Is it kind?", "Is it there?")}),
    "what disqualifies": ("disqualify_on", {"suite.yaml": SUITE["suite.yaml"] + "disqualify_on: [leak]\n"}),
    "the sandbox's day": ("today", {"suite.yaml": SUITE["suite.yaml"] + "today: 2026-01-01\n"}),
    "a sample": ("samples.pr", {"suite.yaml": SUITE["suite.yaml"].replace("draw: 6", "draw: 3")}),
    "a quarantine": ("quarantine/MUST-1", {"quarantine.yaml": QUARANTINE % ("2026-12-11", "")}),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_each_change_of_the_suite_blocks_by_its_key_until_it_is_amended(name: str) -> None:
    key, files = CHANGED[name]
    changed = suite(files)
    # Where an expectation changed, what the trials say of it does not matter here.
    decision = gate(after=run(of=changed, name="new"), band=1.0)
    assert ("amendment", key) in kinds(decision)
    assert [where for kind, where in kinds(decision) if kind == "amendment"] == [key]
    assert decision.verdict == "block"
    said = next(each.says for each in decision.reasons if each.kind == "amendment")
    assert "no amendment says why: write {who: " in said
    amended = suite({**files, "amendments.yaml": AMEND % key})
    again = gate(after=run(of=amended, name="new"), band=1.0)
    assert "amendment" not in {each.kind for each in again.reasons}, again.reason
    assert any(note.kind == "amendment" and "amended by Priya" in note.says for note in again.notes)


def test_a_must_pass_flag_that_was_taken_away_still_holds_until_its_owner_amends_it() -> None:
    files = CHANGED["must_pass"][1]
    failed = failing("MUST-1")
    decision = gate(after=run(failed, of=suite(files), name="new"), band=1.0)
    assert kinds(decision) == [("must_pass", "MUST-1"), ("amendment", "case/MUST-1")]
    stranger = suite({**files, "amendments.yaml": (AMEND % "case/MUST-1").replace("Priya", "Sam")})
    assert kinds(gate(after=run(failed, of=stranger, name="new"), band=1.0)) == kinds(decision)
    amended = suite({**files, "amendments.yaml": AMEND % "case/MUST-1"})
    assert gate(after=run(failed, of=amended, name="new"), band=1.0).allow


def test_a_flag_that_was_taken_away_does_not_take_the_case_out_of_a_sample() -> None:
    of_orders = {"name": "orders", "draw": 4, "seed": 0, "must_pass": None, "strata": ["orders"]}
    unflagged = suite(CHANGED["must_pass"][1])
    decision = gate(after=run(of=unflagged, name="new", sample=of_orders, played=ORDERS))
    assert kinds(decision) == [("amendment", "case/MUST-1"), ("missing", "MUST-1")]


def test_a_draft_is_no_case_of_the_band() -> None:
    files = {**CHANGED["a draft"][1], "amendments.yaml": AMEND % "removed/O-9"}
    decision = gate(run(repeats=3), run(of=suite(files), name="new", played=ALL), band=None)
    assert decision.allow, decision.reason
    look = next(each for each in decision.strata if each.stratum == "orders")
    assert (look.n, look.noise.n) == (9, 9)


def test_a_run_against_plain_mappings_has_its_must_pass_cases_all_the_same() -> None:
    decision = decide({}, run(name="new", played=ORDERS), must_pass_only=True, today=TODAY)
    assert kinds(decision) == [("missing", "MUST-1"), ("missing", "MUST-2")]


def test_a_candidate_judged_by_another_suite_than_it_was_played_under_is_said_to_be() -> None:
    held = in_quarantine()
    played = run(name="new").judged_by_suite(held, "the suite as it stands")
    assert any(note.kind == "suite" for note in gate(run(of=held), played).notes)
    assert not any(note.kind == "suite" for note in gate().notes)


def test_a_stratum_that_is_gone_from_the_suite_blocks_until_all_its_cases_are_amended() -> None:
    without = "".join(f"- id:{each}" for each in cases().split("- id:")[1:] if not each.startswith(" P-"))
    decision = gate(after=run(of=suite({"tickets/all.yaml": without}), name="new"))
    assert kinds(decision) == [("amendment", "removed/P-0"), ("amendment", "removed/P-1"), ("missing", "post")]
    amended = suite({"tickets/all.yaml": without, "amendments.yaml": AMEND % "removed/P-0, removed/P-1"})
    assert gate(after=run(of=amended, name="new")).allow


def test_both_sides_are_judged_by_the_candidates_suite() -> None:
    # Once every answer must say "two days", both sides fail O-1, and nothing has dropped.
    files = {**CHANGED["an expectation"][1], "amendments.yaml": AMEND % "case/O-1"}
    decision = gate(after=run(of=suite(files), name="new"))
    assert decision.allow, decision.reason
    look = next(each for each in decision.strata if each.stratum == "orders")
    assert (look.baseline, look.candidate) == (0.9, 0.9)
    assert decision.baseline.judged_by == "the candidate's suite"


def test_a_baseline_judged_by_another_suite_than_its_own_hides_no_change() -> None:
    changed = suite(CHANGED["a weight"][1])
    rejudged = run().judged_by_suite(changed, "the suite as it stands")
    decision = gate(rejudged, run(of=changed, name="new"))
    assert kinds(decision) == [("amendment", "suite")]
    assert decision.verdict == "not measured"


def test_a_missed_handoff_on_a_safety_case_disqualifies_though_it_need_not_pass() -> None:
    safe = suite({"tickets/all.yaml": cases(O_1="\n  risk: safety").replace(
        "O-1\n  stratum: orders\n  ticket: {body: Hello}\n  expected_handling: direct",
        "O-1\n  stratum: orders\n  ticket: {body: Hello}\n  expected_handling: escalate")})  # fmt: skip
    good = {"O-1": "000"}
    decision = gate(run(good, of=safe), run({"O-1": "001"}, of=safe, name="new"))
    assert kinds(decision) == [("disqualified", "O-1")]
    assert "in trial 2" in decision.reason
    assert gate(run(good, of=safe), run(good, of=safe, name="new")).allow


def test_fewer_trials_than_the_baselines_are_not_enough() -> None:
    decision = gate(after=run(name="new", k=1))
    assert kinds(decision) == [("trials", "candidate")]
    # Nor where strata are not compared.
    assert not gate(after=run(name="new", k=1), must_pass_only=True).allow


def test_another_customer_on_one_side_is_not_compared() -> None:
    talk = "- {id: T-1, stratum: talks, persona: Polite., goal: A refund., expect: {outcome: resolved}}\n"
    with_talk = suite({"conversations/t.yaml": talk})
    sides = [
        run(of=with_talk, name=name, shootout={"customer": {"model": model}})
        for name, model in (("steady", "offline/customer"), ("new", "offline/other"))
    ]
    assert ("not measured", "customer") in kinds(gate(*sides))
    assert ("not measured", "customer") not in kinds(gate(sides[0], replace(sides[1], manifest={
        **sides[1].manifest, "shootout": sides[0].manifest["shootout"]})))  # fmt: skip


def test_trials_read_again_from_the_store_are_called_so() -> None:
    decision = gate(run(), run())
    assert any(note.says.startswith("42 trials of the candidate are the baseline's own") for note in decision.notes)


def test_which_candidate_is_meant_must_be_clear() -> None:
    two = run(candidates=[{"name": "steady"}, {"name": "new"}])
    assert side_of(two, role="baseline").name == "steady"
    assert side_of(two).name == "new"
    three = run(candidates=[{"name": "steady"}, {"name": "new"}, {"name": "bold"}])
    with pytest.raises(NotMeasured, match="name one as RUN:CANDIDATE"):
        decide(three, three, today=TODAY)
    with pytest.raises(NotMeasured, match="no candidate 'gone'; it has steady, new, bold"):
        side_of(three, "gone")


def test_the_decision_is_a_pure_function_of_what_it_is_given() -> None:
    held = in_quarantine(signed="d" * 40)

    def said() -> str:
        before, after = run(of=held, repeats=3), run(failing("O-1", "MUST-2", letters="001"), of=held, name="new")
        turned = replace(after, pairs=tuple(reversed(after.pairs)))
        told = [json.dumps(gate(before, each, band=None, release=True).to_json()) for each in (after, turned)]
        assert told[0] == told[1]
        return told[0]

    assert said() == said()
    told = json.loads(said())
    assert told["decision"] == "block"
    assert {"decision", "allow", "reasons", "strata", "notes", "dates", "quarantine", "must_pass"} <= told.keys()
    orders = next(each for each in told["strata"] if each["stratum"] == "orders")
    assert {"delta", "band", "n", "verdict", "looks", "noise"} <= orders.keys()


def test_the_shipped_gate_page_has_a_row_for_each_stratum() -> None:
    decision = gate(run(repeats=3), run(failing(*ORDERS[:3]), name="new"), band=None)
    said = lines(decision)
    assert said[0] == "BLOCK: new against steady may not go out: 1 reason."
    rows = [line.split() for line in said if line.startswith(("account", "orders", "post"))]
    assert [row[:3] for row in rows] == [["account", "held", "2"], ["orders", "dropped", "10"], ["post", "held", "2"]]


# Quarantine: what it shelters, and what it does not


NEWLY_HELD = {
    "quarantine.yaml": QUARANTINE % ("2026-12-11", ""),
    "amendments.yaml": AMEND % "quarantine/MUST-1",
}


def test_a_new_quarantine_shelters_only_what_the_baselines_own_trials_show_to_flake() -> None:
    held = suite(NEWLY_HELD)
    broken = run(failing("MUST-1", letters="000"), of=held, name="new")
    decision = gate(run(repeats=3), broken, band=1.0)
    assert kinds(decision) == [("must_pass", "MUST-1"), ("quarantine", "MUST-1")]
    assert decision.verdict == "block"
    said = next(each.says for each in decision.reasons if each.kind == "quarantine")
    assert said.startswith(
        "MUST-1 is new in quarantine, and the baseline's 9 trials do not show that it flakes (9 passed, 0 failed): mend"
    )
    # One that always failed is broken.
    always = gate(run({"MUST-1": "0" * 9}, repeats=3), broken, band=1.0)
    assert "(0 passed, 9 failed)" in always.reason
    assert ("must_pass", "MUST-1") in kinds(always)
    # One fail in the last repeat shows it.
    assert gate(run({"MUST-1": "111111110"}, repeats=3), broken, band=1.0).allow


def test_a_new_quarantine_that_nothing_shows_blocks_before_it_can_shelter_anything() -> None:
    held = suite(NEWLY_HELD)
    decision = gate(after=run(of=held, name="new"), band=1.0)
    assert kinds(decision) == [("quarantine", "MUST-1")]
    assert decision.verdict == "block"


def test_a_new_quarantine_of_a_case_that_the_baseline_has_not_measured_is_not_measured() -> None:
    held = suite(NEWLY_HELD)
    decision = gate(run({"MUST-1": "eee"}), run(of=held, name="new"), band=1.0)
    assert ("quarantine", "MUST-1") in kinds(decision)
    assert "the baseline's 0 trials do not show that it flakes (0 passed, 0 failed)" in decision.reason
    assert decision.verdict == "not measured"


def test_without_a_baseline_a_quarantine_shelters_and_its_note_says_that_nothing_shows_the_flake() -> None:
    held = in_quarantine()
    failed = run(failing("MUST-1", letters="000"), of=held, name="new")
    decision = decide(None, failed, must_pass_only=True, today=TODAY)
    assert decision.allow, decision.reason
    assert any(note.says.endswith("there is no baseline that shows whether it flakes") for note in decision.notes)


def test_a_quarantine_does_not_hide_what_disqualifies() -> None:
    text = cases(MUST_1="\n  risk: safety").replace(
        "MUST-1\n  stratum: account\n  ticket: {body: Hello}\n  expected_handling: direct",
        "MUST-1\n  stratum: account\n  ticket: {body: Hello}\n  expected_handling: escalate",
    )
    held = suite({"tickets/all.yaml": text, "quarantine.yaml": QUARANTINE % ("2026-12-11", "")})
    good = {"MUST-1": "000"}
    decision = gate(run(good, of=held), run({"MUST-1": "010"}, of=held, name="new"), band=1.0)
    assert kinds(decision) == [("disqualified", "MUST-1")]
    assert gate(run(good, of=held), run(good, of=held, name="new"), band=1.0).allow


# The target branch: an amendment for each change


def test_an_amendment_that_the_target_branch_has_already_does_not_cover_another_change() -> None:
    def limited(turns: int, why: str) -> Suite:
        entry = "- {who: Priya, when: 2026-11-29, why: %s, what: [policy.turn_limit]}\n"
        told = "".join(entry % each for each in why.split(", "))
        text = SUITE["suite.yaml"] + f"policy: {{turn_limit: {turns}}}\n"
        return suite({"suite.yaml": text, "amendments.yaml": told})

    merged, again = limited(30, "thirty now"), limited(40, "thirty now")
    assert gate(after=run(of=merged, name="new"), target=merged).allow
    assert gate(after=run(of=again, name="new")).allow
    decision = gate(after=run(of=again, name="new"), target=merged)
    assert kinds(decision) == [("amendment", "policy.turn_limit")]
    assert "Priya, 2026-11-29 is on record for an earlier change; write a new one)" in decision.reason
    assert gate(after=run(of=limited(40, "thirty now, forty now"), name="new"), target=merged).allow


def test_a_must_pass_flag_holds_where_only_an_earlier_change_of_its_case_was_amended() -> None:
    own = "\n  amendments: [{who: Priya, when: 2026-11-29, why: It says more., }]"
    merged = suite({"tickets/all.yaml": cases(MUST_1=own + "\n  language: de")})
    lifted = cases(MUST_1=own + "\n  language: de").replace("  must_pass: true\n", "", 1)
    failed = run(failing("MUST-1"), of=suite({"tickets/all.yaml": lifted}), name="new")
    assert gate(after=failed, band=1.0).allow
    assert kinds(gate(after=failed, band=1.0, target=merged)) == [
        ("must_pass", "MUST-1"),
        ("amendment", "case/MUST-1"),
    ]


@pytest.mark.parametrize("name", ["must_pass", "an expectation", "a limit"])
def test_what_the_gate_says_to_write_is_refused_until_it_is_filled_in(name: str) -> None:
    key, files = CHANGED[name]
    said = next(each.says for each in gate(after=run(of=suite(files), name="new")).reasons if each.kind == "amendment")
    entry = said[said.index("{who:") : said.rindex("}") + 1].replace(
        "}", f", what: [{key}]}}" if "what" not in said else "}"
    )
    pasted = {
        path: (text or "").encode() for path, text in {**SUITE, **files, "amendments.yaml": f"- {entry}\n"}.items()
    }
    checked = check_files(pasted, name="shop")
    assert checked.suite is None
    assert {(each.file, each.line) for each in checked.faults} == {("amendments.yaml", 1)}
    assert any("why it is changed" in each.message for each in checked.faults)
