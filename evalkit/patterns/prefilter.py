"""Which of many alternatives can stand in a long text, and where in it, told by the words that they need."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set

from evalkit.patterns.alternatives import Alternative
from evalkit.patterns.blocks import Blocks, Places
from evalkit.patterns.words import Need, needs


class Prefilter:
    """All alternatives, by number: those that may stand in a text, and others now and then."""

    def __init__(self, alternatives: Sequence[Alternative]) -> None:
        self._always: list[int] = []
        self._needs: list[tuple[int, Need]] = []
        for number, each in enumerate(alternatives):
            branches = needs(each.source, left=each.left, right=each.right)
            if all(need.choices for need in branches):
                self._needs += [(number, need) for need in branches]
            else:
                self._always.append(number)
        common = Counter(word for _, need in self._needs for word in {w for each in need.choices for w in each.all()})
        self._numbers = {word: number for number, word in enumerate(sorted(common), 1)}
        # Of what is needed, the words that the fewest others need: without one of them the rest is not looked at.
        self._asking: defaultdict[bytes, list[int]] = defaultdict(list)
        for place, (_, need) in enumerate(self._needs):
            asking = [{*each.words, *(min(words, key=common.get) for words in each.phrases)} for each in need.choices]
            for word in min(asking, key=lambda words: sum(map(common.get, words))):
                self._asking[word].append(place)

    def places(self, data: bytes, sought: Set[int], spaces: int) -> Iterator[tuple[int, Places]]:
        """The alternatives of those `sought` that can stand in UTF-8 `data` with at most so many spaces in them.

        With each come the places where one of its branches can: wherever that stands, all of it is in one of them, and
        the character behind it. An alternative may come several times.
        """
        text = Blocks(data, self._numbers)
        for number in self._always:
            if number in sought:
                yield number, [(0, len(data))]
        for number, need in self._asked(text.words):
            if number in sought and (places := text.places(need, spaces)):
                yield number, places

    def _asked(self, words: Set[bytes]) -> list[tuple[int, Need]]:
        asked = {place for word in self._asking.keys() & words for place in self._asking[word]}
        return [self._needs[place] for place in asked]
