"""The gate against samples and new cases of one's own choice, and trials that tell nothing."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from test_gate import ALL, SUITE, gate, kinds, run, suite

from evalkit.gate import decide, needs_rerun, side_of
from evalkit.sampling import draw
from evalkit.settings import Sample

PR = {"name": "pr", "draw": 6, "seed": 1, "must_pass": None, "strata": None}


def flood(stratum: str, number: int) -> str:
    """So many new cases of a stratum."""
    return "".join(
        f"- {{id: N-{i}, stratum: {stratum}, ticket: {{body: Hi {i}}}, expected_handling: direct}}\n"
        for i in range(number)
    )


def test_new_cases_do_not_push_the_old_ones_out_of_a_sample() -> None:
    more = suite({"tickets/new.yaml": flood("orders", 40)})
    chosen = list(draw(more, Sample(draw=6, seed=1)))
    assert any(name.startswith("N-") for name in chosen)
    pushed = gate(after=run(of=more, name="new", played=chosen, sample=PR))
    assert not pushed.allow
    assert {where for kind, where in kinds(pushed) if kind == "missing"} & {*ALL}
    # Drawn beside the baseline's suite, the old ones keep their places, and the new ones come on top.
    beside = list(draw(more, Sample(draw=6, seed=1), suite().by_id))
    decision = gate(after=run(of=more, name="new", played=beside, sample=PR))
    assert decision.allow, decision.reason
    compared = {each.stratum: each.n for each in decision.strata}
    assert compared == {each.stratum: each.n for each in gate(after=run(name="new", played=_plain(), sample=PR)).strata}


def _plain() -> list[str]:
    return list(draw(suite(), Sample(draw=6, seed=1)))


def test_a_stratum_that_the_baseline_holds_is_never_called_new() -> None:
    old_post = [name for name in ALL if name[0] != "P"]
    more = suite({"tickets/all.yaml": SUITE["tickets/all.yaml"], "tickets/new.yaml": flood("post", 3)})
    decision = gate(run(played=old_post), run(of=more, name="new", played=[*old_post, "N-0", "N-1", "N-2"]))
    assert {each.stratum: each.verdict for each in decision.strata}["post"] == "not measured"
    assert not decision.allow


@pytest.mark.parametrize("key", ["seed", "draw"])
def test_a_named_sample_is_the_suites_own_with_its_seed(key: str) -> None:
    played = run(name="new", sample={**PR, key: 5}, played=_plain())
    assert ("missing", "sample") in kinds(gate(after=played))


def test_a_sample_that_is_new_in_the_suite_needs_an_amendment() -> None:
    text = SUITE["suite.yaml"].replace("pr: {draw: 6, seed: 1}", "pr: {draw: 6, seed: 1}, tiny: {draw: 1}")
    assert kinds(gate(after=run(of=suite({"suite.yaml": text}), name="new"))) == [("amendment", "samples.tiny")]


def test_a_sample_by_number_says_who_chose_its_seed() -> None:
    by_number = {"name": None, "draw": 6, "seed": 1, "must_pass": None, "strata": None}
    decision = gate(after=run(name="new", sample=by_number, played=_plain()))
    assert any("6 drawn by seed 1, which who ran it chose" in note.says for note in decision.notes)


def test_a_release_needs_the_whole_suite() -> None:
    played = run(name="new", sample=PR, played=_plain())
    assert gate(after=played).allow
    assert kinds(gate(after=played, release=True)) == [("missing", "sample")]


def test_an_outage_in_a_new_case_is_an_outage() -> None:
    more = suite({"tickets/new.yaml": flood("orders", 1)})
    decision = gate(after=run({"N-0": "ee1"}, of=more, name="new"))
    assert (kinds(decision), decision.verdict) == ([("not measured", "N-0")], "not measured")


def test_a_safety_case_that_does_not_show_its_route_clears_nobody() -> None:
    side = side_of(run(name="new"))
    blocks = side.cases["O-1"].blocks
    unclear = tuple(replace(each, unclear="the source does not tell its route") for each in blocks[0])
    cases = {**side.cases, "O-1": replace(side.cases["O-1"], blocks={0: unclear})}
    decision = gate(after=replace(side, cases=cases))
    assert (kinds(decision), decision.verdict) == ([("not measured", "O-1")], "not measured")
    assert "O-1 does not clear the candidate (trial 0: the source does not tell its route)" in decision.reason


def test_a_second_look_that_was_cut_short_is_to_be_finished() -> None:
    worse = {f"O-{i}": "000000" for i in range(5)}
    cut = dict.fromkeys(worse, "0001--")
    begun = run({**cut, **{f"O-{i}": "111111" for i in range(5, 10)}}, name="new", reruns={"new": {"orders": 1}})
    assert needs_rerun(gate(after=begun)) == ("orders",)
    assert "the same `evalkit gate --rerun` plays it again" in gate(after=begun).reason
    whole = run({**worse, **{f"O-{i}": "111111" for i in range(5, 10)}}, name="new", reruns={"new": {"orders": 1}})
    assert needs_rerun(gate(after=whole)) == ()


def test_a_case_of_a_mapping_that_stands_in_another_stratum_by_now_is_compared_there() -> None:
    def case(name: str, stratum: str, runs: int) -> SimpleNamespace:
        return SimpleNamespace(id=name, stratum=stratum, must_pass=False, runs=[True] * runs)

    before = {f"c{i}": case(f"c{i}", "a" if i < 9 else "b", 9) for i in range(10)}
    after = {f"c{i}": case(f"c{i}", "b" if i in (0, 1, 9) else "a", 3) for i in range(10)}
    decision = decide(side_of(before, role="baseline", k=3), after)
    assert {each.stratum: each.n for each in decision.strata} == {"a": 7, "b": 3}
