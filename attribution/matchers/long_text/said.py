"""What the answer says, by the keys under which a text of the context may say it too: a word's stem, or a group of synonyms."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.matchers.long_text.statement import Statement
from attribution.matchers.long_text.words import EMPTY
from attribution.synonyms import Synonyms

Place = tuple[int, int]
"""The first word of something said, and how many words it has."""


class Said:
    """What an answer says in words of its own: at ``covered`` places it says the value of another field.

    ``words`` are stems, ``groups`` those of synonyms, ``reach`` all stems by which a text may say one of either.
    """

    def __init__(self, answer: Answer, covered: set[int], synonyms: Synonyms) -> None:
        self.answer = answer
        self.covered = covered
        self.synonyms = synonyms
        words = answer.stems.keys() - EMPTY
        words -= {word for word in {answer.stem_words[place] for place in covered} if covered.issuperset(answer.stems[word])}
        related = words & synonyms.kin.keys()
        self.words = words
        self._phrases = _phrases(answer, covered, synonyms)
        self.groups = set(self._phrases).union(*[synonyms.groups[word] for word in related])
        kin = [synonyms.kin[word] for word in related]
        self.reach = words.union(*kin, *[synonyms.members[group] for group in self._phrases])

    def keys_of(self, word: str, sentence: Sequence[str]) -> dict[str, str]:
        """What a word of a text says that the answer says too, each with the word or the whole phrase that says it."""
        keys = {word: word} if word in self.words else {}
        for group in self.synonyms.groups.get(word, ()):
            if group in self.groups:
                keys[group] = word
        for phrase in self.synonyms.phrases.get(word, ()):
            if phrase.group in self.groups and phrase.stands_in(sentence):
                keys[phrase.group] = " ".join(phrase.stems)
        return keys

    def places(self, key: str) -> list[Place]:
        """Where the answer says what a key stands for, in order."""
        if key in self.words:
            return self._places(key)
        words = self.synonyms.members[key] & self.words
        single = [place for word in words if key in self.synonyms.groups.get(word, ()) for place in self._places(word)]
        return sorted(single + self._phrases.get(key, []))

    def _places(self, word: str) -> list[Place]:
        return [(place, 1) for place in self.answer.stems[word][:MOST_PLACES] if place not in self.covered]


def _phrases(answer: Answer, covered: set[int], synonyms: Synonyms) -> dict[str, list[Place]]:
    """Where the phrases of each group stand in the answer."""
    table: dict[str, list[Place]] = {}
    for word in sorted(answer.stems.keys() & synonyms.phrases.keys()):
        for place in answer.stems[word][:MOST_PLACES]:
            for phrase in synonyms.around(place, word, answer.stem_words):
                first, count = place - phrase.offset, len(phrase.stems)
                if covered.isdisjoint(range(first, first + count)):
                    table.setdefault(phrase.group, []).append((first, count))
    return table


def meet(statement: Statement, said: Said) -> dict[str, str]:
    """What a statement and the answer both say: the keys, each with the word or words of the statement."""
    hits = statement.content & said.reach
    met: dict[str, str] = {}
    for word in sorted(hits) if len(hits) > 1 else hits:
        met.update(said.keys_of(word, statement.words))
    return met
