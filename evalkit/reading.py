"""One pass over a suite's files: every case, pattern and article, and every fault on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from evalkit import amendments, documents, quarantine
from evalkit.card import as_read
from evalkit.cases import Case
from evalkit.documents import Document
from evalkit.errors import Fault, SuiteError
from evalkit.patterns import Concepts, Pattern, concept_key
from evalkit.patterns.examples import mistaken, unproved
from evalkit.rubrics import rubric_faults
from evalkit.sandbox import record_of
from evalkit.settings import Settings
from evalkit.suite import Article, Suite
from evalkit.written import parse

# Folders and files of a suite that hold something else than cases.
RESERVED_FOLDERS = ("fixtures", "knowledge", "labels", "prompts", "rubrics", "shootouts", "tools")
RESERVED_FILES = ("suite.yaml", "suite.yml", "patterns.yaml", "patterns.yml", *quarantine.FILES, *amendments.FILES)
DATA = (".yaml", ".yml", ".json", ".jsonl")
PROSE = (".md", ".txt")


@dataclass
class Checked:
    """A suite's faults and notices, and the suite itself where there is no fault.

    `disproved` are cases whose golden answer fails their own expectations: a fault of a suite that is to be played,
    and no reason not to read what was played under it once. `places` says where each case stands: file and line.
    """

    suite: Suite | None = None
    faults: list[Fault] = field(default_factory=list)
    disproved: list[Fault] = field(default_factory=list)
    notices: list[Fault] = field(default_factory=list)
    places: Mapping[str, tuple[str, int | None]] = field(default_factory=dict)


class Reading:
    """One pass over a suite's files that gathers every fault on its way."""

    def __init__(self, files: Mapping[str, bytes], name: str, origin: str) -> None:
        self.files = files
        self.name = name
        self.origin = origin
        self.faults: list[Fault] = []
        self.notices: list[Fault] = []
        self.disproved: list[Fault] = []
        self.places: dict[str, tuple[Document, tuple[str | int, ...]]] = {}
        self.dictionary: Document | None = None

    def checked(self, proved: bool = True) -> Checked:
        settings = self._settings()
        patterns = self._patterns()
        cases = tuple(self._cases(settings))
        self._others_are_readable()
        text = {path: self._text(path) for path in self.files}
        articles = tuple(self._articles(text))
        suite = Suite(settings.name or self.name, settings, cases, patterns, articles, text, self.origin)
        self._records(suite)
        self.faults += [*rubric_faults(self.files, self.origin), *amendments.faults_in(self.files, self.origin)]
        self.faults += quarantine.faults_in(self.files, None if self.faults else suite.by_id, self.origin)
        self._concepts(suite, proved)
        if not self.faults and proved:
            self._look_over(suite)
        faults, disproved, notices = (
            sorted(found, key=_place) for found in (self.faults, self.disproved, self.notices)
        )
        places = {name: (document.file, document.line(place)) for name, (document, place) in self.places.items()}
        return Checked(None if faults else suite, faults, disproved, notices, places)

    def _label(self, path: str) -> str:
        return str(PurePosixPath(self.origin, path)) if self.origin else path

    def _text(self, path: str) -> str:
        try:
            return self.files[path].decode("utf-8-sig")
        except UnicodeDecodeError as error:
            if _is_prose(path):  # the reader of documents tells of all others
                line = self.files[path].count(b"\n", 0, error.start) + 1
                self.faults.append(
                    Fault(self._label(path), line, "", "holds a byte that is not UTF-8; save it as UTF-8")
                )
            return ""

    def _document(self, path: str) -> Document | None:
        try:
            return documents.read(self._label(path), self.files[path])
        except SuiteError as error:
            self.faults += error.faults
            return self._good_lines(path, error) if path.lower().endswith(".jsonl") else None

    def _good_lines(self, path: str, error: SuiteError) -> Document | None:
        """What a JSONL file holds beside its bad lines, so that the faults of its other cases are told as well."""
        bad = {fault.line for fault in error.faults}
        lines = self.files[path].split(b"\n")
        kept = b"\n".join(b"" if number in bad else line for number, line in enumerate(lines, start=1))
        try:
            return documents.read(self._label(path), kept) if kept.strip() else None
        except SuiteError:
            return None

    def _first(self, *names: str) -> str | None:
        found = [name for name in names if name in self.files]
        self.faults += [Fault(self._label(name), None, "", f"{found[0]} is there, too; keep one") for name in found[1:]]
        return found[0] if found else None

    def _settings(self) -> Settings:
        path = self._first("suite.yaml", "suite.yml")
        document = self._document(path) if path else None
        if document is None:
            return Settings()
        found = parse(Settings, document.value, document.line, (), document.file, "")
        if isinstance(found, Settings):
            return found
        self.faults += found
        return Settings()

    def _patterns(self) -> dict[str, Pattern]:
        path = self._first("patterns.yaml", "patterns.yml")
        document = self.dictionary = self._document(path) if path else None
        if document is None:
            return {}
        if not isinstance(document.value, dict):
            self.faults.append(
                Fault(document.file, 1, "", "a mapping of concepts is needed: `never expires: {any: [...]}`")
            )
            return {}
        patterns: dict[str, Pattern] = {}
        for name, value in document.value.items():
            written = {"any": value} if isinstance(value, list) else value
            found = parse(Pattern, written, document.line, (name,), document.file, name)
            if isinstance(found, Pattern):
                patterns[name] = found
            else:
                self.faults += found
        return patterns

    def _concepts(self, suite: Suite, proved: bool) -> None:
        """The faults and notices of the patterns: what does not compile, and examples that do not hold."""
        try:
            faults = mistaken(suite.concepts, suite.patterns) if proved else []
            notices = [*suite.concepts.notices, *(unproved(suite.concepts, suite.patterns) if proved else [])]
        except SuiteError as error:
            faults, notices = list(error.faults), []
        self.faults += [self._in_dictionary(fault) for fault in faults]
        self.notices += [self._in_dictionary(notice) for notice in notices]

    def _in_dictionary(self, fault: Fault) -> Fault:
        if self.dictionary is None:
            return fault
        return Fault(self.dictionary.file, self.dictionary.line((fault.where,)), fault.where, fault.message)

    def _cases(self, settings: Settings) -> Iterator[Case]:
        for path in sorted(self.files):
            pure = PurePosixPath(path)
            if path in RESERVED_FILES or pure.parts[0] in RESERVED_FOLDERS or pure.suffix.lower() not in DATA:
                continue
            document = self._document(path)
            if document is None:
                continue
            listed = isinstance(document.value, list)
            for index, value in enumerate(document.value if listed else [document.value]):
                case = self._case(value, document, (index,) if listed else (), pure, settings)
                if case is not None:
                    yield case

    def _case(
        self,
        value: Any,
        document: Document,
        place: tuple[str | int, ...],
        path: PurePosixPath,
        settings: Settings,
    ) -> Case | None:
        line = document.line(place)
        if not isinstance(value, dict):
            self.faults.append(Fault(document.file, line, "", "a case is needed: a mapping with an id and a ticket"))
            return None
        where = str(value.get("id", "case without an id"))[:100]
        stratum_key = "group" if "group" in value else "stratum"
        if {"group", "stratum"} <= value.keys() and value["group"] != value["stratum"]:
            message = "group and stratum differ; they are one key"
            self.faults.append(Fault(document.file, document.line((*place, "group")), where, message))
        written = {key: item for key, item in value.items() if key != "group"}
        written.setdefault("stratum", value.get("group", path.parent.name or self.name))
        found = parse(Case, written, document.line, place, document.file, where)
        if not isinstance(found, Case):
            self.faults += found
            return None
        if found.id in self.places:
            first, its_place = self.places[found.id]
            message = f"this id is taken by {first.file}:{first.line(its_place)}"
            self.faults.append(Fault(document.file, document.line((*place, "id")), where, message))
        self.places.setdefault(found.id, (document, place))
        if found.imported and self.origin:
            message = "imported: a case of that kind comes with its trials by `evalkit import`; write a ticket instead"
            self.faults.append(Fault(document.file, document.line((*place, "imported")), where, message))
        strata = settings.strata
        if strata is not None and stratum_key in value and found.stratum not in strata:
            message = f"stratum {found.stratum!r} is not in suite.yaml's strata: {', '.join(strata)}"
            self.faults.append(Fault(document.file, document.line((*place, stratum_key)), where, message))
        self._fixtures_exist(found, document, place)
        return found

    def _fixtures_exist(self, case: Case, document: Document, place: tuple[str | int, ...]) -> None:
        for fixture in case.fixtures:
            if f"fixtures/{fixture}" not in self.files:
                line = document.line((*place, "fixtures"))
                message = f"fixture {fixture!r} is missing; write {self._label(f'fixtures/{fixture}')}"
                self.faults.append(Fault(document.file, line, case.id, message))

    def _records(self, suite: Suite) -> None:
        """The faults of fixtures that hold no record."""
        known = {fixture for case in suite.cases for fixture in case.fixtures if f"fixtures/{fixture}" in self.files}
        for fixture in sorted(known):
            try:
                record_of(suite, fixture)
            except SuiteError as error:
                self.faults += [fault for fault in error.faults if fault not in self.faults]

    def _others_are_readable(self) -> None:
        """The faults of files that hold no cases and are read only when they are needed."""
        for path in sorted(self.files):
            cases = PurePosixPath(path).parts[0] not in RESERVED_FOLDERS
            if not (cases or _is_prose(path) or path.startswith(("tools/", "rubrics/"))):
                self._document(path)

    def _articles(self, texts: Mapping[str, str]) -> Iterator[Article]:
        for path, written in sorted(texts.items()):
            pure = PurePosixPath(path)
            if pure.parts[0] != "knowledge" or pure.suffix.lower() not in PROSE:
                continue
            title, _, text = written.strip().partition("\n")
            if title.strip("# "):
                yield Article(
                    str(pure.relative_to("knowledge").with_suffix("")), title.lstrip("# ").strip(), text.strip()
                )
            elif not self.files[path].strip():
                self.faults.append(Fault(self._label(path), 1, "", "is empty; write `# Title`, then the article"))

    def _look_over(self, suite: Suite) -> None:
        """What can be said only of the whole: literal phrases, unused concepts, golden answers that miss their mark."""
        literals = set(suite.literals)
        for case in suite.cases:
            for key in ("must_include", "must_not_include"):
                for name in getattr(case, key):
                    if name in literals:
                        self._notice(case, key, f"{name!r} names no concept; it is matched as a literal phrase")
            golden = case.reference.golden_answer
            if any(char.isalnum() for char in golden):
                self._golden(case, suite.concepts, golden)
            if case.risk == "safety" and not case.expects_handoff and case.kind == "ticket":
                self._notice(
                    case, "risk", "is a safety case that expects no handoff: no answer to it can be a missed one"
                )
            if case.status == "draft":
                self._notice(case, "status", "is a draft and is not played")
        used = {concept_key(name) for case in suite.cases for name in case.assertions}
        for name in suite.patterns:
            if concept_key(name) not in used and self.dictionary is not None:
                self.notices.append(self._in_dictionary(Fault("", None, name, "no case uses this concept")))

    def _golden(self, case: Case, concepts: Concepts, golden: str) -> None:
        claimed = {
            concept_key(hit.concept) for hit in concepts.find(as_read(golden), case.assertions) if not hit.negated
        }
        missing = [name for name in case.must_include if concept_key(name) not in claimed]
        forbidden = [name for name in case.must_not_include if concept_key(name) in claimed]
        for names, verb in (
            (missing, "lacks its own must_include"),
            (forbidden, "claims its own must_not_include"),
        ):
            if names:
                # A draft's golden answer may still be on its way.
                found = self.notices if case.status == "draft" else self.disproved
                found.append(self._at(case, "reference", f"the golden answer {verb}: {', '.join(names)}"))

    def _notice(self, case: Case, key: str, message: str) -> None:
        self.notices.append(self._at(case, key, message))

    def _at(self, case: Case, key: str, message: str) -> Fault:
        document, place = self.places[case.id]
        return Fault(document.file, document.line((*place, key)), case.id, message)


def _place(fault: Fault) -> tuple[str, int]:
    return fault.file, fault.line or 0


def _is_prose(path: str) -> bool:
    """Whether a file is a text for models or people, whatever its ending."""
    return path.startswith("prompts/") or path.lower().endswith(PROSE)
