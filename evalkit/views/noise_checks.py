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
from evalkit.views.noise import ABOVE, NAMED, arrow, chance, flaked, must_pass, share, spanned, strata
from evalkit.views.shootout import provenance


def luck_table(noise: Noise | str) -> Card:
    """The chance that some stratum blocks though nothing changed, by formula, and with a spread from few repeats."""
    if isinstance(noise, str) or noise.luck is None:
        return cards.prose(ABOVE)
    luck, many, must = noise.luck, strata(noise.luck.strata), noise.must_pass
    rate = number(noise.flaking.rate, 3) if noise.flaking else "–"
    curve = (
        f"Independent strata whose spread is known, {luck.z:g} standard deviations wide, averaged over what could have "
        f"been stored: two looks at one baseline correlate by {number(luck.rho)}. It stays at 5 % with z = "
        f"{number(luck.z_once)} → {number(luck.z_rerun)}."
    )
    rows = [
        Figure("Strata, by the flakes that were seen", f"Against the stored baseline. {flaked(noise)}: a flake rate "
               f"of w = {rate}, pooled over all strata, from which each case has its own chance.",
               arrow(luck.once, luck.rerun), many, "likely"),
        Figure("Strata, at most", "Every case fails as much more often than it did as its band allows, all at once: "
               "where nothing flaked, by f with f(1 − f) = 3/(R·N), from the rule of three.",
               arrow(luck.most_once, luck.most_rerun), many, "bound"),
        Figure("Must-pass cases", must_pass(noise), f"{chance(must.likely)}, {chance(must.most)} at most"
               if must.others else "–", counted(must.others, "case"), "blocks always" if must.always else ""),
        Figure("Strata, by the normal curve", curve, arrow(luck.curve_once, luck.curve_rerun), many),
        Figure("Spread known from few repeats", "At one look, by that curve, with the degrees of freedom that each "
               "stratum's cases give; where the floor decides, the spread is not estimated.",
               chance(luck.likely), many),
        Figure("Spread known from few repeats, at worst", f"At one look, if bands had only {noise.repeats - 1} degrees "
               "of freedom and none rested on its floor.", chance(luck.worst), many),
    ]  # fmt: skip
    note = (
        f"The suite's z is {luck.z:g} and stays so; the others are told for comparison. All suppose that strata are "
        "independent; a bad hour of a provider strikes several at once. → is after the rerun: a blocked stratum is "
        "played once more against the same baseline, and blocks only if both looks leave the band. Must-pass cases "
        "have no second look; if none failed in n trials each, one of them fails in k with 1 − 0.05^(k/n) at most, at "
        "95 % confidence."
    )
    return agreement_cards.figures(
        rows, heads=("How it is reckoned", "Blocked by luck, one look → rerun", "Over"), note=note
    )


def self_check_table(noise: Noise | str, pull_requests: int = 2000, seed: int = 0) -> Card:
    """The share of simulated pull requests that the gate's own pieces block, beside what the formulas say."""
    if isinstance(noise, str):
        return cards.prose(ABOVE)
    found = self_check(noise, pull_requests, seed)
    heads = (f"Question, {pull_requests:,} simulated pull requests each", "Blocked at one look", "After the rerun")
    note = (
        f"Shares have Wilson's 95 % interval, of the pull requests (seed {seed}); about one formula in "
        f"twenty lies outside by luck. The textbook's {STRATA} strata compare {COMPARED} cases each, of which every "
        f"trial passes with {PASSES}, {TRIALS} a case. Trials are drawn one by one; the gate's own band and its own "
        "comparison decide. “In each world”: the gate draws its bands from that world's few repeats, as it "
        f"does in earnest (of {CASES} cases in the textbook's strata); the formula beside it is for a known spread, so "
        "the gap between the two is what few repeats cost. The textbook plays a baseline in each world; this suite's "
        "is stored, its score known, and only the last question plays it anew."
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
    return f"{share(found)}, formula\u00a0{chance(says)}".replace("< ", "<\u00a0")


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
