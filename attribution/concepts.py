"""Concepts and synonyms: English words for one thing, by which fields are named and answers speak. Data, part of the profile.

A field's name is read into concepts, the longest phrase first: ``has_live_music`` is about live music, however it is said. Synonyms come a
group a line: ``anxiety ~ on edge, nervous``.
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


COMMENT, DIVIDER, SEPARATOR = "#", "~", ","
GROUP_SIGN = "~"
"""The sign that the key of a group begins with, so that it is never the key of a word."""

Stems = tuple[str, ...]


class SynonymPhrase(NamedTuple):
    """Words that mean a group where they follow each other. The longest of them is what is looked for first."""

    stems: Stems
    offset: int
    group: str

    def stands(self, place: int, words: Sequence[str]) -> bool:
        """Return True if the phrase stands where its longest word is at ``place``."""
        begin = place - self.offset
        return begin >= 0 and tuple(words[begin : begin + len(self.stems)]) == self.stems

    def stands_in(self, words: Sequence[str]) -> bool:
        """Return True if the phrase stands anywhere among these words."""
        longest = self.stems[self.offset]
        place = -1
        for _ in range(words.count(longest)):
            place = words.index(longest, place + 1)
            if self.stands(place, words):
                return True
        return False


class Synonyms(NamedTuple):
    """The groups, by what they may be recognised by, all in stems.

    ``groups`` are the groups of a single word, ``phrases`` the phrases that begin with a word, the longest first. ``members`` are
    the words of a group, of a phrase the first.
    """

    groups: Mapping[str, tuple[str, ...]]
    phrases: Mapping[str, tuple[SynonymPhrase, ...]]
    members: Mapping[str, frozenset[str]]
    kin: Mapping[str, frozenset[str]]

    def groups_of(self, words: Sequence[str]) -> set[str]:
        """The groups that a text speaks of."""
        found = {group for word in words for group in self.groups.get(word, ())}
        return found.union(phrase.group for place, word in enumerate(words) for phrase in self.around(place, word, words))

    def around(self, place: int, word: str, words: Sequence[str]) -> list[SynonymPhrase]:
        """The phrases around a place at which ``word`` stands."""
        candidates = self.phrases.get(word)
        return [phrase for phrase in candidates if phrase.stands(place, words)] if candidates else []


def read_synonyms(lines: Iterable[str]) -> Synonyms:
    """The groups of a profile's data. Raises ``ProfileError`` for a line that is no group."""
    groups: dict[str, tuple[str, ...]] = {}
    phrases: dict[str, tuple[SynonymPhrase, ...]] = {}
    members: dict[str, set[str]] = {}
    for number, line in enumerate(lines, start=1):
        for group, stems in _read_line(line, number):
            offset = max(range(len(stems)), key=list(map(len, stems)).__getitem__)
            longest = stems[offset]
            members.setdefault(group, set()).add(longest)
            if len(stems) > 1:
                phrases[longest] = (*phrases.get(longest, ()), SynonymPhrase(stems, offset, group))
            elif group not in groups.get(longest, ()):
                groups[longest] = (*groups.get(longest, ()), group)
    kin = {word: frozenset[str]().union(*[members[group] for group in its]) for word, its in groups.items()}
    return Synonyms(groups, phrases, {group: frozenset(words) for group, words in members.items()}, kin)


def _read_line(line: str, number: int) -> list[tuple[str, Stems]]:
    written = line.partition(COMMENT)[0].strip()
    if not written:
        return []
    head, divider, rest = written.partition(DIVIDER)
    phrases = [tuple(map(stem, words_of(phrase))) for phrase in (head, *rest.split(SEPARATOR))]
    if not divider or not all(phrases):
        raise ProfileError(f"profile: synonyms: line {number}: must be a head, {DIVIDER} and words that stand for it, with commas between")
    group = GROUP_SIGN + " ".join(words_of(head))
    return [(group, stems) for stems in phrases]
