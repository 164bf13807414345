"""A gate's decision for machines and pages: JUnit XML, Markdown for a CI's summary, and the record as JSON.

All three are pure: the same decision is the same text. Case ids, names and reasons were written by people and models,
so each is cleaned of what the format cannot hold, escaped, and cut.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from evalkit.shown import counted, listed, number

if TYPE_CHECKING:
    from evalkit.gate import Decision, MustPassLook, QuarantineLook, Reason, SideRecord, StratumLook

# Characters of a sentence and of a name; GitHub refuses a summary above one megabyte.
MAX_SENTENCE = 500
MAX_NAME = 80
# Lines of one list or table in Markdown; the record holds all.
MAX_LINES = 200
# Numbers of trials that one cell names.
MAX_NUMBERS = 8
_VERDICTS = {"allow": "✓ Allowed", "block": "✗ Blocked", "not measured": "? Not measured, which blocks"}
_STRATA = {"held": "held", "dropped": "**dropped**", "not measured": "**not measured**", "new": "new"}
# What Markdown reads as a mark, wherever it stands in a line.
_MARKS = re.compile(r"([\\`*_\[\]|~$@#])")
# What makes a list, a rule or a heading, where a line begins with it.
_BEGINNING = re.compile(r"^(\d+)([.)])|^([-+=>])")
# What GitHub turns into a link by itself.
_LINK = re.compile(r"(?i)(:)(?=//)|(?<=\bwww)(\.)")


def record(decision: Decision) -> str:
    """The decision as canonical JSON: sorted keys, ASCII, no clock; the same decision is the same bytes."""
    return json.dumps(decision.to_json(), sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def junit(decision: Decision) -> str:
    """The decision as JUnit XML: a test for each must-pass case, each stratum, and each reason beside them.

    A finding is a failure, what is not measured an error, and a case in quarantine that fails is skipped with words.
    Each reason stands in one test.
    """
    homes: dict[tuple[str, str], list[Reason]] = {}
    cases, strata = {each.case for each in decision.must_pass}, {each.stratum for each in decision.strata}
    for reason in decision.reasons:
        homes.setdefault(_home(reason, cases, strata), []).append(reason)
    root = ElementTree.Element("testsuites", name="evalkit gate")
    must_pass = ElementTree.SubElement(root, "testsuite", name="must pass")
    for case in decision.must_pass:
        test = _test(must_pass, f"must pass.{case.stratum}", case.case, homes.get(("must pass", case.case), ()))
        if len(test) == 0 and case.passed is not True:
            ElementTree.SubElement(test, "skipped", message=_xml(f"{_trials(case)}; {_why_not_blocked(case)}"))
    compared = ElementTree.SubElement(root, "testsuite", name="strata")
    for stratum in decision.strata:
        test = _test(compared, "strata", stratum.stratum, homes.get(("strata", stratum.stratum), ()))
        ElementTree.SubElement(test, "system-out").text = _xml(_in_words(stratum))
    rest = ElementTree.SubElement(root, "testsuite", name="gate")
    for (suite, where), reasons in homes.items():
        if suite == "gate":
            _test(rest, "gate", where, reasons)
    for suite in list(root):
        if len(suite) == 0:
            root.remove(suite)
            continue
        suite.set("tests", str(len(suite)))
        for kind in ("failure", "error", "skipped"):
            name = kind if kind == "skipped" else f"{kind}s"
            suite.set(name, str(len(suite.findall(f"testcase/{kind}"))))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def markdown(decision: Decision) -> str:
    """The decision as Markdown: the verdict, every reason, the strata, the must-pass cases, and what it rests on."""
    against = f" against {_side(decision.baseline)}" if decision.baseline else ""
    kind = "a release" if decision.release else "a change"
    parts = [f"## {_VERDICTS[decision.verdict]}", f"{_side(decision.candidate)}, gated as {kind}{against}."]
    if decision.must_pass_only:
        parts.append("Must-pass cases alone: no stratum was compared.")
    if decision.band == "assumed":
        parts.append("> **The noise bands were assumed**, not measured from repeats of the baseline.")
    stopped = [each for each in decision.reasons if each.kind == "budget"]
    parts += [f"> **INCOMPLETE** {_md(each.says)}" for each in stopped]
    if decision.reasons:
        parts.append("### Why\n\n" + _list(f"**{_md(each.kind)}** {_md(each.says)}" for each in decision.reasons))
    if decision.strata:
        head = ("Stratum", "", "Cases", "Baseline", "Candidate", "Change", "Band", "")
        parts.append("### Strata\n\n" + _table(head, [_stratum_row(each) for each in decision.strata]))
    parts.append(_must_pass(decision.must_pass))
    if decision.quarantine:
        head = ("Quarantined", "Owner", "Fix by", "Signed off", "Passes and fails", "Why")
        parts.append("### Quarantine\n\n" + _table(head, [_quarantine_row(each) for each in decision.quarantine]))
    # What a stratum cannot see stands beside it already.
    notes = [_md(each.says) for each in decision.notes if each.kind != "sees nothing"]
    if notes:
        parts.append("### Notes\n\n" + _list(notes))
    parts.append(_rests_on(decision))
    return "\n\n".join(part for part in parts if part) + "\n"


def _home(reason: Reason, cases: set[str], strata: set[str]) -> tuple[str, str]:
    """The suite and the test in which a reason stands."""
    if reason.kind not in ("stratum", "amendment") and reason.where in cases:
        return "must pass", reason.where
    if reason.kind in ("stratum", "not measured", "missing", "trials") and reason.where in strata:
        return "strata", reason.where
    return "gate", f"{reason.kind}: {reason.where}" if reason.where else reason.kind


def _test(suite: ElementTree.Element, classname: str, name: str, reasons: Sequence[Reason]) -> ElementTree.Element:
    test = ElementTree.SubElement(suite, "testcase", classname=_xml(classname, MAX_NAME), name=_xml(name, 2 * MAX_NAME))
    if reasons:
        found = [each for each in reasons if each.measured] or reasons
        kind = "failure" if found[0].measured else "error"
        element = ElementTree.SubElement(test, kind, type=found[0].kind, message=_xml(found[0].says))
        element.text = "\n".join(_xml(each.says) for each in reasons)
    return test


def _trials(case: MustPassLook) -> str:
    said = []
    if case.failed:
        said.append(f"trial{'s' * (len(case.failed) != 1)} {_numbers(case.failed)} failed")
    if case.unmeasured:
        said.append(f"{counted(len(case.unmeasured), 'trial')} not measured")
    return f"{' and '.join(said) or 'no trial passed'} of {case.trials}"


def _numbers(found: Sequence[int]) -> str:
    """'0, 1 and 4': the numbers of trials, of a long list the first few and how many more."""
    named = [str(each) for each in found[:MAX_NUMBERS]]
    rest = len(found) - len(named)
    named += [f"{rest} more"] if rest else []
    return listed(named)


def _why_not_blocked(case: MustPassLook) -> str:
    return "in quarantine, which does not block" if case.quarantined else "the gate's reasons say more"


def _in_words(look: StratumLook) -> str:
    cells = [_scores(look.baseline), _scores(look.candidate)]
    said = f"{counted(look.n, 'case')}: {cells[0]} before, {cells[1]} now, change {_change(look)}, band {_band(look)}"
    return "; ".join(part for part in (said, look.why, look.sees) if part)


def _stratum_row(look: StratumLook) -> tuple[str, ...]:
    more = "; ".join(part for part in (look.why, look.sees) if part)
    return (
        _md(look.stratum, MAX_NAME),
        _STRATA[look.verdict],
        str(look.n),
        _scores(look.baseline),
        _scores(look.candidate),
        _change(look),
        _band(look),
        _md(more),
    )


def _change(look: StratumLook) -> str:
    """Each look's change, with as many decimals as tell it from the band."""
    if not look.looks:
        return _signed(look.delta, look.band)
    return ", again ".join(_signed(each.delta, look.band) for each in look.looks)


def _signed(delta: float | None, band: float | None) -> str:
    if delta is None:
        return "–"
    digits = next((n for n in (2, 3, 4) if band is None or f"{abs(delta):.{n}f}" != f"{band:.{n}f}"), 2)
    return ("+" if delta > 0 and float(f"{delta:.{digits}f}") else "") + number(delta, digits)


def _band(look: StratumLook) -> str:
    if look.band is None:
        return "–"
    return f"±{number(look.band)}{' assumed' if look.assumed else ''}"


def _scores(score: float | None) -> str:
    return "–" if score is None else number(score)


def _must_pass(looks: Sequence[MustPassLook]) -> str:
    if not looks:
        return ""
    passed = sum(each.passed is True for each in looks)
    said = f"### Must pass\n\n{passed} of {counted(len(looks), 'case')} passed all trials."
    rows = [
        (
            _md(each.case, MAX_NAME),
            _md(each.stratum, MAX_NAME),
            _trials(each),
            _before(each),
            "in quarantine" if each.quarantined else "",
        )
        for each in looks
        if each.passed is not True
    ]
    return said + ("\n\n" + _table(("Case", "Stratum", "Trials", "Baseline", ""), rows) if rows else "")


def _before(look: MustPassLook) -> str:
    if not look.trials_before:
        return "–"
    return f"failed {look.failed_before} of {look.trials_before}, too" if look.failed_before else "passes"


def _quarantine_row(look: QuarantineLook) -> tuple[str, ...]:
    due = f"**{look.fix_by}, past**" if look.expired else look.fix_by
    signed = "for this commit" if look.accepted else "for another commit" if look.signed else "no"
    passes, fails = look.candidate_passes + look.baseline_passes, look.candidate_fails + look.baseline_fails
    return _md(look.case, MAX_NAME), _md(look.owner, MAX_NAME), due, signed, f"{passes} and {fails}", _md(look.reason)


def _side(side: SideRecord) -> str:
    run = f" of run {_md(side.run[:8])}" if side.run else ""
    return f"**{_md(side.name, MAX_NAME)}**{run}"


def _rests_on(decision: Decision) -> str:
    rows = []
    for role, side in (("baseline", decision.baseline), ("candidate", decision.candidate)):
        if side is None:
            continue
        days = f"{side.first} to {side.last}" if side.first else "without dates"
        passes = f", {side.repeats} passes over the cases" if side.repeats > 1 else ""
        commit = f", commit {_md(side.commit[:12])}" if side.commit else ""
        rows.append(f"{role}: trials of {days}, {side.k} a case{passes}{commit}; judged by {_md(side.judged_by)}")
    asked = [f"decided for {decision.today}" if decision.today else "decided without a date"]
    asked += [f"z = {decision.z:g}"] if decision.band == "measured" else []
    asked += [f"commit {_md(decision.commit[:12])}"] if decision.commit else []
    return "### What it rests on\n\n" + _list([*rows, ", ".join(asked)])


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in _cut(list(items), "more, in the record"))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows[:MAX_LINES])]
    rest = len(rows) - MAX_LINES
    return "\n".join(lines) + (f"\n\nand {rest} more, in the record" if rest > 0 else "")


def _cut(items: list[str], rest: str) -> Iterator[str]:
    yield from items[:MAX_LINES]
    if len(items) > MAX_LINES:
        yield f"and {len(items) - MAX_LINES} {rest}"


def _md(text: str, limit: int = MAX_SENTENCE) -> str:
    """What somebody wrote as one line of Markdown that shows it, without a mark, tag, link or mention of its own."""
    line = _one_line(text, limit)
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = _MARKS.sub(r"\\\1", line)
    line = _BEGINNING.sub(lambda found: f"{found[1]}\\{found[2]}" if found[1] else f"\\{found[3]}", line)
    return _LINK.sub(r"\\\g<0>", line)


def _xml(text: str, limit: int = 4 * MAX_SENTENCE) -> str:
    """What somebody wrote as one line that XML 1.0 can hold; the writer of the tree escapes it."""
    return _one_line(text, limit)


def _one_line(text: str, limit: int) -> str:
    """One line of at most `limit` characters; U+FFFD stands in for what no page can hold or what turns a line round."""
    line = " ".join(text[: 4 * limit].split())
    clean = "".join("\ufffd" if _unfit(char) else char for char in line)
    return clean if len(clean) <= limit and len(text) <= 4 * limit else f"{clean[: limit - 1].rstrip()}…"


def _unfit(char: str) -> bool:
    # U+FFFE and U+FFFF, among other places for no character, are what XML forbids beside controls and surrogates.
    return unicodedata.category(char) in ("Cc", "Cs", "Cf", "Cn", "Co") and char != "\u200d"
