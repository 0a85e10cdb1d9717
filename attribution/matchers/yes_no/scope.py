"""Which words of a sentence belong to what it says of a mention."""

from __future__ import annotations

from attribution.answer import Answer
from attribution.matchers.yes_no.mentions import Mention
from attribution.matchers.yes_no.words import FORWARD_DENIALS, HARD_DIVIDERS, NOUNS_TOO, SOFT_DIVIDERS, SUBJECTS, VERBS

_BEGINNING = 2
"""Behind "and" at most, a part of a sentence of its own begins with who does something, whatever its verb is."""


def scope_of(mention: Mention, answer: Answer) -> range:
    """The words around a mention up to what divides it from other things said.

    A part without a verb shares that of its neighbours: those before it in "no pool, parking or wifi", else those behind it in
    "smoking and pets are not allowed".
    """
    limits = _limits(mention, answer)
    start, stop = _left(mention.place, limits, answer), _right(mention.stop, limits, answer)
    is_noun = stop == mention.stop + 1 and answer.words[mention.stop] in NOUNS_TOO
    if _says_something(range(start, mention.stop if is_noun else stop), answer):
        return range(start, stop)
    first = start
    while first > limits.start and not _has_verb(range(first, start), answer):
        first = _left(first - 1, limits, answer)
    if _has_verb(range(first, start), answer):
        return range(first, stop)
    while stop < limits.stop and not _has_verb(range(mention.stop, stop), answer):
        stop = _right(stop + 1, limits, answer)
    return range(first, stop)


def _limits(mention: Mention, answer: Answer) -> range:
    """The words of the sentence near a mention that no hard divider keeps from it."""
    around = answer.places_around(mention.place, answer.sentence_at(answer.starts[mention.place]))
    start, stop = mention.place, mention.stop
    brackets = "()" if "(" in answer.text else ""
    while start > around.start and answer.words[start - 1] not in HARD_DIVIDERS and not _has_sign(brackets, start, answer):
        start -= 1
    while stop < around.stop and answer.words[stop] not in HARD_DIVIDERS and not _has_sign(brackets, stop, answer):
        stop += 1
    return range(start, stop)


def _has_sign(signs: str, place: int, answer: Answer) -> bool:
    """Return True if one of the signs stands between a word and the one before it."""
    return bool(signs) and place > 0 and any(sign in signs for sign in answer.text[answer.word_end(place - 1) : answer.starts[place]])


def _left(place: int, limits: range, answer: Answer) -> int:
    """The first word of the part in which ``place`` stands."""
    while place > limits.start and not _divides(place, answer):
        place -= 1
    return place


def _right(place: int, limits: range, answer: Answer) -> int:
    """The word behind the part in which the word before ``place`` stands."""
    while place < limits.stop and not _divides(place, answer):
        place += 1
    return min(place, limits.stop)


def _divides(place: int, answer: Answer) -> bool:
    """Return True if a part begins at a word."""
    return answer.words[place] in SOFT_DIVIDERS or place in answer.clause_starts


def _says_something(part: range, answer: Answer) -> bool:
    has_subject = any(answer.words[place] in SUBJECTS for place in part[:_BEGINNING])
    return has_subject or _has_verb(part, answer) or any(answer.words[place] in FORWARD_DENIALS for place in part)


def _has_verb(part: range, answer: Answer) -> bool:
    return any(answer.stem_words[place] in VERBS for place in part)
