"""Words and phrases that people use for one another: data, part of the profile, a group a line: ``anxiety ~ on edge, nervous``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from attribution.errors import ProfileError
from attribution.text import stem, words_of

COMMENT, DIVIDER, SEPARATOR = "#", "~", ","
GROUP_SIGN = "~"
"""What the key of a group begins with, so that it is never the key of a word."""

Stems = tuple[str, ...]


class Phrase(NamedTuple):
    """Words that stand for a group where they follow each other, and which of them they are looked for by: the longest."""

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
    phrases: Mapping[str, tuple[Phrase, ...]]
    members: Mapping[str, frozenset[str]]
    kin: Mapping[str, frozenset[str]]

    def groups_of(self, words: Sequence[str]) -> set[str]:
        """The groups that a text speaks of."""
        found = {group for word in words for group in self.groups.get(word, ())}
        return found.union(phrase.group for place, word in enumerate(words) for phrase in self.around(place, word, words))

    def around(self, place: int, word: str, words: Sequence[str]) -> list[Phrase]:
        """The phrases around a place at which ``word`` stands."""
        candidates = self.phrases.get(word)
        return [phrase for phrase in candidates if phrase.stands(place, words)] if candidates else []


def read_synonyms(lines: Iterable[str]) -> Synonyms:
    """The groups of a profile's data. Raises ``ProfileError`` for a line that is no group."""
    groups: dict[str, tuple[str, ...]] = {}
    phrases: dict[str, tuple[Phrase, ...]] = {}
    members: dict[str, set[str]] = {}
    for number, line in enumerate(lines, start=1):
        for group, stems in _read_line(line, number):
            offset = max(range(len(stems)), key=list(map(len, stems)).__getitem__)
            longest = stems[offset]
            members.setdefault(group, set()).add(longest)
            if len(stems) > 1:
                phrases[longest] = (*phrases.get(longest, ()), Phrase(stems, offset, group))
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
