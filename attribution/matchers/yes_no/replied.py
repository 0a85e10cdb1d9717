"""What an answer says of a yes-or-no field by replying to the user's question."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.answer import Answer
from attribution.dialogue import Exchange
from attribution.matchers.yes_no.stated import Statement
from attribution.matchers.yes_no.words import FORWARD_DENIALS
from attribution.subjects import Subject, Topic, Wording

_DENIED_WITHIN = 2


def statements_replied(answer: Answer, subject: Subject) -> list[Statement]:
    """The replies to questions that name the subject. Their spans are the words of the reply."""
    if answer.asked_stems.isdisjoint(subject.keys):
        return []
    return [statement for exchange in answer.exchanges if (statement := _statement(exchange, answer, subject))]


def _statement(exchange: Exchange, answer: Answer, subject: Subject) -> Statement | None:
    question, reply = exchange
    named = _named(subject, question.stems)
    if named is None:
        return None
    place, is_denied = named
    span = answer.span(reply.place, reply.stop - reply.place)
    is_affirmed = (reply.is_yes != is_denied) != subject.is_negated
    return Statement(is_affirmed, span, reply=answer.as_written(span), question=question.words[place])


def _named(subject: Subject, stems: Sequence[str]) -> tuple[int, bool] | None:
    """Return where a question names the subject, and whether it asks for the opposite; nothing where it does not."""
    for place, word in enumerate(stems):
        for wording in subject.complete.get(word, ()):
            if _stands(wording, place, stems):
                return place, wording.is_opposite
    places = [_place_of(topic, stems) for topic in subject.topics]
    if not places or any(place is None for place in places):
        return None
    first = min(place for place in places if place is not None)
    is_denied = any(stems[first] in topic.denied for topic in subject.topics)
    return first, is_denied or not FORWARD_DENIALS.isdisjoint(stems[max(0, first - _DENIED_WITHIN) : first])


def _place_of(topic: Topic, stems: Sequence[str]) -> int | None:
    for place, word in enumerate(stems):
        if word in topic.forms or any(_stands(wording, place, stems) for wording in topic.phrases.get(word, ())):
            return place
    return None


def _stands(wording: Wording, place: int, stems: Sequence[str]) -> bool:
    start = place - wording.offset
    return start >= 0 and list(stems[start : start + len(wording.stems)]) == wording.stems
