"""Retrieval: the help-centre articles that the harness puts into a candidate's prompt."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property

from evalkit.suite import Article

# Word pairs tell "download link" from "link" and "download"; sublinear so that a long article does not win by length.
VECTORIZER = {"ngram_range": [1, 2], "sublinear_tf": True, "strip_accents": "unicode", "lowercase": True}

# The title counts twice; articles that are as near stand in the order of their names.
INDEXED = ["title", "title", "text", "then by name"]


class Retrieval:
    """TF-IDF over the articles of a help centre."""

    def __init__(self, articles: Sequence[Article]) -> None:
        self.articles = tuple(articles)
        # Every candidate's every trial asks the same of a ticket.
        self._ranked: dict[str, list[int]] = {}

    @cached_property
    def index_hash(self) -> str:
        """SHA-256 of all that decides what is found: the articles and how they are indexed."""
        content = [VECTORIZER, INDEXED, [[article.name, article.title, article.text] for article in self.articles]]
        return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()

    def top(self, question: str, count: int) -> tuple[Article, ...]:
        """The `count` articles nearest to the question, best first; ties in the order of their names."""
        if not self.articles:
            return ()
        if question not in self._ranked:
            vectorizer, matrix = self._index
            likeness = (matrix @ vectorizer.transform([question]).T).toarray().ravel()
            self._ranked[question] = sorted(
                range(len(self.articles)), key=lambda index: (-likeness[index], self.articles[index].name)
            )
        return tuple(self.articles[index] for index in self._ranked[question][:count])

    @cached_property
    def _index(self):
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(**{**VECTORIZER, "ngram_range": tuple(VECTORIZER["ngram_range"])})
        matrix = vectorizer.fit_transform(
            f"{article.title}\n{article.title}\n{article.text}" for article in self.articles
        )
        return vectorizer, matrix
