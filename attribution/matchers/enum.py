"""Enumerated values: a whole word, or several with underscores and hyphens read as spaces, or a phrase known for the value."""

from __future__ import annotations

from typing import Any

from attribution.answer import Answer
from attribution.lexicon import CONNECTORS, CONTRACTED_BEFORE_NOT, NEGATIONS, NO_DENIAL_BEFORE
from attribution.matchers.base import Hit, evidence_of
from attribution.matchers.phrase import find_phrase, known_phrase
from attribution.model import Evidence, Field, FieldType
from attribution.profile import Profile

_DENIALS = NEGATIONS | {"t"}
_DENIAL_REACH = 4
_BETWEEN = CONNECTORS | {"very", "means", "particularly", "especially", "that", "so", "considered", "any"}


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The value as one of the words of the answer, where it is not denied."""
    hit = find_phrase(value, answer, "whole_word") or known_phrase(value, answer, profile)
    if hit and not answer.places.keys().isdisjoint(_DENIALS):
        hit = _not_denied(hit, field, answer, profile)
    return evidence_of(_with_separators(hit, value, answer), FieldType.ENUM, field, answer, profile) if hit else None


def _not_denied(hit: Hit, field: Field, answer: Answer, profile: Profile) -> Hit | None:
    """The places where nothing denies the value: "the risk is not high" draws on no high risk."""
    names = profile.registry.leaf_name(field.leaf).name_stems
    places = [place for place in hit.places if not _is_denied(place, names, answer)]
    return hit._replace(places=places) if places else None


def _is_denied(place: int, names: frozenset[str], answer: Answer) -> bool:
    """Whether a negation stands before a value, with only connecting words and the field's name between."""
    start = answer.clause_at(answer.starts[place])[0]
    for before in range(place - 1, max(-1, place - 1 - _DENIAL_REACH), -1):
        word = answer.words[before]
        if answer.starts[before] < start:
            return False
        if word in NEGATIONS or (word == "t" and before and answer.words[before - 1] in CONTRACTED_BEFORE_NOT):
            return answer.words[before + 1] not in NO_DENIAL_BEFORE
        if word not in _BETWEEN and answer.stem_words[before] not in names:
            return False
    return False


def _with_separators(hit: Hit, text: str, answer: Answer) -> Hit:
    """``in_person`` written "in person" is a rule of its own."""
    if hit.rule != "whole_word" or not ("_" in text or "-" in text):
        return hit
    wanted, count = text.strip().lower(), len(hit.words)
    is_as_written = any(answer.as_written(answer.span(place, count)).lower() == wanted for place in hit.places)
    return hit if is_as_written else hit._replace(rule="separated_words")
