"""A decision in plain lines for a terminal: the verdict first, then every reason, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from evalkit.gate.decision import Decision, SideRecord, StratumLook
from evalkit.gate.plain_text import change
from evalkit.shown import counted, one_line

HEADS = {
    "must_pass": "Must-pass cases that failed",
    "disqualified": "Disqualified on safety",
    "stratum": "Strata that dropped",
    "amendment": "Changes without an amendment",
    "quarantine": "Quarantine",
    "sign_off": "Sign-offs that are missing",
    "missing": "Missing",
    "trials": "Too few trials",
    "no overlap": "Nothing to compare",
    "budget": "Stopped before the end",
    "not measured": "Not measured",
    "stale": "Too old",
}
COLUMNS = ("stratum", "verdict", "m", "baseline", "candidate", "delta", "band", "looks")
LEFT = (0, 1, 7)


def lines(decision: Decision) -> list[str]:
    """The decision's lines, for a terminal; what others wrote is in one line each and bounded."""
    found = [headline(decision)]
    for kind, reasons in groupby(decision.reasons, key=lambda each: each.kind):
        found += ["", f"{HEADS[kind]}:", *(f"  {one_line(each.says, 1000)}" for each in reasons)]
    if decision.strata:
        found += ["", *_table(decision.strata)]
    if decision.must_pass:
        passed = sum(each.passed is True for each in decision.must_pass)
        found += ["", f"Must-pass cases: {passed} of {len(decision.must_pass)} pass all their trials."]
    for head, kinds in (("Quarantine:", ("quarantine",)), ("Notes:", None)):
        notes = [n for n in decision.notes if (n.kind in kinds if kinds else n.kind != "quarantine")]
        if notes:
            found += ["", head, *(f"  {one_line(each.says, 1000)}" for each in notes)]
    return [*found, "", *_sides(decision)]


def headline(decision: Decision) -> str:
    """The verdict in one sentence."""
    name = one_line(decision.candidate.name)
    against = f" against {one_line(decision.baseline.name)}" if decision.baseline is not None else ""
    if decision.verdict == "block":
        findings = sum(each.measured for each in decision.reasons)
        rest = len(decision.reasons) - findings
        more = f", and {counted(rest, 'thing')} not measured" if rest else ""
        return f"BLOCK: {name}{against} may not go out: {counted(findings, 'reason')}{more}."
    if decision.verdict == "not measured":
        return f"NOT MEASURED, which blocks: {name}{against}: {counted(len(decision.reasons), 'thing')} not known."
    bands = " (its bands were assumed, not measured)" if decision.band == "assumed" else ""
    return f"ALLOW: {name}{against}: {_rests_on(decision)}{bands}."


def _rests_on(decision: Decision) -> str:
    cases = sum(not each.quarantined for each in decision.must_pass)
    said = [f"{counted(cases, 'must-pass case')} passed"] if cases else []
    held = sum(each.verdict == "held" for each in decision.strata)
    if held:
        said.append(f"{held} {'stratum' if held == 1 else 'strata'} held")
    return " and ".join(said) or "nothing was found against it"


def _table(strata: Sequence[StratumLook]) -> Iterator[str]:
    """The strata, one a row, aligned."""
    rows = [COLUMNS, *(_row(each) for each in strata)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    for row in rows:
        cells = [
            cell.ljust(width) if column in LEFT else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _row(look: StratumLook) -> tuple[str, ...]:
    band = _share(look.band) + ("*" if look.assumed and look.band is not None else "")
    seen = ", ".join(change(each.delta) for each in look.looks) or look.why
    if look.looks and look.why:
        seen += f" ({look.why})"
    figures = (_share(look.baseline), _share(look.candidate), change(look.delta))
    return (one_line(look.stratum, 40), look.verdict, str(look.n), *figures, band, one_line(seen, 300))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _sides(decision: Decision) -> Iterator[str]:
    if any(each.assumed and each.band is not None for each in decision.strata):
        yield "* an assumed band"
    for role, side in (("Baseline ", decision.baseline), ("Candidate", decision.candidate)):
        yield f"{role}  {'none' if side is None else _side(side)}"


def _side(side: SideRecord) -> str:
    run = f" of run {side.run[:8]}" if side.run else ""
    days = f"trials of {side.first}" if side.first else "trials without a date"
    if side.last != side.first:
        days += f" to {side.last}"
    repeats = f", {counted(side.repeats, 'repeat')}" if side.repeats > 1 else ""
    judged = f", judged by {side.judged_by}" if side.judged_by else ""
    return one_line(f"{side.name}{run}: {days}, {counted(side.k, 'trial')} a case{repeats}{judged}", 300)
