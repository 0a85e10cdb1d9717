"""Clauses that end in a bare verb and say again, or deny, what was said before: "but they do", "the exercises did", "not anymore"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from attribution.answer import Answer
from attribution.lexicon.words import CONTRACTED_BEFORE_NOT
from attribution.model import Span
from attribution.text import words

_VERBS = words("does do did is are was were has have had can will would could")
_BEHIND = words("anymore now too either yet though actually still not")
_PRONOUNS = words("it he she they we there")
_PERSONS = words("it he she they we")
_COMPARING = words("than as if when what who which where how whether that because")
"""Words of a clause that only compares, supposes or asks: "more than it did"."""
_JOINING = words("but although though while and yet whereas")
_SPEAKING = words("says say said shows show states stated confirms confirmed lists")
_MOST_OF_SUBJECT, _REACH = 8, 40
"""The most words of a subject, and from a statement to the verb that goes on about it."""


class Resumed(NamedTuple):
    """A bare verb behind a statement: it affirms or denies, at a place, of the subject before it, which may be a pronoun."""

    is_yes: bool
    span: Span
    subject: range
    is_pronoun: bool

    def is_of_the_one_before(self, last: int, answer: Answer) -> bool:
        """Return True if the pronoun stands for the one told of before ``last``: not so in "he doesn't offer it, but she does"."""
        around = answer.places_around(last - 1, answer.sentence_at(answer.starts[last - 1]))
        said = _PERSONS.intersection(answer.words[around.start : last])
        pronoun = answer.words[self.subject.stop - 1]
        return pronoun in said or not (said or pronoun == "we")


def resumed_behind(last: int, answer: Answer) -> Iterator[Resumed]:
    """Yield the clauses behind a word that end in a bare verb: those of its sentence, and one that begins the next: "They do, and …"."""
    around = answer.places_around(last - 1, answer.sentence_at(answer.starts[last - 1]))
    for place in range(last, min(around.stop, last + _REACH)):
        found = _resumed_at(place, last, around.stop, answer)
        if found:
            yield found
    if answer.words[around.stop : around.stop + 1] and answer.words[around.stop] in _PRONOUNS:
        behind = answer.places_around(around.stop, answer.sentence_at(answer.starts[around.stop]))
        found = _resumed_at(behind.start + 1, behind.start, behind.stop, answer)
        if found:
            yield found


def _resumed_at(place: int, first: int, stop: int, answer: Answer) -> Resumed | None:
    """Return what a bare verb at a place says of the words between ``first`` and it, if its clause ends with it."""
    said = answer.words
    if place >= stop:
        return None
    is_contracted = said[place] in CONTRACTED_BEFORE_NOT and said[place + 1 : place + 2] == ["t"]
    if not (is_contracted or said[place] in _VERBS):
        return None
    is_denied = is_contracted or said[place + 1 : place + 2] == ["not"]
    end = place + 1 + is_contracted
    while end < stop and end not in answer.clause_starts and said[end] in _BEHIND:
        end += 1
    subject = _subject(place, first, answer)
    if (end < stop and end not in answer.clause_starts) or not subject or not _COMPARING.isdisjoint(said[subject.start : subject.stop]):
        return None
    return Resumed(not is_denied, answer.span(place, end - place), subject, said[place - 1] in _PRONOUNS)


def _subject(place: int, first: int, answer: Answer) -> range:
    """Return the words between the start of a clause and its verb; none where there are too many."""
    start = place
    while start > first and start not in answer.clause_starts and answer.words[start - 1] not in _JOINING:
        if answer.words[start - 1] == "that" and answer.words[start - 2] in _SPEAKING:
            break
        start -= 1
    return range(start, place) if place - start <= _MOST_OF_SUBJECT else range(place, place)
