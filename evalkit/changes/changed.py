"""All changes between two states of a suite, each with the amendment that allows it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from evalkit.changes.amending import amended, key, words_of
from evalkit.changes.change import Change
from evalkit.changes.of_cases import of_cases
from evalkit.changes.of_files import of_fixtures, of_patterns, of_prompts, of_rubrics, of_tools
from evalkit.changes.of_settings import of_quarantine, of_settings
from evalkit.suite import Suite

GRADER_PROMPTS = ("grader.md",)


def changes(
    before: Suite,
    after: Suite,
    *,
    since: Suite | None = None,
    grader_prompts: Collection[str] = GRADER_PROMPTS,
) -> tuple[Change, ...]:
    """Whatever differs between two states of a suite and could change a verdict, by its key.

    A case's change is amended by a new entry of its own `amendments`, or by one of amendments.yaml that names it; both
    by its owner, as the earlier state names one, else the later; all other changes by a new entry of amendments.yaml.
    New is an entry whose who, when and why no amendment of the earlier state has, wherever that stands. What is added
    is no change: new cases, patterns that no case knew, rubrics, records. A new sample is one: it chooses the cases.

    Args:
        before: the suite that the baseline was played under.
        after: the suite that judges.
        since: a state between the two, such as the target branch's. What differs from it, whether or not it differs
            from `before`, is amended by an entry that is new against both, by its owner there: one that came with an
            earlier change does not allow the next one, and nobody undoes it unseen.
        grader_prompts: the prompts of graders, as paths below the suite's prompts/.
    """
    found = _found(before, after, grader_prompts)
    old = words_of(before)
    if since is None:
        return tuple(amended(each, before, after, old) for each in found)
    both, own = old | words_of(since), {key(each.what): each for each in _found(since, after, grader_prompts)}
    allowed = [
        amended(replace(each, owner=own[here].owner), before, after, both)
        if (here := key(each.what)) in own
        else amended(each, before, after, old)
        for each in found
    ]
    seen = {key(each.what) for each in found}
    allowed += [amended(each, since, after, both) for here, each in own.items() if here not in seen]
    return tuple(sorted(allowed, key=lambda change: change.what))


def must_pass_ids(before: Suite | None, after: Suite | None, changes: Iterable[Change]) -> frozenset[str]:
    """The cases that must pass: those that either suite says must, but for those that an amendment lifts.

    `changes` are those between the two; without a suite the other alone says it.
    """
    lifted = {
        change.what.partition("/")[2] for change in changes if change.lifts_must_pass and change.amended_by is not None
    }
    asked = {case.id for suite in (before, after) if suite is not None for case in suite.active if case.must_pass}
    return frozenset(asked - lifted)


def _found(before: Suite, after: Suite, grader_prompts: Collection[str]) -> tuple[Change, ...]:
    """What differs, in the order of the keys, before anybody has looked for amendments."""
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
    return tuple(sorted(found, key=lambda change: change.what))
