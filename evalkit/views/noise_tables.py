"""What `40_noise_bands` shows of each stratum: its band, how sure that is, and which drops would be caught."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from evalkit import boards, cards, noise_charts
from evalkit.bands import DROPS, SEES, FewRepeats, Noise, Seen, StratumBand, cases_needed, curve
from evalkit.cards import Card
from evalkit.shown import counted, number, with_interval
from evalkit.stats.false_blocks import caught
from evalkit.stats.noise import FLOOR
from evalkit.stats.repeats import run_level, run_level_needed
from evalkit.views.noise import ABOVE, BLIND, POINTS, arrow, chance, factor

if TYPE_CHECKING:
    from altair import LayerChart
    from great_tables import GT

# The true drops that the curve is drawn over.
STEPS = [at / 20 for at in range(13)]


def band_chart(noise: Noise | str) -> LayerChart:
    """Each stratum's band at the compared cases, with what the repeats leave open."""
    rows = []
    for each in () if isinstance(noise, str) or noise.luck is None else noise.strata:
        low, high = _ends(each)
        rows.append(
            {
                "stratum": each.stratum, "band": each.band.value, "low": low, "high": high, "score": each.compared,
                "m": each.m, "decided": each.band.decided, "why": each.band.reason,
            }
        )  # fmt: skip
    floats = ("band", "low", "high", "score")
    schema = {
        name: pl.Float64 if name in floats else pl.Int64 if name == "m" else pl.String for name in noise_charts.BANDS
    }
    return noise_charts.band_widths(pl.DataFrame(rows, schema=schema))


def band_table(noise: Noise | str) -> GT | Card:
    """Every stratum's cases, score, and band: on all its cases, and on those that are compared."""
    if isinstance(noise, str):
        return cards.prose(ABOVE)
    rows = [
        {
            "stratum": each.stratum,
            "n": f"{each.n}\u00a0/\u00a0{each.m}",
            "score": with_interval(each.score.value, each.score.low, each.score.high),
            "whole": "–" if each.whole.value is None else number(each.whole.value),
            "band": "–" if each.band.value is None else number(each.band.value),
            "decided": each.band.decided or "–",
            "says": _sees(each),
        }
        for each in noise.strata
    ]
    return boards.table(
        pl.DataFrame(rows, schema=["stratum", "n", "score", "whole", "band", "decided", "says"]),
        labels={
            "stratum": "Stratum", "n": "Cases / compared", "score": "Score (95 % interval)", "whole": "Band on all",
            "band": "Band on those compared", "decided": "Decided by", "says": f"A drop of {POINTS[1]} is seen",
        },
        stub="stratum",
        right=("n", "score", "whole", "band", "says"),
        alarm="sees nothing",
        note=f"Compared: {noise.compared.says}. Score: the share of cases that pass all {counted(noise.k, 'trial')}, "
        f"over {counted(noise.repeats, 'repeat')} of {noise.candidate} (Wilson, over cases). Band: {noise.z:g} × "
        f"{factor(noise)} × √variance of a difference, the largest of V(m), which sees what moves a whole repeat; "
        "2w/m, what single cases do; and the floor, what the rule of three leaves open where nothing flaked. A drop "
        "as large as the band does not block.",
    )  # fmt: skip


def precision_table(noise: Noise | str) -> GT | Card:
    """How sure each band is after these repeats, how many are missing, and how often so few make a false block."""
    if isinstance(noise, str) or not noise.measured:
        return cards.prose(ABOVE)
    rows = []
    for each in noise.measured:
        got = each.achieved
        rows.append(
            {
                "stratum": each.stratum,
                "flaky": f"{got.flaky} of {each.n}",
                "margin": f"± {100 * got.margin:.0f} %" if got.margin is not None else "not told: no case flaked",
                "missing": "–" if got.missing is None else "none" if not got.missing else str(got.missing),
                "worst": _few(each.worst),
                "likely": _few(each.likely) if each.likely else "the floor decides",
            }
        )
    ends, repeats = run_level(noise.repeats), noise.repeats
    return boards.table(
        pl.DataFrame(rows),
        labels={
            "stratum": "Stratum", "flaky": "Cases that flaked", "margin": "Precision of the spread",
            "missing": "Repeats missing for ± 20 %", "worst": f"False block at {repeats - 1} df · multiplier",
            "likely": "At the df that its cases give · multiplier",
        },
        stub="stratum",
        right=("flaky", "margin", "missing", "worst", "likely"),
        note=f"One look, a stratum. A spread known from few repeats blocks more often than z = {noise.z:g} says; the "
        f"multiplier beside it would bring {chance(caught(0.0, None, noise.z))} back, and is told, not used. "
        f"{repeats - 1} degrees of freedom (df) are the fewest, true where whole repeats move together; of cases that "
        "move alone each adds its own. "
        f"For one number a repeat, {repeats} repeats say that the true spread is {number(ends.low)} to "
        f"{number(ends.high)} times the measured one; ± 20 % of that takes {run_level_needed()} repeats.",
    )  # fmt: skip


def power_chart(noise: Noise | str) -> LayerChart:
    """The chance to catch a true drop against its size, the sharpest and the dullest stratum named."""
    measured = [] if isinstance(noise, str) else noise.measured
    seeing = [each for each in measured if not each.sees_nothing]
    curves = {each.stratum: (each, points) for each in seeing if len(points := curve(each, STEPS)) > 1}
    at_drop = {each.stratum: looks.rerun for each in seeing if (looks := each.sight(DROPS[1])) is not None}
    order = sorted((name for name in curves if name in at_drop), key=lambda name: -at_drop[name])
    names = dict(zip([*order[:1], *order[1:][-1:]], ("sees most", "sees least"), strict=False))
    rows = [
        {
            "stratum": name, "drop": drop, "once": looks.once, "rerun": looks.rerun, "m": each.m,
            "named": f"{name} ({names[name]}, m = {each.m})" if name in names else "",
        }
        for name, (each, points) in curves.items()
        for drop, looks in points
    ]  # fmt: skip
    schema = {"stratum": pl.String, "drop": pl.Float64, "once": pl.Float64, "rerun": pl.Float64, "m": pl.Int64,
              "named": pl.String}  # fmt: skip
    return noise_charts.power_curves(pl.DataFrame(rows, schema=schema), sees=SEES)


def power_table(noise: Noise | str) -> GT | Card:
    """The chance that each stratum blocks: though nothing changed, and at each true drop, one look and both."""
    if isinstance(noise, str) or not noise.measured:
        return cards.prose(ABOVE)
    rows = []
    for each in noise.measured:
        sights = [each.sight(drop) for drop in (0.0, *DROPS)]
        needed = cases_needed(each, DROPS[1], SEES)
        rows.append(
            {
                "stratum": each.stratum, "m": str(each.m),
                "least": "none does" if each.least is None else number(each.least),
                **{f"d{at}": _looks(each, looks, at) for at, looks in enumerate(sights)},
                "needed": "–" if needed is None else str(needed),
            }
        )  # fmt: skip
    columns = {"d0": "Nothing changed", **{f"d{at}": f"Drop of {said}" for at, said in enumerate(POINTS, 1)}}
    return boards.table(
        pl.DataFrame(rows),
        labels={"stratum": "Stratum", "m": "Compared", "least": "Least drop that blocks", **columns,
                "needed": f"Cases to see {POINTS[1]}"},
        stub="stratum",
        right=("m", "least", *columns, "needed"),
        alarm="sees nothing",
        note="Chance to block at one look → after the rerun, counted exactly against the stored baseline, whose score "
        "is known. Each case of the candidate passes by its own estimated chance: its repeats, drawn towards all cases "
        "of the run by their pooled flake rate. A fault lowers all in proportion, so that their mean is the stored "
        "score less the drop. Least drop: from that score down to a whole number of the compared cases. "
        f"Cases: so many catch {POINTS[1]} about {chance(SEES)} of the time, after the rerun; fewer may do "
        "where the floor decides, since more cases lower it.",
    )  # fmt: skip


def _looks(found: StratumBand, looks: Seen | None, at: int) -> str:
    """A stratum's chances at one look and after the rerun; words where it cannot see this drop, the `at`th."""
    if at and found.sees_nothing:
        return "sees nothing"
    return arrow(looks.once, looks.rerun) if looks else "score\u00a0is\u00a0lower"


def _sees(found: StratumBand) -> str:
    if found.band.value is None:
        return found.band.reason
    if found.sees_nothing:
        return BLIND
    looks = found.sight(DROPS[1])
    if looks is None:
        return "no such drop: its score is lower"
    return chance(looks.rerun)


def _ends(found: StratumBand) -> tuple[float | None, float | None]:
    """The band's interval as its repeats leave it; none where the floor decides, which no repeat estimates."""
    margin = found.achieved.margin
    if found.band.value is None or margin is None or found.band.decided == FLOOR:
        return None, None
    return found.band.value * max(0.0, 1 - margin), found.band.value * (1 + margin)


def _few(found: FewRepeats | None) -> str:
    return "–" if found is None else f"{chance(found.rate)} · {number(found.multiplier)}"
