"""Whether a value is stated: not asked, not supposed, not denied, not a bound."""

from __future__ import annotations

from attribution.answer import Answer
from attribution.contradiction.words import ASKING, CONFIRMING, MODALS, OFFERING
from attribution.lexicon.words import CONDITIONS, CONTRACTED_BEFORE_NOT, NEGATIONS, REPLACED
from attribution.model import Span

_REACH = 40
_DENIAL_REACH = 3
_MODAL_REACH = 3


def first_place(span: Span, answer: Answer) -> int:
    """The first word of a span; a currency sign before it is none, and where the span begins inside a word it is that word."""
    places = answer.places_in(span)
    return places.start if places else answer.place_at(span[0])


def is_asked(sentence: Span, answer: Answer) -> bool:
    """Return True if a sentence only asks. One that says over what is to be booked or confirmed, or offers it, states its values."""
    if not answer.is_question(sentence):
        return False
    places = answer.places_in(sentence)
    if not places or answer.words[places.start] not in ASKING:
        return False
    return not _offers(places.start, answer) and CONFIRMING.isdisjoint(answer.stem_words[places.start : places.stop])


def _offers(first: int, answer: Answer) -> bool:
    begins = answer.words[first : first + 4]
    return any(begins[: len(words)] == list(words) for words in OFFERING)


def is_supposed(span: Span, answer: Answer) -> bool:
    """Return True if a condition stands before a value in its clause, or a possibility directly before it."""
    place = first_place(span, answer)
    before = answer.places_around(place, answer.clause_at(span[0]), _REACH)
    if any(answer.words[each] in CONDITIONS for each in before if each < place):
        return True
    return not MODALS.isdisjoint(answer.words[max(0, place - _MODAL_REACH) : place])


def is_denied(span: Span, answer: Answer) -> bool:
    """Return True if a negation stands directly before a value."""
    place = first_place(span, answer)
    return any(_denies(each, answer) for each in range(max(0, place - _DENIAL_REACH), place))


def _denies(place: int, answer: Answer) -> bool:
    word = answer.words[place]
    if word in NEGATIONS or word in REPLACED:
        return True
    return word in CONTRACTED_BEFORE_NOT and answer.words[place + 1 : place + 2] == ["t"]
