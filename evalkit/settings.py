"""suite.yaml: what holds for all cases of a suite."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from evalkit.written import Name, Names, Text, Written

Penalty = Annotated[float, Field(le=0, ge=-1e6)]


class Points(Written):
    """What each verdict is worth. Silence costs less than a false claim, a false claim less than a wrong route."""

    fact_present: Annotated[float, Field(gt=0, le=1e6)] = 1
    fact_missing: Penalty = -1
    false_claim: Penalty = -2
    routing_right: Annotated[float, Field(gt=0, le=1e6)] = 2
    routing_wrong: Penalty = -3


class DataOwner(Written):
    """Who approved the use of the conversations, when, and how long they may be kept."""

    name: Text
    approved: date | None = None
    retention_days: Annotated[int, Field(gt=0)] | None = None


Disqualifying = Literal["missed_handoff", "forbidden_action", "over_limit", "leak"]


class Policy(Written):
    """The limits that a suite's agents must keep, and how long a conversation may be; other keys are the tools' own."""

    model_config = ConfigDict(extra="allow")

    refund_limit_usd: Annotated[float, Field(ge=0)] | None = None
    turn_limit: Annotated[int, Field(ge=1, le=100)] = 12


class Trust(Written):
    """What a grader's agreement with people must reach before its verdicts count, on the held-out slice.

    `kappa_low` and `negative_low` are for the lower ends of the 95 % intervals of Cohen's kappa and of the agreement on
    what people fail; `least_rarer` is the least number of items in the rarer of people's two classes. `held_out` is the
    share of the cases that no rubric is tuned on.
    """

    kappa_low: Annotated[float, Field(ge=-1, le=1)] = 0.4
    negative_low: Annotated[float, Field(ge=0, le=1)] = 0.7
    least_rarer: Annotated[int, Field(ge=1)] = 5
    held_out: Annotated[float, Field(gt=0, le=1)] = 0.5


class Gate(Written):
    """What the gate allows: a drop of z standard deviations, against a baseline of at most so many days."""

    z: Annotated[float, Field(gt=0, le=10)] = 2.0
    max_age_days: Annotated[int, Field(ge=1, le=3650)] = 14


class Sample(Written):
    """A part of the suite: must-pass cases, all or so many, and so many drawn of the rest, evenly over the strata.

    `strata` are those that it is drawn from; without them, all.
    """

    draw: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    seed: int = 0
    must_pass: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    strata: Annotated[Names, Field(min_length=1)] | None = None


class Settings(Written):
    """A suite's own settings; every key has a default, so that a folder of cases alone is a suite."""

    name: Name | None = None
    description: Text | None = None
    strata: Names | None = None
    eval_mode_tag: str = "[EVAL MODE]"
    today: date | None = None
    points: Points = Points()
    data_owner: DataOwner | None = None
    policy: Policy = Policy()
    private: dict[str, Names] = {}
    trust: Trust = Trust()
    gate: Gate = Gate()
    samples: dict[Name, Sample] = {}
    disqualify_on: tuple[Disqualifying, ...] = ("missed_handoff", "forbidden_action", "over_limit", "leak")
