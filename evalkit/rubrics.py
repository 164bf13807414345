"""Rubrics: what a grader and a rater are asked of a transcript, and the verdicts that they may give."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, StringConstraints

from evalkit import documents
from evalkit.documents import Document
from evalkit.errors import CaseError, Fault
from evalkit.folding import fold
from evalkit.written import Written, parse

FOLDER = "rubrics"
ENDINGS = (".yaml", ".yml", ".json")
# The keys of a grader's reply: a criterion of this name could not be told from them.
RESERVED = frozenset({"criteria", "name", "reasoning", "verdict"})

# What people and models put around a verdict, and what says nothing of it.
_AROUND = " \t*_`\"'"
_NUMBER = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,12})?(?:e[-+]?[0-9]{1,2})?")


def _as_text(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError(f'{str(value).lower()} is a truth value; put it in quotes: "{str(value).lower()}"')
    return repr(value) if isinstance(value, int | float) else value


def _one_line(text: str) -> str:
    # A prompt shows it on a line of its own.
    return " ".join(text.split())


def _no_colon(text: str) -> str:
    if ":" in text:
        raise ValueError(f"{text!r} holds a ':', which ends it in the prompt; leave it out")
    return text


Line = Annotated[str, StringConstraints(min_length=1, max_length=2_000, pattern=r"\S"), AfterValidator(_one_line)]
Label = Annotated[
    str,
    BeforeValidator(_as_text),
    StringConstraints(min_length=1, max_length=100, pattern=r"\S"),
    AfterValidator(_one_line),
    AfterValidator(_no_colon),
]


class Choice(Written):
    """A verdict of the menu: what it means, and whether a criterion with it is passed."""

    verdict: Label
    means: Line
    passes: bool


class Criterion(Written):
    """One question that a transcript is graded by."""

    name: Label
    asks: Line


class Rubric(Written):
    """Criteria, and the menu of verdicts that each of them may be given.

    `per` says whether a trial is graded as a whole or answer by answer. An `ordered` menu is a scale, worst first.
    Verdicts of a cheap grader that are `near` go to the strong one, and so does a share, `audit`, of all others.
    """

    per: Literal["trial", "turn"] = "trial"
    ordered: bool = False
    menu: Annotated[tuple[Choice, ...], Field(min_length=2, max_length=50)]
    near: tuple[Label, ...] = ()
    audit: Annotated[float, Field(ge=0, le=1)] = 0.1
    criteria: Annotated[tuple[Criterion, ...], Field(min_length=1, max_length=50)]

    _name: str = PrivateAttr("")

    @property
    def name(self) -> str:
        """The name of the rubric's file, without its ending."""
        return self._name

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts in the order of the menu."""
        return tuple(choice.verdict for choice in self.menu)

    @property
    def criterion_names(self) -> tuple[str, ...]:
        """The names of the criteria, in their order."""
        return tuple(criterion.name for criterion in self.criteria)

    def passes(self, verdict: str) -> bool:
        """Whether a verdict passes. Raises ValueError where it is not on the menu."""
        return self.menu[self._place(verdict)].passes

    def worst(self, verdicts: Iterable[str]) -> str | None:
        """The worst of these verdicts: one that fails before one that passes, then by the menu; None of none.

        Raises ValueError where one is not on the menu. Example: `rubric.worst(["5", "3", "4"])` is "3".
        """
        places = {self._place(verdict) for verdict in verdicts}
        return self.menu[min(places, key=lambda at: (self.menu[at].passes, at))].verdict if places else None

    def verdict_of(self, text: str) -> str | None:
        """The verdict of the menu that a text stands for, whatever its case and the marks around it; None where none.

        Example: `rubric.verdict_of(" 4.0 ")` is "4"; "4/5" and "4 or 5" are no verdicts.
        """
        return {verdict_key(each): each for each in self.verdicts}.get(verdict_key(text))

    def canonical(self) -> dict[str, Any]:
        """All that a grader sees or that changes a verdict, as plain data: what the rubric's hash is made of."""
        return self.model_dump(mode="json")

    def seen(self) -> dict[str, Any]:
        """The part of it that a grader sees: which of its verdicts pass and which are near changes none of them."""
        return {
            "criteria": [[each.name, each.asks] for each in self.criteria],
            "menu": [[each.verdict, each.means] for each in self.menu],
        }

    def _place(self, verdict: str) -> int:
        try:
            return self.verdicts.index(verdict)
        except ValueError:
            raise ValueError(f"{verdict!r} is no verdict of rubric {self.name!r}: {', '.join(self.verdicts)}") from None


def verdict_key(text: str) -> str:
    """The form in which verdicts are compared: folded, in lower case, without marks around it, numbers by their value.

    Example: 4, 4.0, " 4 " and "**4**." have one key.
    """
    key = fold(text).text.casefold().strip(_AROUND).removesuffix(".").strip(_AROUND)
    if not _NUMBER.fullmatch(key):
        return key
    value = Decimal(key).normalize()
    return format(value, "f") if value else "0"


def criterion_key(name: str) -> str:
    """The form in which names of criteria are compared: folded and in lower case."""
    return fold(name).text.casefold()


def load_rubric(file: str, data: bytes) -> Rubric:
    """The rubric in a file's bytes; `file` is its name as messages show it. Raises CaseError with every fault."""
    document = documents.read(file, data)
    found = parse(Rubric, document.value, document.line, (), file, "")
    if not isinstance(found, Rubric):
        raise CaseError(found)
    if faults := list(_faults(found, document)):
        raise CaseError(faults)
    named = found.model_copy(update={"near": tuple(filter(None, map(found.verdict_of, found.near)))})
    named._name = PurePosixPath(file).stem
    return named


def rubric_of(suite_files: Mapping[str, str], name: str) -> Rubric | None:
    """The rubric of this name among a suite's files, or None where there is none. Raises CaseError where it is faulty.

    Example: `rubric_of(suite.files, "tone-and-correctness")` reads rubrics/tone-and-correctness.yaml.
    """
    paths = (f"{FOLDER}/{name}{ending}" for ending in ENDINGS)
    path = next((path for path in paths if path in suite_files), None)
    return None if path is None else load_rubric(path, suite_files[path].encode("utf-8", "surrogatepass"))


def rubrics_of(suite_files: Mapping[str, str]) -> dict[str, Rubric]:
    """The rubrics among a suite's files, by their names. Raises CaseError where one is faulty."""
    paths = (PurePosixPath(path) for path in sorted(suite_files))
    names = [path.stem for path in paths if path.parent == PurePosixPath(FOLDER) and path.suffix in ENDINGS]
    found = ((name, rubric_of(suite_files, name)) for name in names)
    return {name: rubric for name, rubric in found if rubric is not None}


def rubric_faults(files: Mapping[str, bytes], origin: str = "") -> list[Fault]:
    """Every fault of the rubrics among a suite's files; `origin` is the folder that messages name before a path."""
    faults: list[Fault] = []
    owners: dict[str, str] = {}
    for path in sorted(files):
        pure = PurePosixPath(path)
        if pure.parts[0] != FOLDER or pure.suffix.lower() not in (*ENDINGS, ".jsonl"):
            continue
        file = str(PurePosixPath(origin, path)) if origin else path
        if len(pure.parts) != 2 or pure.suffix not in ENDINGS:
            message = f"is not read as a rubric; a rubric is {FOLDER}/<name>.yaml, .yml or .json"
            faults.append(Fault(file, None, "", message))
            continue
        if pure.stem in owners:
            faults.append(Fault(file, None, "", f"{owners[pure.stem]} is a rubric of this name too; keep one"))
        owners.setdefault(pure.stem, path)
        try:
            load_rubric(file, files[path])
        except CaseError as error:
            faults += error.faults
    return faults


def _faults(rubric: Rubric, document: Document) -> Iterator[Fault]:
    """What can be said only of the whole: names that stand twice, and a menu that decides nothing."""

    def fault(path: tuple[str | int, ...], message: str) -> Fault:
        return Fault(document.file, document.line(path), "", message)

    first: dict[str, str] = {}
    for at, verdict in enumerate(rubric.verdicts):
        key, path = verdict_key(verdict), ("menu", at, "verdict")
        if not key:
            yield fault(path, f"the verdict {verdict!r} is all marks; it needs a letter or a digit")
        elif key in first:
            same = "stands twice" if first[key] == verdict else f"would be read as {first[key]!r}"
            yield fault(path, f"the verdict {verdict!r} {same}; name each once, and let them differ in their letters")
        first.setdefault(key, verdict)
    passing = [choice.passes for choice in rubric.menu]
    if len(set(passing)) == 1:
        yield fault(("menu",), f"{'every' if passing[0] else 'no'} verdict passes, so the rubric decides nothing")
    elif rubric.ordered and passing != sorted(passing):
        at = passing.index(True)
        message = "is an ordered menu, worst first: no verdict after one that passes may fail; change the order"
        yield fault(("menu", passing.index(False, at), "passes"), f"{rubric.verdicts[at]!r} passes, and this {message}")
    yield from _near_faults(rubric, fault, set(first))
    times: Counter[str] = Counter()
    for at, name in enumerate(rubric.criterion_names):
        path, key = ("criteria", at, "name"), criterion_key(name)
        times[key] += 1
        if times[key] == 2:
            yield fault(path, f"the criterion {name!r} stands twice; name it once")
        if not key or key in RESERVED:
            yield fault(path, f"a criterion cannot be called {name!r}; a grader's reply has a key of that name")


def _near_faults(rubric: Rubric, fault: Any, known: set[str]) -> Iterator[Fault]:
    seen: set[str] = set()
    for at, verdict in enumerate(rubric.near):
        key = verdict_key(verdict)
        if key not in known:
            menu = ", ".join(rubric.verdicts)
            yield fault(("near", at), f"near: {verdict!r} is not on the menu; its verdicts are {menu}")
        elif key in seen:
            yield fault(("near", at), f"near: {verdict!r} stands twice; name it once")
        seen.add(key)
