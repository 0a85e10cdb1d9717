"""Yes-or-no fields by what their name is about, with negation respected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attribution.answer import Answer
from attribution.lexicon import CONDITIONS, CONTRACTED_BEFORE_NOT, DIVIDERS, NEGATING_PREFIXES, NEGATIONS, WEAK_TOPICS
from attribution.matchers.base import describe
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.text import stem

_WEAK_STEMS = frozenset(map(stem, WEAK_TOPICS))


_REPLY = re.compile(r"[^.!?:;|–—(\n]{0,60}[:?|–—(-][\s*_|]{0,6}(yes\b|no\b(?!\s+\w))")
"""What follows a topic that is answered at once: "accepting new clients: no", "Does she take new clients? Yes, from May"."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What an answer says of a yes-or-no field, and where. ``reply`` is the yes or no of a topic that is answered at once."""

    is_affirmed: bool
    span: Span
    negation: str = ""
    reply: str = ""


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """A statement of the field's topic with the field's own polarity."""
    agreeing = [each for each in statements(field, answer, profile) if each.is_affirmed is value]
    if not agreeing:
        return None
    first = agreeing[0]
    rule = "answered" if first.reply else "stated" if value else "denied"
    because = f", answered ‘{first.reply}’" if first.reply else f", denied by ‘{first.negation}’" if first.negation else ""
    trace = describe(answer, first.span) + because
    spans = tuple(each.span for each in agreeing)
    return Evidence(FieldType.BOOLEAN, rule, profile.score(FieldType.BOOLEAN, rule), spans, trace)


def statements(field: Field, answer: Answer, profile: Profile) -> list[Statement]:
    """Where the answer states or denies what the field is about; questions and conditions state nothing."""
    topics = profile.registry.leaf_name(field.leaf).topics
    telling = {topic: words for topic, words in topics.items() if topic not in _WEAK_STEMS} or topics
    if not telling:
        return []
    found: list[Statement] = []
    for place in _topic_places(telling, answer):
        statement = _statement(place, list(telling.values()), answer)
        if statement and all(statement.span != other.span for other in found):
            found.append(statement)
    return found


def _topic_places(topics: Mapping[str, frozenset[str]], answer: Answer) -> list[int]:
    rarest = min(topics.values(), key=lambda words: sum(len(answer.stems.get(word, ())) for word in words))
    forms = [*rarest, *(f"{prefix}{word}" for prefix in NEGATING_PREFIXES for word in rarest)]
    return sorted(place for word in forms for place in answer.stems.get(word, ())[:64])[:64]


def _statement(place: int, topics: list[frozenset[str]], answer: Answer) -> Statement | None:
    sentence = answer.sentence_at(answer.starts[place])
    words = answer.places_around(place, sentence)
    stems = {answer.stem_words[each] for each in words}
    if not all(_is_mentioned(topic, stems) for topic in topics) or any(answer.words[each] in CONDITIONS for each in words):
        return None
    span = answer.span(place)
    if reply := _REPLY.match(answer.lowered, span[1]):
        return Statement(reply[1] == "yes", span, reply=reply[1])
    if answer.is_question(sentence):
        return None
    negation = _negation(place, topics, answer)
    return Statement(not negation, span, negation)


def _is_mentioned(topic: frozenset[str], stems: set[str]) -> bool:
    return not stems.isdisjoint(topic) or any(f"{prefix}{word}" in stems for prefix in NEGATING_PREFIXES for word in topic)


def _negation(place: int, topics: list[frozenset[str]], answer: Answer) -> str:
    """The word that denies what is said at ``place``: a negation in its clause, or the word itself with a negating prefix."""
    clause = answer.places_around(place, answer.clause_at(answer.starts[place]))
    negations = [each for each in _until_divided(place, clause, answer) if _negates(each, answer)]
    is_prefixed = answer.stem_words[place] in {f"{prefix}{word}" for prefix in NEGATING_PREFIXES for topic in topics for word in topic}
    if is_prefixed:
        return "" if negations else answer.words[place]
    return answer.words[negations[0]] if negations else ""


def _until_divided(place: int, clause: range, answer: Answer) -> range:
    """The part of a clause around ``place`` that no "but" or "and" divides from it."""
    start, stop = clause.start, clause.stop
    for each in clause:
        if answer.words[each] in DIVIDERS:
            start, stop = (each + 1, stop) if each < place else (start, min(stop, each))
    return range(start, stop)


def _negates(place: int, answer: Answer) -> bool:
    word = answer.words[place]
    return word in NEGATIONS or (word == "t" and place > 0 and answer.words[place - 1] in CONTRACTED_BEFORE_NOT)
