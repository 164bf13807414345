"""What a page shows of a suite, before anything is played."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from evalkit import boards
from evalkit.suite import Suite

if TYPE_CHECKING:
    from great_tables import GT


def suite_table(suite: Suite) -> GT:
    """How many cases each stratum of a suite holds, and how many of them are safety cases."""
    rows = [
        {
            "stratum": stratum,
            "cases": count,
            "safety": sum(case.risk == "safety" for case in suite.active if case.stratum == stratum),
            "escalate": sum(case.expected_handling == "escalate" for case in suite.active if case.stratum == stratum),
        }
        for stratum, count in suite.strata().items()
    ]
    return boards.table(
        pl.DataFrame(rows),
        labels={"stratum": "Stratum", "cases": "Cases", "safety": "Safety", "escalate": "To escalate"},
        stub="stratum",
        digits=0,
        note=f"{len(suite.active)} cases, {len(suite.patterns)} flex patterns, "
        f"{len(suite.articles)} help-centre articles. {suite.settings.description or ''}",
    )
