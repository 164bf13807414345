"""All changes between two states of a suite, each with the amendment that allows it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from evalkit.cases import Amendment
from evalkit.changes.change import Change
from evalkit.changes.of_cases import of_cases
from evalkit.changes.of_files import of_fixtures, of_patterns, of_prompts, of_rubrics, of_tools
from evalkit.changes.of_settings import of_quarantine, of_settings
from evalkit.suite import Suite

GRADER_PROMPTS = ("grader.md",)


def changes(before: Suite, after: Suite, *, grader_prompts: Collection[str] = GRADER_PROMPTS) -> tuple[Change, ...]:
    """Whatever differs between two states of a suite and could change a verdict, by its key.

    A case's change is amended by a new entry of its own `amendments`, or by one of amendments.yaml that names it; both
    by its owner, as the earlier state names one, else the later; all other changes by a new entry of amendments.yaml.
    New is an entry that the earlier state does not hold word for word. What is added is no change: new cases, patterns
    that no case knew, rubrics, records, samples.

    Args:
        before: the suite that the baseline was played under.
        after: the suite that judges.
        grader_prompts: the prompts of graders, as paths below the suite's prompts/.
    """
    if before.snapshot == after.snapshot:
        return ()
    found = (
        *of_cases(before, after),
        *of_settings(before, after),
        *of_quarantine(before, after),
        *of_patterns(before, after),
        *of_rubrics(before, after),
        *of_fixtures(before, after),
        *of_tools(before, after),
        *of_prompts(before, after, grader_prompts),
    )
    return tuple(_amended(change, before, after) for change in sorted(found, key=lambda change: change.what))


def must_pass_ids(before: Suite | None, after: Suite | None, changes: Iterable[Change]) -> frozenset[str]:
    """The cases that must pass: those that either suite says must, but for those that an amendment lifts.

    `changes` are those between the two; without a suite the other alone says it.
    """
    lifted = {
        change.what.partition("/")[2] for change in changes if change.lifts_must_pass and change.amended_by is not None
    }
    asked = {case.id for suite in (before, after) if suite is not None for case in suite.active if case.must_pass}
    return frozenset(asked - lifted)


def _amended(change: Change, before: Suite, after: Suite) -> Change:
    """The change with the entry that amends it; where somebody else wrote one, it says so."""
    entries = tuple(_entries(change, before, after))
    right = next((each for each in entries if change.owner in (None, each.who)), None)
    if right is None and entries:
        who = ", ".join(dict.fromkeys(each.who for each in entries))
        return replace(change, says=f"{change.says} (amended by {who}, and its owner is {change.owner})")
    return replace(change, amended_by=right)


def _entries(change: Change, before: Suite, after: Suite) -> Iterator[Amendment]:
    """The new entries that name a change, whoever wrote them."""
    kind, _, name = change.what.partition("/")
    if kind in ("case", "removed") and name in after.by_id:
        known = before.by_id[name].amendments
        yield from (each for each in after.by_id[name].amendments if each not in known)
    yield from (each for each in after.amendments if change.what in each.what and each not in before.amendments)
