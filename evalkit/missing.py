"""What of a run was not measured: why, how much of each candidate, and which slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from evalkit.archive import Pair
from evalkit.rows import CONVERSATION
from evalkit.shown import counted
from evalkit.tables import Run, once_a_run
from evalkit.transcript import NEVER_MEASURED

# An error's reason is a provider's text; so much of it is told, and of so many kinds.
REASON, REASONS = 160, 2


@dataclass(frozen=True)
class Lost:
    """The slots of one candidate and case that ended in one status and have no result, by their numbers."""

    candidate: str
    case: str
    status: str
    numbers: tuple[int, ...]

    @property
    def says(self) -> str:
        """`steady · ORD-1 · trials 0–2, 4: error`."""
        noun = "trial" if len(self.numbers) == 1 else "trials"
        return f"{self.candidate} · {self.case} · {noun} {ranges(self.numbers)}: {self.status}"


@dataclass(frozen=True)
class Missing:
    """What of a run was not measured; all empty where nothing is.

    `why` are sentences, the budget first; `counts` candidate → status → slots; `lost` every slot without a result, in
    the run's order; `ungraded` the transcripts without a grade where grading was stopped.
    """

    why: tuple[str, ...]
    slots: int
    counts: tuple[tuple[str, dict[str, int]], ...]
    lost: tuple[Lost, ...]
    cases_gone: int
    ungraded: tuple[Lost, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.lost or self.ungraded or self.cases_gone or self.why)

    @property
    def total(self) -> int:
        """Number of slots without a result."""
        return sum(len(each.numbers) for each in self.lost)

    @property
    def says(self) -> str:
        """All of it in sentences, without the list of slots; '' where nothing is missing."""
        said = list(self.why)
        if self.lost:
            rows = [
                f"{name}: " + ", ".join(f"{count} {status}" for status, count in found.items())
                for name, found in self.counts
            ]
            said.insert(0, f"{self.total} of {self.slots} slots were not measured. {'; '.join(rows)}.")
        if self.ungraded:
            count = sum(len(each.numbers) for each in self.ungraded)
            said.append(f"{counted(count, 'transcript')} {'has' if count == 1 else 'have'} no grade.")
        if self.cases_gone:
            verb = "is" if self.cases_gone == 1 else "are"
            said.append(f"{counted(self.cases_gone, 'case')} of the run {verb} no longer in the suite that judges it.")
        return " ".join(said)


@once_a_run
def missing(run: Run) -> Missing:
    """What of a run was not measured, and why.

    Of the shootout's slots, of its baseline's repeats and of a gate's reruns; and the trials without a grade, where
    grading was stopped.
    """
    pairs = (*run.pairs, *run.later)
    open_slots = [(slot, trial) for slot, trial in pairs if trial is None or trial.status in NEVER_MEASURED]
    counts: dict[str, Counter[str]] = {}
    for slot, trial in open_slots:
        counts.setdefault(slot.candidate, Counter())[trial.status if trial else "not_run"] += 1
    names = [each["name"] for each in run.manifest["candidates"]]
    return Missing(
        why=tuple(_why(run, open_slots)),
        slots=len(pairs),
        counts=tuple(
            (name, {status: counts[name][status] for status in NEVER_MEASURED if counts[name][status]})
            for name in sorted(counts, key=lambda name: (names.index(name) if name in names else len(names), name))
        ),
        lost=_lost((slot.candidate, slot.case, trial.status if trial else "not_run", slot.number)
                   for slot, trial in open_slots),
        cases_gone=max(0, run.manifest["suite"]["cases"] - len(run.cases)),
        ungraded=_ungraded(run),
    )  # fmt: skip


def ranges(numbers: Iterable[int]) -> str:
    """Numbers in order, neighbours as a range: 0, 1, 2 and 4 are `0–2, 4`."""
    found = enumerate(sorted(set(numbers)))
    runs = [[number for _, number in group] for _, group in groupby(found, key=lambda each: each[1] - each[0])]
    return ", ".join(f"{run[0]}" if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def _why(run: Run, open_slots: Sequence[Pair]) -> Iterator[str]:
    stopped, grading = run.manifest.get("stopped"), run.manifest.get("grading_stopped")
    unplayed = [slot for slot, trial in open_slots if trial is None]
    alone = "customer" not in run.manifest.get("shootout", {})
    talks = [slot for slot in unplayed if alone and _is_talk(run, slot.case)]
    if stopped:
        yield f"The run was stopped: {_sentence(stopped)}"
    elif len(unplayed) > len(talks):
        yield "Not run: its playing was stopped before its end, or is not done yet; the same command goes on."
    if talks:
        yield f"{counted(len(talks), 'slot')} not run: {CONVERSATION}."
    reasons = Counter(
        (trial.status, " ".join(trial.reason.split())) for _, trial in open_slots if trial is not None and trial.reason
    )
    for (status, reason), count in reasons.most_common(REASONS):
        short = reason if len(reason) <= REASON else f"{reason[: REASON - 1].rstrip()}…"
        yield f"{count} × {status}: {_sentence(short)}"
    if (rest := len(reasons) - REASONS) > 0:
        yield f"{rest} more reason{'s are' if rest > 1 else ' is'} not shown."
    if grading:
        yield f"Grading was stopped: {_sentence(grading)}"


def _is_talk(run: Run, case: str) -> bool:
    found = run.suite.by_id.get(case)
    return found is not None and found.kind == "conversation"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "…")) else f"{text}."


def _ungraded(run: Run) -> tuple[Lost, ...]:
    """Where grading was stopped: the trials that have no grade yet."""
    if not run.manifest.get("grading_stopped"):
        return ()
    return _lost(
        (slot.candidate, slot.case, "not graded", slot.number)
        for (slot, _), grading in zip(run.pairs, run.gradings, strict=True)
        if grading is not None and grading.state == "not graded"
    )


def _lost(found: Iterable[tuple[str, str, str, int]]) -> tuple[Lost, ...]:
    numbers: dict[tuple[str, str, str], list[int]] = {}
    for candidate, case, status, number in found:
        numbers.setdefault((candidate, case, status), []).append(number)
    return tuple(Lost(*key, tuple(each)) for key, each in numbers.items())
