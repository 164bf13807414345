"""The band above every page that names the must-pass cases in quarantine."""

from __future__ import annotations

from dataclasses import replace

import evalkit
from evalkit.tables import Run
from evalkit.views.above import above

CASES = """
- id: ORD-1
  stratum: orders
  must_pass: true
  ticket: {subject: Where is my parcel?, body: When is my parcel delivered please}
  expected_handling: direct
"""
ENTRY = """
- {case: ORD-1, owner: Priya Nair, reason: "<b>route</b> varies", since: 2026-11-20, fix_by: 2026-12-11}
"""


def played(write, entry: str | None = ENTRY) -> Run:
    shop = write({"tickets/orders.yaml": CASES, "quarantine.yaml": entry})
    return evalkit.run(shop / "shootouts/small.yaml", candidates=["steady"], quiet=True)


def archived(run: Run, date: str) -> Run:
    return replace(run, manifest={**run.manifest, "date": date})


def test_a_page_names_each_quarantined_case_its_owner_its_day_and_how_it_flaked(write) -> None:
    (band,) = above(archived(played(write), "2026-12-11T08:00:00+00:00"))
    assert "ORD-1: to be mended by 2026-12-11 by Priya Nair; since 2026-11-20" in band.html
    # Two trials of the small shootout, both passed.
    assert "Passed 2 of 2 trials by steady here." in band.html
    assert "<b>route" not in band.html
    assert "&lt;b&gt;route" in band.html


def test_a_quarantine_past_its_day_says_so_by_the_day_on_which_the_page_was_archived(write) -> None:
    run = played(write)
    assert "EXPIRED" not in above(archived(run, "2026-12-11T23:59:00+00:00"))[0].html
    assert "EXPIRED: it was to be mended by 2026-12-11" in above(archived(run, "2026-12-12T00:00:00+00:00"))[0].html


def test_a_suite_without_a_quarantine_has_no_band(write) -> None:
    assert above(played(write, entry=None)) == []


def test_a_long_reason_is_shortened_so_that_the_answer_stays_on_the_first_screen(write) -> None:
    (band,) = above(played(write, ENTRY.replace("varies", "varies " * 250)))
    assert "varies varies" in band.html
    assert "…" in band.html
    assert band.html.count("varies") < 160 / len("varies ")
