"""Whether a sentence states anything of what it mentions: questions, conditions, wishes and names of other things do not."""

from __future__ import annotations

from attribution.answer import Answer
from attribution.matchers.yes_no.mentions import Mention
from attribution.matchers.yes_no.words import (
    ABOUT,
    ASKING,
    CHECKING,
    CONDITIONS,
    OTHER_HEADS,
    POSSIBLE,
    REQUESTING,
    SEEKING_ASSENT,
    SOFT_DIVIDERS,
    WANTING,
    YES_WORDS,
)
from attribution.model import Span

_NEAR = 3


def states(mention: Mention, scope: range, answer: Answer) -> bool:
    """Return True if what is said in ``scope`` is said to be so, or not to be so."""
    return not (
        _names_another_thing(mention, answer)
        or _is_open(mention, scope, answer)
        or _is_asked(mention, answer.sentence_at(answer.starts[mention.place]), answer)
    )


def _names_another_thing(mention: Mention, answer: Answer) -> bool:
    behind = mention.stop
    return (
        behind < len(answer.words) and answer.stem_words[behind] in OTHER_HEADS and answer.starts[behind] - answer.word_end(behind - 1) == 1
    )


def _is_open(mention: Mention, scope: range, answer: Answer) -> bool:
    """Return True if a condition, a wish, a possibility or a request to check leads to the mention."""
    clause = answer.places_around(mention.place, answer.clause_at(answer.starts[mention.place]))
    words = answer.words
    if any(words[place] in CONDITIONS for place in range(min(clause.start, scope.start), mention.place)):
        return True
    if any(words[place] in ABOUT for place in range(max(scope.start, mention.place - _NEAR), mention.place)):
        return True
    return any(words[place] in POSSIBLE for place in scope) or any(
        _wants(place, scope, answer) for place in range(scope.start, mention.place)
    )


def _wants(place: int, scope: range, answer: Answer) -> bool:
    word = answer.words[place]
    if word == "confirm":
        return place == scope.start or answer.words[place - 1] in REQUESTING
    if word == "let":
        return answer.words[place + 1] == "me"
    return word in CHECKING or word in WANTING


def _is_asked(mention: Mention, sentence: Span, answer: Answer) -> bool:
    """Return True if a question asks about the mention. "It has wifi, would you like it?" states it first."""
    if not answer.is_question(sentence):
        return False
    words = answer.places_around(mention.place, sentence)
    if not words or answer.words[words.start] in YES_WORDS or _has_instance(mention, words, answer):
        return False
    asking = [place for place in words if answer.words[place] in ASKING and _begins(place, words, answer)]
    later = [place for place in asking if place > mention.place]
    if not later or asking[0] < mention.place:
        return True
    return not SEEKING_ASSENT.isdisjoint(answer.words[later[0] : words.stop])


def _has_instance(mention: Mention, words: range, answer: Answer) -> bool:
    """Return True if a question names behind a mention what has it: "Do you want a therapist with evening hours, such as Dr. Ade?"."""
    for place in range(mention.stop, words.stop - 1):
        word, behind = answer.words[place], place + 1
        if (word == "like" or answer.words[place : place + 2] == ["such", "as"]) and behind < words.stop:
            named = behind + (word == "such")
            return named < words.stop and answer.text[answer.starts[named]].isupper()
    return False


def _begins(place: int, words: range, answer: Answer) -> bool:
    """Return True if a word begins a sentence, a clause or what "and" joins to it."""
    return place == words.start or place in answer.clause_starts or answer.words[place - 1] in SOFT_DIVIDERS
