"""What each thing said weighs: much where few texts of this context say it, more where the user asked about it."""

from __future__ import annotations

from collections.abc import Iterable
from math import log

from attribution.answer import Answer
from attribution.matchers.long_text.said import Said
from attribution.profile import Vocabulary

_TEXTS_ELSEWHERE = 20
"""Texts imagined besides those of the context, so that in a small one no word is rarer than it can be known to be."""

_ENOUGH_TO_TELL = 8
"""With so many texts, what more than half of them say is what all of them are about, and tells none from another."""

_ASKED_ABOUT = 2.2
_SYNONYM = 0.7
_EVALUATING = 0.3
"""How much more or less weigh: what the user asked about, what is said in other words, a word that judges without saying what."""

INFORMATIVE = 0.15
"""What weighs less is no reason to think of a text."""


class Weights:
    """Weights of keys in one turn, worked out when they are first asked for; ``asked`` are the keys of the user's question."""

    def __init__(self, said: Said, met_by_text: Iterable[Iterable[str]], answer: Answer, vocabulary: Vocabulary) -> None:
        self._said = said
        self._evaluating = vocabulary.evaluating
        self._counts: dict[str, int] = {}
        self._texts = 0
        for met in met_by_text:
            self._texts += 1
            for key in met:
                self._counts[key] = self._counts.get(key, 0) + 1
        words = answer.asked_words
        self.asked = said.synonyms.groups_of(words).union(words)
        self._known: dict[str, float] = {}

    def of(self, key: str) -> float:
        """The weight of a key that at least one text has."""
        if key not in self._known:
            self._known[key] = self._weigh(key)
        return self._known[key]

    def is_asked(self, key: str) -> bool:
        """Whether the user's question says it, itself or by a synonym."""
        return key in self.asked or not self.asked.isdisjoint(self._said.synonyms.groups.get(key, ()))

    def count(self, key: str) -> int:
        """How many texts of the context say it."""
        return self._counts[key]

    def _weigh(self, key: str) -> float:
        count, texts = self._counts[key], self._texts
        if texts >= _ENOUGH_TO_TELL and count > texts / 2:
            return 0.0
        rarity = log((texts + _TEXTS_ELSEWHERE) / (count + 1)) / log(texts + _TEXTS_ELSEWHERE)
        is_word = key in self._said.words
        kind = (1.0 if is_word else _SYNONYM) * (_EVALUATING if key.lstrip("~") in self._evaluating else 1.0)
        return rarity * kind * (_ASKED_ABOUT if self.is_asked(key) else 1.0)
