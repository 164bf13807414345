"""Amendments of a suite: what was changed on the record, where no case's own `amendments` can hold it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, Field

from evalkit import documents
from evalkit.cases import Amendment
from evalkit.documents.editing import is_blank
from evalkit.errors import CaseError, Fault
from evalkit.written import Text, parse

FILES = ("amendments.yaml", "amendments.yml")

# What an amendment may name: these, each with a name after it, …
NAMED = (
    *("case/", "removed/", "pattern/", "rubric/", "fixture/", "tools/", "prompt/", "quarantine/"),
    *("points.", "policy.", "private.", "trust.", "gate.", "samples."),
)
# … or one of these.
ALONE = ("disqualify_on", "eval_mode_tag", "today")


def _is_key(key: str) -> str:
    if key in ALONE or any(key.startswith(prefix) and len(key) > len(prefix) for prefix in NAMED):
        return key
    prefix = key[: min((at + 1 for at in (key.find("/"), key.find(".")) if at >= 0), default=len(key))]
    near = difflib.get_close_matches(prefix, (*NAMED, *ALONE), n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}…?" if near else f"write one of {', '.join(f'{each}…' for each in NAMED)}"
    raise ValueError(f"{key[:60]!r} names nothing that can be amended; {hint}")


class SuiteAmendment(Amendment):
    """A change of a suite, on the record; `what` are the keys of what was changed, as the gate names them."""

    what: Annotated[tuple[Annotated[Text, AfterValidator(_is_key)], ...], Field(min_length=1, max_length=10_000)]


def amendments_of(suite_files: Mapping[str, str]) -> tuple[SuiteAmendment, ...]:
    """The amendments among a suite's files, as they stand. Raises CaseError where the file is faulty."""
    path = next((path for path in FILES if path in suite_files), None)
    if path is None:
        return ()
    found = list(_read(path, suite_files[path].encode("utf-8", "surrogatepass")))
    if faults := [each for each in found if isinstance(each, Fault)]:
        raise CaseError(faults)
    return tuple(each for each in found if isinstance(each, SuiteAmendment))


def faults_in(files: Mapping[str, bytes], origin: str = "") -> list[Fault]:
    """Every fault of the amendments among a suite's files; `origin` is the folder that messages name before a path."""
    faults: list[Fault] = []
    present = [path for path in FILES if path in files]
    for path in present:
        file = str(PurePosixPath(origin, path)) if origin else path
        if path != present[0]:
            faults.append(Fault(file, None, "", f"{present[0]} holds amendments too; keep one"))
        faults += [each for each in _read(file, files[path]) if isinstance(each, Fault)]
    return faults


def _read(file: str, data: bytes) -> Iterator[SuiteAmendment | Fault]:
    if is_blank(data):
        return
    try:
        document = documents.read(file, data)
    except CaseError as error:
        yield from error.faults
        return
    if not isinstance(document.value, list):
        message = "a list is needed: `- {who: …, when: …, why: …, what: [policy.refund_limit_usd]}`"
        yield Fault(file, document.line(), "", message)
        return
    for at, value in enumerate(document.value):
        found = parse(SuiteAmendment, value, document.line, (at,), file, f"amendment {at + 1}")
        if isinstance(found, SuiteAmendment):
            yield found
        else:
            yield from found
