"""A value in other words: synonyms of the whole, its telling words near each other in any order, or another word in the place of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from attribution.assertion import AssertionKind
from attribution.comparison.standing import is_of_no_need
from attribution.comparison.turn import Turn
from attribution.model import Span
from attribution.schema.target import Target
from attribution.schema.terms import shipped_terms, stems_of
from attribution.text import stem, words, words_of

_MOST = 20
_FEWEST_WORDS, _MOST_WORDS = 2, 8
_BETWEEN = 4
_STEPS_OF_ONE = 8
_LONG = 8
_EMPTY = words("a an the of on in at for to by is and")
_ORDINALS = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "6": "sixth"}
_ADDED_TO_NAMES = frozenset(map(stem, ("disease", "syndrome", "congestive", "hemoglobin", "19")))
"""Words that a name is as clear without."""


class Worded(NamedTuple):
    """The places at which a value is asserted in other words, and those at which it is denied."""

    asserted: list[Span]
    denied: list[Span]


def other_words(target: Target, turn: Turn) -> Worded:
    """Return where a synonym of the value stands, else where its words stand near each other."""
    texts = texts_of(target.field.value)[:_MOST]
    if not turn.answer.affords(_STEPS_OF_ONE * len(texts)):
        return Worded([], [])
    known = shipped_terms().synonyms
    groups = dict.fromkeys([group for text in texts for group in known.get(stems_of(text.replace("_", " ")), ())])
    synonyms = turn.reading.synonyms
    if not any(group in synonyms for group in groups):
        for text in texts if not (groups and target.classes) else ():
            if span := _gathered(text, turn):
                return Worded([span], [])
        return Worded([], [])
    places = [place for group in groups for place in islice(synonyms.get(group, ()), _MOST)]
    spans = [turn.answer.span(first, last - first) for first, last in places]
    whole = [set(stems_of(text)) for text in texts] if spans else []
    its = [
        span
        for span in spans
        if not (turn.reading.is_stray(*turn.words_at(span), target) or turn.is_part_of_other(*turn.words_at(span), target))
        and not any(_is_less(set(stems_of(turn.answer.as_written(span))), each) for each in whole)
    ]
    denied = [] if target.name.is_negative else [span for span in its if _is_clearly_denied(span, turn)]
    return Worded([span for span in its if turn.kind_for(span, target) is AssertionKind.AFFIRMED], denied)


def _is_less(said: set[str], whole: set[str]) -> bool:
    """Return True if words are a part of a name and may be another's as well: nuts of tree nuts, but not Crohn's of Crohn's disease."""
    return said < whole and not whole - said <= _ADDED_TO_NAMES


def _is_clearly_denied(span: Span, turn: Turn) -> bool:
    """Return True if a synonym that is no everyday word is denied: "you don't have hypertension"."""
    written = turn.answer.as_written(span)
    if turn.assertion(span).kind is not AssertionKind.NEGATED or is_of_no_need(span, turn):
        return False
    return len(written) >= _LONG and not turn.are_common(*turn.words_at(span))


def texts_of(value: object) -> list[str]:
    """The texts of a value: the elements of a list, or itself."""
    elements = value if isinstance(value, list) else [value]
    return [each for each in elements if isinstance(each, str)]


def _gathered(text: str, turn: Turn) -> Span | None:
    """The words of a value near each other in one sentence, each itself or other words for it; figures also as they are written out."""
    telling, stop = words_of(text), turn.profile.vocabulary.stop
    ways: list[Sequence[int]] = []
    for word in telling:
        if word not in stop and word not in _EMPTY:
            ways.append(_places(word, turn))
            if not ways[-1] or len(ways) > _MOST_WORDS:
                return None
    figures = sum(word.isdigit() for word in telling)
    if len(ways) < _FEWEST_WORDS + figures or any(map(str.isdigit, text)) > figures or turn.profile.vocabulary.common.issuperset(telling):
        return None
    for place in min(ways, key=len):
        chosen = [min(each, key=lambda other: abs(other - place)) for each in ways]  # asked within the turn of the loop
        if span := _as_one(chosen, turn):
            return span
    return None


def _as_one(places: Sequence[int], turn: Turn) -> Span | None:
    first, last = min(places), max(places)
    sentence, answer = turn.reading.line.sentence, turn.answer
    if last - first > len(places) + _BETWEEN or len(set(places)) < len(places) or sentence[first] != sentence[last]:
        return None
    span = (answer.starts[first], answer.word_end(last))
    return span if turn.is_affirmed(span) else None


def _places(word: str, turn: Turn) -> Sequence[int]:
    """The places of a word, or of other words for it or for its adverb."""
    root = stem(word)
    if word.isdigit():
        written = [*turn.answer.places.get(word, []), *(place for place, _ in turn.answer.number_words.get(word, []))]
        return (written or turn.answer.places.get(_ORDINALS.get(word, ""), []))[:_MOST]
    if root in turn.answer.stems:
        return turn.answer.stems[root][:_MOST]
    known = shipped_terms().synonyms
    groups = known.get((root,)) or known.get((f"{root}ly",), [])
    return [first for group in groups for first, _ in islice(turn.reading.synonyms.get(group, ()), _MOST)]


# A value of several words said with another word in the place of one of them: "right deltoid" for "left deltoid".

_FEWEST_PARTS, _MOST_PARTS, _LONGEST = 2, 5, 60


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
    if not _FEWEST_PARTS <= len(words) <= _MOST_PARTS:
        return (), ()
    terms = shipped_terms()
    slots = []
    for place, word in enumerate(words):
        found = terms.values.get(stems_of(word), ()) if word.isalpha() else ()
        steps = tuple(each for each in found if terms.classes[each[0]].is_exclusive)
        if steps:
            slots.append(Slot(place, steps))
    return tuple(map(stem, words)), tuple(slots)
