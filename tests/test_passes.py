"""Passes over a suite: the baseline's repeats, samples, and a gate's second look."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import evalkit
from evalkit.bands import repeats_of
from evalkit.errors import CaseError, ShootoutError
from evalkit.loading import load_suite
from evalkit.plan import Selection, plan
from evalkit.rerun import outdated, rerun
from evalkit.sampling import draw
from evalkit.settings import Sample
from evalkit.store import Store

SHOOTOUT = """
    name: small
    trials: 2
    baseline: steady
    candidates:
      - {name: steady, model: offline/agent, prompt: desk.md, knowledge: {top: 2}, temperature: 0.3,
         price: {input: 1.0, output: 2.0}}
      - {name: bold, model: offline/agent, prompt: desk.md, knowledge: {top: 1}, params: {escalate_at: 2.0}}
"""
# Two strata of eight cases, of which one each must pass.
MANY = "\n".join(
    f"- {{id: {stratum}-{i}, stratum: {stratum}, must_pass: {str(i == 0).lower()}, expected_handling: direct, "
    f"ticket: {{body: When is parcel {i} of {stratum} delivered}}}}"
    for stratum in ("orders", "account")
    for i in range(8)
)


def shop(write, **changes) -> Path:
    return write({"shootouts/small.yaml": SHOOTOUT, **changes}) / "shootouts/small.yaml"


def test_repeats_are_passes_of_the_baseline_alone_after_the_shootout(write) -> None:
    planned = plan(shop(write), Selection(repeats=3))
    first, second, third = planned.passes
    assert {slot.candidate for slot in first} == {"steady", "bold"}
    assert [{slot.number for slot in each} for each in planned.passes] == [{0, 1}, {2, 3}, {4, 5}]
    assert {slot.candidate for slot in (*second, *third)} == {"steady"}
    assert planned.manifest()["repeats"] == 3


def test_the_shootouts_pages_read_the_first_pass_and_the_rest_stands_apart(write) -> None:
    run = evalkit.run(shop(write), repeats=3, quiet=True)
    # 2 candidates × 3 cases × 2 trials; 3 cases × 2 trials × 2 further passes.
    assert run.judged.height == len(run.pairs) == 12
    assert len(run.later) == 12
    blocks = run.blocks("steady")
    assert {block: len(readings) for block, readings in blocks.items()} == {0: 6, 1: 6, 2: 6}
    assert all(reading.judgement.passed is not None for readings in blocks.values() for reading in readings)
    assert run.blocks("bold").keys() == {0}


def test_a_pass_is_over_before_the_next_one_begins(write) -> None:
    run = evalkit.run(shop(write), repeats=4, quiet=True, concurrency=8)
    times = [
        sorted(reading.trial.started for reading in readings) for _, readings in sorted(run.blocks("steady").items())
    ]
    assert all(before[-1] <= after[0] for before, after in itertools.pairwise(times))


def test_repeats_need_a_baseline_that_plays(write) -> None:
    path = shop(write)
    with pytest.raises(ShootoutError, match="steady is not among the candidates asked for"):
        plan(path, Selection(candidates=("bold",), repeats=2))
    assert plan(path, Selection(candidates=("bold",))).repeats == 1
    bare = write({"shootouts/small.yaml": SHOOTOUT.replace("baseline: steady", "repeats: 2")}, folder="bare")
    with pytest.raises(ShootoutError, match="write `baseline: NAME`"):
        plan(bare / "shootouts/small.yaml")


def test_an_archive_holds_the_repeats(write, tmp_path) -> None:
    run = evalkit.run(shop(write), repeats=2, quiet=True)
    folder = tmp_path / "archive"
    folder.mkdir()
    run.archive(folder)
    again = evalkit.load_run(folder)
    assert (again.pairs, again.later) == (run.pairs, run.later)


def test_a_sample_holds_all_must_pass_cases_and_an_even_draw_of_the_rest(write) -> None:
    suite = load_suite(write({"tickets/many.yaml": MANY}))
    ids = draw(suite, Sample(draw=6, seed=3))
    strata = [suite.by_id[name].stratum for name in ids if not suite.by_id[name].must_pass]
    assert {"orders-0", "account-0"} <= {*ids}
    # ORD-1 and ORD-2 of the small suite are orders, too: three of either stratum.
    assert (strata.count("orders"), strata.count("account")) == (3, 3)
    assert draw(suite, Sample(draw=6, seed=3)) == ids
    assert draw(suite, Sample(draw=6, seed=4)) != ids


def test_beside_an_earlier_suite_new_cases_come_on_top_of_a_sample(write) -> None:
    old = load_suite(write({"tickets/many.yaml": MANY}))
    flood = "\n".join(
        f"- {{id: new-{i}, stratum: orders, expected_handling: direct, ticket: {{body: A new question {i}}}}}"
        for i in range(20)
    )
    new = load_suite(write({"tickets/many.yaml": MANY, "tickets/new.yaml": flood}, folder="more"))
    drawn = draw(new, Sample(draw=6), old.by_id)
    assert {*drawn} == {*draw(old, Sample(draw=6)), *(f"new-{i}" for i in range(20))}


@pytest.mark.parametrize("added", range(12))
def test_a_new_case_takes_at_most_one_place_of_a_sample(write, added) -> None:
    new = f"- {{id: new-{added}, stratum: orders, expected_handling: direct, ticket: {{body: A new question}}}}"
    before = draw(load_suite(write({"tickets/many.yaml": MANY})), Sample(draw=6))
    after = draw(load_suite(write({"tickets/many.yaml": MANY, "tickets/new.yaml": new}, folder="more")), Sample(draw=6))
    assert len({*before} - {*after}) <= 1
    assert {*after} - {*before} <= {f"new-{added}"}


def test_a_sample_of_some_must_pass_cases_in_some_strata(write) -> None:
    suite = load_suite(write({"tickets/many.yaml": MANY}))
    assert draw(suite, Sample(must_pass=1, strata=("orders",))) == ("orders-0",)
    assert draw(suite, Sample(must_pass=0)) == ()
    with pytest.raises(CaseError, match="strata that the suite does not hold: shipping"):
        draw(suite, Sample(strata=("shipping",)))


def test_a_sample_is_asked_for_by_number_or_by_the_name_that_the_suite_gives_it(write) -> None:
    settings = "name: corner-shop\nstrata: [orders, account]\nsamples: {pr: {draw: 4, seed: 9}}"
    path = shop(write, **{"tickets/many.yaml": MANY, "suite.yaml": settings})
    named, counted = plan(path, Selection(sample="pr")), plan(path, Selection(sample="4", seed=9))
    assert len(named.cases) == 6
    assert named.cases == counted.cases
    assert named.manifest()["sample"] == {"name": "pr", "draw": 4, "seed": 9, "must_pass": None, "strata": None}
    with pytest.raises(ShootoutError, match=r"no sample .nightly. in suite"):
        plan(path, Selection(sample="nightly"))
    with pytest.raises(ShootoutError, match="a seed is a sample's"):
        plan(path, Selection(seed=9))


def test_a_rerun_plays_the_next_block_and_leaves_the_run_as_it_was(write) -> None:
    path = shop(write)
    run = evalkit.run(path, repeats=2, quiet=True)
    played = rerun(run.id, "bold", ["orders"], quiet=True)
    again = evalkit.load_run(run.id)
    assert (played.run, sum(played.slots.values()), played.calls) == (run.id, 4, 4)
    assert again.pairs == run.pairs
    assert again.manifest["reruns"] == {"bold": {"orders": 1}}
    assert {(each.slot.case, each.slot.number) for each in again.blocks("bold")[1]} == {
        (case, number) for case in ("ORD-1", "ORD-2") for number in (2, 3)
    }
    # The baseline's second block is there already, as a repeat: a look that nobody chose by how it went.
    assert rerun(run.id, "steady", ["account"], quiet=True).calls == 0
    assert evalkit.load_run(run.id).manifest["reruns"]["steady"] == {"account": 1}
    assert {*repeats_of(evalkit.load_run(run.id), "steady")} == {0, 1}
    # The same command on the same files is still the same run, and plays nothing.
    assert evalkit.run(path, repeats=2, quiet=True).later == evalkit.load_run(run.id).later


def test_a_second_look_is_the_same_one_in_every_run_of_the_same_trials(write) -> None:
    # Else a blocked change would need a new comment in a file, and another rerun, until luck is kind.
    path = shop(write)
    first = evalkit.run(path, quiet=True)
    assert rerun(first.id, "bold", ["orders"], quiet=True).calls == 4
    (path.parents[1] / "suite.yaml").write_text("# another\nname: corner-shop\nstrata: [orders, account]\n")
    second = evalkit.run(path, quiet=True)
    assert second.id != first.id
    assert rerun(second.id, "bold", ["orders"], quiet=True).calls == 0
    looks = [[each.trial for each in evalkit.load_run(run.id).blocks("bold")[1]] for run in (first, second)]
    assert looks[0] == looks[1]


def test_playing_a_run_afresh_forgets_its_second_looks(write) -> None:
    path = shop(write)
    run = evalkit.run(path, quiet=True)
    rerun(run.id, "bold", ["orders"], quiet=True)
    assert "reruns" not in evalkit.run(path, quiet=True, fresh=True).manifest


def test_a_run_whose_files_have_changed_is_said_to_be_outdated(write) -> None:
    path = shop(write)
    run = evalkit.run(path, quiet=True)
    assert outdated(evalkit.load_run(run.id), "bold") == ""
    (path.parents[1] / "prompts/desk.md").write_text("Answer. Begin with ROUTE: direct or ROUTE: escalate.\n")
    assert "is not what its files would play now" in outdated(evalkit.load_run(run.id), "bold")
    assert outdated(evalkit.load_run(run.id, suite_of_run=run.id), "bold") == ""


def test_a_rerun_that_was_killed_is_gone_on_with(write) -> None:
    run = evalkit.run(shop(write), quiet=True)
    rerun(run.id, "bold", ["orders"], quiet=True)
    with Store() as store:
        place = store._execute("SELECT max(place) FROM slots WHERE run = ?", (run.id,)).fetchone()[0]
        lost = store._execute("SELECT trial FROM slots WHERE run = ? AND place = ?", (run.id, place)).fetchone()[0]
        store._execute("UPDATE slots SET trial = NULL WHERE run = ? AND place = ?", (run.id, place))
        store._execute("DELETE FROM trials WHERE id = ?", (lost,))
    played = rerun(run.id, "bold", ["orders"], quiet=True)
    assert played.calls == 1
    assert evalkit.load_run(run.id).manifest["reruns"] == {"bold": {"orders": 1}}


def test_what_has_changed_since_is_not_played_anew(write) -> None:
    path = shop(write)
    run = evalkit.run(path, quiet=True)
    (path.parents[1] / "prompts/desk.md").write_text("Answer. Begin with ROUTE: direct or ROUTE: escalate.\n")
    with pytest.raises(ShootoutError, match="what its trials are made of has changed since"):
        rerun(run.id, "bold", ["orders"], quiet=True)


def test_a_stratum_that_the_run_does_not_hold_is_not_played_anew(write) -> None:
    run = evalkit.run(shop(write), quiet=True)
    with pytest.raises(ShootoutError, match="no case of stratum 'shipping'"):
        rerun(run.id, "bold", ["shipping"], quiet=True)


def test_a_manifest_of_a_run_with_reruns_is_plain_json(write) -> None:
    run = evalkit.run(shop(write), quiet=True)
    rerun(run.id, "bold", ["orders"], quiet=True)
    with Store() as store:
        assert json.loads(json.dumps(store.manifest(run.id)))["reruns"] == {"bold": {"orders": 1}}
