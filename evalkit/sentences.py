"""Labelled sentences: what people say that each claims, to test patterns by."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from evalkit import documents
from evalkit.errors import CaseError, Fault
from evalkit.patterns import concept_key
from evalkit.written import Names, Text, Written, parse

SENTENCES = "labels/sentences.yaml"


class Sentence(Written):
    """A sentence with all concepts that it claims; none where `says` is empty. `trap` names what is hard about it."""

    text: Text
    says: Names = ()
    trap: Text | None = None
    language: Text = "en"


def load_sentences(path: Path, concepts: Collection[str]) -> tuple[Sentence, ...]:
    """The labelled sentences of a file; raises CaseError with every fault, an unknown concept among them."""
    try:
        document = documents.read(str(path), path.read_bytes())
    except OSError as error:
        raise CaseError([Fault(str(path), None, "", f"cannot be read: {error.strerror}")]) from error
    if not isinstance(document.value, list):
        raise CaseError([Fault(document.file, 1, "", "a list is needed: `- {text: ..., says: [concept]}`")])
    known = {concept_key(name) for name in concepts}
    faults: list[Fault] = []
    sentences: dict[str, Sentence] = {}
    for index, value in enumerate(document.value):
        found = parse(Sentence, value, document.line, (index,), document.file, f"sentence {index + 1}")
        if not isinstance(found, Sentence):
            faults += found
            continue
        unknown = [name for name in found.says if concept_key(name) not in known]
        said = [f"no concept {', '.join(map(repr, unknown))} in patterns.yaml"] if unknown else []
        said += ["this sentence stands twice"] if found.text in sentences else []
        faults += [Fault(document.file, document.line((index,)), f"sentence {index + 1}", each) for each in said]
        sentences[found.text] = found
    if faults:
        raise CaseError(faults)
    return tuple(sentences.values())
