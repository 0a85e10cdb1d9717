"""Another duration than the record's: "60 minutes" where a session takes 50.

It counts beside the field's name, or behind a word that makes it a duration where no other duration is on record. "In two weeks" and
"two weeks ago" are no durations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attribution.contradiction.groups import groups_of, meant_in, only_open
from attribution.contradiction.rival import Rival
from attribution.contradiction.standing import first_place, is_stated
from attribution.contradiction.turn import Turn
from attribution.figures import MOST_PLACES, FigureKind
from attribution.lexicon import NUMBER_WORDS
from attribution.model import FieldType, Span
from attribution.remembering import remembered
from attribution.text import stem, words_of
from attribution.word_classes import words

_MINUTES = {
    "minute": 1,
    "min": 1,
    "hour": 60,
    "hr": 60,
    "day": 1440,
    "week": 10080,
    "wk": 10080,
    "month": 43200,
    "year": 525600,
    "yr": 525600,
}
_BY_STEM = {stem(unit): minutes for unit, minutes in _MINUTES.items()} | {f"{unit}s": minutes for unit, minutes in _MINUTES.items()}
_VALUE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)[\s-]*([a-z]+)", re.ASCII)
_MOST_ROWS = 200
_LONG = 1440
_LASTING = words("takes take took lasts last lasted lasting runs ran")
_LAPSING = words("ago later earlier before after from notice old advance")
_REACH = 8


def durations(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Another duration for each field that is meant."""
    values = {number: str(turn.rows[number].field.value) for number in turn.of(FieldType.DURATION)[:_MOST_ROWS]}
    recorded = {number: minutes for number, value in values.items() if (minutes := minutes_of(value))}
    for span, minutes in _stated(turn) if recorded else ():
        if minutes not in recorded.values() and not turn.covers(span[0]) and is_stated(span, turn.answer):
            alike = [number for number, own in recorded.items() if (own < _LONG) is (minutes < _LONG)]
            yield from _assigned(span, alike, turn)


@remembered
def minutes_of(value: str) -> float:
    """How many minutes a value writes; nothing where it is not one number and a unit of time."""
    found = _VALUE.fullmatch(value.strip().lower())
    if found:
        return float(found[1]) * _minutes_in(found[2])
    first, *rest = words_of(value) or ("",)
    return float(NUMBER_WORDS.get(first, 0)) * _minutes_in(rest[0]) if len(rest) == 1 else 0.0


def _minutes_in(unit: str) -> int:
    return _BY_STEM.get(unit, _BY_STEM.get(stem(unit), 0))


def _stated(turn: Turn) -> Iterator[tuple[Span, float]]:
    """The durations of the answer: a number directly before a unit of time."""
    answer = turn.answer
    numbers = [(each.span, float(str(each.key))) for each in answer.figures.all[: 2 * MOST_PLACES] if each.kind is FigureKind.NUMBER]
    for key, places in answer.number_words.items():
        numbers += [(answer.span(place, count), float(key)) for place, count in places]
    for span, number in numbers:
        behind = answer.place_at(span[1] - 1) + 1
        unit = _minutes_in(answer.words[behind]) if behind < len(answer.words) else 0
        if unit and _LAPSING.isdisjoint(answer.words[behind + 1 : behind + 3]):
            yield (span[0], answer.word_end(behind)), number * unit


def _assigned(span: Span, numbers: list[int], turn: Turn) -> Iterator[tuple[int, Rival]]:
    answer = turn.answer
    place = first_place(span, answer)
    count = len(answer.places_in(span))
    groups = [each for each in groups_of(numbers, turn) if each.is_open]
    for group in groups:
        label = answer.label_near(group.cues, place, count, _REACH)
        lasts = (
            only_open(groups, ()) is group and turn.is_of_the_record(span, group.numbers) and place and answer.words[place - 1] in _LASTING
        )
        if label or lasts:
            because = str(label) if label else f"behind ‘{answer.words[place - 1]}’"
            yield from [(number, Rival(answer.as_written(span), span, because)) for number in meant_in(group.numbers, span, turn)]
