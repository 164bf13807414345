"""Words as a decision writes them: names, bounded, and numbers that do not hide what decided."""

from __future__ import annotations

from collections.abc import Iterable

NAMED = 8


def some(names: Iterable[object], most: int = NAMED) -> str:
    """The first few names, and how many more there are: 'a, b and 3 more'."""
    all_names = [str(name) for name in names]
    rest = len(all_names) - most
    return ", ".join(all_names) if rest <= 0 else f"{', '.join(all_names[:most])} and {rest} more"


def apart(drop: float, band: float) -> tuple[str, str]:
    """A drop and its band with two decimals, and with more where two would make them look alike."""
    for digits in (2, 3, 4, 6):
        texts = f"{drop:.{digits}f}", f"{band:.{digits}f}"
        if texts[0] != texts[1]:
            break
    return texts


def change(delta: float | None) -> str:
    """A change with its sign and two decimals, '–' for none; a zero that rounding made has no sign."""
    if delta is None:
        return "–"
    text = f"{delta:+.2f}"
    return text if float(text) else text[1:]
