"""A value in other words: synonyms of the whole, or its telling words near each other in any order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from attribution.assertion import AssertionKind
from attribution.comparison.turn import Turn
from attribution.model import Span
from attribution.schema.target import Target
from attribution.schema.terms import shipped_terms, stems_of
from attribution.text import stem, words_of

_MOST = 20
_FEWEST_WORDS, _MOST_WORDS = 2, 8
_BETWEEN = 4
_STEPS_OF_ONE = 8
_LONG = 8
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
    if not groups:
        for text in texts:
            if span := _gathered(text, turn):
                return Worded([span], [])
        return Worded([], [])
    synonyms = turn.reading.synonyms
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
    if turn.assertion(span).kind is not AssertionKind.NEGATED or turn.is_of_no_need(span):
        return False
    return len(written) >= _LONG and not turn.are_common(*turn.words_at(span))


def texts_of(value: object) -> list[str]:
    """The texts of a value: the elements of a list, or itself."""
    elements = value if isinstance(value, list) else [value]
    return [each for each in elements if isinstance(each, str)]


def _gathered(text: str, turn: Turn) -> Span | None:
    """The words of a value near each other in one sentence, each itself or a single word for it; no value with figures is gathered."""
    telling, stop = words_of(text), turn.profile.vocabulary.stop
    ways: list[Sequence[int]] = []
    for word in telling:
        if word not in stop:
            ways.append(_places(word, turn))
            if not ways[-1] or len(ways) > _MOST_WORDS:
                return None
    if len(ways) < _FEWEST_WORDS or any(map(str.isdigit, text)) or turn.profile.vocabulary.common.issuperset(telling):
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
    """The places of a word, or of a single word for it."""
    root = stem(word)
    if root in turn.answer.stems:
        return turn.answer.stems[root][:_MOST]
    groups = shipped_terms().synonyms.get((root,), ())
    return groups and [
        first for group in groups for first, last in islice(turn.reading.synonyms.get(group, ()), _MOST) if last - first == 1
    ]
