"""Playing: each slot once, whatever interrupts it, and nothing twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import evalkit
from evalkit import runner
from evalkit.client import Client, Completion
from evalkit.errors import ShootoutError, StoreError
from evalkit.plan import Selection, plan
from evalkit.runner import Options, play_plan
from evalkit.runs import load_run
from evalkit.store import Store
from evalkit.transcript import ToolCall

TIMES = ["seconds", "waited_s", "loop_lag_s", "started"]


def played(shop: Path, options: Options = Options(), selection: Selection = Selection(), store: Path | None = None):
    with Store(store) as opened:
        return play_plan(plan(shop / "shootouts/small.yaml", selection), opened, options)


def judged(store: Path | None = None):
    return load_run("latest", store).judged.drop("seconds").sort("candidate", "case", "trial")


def test_a_run_plays_every_slot_once_and_again_none(shop: Path) -> None:
    first, second = played(shop), played(shop)
    # 2 candidates × 3 cases × 2 trials.
    assert (first.calls, first.slots["completed"], sum(first.slots.values())) == (12, 12, 12)
    assert (second.run, second.calls, second.slots, second.usd) == (first.run, 0, first.slots, 0.0)


def test_sequential_and_concurrent_runs_give_the_same_rows(shop: Path, tmp_path: Path) -> None:
    played(shop, Options(sequential=True), store=tmp_path / "one.sqlite")
    played(shop, Options(concurrency=32), store=tmp_path / "two.sqlite")
    one, two = (load_run("latest", tmp_path / f"{name}.sqlite") for name in ("one", "two"))
    assert one.judged.drop("seconds").equals(two.judged.drop("seconds"))
    assert one.trials.drop(TIMES).equals(two.trials.drop(TIMES))


def test_the_eval_mode_tag_stands_before_every_ticket_and_each_session_is_fresh(shop: Path) -> None:
    played(shop)
    for _, trial in load_run("latest").pairs:
        assert [message.role for message in trial.messages] == ["system", "user", "assistant"]
        assert trial.messages[1].text.startswith("[EVAL MODE]\n")


def test_changing_an_expectation_pattern_or_weight_makes_a_new_run_without_a_call(shop: Path) -> None:
    before = played(shop)
    for name, old, new in (
        ("tickets/orders.yaml", "must_include: [two days]", "must_include: [two days, passed on]"),
        ("patterns.yaml", "'48 hours'", "'48 hours', 'tomorrow'"),
        ("suite.yaml", "name: corner-shop", "name: corner-shop\npoints: {fact_missing: -5}"),
    ):
        path = shop / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
        again = played(shop)
        assert again.calls == 0
        assert again.run != before.run


def test_stored_trials_are_judged_by_the_suite_as_it_stands_or_by_the_snapshot(shop: Path) -> None:
    run = played(shop).run
    before = load_run(run).judged["points"].sum()
    path = shop / "suite.yaml"
    path.write_text(path.read_text() + "\npoints: {routing_wrong: -100}\n")
    assert load_run(run).judged["points"].sum() < before
    assert load_run(run, suite_of_run=run).judged["points"].sum() == before


@pytest.mark.parametrize(
    ("name", "old", "new", "calls"),
    [
        # Both candidates use the prompt: all 12 slots.
        ("prompts/desk.md", "tickets", "letters", 12),
        # One candidate's parameter: its 6 slots.
        ("shootouts/small.yaml", "temperature: 0.3", "temperature: 0.4", 6),
        ("shootouts/small.yaml", "escalate_at: 2.0", "escalate_at: 1.9", 6),
        # A third trial: number 2 of 2 × 3 slots.
        ("shootouts/small.yaml", "trials: 2", "trials: 3", 6),
        # One ticket's text: 2 candidates × 2 trials.
        ("tickets/orders.yaml", "When is my parcel", "When was my parcel", 4),
        # An article changes the index that both candidates retrieve from.
        ("knowledge/passwords.md", "one hour", "two hours", 12),
        ("shootouts/small.yaml", "name: steady", "name: renamed", 0),
        ("shootouts/small.yaml", "input: 1.0", "input: 9.0", 0),
    ],
)
def test_exactly_the_slots_that_changed_are_played(shop: Path, name: str, old: str, new: str, calls: int) -> None:
    played(shop)
    path = shop / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert played(shop).calls == calls


def test_a_selection_is_a_run_of_its_own_over_the_same_trials(shop: Path) -> None:
    whole = played(shop)
    part = played(shop, selection=Selection(cases=("ORD-1",), candidates=("bold",), trials=1))
    assert (part.calls, sum(part.slots.values())) == (0, 1)
    assert part.run != whole.run
    more = played(shop, selection=Selection(strata=("account",), trials=5))
    # Numbers 2, 3 and 4 of one case and two candidates.
    assert more.calls == 6


def test_fresh_plays_again_and_keeps_what_was(shop: Path) -> None:
    first = played(shop)
    again = played(shop, Options(fresh=True))
    assert (again.run, again.calls) == (first.run, 12)
    assert played(shop).calls == 0


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        (Selection(cases=("NOPE",)), "no case 'NOPE'"),
        (Selection(strata=("nope",)), "no stratum 'nope'"),
        (Selection(candidates=("nope",)), "no candidate 'nope'; known: steady, bold"),
        (Selection(cases=("ORD-1",), strata=("account",)), "no case to play"),
    ],
)
def test_a_selection_that_names_nothing_is_refused(shop: Path, selection: Selection, said: str) -> None:
    with pytest.raises(ShootoutError, match=said):
        plan(shop / "shootouts/small.yaml", selection)


def test_two_candidates_of_one_identity_are_refused_unless_salted(write) -> None:
    twins = "name: twins\ncandidates:\n  - {name: one, model: offline/agent}\n  - {name: two, model: offline/agent%s}\n"
    with pytest.raises(ShootoutError, match="the same as one"):
        plan(write({"shootouts/small.yaml": twins % ""}) / "shootouts/small.yaml")
    assert plan(write({"shootouts/small.yaml": twins % ", salt: b"}) / "shootouts/small.yaml").slots


def test_a_conversation_is_shown_as_not_run_and_the_rest_is_played(write) -> None:
    talk = "id: TALK\nstratum: orders\nrisk: safety\npersona: Polite\ngoal: A refund\nexpect: {outcome: handoff}\n"
    done = played(write({"talks/x.yaml": talk}))
    assert (done.slots["completed"], done.slots["not_run"], done.incomplete) == (12, 4, 4)
    rows = load_run("latest").judged.filter(case="TALK")
    assert set(rows["status"]) == {"not_run"}
    assert all("names no `customer` to play conversations with" in reason for reason in rows["reason"])


def test_a_run_that_may_not_start_leaves_no_trace(shop: Path) -> None:
    first = played(shop)
    path = shop / "shootouts/small.yaml"
    path.write_text(path.read_text() + "  - {name: dear, model: offline/agent, salt: x}\nbudget: {usd: 1}\n")
    with pytest.raises(ShootoutError, match="dear"):
        played(shop)
    with Store() as opened:
        assert opened.find("latest") == first.run


def test_never_more_trials_at_once_than_allowed(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once, most, real = [0], [0], runner.play

    async def watched(*arguments: object) -> object:
        at_once[0] += 1
        most[0] = max(most[0], at_once[0])
        try:
            return await real(*arguments)
        finally:
            at_once[0] -= 1

    monkeypatch.setattr(runner, "play", watched)
    for options, allowed in ((Options(sequential=True, concurrency=9), 1), (Options(concurrency=3, fresh=True), 3)):
        most[0] = 0
        played(shop, options)
        assert most[0] == allowed


def test_a_ticket_answered_by_a_tool_call_without_a_text_is_empty(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def call(*_: object, **__: object) -> Completion:
        return Completion("", (ToolCall("1", "refund", {}),), "tool_calls", (), 0.0, "completed", "")

    monkeypatch.setattr(Client, "complete", call)
    assert played(shop).slots["empty"] == 12


def test_drafts_are_not_played(write) -> None:
    draft = "- {id: DRAFT, stratum: orders, status: draft, ticket: {body: b}, expected_handling: direct}\n"
    assert sum(played(write({"tickets/draft.yaml": draft})).slots.values()) == 12


def test_slots_go_number_by_number_and_a_renamed_candidate_is_another_run(shop: Path) -> None:
    before = plan(shop / "shootouts/small.yaml")
    assert [(slot.number, slot.case, slot.candidate) for slot in before.slots[:3]] == [
        (0, "ORD-1", "steady"),
        (0, "ORD-1", "bold"),
        (0, "ORD-2", "steady"),
    ]
    path = shop / "shootouts/small.yaml"
    path.write_text(path.read_text().replace("name: steady", "name: renamed"))
    assert plan(path).run != before.run


def test_a_second_run_on_a_store_in_use_is_refused(shop: Path) -> None:
    with Store() as opened, opened.writing(), pytest.raises(StoreError, match="another evalkit run"):
        played(shop)


def test_a_run_works_inside_a_running_event_loop(shop: Path) -> None:
    import asyncio

    async def notebook() -> evalkit.Run:
        return evalkit.run(shop / "shootouts/small.yaml", quiet=True)

    assert asyncio.run(notebook()).judged.height == 12


def test_the_events_of_a_run_are_shown_as_they_come(shop: Path) -> None:
    seen: list[tuple[int, int]] = []
    with Store() as opened:
        play_plan(
            plan(shop / "shootouts/small.yaml"),
            opened,
            progress=lambda trial, done, total: seen.append((done, total)),
        )
    assert seen == [(count, 12) for count in range(1, 13)]


BIG = "".join(
    f"- {{id: N-{n}, stratum: orders, ticket: {{body: 'Where is parcel {n}?'}}, expected_handling: direct}}\n"
    for n in range(120)
)


def start(shop: Path, store: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "evalkit.cli",
        "run",
        str(shop / "shootouts/small.yaml"),
        "--store",
        str(store),
        *more,
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(evalkit.__file__).parents[1])}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def count(store: Path) -> int:
    if not store.exists():
        return 0
    try:
        with Store(store) as opened:
            return sum(status is not None for status in opened.statuses(opened.find("latest")).values())
    except StoreError:
        return 0


def test_a_run_killed_again_and_again_ends_as_if_nothing_had_happened(write, tmp_path: Path) -> None:
    shop = write({"tickets/many.yaml": BIG})
    store = tmp_path / "killed.sqlite"
    chance = random.Random(7)
    interrupted = 0
    for _ in range(4):
        process = start(shop, store)
        before, deadline = count(store), time.monotonic() + 60
        while process.poll() is None and count(store) <= before and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(chance.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        interrupted += process.wait() == -signal.SIGKILL
    assert interrupted, "no run was killed while it played: give it more to do"
    process = start(shop, store, "--json")
    out, err = process.communicate()
    assert process.returncode == 0, err
    slots = json.loads(out)["slots"]
    # 2 candidates × (3 + 120) cases × 2 trials.
    assert (slots["completed"], sum(slots.values())) == (492, 492)
    played(shop, store=tmp_path / "whole.sqlite")
    assert judged(store).equals(judged(tmp_path / "whole.sqlite"))


def test_ctrl_c_leaves_a_run_that_goes_on(write, tmp_path: Path) -> None:
    shop = write({"tickets/many.yaml": BIG})
    store = tmp_path / "stopped.sqlite"
    process = start(shop, store)
    while process.poll() is None and count(store) == 0:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert 0 < count(store) < 492
    left = 492 - count(store)
    assert played(shop, store=store).calls == left
