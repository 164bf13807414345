"""From a task to verdicts: each criterion is scored between 0 and 1, and the score takes its place on the menu."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from evalkit.offline.grading import cheap as cheap_hand
from evalkit.offline.grading import strong as strong_hand
from evalkit.offline.grading.hand import Hand
from evalkit.offline.grading.mark import Mark
from evalkit.offline.grading.reading import Reading
from evalkit.offline.grading.sheet import Sheet

_RIGHT = re.compile(
    r"correct|accura|fact|right|golden|true|truth|complete|solv|resol|rout|action|invent", re.IGNORECASE
)
_MANNER = re.compile(r"tone|polite|manner|friendly|empath|kind|respect|style|clear|concise|plain|warm", re.IGNORECASE)


def marked(sheet: Sheet, strong: bool, hand: Hand, seed: int) -> list[dict[str, str]]:
    """One entry for each criterion, in the prompt's order: its name, what decided, and a verdict of the menu."""
    reading, by = Reading(sheet), strong_hand if strong else cheap_hand
    marks = {"right": by.correctness(reading), "manner": by.tone(reading)}
    marks["both"] = _both(marks["right"], marks["manner"])
    entries = []
    for name, asks in sheet.criteria:
        mark = marks[_kind(name, asks)]
        # Nothing of the transcript is drawn from, so that no text in it gets another draw.
        drawn = f"{seed}\n{name}\n{sheet.golden}"
        chance = random.Random(drawn.encode("utf-8", "surrogatepass"))
        place = _place(mark.value - hand.strictness, sheet.menu)
        if chance.random() < hand.unsure:
            place = _beside(place, sheet.menu, chance)
        entries.append({"name": name, "reasoning": mark.reasoning, "verdict": sheet.menu[place]})
    return entries


def _kind(name: str, asks: str) -> str:
    """Whether a criterion is about what is right, about manner, or about both: by its name, else by what it asks."""
    for text in (name, asks):
        right, manner = len(_RIGHT.findall(text)), len(_MANNER.findall(text))
        if right != manner:
            return "right" if right > manner else "manner"
    return "both"


def _both(one: Mark, other: Mark) -> Mark:
    """A criterion that asks for something else gets the middle of both, with the faults of both."""
    mark = Mark((one.value + other.value) / 2, f"{one.grounds}; {other.grounds}", one.measured or other.measured)
    mark.faults = [(1.0, fault) for _, fault in (*one.faults, *other.faults)]
    return mark


def _place(score: float, menu: Sequence[str]) -> int:
    """The place of a score on a menu that begins with its worst verdict."""
    return max(0, min(len(menu) - 1, int(score * len(menu) + 1e-9)))


def _beside(place: int, menu: Sequence[str], chance: random.Random) -> int:
    """One step up or down. At an end there is one way alone, and half of the draws stay: else a worse score could end
    above a better one, and a worse answer would pay.
    """
    return max(0, min(len(menu) - 1, place + chance.choice((-1, 1))))
