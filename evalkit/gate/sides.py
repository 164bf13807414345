"""One side of a comparison: each case's trials in blocks, from a run or from plain mappings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from evalkit.errors import NotMeasured
from evalkit.shown import one_line
from evalkit.suite import Suite

if TYPE_CHECKING:
    from evalkit.tables import Reading, Run

NOT_PLAYED = "not played yet, or the run was stopped"
UNDECIDED = "no check failed, and one could not be decided"


@dataclass(frozen=True)
class TrialResult:
    """How one trial ended. `passed` is None where it was not measured, and `reason` says why.

    `disqualifying` says why this trial alone puts a candidate out, and `unclear` why it clears nobody; '' where it does
    not.
    """

    number: int
    passed: bool | None
    status: str = "completed"
    reason: str = ""
    started: str = ""
    disqualifying: str = ""
    fingerprint: str = ""
    unclear: str = ""

    @property
    def lack(self) -> str:
        """Why it was not measured, in words."""
        said = self.reason if self.status == "completed" else f"{self.status}: {self.reason}"
        return said.removesuffix(": ") or self.status


@dataclass(frozen=True)
class CaseTrials:
    """The trials of a case by their block: 0 the first k, from 1 on repeats and reruns."""

    case: str
    stratum: str
    must_pass: bool
    blocks: Mapping[int, tuple[TrialResult, ...]]

    @property
    def trials(self) -> tuple[TrialResult, ...]:
        """All trials, in the order of their numbers."""
        return tuple(trial for block in sorted(self.blocks) for trial in self.blocks[block])

    def block(self, number: int, k: int) -> tuple[TrialResult, ...]:
        """The first k trials of a block; fewer where it holds fewer."""
        return self.blocks.get(number, ())[:k]

    def passed(self, number: int, k: int) -> bool | None:
        """Whether all of a block's first k trials passed; None where none failed and fewer were measured."""
        found = [trial.passed for trial in self.block(number, k)]
        if False in found:
            return False
        return True if found.count(True) == k else None

    def measured(self, number: int, k: int) -> bool:
        """Whether a block's first k trials were all measured."""
        return sum(trial.passed is not None for trial in self.block(number, k)) == k


@dataclass(frozen=True)
class Side:
    """A candidate's trials, as one side of a comparison.

    `k` trials make a block, and `repeats` blocks are whole passes over the cases. `reruns` names for a stratum the
    block that a gate had played anew. `suite` is the side's own, None for plain mappings; `own_suite` says why it
    cannot be trusted to be that, '' where it can. `sample` is the part of the suite that was asked for, None for all of
    it; `stopped` why slots were left; `customer` who played the customer; `several` whether its run has other
    candidates.
    """

    name: str
    run: str
    suite: Suite | None
    k: int
    cases: Mapping[str, CaseTrials]
    repeats: int = 1
    reruns: Mapping[str, int] | None = None
    sample: Mapping[str, Any] | None = None
    stopped: str = ""
    judged_by: str = ""
    own_suite: str = ""
    commits: tuple[str, ...] = ()
    customer: str = ""
    several: bool = False


def side_of(
    given: Run | Side | Mapping[str, Any],
    candidate: str | None = None,
    *,
    by: Suite | None = None,
    role: Literal["baseline", "candidate"] = "candidate",
    k: int | None = None,
) -> Side:
    """A side from a run, or from a mapping of ids to objects with `id`, `stratum`, `must_pass` and `runs`.

    Args:
        given: a run, the mapping, or a side, which is returned as it is.
        candidate: which of the run's; without it the baseline or the candidate, by `role`, where that is clear.
        by: the suite that judges, where it is not the run's own; the side's `suite` stays the run's own.
        role: which side it is.
        k: how many trials of a mapping's case pass together; without it as many as most of its cases have. What is
            beyond makes further blocks.

    Raises:
        NotMeasured: the run has no such candidate, or several and nothing says which.
    """
    if isinstance(given, Side):
        return given
    if isinstance(given, Mapping):
        return _of_mapping(given, candidate or role, k)
    name = _chosen(given, candidate, role)
    return _of_run(given, name, by)


def _of_run(run: Run, name: str, by: Suite | None) -> Side:
    suite, manifest = run.suite, run.manifest
    judged = run if by is None or by is suite else run.judged_by_suite(by, "the candidate's suite")
    judging, k = judged.suite, manifest["trials"]
    by_case: dict[str, dict[int, list[TrialResult]]] = {}
    for block, readings in judged.blocks(name).items():
        for reading in readings:
            by_case.setdefault(reading.slot.case, {}).setdefault(block, []).append(_result(reading))
    cases = {
        key: CaseTrials(key, case.stratum, case.must_pass, _in_order(blocks))
        for key, blocks in sorted(by_case.items())
        if (case := judging.by_id.get(key)) is not None and case.status == "active"
    }
    reruns = dict((manifest.get("reruns") or {}).get(name) or {})
    # An archive names the suite that judged it; an imported run that its source did, in a word.
    archived = judged_as if isinstance(judged_as := manifest.get("judged_by"), Mapping) else {}
    own = {manifest["suite"].get("snapshot"), archived.get("snapshot")}
    only = len(manifest["candidates"]) == 1
    repeats = manifest.get("repeats") if only or name == manifest.get("baseline") else None
    customer = (manifest.get("shootout") or {}).get("customer")
    return Side(
        name=name,
        run=run.id,
        suite=suite,
        k=k,
        cases=cases,
        repeats=repeats or _whole_blocks(cases.values(), k, set(reruns.values())),
        reruns=reruns,
        sample=manifest.get("sample"),
        stopped=one_line(manifest.get("stopped") or ""),
        judged_by=judged.judged_by,
        own_suite="" if suite.snapshot in own else f"run {run.id[:8]} is judged by a suite that is not its own",
        commits=tuple(each for key in ("commit_signed", "commit") if (each := manifest.get(key))),
        customer="" if customer is None else json.dumps(customer, sort_keys=True),
        several=len(manifest["candidates"]) > 1,
    )


def _of_mapping(given: Mapping[str, Any], name: str, k: int | None) -> Side:
    counts = Counter(len(each.runs) for each in given.values() if len(each.runs))
    # Of two lengths that are as common the longer one: what has fewer trials is then named.
    k = k or max(counts, key=lambda length: (counts[length], length), default=1)
    cases = {
        str(key): CaseTrials(str(key), str(each.stratum), bool(each.must_pass), _blocks_of(each.runs, k))
        for key, each in sorted(given.items(), key=lambda item: str(item[0]))
    }
    return Side(name, "", None, k, cases, repeats=_whole_blocks(cases.values(), k, set()), judged_by="as given")


def _blocks_of(runs: Sequence[Any], k: int) -> dict[int, tuple[TrialResult, ...]]:
    """Verdicts in blocks of k; one that is neither True nor False is unscored."""
    results = [
        TrialResult(number, bool(said)) if said in (True, False) else TrialResult(number, None, reason="unscored")
        for number, said in enumerate(runs)
    ]
    return {start // k: tuple(results[start : start + k]) for start in range(0, len(results), k)}


def _whole_blocks(cases: Iterable[CaseTrials], k: int, reruns: set[int]) -> int:
    """How many blocks, from 0 on, every case that has trials has whole; at least 1."""
    fewest = []
    for each in cases:
        whole = 0
        while whole not in reruns and len(each.blocks.get(whole, ())) >= k:
            whole += 1
        if each.blocks:
            fewest.append(whole)
    return max(1, min(fewest, default=1))


def _in_order(blocks: Mapping[int, Iterable[TrialResult]]) -> dict[int, tuple[TrialResult, ...]]:
    return {block: tuple(sorted(blocks[block], key=lambda trial: trial.number)) for block in sorted(blocks)}


def _result(reading: Reading) -> TrialResult:
    slot, trial, found = reading.slot, reading.trial, reading.judgement
    if trial is None:
        return TrialResult(slot.number, None, "not_run", NOT_PLAYED, fingerprint=slot.fingerprint)
    passed = found.passed if found is not None else None
    reason = one_line(trial.reason)
    if passed is None and not reason:
        undecided = [each for each in found.verdicts if each.passed is None] if found is not None else []
        named = next((f"{each.check}: {each.reason}" for each in undecided if each.reason), UNDECIDED)
        reason = one_line(f"unscored, {named}")
    disqualifying, unclear = (one_line(each) for each in (found.disqualifying, found.unclear)) if found else ("", "")
    kept = (trial.status, reason, trial.started, disqualifying, slot.fingerprint, unclear)
    return TrialResult(slot.number, passed, *kept)


def _chosen(run: Run, candidate: str | None, role: str) -> str:
    names = [each["name"] for each in run.manifest["candidates"]]
    baseline = run.manifest.get("baseline")
    if candidate is not None:
        found = [candidate] if candidate in names else []
    elif role == "baseline" and baseline in names:
        found = [baseline]
    else:
        found = names if len(names) == 1 else [name for name in names if name != baseline]
    if len(found) == 1 and (role == "candidate" or candidate or baseline or len(names) == 1):
        return found[0]
    asked = f"no candidate {candidate!r}" if candidate is not None else f"no one candidate to take as the {role}"
    raise NotMeasured(f"run {run.id[:8]} has {asked}; it has {', '.join(names)}: name one as RUN:CANDIDATE")
