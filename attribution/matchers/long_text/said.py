"""What the answer says, by the keys under which a text of the context may say it too: a word's stem, or a group of synonyms."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.matchers.long_text.statement import Statement
from attribution.matchers.long_text.words import EMPTY, EMPTY_WORDS
from attribution.synonyms import Phrase, Synonyms
from attribution.text import stem

Place = tuple[int, int]
"""The first word of something said, and how many words it has."""


class Telltale(NamedTuple):
    """What a word of a text may say that the answer says too: itself, its groups, the phrases it stands in."""

    keys: tuple[str, ...]
    phrases: tuple[Phrase, ...]


def own_words(answer: Answer, explained: set[str]) -> frozenset[str]:
    """Return what an answer says besides the values of other fields, whose words are ``explained``."""
    return frozenset([word for word in answer.places if word not in EMPTY_WORDS and word not in explained])


class Said:
    """What an answer says: ``words`` are stems, ``groups`` those of synonyms, ``reach`` all stems by which a text may say either.

    ``asked`` are the stems and groups of the user's question.
    """

    def __init__(self, answer: Answer, words: frozenset[str], synonyms: Synonyms) -> None:
        stems = frozenset(map(stem, words)) - EMPTY
        self.answer = answer
        self.synonyms = synonyms
        self.words = stems
        related = [word for word in stems if word in synonyms.kin]
        self._phrases = _phrases(answer, stems, synonyms)
        self.groups = set(self._phrases).union(*map(synonyms.groups.__getitem__, related))
        self.reach = stems.union(*map(synonyms.kin.__getitem__, related), *map(synonyms.members.__getitem__, self._phrases))
        asked = answer.asked_words if answer.asked else []
        self.asked = synonyms.groups_of(asked).union(asked)
        self._telltales: dict[str, Telltale] = {}

    def told_by(self, word: str) -> Telltale:
        """Return what a word of a text may say that the answer says too."""
        known = self._telltales.get(word)
        if known is None:
            groups = self.groups
            its = [group for group in self.synonyms.groups.get(word, ()) if group in groups]
            phrases = tuple([phrase for phrase in self.synonyms.phrases.get(word, ()) if phrase.group in groups])
            known = self._telltales[word] = Telltale((word, *its) if word in self.words else tuple(its), phrases)
        return known

    def places(self, key: str) -> list[Place]:
        """Return where the answer says what a key stands for, in order."""
        if key in self.words:
            return [(place, 1) for place in self.answer.stems[key][:MOST_PLACES]]
        words = self.synonyms.members[key] & self.words
        single = [place for word in words if key in self.synonyms.groups.get(word, ()) for place in self.places(word)]
        return sorted(single + self._phrases.get(key, []))


def _phrases(answer: Answer, words: Collection[str], synonyms: Synonyms) -> dict[str, list[Place]]:
    """Return where the phrases of each group stand in the answer."""
    table: dict[str, list[Place]] = {}
    stems, in_order = answer.stems, answer.stem_words
    for word in [word for word in words if word in synonyms.phrases]:
        for phrase in synonyms.phrases[word]:
            if all(map(stems.__contains__, phrase.stems)):
                first, count = phrase.offset, len(phrase.stems)
                places = [(place - first, count) for place in stems[word][:MOST_PLACES] if phrase.stands(place, in_order)]
                if places:
                    table[phrase.group] = sorted(table.get(phrase.group, []) + places)
    return table


def meet(statement: Statement, said: Said) -> set[str]:
    """Return what a statement and the answer both say, as keys."""
    told = [said.told_by(word) for word in statement.content & said.reach]
    met = {key for each in told for key in each.keys}
    phrases = [phrase for each in told for phrase in each.phrases]
    if phrases:
        words = statement.stems
        met.update([phrase.group for phrase in phrases if phrase.stands_in(words)])
    return met
