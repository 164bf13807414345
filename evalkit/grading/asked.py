"""What a grader was asked for: criteria and verdicts, found again in the words that it gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evalkit.folding import fold
from evalkit.grading.loose_json import Number
from evalkit.rubrics import Rubric, criterion_key, verdict_key

# What is longer is no verdict, but prose.
_VERDICT_CHARS = 300
_AROUND = " \t*_`"
# What people put around a criterion's name.
_NAME_ENDS = " \t*_`\"':#"
_NAME_MARKS = re.compile(r"(?:[-+\u2022]|[0-9]{1,2}[.)])\s+")
# Words around a criterion in a line's key; with no criterion, some of them speak of the whole grade.
_ABOUT = frozenset(
    ("the", "my", "our", "a", "for", "of", "on", "final", "revised", "corrected", "correction", "new", "updated",
     "actual", "overall", "total", "verdict", "grade", "score", "rating", "criterion")
)  # fmt: skip
WHOLE = frozenset(["verdict", "grade", "score", "rating", "overall", "total"])
AGAIN = re.compile(
    r"\b(?:grade|verdict)[*_`\s]*:[*_`\s]*([^:]*?)(?=[.,;!]?\s+(?:final )?(?:grade|verdict)\b|\Z)", re.IGNORECASE
)
# A verdict with words behind it, and the words that turn or doubt it.
_WORDED = re.compile(r"(?P<verdict>[^:]{1,100}?)(?:[!,;]|(?:\s*:|,?\s+-)\s+(?P<words>\S.*))", re.DOTALL)
_ENCLOSED = re.compile(r"\((.+)\)|<(.+)>")
_HEDGE = re.compile(
    r"\b(?:not?|never|neither|nor|but|or|only|almost|barely|nearly|hardly|if|unless|without|except|however|though|"
    r"although|maybe|perhaps|possibly|would|could|should|than|between|instead|wanted?|wrote|says?|said|asked|cannot|"
    r"what|customer wants?|if)\b|n't\b|[?/{]|\A[0-9]"
)
# What a line claims, if it is read as generously as can be: "2/5", "2 (revised)".
_CLAIM = re.compile(
    r"[*_`\s]*([^\s/,;:!(.]{1,40}?)[*_`]*(?:\s?/\s?[0-9]+|\sout of [0-9]+)?[*_`]*\s*(?=\Z|[.,;!](?:\s|\Z)|\(|-\s)"
)
_CALLS = ({"arguments", "name"}, {"name", "parameters"}, {"input", "name"})


class Asked:
    """What was asked for, by the keys that it is looked up by: criteria, and verdicts of the menu."""

    def __init__(self, rubric: Rubric) -> None:
        self.rubric = rubric
        self.criteria = {criterion_key(name): name for name in rubric.criterion_names}
        self.menu = {verdict_key(verdict): verdict for verdict in rubric.verdicts}
        self.means = {choice.verdict: fold(choice.means).text.casefold() for choice in rubric.menu}
        self.only = next(iter(self.criteria)) if len(self.criteria) == 1 else None
        plain = [_plain_name(key) for key in self.criteria]
        self._plain = {name: key for name, key in zip(plain, self.criteria, strict=True) if plain.count(name) == 1}

    def criterion(self, name: str) -> str:
        """The key of the criterion that a name means, marks around it or not; the name itself where it means none."""
        if len(name) > _VERDICT_CHARS:
            return name
        key = criterion_key(name)
        return key if key in self.criteria else self._plain.get(_plain_name(key), name)

    def is_one(self, name: str) -> bool:
        return self.criterion(name) in self.criteria

    def of_line(self, key: str) -> str | None:
        """The criterion that a line's key speaks of, '' for the grade as a whole, None for something else."""
        if not key or self.is_one(key):
            return key and self.criterion(key)
        words = re.findall(r"[^\W_]+", key)
        about = " ".join(word for word in words if word not in _ABOUT)
        if about:
            return self.criterion(about) if self.is_one(about) else None
        return "" if WHOLE & set(words) else None


def _plain_name(name: str) -> str:
    plain = name.strip(_NAME_ENDS)
    if mark := _NAME_MARKS.match(plain):
        plain = plain[mark.end() :].strip(_NAME_ENDS)
    return " ".join(plain.replace("_", " ").split())


def unwrapped(value: Any, asked: Asked) -> Any:
    """An answer out of what may be around it: a tool's call, an object of one key, a list of one object."""
    for _ in range(3):
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and "criteria" in value[0]:
            value = value[0]
        elif not isinstance(value, dict) or is_answer(value, asked):
            break
        elif value.keys() in _CALLS:
            value = next(each for key, each in value.items() if key != "name")
        elif len(value) == 1 and "name" not in value:
            value = next(iter(value.values()))
        else:
            break
    return value


def is_answer(value: Any, asked: Asked) -> bool:
    """Whether a list or an object is meant as an answer, be it a faulty one."""
    if isinstance(value, list):
        return any(isinstance(each, dict) and "verdict" in each for each in value)
    return isinstance(value, dict) and (bool(value.keys() & {"criteria", "verdict"}) or any(map(asked.is_one, value)))


def entries_of(value: Any, asked: Asked) -> Iterator[tuple[str | None, Any]]:
    """What an answer says of each criterion: its name, None where it has none, and the object or bare verdict."""
    if isinstance(value, dict) and "criteria" in value:
        value = value["criteria"]
    elif isinstance(value, dict) and "verdict" not in value:
        # Criteria as the object's own keys; what stands beside them counts where it gives a verdict too.
        value = {
            key: each
            for key, each in value.items()
            if asked.is_one(key) or (isinstance(each, dict) and "verdict" in each) or _is_bare(each, asked)
        }
    if isinstance(value, dict) and "verdict" not in value:
        yield from ((asked.criterion(key), each) for key, each in value.items())
    elif isinstance(value, dict | list):
        for each in value if isinstance(value, list) else [value]:
            name = each.get("name", asked.only) if isinstance(each, dict) else None
            yield (asked.criterion(name) if isinstance(name, str) else None), each


def _is_bare(value: Any, asked: Asked) -> bool:
    return not isinstance(value, dict | list) and verdict_of(value, asked) is not None


def verdict_of(value: Any, asked: Asked) -> str | None:
    """The verdict of the menu that a value gives, plainly or with its meaning behind it: "4", "(4)", "4 - good"."""
    text = str(value) if isinstance(value, bool) else value.text if isinstance(value, Number) else value
    if not isinstance(text, str) or len(text) > _VERDICT_CHARS:
        return None
    if (exact := asked.menu.get(verdict_key(text))) is not None or isinstance(value, Number):
        return exact
    plain = fold(text).text.strip(_AROUND)
    if enclosed := _ENCLOSED.fullmatch(plain):
        return asked.menu.get(verdict_key(enclosed[1] or enclosed[2]))
    if re.fullmatch(r"[0-9]+,0+", plain):
        return asked.menu.get(verdict_key(plain.partition(",")[0]))
    worded = _WORDED.fullmatch(plain)
    verdict = asked.menu.get(verdict_key(worded["verdict"])) if worded else None
    words = (worded["words"] or "").casefold() if worded else ""
    if verdict is None or not words or asked.means[verdict].startswith(words.strip(" .")):
        return verdict
    others = {each for key, each in asked.menu.items() if re.search(rf"(?<!\w){re.escape(key)}(?!\w)", words)}
    return None if others - {verdict} or _HEDGE.search(words) else verdict


def line_verdict(value: str, asked: Asked) -> tuple[str | None, str]:
    """The verdict that a line gives, alone or as its first sentence, and the rest of the line."""
    first, _, rest = value.partition(". ")
    whole = verdict_of(value, asked)
    return (whole, "") if whole is not None else (verdict_of(first, asked), rest)


def claim_of(value: str, asked: Asked) -> str | None:
    """The verdict that a line may mean: what need not be read may still differ."""
    if (verdict := line_verdict(value, asked)[0]) is not None:
        return verdict
    found = _CLAIM.match(value)
    return asked.menu.get(verdict_key(found[1])) if found else None
