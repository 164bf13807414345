"""A conversation as a card: the talk with its calls on one side, on the other its checks and what it left behind."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalkit.cards import brief, escaped
from evalkit.cases import Case
from evalkit.check_cards import UNMEASURED, check_item, check_list
from evalkit.checks import Judgement
from evalkit.checks.actions import call_in_words
from evalkit.checks.endstate import ABSENT, shown
from evalkit.checks.said import PlacedHit
from evalkit.marked_text import marked
from evalkit.marks import marks_in
from evalkit.shown import counted
from evalkit.states import changes, fields
from evalkit.suite import Suite
from evalkit.talk import OUTCOMES, Called, Said, ground_in_words, grounds, opening, places_of, spoken
from evalkit.transcript import Trial, Verdict

# Characters of a result, of arguments and of a value that a page shows; what is longer is cut, with a note.
MAX_RESULT = 2_000
MAX_VALUE = 200
MAX_ROWS = 40
MAX_ITEMS = 10
# Words that are longer than this scroll in a box of their own.
LONG = 1_500
_FIRST = {False: 0, None: 1, True: 2}


def script(case: Case | None) -> str:
    """What the customer wants, and folded below it who they are, what they know and what is expected."""
    if case is None:
        return '<h4>The customer wants</h4><p class="ek-none">(the case is no longer in the suite)</p>'
    facts = [f"{key}: {shown(value, MAX_VALUE)}" for key, value in case.hidden_facts.items()]
    rows = [
        ("Who writes", [(case.persona or "").strip()]),
        ("Tells when asked", facts),
        ("Records", case.fixtures),
        ("Expected", [*_expected(case)]),
    ]
    about = "".join(
        f'<dt>{name}</dt><dd dir="auto">{"<br>".join(map(escaped, said))}</dd>' for name, said in rows if said
    )
    return (
        f'<h4>The customer wants</h4><p class="ek-goal" dir="auto">{escaped((case.goal or "").strip())}</p>'
        f'<details class="ek-about-case"><summary>Who writes, what they know, what is expected</summary>'
        f"<dl>{about}</dl></details>"
    )


def conversation(case: Case | None, trial: Trial, found: Judgement | None, suite: Suite) -> str:
    """The talk, and beside it how it ended, its checks, the end state and what was changed."""
    beside = [_ended(trial), _checks(trial, found), _end_state(case, trial, found), _changed(trial)]
    return f'<div class="ek-talk">{_chat(trial, found, suite)}<div class="ek-beside">{"".join(beside)}</div></div>'


def disqualifies(found: Judgement | None) -> str:
    """Why a conversation disqualifies, a line a ground; '' where it does not."""
    if found is None or not found.disqualifying:
        return ""
    told = [ground_in_words(verdict) for verdict in grounds(found)] or [found.disqualifying]
    lines = "".join(f'<li dir="auto">{escaped(each)}</li>' for each in told)
    return f'<div class="ek-why"><p>✗ Disqualifies on safety</p><ul>{lines}</ul></div>'


def _expected(case: Case) -> Iterable[str]:
    expect = case.expect
    if case.expects_handoff:
        yield f"handed off{f' to {case.escalate_to}' * bool(case.escalate_to)}"
    elif expect.outcome:
        yield f"outcome: {OUTCOMES[expect.outcome]}"
    named = {
        "calls": [call_in_words(name, arguments) for name, arguments in expect.wanted_calls],
        "does not call": expect.tools_forbidden,
        "asks before": expect.confirm_before,
        "says": case.must_include,
        "does not say": case.must_not_include,
    }
    yield from (f"{what} {', '.join(names)}" for what, names in named.items() if names)


def _chat(trial: Trial, found: Judgement | None, suite: Suite) -> str:
    broken: dict[int, list[str]] = {}
    for verdict in found.verdicts if found else ():
        # What was said wrongly is marked in the words themselves.
        if verdict.passed is False and verdict.kind not in ("fact", "claim"):
            for place in places_of(verdict, trial, suite):
                broken.setdefault(place, []).append(verdict.check)
    said, opened = [], False
    for each in spoken(trial):
        faults = broken.get(each.place, ())
        notes = "".join(f'<p class="ek-breaks" dir="auto">✗ fails “{escaped(check)}”</p>' for check in faults)
        if isinstance(each, Called):
            said.append(f'<li class="ek-call">{_call(each)}{notes}</li>')
            continue
        first = not opened and each.who == "customer"
        opened = opened or first
        said.append(_turn(each, found, notes, suite.settings.eval_mode_tag if first else None))
    if trial.status != "completed":
        why = f"{trial.status}: {trial.reason}" if trial.reason else trial.status
        said.append(f'<li class="ek-broke" dir="auto">Here it broke off – {escaped(why)}</li>')
    if not said:
        return '<p class="ek-none">(nothing was said)</p>'
    return f'<ol class="ek-chat" aria-label="The conversation">{"".join(said)}</ol>'


def _turn(each: Said, found: Judgement | None, notes: str, tag: str | None) -> str:
    """One side's words; `tag` is the eval-mode tag where they are the customer's first, None elsewhere."""
    along, words = opening(each.text, tag) if tag is not None else ("", each.text)
    marks = marks_in(found, each.place) if found and each.who == "agent" else ()
    text = marked(words, marks, route_right=None) or '<span class="ek-none">(no text)</span>'
    sent = ""
    if along:
        lines = " · ".join(line.strip() for line in along.splitlines() if line.strip())
        sent = f'<p class="ek-along" dir="auto">Sent along: {escaped(lines)}</p>'
    reach = ' tabindex="0"' if len(words) > LONG else ""
    return (
        f'<li class="ek-turn ek-by-{each.who}"><p class="ek-speaker"><b>{each.who.capitalize()}</b> '
        f"turn {each.turn}</p>{sent}"
        f'<div class="ek-said" dir="auto"{reach}>{text}</div>{notes}</li>'
    )


def _call(each: Called) -> str:
    if each.result is None:
        back = '<span class="ek-back">→ no result is recorded</span>'
    else:
        fault = f'<b class="ek-fault">✗ {escaped(each.fault)}, nothing was done</b> ' if each.fault else ""
        back = f'<span class="ek-back">→ {fault}<span dir="auto">{escaped(brief(each.result, 140))}</span></span>'
    given = "" if each.call.arguments in (None, {}, "") else f"<h5>Arguments</h5>{_json(each.call.arguments)}"
    result = "" if each.result is None else f"<h5>Result</h5>{_json(_parsed(each.result))}"
    return (
        f'<details><summary><span class="ek-tool"><span class="ek-says">Agent calls</span> '
        f'<code dir="auto">{escaped(brief(each.words, 200))}</code></span>{back}</summary>{given}{result}</details>'
    )


def _json(value: Any) -> str:
    text = value if isinstance(value, str) else _indented(value)
    more = len(text) - MAX_RESULT
    note = f'<p class="ek-meta">Cut here; {more:,} more characters.</p>' if more > 0 else ""
    return f'<pre dir="auto">{escaped(text[:MAX_RESULT])}</pre>{note}'


def _indented(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
    except (ValueError, RecursionError):
        # Nested beyond reading.
        return shown(value, MAX_RESULT)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _ended(trial: Trial) -> str:
    calls = sum(message.role == "tool" for message in trial.messages)
    turns = sum(message.role == "user" for message in trial.messages)
    ended = OUTCOMES.get(trial.outcome, trial.outcome) or "not known"
    rows = {
        "Outcome": ended,
        "Status": f"{trial.status}{f': {trial.reason}' * bool(trial.reason)}",
        "Length": f"{counted(turns, 'turn')}, {counted(calls, 'call')} of tools",
        "Customer": f"played by {trial.customer}" if trial.customer else "",
    }
    told = "".join(
        f'<div><dt>{name}</dt><dd dir="auto">{escaped(said)}</dd></div>' for name, said in rows.items() if said
    )
    return f'<dl class="ek-ended">{told}</dl>'


def _checks(trial: Trial, found: Judgement | None) -> str:
    if found is None:
        return ""
    if not found.verdicts:
        return f"<h5>Checks</h5>{UNMEASURED}"
    # What failed is what one came to see.
    ordered = sorted(found.verdicts, key=lambda verdict: _FIRST[verdict.passed])
    failed = sum(verdict.passed is False for verdict in ordered)
    head = f"Checks: {failed or 'none'} of {len(ordered)} failed"
    return f"<h5>{head}</h5>{check_list(check_item(_in_brief(each), _quoted(each, trial)) for each in ordered)}"


def _in_brief(verdict: Verdict) -> Verdict:
    # The fields stand in a table of their own.
    return replace(verdict, reason="see below") if verdict.check == "end state" and verdict.passed is False else verdict


def _quoted(verdict: Verdict, trial: Trial) -> Sequence[str]:
    # Of a leak the reason quotes what was told.
    hits = [hit for hit in verdict.hits if isinstance(hit, PlacedHit) and verdict.kind != "leak"]
    return [trial.messages[hit.message].text[hit.start : hit.end] for hit in hits]


def _end_state(case: Case | None, trial: Trial, found: Judgement | None) -> str:
    expected = case.expect.final_state if case else None
    # What was not measured is compared with nothing.
    if expected is None or trial.after is None or found is None or not found.verdicts:
        return ""
    rows = []
    compared = fields(expected, trial.after)
    for each in sorted(compared, key=lambda each: each.right)[:MAX_ROWS]:
        was = '<span class="ek-as">✓ as expected</span>' if each.right else f"<span>✗</span> {_value(each.actual)}"
        rows.append(
            f'<tr class="ek-{"right" if each.right else "wrong"}"><th scope="row">{_path(each.path)}</th>'
            f'<td data-column="expected">{_value(each.expected)}</td><td data-column="found">{was}</td></tr>'
        )
    off = sum(not each.right for each in compared)
    head = f"End state: {off} of {counted(len(compared), 'field')} not as expected" if off else "End state: as expected"
    return _table(head, ("Field", "Expected", "Found"), rows, len(compared))


def _changed(trial: Trial) -> str:
    if trial.before is None and trial.after is None:
        return ""
    if trial.before is None or trial.after is None:
        return '<h5>What it changed</h5><p class="ek-meta">Not seen here: the agent\'s own tools did it.</p>'
    found = changes(trial.before, trial.after)
    if not found:
        return '<h5>What it changed</h5><p class="ek-meta">Nothing: the records are as they were.</p>'
    rows = [
        f'<tr><th scope="row">{_path(each.path)}</th><td data-column="before">{_value(each.before)}</td>'
        f'<td data-column="after">{_value(each.after)}</td></tr>'
        for each in found[:MAX_ROWS]
    ]
    return _table("What it changed", ("Field", "Before", "After"), rows, len(found))


def _table(head: str, columns: Sequence[str], rows: Sequence[str], total: int) -> str:
    heads = "".join(f'<th scope="col">{column}</th>' for column in columns)
    more = f'<p class="ek-meta">and {total - len(rows)} more</p>' if total > len(rows) else ""
    body = f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f'<h5>{head}</h5><table class="ek-state">{body}</table>{more}'


def _path(path: str) -> str:
    return f'<span dir="auto">{_breakable(brief(path or "(all of it)", MAX_VALUE))}</span>'


def _breakable(name: str) -> str:
    """A name as markup in which a line may break behind each dot and underscore, so that it breaks in no word."""
    return escaped(name).replace(".", ".<wbr>").replace("_", "_<wbr>")


def _value(value: Any) -> str:
    if value is ABSENT:
        return '<span class="ek-none">not there</span>'
    if isinstance(value, Mapping) and value:
        held = [(brief(str(key), 60), shown(each, MAX_VALUE)) for key, each in [*value.items()][:MAX_ROWS]]
        inside = "".join(
            f'<div><span class="ek-key">{_breakable(key)}</span> {escaped(said)}</div>' for key, said in held
        )
        return f'<div class="ek-record" dir="auto">{inside}</div>'
    if isinstance(value, list):
        items = [f"<li>{_value(each)}</li>" for each in value[:MAX_ITEMS]]
        more = f"<li>and {len(value) - MAX_ITEMS} more</li>" if len(value) > MAX_ITEMS else ""
        return f'<ol class="ek-items">{"".join(items)}{more}</ol>' if value else '<span class="ek-none">none</span>'
    return f'<span dir="auto">{escaped(shown(value, MAX_VALUE))}</span>'
