"""The band of each stratum, how sure it is, and what a gate would see by it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evalkit.bands.compared import Compared
from evalkit.bands.repeated import Repeated, baseline_of, by_stratum, repeats_of
from evalkit.stats.false_blocks import Looks, caught, few_repeats, power, rerun_correlation
from evalkit.stats.intervals import Interval, share_over_cases
from evalkit.stats.noise import FLOOR, NoiseBand, averaging_factor, band, drops_out, t_multiplier
from evalkit.stats.repeats import Achieved, achieved, effective_df
from evalkit.stats.simulated import Stratum, case_chances, dropped
from evalkit.tables import Run

# The true drops whose power is told.
DROPS = (0.1, 0.2)
NOT_DRAWN = "the sample holds none of its cases"


@dataclass(frozen=True)
class FewRepeats:
    """What so few degrees of freedom make of z: the chance of a false block, and what in z's place would restore it."""

    df: float
    rate: float
    multiplier: float


@dataclass(frozen=True)
class Sight:
    """What a gate sees of a stratum when the score truly falls by `drop`, 0 for nothing changed.

    `looks` are the exact chances to block, and `plays` the stratum that they are computed for; both None where the
    score is lower than the drop.
    """

    drop: float
    looks: Looks | None
    plays: Stratum | None


@dataclass(frozen=True)
class StratumBand:
    """A stratum's band on the `m` cases that a gate compares (`band`), and on all `n` (`whole`).

    `n` counts the cases that every repeat measured; `left_out` holds the others with what is missing. `score` is the
    share of cases that pass all k trials, over all repeats; `compared` is that of the m cases, or of all n where only
    their number is known. `worst` is with R − 1 degrees of freedom, the fewest that the band can have, and `likely`
    with those that its cases give it (None where the floor decides, which no repeat estimates). `sights` are those of
    nothing changed and of each of `DROPS`; there are none where the band is not measured.
    """

    stratum: str
    n: int
    m: int
    repeats: int
    k: int
    score: Interval
    compared: float | None
    whole: NoiseBand
    band: NoiseBand
    achieved: Achieved
    worst: FewRepeats | None = None
    likely: FewRepeats | None = None
    sights: tuple[Sight, ...] = ()
    left_out: Mapping[str, str] | None = None

    @property
    def sees_nothing(self) -> bool:
        """Whether even a drop to none passed stays inside the band."""
        return self.band.value is not None and not drops_out(-(self.compared or 0.0), self.band.value)

    def sight(self, drop: float) -> Looks | None:
        """The chances to block at a true drop; None where they are not measured, or there is no such drop."""
        return next((each.looks for each in self.sights if each.drop == drop), None)


def bands_of(
    run: Run,
    candidate: str | None = None,
    m: Mapping[str, int] | Compared | None = None,
    *,
    z: float | None = None,
) -> tuple[StratumBand, ...]:
    """The band of every stratum that the run played, in the suite's order.

    Args:
        run: with repeats of the candidate; with fewer than two, each band is None and says so.
        candidate: whose; by default the baseline.
        m: how many cases of each stratum are compared, or which (`compared_by`); by default all.
        z: the multiplier; by default the suite's `gate.z`.

    Raises:
        ShootoutError: as `baseline_of`.
        ValueError: z is not above 0, or an m is not from 0 to the stratum's cases.
    """
    name = baseline_of(run, candidate)
    width = run.suite.settings.gate.z if z is None else z
    repeats, found = len(repeats_of(run, name)), []
    for stratum, parts in by_stratum(run, name).items():
        ids = [*parts.measured, *parts.missing]
        count, which = (m.get(stratum, 0), None) if isinstance(m, Mapping) else (m or Compared()).of(ids)
        found.append(_band_of(stratum, parts, count, which, repeats, run.manifest["trials"], width))
    return tuple(found)


def _band_of(
    stratum: str, parts: Repeated, m: int, which: Collection[str] | None, repeats: int, k: int, z: float
) -> StratumBand:
    first = [name for name in parts.measured if which is None or name in which]
    order = [*first, *(name for name in parts.measured if which is not None and name not in which)]
    rows = np.array([parts.measured[name] for name in order], dtype=int).reshape(len(order), repeats)
    # A gap outside the sample is left out; one within it, or nothing but gaps, leaves nothing to say.
    gaps = (f"{n}, {why}" for n, why in parts.missing.items() if not order or (which is not None and n in which))
    lost = next(gaps, "")
    # Of cases of which only the number is known, those that were not measured are left out.
    m = min(m, len(order)) if which is None and parts.missing else m
    averaged, shares = max(1, repeats), rows.mean(axis=1) if rows.size else np.zeros(0)
    reason = NOT_DRAWN if not m and order else lost
    narrow = _none(rows, m, z, averaged, reason) if reason else band(rows, m, z=z, averaged=averaged)
    inside = shares if which is None else shares[:m]
    found = StratumBand(
        stratum, len(order), m, repeats, k, share_over_cases(shares.tolist()),
        float(inside.mean()) if inside.size else None, band(rows, len(order), z=z, averaged=averaged), narrow,
        achieved(rows), left_out=parts.missing,
    )  # fmt: skip
    return found if narrow.value is None else _seen(found, rows, which is None, z)


def _seen(found: StratumBand, rows: np.ndarray, spread: bool, z: float) -> StratumBand:
    m, narrow = found.m, found.band
    df = effective_df(rows, m) if narrow.decided != FLOOR else None
    chances = case_chances(rows, _flaking(narrow, float(rows.mean())))
    if spread:
        # Cases of which only the number is known are as unlike as the stratum's are.
        chances = _spread(chances, m)
    sights = []
    for drop in (0.0, *DROPS):
        after = chances if not drop else dropped(chances, drop, m)
        plays = None if after is None else Stratum(tuple(chances), tuple(after), m, narrow.value)
        sights.append(Sight(drop, plays and _looks(plays, found), plays))
    likely = None if df is None else _few(df, z)
    return replace(found, worst=_few(found.repeats - 1, z), likely=likely, sights=tuple(sights))


def _flaking(narrow: NoiseBand, score: float) -> float:
    """The variance within a case that the band says.

    Cases that flake each by itself have no more than the score allows, or than the floor leaves open where nothing
    flaked; what moves a whole repeat can make the band wider than that.
    """
    most = max(score * (1 - score), (narrow.floor or 0.0) * narrow.m / 2)
    return min((narrow.variance or 0.0) * narrow.m / 2, most)


def _spread(chances: np.ndarray, m: int) -> np.ndarray:
    """All chances, of which the first m are spread evenly over their order."""
    order = np.argsort(chances, kind="stable")
    chosen = (((np.arange(m) + 0.5) * len(order)) // m).astype(int)
    return np.concatenate([chances[order[chosen]], chances[np.delete(order, chosen)]])


def _few(df: float, z: float) -> FewRepeats:
    return FewRepeats(float(df), few_repeats(df, z), t_multiplier(df, z))


def _none(rows: np.ndarray, m: int, z: float, averaged: int, reason: str) -> NoiseBand:
    """A band that was not measured for a reason that the rows do not show."""
    n, repeats = rows.shape
    nothing = (None, None, None, None, None, "")
    return NoiseBand(*nothing, n, repeats, m, z, averaged, averaging_factor(averaged), max(0, repeats - 1), None,
                     f"not measured: {reason}")  # fmt: skip


def cases_needed(found: StratumBand, drop: float, chance: float) -> int | None:
    """About how many compared cases would catch a true drop, after the rerun, with this chance.

    By the normal curve, for cases that flake as these are taken to; None where the band is not measured, or the score
    is lower than the drop. Source: `false_blocks.caught`, statistics.md B4.
    """
    if found.sight(drop) is None or not found.band.variance:
        return None
    from scipy.optimize import brentq

    rho, z = rerun_correlation(found.repeats), found.band.z
    steps = brentq(lambda d: caught(d, rho, z) - chance, 0.0, 40.0)
    # Band² is (z · factor)² · 2w/m, so that its variance times m does not hang on m.
    return max(1, math.ceil(found.band.variance * found.m * (found.band.factor * steps / drop) ** 2))


def curve(found: StratumBand, drops: Sequence[float]) -> list[tuple[float, Looks]]:
    """The chances to block at each true drop that the stratum's score allows; none where the band is not measured."""
    quiet = found.sights[0].plays if found.sights else None
    if quiet is None:
        return []
    after = [(drop, dropped(quiet.before, drop, found.m) if drop else quiet.before) for drop in drops]
    return [(drop, _looks(replace(quiet, after=tuple(each)), found)) for drop, each in after if each is not None]


def _looks(plays: Stratum, found: StratumBand) -> Looks:
    m = found.m
    return power(m, plays.before[:m], plays.after[:m], 1, band=plays.band, averaged=found.repeats)
