"""Finds the words of a value in the answer: as they are, or inflected."""

from __future__ import annotations

from typing import NamedTuple

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.matchers.base import Hit
from attribution.model import new
from attribution.remembering import remembered
from attribution.text import stem, words_of

_SHORTEST = 2
"""A value of one character never matches by its text alone."""


class Phrase(NamedTuple):
    """A value prepared for being found.

    ``first_stem`` and ``last_stem`` must stand in the answer; they are empty where the value can never match.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    first_stem: str
    last_stem: str
    can_inflect: bool


@remembered
def phrase_of(value: str) -> Phrase:
    """The words of a value, their stems, and whether any is long enough to be inflected."""
    words = words_of(value) if len(value.strip()) >= _SHORTEST else ()
    stems = tuple(map(stem, words))
    first, last = (stems[0], stems[-1]) if stems else ("", "")
    return Phrase(words, stems, first, last, any(len(word) > 3 and word.isalpha() for word in words))


def find_phrase(value: str, answer: Answer, rule: str) -> Hit | None:
    """The words of ``value`` following each other, whatever stands between them in punctuation.

    Failing that, the same words in another number or tense, "racing thought" for "racing thoughts", by the rule ``inflected``.
    """
    words, stems, first_stem, last_stem, can_inflect = phrase_of(value)
    if first_stem not in answer.stems or last_stem not in answer.stems:
        return None
    if len(words) == 1:
        return _find_word(words, first_stem, answer, rule, can_inflect=can_inflect)
    places = answer.find_stems(stems) if can_inflect else answer.find(words)
    if not places:
        return None
    count, wanted = len(words), list(words)
    exact = [place for place in places if answer.words[place : place + count] == wanted]
    return new(Hit, (rule, exact, words) if exact else ("inflected", places, words))


def _find_word(words: tuple[str, ...], its_stem: str, answer: Answer, rule: str, *, can_inflect: bool) -> Hit | None:
    exact = answer.places.get(words[0])
    if exact:
        return new(Hit, (rule, exact[:MOST_PLACES], words))
    return new(Hit, ("inflected", answer.stems[its_stem][:MOST_PLACES], words)) if can_inflect else None
