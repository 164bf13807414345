"""What `30_grader_agreement` shows of the held-out items: who said what, and each figure with what it says."""

from __future__ import annotations

from collections.abc import Iterator

from evalkit import agreement_cards, cards
from evalkit.agreement_cards import Figure
from evalkit.cards import Card
from evalkit.measurement import Measurement, Side
from evalkit.shown import counted, number, with_interval
from evalkit.stats.agreement import landis_koch
from evalkit.stats.intervals import Interval
from evalkit.views.agreement import because, where_measured

# From where kappa is low although people and grader mostly say the same; only one common class makes such a gap.
PARADOX_RAW, PARADOX_GAP = 0.8, 0.3


@where_measured
def confusion_table(found: Measurement) -> Card:
    """How often people and the grader pass or fail the same held-out transcript."""
    side = found.held_out
    (_, missed), (let_through, _) = side.table
    table = agreement_cards.crossed(
        "",
        side.table,
        ("People pass", "People fail"),
        columns=("Grader passes", "Grader fails"),
        words=(("both pass", "the grader is too strict"), ("the grader lets through", "both fail")),
    )
    compared = side.agreement.n
    said = (
        f"{counted(compared, 'held-out item')} of {counted(side.agreement.cases, 'case')}, of {side.items} that are "
        f"held out. The grader lets through {let_through:g} that people fail, and fails {missed:g} that people pass."
    )
    if len({each.item.inclusion for each in side.labelled}) > 1:
        said += (
            " Some kinds of transcripts were drawn more often than others: no pass rate is to be read from this table."
        )
    return cards.stack([table, Card(f'<p class="ek-legend">{cards.escaped(said)}</p>')], empty="")


@where_measured
def agreement_table(found: Measurement) -> Card:
    """Kappa and all that is read beside it on the held-out items, each with a sentence of what it says."""
    side = found.held_out
    rows = [*_deciding(side), *_beside(side)]
    note = (
        "Intervals: raw agreement by Wilson over items; the others by a bootstrap over cases, since transcripts of one "
        "case are alike."
    )
    table = agreement_cards.figures(rows, heads=("Figure", "Value (95 % interval)", "Counted over"), note=note)
    return cards.stack([table, *map(cards.prose, _paradox(side))], empty="")


def in_hundred(share: float) -> str:
    """A share as a number of 100, never rounded to none or to all."""
    if 0 < share < 0.01:
        return "fewer than 1 of 100"
    return "more than 99 of 100" if 0.99 < share < 1 else f"{100 * share:.0f} of 100"


def _deciding(side: Side) -> Iterator[Figure]:
    kappa, beside = side.agreement, side.relatives
    over = f"{counted(kappa.n, 'item')}, {counted(kappa.cases, 'case')}"
    if kappa.measured and kappa.value is not None:
        undefined = f" Of {kappa.resamples:,} resamples {kappa.undefined:,} had no kappa." if kappa.undefined else ""
        said = (
            "What they agree on beyond what chance alone would give: 0 is no more than chance, 1 is all. By habit this "
            f"is called “{landis_koch(kappa.value)}”, which decides nothing.{undefined}"
        )
        value = with_interval(kappa.value, kappa.low, kappa.high)
    else:
        said = f"Says nothing here: {because(kappa.reason)}. Look at the raw agreement and at the counts."
        value = "not measured"
    yield Figure("Cohen's kappa", said, value, over, "decides")
    yield _specific("fail", "Agreement on fails", beside.negative, "decides")
    yield _specific("pass", "Agreement on passes", beside.positive, "")
    raw = beside.raw
    said = "" if raw.value is None else f"They say the same of {in_hundred(raw.value)} transcripts. "
    yield Figure("Raw agreement", f"{said}High by itself where nearly all pass, or nearly all fail.", _value(raw), over)


def _specific(word: str, name: str, found: Interval, tag: str) -> Figure:
    if found.value is None:
        said = because(found.reason).replace("neither rater", "neither side")
        return Figure(name, f"Not measured: {said}.", "not measured", "0 items", tag)
    said = f"Where one of the two says {word}, the other says so too in {in_hundred(found.value)}."
    return Figure(name, said, _value(found), f"{counted(found.n, 'item')} that one calls a {word}", tag)


def _beside(side: Side) -> Iterator[Figure]:
    found = side.relatives
    n = counted(found.n, "item")
    yield Figure("Gwet's AC1", "Agreement beyond chance, where chance is taken to be small if one class rules. Kappa's "
                 "relative, which a rare class does not pull down.", _plain(found.ac1), n)  # fmt: skip
    yield Figure("PABAK", "Raw agreement from −1 to 1: what kappa would be if passes and fails were equally many.",
                 _plain(found.pabak), n)  # fmt: skip
    prevalence, bias = found.prevalence_index, found.bias_index
    if prevalence is None or bias is None:
        return
    more = (
        "passes outnumber fails" if prevalence > 0 else "fails outnumber passes" if prevalence < 0 else "equally many"
    )
    yield Figure("Prevalence index", f"Both pass less both fail, as a share: {more}. Near −1 or 1 one class rules, and "
                 "kappa falls.", number(prevalence), n)  # fmt: skip
    leans = "is stricter than people" if bias > 0 else "is more lenient than people" if bias < 0 else "leans to no side"
    passes = f"People pass {found.counts_a[0]} and the grader passes {found.counts_b[0]} of {found.n}: it {leans}."
    yield Figure("Bias index", passes, number(bias), n)


def _paradox(side: Side) -> Iterator[str]:
    kappa, beside = side.agreement, side.relatives
    raw, prevalence = beside.raw.value, beside.prevalence_index
    if not kappa.measured or kappa.value is None or raw is None or prevalence is None or beside.kappa_max is None:
        return
    if raw < PARADOX_RAW or raw - kappa.value < PARADOX_GAP:
        return
    chance = (raw - kappa.value) / (1 - kappa.value)
    common, rare, on_rare = ("pass", "fail", beside.negative) if prevalence > 0 else ("fail", "pass", beside.positive)
    yield (
        f"Why is kappa low although they say the same of {in_hundred(raw)}? Because most transcripts {common} by both. "
        f"Two who said so by habit would already agree on {in_hundred(chance)}; with these counts kappa could reach "
        f"{number(beside.kappa_max)} at most. The rare ones tell: where one says {rare}, the other does in "
        f"{in_hundred(on_rare.value or 0)}. So neither the raw agreement nor kappa is read alone."
    )


def _value(found: Interval) -> str:
    return with_interval(found.value, found.low, found.high)


def _plain(value: float | None) -> str:
    return "not measured" if value is None else number(value)
