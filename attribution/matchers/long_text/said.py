"""What the answer says, by the keys under which a text of the context may say it too: a word's stem, or a group of synonyms."""

from __future__ import annotations

from typing import NamedTuple

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.matchers.long_text.statement import Statement
from attribution.matchers.long_text.words import EMPTY
from attribution.synonyms import Phrase, Synonyms

Place = tuple[int, int]
"""The first word of something said, and how many words it has."""


class Said(NamedTuple):
    """``words`` and ``groups``: where the answer says each. ``reach`` are all stems by which a text may say one of them."""

    words: dict[str, list[Place]]
    groups: dict[str, list[Place]]
    reach: frozenset[str]
    synonyms: Synonyms

    def places(self, key: str) -> list[Place]:
        """Where the answer says what a key stands for."""
        return self.words[key] if key in self.words else self.groups[key]


def read_answer(answer: Answer, covered: set[int], synonyms: Synonyms) -> Said:
    """What an answer says in words of its own: at ``covered`` places it says the value of another field."""
    words = _words(answer, covered)
    groups: dict[str, list[Place]] = {}
    for word, places in words.items():
        for group in synonyms.groups.get(word, ()):
            groups.setdefault(group, []).extend(places)
    for place, phrase in _phrases(answer, synonyms):
        first, count = place - phrase.offset, len(phrase.stems)
        if covered.isdisjoint(range(first, first + count)):
            groups.setdefault(phrase.group, []).append((first, count))
    return Said(words, groups, frozenset(words).union(*[synonyms.members[group] for group in groups]), synonyms)


def _words(answer: Answer, covered: set[int]) -> dict[str, list[Place]]:
    told = {word: places[:MOST_PLACES] for word, places in answer.stems.items() if word not in EMPTY}
    if not covered:
        return {word: [(place, 1) for place in places] for word, places in told.items()}
    open_to_all = {word: [(place, 1) for place in places if place not in covered] for word, places in told.items()}
    return {word: places for word, places in open_to_all.items() if places}


def _phrases(answer: Answer, synonyms: Synonyms) -> list[tuple[int, Phrase]]:
    """The phrases of the answer, each with the place of its longest word."""
    return [
        (place, phrase)
        for word, places in answer.stems.items()
        if word in synonyms.phrases
        for place in places[:MOST_PLACES]
        for phrase in synonyms.around(place, word, answer.stem_words)
    ]


def meet(statement: Statement, said: Said) -> dict[str, str]:
    """What a statement and the answer both say: the keys, each with the word or words of the statement."""
    hits = statement.content & said.reach
    met: dict[str, str] = {}
    for word in sorted(hits) if len(hits) > 1 else hits:
        if word in said.words:
            met[word] = word
        for group in said.synonyms.groups.get(word, ()):
            if group in said.groups:
                met.setdefault(group, word)
        for phrase in said.synonyms.phrases.get(word, ()):
            if phrase.group in said.groups and phrase.stands_in(statement.words):
                met[phrase.group] = " ".join(phrase.stems)
    return met


def told_apart(met: dict[str, str], said: Said) -> dict[str, str]:
    """The same without the groups of words that are met themselves: each thing said counts once."""
    known = {group for key in met if key in said.words for group in said.synonyms.groups.get(key, ())}
    return {key: words for key, words in met.items() if key not in known} if known else met
