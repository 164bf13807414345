"""The band of each stratum, how sure it is, and what a gate would see by it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evalkit.bands.compared import Compared
from evalkit.bands.repeated import Repeated, baseline_of, by_stratum, repeats_of
from evalkit.stats.false_blocks import few_repeats
from evalkit.stats.intervals import Interval, share_over_cases
from evalkit.stats.noise import FLOOR, NoiseBand, averaging_factor, band, drops_out, t_multiplier
from evalkit.stats.repeats import Achieved, achieved, effective_df
from evalkit.stats.simulated import Flaking, Stratum, at_worst, fallen_to, flaking, power_of
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
class Seen:
    """The exact chance that a stratum blocks against the stored baseline: at one look, and at the rerun as well."""

    once: float
    rerun: float


@dataclass(frozen=True)
class Sight:
    """What a gate sees of a stratum when its cases truly fall by `drop` from the stored score, 0 for nothing changed.

    `plays` is the stratum that `looks` are computed for; both None where the score is lower than the drop, but in a
    stratum that sees nothing, which no drop blocks: there the chances are 0.
    """

    drop: float
    looks: Seen | None
    plays: Stratum | None


@dataclass(frozen=True)
class StratumBand:
    """A stratum's band on the `m` cases that a gate compares (`band`), and on all `n` (`whole`).

    `n` counts the cases that every repeat measured; `left_out` holds the others with what is missing. `score` is the
    share of cases that pass all k trials, over all repeats; `compared` is that of the m cases or, where only their
    number is known, that of all n, rounded to what m cases can score. `worst` is with R − 1 degrees of freedom, the
    fewest that the band can have, and `likely` with those that its cases give it (None where the floor decides, which
    no repeat estimates). `sights` are those of nothing changed and of each of `DROPS`, by the flake rate that was seen
    over all strata; `most` is that of nothing changed where each case fails as much more often as the band allows.
    There are none where no band is measured.
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
    most: Sight | None = None
    left_out: Mapping[str, str] | None = None

    @property
    def sees_nothing(self) -> bool:
        """Whether even a drop to none passed stays inside the band."""
        return self.band.value is not None and not drops_out(-(self.compared or 0.0), self.band.value)

    @property
    def least(self) -> float | None:
        """The least drop from the stored score, down to j of m cases, that leaves the band; None where none does."""
        if self.band.value is None or self.compared is None:
            return None
        drops = (self.compared - passed / self.m for passed in range(self.m, -1, -1))
        return next((drop for drop in drops if drops_out(-drop, self.band.value)), None)

    def sight(self, drop: float) -> Seen | None:
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
    repeats, found, rate = len(repeats_of(run, name)), [], flaking_of(run, name)
    for stratum, parts in by_stratum(run, name).items():
        ids = [*parts.measured, *parts.missing]
        count, which = (m.get(stratum, 0), None) if isinstance(m, Mapping) else (m or Compared()).of(ids)
        found.append(_band_of(stratum, parts, count, which, repeats, run.manifest["trials"], width, rate))
    return tuple(found)


def flaking_of(run: Run, candidate: str) -> Flaking | None:
    """How much the cases of all strata flake from repeat to repeat, together; None where none was repeated."""
    rows = [row for parts in by_stratum(run, candidate).values() for row in parts.measured.values()]
    if not any(len(row) > 1 for row in rows):
        return None
    return flaking([sum(row) for row in rows], [len(row) for row in rows])


def _band_of(
    stratum: str,
    parts: Repeated,
    m: int,
    which: Collection[str] | None,
    repeats: int,
    k: int,
    z: float,
    rate: Flaking | None,
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
        _stored(inside, m, repeats) if inside.size else None, band(rows, len(order), z=z, averaged=averaged), narrow,
        achieved(rows), left_out=parts.missing,
    )  # fmt: skip
    return found if narrow.value is None or rate is None else _seen(found, rows, which is None, z, rate)


def _stored(shares: np.ndarray, m: int, repeats: int) -> float:
    """The score that m cases have over the repeats: of more cases, the nearest to theirs that m can have."""
    steps = max(1, m * repeats)
    return round(float(shares.mean()) * steps) / steps


def _seen(found: StratumBand, rows: np.ndarray, spread: bool, z: float, rate: Flaking) -> StratumBand:
    m, narrow = found.m, found.band
    df = effective_df(rows, m) if narrow.decided != FLOOR else None
    # Cases of which only the number is known are as unlike as the stratum's are.
    rows = rows[_spread(rows.mean(axis=1), m)] if spread else rows
    likely = rate.chance(rows.sum(axis=1), np.full(len(rows), found.repeats))
    worst = at_worst(rows.mean(axis=1), likely, _flaking(narrow, float(rows.mean())))
    sights = tuple(_sight(found, drop, likely) for drop in (0.0, *DROPS))
    few = None if df is None else _few(df, z)
    most = _sight(found, 0.0, worst)
    return replace(found, worst=_few(found.repeats - 1, z), likely=few, sights=sights, most=most)


def _sight(found: StratumBand, drop: float, chances: np.ndarray) -> Sight:
    """What is seen of a drop by cases of these chances, of which the first m are compared."""
    score = found.compared or 0.0
    # A mean of floats can fall short of the drop by its last bit.
    if score < drop - 1e-12:
        return Sight(drop, Seen(0.0, 0.0) if found.sees_nothing else None, None)
    after = fallen_to(chances[: found.m], max(0.0, score - drop)) if drop else chances[: found.m]
    plays = Stratum(tuple(chances), (*after, *chances[found.m :]), found.m, found.band.value, score)
    return Sight(drop, Seen(*power_of(plays)), plays)


def _flaking(narrow: NoiseBand, score: float) -> float:
    """The variance within a case that the band says.

    Cases that flake each by itself have no more than the score allows, or than the floor leaves open where nothing
    flaked; what moves a whole repeat can make the band wider than that.
    """
    most = max(score * (1 - score), (narrow.floor or 0.0) * narrow.m / 2)
    return min((narrow.variance or 0.0) * narrow.m / 2, most)


def _spread(shares: np.ndarray, m: int) -> np.ndarray:
    """The places of all cases, of which the first m are spread evenly over the order of their shares."""
    order = np.argsort(shares, kind="stable")
    chosen = (((np.arange(m) + 0.5) * len(order)) // m).astype(int)
    return np.concatenate([order[chosen], np.delete(order, chosen)])


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

    By the normal curve, against a stored baseline of this score: the drop is to be the band and as many standard
    errors of the fallen candidate as one look needs, √chance since both looks are independent. Both shrink with the
    root of the cases. None where the band is not measured, or the score is lower than the drop.
    """
    if found.sight(drop) is None or not found.band.variance or (found.compared or 0.0) < drop - 1e-12:
        return None
    from scipy.special import ndtri

    plays = next(each.plays for each in found.sights if each.drop == drop)
    after = np.array(plays.after[: found.m] if plays else ())
    sd = math.sqrt(float((after * (1 - after)).mean()))
    width = found.band.z * found.band.factor * math.sqrt(found.band.variance * found.m)
    return max(1, math.ceil(((width + float(ndtri(math.sqrt(chance))) * sd) / drop) ** 2))


def curve(found: StratumBand, drops: Sequence[float]) -> list[tuple[float, Seen]]:
    """The chances to block at each true drop that the stratum's score allows; none where the band is not measured."""
    quiet = found.sights[0].plays if found.sights else None
    if quiet is None:
        return []
    sights = [_sight(found, drop, np.array(quiet.before)) for drop in drops]
    return [(each.drop, each.looks) for each in sights if each.plays is not None and each.looks is not None]
