"""What people said of transcripts: items with their ratings, and the sets that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from evalkit.fingerprint import sha256
from evalkit.grading.turns import Turn, to_plain

Source = Literal["people", "example"]
Kind = Literal["ticket", "conversation"]


@dataclass(frozen=True)
class Rating:
    """What one rater said of one item: a verdict for each criterion that was rated; `date` as YYYY-MM-DD."""

    rater: str
    date: str
    verdicts: Mapping[str, str]
    note: str = ""


@dataclass(frozen=True)
class Adjudication:
    """What the lead decided where the raters differed, and the rule that it follows from."""

    lead: str
    date: str
    verdicts: Mapping[str, str]
    rule: str


@dataclass(frozen=True)
class Item:
    """One transcript that people judge, with what they said of it.

    `inclusion` is the probability with which this very trial came into the set. `line` is where it stands in its file.
    """

    id: str
    case: str
    stratum: str
    candidate: str
    trial: int
    kind: Kind
    inclusion: float
    turns: tuple[Turn, ...]
    reference: str
    ratings: tuple[Rating, ...] = ()
    adjudication: Adjudication | None = None
    line: int | None = field(default=None, compare=False, repr=False)

    @cached_property
    def criteria(self) -> tuple[str, ...]:
        """The criteria that a rater gave a verdict on."""
        return tuple(dict.fromkeys(name for rating in self.ratings for name in rating.verdicts))

    @cached_property
    def differing(self) -> tuple[str, ...]:
        """The criteria on which the raters differ, decided or not."""
        return tuple(name for name in self.criteria if len(self.given(name)) > 1)

    def given(self, criterion: str) -> frozenset[str]:
        """The verdicts that raters gave on a criterion."""
        return frozenset(rating.verdicts[criterion] for rating in self.ratings if criterion in rating.verdicts)

    def verdict(self, criterion: str) -> str | None:
        """The raters' verdict where all agree, else the lead's; None where nobody rated it or it is not decided."""
        given = self.given(criterion)
        if len(given) == 1:
            return next(iter(given))
        return self.adjudication.verdicts.get(criterion) if given and self.adjudication else None

    @cached_property
    def verdicts(self) -> Mapping[str, str | None]:
        """The verdict on each criterion that was rated; None where the raters differ and the lead has not decided."""
        return {name: self.verdict(name) for name in self.criteria}

    @property
    def undecided(self) -> tuple[str, ...]:
        """The criteria on which the raters differ and the lead has not decided."""
        return tuple(name for name, verdict in self.verdicts.items() if verdict is None)

    @property
    def decided(self) -> bool:
        """Whether the item was rated, and every criterion that was has its verdict."""
        return bool(self.criteria) and not self.undecided

    @property
    def month(self) -> str | None:
        """The month of its first rating as YYYY-MM; None where nobody rated it."""
        return min((rating.date[:7] for rating in self.ratings if rating.verdicts), default=None)


@dataclass(frozen=True)
class LabelSet:
    """Items that were drawn and rated together, by one rubric.

    `source` says whether people labelled them, or whether they are an example that shows the workflow. `drawn_from`
    holds the run and the seed of the draw. `file` is where the set was read from, for messages.
    """

    name: str
    source: Source
    rubric: str
    about: str
    drawn_from: Mapping[str, Any]
    items: tuple[Item, ...]
    file: str = field(default="", compare=False, repr=False)

    @cached_property
    def by_id(self) -> Mapping[str, Item]:
        """The items by their id."""
        return {item.id: item for item in self.items}

    @cached_property
    def hash(self) -> str:
        """SHA-256 of all that measures: source, rubric, transcripts, verdicts and their dates.

        Names, notes, rules and the order of lines leave it as it is.
        """
        items = [_measures(item) for item in sorted(self.items, key=lambda item: item.id)]
        return sha256({"source": self.source, "rubric": self.rubric, "items": items})


def told(item: Item) -> dict[str, Any]:
    """What an item is of, how it was drawn and what is judged in it, as plain JSON values."""
    return {
        "item": item.id,
        "case": item.case,
        "stratum": item.stratum,
        "candidate": item.candidate,
        "trial": item.trial,
        "kind": item.kind,
        "inclusion": item.inclusion,
        "transcript": to_plain(item.turns),
        "reference": item.reference,
    }


def _measures(item: Item) -> dict[str, Any]:
    ratings = sorted(item.ratings, key=lambda rating: rating.rater)
    return {
        **told(item),
        "ratings": [[each.rater, each.date, dict(each.verdicts)] for each in ratings if each.verdicts],
        "adjudication": dict(item.adjudication.verdicts) if item.adjudication else {},
    }
