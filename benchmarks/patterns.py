"""How long every pattern takes over 10,000 replies, and over a megabyte of each of several kinds of text.

.venv/bin/python benchmarks/patterns.py
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator

from evalkit.card import as_read
from evalkit.loading import load_suite
from evalkit.suite import Suite

REPLIES, REPLY_CHARS = 10_000, 320
LONG, LETTERS = 1_000_000, 20_000
ROUNDS = 7
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def seconds(work: Callable[[], object]) -> float:
    """The least processor time of several calls."""
    least = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return least


def texts(suite: Suite, draw: random.Random) -> Iterator[tuple[str, str]]:
    """Long texts by what they are made of: the first two are the hardest, as nothing in them repeats."""
    golden = [case.reference.golden_answer for case in suite.cases]
    articles = [article.text for article in suite.articles]
    sentences = [each for text in (*golden, *articles) for each in _SENTENCE.split(text)]
    words = " ".join(golden).split()
    yield "sentences of golden answers and articles, drawn", " ".join(draw.choices(sentences, k=LONG // 20))
    yield "words of golden answers, drawn", " ".join(draw.choices(words, k=LONG // 3))
    yield "words of random letters", "".join(draw.choices("abcdefghijklmnopqrstuvwxyz     ", k=LONG))
    yield "all golden answers again and again", " ".join(golden) * (LONG // len(" ".join(golden)) + 1)
    yield "all articles again and again", " ".join(articles) * (LONG // len(" ".join(articles)) + 1)
    yield "a refund's sentence again and again", "Your refund is on its way. " * (LONG // 20)
    yield "one letter", "a" * LONG
    yield "Chinese words", "退款 " * (LONG // 3)


def main() -> None:
    """Print the processor time for the replies, and in milliseconds for each kind of text."""
    suite, draw = load_suite("cases"), random.Random(0)
    golden = [case.reference.golden_answer for case in suite.cases]
    sentences = [each for text in golden for each in _SENTENCE.split(text)]
    replies = []
    for _ in range(REPLIES):
        reply = draw.choice(sentences)
        while len(reply) < REPLY_CHARS:
            reply += draw.choice((" ", " ", "\n\n")) + draw.choice(sentences)
        replies.append(reply)
    start = time.process_time()
    hits = sum(len(suite.concepts.find(as_read(reply))) for reply in replies)
    taken = time.process_time() - start
    characters = sum(map(len, replies)) / REPLIES
    print(f"{REPLIES:,} replies of {characters:.0f} characters: {taken:.2f} s for {hits:,} hits, cold start included")
    letters = max(
        seconds(lambda letter=letter: suite.concepts.find(letter * LETTERS)) for letter in "abcdefghijklmnopqrstuvwxyz"
    )
    print(f"{LETTERS:,} characters of one letter: {letters * 1000:.1f} ms at most")
    for name, text in texts(suite, draw):
        taken = seconds(lambda text=text[:LONG]: suite.concepts.find(as_read(text)))
        print(f"{LONG:,} characters, {name}: {taken * 1000:.0f} ms")


if __name__ == "__main__":
    main()
