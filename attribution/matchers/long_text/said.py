"""What the answer says, by the keys under which a text of the context may say it too: a word's stem, or a group of synonyms."""

from __future__ import annotations

from collections.abc import Collection, Set

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.matchers.long_text.statement import Statement
from attribution.matchers.long_text.words import EMPTY
from attribution.synonyms import Synonyms
from attribution.text import stem

Place = tuple[int, int]
"""The first word of something said, and how many words it has."""


class Said:
    """What an answer says besides the values of other fields, whose words are ``explained``.

    ``words`` are stems, ``groups`` those of synonyms, ``reach`` all stems by which a text may say one of either.
    """

    def __init__(self, answer: Answer, explained: Collection[str], synonyms: Synonyms) -> None:
        words = answer.stems.keys() - EMPTY
        words.difference_update(map(stem, explained))
        self.answer = answer
        self.synonyms = synonyms
        self.words = words
        related = words & synonyms.kin.keys()
        self._phrases = _phrases(answer, words, synonyms)
        self.groups = set(self._phrases).union(*map(synonyms.groups.__getitem__, related))
        self.reach = words.union(*map(synonyms.kin.__getitem__, related), *map(synonyms.members.__getitem__, self._phrases))
        self._keys: dict[str, list[str]] = {}

    def keys_of(self, word: str) -> list[str]:
        """What a word of a text says that the answer says too: itself, its groups."""
        keys = self._keys.get(word)
        if keys is None:
            groups = self.groups
            its = [group for group in self.synonyms.groups.get(word, ()) if group in groups]
            keys = self._keys[word] = [word, *its] if word in self.words else its
        return keys

    def places(self, key: str) -> list[Place]:
        """Where the answer says what a key stands for, in order."""
        if key in self.words:
            return [(place, 1) for place in self.answer.stems[key][:MOST_PLACES]]
        words = self.synonyms.members[key] & self.words
        single = [place for word in words if key in self.synonyms.groups.get(word, ()) for place in self.places(word)]
        return sorted(single + self._phrases.get(key, []))


def _phrases(answer: Answer, words: Set[str], synonyms: Synonyms) -> dict[str, list[Place]]:
    """Where the phrases of each group stand in the answer."""
    table: dict[str, list[Place]] = {}
    for word in words & synonyms.phrases.keys():
        for place in answer.stems[word][:MOST_PLACES]:
            for phrase in synonyms.around(place, word, answer.stem_words):
                table.setdefault(phrase.group, []).append((place - phrase.offset, len(phrase.stems)))
    return table


def meet(statement: Statement, said: Said) -> dict[str, str]:
    """What a statement and the answer both say: the keys, each with the word or the phrase of the statement."""
    hits = statement.content & said.reach
    met: dict[str, str] = {}
    phrases = said.synonyms.phrases
    for word in sorted(hits) if len(hits) > 1 else hits:
        for key in said.keys_of(word):
            met[key] = word
        if word in phrases:
            for phrase in phrases[word]:
                if phrase.group in said.groups and phrase.stands_in(statement.words):
                    met[phrase.group] = " ".join(phrase.stems)
    return met
