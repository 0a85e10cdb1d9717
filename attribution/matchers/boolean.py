"""Yes-or-no fields by what their name is about, with negation respected."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.lexicon import (
    CONDITIONS,
    CONTRACTED_BEFORE_NOT,
    DENIAL_AFTER_ALL,
    DIVIDERS,
    NEGATIONS,
    NO_DENIAL_BEFORE,
    STOPPING,
)
from attribution.matchers.base import describe
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.registry import Topic
from attribution.text import stem

_REPLY = re.compile(r"[^.!?:;|–—(\n]{0,60}[:?|–—(-][\s*_|]{0,6}(yes\b|no\b(?!\s+\w))")
"""What follows a topic that is answered at once: "accepting new clients: no", "Does she take new clients? Yes, from May"."""

_STOPPING_STEMS = frozenset(map(stem, STOPPING))
_STOPPING_REACH = 3


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
    found: list[Statement] = []
    for place in _topic_places(topics, answer):
        statement = _statement(place, topics, answer)
        if statement and all(statement.span != other.span for other in found):
            found.append(statement)
    return found


def _topic_places(topics: Sequence[Topic], answer: Answer) -> list[int]:
    """The places of the topic that the answer speaks of least; none where it does not speak of all."""
    stems = answer.stems
    fewest: list[int] | None = None
    for topic in topics:
        places = [place for word in stems.keys() & topic.forms for place in stems[word][:MOST_PLACES]]
        if not places:
            return []
        fewest = places if fewest is None or len(places) < len(fewest) else fewest
    return sorted(fewest or [])[:MOST_PLACES]


def _statement(place: int, topics: Sequence[Topic], answer: Answer) -> Statement | None:
    sentence = answer.sentence_at(answer.starts[place])
    words = answer.places_around(place, sentence)
    stems = {answer.stem_words[each] for each in words}
    if any(stems.isdisjoint(topic.forms) for topic in topics) or any(answer.words[each] in CONDITIONS for each in words):
        return None
    span = answer.span(place)
    if reply := _REPLY.match(answer.lowered, span[1]):
        return Statement(reply[1] == "yes", span, reply=reply[1])
    if answer.is_question(sentence) or (not stems.isdisjoint(_STOPPING_STEMS) and _is_stopped(place, topics, answer)):
        return None
    negation = _negation(place, topics, answer)
    return Statement(not negation, span, negation)


def _is_stopped(place: int, topics: Sequence[Topic], answer: Answer) -> bool:
    """Whether a verb that ends something leads to ``place``, denied or directly before it: "has not stopped taking"."""
    clause = _until_divided(place, answer.places_around(place, answer.clause_at(answer.starts[place])), answer)
    for each in range(clause.start, place):
        word = answer.stem_words[each]
        if word in _STOPPING_STEMS and not any(word in topic.forms for topic in topics):
            before = range(max(clause.start, each - _STOPPING_REACH), each)
            if each == place - 1 or any(_negates(other, answer) for other in before):
                return True
    return False


def _negation(place: int, topics: Sequence[Topic], answer: Answer) -> str:
    """The word that denies what is said at ``place``: a negation in its clause, or the word itself with a negating prefix."""
    clause = answer.places_around(place, answer.clause_at(answer.starts[place]))
    negations = [each for each in _until_divided(place, clause, answer) if _negates(each, answer)]
    if any(answer.stem_words[place] in topic.denied for topic in topics):
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
    is_negation = word in NEGATIONS or (word == "t" and place > 0 and answer.words[place - 1] in CONTRACTED_BEFORE_NOT)
    return is_negation and not _announces_more(answer.words[place + 1 : place + 3])


def _announces_more(following: Sequence[str]) -> bool:
    """Whether what follows a negation makes it none: "not only", but not "not just yet"."""
    return bool(following) and following[0] in NO_DENIAL_BEFORE and DENIAL_AFTER_ALL.isdisjoint(following)
