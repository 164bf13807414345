"""What the pattern laboratory found, as lines for a terminal or as plain JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evalkit.errors import Fault, PatternError
from evalkit.laboratory import Coverage, Measured
from evalkit.patterns import concept_key
from evalkit.stats.intervals import Interval

# Of lists for people, so many; JSON holds all.
SHOWN = 12


def report(measured: Measured | None, covered: Sequence[Coverage], only: Sequence[str] = ()) -> list[str]:
    """The laboratory's lines; with `only`, these concepts alone and in full. Raises PatternError for an unknown one."""
    if only:
        return _one_by_one(measured, covered, only)
    return [*_sentences(measured), "", *_replies(covered)]


def as_json(measured: Measured | None, covered: Sequence[Coverage], only: Sequence[str] = ()) -> dict[str, Any]:
    """All that was measured: `sentences` (None without a file) and `concepts`, a row each, or `only` these.

    Raises PatternError for an unknown one.
    """
    rows = _chosen(covered, only) if only else covered
    return {
        "sentences": measured
        and {
            "sentences": measured.sentences,
            "silent": measured.silent,
            "recall": asdict(measured.recall),
            "precision": asdict(measured.precision),
            "mistakes": [
                {"text": each.sentence.text, "concept": each.concept, "mistake": "wrong" if each.found else "missed"}
                for each in measured.mistakes
            ],
        },
        "concepts": [
            {
                **asdict(each),
                "never": list(each.never),
                "labelled": measured.by_concept[each.concept][0] if measured else None,
                "found": measured.by_concept[each.concept][1] if measured else None,
                "wrong": measured.by_concept[each.concept][2] if measured else None,
            }
            for each in rows
        ],
    }


def _sentences(measured: Measured | None) -> list[str]:
    if measured is None:
        return ["no labelled sentences: write labels/sentences.yaml, a list of `{text: ..., says: [concept]}`"]
    unlabelled = [name for name, (labelled, _, _) in measured.by_concept.items() if not labelled]
    lines = [
        f"{measured.sentences} labelled sentences, {measured.silent} of which say nothing",
        f"recall    {_share(measured.recall)} of the concepts that people labelled",
        f"precision {_share(measured.precision)} of the concepts that the patterns found",
    ]
    if unlabelled:
        lines.append(
            f"no sentence says {len(unlabelled)} of {len(measured.by_concept)} concepts: {_listed(unlabelled)}"
        )
    for each in measured.mistakes:
        what = f"wrongly found at «{each.said}»" if each.found else "missed"
        lines.append(f"  {each.concept}: {what}: {each.sentence.text}")
    return lines


def _replies(covered: Sequence[Coverage]) -> list[str]:
    total = covered[0].asked + covered[0].others if covered else 0
    if not total:
        return ["no stored replies to cases of this suite; `evalkit run` plays some"]
    lines = [
        f"{total} distinct stored replies",
        f"{'concept':36} {'in replies':>10} {'asked for':>10} {'elsewhere':>10} {'denied':>7}",
    ]
    lines += [
        f"{each.concept[:36]:36} {each.replies:>10} {each.asked:>10} {each.elsewhere:>10} {each.negated:>7}"
        for each in covered
    ]
    never = [f"{each.concept}: `{alternative}`" for each in covered for alternative in each.never]
    alternatives = sum(len(each.hits) for each in covered)
    lines += ["", f"{len(never)} of {alternatives} alternatives hit no stored reply", *_some(never)]
    broad = [
        f"{each.concept}: `{alternative}` in {count} of {each.others} replies to cases that do not name it"
        for each in covered
        for alternative, count in each.broad
    ]
    lines += ["", f"{len(broad)} alternatives may be too broad", *_some(broad)]
    denied = [f"{each.concept}: {said}" for each in covered for said in each.denied]
    return [*lines, "", f"{sum(each.negated for each in covered)} hits count for nothing, being denied", *_some(denied)]


def _one_by_one(measured: Measured | None, covered: Sequence[Coverage], only: Sequence[str]) -> list[str]:
    lines = []
    for each in _chosen(covered, only):
        lines.append(
            f"{each.concept}: in {each.replies} replies, {each.elsewhere} of them to cases that do not name it"
        )
        lines += [f"  {count:>6}  {alternative}" for alternative, count in each.hits.items()]
        lines += [f"  denied: {said}" for said in each.denied]
        if measured:
            labelled, hit, wrong = measured.by_concept[each.concept]
            lines.append(f"  labelled sentences: {hit} of {labelled} found, {wrong} found wrongly")
            lines += [
                f"    {'wrong' if mistake.found else 'missed'}: {mistake.sentence.text}"
                for mistake in measured.mistakes
                if mistake.concept == each.concept
            ]
    return lines


def _chosen(covered: Sequence[Coverage], only: Sequence[str]) -> list[Coverage]:
    found = {concept_key(each.concept): each for each in covered}
    unknown = [name for name in only if concept_key(name) not in found]
    if unknown:
        raise PatternError([Fault("", None, name, "is no concept of this suite") for name in unknown])
    return [found[concept_key(name)] for name in only]


def _share(found: Interval) -> str:
    if found.value is None:
        return f"not measured ({found.reason})"
    return f"{found.value:.4f} (95 % interval {found.low:.4f} to {found.high:.4f}, n = {found.n})"


def _some(lines: Sequence[str]) -> list[str]:
    more = [f"  … and {len(lines) - SHOWN} more; --json lists all"] if len(lines) > SHOWN else []
    return [*(f"  {line}" for line in lines[:SHOWN]), *more]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
