"""All bands of a run together: how often some stratum blocks by luck, and what of it could see a drop."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from evalkit.bands.compared import Compared
from evalkit.bands.measuring import Seen, StratumBand, bands_of, flaking_of
from evalkit.bands.must_pass import MustPass, must_pass_of
from evalkit.bands.repeated import Span, baseline_of, repeats_of, span_of
from evalkit.stats.false_blocks import any_of, caught, family, rerun_correlation, z_for
from evalkit.stats.simulated import Flaking
from evalkit.tables import Run, once_a_run

# From which chance on, after the rerun, a stratum is said to see a drop.
SEES = 0.8


@dataclass(frozen=True)
class Luck:
    """The chance that some of `strata` blocks though nothing changed: at one look, and after the rerun.

    `once` and `rerun` are exact against the stored baseline, with the flake rate that was seen over all strata;
    `most_once` and `most_rerun` are those where every case fails as much more often as its band allows, all at once.
    The curve's are those of independent strata with a spread that is known, by the normal curve and averaged over what
    could have been stored (statistics.md B4). `rho` is the correlation of two looks at one baseline.
    `worst` and `likely` are for one look, with R − 1 degrees of freedom everywhere or with those of each stratum; where
    the floor decides, the spread is not estimated. `z` is the band's; `z_once` and `z_rerun` those that would keep the
    curve's chance at 5 %.
    """

    strata: int
    z: float
    rho: float
    once: float
    rerun: float
    most_once: float
    most_rerun: float
    curve_once: float
    curve_rerun: float
    worst: float
    likely: float
    z_once: float
    z_rerun: float


@dataclass(frozen=True)
class Noise:
    """The bands of one candidate by one suite and one k, at the cases that a gate compares.

    `why` says why nothing was measured, '' where some stratum was. `luck` is None then. `must_pass` holds what the
    must-pass cases add to the strata, and `flaking` the flake rate over all strata, None where nothing was repeated.
    """

    candidate: str
    repeats: int
    k: int
    z: float
    compared: Compared
    strata: tuple[StratumBand, ...]
    luck: Luck | None
    must_pass: MustPass
    flaking: Flaking | None
    span: Span | None
    why: str = ""

    @property
    def measured(self) -> tuple[StratumBand, ...]:
        """The strata whose band is measured."""
        return tuple(each for each in self.strata if each.band.value is not None)

    @property
    def blind(self) -> tuple[StratumBand, ...]:
        """The measured strata in which even a drop to none would stay inside the band."""
        return tuple(each for each in self.measured if each.sees_nothing)

    @property
    def by_luck(self) -> tuple[float, float] | None:
        """The chances that strata, after the rerun, or must-pass cases block by luck: as was seen, and at most.

        Of must-pass cases those that fail always are left out; None where either is not measured.
        """
        if self.luck is None or self.must_pass.likely is None:
            return None
        pairs = ((self.luck.rerun, self.must_pass.likely), (self.luck.most_rerun, self.must_pass.most))
        return tuple(1 - (1 - strata) * (1 - cases) for strata, cases in pairs)  # type: ignore[return-value]

    def seeing(self, drop: float) -> tuple[StratumBand, ...]:
        """The strata in which a true drop is caught, after the rerun, with a chance of `SEES` or more."""
        return tuple(
            each
            for each in self.measured
            if (looks := each.sight(drop)) is not None and looks.rerun >= SEES and not each.sees_nothing
        )


@once_a_run
def noise_of(run: Run, candidate: str | None = None, compared: Compared | None = None, z: float | None = None) -> Noise:
    """The bands of a run's baseline, or of `candidate`, on the cases compared, by default all. Errors as `bands_of`."""
    name, cases = baseline_of(run, candidate), compared or Compared()
    strata = bands_of(run, name, cases, z=z)
    width = run.suite.settings.gate.z if z is None else z
    repeats = len(repeats_of(run, name))
    found = [each for each in strata if each.band.value is not None]
    why = ""
    if not found:
        reasons = dict.fromkeys(each.band.reason.removeprefix("not measured: ") for each in strata)
        why = next(iter(reasons), f"{name} has no case that is still in the suite")
    return Noise(
        name, repeats, run.manifest["trials"], width, cases, strata, _luck(found, repeats, width) if found else None,
        must_pass_of(run, name, cases), flaking_of(run, name), span_of(run, name), why,
    )  # fmt: skip


def _luck(strata: list[StratumBand], repeats: int, z: float) -> Luck:
    many, rho = len(strata), rerun_correlation(repeats)
    once, rerun = some_of(each.sight(0.0) for each in strata)
    most = some_of(each.most.looks for each in strata if each.most)
    worst = [each.worst.rate for each in strata if each.worst]
    likely = [each.likely.rate if each.likely else caught(0.0, None, z) for each in strata]
    return Luck(
        many, z, rho, once, rerun, *most, family(many, None, z), family(many, rho, z), any_of(many, worst[0]),
        _some(likely), z_for(many), z_for(many, rho=rho),
    )  # fmt: skip


def some_of(looks: Iterable[Seen | None]) -> tuple[float, float]:
    """The chance that some of independent strata blocks, at one look and after the rerun at the same baseline."""
    found = [each for each in looks if each is not None]
    return _some(each.once for each in found), _some(each.rerun for each in found)


def _some(chances: Iterable[float]) -> float:
    return 1 - math.prod(1 - chance for chance in chances)
