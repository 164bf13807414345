"""What `40_noise_bands` shows first: whether its bands are measured, and what the gate could see by them."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit import cards
from evalkit.bands import DROPS, SEES, Noise, cases_needed, noise_of, usual
from evalkit.cards import Card
from evalkit.errors import ShootoutError
from evalkit.shown import counted, listed, number
from evalkit.stats.intervals import Interval
from evalkit.tables import Run
from evalkit.views.above import above

COMMAND = "`evalkit run SHOOTOUT --repeats 3` plays what is missing: two more complete passes of the baseline."
ABOVE = "Not measured, for the reason that stands at the top of this page."
POINTS = [f"{100 * drop:.0f} points" for drop in DROPS]
# Cases that a sentence names; the others are counted.
NAMED = 20
BLIND = "sees nothing: even a drop to none stays inside the band"


def noise_bands(run: Run, candidate: str = "", sample: str = "pr", m: int = 10) -> Noise | str:
    """The bands that a page shows, or the sentence that says why there are none to look for.

    They are those of `candidate`, '' for the baseline, on the cases that `sample` of suite.yaml draws or, where the
    suite has no such sample, on m cases of each stratum. Raises CaseError where m is less than 1.
    """
    try:
        return noise_of(run, candidate or None, usual(run.suite, sample, m, [case.id for case in run.cases]))
    except ShootoutError as error:
        return f"{error}."


def noise_answer(run: Run, noise: Noise | str) -> Card:
    """Whether the bands are measured and what the gate could see by them, first and large, with what it rests on."""
    if isinstance(noise, str):
        answer = cards.headline("Not measured: the run has no baseline.", "warn", noise)
    elif noise.luck is None:
        said = f"Not measured: {noise.why}."
        answer = cards.headline(
            said, "warn", f"{COMMAND} Until then a gate blocks, since it cannot tell luck from harm."
        )
    else:
        seen, many = len(noise.seeing(DROPS[1])), len(noise.strata)
        some = "every stratum" if seen == many else f"{seen or 'none'} of {strata(many)}"
        said = (
            f"The bands are measured: {some} would show a true drop of {POINTS[1]}, and a pull request with nothing "
            f"changed is blocked {_blocked(noise)}."
        )
        bad = noise.must_pass.always or len(noise.blind) == len(noise.measured)
        tone = "bad" if bad else "good" if seen == many else "warn"
        answer = cards.headline(said, tone, "\n".join(f"• {each}" for each in _rests_on(noise)))  # type: ignore[arg-type]
    return cards.stack([*above(run), answer], empty="")


def noise_would_change(noise: Noise | str) -> Card:
    """What would make the bands narrower or surer, and what makes them others."""
    if isinstance(noise, str) or noise.luck is None:
        return cards.prose(f"It is measured once the baseline has two repeats or more. {COMMAND}")
    needed = sorted(n for each in noise.measured if (n := cases_needed(each, DROPS[1], SEES)) is not None)
    said = []
    if needed:
        said.append(
            f"More cases see more. Where bands stay as wide for their number of cases, a drop of {POINTS[1]} is caught "
            f"{chance(SEES)} of the time, after the rerun, with about {ranged(needed)} compared cases in a stratum; "
            f"{ranged([each.m for each in noise.measured])} are compared. Joining strata is the cheapest way to more."
        )
    said.append(
        f"More repeats make the bands surer, and narrower only in part: {noise.repeats} repeats have {factor(noise)} "
        "of the width that a single stored one would have, and no number of them has less than 0.71, since the "
        "candidate is played once."
    )
    said.append("Fewer flakes are worth most: a case that always ends alike adds nothing to its stratum's band.")
    said.append(
        "A band belongs to one identity, one suite and one k. Another model, prompt, tool or parameter, changed cases "
        "or expectations, or another number of trials a case: then it is measured anew."
    )
    return cards.prose("\n\n".join(said))


def chance(value: float | None) -> str:
    """A chance in per cent, never rounded to none or to all; '–' where there is none."""
    if value is None:
        return "–"
    if 0 < value < 0.0005:
        return "< 0.1\u00a0%"
    if 0.9995 < value < 1:
        return "> 99.9\u00a0%"
    return f"{100 * value:.0f}\u00a0%" if value >= 0.0995 else f"{100 * value:.1f}\u00a0%"


def arrow(once: float, rerun: float) -> str:
    """The chances at one look and after the rerun, on one line."""
    return f"{chance(once)} → {chance(rerun)}".replace(" ", "\u00a0")


def share(found: Interval) -> str:
    """A share with its interval, in per cent and on one line: '0.6 % (0.3 to 1.0)'."""
    low, high = (chance(end).removesuffix("\u00a0%") for end in (found.low, found.high))
    return f"{chance(found.value)} ({low} to {high})".replace(" ", "\u00a0")


def strata(many: int) -> str:
    """A number of strata in words."""
    return "1 stratum" if many == 1 else f"{many} strata"


def spanned(noise: Noise) -> str:
    """The time that the repeats cover, and what it cannot show, in sentences."""
    if noise.span is None:
        return "No trial of the repeats has a date, so nobody can tell which time they cover."
    seconds = noise.span.length.total_seconds()
    long = (
        f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes" if seconds < 7200
        else f"{seconds / 3600:.0f} hours" if seconds < 172800 else f"{seconds / 86400:.0f} days"
    )  # fmt: skip
    said = f"The repeats cover {long}, from {_minute(noise.span.first)} to {_minute(noise.span.last)}."
    if seconds < 86400:
        return (
            f"{said} An hour cannot show a day's drift: what changes from one day to the next, such as a provider's "
            "load or a model behind the same name, is in none of these bands."
        )
    return f"{said} What drifts more slowly than that is in none of these bands."


def flaked(noise: Noise) -> str:
    """How many cases flaked, over all strata: '7 of 168 cases flaked'."""
    of = sum(each.n for each in noise.measured)
    return f"{sum(each.achieved.flaky for each in noise.measured)} of {counted(of, 'case')} flaked"


def must_pass(noise: Noise) -> str:
    """What the must-pass cases add to the strata, in sentences."""
    found = noise.must_pass
    sheltered = f" ({len(found.quarantined)} more are in quarantine)" if found.quarantined else ""
    if not found.cases:
        return f"No must-pass case is compared{sheltered}."
    failed = len(found.always) + len(found.sometimes)
    said = [f"Must-pass cases block at one look: {found.cases} are compared{sheltered}, and {failed or 'none'} of them "
            "failed a trial of the baseline."]  # fmt: skip
    if found.always:
        said.append(f"These failed every trial and block every pull request: {_named(found.always)}.")
    if found.sometimes:
        said.append(f"These failed some: {_named(found.sometimes)}.")
    if found.unmeasured:
        said.append(f"These have no measured trial: {_named(found.unmeasured)}.")
    if found.others:
        said.append(
            f"The {'other ' if found.cases > found.others else ''}{found.others} would block by luck "
            f"{chance(found.likely)} of the time by the flakes that were seen of them, {chance(found.most)} at most."
        )
    return " ".join(said)


def _blocked(noise: Noise) -> str:
    """How often a pull request with nothing changed is blocked, as the first sentence says it."""
    found, both = noise.must_pass, noise.by_luck
    if found.always:
        failed = f"{len(found.always)} of {counted(found.cases, 'must-pass case')}"
        return f"whatever its strata do: {failed} failed every trial of the baseline"
    if both is None:
        return "by luck nobody knows how often"
    return f"by luck {chance(both[0])} of the time by the flakes that were seen, and {chance(both[1])} at most"


def _named(cases: Sequence[str]) -> str:
    more = f", and {len(cases) - NAMED} more" if len(cases) > NAMED else ""
    return ", ".join(cases[:NAMED]) + more


def _rests_on(noise: Noise) -> list[str]:
    luck, measured = noise.luck, noise.measured
    seeing = [each for each in measured if not each.sees_nothing]
    caught_at = [looks.rerun for each in seeing if (looks := each.sight(DROPS[1])) is not None]
    said = [
        f"{noise.repeats} repeats of {noise.candidate}, {counted(noise.k, 'trial')} a case, compared on "
        f"{noise.compared.says}: {ranged([each.m for each in measured])} cases a stratum.",
    ]
    if caught_at:
        least, most = chance(min(caught_at)), chance(max(caught_at))
        often = least if least == most else f"{least} (the dullest stratum) to {most} (the sharpest)"
        said.append(
            f"A stratum shows a drop if it is caught at least {chance(SEES)} of the time, after the rerun. A fall of "
            f"{POINTS[1]} from the stored score is caught {often} of the time."
        )
    if luck is not None:
        said.append(
            f"Over {strata(luck.strata)}, one blocks by luck {chance(luck.rerun)} of the time, before the rerun "
            f"{chance(luck.once)}, by the flakes that were seen: {flaked(noise)}. At most it is "
            f"{chance(luck.most_rerun)}, before the rerun {chance(luck.most_once)}: were every case to fail as often "
            "as its band allows, all at once."
        )
        said.append(must_pass(noise))
    if noise.blind:
        said.append(f"{listed([each.stratum for each in noise.blind])}: {BLIND}.")
    if unknown := [each for each in noise.strata if each.band.value is None]:
        said.append("; ".join(f"{each.stratum}: {each.band.reason}" for each in unknown) + ".")
    return [*said, spanned(noise)]


def factor(noise: Noise) -> str:
    """What averaging the baseline makes of a band, as text."""
    return next((number(each.band.factor) for each in noise.strata), "1")


def ranged(counts: list[int]) -> str:
    """The least and the largest of some counts: '6', or '6 to 12'."""
    low, high = min(counts, default=0), max(counts, default=0)
    return str(low) if low == high else f"{low} to {high}"


def _minute(started: str) -> str:
    return started[:16].replace("T", " ")
