"""What `40_noise_bands` shows of luck: how often some stratum blocks, the formulas put to the test, and the grounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalkit import agreement_cards, cards
from evalkit.agreement_cards import Figure
from evalkit.bands import Noise, self_check
from evalkit.bands.checked import CASES, COMPARED, PASSES, STRATA, TRIALS, Check
from evalkit.cards import Card
from evalkit.shown import counted, listed, number
from evalkit.stats.intervals import Interval
from evalkit.tables import Run
from evalkit.transcript import Trial
from evalkit.views.noise import ABOVE, chance, share, spanned, strata
from evalkit.views.shootout import provenance

# Cases that a page names; the others are counted.
NAMED = 20


def luck_table(noise: Noise | str) -> Card:
    """The chance that some stratum blocks though nothing changed, by formula, and with a spread from few repeats."""
    if isinstance(noise, str) or noise.luck is None:
        return cards.prose(ABOVE)
    luck, many = noise.luck, strata(noise.luck.strata)
    one = "one look"
    rows = [
        Figure("Counted exactly", f"These strata as they are, at {one}.", chance(luck.once), many),
        Figure("Counted exactly, after the rerun", "A blocked stratum is played once more against the same baseline, "
               "and blocks only if both looks leave the band.", chance(luck.rerun), many, "decides"),
        Figure("By the normal curve", f"Independent strata whose spread is known, {luck.z:g} standard deviations wide, "
               f"at {one}. It stays at 5 % with z = {number(luck.z_once)}.", chance(luck.curve_once), many),
        Figure("By the normal curve, after the rerun", f"The two looks share the baseline, so they correlate by "
               f"{number(luck.rho)}. It stays at 5 % with z = {number(luck.z_rerun)}.", chance(luck.curve_rerun), many),
        Figure("Spread known from few repeats", f"At {one}, with the degrees of freedom that each stratum's cases "
               "give; where the floor decides, the spread is not estimated.", chance(luck.likely), many),
        Figure("Spread known from few repeats, at worst", f"At {one}, if bands had only {noise.repeats - 1} degrees "
               "of freedom and none rested on its floor.", chance(luck.worst), many),
    ]  # fmt: skip
    note = (
        f"The suite's z is {luck.z:g} and stays so; the others are told for comparison. All suppose that strata are "
        f"independent; a bad hour of a provider strikes several at once."
    )
    return agreement_cards.figures(rows, heads=("How it is reckoned", "Blocked by luck", "Over"), note=note)


def self_check_table(noise: Noise | str, pull_requests: int = 2000, seed: int = 0) -> Card:
    """The share of simulated pull requests that the gate's own pieces block, beside what the formulas say."""
    if isinstance(noise, str):
        return cards.prose(ABOVE)
    found = self_check(noise, pull_requests, seed)
    heads = (f"Question, {pull_requests:,} simulated pull requests each", "Blocked at one look", "After the rerun")
    note = (
        f"Shares have Wilson's 95 % interval, of {pull_requests:,} pull requests (seed {seed}); about one formula in "
        f"twenty lies outside by luck. The textbook's {STRATA} strata compare {COMPARED} cases each, of which every "
        f"trial passes with {PASSES}, {TRIALS} a case. Trials are drawn one by one; the gate's own band and its own "
        "comparison decide. “Measured in each world”: the gate draws its bands from that world's few repeats, as it "
        f"does in earnest (of {CASES} cases in the textbook's strata); the formula beside it is for a known spread, so "
        "the gap between the two is what few repeats cost. This suite's strata have each case's likely chance to pass, "
        "as the repeats show it."
    )
    groups = list(dict.fromkeys(each.group for each in found))
    shown = []
    for group in groups:
        rows = [
            Figure(each.what, _verdict(each), _beside(each.once, each.says_once), _beside(each.rerun, each.says_rerun),
                   "" if not each.fair or each.as_said else "differs")
            for each in found
            if each.group == group
        ]  # fmt: skip
        last = note if group == groups[-1] else ""
        shown += [cards.prose(f"{group}:"), agreement_cards.figures(rows, heads=heads, note=last)]
    return cards.stack(shown, empty="")


def repeats_table(run: Run, noise: Noise | str) -> Card:
    """Which time the repeats cover, and which cases were left out of the bands."""
    if isinstance(noise, str):
        return cards.prose(ABOVE)
    lost = [f"{name} ({each.stratum}): {why}" for each in noise.strata for name, why in (each.left_out or {}).items()]
    said = [spanned(noise)]
    if lost:
        more = f"; and {len(lost) - NAMED} more" if len(lost) > NAMED else ""
        said.append(
            f"Left out of the bands, since a repeat did not measure them: {'; '.join(lost[:NAMED])}{more}. A gate that "
            "compares one of them does not measure its stratum."
        )
    else:
        said.append("Every repeat measured every case.")
    return cards.prose("\n\n".join([*said, *_returned(run, noise)]))


def noise_grounds(run: Run, noise: Noise | str) -> Card:
    """Which identity, suite and k the bands belong to, and what was played."""
    if isinstance(noise, str):
        return provenance(run)
    made = next((each for each in run.manifest["candidates"] if each["name"] == noise.candidate), {})
    parts = "; ".join(f"{key} {_written(value)}" for key, value in made.items() if key not in ("name", "price"))
    said = (
        f"The bands belong to {noise.candidate} ({parts}), to the suite {run.suite.name} as of snapshot "
        f"{run.suite.snapshot[:8]}, and to k = {noise.k}, at z = {noise.z:g}. A gate on another of these has no band."
    )
    return cards.stack([cards.prose(said), provenance(run)], empty="")


def _written(value: Any) -> str:
    """What a candidate's key says, in words: a mapping's keys with their values."""
    if isinstance(value, Mapping):
        return cards.brief(", ".join(f"{key} {_written(each)}" for key, each in value.items()), 200)
    return cards.brief(str(value), 200)


def _beside(found: Interval, says: float) -> str:
    return f"{share(found)}, formula\u00a0{chance(says)}"


def _verdict(found: Check) -> str:
    """What the shares say of the formulas, in a sentence."""
    if found.fair:
        return "As the formula says." if found.as_said else "The formula lies outside the interval."
    gap = 100 * ((found.rerun.value or 0.0) - found.says_rerun)
    return f"After the rerun {number(abs(gap), 1)} points {'more' if gap >= 0 else 'fewer'} than with a known spread."


def _returned(run: Run, noise: Noise) -> Iterator[str]:
    """Which models answered in which repeat, where they were not the same throughout."""
    from evalkit.bands import repeats_of

    names = [
        sorted({name for each in found if each.trial is not None and (name := _model(each.trial))})
        for found in repeats_of(run, noise.candidate).values()
    ]
    if len({tuple(each) for each in names}) > 1:
        told = "; ".join(f"repeat {at}: {listed(each) or 'not told'}" for at, each in enumerate(names, 1))
        yield f"The provider returned other models from repeat to repeat, so the bands hold that change too: {told}."
    elif names and names[0]:
        yield f"In every repeat the provider called the model {listed(names[0])} ({counted(noise.repeats, 'repeat')})."


def _model(trial: Trial) -> str | None:
    # The customer is played by another model, in every trial.
    agents = [each for each in trial.attempts if each.role == "agent"]
    return agents[-1].returned_model if agents else None
