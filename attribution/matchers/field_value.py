"""Short texts of no particular kind: the whole phrase, or the phrase inflected, or as often in other words."""

from __future__ import annotations

from typing import Any

from attribution.answer import Answer
from attribution.matchers.address import find_address
from attribution.matchers.base import evidence_of
from attribution.matchers.duration import match_quantity
from attribution.matchers.phrase import find_phrase, known_phrase
from attribution.model import Evidence, Field, FieldType
from attribution.profile import Profile

_DIGITS = frozenset("0123456789")


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The value's words following each other; ``weekly`` in other words."""
    hit = find_phrase(value, answer, "whole_phrase")
    if hit is None:
        hit = known_phrase(value, answer, profile) if "_" in value else find_address(value, answer) if value[0] in _DIGITS else None
    if hit:
        return evidence_of(hit, FieldType.FIELD_VALUE, field, answer, profile)
    return match_quantity(value, FieldType.FIELD_VALUE, answer, profile) if value.endswith("ly") else None
