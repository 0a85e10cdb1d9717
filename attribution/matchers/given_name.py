"""The given name of a person alone: "Teresa will come" for Teresa Nunez."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.lexicon.words import NO_GIVEN_NAMES, ROLES
from attribution.matchers.base import Hit
from attribution.remembering import remembered
from attribution.text import words_of

_SHORTEST = 3


def given_name(bare: Sequence[str]) -> str:
    """The first of several names, if it is one word of some length and nothing but a name; else nothing."""
    first = words_of(bare[0]) if len(bare) > 1 and not bare[0].endswith(",") else ()
    is_name = len(first) == 1 and len(first[0]) >= _SHORTEST and first[0].isalpha() and first[0] not in NO_GIVEN_NAMES
    return first[0] if is_name else ""


@remembered
def is_of_a_person(name: str) -> bool:
    """Return True if a field of this name, or called a name in a section of this name, holds that of a person."""
    return not ROLES.isdisjoint(words_of(name.replace("_", " ")))


def find_given(given: str, answer: Answer) -> Hit | None:
    """A given name written as one and not part of a longer name, which would be another's."""
    places = [place for place in answer.places[given][:MOST_PLACES] if _is_capital(place, answer) and not _is_part(place, answer)]
    return Hit("given_name", places, (given,)) if places else None


def _is_part(place: int, answer: Answer) -> bool:
    """Return True if another word in capitals stands at once before or behind a word, and does not begin the sentence."""
    if _is_joined(place + 1, answer) and _is_capital(place + 1, answer):
        return True
    return _is_joined(place, answer) and place - 1 not in answer.clause_starts and place > 1 and _is_capital(place - 1, answer)


def _is_joined(place: int, answer: Answer) -> bool:
    """Return True if only a space stands before a word."""
    return 0 < place < len(answer.words) and answer.text[answer.word_end(place - 1) : answer.starts[place]] == " "


def _is_capital(place: int, answer: Answer) -> bool:
    return answer.text[answer.starts[place]].isupper()
