"""An utterance: words with the places where sentences and clauses begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attribution.word_classes import words

AUXILIARIES = {
    **dict.fromkeys(words("is are was were isn aren wasn weren s re be am m"), "be"),
    **dict.fromkeys(words("do does did don doesn didn dont doesnt have has haven hasn ve"), "do"),
    **dict.fromkeys(words("can could may might couldn cannot cant"), "can"),
    **dict.fromkeys(words("will would won wouldn ll wont should"), "will"),
}
"""Auxiliary verbs by their family: "they do" replies to "do they have", "they have" as well."""

_JOINING = ("and", "but")


class Utterance(NamedTuple):
    """Folded words in their order; ``clause_starts`` and ``sentence_starts`` are places among them."""

    words: Sequence[str]
    clause_starts: frozenset[int]
    sentence_starts: frozenset[int]

    @property
    def beginnings(self) -> list[int]:
        """Return the places where a statement may begin: at sentences, at clauses, behind "and" and "but"."""
        joined = {place + 1 for place, word in enumerate(self.words[:-1]) if word in _JOINING}
        return sorted(joined | self.clause_starts | ({0} if self.words else set()))

    def word(self, place: int) -> str:
        """The word at a place; empty behind the last."""
        return self.words[place] if place < len(self.words) else ""

    def follows(self, place: int, phrase: Sequence[str]) -> bool:
        """Return True if these words stand at a place."""
        return list(self.words[place : place + len(phrase)]) == list(phrase)

    def ends_clause(self, place: int) -> bool:
        """Return True if a clause ends before a place."""
        return place >= len(self.words) or place in self.clause_starts

    def ends_sentence(self, place: int) -> bool:
        """Return True if a sentence ends before a place."""
        return place >= len(self.words) or place in self.sentence_starts
