"""Names of people and places: in full, without credentials, by title and surname."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from attribution.answer import Answer
from attribution.lexicon import CREDENTIALS, TITLES
from attribution.matchers.base import Hit, evidence_of
from attribution.model import Evidence, Field, FieldType
from attribution.profile import Profile
from attribution.text import words_of

_SHORTEST = 2
_PERSON_NAME = range(2, 5)


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The longest form of the name that stands in the answer."""
    text = str(value)
    for rule, forms in _forms(text):
        for words in forms:
            places = answer.find(words)
            if places:
                return evidence_of(Hit(rule, places, len(words)), FieldType.NAME, field, answer, profile)
    return None


@lru_cache(maxsize=4_096)
def _forms(text: str) -> list[tuple[str, list[tuple[str, ...]]]]:
    words = words_of(text)
    if len(text.strip()) < _SHORTEST or not words:
        return []
    bare = _without_credentials(words)
    forms: list[tuple[str, list[tuple[str, ...]]]] = [("full_name", [words])]
    if bare != words and len(bare) > 1:
        forms.append(("without_credentials", [bare]))
    if len(bare) in _PERSON_NAME or bare != words:
        forms.append(("title_and_surname", [(title, bare[-1]) for title in TITLES]))
    return forms


def _without_credentials(words: tuple[str, ...]) -> tuple[str, ...]:
    start, end = 0, len(words)
    while end - start > 1 and words[end - 1] in CREDENTIALS:
        end -= 1
    while end - start > 1 and words[start] in TITLES:
        start += 1
    return words[start:end]
