"""Phrases of a value in the answer, as they are or inflected, and the evidence that they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.model import Evidence, Field, FieldType, Span, new
from attribution.profile import Profile
from attribution.remembering import remembered
from attribution.text import stem, words_of

Matcher = Callable[[Any, Field, Answer, Profile], Evidence | None]
"""Says where and by which rule an answer shows a value, or nothing. Pure. The value is the field's, or an element of its list."""

_UNNAMED = "; a common word, and nothing near it names the field"


class Hit(NamedTuple):
    """A phrase found: the rule that found it, the places of its first words, and the words looked for."""

    rule: str
    places: Sequence[int]
    words: tuple[str, ...]


def evidence_of(hit: Hit, method: FieldType, field: Field, answer: Answer, profile: Profile) -> Evidence:
    """The evidence of a phrase. Common words count in full only where something near them names the field."""
    rule, places, words = hit
    score = profile.score(method, rule)
    common, first, count = profile.vocabulary.common, places[0], len(words)
    if not (common.issuperset(words) or common.issuperset(answer.words[first : first + count])):
        return _evidence(method, rule, score, answer.spans(places, count), answer, "")
    for place in places:
        support = _support(place, count, field, answer, profile)
        if support:
            return _evidence(method, rule, score, (answer.span(place, count),), answer, f"; {support}")
    cap = profile.thresholds.common_word_cap
    unnamed = _evidence(method, rule, score, answer.spans(places, count), answer, _UNNAMED)
    return unnamed._replace(score=cap, uncapped_score=score) if cap < score else unnamed


def describe(answer: Answer, span: Span) -> str:
    """``‘elevated’ at 41–49``."""
    start, end = span
    return f"‘{answer.text[start:end]}’ at {start}–{end}"


def describe_all(answer: Answer, spans: Sequence[Span]) -> str:
    """The first span, and how many there are besides."""
    if len(spans) == 1:
        return describe(answer, spans[0])
    more = f", and {len(spans) - 1} more" if len(spans) < MOST_PLACES else ", and more"
    return describe(answer, spans[0]) + more


def _support(place: int, count: int, field: Field, answer: Answer, profile: Profile) -> str:
    """Return what near a common word tells that this field is meant: a label in its clause, or the heading it stands under."""
    label = answer.label_near(profile.registry.leaf_name(field.leaf).label_stems, place, count)
    if label:
        return str(label)
    heading = answer.heading_stems_at(answer.starts[place]) if answer.has_headings else None
    section = profile.registry.by_name.get(field.section) if heading else None
    return "under a heading of its section" if heading and section and heading & section.heading_stems else ""


def _evidence(method: FieldType, rule: str, score: float, spans: tuple[Span, ...], answer: Answer, because: str) -> Evidence:
    return new(Evidence, (method, rule, score, spans, describe_all(answer, spans) + because, 0.0, 0, 0))


_SHORTEST = 2
"""A value of one character never matches by its text alone."""

_SHORT_NOUN = len("dog")
"""The length of words whose plural is looked for as another way to write them: their stems would be other words'."""

_HYPHENATED = re.compile(r"(?<![a-z])[a-z]{2,10}[-_][a-z]{2,10}(?![a-z])", re.ASCII)
_OVER = re.compile(r"(\d{2,3})/(\d{2,3})", re.ASCII)
"""A pressure: 120/80 is read as 120 over 80."""
_PARTICLE_VERB = re.compile(r"([a-z]{3,6})(up|out|off)|(check|drop|walk|log|break|sit)(in)", re.ASCII)
_PREFIXED = re.compile(r"(tele|self|non|pre|post|multi|psycho|anti|inter|semi)([a-z]{4,16})", re.ASCII)


class Phrase(NamedTuple):
    """A value prepared for being found.

    ``first_stem`` and ``last_stem`` must be in the answer; they are empty where the value can never match. ``variants`` are other
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
    if len(value) == _SHORT_NOUN and value.isalpha() and value.islower():
        found.append((f"{value}s",))
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
