"""One form for texts that look alike: quotes, dashes, spaces and hidden characters folded, offsets kept."""

from evalkit.folding.characters import BACKTICK
from evalkit.folding.folded import Folded, fold
from evalkit.folding.plain import fold_char

__all__ = ["BACKTICK", "Folded", "fold", "fold_char"]
