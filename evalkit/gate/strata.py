"""Strata: on the same cases, has the candidate dropped by more than the baseline's own noise?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from evalkit.gate.advice import broken
from evalkit.gate.decision import Look, Note, Reason, StratumLook
from evalkit.gate.plain_text import apart, change, some
from evalkit.gate.scope import Scope
from evalkit.gate.unmeasured import lacking_before
from evalkit.shown import counted
from evalkit.stats.noise import NoiseBand, band, drops_out

Assumed = Callable[[str, int], float]
# Where a reason stands that holds for every stratum.
SIDES = ("bands", "baseline", "candidate", "cases")


def looks(scope: Scope, assumed: Assumed | None, z: float) -> tuple[StratumLook, ...]:
    """Each stratum on the cases compared, by its name; none where only must-pass cases are asked for."""
    if not scope.compares:
        return ()
    return tuple(_look(scope, name, ids, assumed, z) for name, ids in scope.strata.items() if _is_here(scope, name))


def reasons(scope: Scope, found: Sequence[StratumLook], assumed: Assumed | None) -> Iterator[Reason]:
    """A reason for each stratum that dropped, and one where no band is measured."""
    for look in found:
        if look.verdict == "dropped":
            yield Reason("stratum", look.stratum, _dropped(look) + broken(scope, scope.strata[look.stratum]))
    if scope.baseline is not None and assumed is None and scope.baseline.repeats < 2 and any(look.n for look in found):
        says = "no repeats of the baseline: `evalkit run SHOOTOUT --repeats 3` measures its bands, or `make nightly` on"
        says += " the target branch; or assume one by --assume-band"
        yield Reason("not measured", "bands", says, measured=False)


def untold(scope: Scope, found: Sequence[StratumLook], told: Sequence[Reason]) -> Iterator[Reason]:
    """A reason for each stratum that is not measured though no other reason says so: none of them is allowed."""
    places = {reason.where for reason in told}
    for look in found:
        own = {name for name in scope.expected if scope.stratum_of(name) == look.stratum}
        if look.verdict == "not measured" and not places & {*own, look.stratum, *SIDES}:
            yield Reason("not measured", look.stratum, f"{look.stratum} is not measured: {look.why}", measured=False)


def notes(scope: Scope, found: Sequence[StratumLook]) -> Iterator[Note]:
    """What a band was assumed or left out, what too few cases cannot see, and drops that a second look did not find."""
    if any(look.assumed for look in found):
        says = "the bands were assumed, not measured: nothing says how often they block by luck, or miss a drop"
        yield Note("band", "bands", says)
    for look in found:
        if look.sees:
            yield Note("sees nothing", look.stratum, f"{look.stratum}: {look.sees}")
        if look.verdict == "held" and len(look.looks) > 1 and look.looks[0].out:
            changes = " and ".join(change(each.delta) for each in look.looks)
            says = f"{look.stratum} left its band at the first look and not at the second ({changes}): allowed"
            yield Note("rerun", look.stratum, says)
        if left := _left_out(scope, look.stratum):
            says = f"{look.stratum}: its band is without {some(left)}, which the baseline did not measure whole"
            yield Note("band", look.stratum, says)


def _is_here(scope: Scope, stratum: str) -> bool:
    """Whether anything of a stratum was asked of the candidate; where not, another reason says so."""
    return any(scope.stratum_of(name) == stratum for name in scope.expected)


def _look(scope: Scope, stratum: str, ids: tuple[str, ...], assumed: Assumed | None, z: float) -> StratumLook:
    nothing = (None, None, None, None, assumed is not None, None, ())
    side = scope.baseline
    if not ids or side is None:
        new = [name for name in scope.expected if scope.stratum_of(name) == stratum]
        if new and stratum not in scope.strata_before and all(name in scope.new for name in new):
            return StratumLook(
                stratum, "new", 0, *nothing, why=f"new: {counted(len(new), 'case')}, none with a baseline"
            )
        return StratumLook(stratum, "not measured", 0, *nothing, why="none of its cases is on both sides")
    if why := _why_not(scope, stratum, ids):
        return StratumLook(stratum, "not measured", len(ids), *nothing, why=why)
    passes = sum(side.cases[name].passed(block, scope.k) is True for name in ids for block in range(side.repeats))
    before = Fraction(passes, len(ids) * side.repeats)
    width, noise = _band(scope, stratum, ids, assumed, z)
    again = (scope.candidate.reruns or {}).get(stratum)
    blocks = (0,) if again is None else (0, again)
    seen = [_one(scope, ids, block, before, width) for block in blocks]
    first = seen[0][0]
    if width is None:
        verdict, why = "not measured", "no repeats of the baseline"
    elif any(look.out is False for look, _ in seen):
        verdict, why = "held", ""
    elif any(look.out is None for look, _ in seen):
        verdict, why = "not measured", "nothing of it was measured for the candidate"
    elif all(certain for _, certain in seen):
        verdict, why = "dropped", ""
    else:
        verdict, why = "not measured", "it leaves its band only where what was not measured counts as failed"
    return StratumLook(
        stratum=stratum,
        verdict=verdict,
        n=len(ids),
        baseline=float(before),
        candidate=first.candidate,
        delta=first.delta,
        band=width,
        assumed=assumed is not None,
        noise=noise,
        looks=tuple(look for look, _ in seen),
        why=why,
        sees=_sees(len(ids), before, width),
    )


def _why_not(scope: Scope, stratum: str, ids: tuple[str, ...]) -> str:
    """Why a stratum cannot be compared, '' where it can."""
    side = scope.baseline
    lost = [name for name in scope.absent_before if scope.stratum_of(name) == stratum]
    lost += [name for name in ids if side is not None and not _whole(scope, name)]
    if lost:
        return f"not measured for the baseline: {some(sorted(lost))}"
    if side is not None and scope.candidate.k < side.k:
        return f"the candidate has {counted(scope.candidate.k, 'trial')} a case, the baseline {side.k}"
    return ""


def _whole(scope: Scope, name: str) -> bool:
    side = scope.baseline
    return side is not None and all(side.cases[name].measured(block, scope.k) for block in range(side.repeats))


def _one(scope: Scope, ids: tuple[str, ...], block: int, before: Fraction, width: float | None) -> tuple[Look, bool]:
    """A look at one block of the candidate, and whether it leaves the band even if all that is unmeasured passed.

    Where no case of it was measured there is no score: 0 would say that all failed.
    """
    results = {name: scope.candidate.cases[name].passed(block, scope.k) for name in ids}
    open_ones = tuple(name for name, passed in results.items() if passed is None)
    if len(open_ones) == len(ids):
        return Look(block, None, None, None, open_ones), False
    passed = sum(each is True for each in results.values())
    score = Fraction(passed, len(ids))
    best = Fraction(passed + len(open_ones), len(ids))
    out = None if width is None else drops_out(float(score - before), width)
    certain = width is not None and drops_out(float(best - before), width)
    return Look(block, float(score), float(score - before), out, open_ones), certain


def _band(
    scope: Scope, stratum: str, ids: tuple[str, ...], assumed: Assumed | None, z: float
) -> tuple[float | None, NoiseBand | None]:
    side = scope.baseline
    if assumed is not None:
        return float(assumed(stratum, len(ids))), None
    if side is None:
        return None, None
    rows = [
        [side.cases[name].passed(block, scope.k) is True for block in range(side.repeats)]
        for name in _of_stratum(scope, stratum)
        if _whole(scope, name)
    ]
    found = band(rows, len(ids), z=z, averaged=side.repeats)
    return found.value, found


def _of_stratum(scope: Scope, stratum: str) -> list[str]:
    cases = scope.baseline.cases if scope.baseline else {}
    # By the side that judges: in plain mappings a case may stand in another stratum than it did.
    return sorted(name for name in cases if scope.stratum_of(name) == stratum)


def _left_out(scope: Scope, stratum: str) -> list[str]:
    """The cases outside the comparison that a baseline's repeat did not measure."""
    compared = scope.strata.get(stratum, ())
    return [name for name in _of_stratum(scope, stratum) if name not in compared and lacking_before(scope, name)]


def _sees(n: int, before: Fraction, width: float | None) -> str:
    if width is None or drops_out(-float(before), width):
        return ""
    if not before:
        return f"the baseline passes none of its {counted(n, 'case')}: nothing can drop"
    return f"{counted(n, 'case')} {'is' if n == 1 else 'are'} too few: even a drop to none stays inside the band"


def _dropped(look: StratumLook) -> str:
    if look.delta is None or look.band is None:
        return f"{look.stratum} dropped"
    drop, width = apart(-look.delta, look.band)
    kind = "assumed band" if look.assumed else "band"
    says = f"{look.stratum} dropped {drop}, more than its {kind} of {width} ({counted(look.n, 'case')}: "
    says += f"{look.baseline:.2f} before, {look.candidate:.2f} now)"
    if len(look.looks) > 1 and look.looks[1].delta is not None:
        again, width = apart(-look.looks[1].delta, look.band)
        return f"{says}, and {again} when it was run again"
    return f"{says}; a second look was not taken yet: --rerun"
