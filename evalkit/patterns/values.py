"""Whether a value, such as an order's number, stands in a text however it is spaced, cased or hyphenated."""

from __future__ import annotations

from evalkit.folding import fold

# So many other characters may stand between two of a value's, as in "88 213" or "88 - 213".
_APART = 3


def stands_in(value: str, text: str) -> bool:
    """Whether the letters and digits of a value stand in a text, with up to three other characters between any two.

    No letter or digit may stand directly before or behind them. A value without any stands nowhere.
    """
    wanted = "".join(filter(str.isalnum, fold(value).text.casefold()))
    folded = fold(text).text.casefold()
    places = [place for place, char in enumerate(folded) if char.isalnum()]
    plain = "".join(folded[place] for place in places)
    at = plain.find(wanted) if wanted else -1
    while at >= 0:
        here = places[at : at + len(wanted)]
        alone = not (folded[here[0] - 1 : here[0]].isalnum() or folded[here[-1] + 1 : here[-1] + 2].isalnum())
        if alone and all(later - sooner <= _APART + 1 for sooner, later in zip(here, here[1:], strict=False)):
            return True
        at = plain.find(wanted, at + 1)
    return False
