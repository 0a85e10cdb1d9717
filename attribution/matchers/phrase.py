"""Finds the words of a value in the answer: as they are, or inflected."""

from __future__ import annotations

import re
from typing import NamedTuple

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.matchers.base import Hit
from attribution.model import new
from attribution.profile import Profile
from attribution.remembering import remembered
from attribution.text import stem, words_of

_SHORTEST = 2
"""A value of one character never matches by its text alone."""

_HYPHENATED = re.compile(r"(?<![a-z])[a-z]{2,10}[-_][a-z]{2,10}(?![a-z])", re.ASCII)
_OVER = re.compile(r"(\d{2,3})/(\d{2,3})", re.ASCII)
"""A pressure: 120/80 is read as 120 over 80."""
_PARTICLE_VERB = re.compile(r"([a-z]{3,6})(up|out|off)|(check|drop|walk|log|break|sit)(in)", re.ASCII)
_PREFIXED = re.compile(r"(tele|self|non|pre|post|multi|psycho|anti|inter|semi)([a-z]{4,16})", re.ASCII)


class Phrase(NamedTuple):
    """A value prepared for being found.

    ``first_stem`` and ``last_stem`` must stand in the answer; they are empty where the value can never match. ``variants`` are other
    ways to write the same words: "and" for "&", one word for two joined by a hyphen.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    first_stem: str
    last_stem: str
    can_inflect: bool
    variants: tuple[tuple[str, ...], ...]


@remembered
def phrase_of(value: str) -> Phrase:
    """The words of a value, their stems, and whether any is long enough to be inflected."""
    words = words_of(value) if len(value.strip()) >= _SHORTEST else ()
    stems = tuple(map(stem, words))
    first, last = (stems[0], stems[-1]) if stems else ("", "")
    return Phrase(words, stems, first, last, any(len(word) > 3 and word.isalpha() for word in words), _variants(value, words))


def _variants(value: str, words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    found: list[tuple[str, ...]] = []
    if "&" in value:
        found.append(words_of(value.replace("&", " and ")))
    if over := _OVER.fullmatch(value.strip()):
        found.append((over[1], "over", over[2]))
    if "and" in words[1:-1]:
        found.append(tuple(word for word in words if word != "and"))
    lowered = value.lower()
    joined = [lowered.replace(pair, pair.replace("-", "").replace("_", "")) for pair in _HYPHENATED.findall(lowered)]
    found += map(words_of, joined)
    if len(words) == 1 and (parts := _PARTICLE_VERB.fullmatch(words[0]) or _PREFIXED.fullmatch(words[0])):
        found.append(tuple(filter(None, parts.groups())))
    return tuple([words for words in found if words])


def find_phrase(value: str, answer: Answer, rule: str) -> Hit | None:
    """The words of ``value`` following each other, whatever stands between them in punctuation.

    Failing that, the same words in another number or tense, "racing thought" for "racing thoughts", by the rule ``inflected``.
    """
    words, stems, first_stem, last_stem, can_inflect, variants = phrase_of(value)
    if first_stem not in answer.stems or last_stem not in answer.stems:
        return _find_variant(variants, answer) if variants else None
    if len(words) == 1:
        return _find_word(words, first_stem, answer, rule, can_inflect=can_inflect)
    places = answer.find_stems(stems) if can_inflect else answer.find(words)
    if not places:
        return _find_variant(variants, answer) if variants else None
    count, wanted = len(words), list(words)
    exact = [place for place in places if answer.words[place : place + count] == wanted]
    return new(Hit, (rule, exact, words) if exact else ("inflected", places, words))


def _find_word(words: tuple[str, ...], its_stem: str, answer: Answer, rule: str, *, can_inflect: bool) -> Hit | None:
    exact = answer.places.get(words[0])
    if exact:
        return new(Hit, (rule, exact[:MOST_PLACES], words))
    return new(Hit, ("inflected", answer.stems[its_stem][:MOST_PLACES], words)) if can_inflect else None


def _find_variant(variants: tuple[tuple[str, ...], ...], answer: Answer) -> Hit | None:
    for words in variants:
        places = answer.find_stems(tuple(map(stem, words)))
        if places:
            return new(Hit, ("written_otherwise", places, tuple(answer.words[places[0] : places[0] + len(words)])))
    return None


@remembered
def _known_as(value: str) -> str:
    """A value as the registry writes it."""
    return "_".join(words_of(value))


def known_phrase(value: str, answer: Answer, profile: Profile) -> Hit | None:
    """A phrase that the registry knows for a value: "face to face" for ``in_person``."""
    for words in profile.registry.value_phrases.get(_known_as(value), ()):
        places = answer.find(words)
        if places:
            return new(Hit, ("known_phrase", places, words))
    return None
