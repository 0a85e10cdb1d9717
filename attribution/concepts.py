"""Concepts: groups of English words for one thing, by which fields are named and answers speak. Data, part of the profile.

A field's name is read into concepts, the longest phrase first: ``has_live_music`` is about live music, however an answer says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attribution.errors import ProfileError
from attribution.lexicon.words import NEGATING_PREFIXES
from attribution.text import stem, words_of

Phrase = tuple[str, ...]
"""The stems of words that follow each other."""

_NOTHING: frozenset[str] = frozenset()
_LONGEST_PHRASE = 4


class Concept(NamedTuple):
    """One thing and its words, as stems.

    ``words`` name it, in the name of a field as in an answer; ``signs`` only speak of it in an answer. ``together`` are groups of
    words that speak of it where each group has one in the sentence. ``affirming`` and ``opposite`` phrases say of themselves that it
    is so, or is not. ``stance`` is what has to be said of it besides, where the concept and not the field's name decides that.
    """

    words: frozenset[Phrase]
    signs: frozenset[Phrase] = frozenset()
    together: tuple[frozenset[Phrase], ...] = ()
    affirming: frozenset[Phrase] = frozenset()
    opposite: frozenset[Phrase] = frozenset()
    stance: str = ""

    @property
    def names(self) -> frozenset[str]:
        """The single words that name it."""
        return single(self.words)

    @property
    def labels(self) -> frozenset[str]:
        """The single words that point to it."""
        return single(self.words | self.signs)


class Stance(NamedTuple):
    """A statement about a thing: that it is allowed, accepted, required or included.

    ``names`` are its words in the name of a field, ``said`` those in an answer; ``reversing`` among these say that it is not so.
    """

    names: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()
    reversing: frozenset[str] = frozenset()


class Concepts:
    """All concepts and stances, looked up by the words of a field's name."""

    def __init__(self, concepts: Iterable[Concept], stances: Mapping[str, Stance]) -> None:
        self.stances = stances
        self._by_phrase: dict[Phrase, list[Concept]] = {}
        for concept in concepts:
            for phrase in concept.words:
                self._by_phrase.setdefault(phrase, []).append(concept)

    def read(self, stems: Sequence[str]) -> list[tuple[Phrase, Concept]]:
        """The phrases of a name in turn, each with what it is about; a word that no concept knows is one by itself."""
        found: list[tuple[Phrase, Concept]] = []
        start = 0
        while start < len(stems):
            phrase = self._longest(stems, start)
            found.append((phrase, self._about(phrase)))
            start += len(phrase)
        return found

    def knows(self, word: str) -> bool:
        """Return True if a single stem names a concept."""
        return (word,) in self._by_phrase

    def stance_of(self, word: str) -> str:
        """The stance that a word in the name of a field tells."""
        return next((name for name, stance in self.stances.items() if word in stance.names), "")

    def _longest(self, stems: Sequence[str], start: int) -> Phrase:
        candidates = (tuple(stems[start : start + length]) for length in range(_LONGEST_PHRASE, 1, -1))
        return next((phrase for phrase in candidates if phrase in self._by_phrase), (stems[start],))

    def _about(self, phrase: Phrase) -> Concept:
        concepts = self._by_phrase.get(phrase, ())
        return _merged(frozenset({phrase}), concepts) if len(concepts) != 1 else concepts[0]


def _merged(words: frozenset[Phrase], concepts: Sequence[Concept]) -> Concept:
    """Return one concept with all that a word of several concepts may mean."""
    return Concept(
        words=words.union(*[each.words for each in concepts]),
        signs=frozenset().union(*[each.signs for each in concepts]),
        opposite=frozenset().union(*[each.opposite for each in concepts]),
        stance=next((each.stance for each in concepts if each.stance), ""),
    )


def read_concepts(data: Mapping[str, Any]) -> Concepts:
    """The concepts and stances of a profile's data."""
    stances = {
        name: Stance(*[single(_phrases(each, key, place)) for key in ("names", "said", "reversing")])
        for name, each, place in _objects(data, "stances")
    }
    return Concepts([_concept(each, place) for _, each, place in _objects(data, "concepts")], stances)


def _concept(written: Mapping[str, Any], place: str) -> Concept:
    together = written.get("together", [])
    if not isinstance(together, list):
        raise ProfileError(f"profile: {place}.together: must be a list of lists of texts")
    return Concept(
        words=_phrases(written, "words", place),
        signs=_phrases(written, "signs", place),
        together=tuple(_phrases({"together": group}, "together", place) for group in together),
        affirming=_phrases(written, "affirming", place),
        opposite=_phrases(written, "opposite", place),
        stance=str(written.get("stance", "")),
    )


def _objects(data: Mapping[str, Any], key: str) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """The named objects of an object, each with its place."""
    if not isinstance(data[key], Mapping) or not all(isinstance(each, Mapping) for each in data[key].values()):
        raise ProfileError(f"profile: {key}: must be an object of objects")
    for name, each in data[key].items():
        yield name, each, f"{key}.{name}"


def _phrases(written: Mapping[str, Any], key: str, place: str) -> frozenset[Phrase]:
    phrases = written.get(key, [])
    if not isinstance(phrases, list) or not all(isinstance(each, str) and words_of(each) for each in phrases):
        raise ProfileError(f"profile: {place}.{key}: must be a list of texts")
    return frozenset(tuple(map(stem, words_of(each))) for each in phrases)


def single(phrases: Iterable[Phrase]) -> frozenset[str]:
    """The phrases of one word."""
    return frozenset(phrase[0] for phrase in phrases if len(phrase) == 1)


def denied(words: Iterable[str]) -> frozenset[str]:
    """``unfurnished`` for ``furnished``."""
    return frozenset(f"{prefix}{word}" for prefix in NEGATING_PREFIXES for word in words)
