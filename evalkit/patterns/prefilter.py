"""Which of many alternatives can stand in a long text, and where in it, told by the words that they need."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from evalkit.patterns.alternatives import Alternative
from evalkit.patterns.blocks import Blocks, Places, length_of
from evalkit.patterns.vocabulary import Vocabulary
from evalkit.patterns.windows import REACH
from evalkit.patterns.words import Need, Ways, needs


class _Choice(NamedTuple):
    """What is needed in so many blocks in a row: any of the `words` or all words of one of the `phrases`."""

    words: frozenset[int]
    phrases: tuple[frozenset[int], ...]
    length: int


class _Phrase(NamedTuple):
    """Words by number, and the choices that all of them together are a way of, each of which has one of the `bits`."""

    words: frozenset[int]
    choices: tuple[int, ...]
    bits: int


class _Need(NamedTuple):
    """What a branch of an alternative needs: a way of each of its `choices`, the rarest first."""

    alternative: int
    choices: tuple[int, ...]
    length: int
    bits: int


class Standing(NamedTuple):
    """Which alternatives, by number, can stand in a text: those that `always` can, and `needs` that it fulfils."""

    size: int
    always: Set[int]
    blocks: Blocks
    needs: list[tuple[_Need, int]]

    def edge(self, place: int) -> int:
        """Where the first block begins that does at a byte or behind it; the end of the text where none does."""
        return int(self.blocks.begins[self.blocks.begins[:-1].searchsorted(place)])

    def places(self, sought: Set[int], begin: int, end: int) -> Iterator[tuple[int, Places]]:
        """The alternatives of those `sought` that can stand at places that begin from one edge to another.

        With each come the places where one of its branches can, in their order: wherever that begins there, all of it
        is in one of them, and the character behind it. An alternative may come several times.
        """
        yield from ((number, [(begin, min(end + REACH, self.size))]) for number in self.always & sought)
        still = [each for each in self.needs if each[0].alternative in sought]
        bits, lengths = [bits for _, bits in still], [need.length for need, _ in still]
        for (need, _), places in zip(still, self.blocks.places(bits, lengths, begin, end), strict=True):
            if places:
                yield need.alternative, places


class Prefilter:
    """All alternatives, by number: those that may stand in a text, and others now and then.

    Those with more than so many `spaces` in them may be missed.
    """

    def __init__(self, alternatives: Sequence[Alternative], spaces: int) -> None:
        self._always: list[int] = []
        read: list[tuple[int, Need]] = []
        for number, each in enumerate(alternatives):
            branches = needs(each.source, left=each.left, right=each.right)
            if all(need.choices for need in branches):
                read += [(number, need) for need in branches]
            else:
                self._always.append(number)
        # In how many choices a word is, which tells how common it may be in texts.
        common = Counter(word for _, need in read for ways in need.choices for word in ways.all())
        self._vocabulary = Vocabulary(sorted(common))
        self._needs: list[_Need] = []
        # Without one of these words the rest of a need is not looked at: those of its rarest choice.
        self._asking: defaultdict[int, list[int]] = defaultdict(list)
        places: dict[_Choice, int] = {}
        for alternative, need in read:
            length = length_of(min(need.spaces, spaces))
            asked = [(_rarest(ways, common), self._choice(ways, length)) for ways in need.choices]
            asked.sort(key=lambda each: sum(common[word] for word in each[0]))
            for word in asked[0][0]:
                self._asking[self._vocabulary.numbers[word]].append(len(self._needs))
            choices = tuple(places.setdefault(choice, len(places)) for _, choice in asked)
            self._needs.append(_Need(alternative, choices, length, _bits(choices)))
        self._choices = list(places)
        # By a word, the bits of the choices that it is a way of; by one of the words of a phrase, the phrase.
        self._told = [0] * (len(self._vocabulary.numbers) + 1)
        self._phrases: defaultdict[int, list[_Phrase]] = defaultdict(list)
        phrases: defaultdict[frozenset[int], list[int]] = defaultdict(list)
        for place, choice in enumerate(self._choices):
            for word in choice.words:
                self._told[word] |= 1 << place
            for words in choice.phrases:
                phrases[words].append(place)
        counts = [0, *(common[word] for word in self._vocabulary.numbers)]
        for words, those in phrases.items():
            rarest = min(words, key=counts.__getitem__)
            self._phrases[rarest].append(_Phrase(words, tuple(those), _bits(those)))

    def standing(self, data: bytes, sought: Set[int]) -> Standing:
        """What of the alternatives that are `sought` can stand in a long text of UTF-8 `data`."""
        blocks = self._vocabulary.blocks(data)
        return Standing(len(data), sought.intersection(self._always), blocks, list(self._standing(blocks, sought)))

    def _choice(self, ways: Ways, length: int) -> _Choice:
        words, *phrases = (
            frozenset(self._vocabulary.numbers[word] for word in words) for words in (ways.words, *ways.phrases)
        )
        return _Choice(words, tuple(phrases), length)

    def _standing(self, blocks: Blocks, sought: Set[int]) -> Iterator[tuple[_Need, int]]:
        """What is needed and stands together somewhere, and the bits of the blocks that begin there."""
        words = blocks.words
        held, phrases = self._held(words)
        found: dict[int, int] = {}
        for place in {place for word in self._asking.keys() & words for place in self._asking[word]}:
            need = alternative, choices, length, wanted = self._needs[place]
            if alternative not in sought or wanted & held != wanted:
                continue
            bits = -1
            for choice in choices:
                here = found.get(choice, -1)
                if here < 0:
                    here = blocks.of_any(self._choices[choice].words & words, length)
                    for phrase in phrases.get(choice, ()):
                        here |= blocks.of_all(phrase, length)
                    found[choice] = here
                bits &= here
                if not bits:
                    break
            else:
                yield need, bits

    def _held(self, words: Set[int]) -> tuple[int, Mapping[int, list[frozenset[int]]]]:
        """The bits of the choices that words hold a way of, wherever they stand, and the phrases among these ways."""
        held = 0
        for word in words:
            held |= self._told[word]
        phrases: defaultdict[int, list[frozenset[int]]] = defaultdict(list)
        for word in self._phrases.keys() & words:
            for phrase, choices, bits in self._phrases[word]:
                if phrase <= words:
                    held |= bits
                    for choice in choices:
                        phrases[choice].append(phrase)
        return held, phrases


def _rarest(ways: Ways, common: Counter[bytes]) -> set[bytes]:
    """Words one of which stands wherever one of the ways does."""
    return {*ways.words, *(min(words, key=common.__getitem__) for words in ways.phrases)}


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in {*places})
