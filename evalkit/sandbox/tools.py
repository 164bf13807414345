"""What a suite's tools are written with: the records that they are handed, their tier, and their own errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, TypeVar

from evalkit.suite import Article

Tier = Literal["read", "write", "money"]
MARK = "evalkit_tool"

Function = TypeVar("Function", bound=Callable[..., Any])


class ToolError(Exception):
    """What a tool says to the agent instead of a result; the call then changes nothing."""


class Records(dict[str, Any]):
    """The sandbox's tables, by name: what a tool reads and changes.

    A table is a mapping from a record's id to the record; `refunds_issued` is a list, and `ticket` one record. `today`
    is the suite's clock, `policy` its limits, `articles` its help centre.
    """

    def __init__(
        self,
        tables: Mapping[str, Any],
        today: date | None = None,
        policy: Mapping[str, Any] | None = None,
        articles: Iterable[Article] = (),
    ) -> None:
        super().__init__(tables)
        self.today = today
        self.policy = dict(policy or {})
        self.articles = tuple(articles)


@dataclass(frozen=True)
class Mark:
    """What a tool declares of itself: its tier, and the tables that it may change."""

    tier: Tier
    changes: tuple[str, ...] = ()


def read(function: Function) -> Function:
    """Mark a tool that changes nothing."""
    setattr(function, MARK, Mark("read"))
    return function


def write(*, changes: Iterable[str]) -> Callable[[Function], Function]:
    """Mark a tool that changes these tables and no other."""
    return _marked(Mark("write", tuple(changes)))


def money(*, changes: Iterable[str]) -> Callable[[Function], Function]:
    """Mark a tool that moves money, and changes these tables and no other."""
    return _marked(Mark("money", tuple(changes)))


def _marked(mark: Mark) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        setattr(function, MARK, mark)
        return function

    return decorate
