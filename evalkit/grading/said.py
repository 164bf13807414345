"""What of a grader's reply is said as its own: its thoughts, what it quotes, and the lines that are left."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evalkit.folding import fold
from evalkit.grading.loose_json import Found

_THOUGHTS = r"(think|thinking|thoughts?|reasoning|analysis|reflection|scratchpad)"
_OPENS = re.compile(rf"[\s\ufeff]*+(?:(?:```+|~~~+)\w*+\s*+)?<{_THOUGHTS}(?:\s[^<>]{{0,200}})?>", re.IGNORECASE)
_CLOSES = re.compile(rf"</{_THOUGHTS}\s*>", re.IGNORECASE)
_FENCE = re.compile(r"[ \t]{0,3}(```+|~~~+)")
_FENCE_ENDS = re.compile(r"\s*+(?:```+|~~~+)[ \t]*+(?=\n|\Z)")
_TAG = re.compile(r"<(/?)([A-Za-z][\w-]{0,40})(?:\s[^<>]{0,200})?>|\[(BEGIN|END) (DATA|GOLDEN)\b")
_TICKS = re.compile("`+")
# Tags that say how a text looks, not whose it is.
_LOOKS = frozenset(("a", "b", "br", "div", "em", "hr", "i", "li", "ol", "p", "span", "strong", "u", "ul"))
# Tags that a grader sets around all that it answers; around a part they may stand in what it quotes.
_ANSWERS = frozenset(
    ("answer", "final", "final_answer", "function_call", "grade", "grades", "grading", "json", "output", "reply",
     "response", "result", "tool_call", "verdict", "evaluation")
)  # fmt: skip
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u201e": "\u201c", "\u00ab": "\u00bb"}
# How far around a verdict it is read whether it is a quotation.
_AROUND = 300
_SENTENCE = re.compile(r"[.!?](?=\s|\Z)")
_SOMEBODY = (
    r"(?:agent|customer|user|assistant|bot|person|somebody|someone|he|she|they|it|who|transcript|conversation|message|"
    r"mail|e-?mail|text|turn|data|kunde|kundin|agentin)"
)
_ATTRIBUTED = re.compile(
    rf"\b{_SOMEBODY}\b.{{0,100}}?\b(?:wr(?:ote|ites?|itten|iting)|sa(?:ys?|id|ying)|paste[sd]?|post(?:s|ed)|quot\w+|"
    r"claim\w*|contain\w*|reads?|sen[dt]s?|ask(?:s|ed)|tells?|told|includ\w+|insert\w*|inject\w*|demand\w*|"
    r"repl(?:y|ies|ied)|answer(?:s|ed)|typed|copied|echo\w*|output|attempt\w*|tr(?:y|ies|ied)|wants?|wanted|shows?|"
    r"schr[ei]+b\w*|geschrieben|sagt\w*|behauptet\w*)\b"
    r"|\bquot(?:e|es|ed|ing|ation)\b|\b(?:in|from) the (?:transcript|conversation|message|data)\b"
)
_SPEAKER = re.compile(r"\W*(?:the )?(?:customer|user|agent|assistant|transcript|kunde|kundin)\W*")
_OWN = re.compile(r"\b(?:my|i|meine?)\b")
_DISOWNED = re.compile(
    r"\A\W*(?:which|that|this|it|these|those|the above)\b[^,;]{0,60}?\b(?:ignor\w*|disregard\w*|injection|attempt\w*|"
    r"manipulat\w*|(?:no|not (?:my|a|the)) (?:grade|verdict|answer)|quot(?:ed|ation)|copied|pasted)\b"
    r"|\b(?:i|we)\b.{0,20}?\b(?:ignor|disregard)\w* (?:it|that|this|them|these|those)\b"
    r"|\b(?:i|we)\b.{0,20}?\b(?:refuse|cannot|can't|can not|won't|will not|do not|don't|am not)\b"
    r".{0,20}?\b(?:grad(?:e|ing)|scor(?:e|ing)|rat(?:e|ing)|judge|follow|accept|obey)\b"
    r"|\A\W*to (?:fool|trick|cheat|mislead)\b"
)
_MARKS = " \t*_`#|"
_BULLET = re.compile(r"(?:[-+]|\u2022|[0-9]{1,2}[.)])\s+")
_LINE = re.compile(r"(?P<key>[^:]{1,100}?)[*_`\s]*:[*_`\s]*(?P<value>.*)")


@dataclass(frozen=True)
class Line:
    """A line `key: value`, folded, from `start` to `end` of the text; `fenced` where it stands in a fence."""

    key: str
    value: str
    start: int
    end: int
    fenced: bool


def thoughts_end(text: str) -> int | None:
    """The place behind the thoughts that a reply begins with, marked as such: 0 without any, None if they never end."""
    at = 0
    while opened := _OPENS.match(text, at):
        name = opened[1].lower()
        closed = next((each for each in _CLOSES.finditer(text, opened.end()) if each[1].lower() == name), None)
        if closed is None:
            return None
        at = closed.end()
        if opened[0].strip("\ufeff \n\r\t")[0] != "<" and (fence := _FENCE_ENDS.match(text, at)):
            at = fence.end()
    return at


def unopened_thoughts_end(text: str, objects: Iterable[Found]) -> int:
    """The place behind a last </think> that nothing opened, outside every object; 0 where there is none.

    A grader may have quoted such a mark, so what stands before it is never read, but still compared.
    """
    spans = _Spans((each.start, each.end) for each in objects)
    last = 0
    for found in _CLOSES.finditer(text):
        if not spans.holds(found.start()):
            last = found.end()
    return last if text[last:].strip(" \t\r\n`~") else 0


class _Spans:
    """Spans of a text, looked up by a place in them; none overlaps another."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self.all = sorted(spans)
        self.starts = [start for start, _ in self.all]

    def holds(self, place: int) -> tuple[int, int] | None:
        at = bisect_right(self.starts, place) - 1
        return self.all[at] if at >= 0 and place < self.all[at][1] else None


class Layout:
    """How a reply is laid out around its objects: fences, code, block quotes and tags."""

    def __init__(self, text: str, objects: Iterable[Found]) -> None:
        self.text = text
        self.objects = _Spans((each.start, max(each.end, each.start + 1)) for each in objects)
        self._rows: list[tuple[int, str, bool]] = []
        self._fences, self._inline = (_Spans(each) for each in self._read_rows())
        self._tags = list(self._wrappers())

    def _read_rows(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Notes the rows outside objects and block quotes; comes back with the spans of fences and of inline code."""
        fences: list[tuple[int, int]] = []
        codes: list[tuple[int, int]] = []
        opened, fence, quoted = None, "", False
        for place, row, begins in self._pieces():
            quoted = row.lstrip().startswith((">", *_QUOTES)) if begins else quoted
            mark = _FENCE.match(row)
            if opened is not None:
                if mark and mark[1].startswith(fence) and not row[mark.end() :].strip():
                    fences.append((opened, place + len(row)))
                    opened = None
            elif mark:
                opened, fence = place, mark[1]
            if not quoted:
                self._rows.append((place, row, opened is not None or mark is not None))
        place = 0
        for row in self.text.splitlines(keepends=True):
            codes += self._codes(row, place)
            place += len(row)
        if opened is not None:
            fences.append((opened, len(self.text)))
        return fences, codes

    def _pieces(self) -> Iterator[tuple[int, str, bool]]:
        """The rows of the text, without the objects in them: place, words, and whether a row begins there."""
        place = 0
        for start, end in [*self.objects.all, (len(self.text), len(self.text))]:
            for row in self.text[place:start].splitlines(keepends=True):
                yield place, row, place == 0 or self.text[place - 1] in "\r\n\u2028\u2029\x85\v\f"
                place += len(row)
            place = end

    def _codes(self, row: str, place: int) -> Iterator[tuple[int, int]]:
        """The spans of a row between marks of code; one that is all of the row shows, and does not quote."""
        opened = None
        for found in _TICKS.finditer(row):
            if self.objects.holds(place + found.start()):
                continue
            if opened is None:
                opened = found
            elif len(found[0]) == len(opened[0]):
                if row[: opened.start()].strip() or row[found.end() :].strip():
                    yield place + opened.start(), place + found.end()
                opened = None

    def _wrappers(self) -> Iterator[tuple[int, int]]:
        """The spans from the first opening tag of a name to its last closing one."""
        opened: dict[str, int] = {}
        closed: dict[str, int] = {}
        for found in _TAG.finditer(self.text):
            inside = self.objects.holds(found.start())
            if inside and inside[0] < found.start():
                continue
            name = (found[2] or found[4]).lower()
            if found[1] or found[3] == "END":
                closed[name] = found.end()
            else:
                opened.setdefault(name, found.start())
        if len(opened) > 50 and closed:
            # So many names are no reply; what they span is a quotation as a whole.
            yield min(opened.values()), max(closed.values())
            return
        for name, start in opened.items():
            end = closed.get(name, 0)
            if end > start and name not in _LOOKS and not (name in _ANSWERS and self._is_all(start, end)):
                yield start, end

    def _is_all(self, start: int, end: int) -> bool:
        """Whether nothing is said outside a span but tags and fences."""
        outside = self.text[max(start - 500, 0) : start] + " " + self.text[end : end + 500]
        near = start <= 500 and len(self.text) - end <= 500
        return near and not _TAG.sub("", outside).replace("json", "").strip(" \t\r\n`~\ufeff")

    def is_quoted(self, start: int, end: int) -> bool:
        """Whether what stands from `start` to `end` is, or may well be, somebody else's words."""
        before, after = self.text[max(start - 1, 0) : start], self.text[end : end + 1]
        if (before and _QUOTES.get(before) == after) or self._inline.holds(start):
            return True
        if any(first <= start < last for first, last in self._tags):
            return True
        row = self.text[max(start - _AROUND, 0) : start].rpartition("\n")[2].lstrip()
        rest = self.text[end : end + _AROUND].partition("\n")[0]
        opened = fold(row).text.count('"') % 2 == 1 and '"' in fold(rest).text
        return row.startswith(">") or opened or self._is_attributed(start) or self._is_disowned(end)

    def _is_attributed(self, start: int) -> bool:
        """Whether the words that lead to a place name somebody who wrote or said what stands there."""
        *rows, same = self.text[max(start - _AROUND, 0) : start].split("\n")
        lead = same.strip(_MARKS + '">-\r\ufeff')
        if not re.search(r"\w", _TAG.sub("", lead)):
            said = [row for row in rows if re.search(r"\w", row) and not _FENCE.match(row)]
            lead = said[-1].strip(_MARKS + ">-\r") if said else ""
            leads = lead.endswith((":", ",", "\uff1a"))
        else:
            leads = True
        lead = fold(lead).text.casefold()
        if _SPEAKER.fullmatch(lead):
            return True
        if lead.endswith((".", "!", "?", ";")):
            return False
        sentence = _SENTENCE.split(lead)[-1] or lead
        found = _ATTRIBUTED.search(sentence)
        if found is None or _OWN.search(sentence, found.end()):
            return False
        return leads or found.end() == len(sentence)

    def _is_disowned(self, end: int) -> bool:
        """Whether the words behind a place say that what stands there is none of the grader's."""
        tail = fold(_TAG.sub("", self.text[end : end + _AROUND])).text.casefold().strip(" `~\"'.)")
        sentences = [each for each in _SENTENCE.split(tail, maxsplit=2)[:2] if each.strip()]
        if sentences and not sentences[0].lstrip().startswith(("{", "[")) and _DISOWNED.search(sentences[0]):
            return True
        same = fold(self.text[end : end + _AROUND].partition("\n")[0]).text.casefold()
        words = _SENTENCE.split(same)[0]
        return bool(re.match(r"\W*(?:is|was)\b", words) and re.search(rf"\b{_SOMEBODY}\b", words)) and not (
            _OWN.search(words)
        )

    def lines(self) -> Iterator[Line]:
        """Every line `key: value`, or of a word alone, outside the objects, block quotes and quotation marks."""
        for place, row, fenced in self._rows:
            colon = ":" in row or "\uff1a" in row
            if not colon and len(row) > 60:
                continue
            plain = fold(row).text.strip(_MARKS)
            if mark := _BULLET.match(plain):
                plain = plain[mark.end() :].strip(_MARKS)
            end = place + len(row)
            found = _LINE.fullmatch(plain) if colon else None
            if found is None:
                # A word alone may be a verdict; a letter or a number alone is a list's mark as well.
                if len(word := plain.strip(".!")) > 1 and word.replace(" ", "").isalpha():
                    yield Line("", word, place, end, fenced)
                continue
            key = found["key"].strip(_MARKS).casefold()
            yield Line(key, found["value"], place, end, fenced)

    def written(self, line: Line) -> str:
        """What stands behind a line's colon, as it was written."""
        row = self.text[line.start : line.start + _AROUND].splitlines()[0]
        return re.split("[:\uff1a]", row, maxsplit=1)[-1].strip()

    def is_own(self, line: Line) -> bool:
        """Whether a line is the grader's: not in a fence, an indent, or tags, and not told of around it."""
        start, end = line.start, line.end
        if line.fenced:
            span = self._fences.holds(start)
            if span is None or not self._is_all(*span):
                return False
        if self.text.startswith(("    ", "\t"), start) and not self._is_all(start, end):
            return False
        if any(first <= start < last for first, last in self._tags):
            return False
        return not (self._is_attributed(start) or self._is_disowned(end))
