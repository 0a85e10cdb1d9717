"""Dates, times, amounts and codes that no field and no word of the user explains: whose other value are they?

The words around such a figure name the field; where they name none, it is the only field of its kind that the answer shows nothing
of. Of plain numbers only those count that stand beside the field's name or unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attribution.contradiction.groups import Group, groups_of, meant_by_name, only_open
from attribution.contradiction.recorded import Recorded, is_comparable, recorded_in
from attribution.contradiction.rival import Rival
from attribution.contradiction.standing import is_asked, is_bound, is_denied, is_supposed
from attribution.contradiction.turn import Turn
from attribution.figures import MOST_PLACES, Figure, FigureKind

_ASSIGNED = frozenset({FigureKind.DATE, FigureKind.TIME, FigureKind.MONEY, FigureKind.DIGITS})

Found = Iterator[tuple[int, Rival]]
"""Row numbers, each with another value of its field."""


class Candidate(NamedTuple):
    """A row that figures may state."""

    number: int
    recorded: Recorded


def quantities(turn: Turn) -> Found:
    """Another value for each field that the answer states otherwise."""
    figures = [each for each in _first_readings(turn) if each.kind in _ASSIGNED and not turn.is_explained(each.span)]
    if not figures:
        return
    candidates = candidates_of(turn)
    for figure in figures:
        same_kind = [each for each in candidates if is_comparable(figure, each.recorded)]
        if same_kind and not _is_known(figure, same_kind, turn):
            yield from _assigned(figure, same_kind, turn)


def candidates_of(turn: Turn) -> list[Candidate]:
    """The rows whose values figures state; those of hidden sections are not compared."""
    rows = [(number, row.field) for number, row in enumerate(turn.rows) if not row.field.is_hidden]
    return [Candidate(number, recorded) for number, field in rows if (recorded := recorded_in(field))]


def _first_readings(turn: Turn) -> list[Figure]:
    figures = turn.answer.figures.all[: 2 * MOST_PLACES]
    return [each for number, each in enumerate(figures) if not number or figures[number - 1].span != each.span]


def readings_of(figure: Figure, turn: Turn) -> list[Figure]:
    """All that a figure may be read as."""
    return turn.answer.figures_in(figure.span[0], figure.span[0] + 1)


def _is_known(figure: Figure, same_kind: Sequence[Candidate], turn: Turn) -> bool:
    """Whether a field, any text of the context or the user's own words say the same."""
    readings = readings_of(figure, turn)
    if any(each.recorded.agrees(reading) for each in same_kind for reading in readings):
        return True
    return any((each.kind, each.key) in turn.known_figures or _is_the_users(each, turn) for each in readings)


def _is_the_users(figure: Figure, turn: Turn) -> bool:
    if (figure.kind, figure.key) in turn.user_figures:
        return True
    if figure.kind is FigureKind.DATE and isinstance(figure.key, tuple):
        return (FigureKind.ORDINAL, str(figure.key[2])) in turn.user_figures
    return figure.kind is FigureKind.MONEY and (FigureKind.NUMBER, figure.key) in turn.user_figures


def _assigned(figure: Figure, same_kind: Sequence[Candidate], turn: Turn) -> Found:
    answer = turn.answer
    sentence = answer.sentence_at(figure.span[0])
    if is_asked(sentence, answer) or is_supposed(figure.span, sentence, answer) or is_denied(figure.span, answer) or is_bound(figure.span, answer):
        return
    groups = groups_of([each.number for each in same_kind], turn)
    group, because = _meant(figure, groups, turn)
    if group:
        for number in group.numbers:
            yield number, Rival(answer.as_written(figure.span), figure.span, because)


def _meant(figure: Figure, groups: Sequence[Group], turn: Turn) -> tuple[Group | None, str]:
    others = {place for each in turn.answer.figures.all[: 2 * MOST_PLACES] if each.kind is figure.kind and each.span != figure.span for place in turn.answer.places_in(each.span)}
    named, word = meant_by_name(figure.span, groups, others, turn)
    open_ones = [each for each in named if each.is_open]
    if len(open_ones) == 1:
        return open_ones[0], f"label ‘{word}’"
    if not named and (only := only_open(groups)):
        return only, f"the only {figure.kind} that the answer does not show otherwise"
    return None, ""
