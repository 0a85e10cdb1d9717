"""What matchers share: the shape of a matcher, and the rule for words that are too common to mean a field by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.model import Evidence, Field, FieldType, Span, new
from attribution.profile import Profile

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
