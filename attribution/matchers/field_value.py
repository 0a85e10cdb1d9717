"""Short texts of no particular kind: the whole phrase, or the phrase inflected; what some of them are in other words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attribution.answer import Answer
from attribution.lexicon.words import FREQUENCIES, STREET_TYPES
from attribution.matchers.address import find_address, is_address
from attribution.matchers.base import Hit, describe, evidence_of
from attribution.matchers.duration import match_quantity
from attribution.matchers.phrase import find_phrase, known_phrase
from attribution.matchers.rate import rate_of, rates_in
from attribution.model import Evidence, Field, FieldType
from attribution.profile import Profile
from attribution.remembering import remembered

Otherwise = Callable[[str, Field, Answer, Profile], Evidence | None]


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The value's words following each other; else what it is in other words."""
    hit = find_phrase(value, answer, "whole_phrase")
    if hit and not (len(hit.words) == 1 and hit.words[0] in STREET_TYPES and _ends_a_street(hit, answer)):
        return evidence_of(hit, FieldType.FIELD_VALUE, field, answer, profile)
    otherwise = _otherwise(value)
    return otherwise(value, field, answer, profile) if otherwise else None


def _ends_a_street(hit: Hit, answer: Answer) -> bool:
    """Return True if a word stands nowhere but behind the name of a street, both in capitals."""
    return all(place and _is_capital(place, answer) and _is_capital(place - 1, answer) for place in hit.places)


def _is_capital(place: int, answer: Answer) -> bool:
    return answer.text[answer.starts[place]].isupper()


@remembered
def _otherwise(value: str) -> Otherwise | None:
    """Return how else a value may be said: asked once for each."""
    if "_" in value:
        return _as_known
    if rate_of(value):
        return _as_rate
    if is_address(value):
        return _as_address
    return _as_often if value.strip().lower() in FREQUENCIES else None


def _as_known(value: str, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    return _evidence(known_phrase(value, answer, profile), field, answer, profile)


def _as_address(value: str, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    return _evidence(find_address(value, answer), field, answer, profile)


def _as_often(value: str, _: Field, answer: Answer, profile: Profile) -> Evidence | None:
    return match_quantity(value, FieldType.FIELD_VALUE, answer, profile)


def _as_rate(value: str, _: Field, answer: Answer, profile: Profile) -> Evidence | None:
    period, key = rate_of(value)
    spans = tuple([rate.span for rate in rates_in(answer, period) if rate.key == key and not rate.counted])
    if not spans:
        return None
    score = profile.score(FieldType.FIELD_VALUE, "rate")
    return Evidence(FieldType.FIELD_VALUE, "rate", score, spans, f"{describe(answer, spans[0])}; so often in a {period}")


def _evidence(hit: Hit | None, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    return evidence_of(hit, FieldType.FIELD_VALUE, field, answer, profile) if hit else None
