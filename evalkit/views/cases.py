"""What `60_cases` shows: where the verdicts disagree, and the transcripts with all that decided them marked."""

from __future__ import annotations

from collections import Counter

from evalkit import cards, disagreements, marked_text, transcript_cards
from evalkit.cards import Card, Line, Sign, brief
from evalkit.disagreements import Comparison, Played, Selection, harmful, passed_of
from evalkit.rows import Reading
from evalkit.shown import counted
from evalkit.tables import Run
from evalkit.views.above import above
from evalkit.views.caveats import caveat

# Lines of the table of disagreements that stand open; the others are folded away.
OPEN = 20
# Cases that are named where several divide the candidates equally.
NAMED = 3


def cases_answer(run: Run) -> Card:
    """On how many cases the candidates disagree, and which divides them most, under a watermark where incomplete."""
    found = disagreements.comparisons(run)
    headline, sign = _headline(found)
    detail = "\n\n".join(part for part in (_most(found), _rest(run, found), caveat(run)) if part)
    return cards.stack([*above(run), cards.headline(headline, "note", detail, sign=sign)], empty="")


def chosen_transcripts(
    run: Run, *, case: str = "", candidate: str = "", stratum: str = "", verdict: str = "", limit: int = 60
) -> Selection:
    """The transcripts that the page shows. Arguments and errors as of `disagreements.select`."""
    return disagreements.select(run, case=case, candidate=candidate, stratum=stratum, verdict=verdict, limit=limit)


def disagreement_table(chosen: Selection) -> Card:
    """The cases on which verdicts disagree, a sign a trial, with links to the transcripts that the page holds."""
    found = [each for each in chosen.comparisons if each.disagrees]
    if not found:
        among = f" among the {counted(len(chosen.comparisons), 'case')} asked for" if chosen.asked else ""
        return cards.prose(f"No case{among} has verdicts that disagree.")
    anchors = transcript_cards.anchors_of(chosen)
    columns = [candidate["name"] for candidate in chosen.run.manifest["candidates"]]
    lines = [_line(each, columns, anchors.get(each.case, "")) for each in found]
    unlinked = sum(not line.anchor for line in lines)
    legend = "A sign for each trial: ✓ passed, ✗ failed, – not measured; below, the harm that its failures do. "
    legend += "A difference of single trials may be chance: 10_shootout says whose lead is more than that. "
    legend += "A linked case leads to its transcripts"
    legend += f"; {unlinked} of the {len(lines)} have none on this page." if unlinked else "."
    return _folded(columns, lines, legend)


def mark_legend() -> Card:
    """What each mark in an answer means."""
    return marked_text.legend()


def transcripts(chosen: Selection) -> Card:
    """The transcripts with every hit, miss, negation and route marked, and the checks below each answer."""
    asked = f" ({chosen.asked})" if chosen.asked else ""
    empty = f"No transcript of this run is as asked for{asked}."
    return transcript_cards.transcripts(chosen, said=_said(chosen, asked), empty=empty)


def _said(chosen: Selection, asked: str) -> str:
    said = f"Showing {chosen.count} of {counted(chosen.total, 'transcript')}{asked}"
    if chosen.count < chosen.total:
        said += "; narrow with the parameters case, candidate, stratum and verdict, or raise limit"
    which = (
        "Every trial of the case is shown."
        if chosen.every_trial
        else "Of the trials of one candidate on one case the worst is shown: the first that disqualifies, else that "
        "does harm, else that fails, else the first. With the parameter case, every trial of that case is shown."
    )
    return f"{said}. {which}"


def _headline(found: tuple[Comparison, ...]) -> tuple[str, str]:
    kinds = Counter(each.kind for each in found)
    candidates = max((len(each.played) for each in found), default=0)
    compared = len(found) - kinds["not compared"]
    if not compared:
        return f"Nothing to compare: no case was measured for {'two candidates' if candidates > 1 else 'it'}.", "–"
    if candidates == 1:
        name = found[0].played[0].candidate
        mixed = kinds["unsteady"]
        said = f"{name} was played alone: its own trials disagree on {mixed} of {counted(compared, 'case')}."
        return said, "≠" if mixed else "="
    divided = kinds["divided"]
    verb = f"disagree on {divided} of" if divided else "agree on all of"
    return f"The candidates {verb} {counted(compared, 'case')}.", "≠" if divided else "="


def _most(found: tuple[Comparison, ...]) -> str:
    most = disagreements.most_divided(found)
    if not most:
        return ""
    first = most[0]
    passed = [
        f"{each.candidate} {sum(each.verdicts)} of {len(each.verdicts)}" for each in first.played if each.verdicts
    ]
    said = f"{first.case} divides them most; trials passed: {', '.join(passed)}"
    if len(most) == 1:
        return f"{said}."
    others = ", ".join(each.case for each in most[1 : NAMED + 1])
    more = f" and {len(most) - 1 - NAMED} more" if len(most) - 1 > NAMED else ""
    return f"{said}. Equally divided: {others}{more}."


def _rest(run: Run, found: tuple[Comparison, ...]) -> str:
    kinds = Counter(each.kind for each in found)
    measured = sum(len(played.verdicts) for each in found for played in each.played)
    alone = len(run.manifest["candidates"]) == 1
    said = [f"every trial passes on {kinds['passed']} and fails on {kinds['failed']}"]
    if not alone:
        said.append(f"on {kinds['unsteady']} the candidates pass equally often, but not always")
    if kinds["not compared"]:
        said.append(f"{kinds['not compared']} could not be compared, for want of measured trials")
    others = len(found) - kinds["unsteady" if alone else "divided"]
    rest = f"Of the other {counted(others, 'case')}, {'; '.join(said)}. " if others else ""
    return (
        f"{rest}n = {counted(len(found), 'case')}, "
        f"{counted(len(run.manifest['candidates']), 'candidate')}, {measured} of {run.judged.height} trials measured."
    )


def _line(comparison: Comparison, columns: list[str], anchor: str) -> Line:
    by_name = {played.candidate: played for played in comparison.played}
    cells = tuple(
        _cell(by_name[name]) if name in by_name else ((Sign("–", "none", "not played"),), "") for name in columns
    )
    case = comparison.found
    about = comparison.stratum
    if case is not None:
        about += f" · {brief(case.ticket.subject or case.ticket.body if case.ticket else case.goal or '', 48)}"
    return Line(comparison.case, about, cells, anchor)


def _cell(played: Played) -> tuple[tuple[Sign, ...], str]:
    return tuple(_sign(each) for each in played.readings), ",\n".join(played.harms)


def _sign(reading: Reading) -> Sign:
    trial, passed = f"trial {reading.slot.number}", passed_of(reading)
    if passed is None:
        return Sign("–", "none", f"{trial}: not measured")
    if passed:
        return Sign("✓", "good", f"{trial}: passed")
    reasons = [each.check for each in reading.judgement.verdicts if each.passed is False] if reading.judgement else []
    harm = ", with harm" if harmful(reading) else ""
    return Sign("✗", "bad", f"{trial}: failed{harm}; {'; '.join(reasons) or 'no answer'}")


def _folded(columns: list[str], lines: list[Line], legend: str) -> Card:
    table = cards.grid(columns, lines[:OPEN], corner="Case", legend=legend)
    if len(lines) <= OPEN:
        return table
    rest = cards.grid(columns, lines[OPEN:], corner="Case", legend="")
    return Card(
        f'{table.html}<details class="ek-more"><summary>The other {len(lines) - OPEN} cases on which they disagree'
        f"</summary>{rest.html}</details>"
    )
