"""A value of several words said with another word in the place of one of them: "right deltoid" for "left deltoid"."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from attribution.comparison.turn import Turn
from attribution.model import Span
from attribution.schema.target import Target
from attribution.schema.terms import shipped_terms, stems_of
from attribution.text import stem, words_of

_FEWEST, _MOST, _LONGEST = 2, 5, 60


class Slot(NamedTuple):
    """The place of a word in a value that other words of its classes may take, and these classes with its step in each."""

    place: int
    steps: tuple[tuple[int, int], ...]


def other_word(target: Target, turn: Turn) -> tuple[Span, str] | None:
    """Return where the answer has the value with another word of the same class in it, asserted of the field's entity."""
    stems, slots = _slots(str(target.field.value)) if len(str(target.field.value)) <= _LONGEST else ((), ())
    for slot in slots:
        for first in _places_of_rest(stems, slot.place, turn):
            span = turn.answer.span(first, len(stems))
            given_up = _given_up(turn.answer.words[first + slot.place], slot)
            if not given_up or _is_said_near(given_up, first, turn) or turn.reading.is_stray(first, first + 1, target):
                continue
            if turn.is_affirmed(span) and not turn.is_known(span):
                return span, "differs in one word"
    return None


def _places_of_rest(stems: tuple[str, ...], slot: int, turn: Turn) -> Iterator[int]:
    """Return where the value may begin: all its words but the one are there in their order."""
    said, anchor = turn.answer.stem_words, 1 if slot == 0 else 0
    found = turn.answer.stems.get(stems[anchor], ())
    for place in found if turn.answer.affords(len(found)) else ():
        first = place - anchor
        its = said[first : first + len(stems)] if first >= 0 else []
        if len(its) == len(stems) and all(
            one == other for number, (one, other) in enumerate(zip(its, stems, strict=True)) if number != slot
        ):
            yield first


def _given_up(word: str, slot: Slot) -> AbstractSet[tuple[int, int]]:
    """Return the steps of the value that another word in its place does not have."""
    steps = dict(slot.steps)
    said = shipped_terms().values.get(stems_of(word), ())
    return {(entry, steps[entry]) for entry, step in said if entry in steps and step != steps[entry]}


def _is_said_near(steps: AbstractSet[tuple[int, int]], place: int, turn: Turn) -> bool:
    """Return True if a sentence has the value's own word in another form: "extended-release" for the ER of a medicine."""
    sentence = turn.reading.line.sentence
    here = [hit for hit in turn.reading.hits if sentence[hit.first] == sentence[place]]
    return any((int(entry), step) in steps for hit in here for entry, step in hit.meaning.values)


@lru_cache(maxsize=8_192)
def _slots(value: str) -> tuple[tuple[str, ...], tuple[Slot, ...]]:
    words = words_of(value.replace("_", " "))
    if not _FEWEST <= len(words) <= _MOST:
        return (), ()
    terms = shipped_terms()
    slots = []
    for place, word in enumerate(words):
        found = terms.values.get(stems_of(word), ()) if word.isalpha() else ()
        steps = tuple(each for each in found if terms.classes[each[0]].is_exclusive)
        if steps:
            slots.append(Slot(place, steps))
    return tuple(map(stem, words)), tuple(slots)
