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
_COMPARING = words("than as if when what who which where how whether that because")
"""Words of a clause that only compares, supposes or asks: "more than it did"."""
_JOINING = words("but although though while and yet whereas")
_MOST_OF_SUBJECT = 8


class Resumed(NamedTuple):
    """Whether a bare verb affirms, where it stands, the words before it that are its subject, and whether they are a pronoun."""

    is_yes: bool
    span: Span
    subject: range
    is_pronoun: bool


def resumed_behind(last: int, answer: Answer) -> Iterator[Resumed]:
    """Yield the clauses behind a word, in its sentence, that end in a bare verb."""
    said = answer.words
    around = answer.places_around(last - 1, answer.sentence_at(answer.starts[last - 1]))
    for place in range(last, around.stop):
        is_contracted = said[place] in CONTRACTED_BEFORE_NOT and said[place + 1 : place + 2] == ["t"]
        if not (is_contracted or said[place] in _VERBS):
            continue
        is_denied = is_contracted or said[place + 1 : place + 2] == ["not"]
        end = place + 1 + is_contracted
        while end < around.stop and end not in answer.clause_starts and said[end] in _BEHIND:
            end += 1
        subject = _subject(place, last, answer)
        if (end < around.stop and end not in answer.clause_starts) or not subject:
            continue
        if _COMPARING.isdisjoint(said[subject.start : subject.stop]):
            yield Resumed(not is_denied, answer.span(place, end - place), subject, said[place - 1] in _PRONOUNS)


def _subject(place: int, first: int, answer: Answer) -> range:
    """Return the words between the start of a clause and its verb; none where there are too many."""
    start = place
    while start > first and start not in answer.clause_starts and answer.words[start - 1] not in _JOINING:
        start -= 1
    return range(start, place) if place - start <= _MOST_OF_SUBJECT else range(place, place)
