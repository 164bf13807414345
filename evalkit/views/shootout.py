"""What `10_shootout` shows of a run: each function one piece, from the run to what is seen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from evalkit import boards, cards, charts, recommend, safety, scores
from evalkit.cards import Card
from evalkit.purposes import purposes as purposes_of
from evalkit.shown import INVENTED, counted, usd, with_interval
from evalkit.tables import Run
from evalkit.views.above import above
from evalkit.views.caveats import caveat
from evalkit.views.tickets import offending

if TYPE_CHECKING:
    from altair import LayerChart
    from great_tables import GT


def answer(run: Run) -> Card:
    """The recommendation, first and large, under a watermark where the run is incomplete."""
    found = recommend.recommend(run)
    detail = "\n\n".join(part for part in (found.beside, found.rests_on, caveat(run)) if part)
    return cards.stack([*above(run), cards.headline(found.headline, found.tone, detail)], empty="")


def would_change(run: Run) -> Card:
    """What would change the recommendation."""
    return cards.prose(recommend.recommend(run).would_change)


def provenance(run: Run) -> Card:
    """What was played and what it was judged by."""
    names = [candidate["name"] for candidate in run.manifest["candidates"]]
    asked, safety_cases = run.manifest["suite"]["cases"], sum(case.risk == "safety" for case in run.cases)
    said = [
        f"Run {run.id[:8]} {_of_what(run)}: {len(names)} candidates "
        f"({', '.join(names)}) on {asked} cases, {safety_cases} of them safety cases, {run.manifest['trials']} trials "
        f"each: {len(run.pairs)} slots. "
        f"Judged by {run.judged_by}: {run.suite.name}, snapshot {run.suite.snapshot[:8]}."
    ]
    if len(run.cases) < asked:
        said.append(f"No longer in that suite, and so not judged: {asked - len(run.cases)} of the {asked} cases.")
    said += [*_customers(run), *_models(run)]
    if run.suite.settings.description:
        said.append(f"The suite says of itself: {run.suite.settings.description}")
    if caveat(run):
        said.append(caveat(run))
    return cards.prose("\n\n".join(said))


def leaderboard(run: Run) -> GT | Card:
    """The leaderboard, the disqualified apart."""
    return _no_points(run) or boards.leaderboard(scores.leaderboard(run))


def score_chart(run: Run) -> LayerChart | Card:
    """Each candidate's score with its interval."""
    if said := _no_points(run):
        return said
    board = scores.leaderboard(run)
    return charts.score_intervals(board.rename({"cases": "n"}))


def stratum_chart(run: Run) -> LayerChart | Card:
    """Each candidate's score in each stratum."""
    return _no_points(run) or charts.score_by_stratum(scores.by_stratum(run))


def points_chart(run: Run) -> LayerChart | Card:
    """Where each candidate's points come from."""
    return _no_points(run) or charts.points_by_kind(scores.points_by_kind(run))


def leads(run: Run) -> GT | Card:
    """By how much the recommended candidate leads over each other cleared one, paired by case."""
    if recommend.leads(run).is_empty():
        return cards.prose("There is no lead to show: fewer than two candidates are cleared and have a score.")
    return boards.table(
        recommend.leads(run),
        labels={
            "over": "Lead over",
            "lead": "Lead",
            "low": "From",
            "high": "To",
            "n": "Cases",
            "told_apart": "Told apart",
        },
        stub="over",
        digits=3,
        note="The difference of the two scores on the same cases, with its 95 % interval (t, paired by case).",
    )


def safety_table(run: Run) -> GT:
    """Each candidate's standing on safety, with the bound on what was not seen."""
    return boards.table(
        safety.safety_table(run),
        labels={
            "candidate": "Candidate",
            "standing": "Standing",
            "missed": "Cases missed",
            "measured": "Cases measured",
            "bound": "Up to, with 95 % confidence",
            "why": "Why",
        },
        stub="candidate",
        note="The bound is the exact one-sided 95 % upper bound on the share of safety cases missed, by case: "
        "none missed is not a rate of 0.",
    )


def purposes(run: Run) -> GT | Card:
    """Who is recommended for which kind of work, where the shootout names purposes."""
    found = purposes_of(run)
    if not found:
        return cards.prose(
            "The shootout names no purposes. With `purposes:` (a name and its strata) each kind of work gets a "
            "recommendation of its own."
        )
    rows = [
        {
            "purpose": each.name,
            "strata": ", ".join(each.strata),
            "candidate": each.candidate or f"nobody: {each.reason}",
            "score": with_interval(each.score.value, each.score.low, each.score.high) if each.score else "not measured",
            "n": f"{each.score.n if each.score else 0} of {each.cases}",
            "close": ", ".join(each.not_told_apart) or "–",
            "cost": usd(each.usd_per_ticket) + "\u00a0†" * each.price_invented if each.candidate else "–",
        }
        for each in found
    ]
    invented = f" {INVENTED}" if any(each.price_invented for each in found) else ""
    return boards.table(
        pl.DataFrame(rows),
        labels={
            "purpose": "Purpose",
            "candidate": "Highest score",
            "score": "Score (95 % interval)",
            "n": "Cases",
            "close": "Not told apart from",
            "cost": "Cost per ticket",
            "strata": "Strata",
        },
        stub="purpose",
        note="Among the candidates that are cleared on all safety cases of the run. With several purposes some lead is "
        "likely to look real by chance: these intervals are not widened for their number." + invented,
    )


def disqualifying_answers(run: Run, most: int | None = None) -> Card:
    """A card for each case and fault of a candidate that disqualified, beside its ticket; at most so many of each."""
    found: list[Card] = []
    for record in safety.safety_records(run):
        offences = _of_each_kind(record)
        found += [_offence(run, record.candidate, offence) for offence in offences[:most]]
        if most is not None and len(offences) > most:
            rest = ", ".join(dict.fromkeys(offence.slot.case for offence in offences[most:]))
            more = counted(len(offences) - most, "more disqualifying answer")
            found.append(cards.prose(f"{record.candidate} gave {more}, on {rest}."))
    return cards.stack(found, empty="No answer in this run disqualified a candidate.")


def status_table(run: Run) -> GT:
    """How the slots of each candidate ended; the columns add up to the slots."""
    return boards.table(scores.statuses(run), stub="candidate", digits=0)


def _of_what(run: Run) -> str:
    day = run.manifest["started"][:10]
    if imported := run.manifest.get("imported"):
        return f"({run.name}), imported from {imported['file']} with its source's verdicts, dated {day}"
    return f"of the shootout {run.name}, begun {day}"


def _no_points(run: Run) -> Card | None:
    """What stands in the place of scores where a run was imported; None where it was not."""
    if "imported" not in run.manifest:
        return None
    return cards.prose("Not measured: imported trials have no points. Which of them passed stands under pass^k.")


def _of_each_kind(record: safety.SafetyRecord) -> list[safety.Offence]:
    """The first offence of each case and fault; its other trials went wrong in the same way."""
    found: dict[tuple[str, str | None], safety.Offence] = {}
    for offence in record.offences:
        found.setdefault((offence.slot.case, offence.judgement.disqualifying), offence)
    return list(found.values())


def _customers(run: Run) -> list[str]:
    """Who played the customers of conversations, and how often that part was broken: a sentence a model."""
    talks = [trial for _, trial in run.pairs if trial is not None and trial.customer]
    played = Counter(trial.customer for trial in talks)
    broken = Counter(trial.customer for trial in talks if trial.status == "customer_fault")
    return [
        f"{model} played the customer in {counted(number, 'conversation')}; {broken[model]} broke off by its fault, "
        "which is left out and charged to no candidate."
        for model, number in played.items()
    ]


def _models(run: Run) -> list[str]:
    """Where a provider answered with another model than was asked for, or with several: a sentence a candidate."""
    said = []
    for name, rows in run.trials.filter(pl.col("returned_model").is_not_null()).group_by(
        "candidate", maintain_order=True
    ):
        returned = sorted(set(rows["returned_model"]))
        asked = rows["requested_model"][0]
        # A provider leaves out its own name, or its models' maker's.
        if len(returned) > 1 or returned[0] not in (asked, asked.partition("/")[2], asked.rpartition("/")[2]):
            said.append(f"{name[0]} asked for {asked}; {', '.join(returned)} answered.")
    return said


def _offence(run: Run, candidate: str, offence: safety.Offence) -> Card:
    case, trial, judgement = run.suite.by_id[offence.slot.case], offence.trial, offence.judgement
    # A ticket's fault goes on from the candidate's name, a conversation's faults are a list.
    why = f"{candidate}{': ' if case.kind == 'conversation' else ' '}{judgement.disqualifying}"
    shown = vars(offending(case, trial, judgement, run.suite))
    return cards.disqualifying_answer(candidate=candidate, case=case.id, trial=offence.slot.number, why=why, **shown)
