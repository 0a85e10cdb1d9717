"""Dates, times, amounts and codes that no field and no word of the user explains, and the field that they are another value of.

The words around such a figure name the field; where they name none, it is the only field of its kind that the answer shows nothing
of. Of plain numbers only those count that stand beside the field's name or unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.contradiction.groups import Group, groups_of, meant_in, named_near, only_open, words_around
from attribution.contradiction.number_labels import label_of
from attribution.contradiction.recorded import Candidate, candidates_of, readings_of
from attribution.contradiction.rival import Rival
from attribution.contradiction.roles import TELLING
from attribution.contradiction.standing import is_stated
from attribution.contradiction.turn import Turn
from attribution.figures import MOST_PLACES, Figure, FigureKind
from attribution.lexicon import WEEKDAYS
from attribution.matchers.money import currencies_in, currency_at
from attribution.model import FieldType

_STATING = {
    FigureKind.DATE: FieldType.DATE,
    FigureKind.TIME: FieldType.TIME,
    FigureKind.MONEY: FieldType.MONEY,
    FigureKind.DIGITS: FieldType.IDENTIFIER,
}
"""The type of the fields that a figure states by itself."""


_PLAYING = frozenset({FigureKind.DATE, FigureKind.TIME})

Found = Iterator[tuple[int, Rival]]
"""Row numbers, each with another value of its field."""


def quantities(turn: Turn) -> Found:
    """Another value for each field that the answer states otherwise."""
    for figure in turn.figures:
        if figure.kind in _STATING:
            same_kind = candidates_of(turn.of(_STATING[figure.kind]), turn)
            if same_kind and not _is_known(figure, same_kind, turn) and not _is_of_a_number(figure, turn):
                yield from assigned(figure, same_kind, turn)


def _is_known(figure: Figure, same_kind: Sequence[Candidate], turn: Turn) -> bool:
    """Whether a field, any text of the context or the user's own words say the same."""
    readings = readings_of(figure, turn)
    agreeing = [each.number for each in same_kind if any(each.recorded.agrees(reading) for reading in readings)]
    if agreeing:
        return not all(_is_in_another_currency(figure, turn.rows[number].field.value, turn) for number in agreeing)
    return any((each.kind, each.key) in turn.known_figures or _is_the_users(each, turn) for each in readings)


def _is_of_a_number(figure: Figure, turn: Turn) -> bool:
    """Whether an amount stands beside the name of a field that is recorded as a plain number."""
    numeric = candidates_of(turn.of(FieldType.NUMERIC), turn) if figure.kind is FigureKind.MONEY else ()
    return any(label_of(figure, each, turn) for each in numeric)


def _is_in_another_currency(figure: Figure, value: object, turn: Turn) -> bool:
    """Whether both write a currency, and not the same: €120 is not $120."""
    currencies = currencies_in(str(value)) if figure.kind is FigureKind.MONEY else frozenset()
    return bool(currencies) and currency_at(figure.span, turn.answer) not in currencies


def _is_the_users(figure: Figure, turn: Turn) -> bool:
    if (figure.kind, figure.key) in turn.user_figures:
        return True
    if figure.kind is FigureKind.DATE and isinstance(figure.key, tuple):
        return (FigureKind.ORDINAL, str(figure.key[2])) in turn.user_figures
    return figure.kind is FigureKind.MONEY and (FigureKind.NUMBER, figure.key) in turn.user_figures


def assigned(figure: Figure, same_kind: Sequence[Candidate], turn: Turn) -> Found:
    """The figure as another value of the group that is meant, if it is stated and one is."""
    answer = turn.answer
    if not is_stated(figure.span, answer):
        return
    groups = groups_of([each.number for each in same_kind], turn)
    group, because = _meant(figure, groups, turn)
    if group:
        for number in meant_in(group.numbers, figure.span, turn):
            yield number, Rival(answer.as_written(figure.span), figure.span, because)


def _meant(figure: Figure, groups: Sequence[Group], turn: Turn) -> tuple[Group | None, str]:
    """The group that the words around a figure name; the one that nothing else can be meant by."""
    stops = _other_places(figure, turn)
    for choice in (groups, [each for each in groups if each.is_open]):
        named, word = named_near(figure.span, choice, stops, turn)
        if found := _one_of([each for each in named if each.is_open]):
            return found, f"label ‘{word}’"
    near = words_around(figure.span, stops, turn) if figure.kind in _PLAYING else ()
    telling = TELLING.intersection([turn.answer.stem_words[place] for place in near])
    only = only_open(groups, telling)
    if only and not (turn.is_of_the_record(figure.span, only.numbers) or not only.cues.isdisjoint(turn.answer.asked_stems)):
        return None, ""
    return only, f"no other {figure.kind} of the record is left to be meant"


def _one_of(groups: Sequence[Group]) -> Group | None:
    """Of several named alike the one of the departure: "returning at 3" is when a flight leaves."""
    if len(groups) > 1:
        groups = [each for each in groups if "departure" in each.leaf]
    return groups[0] if len(groups) == 1 else None


def _other_places(figure: Figure, turn: Turn) -> set[int]:
    """The words of other figures of the kind."""
    answer = turn.answer
    others = [each.span for each in answer.figures.all[: 2 * MOST_PLACES] if each.kind is figure.kind and each.span != figure.span]
    places = {place for span in others for place in answer.places_in(span)}
    if figure.kind is FigureKind.DATE:
        places.update([place for day in WEEKDAYS for place in answer.places.get(day, ()) if answer.starts[place] != figure.span[0]])
    return places
