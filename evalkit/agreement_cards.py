"""What the page on agreement shows in boxes: figures that say what they mean, tables of who said what, disputes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evalkit.cards import Card, brief, escaped
from evalkit.grading.turns import Turn
from evalkit.labels.items import Item
from evalkit.rubrics import Rubric
from evalkit.talk import opening

# Characters of words, and of what went into a tool or came out of one, that a page shows; what is longer is cut.
MAX_WORDS, MAX_RESULT = 12_000, 2_000
# Words that are longer than this scroll in a box of their own.
LONG = 1_500


@dataclass(frozen=True)
class Figure:
    """A figure with what it says in a sentence; `tag` is a word that stands out beside its name."""

    name: str
    about: str
    value: str
    n: str
    tag: str = ""


@dataclass(frozen=True)
class Voice:
    """What somebody says of a transcript: a verdict a criterion, and remarks, each of a criterion or of '' for all.

    `stands` says that these are the verdicts that count on their side; `note` is said beside the name.
    """

    who: str
    verdicts: Mapping[str, str | None]
    remarks: tuple[tuple[str, str], ...] = ()
    stands: bool = False
    note: str = ""


def whole_page(card: Card) -> Card:
    """The band of example labels, for a page that rests on them whole: it stands across every screen and sheet too."""
    return Card(f'<div class="ek-whole-page">{card.html}</div>')


def figures(rows: Sequence[Figure], *, heads: tuple[str, str, str], note: str = "") -> Card:
    """Figures, a line each: the name with its sentence below, the value, and what it is counted over."""
    lines = "".join(
        f'<tr><th scope="row"><span class="ek-name" dir="auto">{escaped(row.name)}'
        f"{f' <span class=ek-decides>{escaped(row.tag)}</span>' if row.tag else ''}</span>"
        f'<span class="ek-about" dir="auto">{escaped(row.about)}</span></th>'
        f"<td>{escaped(row.value)}</td><td>{escaped(row.n)}</td></tr>"
        for row in rows
    )
    head = "".join(f'<th scope="col">{escaped(each)}</th>' for each in heads)
    below = f'<p class="ek-legend">{escaped(note)}</p>' if note else ""
    return Card(f'<table class="ek-figures"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>{below}')


def crossed(
    title: str,
    table: Sequence[Sequence[float]],
    labels: Sequence[str],
    *,
    columns: Sequence[str] = (),
    passing: Sequence[bool] = (),
    words: Sequence[Sequence[str]] = (),
) -> Card:
    """A square table of counts, shaded by how many there are: people's `labels` in rows, the grader's in columns.

    `columns` head the columns where they are called otherwise. Where one label is `passing` and the next is not, a
    line parts them. `words` says in each cell what it is. ValueError where the table is not square.
    """
    most = max((count for row in table for count in row), default=0)
    parted = [bool(passing and at) and passing[at] != passing[at - 1] for at in range(len(labels))]
    heads = "".join(
        f'<th scope="col" dir="auto"{_parted(part)}>{escaped(label)}</th>'
        for label, part in zip(columns or labels, parted, strict=True)
    )
    lines = []
    for at, (label, counts) in enumerate(zip(labels, table, strict=True)):
        cells = "".join(
            _count(count, most, same=at == to, word=words[at][to] if words else "", parted=part)
            for to, (count, part) in enumerate(zip(counts, parted, strict=True))
        )
        lines.append(
            f'<tr{_parted(parted[at])}><th scope="row" dir="auto">{escaped(label)}</th>{cells}'
            f'<td class="ek-sum">{sum(counts):g}</td></tr>'
        )
    sums = "".join(
        f'<td class="ek-sum{" ek-parted" * part}">{sum(row[at] for row in table):g}</td>'
        for at, part in enumerate(parted)
    )
    total = sum(sum(row) for row in table)
    named = f'<caption dir="auto">{escaped(title)}</caption>' if title else ""
    corner = "" if columns else "People ↓ Grader →"
    return Card(
        f'<div class="ek-crossed"><table>{named}<thead><tr><td class="ek-corner">{corner}</td>{heads}'
        f'<th scope="col" class="ek-sum">All</th></tr></thead>'
        f'<tbody>{"".join(lines)}<tr class="ek-sums"><th scope="row">All</th>{sums}<td class="ek-sum">{total:g}</td>'
        "</tr></tbody></table></div>"
    )


def side_by_side(cards: Iterable[Card]) -> Card:
    """Cards beside one another where there is room, else below."""
    return Card(f'<div class="ek-beside-each-other">{"".join(card.html for card in cards)}</div>')


def dispute(
    item: Item,
    voices: Sequence[Voice],
    rubric: Rubric,
    *,
    said: str,
    tag: str,
    opened: bool,
    brief_said: str = "",
    why: str = "",
) -> Card:
    """One transcript on which people and the grader differ, to be folded away below a line that names it.

    `said` is that line's sentence and `brief_said` who gave what, `tag` the suite's eval-mode tag, `why` what else is
    told of how it was graded.
    """
    about = f"{item.stratum} · {item.candidate} · trial {item.trial}"
    gave = f'<span class="ek-gave" dir="auto">{escaped(brief_said)}</span> ' if brief_said else ""
    beside = "".join(_voice(each, rubric) for each in voices)
    told = f'<p class="ek-meta">{escaped(why)}</p>' if why else ""
    golden = escaped(item.reference) or '<span class="ek-none">(none is written)</span>'
    return Card(
        f'<details class="ek-dispute"{" open" * opened}><summary><span class="ek-name" dir="auto">{escaped(item.id)} · '
        f'{escaped(item.case)}</span> <span class="ek-what">{escaped(said)}</span> {gave}'
        f'<span class="ek-about" dir="auto">{escaped(about)}</span></summary><div class="ek-talk">'
        f'<div class="ek-left">{_chat(item.turns, tag)}</div>'
        f'<div class="ek-right"><h5>The golden answer</h5><div class="ek-golden-text" dir="auto">{golden}</div>'
        f"<h5>Who says what</h5>{told}{beside}</div></div></details>"
    )


def _parted(parted: bool) -> str:
    return ' class="ek-parted"' if parted else ""


def _count(count: float, most: float, *, same: bool, word: str, parted: bool) -> str:
    # Four steps are told apart by the eye, and their numbers stand in them.
    step = 0 if not count else min(4, 1 + int(4 * count / (most + 1)))
    kind = f"ek-h{step} ek-h-{'same' if same else 'other'}{' ek-parted' * parted}"
    below = f'<span class="ek-small">{escaped(word)}</span>' if word else ""
    return f'<td class="{kind}"><b>{count:g}</b>{below}</td>'


def _voice(voice: Voice, rubric: Rubric) -> str:
    given = " ".join(_verdict(name, voice.verdicts.get(name), rubric) for name in rubric.criterion_names)
    remarks = "".join(
        f'<p dir="auto">{f"<i>{escaped(name)}:</i> " if name else ""}{escaped(_cut(text, MAX_RESULT))}</p>'
        for name, text in voice.remarks
        if text.strip()
    )
    note = f' <span class="ek-says">{escaped(voice.note)}</span>' if voice.note else ""
    return (
        f'<div class="ek-voice{" ek-stands" * voice.stands}"><p class="ek-speaker"><b dir="auto">{escaped(voice.who)}'
        f'</b>{note}</p><p class="ek-given">{given}</p>{remarks}</div>'
    )


def _verdict(name: str, verdict: str | None, rubric: Rubric) -> str:
    if verdict is None:
        return (
            f'<span class="ek-one"><span dir="auto">{escaped(name)}</span> <span class="ek-s ek-s-none">–</span></span>'
        )
    passes = rubric.passes(verdict)
    tone, sign, word = ("good", "✓", "passes") if passes else ("bad", "✗", "fails")
    return (
        f'<span class="ek-one"><span dir="auto">{escaped(name)}</span> '
        f'<span class="ek-s ek-s-{tone}" title="{word}" dir="auto">{escaped(verdict)} {sign}</span></span>'
    )


def _chat(turns: Sequence[Turn], tag: str) -> str:
    first = next((at for at, turn in enumerate(turns) if turn.role == "customer"), None)
    said = "".join(_turn(turn, tag if at == first else None) for at, turn in enumerate(turns))
    if not said:
        return '<p class="ek-none">(nothing was said)</p>'
    return f'<ol class="ek-chat" aria-label="The transcript">{said}</ol>'


def _turn(turn: Turn, tag: str | None) -> str:
    if turn.role in ("call", "result"):
        says = "Agent calls" if turn.role == "call" else "It gives back"
        name = f' <code dir="auto">{escaped(brief(turn.tool, 200))}</code>' if turn.role == "call" else ""
        return (
            f'<li class="ek-call"><details><summary><span class="ek-tool"><span class="ek-says">{says}</span>{name} '
            f'<span dir="auto">{escaped(brief(turn.text, 140))}</span></span></summary>'
            f'<pre dir="auto">{escaped(_cut(turn.text, MAX_RESULT))}</pre></details></li>'
        )
    along, words = opening(turn.text, tag) if tag is not None else ("", turn.text)
    lines = " · ".join(line.strip() for line in along.splitlines() if line.strip())
    sent = f'<p class="ek-along" dir="auto">Sent along: {escaped(lines)}</p>' if along else ""
    text = escaped(_cut(_trimmed(words), MAX_WORDS)) or '<span class="ek-none">(no text)</span>'
    reach = ' tabindex="0"' if len(words) > LONG else ""
    return (
        f'<li class="ek-turn ek-by-{turn.role}"><p class="ek-speaker"><b>{turn.role.capitalize()}</b></p>{sent}'
        f'<div class="ek-said" dir="auto"{reach}>{text}</div></li>'
    )


def _trimmed(text: str) -> str:
    return re.sub(r"\n{4,}", "\n\n\n", text).strip("\n")


def _cut(text: str, most: int) -> str:
    more = len(text) - most
    return text if more <= 0 else f"{text[:most]}… (cut here; {more:,} more characters)"
