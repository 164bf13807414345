"""Transcripts as cards, case by case: what was asked and what was answered, with all that decided marked in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalkit import conversation_cards
from evalkit.cards import Card, escaped
from evalkit.cases import Ticket
from evalkit.check_cards import SIGNS, TONES, UNMEASURED, WORDS, check_item, check_list
from evalkit.checks import Judgement
from evalkit.disagreements import Comparison, Played, Selection, passed_of
from evalkit.marked_text import marked
from evalkit.marks import Mark, marks_of
from evalkit.rows import Reading
from evalkit.shown import signed
from evalkit.talk import OUTCOMES, is_conversation
from evalkit.transcript import HARMS, Message, Trial

REMOVED = "The case is no longer in the suite, so nothing judges this answer."


def transcripts(selection: Selection, *, said: str, empty: str) -> Card:
    """The transcripts of a selection, case by case, below a bar that filters them where scripts run.

    `said` is the line above that counts them, `empty` what is said where there is none.
    """
    if not selection.shown:
        return Card(f'<p class="ek-prose">{escaped(empty)}</p>')
    anchors = anchors_of(selection)
    sections = "".join(
        _section(selection, comparison, shown, anchors[comparison.case]) for comparison, shown in selection.shown
    )
    return Card(
        f'<div class="ek-reading"><p class="ek-prose">{escaped(said)}</p>{_bar(selection)}{sections}'
        f'<p class="ek-prose ek-nothing" hidden>No transcript on this page matches all of these filters.</p></div>'
    )


def anchors_of(selection: Selection) -> dict[str, str]:
    """The id of each shown case's section on the page, made of the case's id."""
    anchors: dict[str, str] = {}
    for comparison, _ in selection.shown:
        slug = f"case-{re.sub(r'[^0-9A-Za-z_]+', '-', comparison.case).strip('-')}"
        taken, number = set(anchors.values()), 1
        anchor = slug
        while anchor in taken:
            number += 1
            anchor = f"{slug}-{number}"
        anchors[comparison.case] = anchor
    return anchors


def trial_signs(played: Played, shown: Reading | None = None) -> str:
    """The verdicts of all trials in a line: 'trials 0 ✓ 1 ✗ 2 ✓', the one that is shown emphasized."""
    told = " ".join(
        f'<b title="the trial that is shown">{each.slot.number} {SIGNS[passed_of(each)]}</b>'
        if each is shown and len(played.readings) > 1
        else f"{each.slot.number} {SIGNS[passed_of(each)]}"
        for each in played.readings
    )
    return f"trial{'s' * (len(played.readings) > 1)} {told}"


def _bar(selection: Selection) -> str:
    names = [candidate["name"] for candidate in selection.run.manifest["candidates"]]
    present = {played.candidate for _, shown in selection.shown for played, _ in shown}
    strata = dict.fromkeys(comparison.stratum for comparison, _ in selection.shown if comparison.stratum)
    verdicts = [("failed", "failed"), ("passed", "passed"), ("harm", "does harm"), ("disagree", "verdicts disagree")]
    fields = (
        _choice("candidate", "Candidate", [(name, name) for name in names if name in present]),
        _choice("stratum", "Stratum", [(name, name) for name in sorted(strata)]),
        _choice("verdict", "Verdict", verdicts),
        '<label>Text <input type="search" name="text" autocomplete="off" spellcheck="false"></label>',
    )
    return (
        f'<div class="ek-filter" role="search" aria-label="Filter the transcripts" hidden>{"".join(fields)}'
        '<button type="button" data-do="clear">Clear</button></div>'
        '<div class="ek-jump" hidden><span class="ek-count" role="status" aria-live="polite"></span>'
        '<button type="button" data-do="previous" aria-keyshortcuts="p">← Previous <span>disagreement</span>'
        '<kbd>p</kbd></button><button type="button" data-do="next" aria-keyshortcuts="n">'
        "Next <span>disagreement</span> →<kbd>n</kbd></button></div>"
    )


def _choice(name: str, label: str, options: Sequence[tuple[str, str]]) -> str:
    said = "".join(f'<option value="{escaped(value)}">{escaped(text)}</option>' for value, text in options)
    return f'<label>{label} <select name="{name}"><option value="">all</option>{said}</select></label>'


def _section(selection: Selection, comparison: Comparison, shown: Sequence[tuple[Played, Reading]], anchor: str) -> str:
    trial = next((reading.trial for _, reading in shown if reading.trial is not None), None)
    if is_conversation(comparison.found, trial):
        asked, kind = conversation_cards.script(comparison.found), "ek-talks"
    else:
        asked, kind = _asked(comparison, shown[0][1].trial), "ek-pair"
    of_case = "".join(_answer(selection, comparison, played, reading) for played, reading in shown)
    return (
        f'<section class="ek-case" id="{escaped(anchor)}" tabindex="-1" aria-label="case {escaped(comparison.case)}" '
        f'data-stratum="{escaped(comparison.stratum)}" data-disagree="{"yes" if comparison.disagrees else "no"}">'
        f'<header><h3 dir="auto">{escaped(comparison.case)}</h3>{_about(selection, comparison)}</header>'
        f'<div class="{kind}"><div class="ek-asked"><div class="ek-ticket">{asked}</div>'
        f"{_golden(comparison)}</div>"
        f'<div class="ek-answers">{of_case}</div></div></section>'
    )


def _about(selection: Selection, comparison: Comparison) -> str:
    case, parts = comparison.found, []
    if case is not None:
        parts = [case.stratum, *(["safety case"] if case.risk == "safety" else [])]
        if case.expected_handling:
            parts.append(f"expected: {case.expected_handling}{f' to {case.escalate_to}' * bool(case.escalate_to)}")
    disagrees = {
        "divided": "candidates disagree",
        "unsteady": "trials disagree",
        "passed": "all pass",
        "failed": "all fail",
        "not compared": "not compared",
    }[comparison.kind]
    alone = len(selection.run.manifest["candidates"]) == 1 and not comparison.disagrees
    tag = "" if alone else f'<span class="ek-tag ek-tag-{"on" if comparison.disagrees else "off"}">{disagrees}</span>'
    return f'<p class="ek-meta" dir="auto">{escaped(" · ".join(parts))} {tag}</p>'


def _asked(comparison: Comparison, trial: Trial | None) -> str:
    sent = trial.asked if trial else ""
    case = comparison.found
    ticket = case.ticket if case else None
    # The suite as it stands may hold another text than the one that was answered.
    if ticket is not None and (not sent or _holds(sent, ticket)):
        account = "".join(
            f'<div><dt dir="auto">{escaped(str(key))}</dt><dd dir="auto">{escaped(str(value))}</dd></div>'
            for key, value in ticket.account.items()
        )
        subject = f'<p class="ek-subject" dir="auto">{escaped(ticket.subject)}</p>' if ticket.subject else ""
        facts = f'<dl class="ek-account">{account}</dl>' if account else ""
        said, note = f"{subject}{facts}{_quote(escaped(ticket.body))}", ""
    else:
        said = _quote(escaped(sent) or '<span class="ek-none">(nothing was sent)</span>')
        note = "As it was sent; the suite that judges holds no such text." if sent else ""
    return f"<h4>The customer wrote</h4>{said}" + (f'<p class="ek-meta">{note}</p>' if note else "")


def _holds(sent: str, ticket: Ticket) -> bool:
    """Whether what was sent is this ticket: its subject, its account and its text."""
    account = [f"{key}: {value}" for key, value in ticket.account.items()]
    return all(part in sent for part in (ticket.subject.strip(), ticket.body.strip(), *account))


def _golden(comparison: Comparison) -> str:
    case = comparison.found
    if case is None:
        return ""
    if not case.reference.golden_answer.strip():
        # The ideal of a conversation is its end state; few have an ideal answer.
        if case.kind == "conversation":
            return ""
        return '<p class="ek-meta">No golden answer is written for this case.</p>'
    return (
        f'<details class="ek-golden"><summary>The golden answer</summary>'
        f"{_quote(escaped(case.reference.golden_answer))}</details>"
    )


def _answer(selection: Selection, comparison: Comparison, played: Played, reading: Reading) -> str:
    trial, found, passed = reading.trial, reading.judgement, passed_of(reading)
    tone, talked = TONES[passed], is_conversation(comparison.found, trial)
    points = ""
    if found is not None and found.points is not None:
        points = f"{signed(found.points)} of {signed(found.points_possible).lstrip('+')} points"
    outcome = OUTCOMES.get(trial.outcome, "") if trial else ""
    ended = " · ".join(part for part in (points, outcome, _ended(trial)) if part)
    harms = [harm for harm in HARMS if found and found.harms(harm)]
    why = conversation_cards.disqualifies(found) if talked else _disqualifies(found)
    if talked and trial is not None:
        gone = f'<p class="ek-meta">{REMOVED}</p>' * (comparison.found is None)
        body = gone + conversation_cards.conversation(comparison.found, trial, found, selection.run.suite)
    else:
        body = f"{_dialogue(trial, found)}{_checks(comparison, reading)}"
    return (
        f'<article class="ek-transcript ek-t-{tone}" data-candidate="{escaped(played.candidate)}" '
        f'data-verdict="{WORDS[passed]}" data-harm="{"yes" if harms else "no"}"><header>'
        f'<h4 dir="auto">{escaped(played.candidate)}</h4>'
        f'<span class="ek-s ek-s-{tone}">{SIGNS[passed]} {WORDS[passed]}</span>'
        f'<span class="ek-meta">{escaped(ended)}</span>'
        f'<span class="ek-meta ek-trials">{trial_signs(played, reading)}</span></header>'
        f"{why}{body}</article>"
    )


def _ended(trial: Trial | None) -> str:
    if trial is None:
        return "not played yet, or the run was stopped"
    if trial.status == "completed":
        return trial.reason
    return f"{trial.status}: {trial.reason}" if trial.reason else trial.status


def _disqualifies(found: Judgement | None) -> str:
    if found is None or not found.disqualifying:
        return ""
    return f'<p class="ek-why" dir="auto">✗ Disqualifies on safety: {escaped(found.disqualifying)}.</p>'


def _dialogue(trial: Trial | None, found: Judgement | None) -> str:
    """What was said after the ticket; marks stand in the last answer, which is the one that is judged."""
    messages = [message for message in trial.messages if message.role != "system"][1:] if trial else []
    if not any(message.role == "assistant" for message in messages):
        return '<p class="ek-none">(no answer)</p>'
    last = max(place for place, message in enumerate(messages) if message.role == "assistant")
    said = []
    for place, message in enumerate(messages):
        marks = marks_of(found) if found and place == last else ()
        said.append(_message(message, marks, found, named=len(messages) > 1))
    return "".join(said)


def _message(message: Message, marks: Sequence[Mark], found: Judgement | None, *, named: bool) -> str:
    right = None if found is None or found.routing is None else found.routing == "right"
    text = marked(message.text, marks, route_right=right)
    who = f'<p class="ek-who">{escaped(message.role)}</p>' if named else ""
    return who + _quote(text or '<span class="ek-none">(no text)</span>')


def _quote(markup: str) -> str:
    return f'<div class="ek-quote" dir="auto" tabindex="0">{markup}</div>'


def _checks(comparison: Comparison, reading: Reading) -> str:
    found = reading.judgement
    if comparison.found is None:
        return f'<p class="ek-meta">{REMOVED}</p>'
    if found is None or not found.verdicts:
        return UNMEASURED
    answer = reading.trial.answer if reading.trial else ""
    return check_list(
        check_item(verdict, [answer[hit.start : hit.end] for hit in verdict.hits]) for verdict in found.verdicts
    )
