"""Who grades by what: two graders, their rubric and prompt, and the key of each grade that they give."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from evalkit.cases import Case
from evalkit.client import ModelSpec, api_base_of, spec_of
from evalkit.errors import ShootoutError
from evalkit.fingerprint import sha256
from evalkit.grading.prompt import GRADER_PROTOCOL
from evalkit.grading.turns import Turn, content_hash, reference_of, turns_of
from evalkit.rubrics import Rubric
from evalkit.shootout import GraderRole, Role
from evalkit.suite import Suite
from evalkit.transcript import Trial

LIVE = "live"
Which = Literal["cheap", "strong"]


@dataclass(frozen=True)
class Subject:
    """A transcript to grade with its reference answer; equal ones share their grades, whoever the candidate was."""

    content: str
    turns: tuple[Turn, ...]
    reference: str

    @property
    def answers(self) -> int:
        """How often the agent spoke."""
        return sum(turn.role == "agent" for turn in self.turns)


@dataclass(frozen=True)
class Grader:
    """A model as it is asked to grade; `part` is the hash of all of it that could change a grade."""

    which: Which
    spec: ModelSpec
    seed: int
    part: str


@dataclass(frozen=True)
class Panel:
    """The graders of a shootout with what they grade by."""

    rubric: Rubric
    instructions: str
    cheap: Grader
    strong: Grader | None
    audit_seed: int

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """The hash of each of the three things that a measured agreement hangs on: rubric, model and prompt."""
        strong = self.strong and self.strong.part
        return {
            "rubric": sha256(self.rubric.canonical()),
            "model": sha256([self.cheap.part, strong, self.audit_seed]),
            "prompt": sha256([GRADER_PROTOCOL, self.instructions]),
        }

    @cached_property
    def fingerprint(self) -> str:
        """The hash of all three."""
        return sha256(dict(self.identity))

    def grader(self, which: Which) -> Grader | None:
        """One of the two."""
        return self.cheap if which == "cheap" else self.strong

    def asked_for(self, subject: Subject, which: Which, series: str = LIVE) -> Iterator[tuple[str, int | None]]:
        """The fingerprint of each grade that a grader gives a transcript, and the answer of the agent that it is for.

        A rubric `per: trial` asks for one grade, of no answer in particular.
        """
        grader = self.grader(which)
        if grader is None:
            return
        made_of = [subject.content, subject.reference, self._grounds, grader.part, series]
        for answer in range(subject.answers) if self.rubric.per == "turn" else (None,):
            yield sha256([*made_of, answer]), answer

    def keys(self, subjects: Iterable[Subject], series: str = LIVE) -> Iterator[str]:
        """The fingerprint of every grade that these transcripts may have in a series."""
        whiches: tuple[Which, ...] = ("cheap", "strong")
        for subject in subjects:
            for which in whiches:
                for key, _ in self.asked_for(subject, which, series):
                    yield key

    @cached_property
    def _grounds(self) -> list[str]:
        return [sha256(self.rubric.seen()), self.identity["prompt"]]


def panel_of(role: GraderRole, suite: Suite) -> Panel:
    """The panel of a shootout's `grader`. Raises ShootoutError where the suite lacks its rubric or its prompt."""
    names = [role.rubric] if role.rubric else list(suite.rubrics)
    rubric, instructions = suite.rubrics.get(names[0]) if len(names) == 1 else None, suite.prompt(role.prompt)
    if rubric is None:
        known = ", ".join(suite.rubrics) or "none"
        raise ShootoutError(
            f"the grader's rubric {role.rubric or '(none named)'} is not in the suite's rubrics/ (there: {known}); "
            "bring it back, or name another in the shootout and run it again"
        )
    if instructions is None:
        raise ShootoutError(
            f"the grader's prompt {role.prompt} is not in the suite's prompts/; bring it back, or name another in the "
            "shootout and run it again"
        )
    return Panel(
        rubric=rubric,
        # Line ends and a blank end are an editor's, and no change of what the grader is told.
        instructions="\n".join(line.rstrip() for line in instructions.splitlines()).strip(),
        cheap=_grader("cheap", role),
        strong=_grader("strong", role.strong) if role.strong else None,
        audit_seed=role.audit_seed,
    )


def panel_of_run(manifest: Mapping[str, Any], suite: Suite) -> Panel | None:
    """The panel of a run, by its manifest; None where its shootout names no grader."""
    role = grader_of(manifest)
    return role and panel_of(role, suite)


def grader_of(manifest: Mapping[str, Any]) -> GraderRole | None:
    """The grader that a run's shootout names, None where it names none."""
    written = manifest.get("shootout", {}).get("grader")
    # JSON mode, as a suite's files are read: lists become tuples.
    return GraderRole.model_validate_json(json.dumps(written)) if written else None


def subject_of(trial: Trial, case: Case) -> Subject | None:
    """What of a trial is graded; None where there is nothing to grade, since it was not completed."""
    if trial.status != "completed":
        return None
    turns = turns_of(trial.messages)
    return Subject(content_hash(turns), turns, reference_of(case))


def _grader(which: Which, role: Role) -> Grader:
    spec = spec_of(role, role.model)
    part: dict[str, Any] = {
        "model": role.model,
        "api_base": api_base_of(spec),
        "parameters": json.dumps(role.parameters, ensure_ascii=False),
    }
    if role.model.startswith("offline/"):
        from evalkit.offline.grading import grader_source

        part["source"] = grader_source()
    return Grader(which, spec, role.seed or 0, sha256(part))
