"""The gate's bands held against pull requests that are played by chance: do they block as often as they say?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from evalkit.bands.measuring import DROPS
from evalkit.bands.whole import Noise
from evalkit.stats.intervals import Interval, wilson
from evalkit.stats.simulated import Simulated, Stratum, alike, expected, power_of, simulate

# The suite of statistics.md B4: a dozen strata of ten cases that are compared, each trial of which passes with 0.95.
STRATA, COMPARED, CASES, TRIALS, PASSES = 12, 10, 30, 3, 0.95
# So many times the pull requests are simulated where few are blocked.
RARE = 10
TWELVE, OWN = f"{STRATA} strata as in a textbook (baselines played anew)", "This suite's own strata"


@dataclass(frozen=True)
class Check:
    """One question put to the gate's pieces: the shares that came out, and those that the formulas say.

    `group` names the strata, `what` the question. `fair` says that the formulas are exact here: then a share lies
    within its interval but for one of 20. Where it is False, bands are measured in each world, which no formula counts.
    """

    group: str
    what: str
    pull_requests: int
    once: Interval
    rerun: Interval
    says_once: float
    says_rerun: float
    fair: bool = True

    @property
    def as_said(self) -> bool:
        """Whether both shares' intervals hold what the formulas say."""
        pairs = ((self.once, self.says_once), (self.rerun, self.says_rerun))
        return all((each.low or 0.0) - 1e-12 <= says <= (1.0 if each.high is None else each.high) + 1e-12
                   for each, says in pairs)  # fmt: skip


def self_check(noise: Noise, pull_requests: int = 2000, seed: int = 0) -> tuple[Check, ...]:
    """Plays pull requests against twelve strata whose spread is known, and against this suite's own.

    Args:
        noise: whose own strata are played; without measured ones, the twelve alone.
        pull_requests: simulated for each question, at least 1.
        seed: the same seed gives the same shares.

    Raises:
        ValueError: pull_requests is less than 1.
    """
    repeats = max(2, noise.repeats)
    return (*_twelve(repeats, noise.z, pull_requests, seed), *_own(noise, pull_requests, seed))


def _twelve(repeats: int, z: float, pull_requests: int, seed: int) -> Iterator[Check]:
    q = PASSES**TRIALS
    for averaged in (1, repeats):
        baseline = "one stored repeat" if averaged == 1 else f"{averaged} repeats"
        known = _known(averaged, z)
        quiet = [alike(COMPARED, q, band=known)] * STRATA
        found = simulate(quiet, k=TRIALS, averaged=averaged, pull_requests=pull_requests, seed=seed)
        yield _check(TWELVE, f"Nothing changed; baseline of {baseline}, spread known", found, quiet, averaged)
        drop = [alike(COMPARED, q, q - DROPS[1], band=known)]
        found = simulate(drop, k=TRIALS, averaged=averaged, pull_requests=pull_requests, seed=seed)
        yield _check(TWELVE, f"One falls by 20 points; baseline of {baseline}, spread known", found, drop, averaged)
    measured = [alike(CASES, q, m=COMPARED)] * STRATA
    found = simulate(measured, k=TRIALS, averaged=repeats, z=z, pull_requests=pull_requests, seed=seed)
    says = [alike(COMPARED, q, band=_known(repeats, z))] * STRATA
    what = f"Nothing changed; bands measured from {repeats} repeats of {CASES} cases in each world"
    yield _check(TWELVE, what, found, says, repeats, fair=False)


def _own(noise: Noise, pull_requests: int, seed: int) -> Iterator[Check]:
    quiet = [sight.plays for each in noise.measured for sight in each.sights if sight.drop == 0 and sight.plays]
    if not quiet:
        return
    more = {"k": noise.k, "averaged": noise.repeats, "z": noise.z, "pull_requests": pull_requests, "seed": seed}
    # What is rare shows in many pull requests only.
    many = RARE * pull_requests
    what = (
        f"Nothing changed, flakes as seen (“likely”), {many:,} pull requests; baseline as stored, bands as on this page"
    )
    yield _check(OWN, what, simulate(quiet, **{**more, "pull_requests": many}), quiet, noise.repeats)
    worst = [each.most.plays for each in noise.measured if each.most and each.most.plays]
    what = "Nothing changed, failing as often as the bands allow (“at most”); baseline as stored, bands as on this page"
    yield _check(OWN, what, simulate(worst, **more), worst, noise.repeats)
    drops = [sight.plays for each in noise.measured for sight in each.sights if sight.drop == DROPS[1] and sight.plays]
    if drops:
        yield _average(simulate(drops, **more), drops, noise.repeats)
    known = [replace(each, stored=None) for each in quiet]
    unknown = [replace(each, stored=None, band=None) for each in quiet]
    what = f"Nothing changed, flakes as seen; baseline and bands anew from {noise.repeats} repeats in each world"
    yield _check(OWN, what, simulate(unknown, **more), known, noise.repeats, fair=False)


def _known(averaged: int, z: float) -> float:
    """The width of z true standard deviations of a difference on the compared cases of the twelve."""
    from evalkit.stats.false_blocks import exact

    return exact(COMPARED, PASSES, TRIALS, z=z, averaged=averaged).band


def _check(
    group: str, what: str, found: Simulated, strata: Sequence[Stratum], averaged: int, *, fair: bool = True
) -> Check:
    once, rerun = expected(strata, averaged=averaged)
    return Check(group, what, found.pull_requests, found.once, found.rerun, once, rerun, fair)


def _average(found: Simulated, strata: Sequence[Stratum], averaged: int) -> Check:
    """The share of strata caught, each of which falls in each pull request, beside the mean of their powers."""
    tried = found.pull_requests * len(strata)
    powers = [power_of(each, averaged=averaged) for each in strata]
    shares = [
        wilson(round(sum((each[look].value or 0.0) * found.pull_requests for each in found.by_stratum)), tried)
        for look in (0, 1)
    ]
    says = [sum(each[look] for each in powers) / len(strata) for look in (0, 1)]
    what = f"A stratum falls by 20 points, on average over {len(strata)}; baseline as stored, bands as on this page"
    return Check(OWN, what, found.pull_requests, shares[0], shares[1], says[0], says[1])
