"""Must-pass cases: how many block every pull request, and how often the others block one by luck."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evalkit.bands.compared import Compared
from evalkit.bands.repeated import trials_of
from evalkit.tables import Run

# The chance that a bound "at most" is wrong.
DOUBT = 0.05


@dataclass(frozen=True)
class MustPass:
    """The must-pass cases among those compared, without those in quarantine, and what the baseline did with them.

    `always` failed every trial, so that they block every pull request; `sometimes` failed some; `unmeasured` have no
    trial that was judged. `likely` and `most` are the chances that one of the `others` (all but `always` and
    `unmeasured`) fails one of the k trials of a pull request in which nothing changed: by the flakes that were seen,
    and at most. They are 0 where there are no others.
    """

    cases: int
    k: int
    always: tuple[str, ...]
    sometimes: tuple[str, ...]
    unmeasured: tuple[str, ...]
    quarantined: tuple[str, ...]
    others: int
    likely: float
    most: float


def must_pass_of(run: Run, candidate: str, compared: Compared) -> MustPass:
    """What the must-pass cases add to the strata. Where only a number a stratum is compared, all must-pass cases count.

    By what was seen, the share p of its trials that a case passed, the chance is 1 − Π p^k. At most: cases that never
    failed in n trials pass them all with Π p^n, which is no less than 5 % but for one in twenty; so they block with
    1 − 0.05^(k/n) at most, however their flakes are spread. One that failed sometimes has Clopper and Pearson's upper
    bound. Source: statistics.md B2, must-pass arithmetic and 1 − 0.05^(1/n).
    """
    trials, k = trials_of(run, candidate), run.manifest["trials"]
    flagged = [
        case.id
        for case in run.suite.active
        if case.must_pass and case.id in trials and (compared.cases is None or case.id in compared.cases)
    ]
    sheltered = tuple(name for name in flagged if name in run.suite.quarantine)
    names = [name for name in flagged if name not in sheltered]
    unmeasured = tuple(name for name in names if not trials[name][1])
    always = tuple(name for name in names if trials[name][1] and not trials[name][0])
    others = [name for name in names if trials[name][0]]
    sometimes = tuple(name for name in others if trials[name][0] < trials[name][1])
    likely = 1 - math.prod((trials[name][0] / trials[name][1]) ** k for name in others)
    never = [trials[name][1] for name in others if name not in sometimes]
    # The fewest trials bound all, since more of them would leave less open.
    pass_all = DOUBT ** (k / min(never)) if never else 1.0
    pass_all *= math.prod((1 - _upper(*trials[name])) ** k for name in sometimes)
    return MustPass(len(names), k, always, sometimes, unmeasured, sheltered, len(others), likely, 1 - pass_all)


def _upper(passed: int, of: int) -> float:
    """Clopper and Pearson's upper bound of the chance to fail, one-sided."""
    from scipy.special import betaincinv

    return float(betaincinv(of - passed + 1, passed, 1 - DOUBT))
