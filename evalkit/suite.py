"""A suite: all cases under one folder, with the patterns, articles and prompts that go with them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from evalkit.amendments import SuiteAmendment, amendments_of
from evalkit.cases import Case
from evalkit.patterns import Concepts, Pattern, concept_key
from evalkit.quarantine import Quarantined, quarantine_of
from evalkit.rubrics import Rubric, rubrics_of
from evalkit.settings import Settings


@dataclass(frozen=True)
class Article:
    """One article of the help centre; `name` is its file's name without the ending."""

    name: str
    title: str
    text: str


@dataclass(frozen=True)
class Suite:
    """Cases and what they are judged by.

    `files` holds the text of every file that the suite was read from, by its path inside the folder: the same files
    are the same suite, whatever folder they lie in, and `loading.suite_of(files)` gives it again.
    """

    name: str
    settings: Settings
    cases: tuple[Case, ...]
    patterns: Mapping[str, Pattern]
    articles: tuple[Article, ...]
    files: Mapping[str, str]
    origin: str = ""

    @cached_property
    def by_id(self) -> Mapping[str, Case]:
        """The cases by their id."""
        return {case.id: case for case in self.cases}

    @cached_property
    def concepts(self) -> Concepts:
        """All patterns, and the literal phrases that cases use, compiled."""
        return Concepts.compile(self.patterns, self.literals)

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """The assertions that name no concept and are matched as they stand."""
        known = {concept_key(name) for name in self.patterns}
        named = dict.fromkeys(name for case in self.cases for name in case.assertions)
        return tuple(name for name in named if concept_key(name) not in known)

    @cached_property
    def rubrics(self) -> Mapping[str, Rubric]:
        """The rubrics under rubrics/, by their names."""
        return rubrics_of(self.files)

    @cached_property
    def quarantine(self) -> Mapping[str, Quarantined]:
        """The cases in quarantine, by their id."""
        return quarantine_of(self.files)

    @cached_property
    def amendments(self) -> tuple[SuiteAmendment, ...]:
        """What was changed on the record, beside the cases' own amendments."""
        return amendments_of(self.files)

    @cached_property
    def snapshot(self) -> str:
        """The suite's content address: SHA-256 over its files."""
        digest = hashlib.sha256()
        for path in sorted(self.files):
            for part in (path, self.files[path]):
                data = part.encode()
                digest.update(len(data).to_bytes(8) + data)
        return digest.hexdigest()

    @property
    def active(self) -> tuple[Case, ...]:
        """The cases that are played: all but drafts."""
        return tuple(case for case in self.cases if case.status == "active")

    def strata(self, cases: Iterable[Case] | None = None) -> dict[str, int]:
        """Number of cases by stratum, in the order of suite.yaml, then by name."""
        counts = Counter(case.stratum for case in (self.active if cases is None else cases))
        order = {name: place for place, name in enumerate(self.settings.strata or ())}
        return dict(sorted(counts.items(), key=lambda item: (order.get(item[0], len(order)), item[0])))

    def label(self, path: str) -> str:
        """How a message names one of the suite's files: below the folder that it was read from, if from one."""
        return f"{self.origin}/{path}" if self.origin else path

    def prompt(self, path: str) -> str | None:
        """The text of a file under prompts/, or None where there is none."""
        return self.files.get(f"prompts/{path.removeprefix('prompts/')}")
