"""A shootout file: which candidates are compared, in how many trials, within which limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from evalkit import documents
from evalkit.documents import Document
from evalkit.errors import Fault, ShootoutError
from evalkit.suite import Suite
from evalkit.written import Name, Names, Text, Written, parse

Amount = Annotated[float, Field(ge=0, le=1e9)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
_SECRET = re.compile(
    r"(?:api|access|subscription|private)[-_]?key|authorization|auth$|[-_]auth|token$|secret|password|cookie|credential",
    re.IGNORECASE,
)
_KEY_SHAPED = re.compile(r"\bsk-\w{6,}|\bBearer\s+\S{6,}", re.IGNORECASE)


class Price(Written):
    """US dollars per million tokens; cached input costs as much as other input where it is not written."""

    input: Amount
    output: Amount
    cached: Amount | None = None


class Knowledge(Written):
    """How many of the best help-centre articles the harness puts into the prompt."""

    top: Annotated[int, Field(ge=1, le=50)]


class Sampling(Written):
    """Where a model is reached and what is sent to it; what is not written is not sent.

    `price: listed` says that the model costs what LiteLLM's list has it at, also at an `api_base`, which else has no
    price of its own.
    """

    api_base: Text | None = None
    api_key_env: Variable | None = None
    temperature: Annotated[float, Field(ge=0, le=10)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(gt=0)] | None = None
    seed: int | None = None
    params: dict[str, Any] = {}
    price: Price | Literal["listed"] | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """What is sent along with the messages, as written."""
        named = {key: getattr(self, key) for key in ("temperature", "top_p", "max_tokens", "seed")}
        return {**{key: value for key, value in named.items() if value is not None}, **self.params}

    @field_validator("api_base")
    @classmethod
    def _hold_no_password(cls, api_base: str | None) -> str | None:
        address = (api_base or "").partition("//")[2]
        if "@" in address.partition("/")[0] or "?" in address:
            raise ValueError("holds a user name, a password or a query; name an environment variable in api_key_env")
        return api_base

    @field_validator("params")
    @classmethod
    def _hold_no_secret(cls, params: dict[str, Any]) -> dict[str, Any]:
        for key, value in _leaves(params):
            if _SECRET.search(key) or (isinstance(value, str) and _KEY_SHAPED.search(value)):
                raise ValueError(f"{key!r} looks like a secret; name an environment variable in api_key_env instead")
        return params


class Prompts(Written):
    """A prompt for tickets and another for conversations."""

    ticket: Text
    conversation: Text


class Candidate(Sampling):
    """What is compared: a model with its parameters, prompt and tools, or a deployed agent."""

    name: Name
    model: Name | None = None
    agent: Annotated[str, Field(pattern=r"^python:[\w.]+:\w+$")] | None = None
    version: Name | None = None
    prompt: Text | Prompts | None = None
    knowledge: Knowledge | None = None
    tools: Literal["native", "schema", "own"] = "native"
    salt: Text | None = None

    @property
    def prompts(self) -> Mapping[str, str]:
        """The prompt for each kind of case, `ticket` and `conversation`, as paths below the suite's prompts/."""
        if self.prompt is None:
            return {}
        if isinstance(self.prompt, str):
            return dict.fromkeys(("ticket", "conversation"), self.prompt)
        return {"ticket": self.prompt.ticket, "conversation": self.prompt.conversation}

    @model_validator(mode="after")
    def _is_one_thing(self) -> Candidate:
        if (self.model is None) == (self.agent is None):
            raise ValueError(f"candidate {self.name!r} needs either 'model' or 'agent'")
        if self.agent is not None and self.version is None:
            raise ValueError(f"candidate {self.name!r} needs a 'version': a deployed agent's trials are kept by it")
        return self


class Role(Sampling):
    """A model that plays the customer, or the strong one of two graders."""

    model: Name


class Limits(Written):
    """What one session may spend at most: on agents, customers and graders together, or what of it on graders."""

    usd: Annotated[float, Field(gt=0, le=1e9)] | None = None
    calls: Annotated[int, Field(gt=0)] | None = None


class GraderRole(Role):
    """A model that grades, with its rubric and prompt, and the stronger one that is asked in doubt.

    `audit_seed` draws the trials that the strong one is asked about whatever the other says. The time of one grade
    and the number at once are the grader's own; its `budget` is a part of what the session of playing left.
    """

    rubric: Name | None = None
    prompt: Text = "grader.md"
    strong: Role | None = None
    audit_seed: int = 0
    timeout_s: Seconds = 120
    concurrency: Annotated[int, Field(ge=1, le=256)] = 8
    budget: Limits = Limits()


class Shootout(Written):
    """Candidates, trials for each case, and limits.

    `repeats` are the complete passes of the baseline, of so many trials each, by which noise is measured.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$")]
    suite: Text | None = None
    trials: Annotated[int, Field(ge=1, le=1000)] = 3
    repeats: Annotated[int, Field(ge=1, le=100)] = 1
    timeout_s: Seconds = 240
    request_timeout_s: Seconds | None = None
    concurrency: Annotated[int, Field(ge=1, le=256)] = 8
    budget: Limits = Limits()
    customer: Role | None = None
    grader: GraderRole | None = None
    baseline: Name | None = None
    purposes: dict[Name, Annotated[Names, Field(min_length=1)]] = {}
    candidates: Annotated[tuple[Candidate, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _names_agree(self) -> Shootout:
        names = [candidate.name for candidate in self.candidates]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"candidates of one name: {', '.join(twice)}; name each differently")
        if self.baseline is not None and self.baseline not in names:
            raise ValueError(f"baseline {self.baseline!r} is no candidate; candidates: {', '.join(names)}")
        if self.repeats > 1 and self.baseline is None:
            raise ValueError("repeats are passes of the baseline, and none is named: write `baseline: NAME`")
        return self


def load_shootout(path: str | Path) -> Shootout:
    """The shootout in a file; raises ShootoutError with every fault and its line."""
    document = _read(Path(path))
    found = parse(Shootout, document.value, document.line, (), document.file, "")
    if isinstance(found, Shootout):
        return found
    raise ShootoutError(found)


def suite_folder(path: str | Path, shootout: Shootout) -> Path:
    """The folder of the suite that a shootout belongs to: the one it names, or the one whose shootouts/ holds it."""
    folder = Path(path).parent
    if shootout.suite is not None:
        return folder / shootout.suite
    if folder.resolve().name == "shootouts":
        return folder.parent if folder.name == "shootouts" else folder.resolve().parent
    raise ShootoutError(
        [
            Fault(
                str(path),
                1,
                "",
                "belongs to no suite: move it into a suite's shootouts/, or name one with `suite: FOLDER`",
            )
        ]
    )


def check_names(path: str | Path, shootout: Shootout, suite: Suite) -> None:
    """Raise ShootoutError where the shootout names a prompt or a stratum that the suite does not hold."""
    document = _read(Path(path))
    faults = [
        Fault(
            document.file,
            document.line(("candidates", index, "prompt")),
            candidate.name,
            f"prompt {prompt!r} is missing; write it under the suite's prompts/",
        )
        for index, candidate in enumerate(shootout.candidates)
        for prompt in dict.fromkeys(candidate.prompts.values())
        if suite.prompt(prompt) is None
    ]
    strata = suite.strata()
    faults += [
        Fault(
            document.file,
            document.line(("purposes", purpose, index)),
            f"purpose {purpose}",
            f"the suite has no stratum {name!r}; strata: {', '.join(strata)}",
        )
        for purpose, names in shootout.purposes.items()
        for index, name in enumerate(names)
        if name not in strata
    ]
    if shootout.grader is not None:
        faults += _grader_faults(document, shootout.grader, suite)
    if faults:
        raise ShootoutError(faults)


def _grader_faults(document: Document, grader: GraderRole, suite: Suite) -> list[Fault]:
    """What a grader names and the suite does not hold."""
    faults = []
    if suite.prompt(grader.prompt) is None:
        message = f"prompt {grader.prompt!r} is missing; write what the grader is told under the suite's prompts/"
        faults.append(Fault(document.file, document.line(("grader", "prompt")), "grader", message))
    known = ", ".join(suite.rubrics) or "none"
    if grader.rubric is None and len(suite.rubrics) != 1:
        message = f"names no rubric, and the suite holds {len(suite.rubrics)}: {known}; write `rubric: NAME`"
        faults.append(Fault(document.file, document.line(("grader",)), "grader", message))
    elif grader.rubric is not None and grader.rubric not in suite.rubrics:
        message = f"rubric {grader.rubric!r} is missing; rubrics under the suite's rubrics/: {known}"
        faults.append(Fault(document.file, document.line(("grader", "rubric")), "grader", message))
    return faults


def _read(path: Path) -> Document:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ShootoutError([Fault(str(path), None, "", f"cannot be read: {error.strerror}")]) from error
    return documents.read(str(path), data)


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Each key with what stands under it, and each item of a list with the list's key."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield name, item
            yield from _leaves(item, name)
    elif isinstance(value, list | tuple):
        for item in value:
            yield key, item
            yield from _leaves(item, key)
