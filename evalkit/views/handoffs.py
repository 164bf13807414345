"""What `20_escalation_safety` shows of single handoffs: which case breaks whom, in which words, and at what cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import polars as pl

from evalkit import boards, cards, routing, safety
from evalkit.cards import Card, Line, Quote, Sign, brief
from evalkit.routing import NOT_MEASURED, Routed
from evalkit.scores import price_invented
from evalkit.shown import INVENTED, counted, finite, usd
from evalkit.tables import Run
from evalkit.transcript import Trial
from evalkit.views.safety import NO_DIRECT, NO_HANDOFF
from evalkit.views.tickets import as_answered

if TYPE_CHECKING:
    from great_tables import GT

STANDINGS = {"cleared": "Cleared", "not cleared": "Not cleared", "disqualified": "Disqualified on safety"}
# A parameter that is left at this takes the run's own mix of tickets.
OWN_MIX = -1.0
# Quoted of each candidate; the rest is counted.
QUOTED = 5
_MARKS: dict[str, Sign] = {
    "right": Sign("✓", "good"), "missed": Sign("✗", "bad"), "wrong team": Sign("✗", "bad"),
    "no team": Sign("?", "warn"), "unreadable": Sign("?", "warn"), "over-escalated": Sign("↑", "none"),
    NOT_MEASURED: Sign("–", "none"),
}  # fmt: skip


def case_grid(run: Run) -> Card:
    """Every safety case with a mark for each trial of each candidate, those that break most first."""
    by_case: dict[str, dict[str, list[Routed]]] = {}
    for each in routing.routed(run):
        if each.risk == "safety" and each.expected:
            by_case.setdefault(each.case, {}).setdefault(each.candidate, []).append(each)
    if not by_case:
        return cards.prose("The run holds no safety case that expects a route: not measured.")
    names = [candidate["name"] for candidate in run.manifest["candidates"]]

    def broken(case: str) -> tuple[int, int]:
        marks = [_MARKS[each.outcome].text for trials in by_case[case].values() for each in trials]
        return -marks.count("✗"), -marks.count("?")

    lines = [
        Line(case, _about(run, case), tuple((_signs(by_case[case].get(name, [])), "") for name in names))
        for case in sorted(by_case, key=broken)
    ]
    needless = any(sign.text == "↑" for line in lines for signs, _ in line.cells for sign in signs)
    return cards.grid(
        names,
        lines,
        corner="Safety case",
        legend="A mark for each trial: ✓ routed right, ✗ missed or sent to the wrong team, ? no route or no team could "
        "be read, – not measured" + (", ↑ handed over where a direct answer was expected." if needless else "."),
    )


def strata_grid(run: Run) -> Card:
    """In which strata handoffs were missed or went to the wrong team."""
    frame = routing.lost_by_stratum(run)
    if frame.is_empty():
        return cards.prose(NO_HANDOFF)
    names = [candidate["name"] for candidate in run.manifest["candidates"]]
    lines = []
    for (stratum,), rows in frame.group_by("stratum", maintain_order=True):
        asked = sum(case.stratum == stratum and case.expects_handoff for case in run.cases)
        lines.append(
            Line(str(stratum), f"{counted(asked, 'case')} to hand over", tuple(_lost(row) for row in rows.to_dicts()))
        )
    return cards.grid(
        names,
        lines,
        corner="Stratum",
        legend="Trials missed or sent to the wrong team, of those measured; below, the 95 % interval of that share "
        "(Wilson, over n cases). Yellow: none was missed, but some could not be read or named no team.",
    )


def needless_handoffs(run: Run) -> Card:
    """Direct tickets that were handed over, in brief."""
    return _quotes(run, "over-escalated", "No direct ticket of this run was handed over needlessly.")


def unreadable_cards(run: Run) -> Card:
    """Answers whose route could not be read, in brief."""
    return _quotes(run, "unreadable", "Every answer of this run had a route that could be read.")


def handoff_price(run: Run, handoff_usd: float, direct_share: float = OWN_MIX) -> Card:
    """What is assumed, and not measured, where handoffs are priced. Raises as `routing.costs`."""
    routing.costs(run, handoff_usd, share=_stated(direct_share))
    price = f"Assumed by whoever made this page, and not measured: a handled handoff costs ${handoff_usd:,.2f}"
    if direct_share != OWN_MIX:
        return cards.prose(f"{price}, and {100 * direct_share:.0f} % of tickets need no person.")
    mix = routing.direct_share(run)
    if mix is None:
        return cards.prose(f"{price}. Which share of tickets needs no person is not known: no case asks for a route.")
    return cards.prose(
        f"{price}. Taken from this run: {100 * mix:.0f} % of its cases need no person. A suite is not a month's "
        "tickets; state your own share as the parameter direct_share."
    )


def handoff_cost(
    run: Run, handoff_usd: float, tickets_per_month: int = 1000, direct_share: float = OWN_MIX
) -> GT | Card:
    """What needless handoffs cost at a stated price, beside what the model costs. Raises as `routing.costs`."""
    found = routing.costs(run, handoff_usd, tickets_per_month, _stated(direct_share))
    if not any(each.trials for each in found):
        return cards.prose(NO_DIRECT)
    standing = {record.candidate: record.standing for record in safety.safety_records(run)}
    order = list(STANDINGS)
    invented = {each["name"] for each in run.manifest["candidates"] if price_invented(each)}
    rows = [
        {
            "standing": STANDINGS[standing[each.candidate]],
            "candidate": each.candidate,
            "n": f"{each.needless.n}\u00a0/\u00a0{each.trials}",
            "needless": _with_ends(each.needless.value, each.needless.low, each.needless.high, _per_100),
            "handoffs": _with_ends(each.handoffs.value, each.handoffs.low, each.handoffs.high, _money),
            "own": "unknown" if each.own is None else _money(each.own) + "\u00a0†" * (each.candidate in invented),
            "month": _money(each.month) if each.month is not None else "not known",
        }
        for each in sorted(found, key=lambda each: (order.index(standing[each.candidate]), _last(each.month)))
    ]
    return boards.table(
        pl.DataFrame(rows),
        labels={
            "candidate": "Candidate",
            "n": "Direct cases / trials",
            "needless": "Needless handoffs per 100 direct tickets",
            "handoffs": "What they cost per 1,000 tickets",
            "own": "The model itself per 1,000 tickets",
            "month": f"Both, for {tickets_per_month:,} tickets a month",
        },
        stub="candidate",
        group="standing",
        right=("n", "needless", "handoffs", "own", "month"),
        note="With 95 % intervals, Wilson's over cases. Priced are needless handoffs alone: needed ones cost the same "
        "with any candidate, and a missed one is a harm that no saving makes up for. An answer without a readable "
        "route is not priced. The model itself: mean over all measured trials." + (f" {INVENTED}" if invented else ""),
    )


def _about(run: Run, case: str) -> str:
    found = run.suite.by_id[case]
    to = f"to {found.escalate_to}" if found.escalate_to else "to a person" if found.expects_handoff else "direct"
    ticket = found.ticket
    return f"{to} · {brief(ticket.subject or ticket.body if ticket else found.goal or '', 48)}"


def _signs(trials: list[Routed]) -> tuple[Sign, ...]:
    return tuple(
        Sign(_MARKS[each.outcome].text, _MARKS[each.outcome].tone, f"trial {each.trial}: {each.said or 'right'}")
        for each in trials
    )


def _lost(row: dict[str, float]) -> tuple[tuple[Sign, ...], str]:
    if not row["trials"]:
        return (Sign("–", "none", NOT_MEASURED),), NOT_MEASURED if row["slots"] else ""
    tone = "bad" if row["lost"] else "warn" if row["unclear"] else "good"
    words = f"{row['lost']} of {row['trials']} trials missed or sent to the wrong team, {row['unclear']} unclear"
    share = boards.percent_with_interval(row["score"], row["low"], row["high"])
    return (Sign(f"{row['lost']}/{row['trials']}", tone, words),), f"{share}\nn = {row['n']}"


def _quotes(run: Run, outcome: str, none: str) -> Card:
    found: dict[str, dict[str, list[tuple[Routed, Trial, str]]]] = {}
    asked: dict[tuple[str, str], int] = {}
    for each, (_, trial), judged in zip(routing.routed(run), run.pairs, run.judgements, strict=True):
        asked[each.candidate, each.case] = asked.get((each.candidate, each.case), 0) + 1
        if each.outcome == outcome and trial is not None:
            read = judged.card if judged else None
            said = read.reply if read and read.route else trial.answer
            found.setdefault(each.candidate, {}).setdefault(each.case, []).append((each, trial, said))
    return cards.stack((_quoted(run, name, cases, asked) for name, cases in found.items()), empty=none)


def _quoted(
    run: Run, name: str, cases: dict[str, list[tuple[Routed, Trial, str]]], asked: dict[tuple[str, str], int]
) -> Card:
    ordered = sorted(cases.items(), key=lambda item: (item[1][0][0].risk != "safety", -len(item[1])))
    shown, tag = [], run.suite.settings.eval_mode_tag
    for case, trials in ordered[:QUOTED]:
        first, trial, said = trials[0]
        why = "; ".join(dict.fromkeys(each.said for each, _, _ in trials))
        named = ", ".join(dict.fromkeys(each.team for each, _, _ in trials if each.team))
        about = f"{'safety case, ' * (first.risk == 'safety')}{len(trials)} of {asked[name, case]} trials: {why}"
        about += f", and named {named}" if named else ""
        answered = brief(said) if said else "(nothing)"
        answered += "" if first.answered else f" ({trial.status}: {trial.reason})"
        shown.append(Quote(case, about, brief(as_answered(run.suite.by_id[case], trial, tag)[1]), answered))
    count, more = sum(map(len, cases.values())), len(cases) - QUOTED
    return cards.quotes(
        f"{name}: {counted(count, 'trial')} of {counted(len(cases), 'case')}",
        shown,
        more=f"and {more} more case{'s' * (more != 1)}" if more > 0 else "",
    )


def _stated(direct_share: float) -> float | None:
    return None if direct_share == OWN_MIX else direct_share


def _with_ends(value: float | None, low: float | None, high: float | None, said: Callable[[float], str]) -> str:
    value, low, high = finite(value), finite(low), finite(high)
    if value is None or low is None or high is None:
        return NOT_MEASURED
    return f"{said(value)} ({said(low)}\u00a0to\u00a0{said(high)})"


def _per_100(share: float) -> str:
    return f"{100 * share:.1f}"


def _money(value: float) -> str:
    return f"${value:,.0f}" if value >= 10 else usd(value)


def _last(value: float | None) -> float:
    return float("inf") if value is None else value
