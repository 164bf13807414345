"""Which amendment allows a change: a new one that names it, by whoever owns it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from evalkit.cases import Amendment
from evalkit.changes.change import Change
from evalkit.folding import fold
from evalkit.suite import Suite

Words = tuple[str, str, str]
# ASCII characters that many fonts draw alike.
_DRAWN = str.maketrans("I1|0", "lllO")


def words_of(suite: Suite) -> frozenset[Words]:
    """Who, when and why of every amendment of a suite, wherever it stands; white space, case and such are nothing."""
    return frozenset(_words(each) for case in suite.cases for each in case.amendments) | frozenset(
        _words(each) for each in suite.amendments
    )


def key(what: str) -> str:
    """A change's key as it is compared between two pairs of suites: a pattern may be spelt in several ways."""
    return _folded(what)


def amended(change: Change, before: Suite, after: Suite, known: Collection[Words]) -> Change:
    """The change with the entry that amends it; where one was written that does not, it says why.

    Args:
        change: what differs between the two suites.
        before: the earlier suite.
        after: the later suite, whose entries count.
        known: the words of the amendments that are not new.
    """
    entries = tuple(_entries(change, before, after))
    new = tuple(each for each in entries if _words(each) not in known)
    right = next((each for each in new if change.owner in (None, each.who)), None)
    if right is None and new and change.owner is not None:
        who = ", ".join(dict.fromkeys(_told_apart(each.who, change.owner) for each in new))
        owner = change.owner if change.owner.isascii() else f"{change.owner} ({change.owner!a})"
        return replace(change, says=f"{change.says} (amended by {who}, and its owner is {owner})")
    if right is None and entries:
        who = ", ".join(dict.fromkeys(f"{each.who}, {each.when}" for each in entries))
        old = f"the amendment by {who} is on record for an earlier change; write a new one"
        return replace(change, says=f"{change.says} ({old})")
    return replace(change, amended_by=right)


def _entries(change: Change, before: Suite, after: Suite) -> Iterator[Amendment]:
    """The entries that name a change and did not stand there before, whoever wrote them."""
    kind, _, name = change.what.partition("/")
    if kind in ("case", "removed") and name in after.by_id:
        there = before.by_id[name].amendments
        yield from (each for each in after.by_id[name].amendments if each not in there)
    yield from (each for each in after.amendments if change.what in each.what and each not in before.amendments)


def _words(entry: Amendment) -> Words:
    return _folded(entry.who), _folded(entry.when), _folded(entry.why)


def _folded(text: str) -> str:
    return " ".join(fold(text).text.casefold().split())


def _told_apart(who: str, owner: str) -> str:
    """A name that is not the owner's, with the characters that tell it apart where eyes may not."""
    if who.isascii() and owner.isascii() and _drawn(who) != _drawn(owner):
        return who
    at = next((at for at, (one, other) in enumerate(zip(who, owner, strict=False)) if one != other), None)
    at = min(len(who), len(owner)) if at is None else at
    return f"{who} ({who!a}: {_point(who, at)} where its owner has {_point(owner, at)})"


def _drawn(name: str) -> str:
    return name.translate(_DRAWN).replace("rn", "m")


def _point(name: str, at: int) -> str:
    return f"U+{ord(name[at]):04X}" if at < len(name) else "nothing"
