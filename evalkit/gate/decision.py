"""What the gate answers: allow, block or not measured, with every reason and all that it rests on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from evalkit.stats.noise import NoiseBand

Answer = Literal["allow", "block", "not measured"]
Kind = Literal[
    "must_pass",
    "disqualified",
    "stratum",
    "amendment",
    "quarantine",
    "sign_off",
    "missing",
    "trials",
    "no overlap",
    "budget",
    "not measured",
    "stale",
]
# The order in which reasons are told: what a customer would feel first, what nobody knows last.
KINDS: tuple[Kind, ...] = Kind.__args__  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Reason:
    """One thing that keeps a change from going out.

    `where` names the case, stratum or key, `says` the whole sentence. `measured` is False where nothing was found wrong
    but something that has to be known is not.
    """

    kind: Kind
    where: str
    says: str
    measured: bool = True


@dataclass(frozen=True)
class Note:
    """Something that a reader has to know and that does not block."""

    kind: str
    where: str
    says: str


@dataclass(frozen=True)
class Look:
    """One comparison of a stratum: the candidate's `block`, its score and `delta`, candidate less baseline.

    Both are None where nothing of the stratum was measured in the block.

    `out` says whether that is a drop by more than the band, None where it cannot be told; `unmeasured` are the cases
    that were not fully measured and count as not passed.
    """

    block: int
    candidate: float | None
    delta: float | None
    out: bool | None
    unmeasured: tuple[str, ...] = ()


@dataclass(frozen=True)
class StratumLook:
    """A stratum on the `n` cases that were compared.

    `delta` and `candidate` are those of the first look, `looks` all of them. `band` is the width that a drop must not
    exceed, `noise` how it was measured, None where it was `assumed` or is not known. `why` says what is not measured,
    `sees` what cannot be seen with so few cases, '' where nothing is to be said.
    """

    stratum: str
    verdict: Literal["held", "dropped", "not measured", "new"]
    n: int
    baseline: float | None
    candidate: float | None
    delta: float | None
    band: float | None
    assumed: bool
    noise: NoiseBand | None
    looks: tuple[Look, ...]
    why: str = ""
    sees: str = ""


@dataclass(frozen=True)
class MustPassLook:
    """A case that must pass: which of its `trials` failed or were not measured, by number.

    `passed` is None where no trial failed but one was not measured. The baseline failed `failed_before` of its
    `trials_before` measured trials; `quarantined` cases are shown and do not block.
    """

    case: str
    stratum: str
    passed: bool | None
    trials: int
    failed: tuple[int, ...]
    unmeasured: tuple[int, ...]
    failed_before: int
    trials_before: int
    quarantined: bool


@dataclass(frozen=True)
class QuarantineLook:
    """A case in quarantine: whose it is, until when, and how often it passed and failed on each side.

    `signed` names the commits that its owner signed for; `accepted` says whether one of them is the release's.
    """

    case: str
    owner: str
    reason: str
    since: str
    fix_by: str
    expired: bool | None
    signed: tuple[str, ...]
    accepted: bool
    candidate_passes: int
    candidate_fails: int
    baseline_passes: int
    baseline_fails: int


@dataclass(frozen=True)
class SideRecord:
    """One side as it was read: `first` and `last` are the days of the trials that count, '' where they bear none."""

    name: str
    run: str
    k: int
    repeats: int
    first: str
    last: str
    snapshot: str
    judged_by: str
    commit: str


@dataclass(frozen=True)
class Decision:
    """Whether a change may go out. Its `verdict` follows from the reasons; all but "allow" blocks.

    `band` says where the bands come from: "measured", "assumed", or "none" where no stratum was judged. `today`,
    `release`, `commit` and `z` are what it was asked with.
    """

    verdict: Answer
    reasons: tuple[Reason, ...]
    strata: tuple[StratumLook, ...]
    must_pass: tuple[MustPassLook, ...]
    quarantine: tuple[QuarantineLook, ...]
    notes: tuple[Note, ...]
    baseline: SideRecord | None
    candidate: SideRecord
    band: Literal["measured", "assumed", "none"]
    z: float
    today: str
    release: bool
    commit: str
    must_pass_only: bool

    @property
    def allow(self) -> bool:
        """Whether the change may go out."""
        return self.verdict == "allow"

    @property
    def reason(self) -> str:
        """All reasons in one line, '' where it is allowed."""
        return "; ".join(each.says for each in self.reasons)

    @property
    def dates(self) -> dict[str, tuple[str, str] | None]:
        """The first and last day of each side's trials, None where they bear none."""
        return {
            name: (side.first, side.last) if side is not None and side.first else None
            for name, side in (("baseline", self.baseline), ("candidate", self.candidate))
        }

    def to_json(self) -> dict[str, Any]:
        """The decision as plain JSON values: the same for the same trials, suites and date."""
        dates = {name: None if days is None else list(days) for name, days in self.dates.items()}
        return {"decision": self.verdict, "allow": self.allow, "dates": dates, **_plain(asdict(self))}


def verdict_of(reasons: tuple[Reason, ...]) -> Answer:
    """What reasons come to: a finding blocks, and where there is none, whatever is not known."""
    if any(each.measured for each in reasons):
        return "block"
    return "not measured" if reasons else "allow"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
