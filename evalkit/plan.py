"""The plan of a run: which slots a shootout asks for, and the id that follows from them."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evalkit.cases import Case
from evalkit.commits import commit, commit_signed
from evalkit.errors import Fault, ShootoutError
from evalkit.fingerprint import canonical, fingerprint, identity, sha256, trial_parts
from evalkit.knowledge import Retrieval
from evalkit.loading import load_suite
from evalkit.quarantine import file_of
from evalkit.sampling import draw
from evalkit.settings import Sample
from evalkit.shootout import Candidate, Shootout, check_names, load_shootout, suite_folder
from evalkit.store import Composed, Slot
from evalkit.suite import Suite

_VERSIONS = ("evalkit", "litellm", "scikit-learn", "polars", "google-re2")


@dataclass(frozen=True)
class Selection:
    """The part of a shootout that is asked for; an empty part is all of it.

    `sample` is the name of one of the suite's samples, or the number of cases to draw beside those that must pass;
    `seed` is the draw's, instead of the sample's own, and `known` the cases of the suite that is compared with, whose
    places no new case takes.
    """

    cases: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    trials: int | None = None
    sample: str | None = None
    seed: int | None = None
    repeats: int | None = None
    known: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Plan:
    """A shootout over a suite, slot by slot.

    Slots of numbers below `trials` are the shootout's; those above are complete passes of the baseline alone, or the
    block that a gate plays anew, whose trials are added to the run that `of` names.
    """

    shootout: Shootout
    suite: Suite
    candidates: Mapping[str, Candidate]
    cases: Mapping[str, Case]
    slots: tuple[Slot, ...]
    composed: tuple[Composed, ...]
    retrieval: Retrieval
    trials: int
    repeats: int = 1
    sample: Mapping[str, Any] | None = None
    of: str | None = None

    @cached_property
    def run(self) -> str:
        """The run's id: the same command on the same files is the same run."""
        if self.of is not None:
            return self.of
        slots = [[slot.candidate, slot.case, slot.number, slot.fingerprint] for slot in self.slots]
        return sha256({"slots": slots, "suite": self.suite.snapshot, "baseline": self.shootout.baseline})

    def plays(self, case: str) -> bool:
        """Whether trials of a case can be played: a conversation needs somebody who plays the customer."""
        return self.cases[case].kind == "ticket" or self.shootout.customer is not None

    @property
    def passes(self) -> tuple[tuple[Slot, ...], ...]:
        """The slots pass by pass: those of the shootout, then each further pass over the cases."""
        by_block: dict[int, list[Slot]] = {}
        for slot in self.slots:
            by_block.setdefault(slot.number // self.trials, []).append(slot)
        return tuple(tuple(by_block[block]) for block in sorted(by_block))

    def manifest(self) -> dict[str, Any]:
        """What a run is made of, without its slots; it holds no path and no secret."""
        return {
            "run": self.run,
            "name": self.shootout.name,
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "suite": {
                "name": self.suite.name,
                "snapshot": self.suite.snapshot,
                "cases": len(self.cases),
                "safety_cases": [case.id for case in self.cases.values() if case.risk == "safety"],
                "strata": self.suite.strata(self.cases.values()),
            },
            "trials": self.trials,
            "repeats": self.repeats,
            **({"sample": dict(self.sample)} if self.sample else {}),
            "baseline": self.shootout.baseline,
            "shootout": self.shootout.model_dump(mode="json", exclude_defaults=True, exclude={"suite", "purposes"}),
            # A list, since keys lose their order where a manifest is kept.
            "purposes": [[name, list(strata)] for name, strata in self.shootout.purposes.items()],
            "candidates": [
                candidate.model_dump(mode="json", exclude_defaults=True) for candidate in self.candidates.values()
            ],
            **made_with(),
            "commit_signed": commit_signed(Path(self.suite.origin) / file_of(self.suite.files)),
        }


def plan(path: str | Path, selection: Selection = Selection()) -> Plan:
    """The plan of a shootout file. Raises CaseError or ShootoutError with every fault that stands in the way."""
    shootout = load_shootout(path)
    suite = load_suite(suite_folder(path, shootout))
    check_names(path, shootout, suite)
    candidates = {each.name: each for each in shootout.candidates}
    _known("candidate", selection.candidates, candidates)
    _known("case", selection.cases, suite.by_id)
    _known("stratum", selection.strata, suite.strata())
    chosen = [name for name in candidates if name in selection.candidates or not selection.candidates]
    sample = _sample(selection, suite)
    drawn = draw(suite, sample[1], selection.known) if sample else None
    cases = [
        case.id
        for case in suite.active
        if (not selection.cases or case.id in selection.cases)
        and (not selection.strata or case.stratum in selection.strata)
        and (drawn is None or case.id in drawn)
    ]
    if not cases:
        raise ShootoutError(f"{path}: no case to play: the selection is empty, or the suite holds drafts alone")
    trials = selection.trials or shootout.trials
    repeats = _repeats(str(path), shootout, selection, chosen)
    # Number by number, so that a run that stops early has seen every case and candidate about as often.
    asked = [(name, key, number) for number in range(trials) for key in cases for name in chosen]
    later = range(trials, trials * repeats)
    asked += [(shootout.baseline or "", key, number) for number in later for key in cases]
    found = planned(shootout, suite, asked, str(path))
    described = None if sample is None else {"name": sample[0], **sample[1].model_dump(mode="json")}
    return replace(found, trials=trials, repeats=repeats, sample=described)


def planned(shootout: Shootout, suite: Suite, asked: Sequence[tuple[str, str, int]], path: str) -> Plan:
    """The plan of these trials, each a candidate's name, a case's id and a number; `path` is for messages."""
    known = {each.name: each for each in shootout.candidates}
    chosen = {name: known[name] for name in dict.fromkeys(name for name, _, _ in asked)}
    cases = {key: suite.by_id[key] for key in dict.fromkeys(key for _, key, _ in asked)}
    retrieval = Retrieval(suite.articles)
    parts = {
        (name, key): trial_parts(case, each, suite, retrieval, shootout.customer)
        for name, each in chosen.items()
        for key, case in cases.items()
    }
    _all_differ(path, chosen, next(iter(cases)), parts)
    slots = tuple(Slot(name, key, number, fingerprint(parts[name, key], number)) for name, key, number in asked)
    return Plan(shootout, suite, chosen, cases, slots, _composed(parts, slots), retrieval, shootout.trials)


def made_with() -> dict[str, Any]:
    """The commit and the versions that a manifest names."""
    versions = {"python": platform.python_version(), **{name: _version(name) for name in _VERSIONS}}
    return {"commit": commit(), "versions": versions}


def _sample(selection: Selection, suite: Suite) -> tuple[str | None, Sample] | None:
    """The sample that is asked for, with its name where the suite defines it."""
    asked = selection.sample
    if asked is None:
        if selection.seed is not None:
            raise ShootoutError("a seed is a sample's: write --sample N, or the name of a sample, beside it")
        return None
    own = {} if selection.seed is None else {"seed": selection.seed}
    if asked.isascii() and asked.isdigit():
        return None, Sample(draw=min(int(asked), len(suite.cases)), **own)
    samples = suite.settings.samples
    if asked not in samples:
        known = ", ".join(samples) or "none"
        raise ShootoutError(
            f"no sample {asked!r} in suite.yaml; its `samples`: {known}; or write the number of cases to draw"
        )
    return asked, samples[asked].model_copy(update=own)


def _repeats(path: str, shootout: Shootout, selection: Selection, chosen: Sequence[str]) -> int:
    """How many complete passes of the baseline are asked for; 1 where it does not play."""
    if shootout.baseline in chosen:
        return selection.repeats or shootout.repeats
    if (selection.repeats or 1) > 1:
        said = f"{shootout.baseline} is not among the candidates asked for" if shootout.baseline else "none is named"
        raise ShootoutError(f"{path}: repeats are passes of the `baseline`, and {said}")
    return 1


def _all_differ(path: str, names: Iterable[str], case: str, parts: Mapping[tuple[str, str], dict[str, Any]]) -> None:
    """Raise ShootoutError where two candidates are the same in all that counts, which any one case shows."""
    taken: dict[str, str] = {}
    for name in names:
        same = taken.setdefault(identity(parts[name, case]), name)
        if same != name:
            raise ShootoutError(
                [
                    Fault(
                        path,
                        None,
                        name,
                        f"is the same as {same} in all that counts; write a `salt` to play it twice (an A/A run)",
                    )
                ]
            )


def _composed(parts: Mapping[tuple[str, str], dict[str, Any]], slots: Iterable[Slot]) -> tuple[Composed, ...]:
    fingerprints: dict[tuple[str, str], list[str]] = {}
    for slot in slots:
        fingerprints.setdefault((slot.candidate, slot.case), []).append(slot.fingerprint)
    return tuple(
        Composed(
            identity(found),
            case,
            {part: canonical(value) for part, value in found.items()},
            tuple(fingerprints[name, case]),
        )
        for (name, case), found in parts.items()
    )


def _known(kind: str, asked: Sequence[str], known: Mapping[str, Any]) -> None:
    unknown = [name for name in asked if name not in known]
    if unknown:
        listed = ", ".join(list(known)[:12]) + (", …" if len(known) > 12 else "")
        raise ShootoutError(f"no {kind} {', '.join(map(repr, unknown))}; known: {listed}")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
