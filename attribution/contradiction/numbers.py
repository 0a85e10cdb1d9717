"""Plain numbers and shares beside the field's name or its unit: "3 bedrooms", "a rating of 4.1", "a table for two".

A number says nothing by itself: there are too many things to count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.contradiction.groups import meant_in
from attribution.contradiction.number_labels import (
    IN_WORDS,
    PEOPLE,
    RATING,
    REACH_BEFORE,
    label_of,
    name_before,
    unit_behind,
    unsaid_words,
)
from attribution.contradiction.recorded import Candidate, candidates_of, is_comparable, readings_of
from attribution.contradiction.rival import Rival
from attribution.contradiction.standing import first_place, is_stated
from attribution.contradiction.turn import Turn
from attribution.contradiction.words import PAYABLE
from attribution.figures import Figure, FigureKind
from attribution.model import FieldType
from attribution.word_classes import words

_FOR = frozenset({"for"})
_PLAIN = (FigureKind.NUMBER, FigureKind.PERCENT, FigureKind.MONEY)
_ONE = "1"
_HAVING = words("is are was were has have had with includes include including only just for needs need offers gets get s ve")
"""Words before "one" with which it counts what there is, and is no "one of these"."""


def numbers(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Another number for each field that the answer names beside it."""
    if not (turn.answer.number_words or any(each.kind in _PLAIN for each in turn.figures)):
        return
    rows = [*turn.of(FieldType.NUMERIC), *turn.of(FieldType.MONEY)]
    if not rows:
        return
    labels: frozenset[str] = frozenset().union(*[_labels(each, turn) for each in rows])
    for figure in _figures(labels, turn):
        turn.answer.steps += len(rows) // 2
        if turn.answer.is_spent:
            return
        near = _near(figure, turn)
        candidates = candidates_of(
            [each for each in rows if not _labels(each, turn).isdisjoint(near) or _is_rating(figure, each, turn)], turn
        )
        named = [(each, label) for each in candidates if (label := label_of(figure, each, turn))]
        named = _named_best(figure, named, turn) if named else named
        if named and not any(_agrees(figure, each, turn) for each, _ in named) and is_stated(figure.span, turn.answer):
            for each, label in named:
                if _is_free(figure, each.number, turn):
                    yield each.number, Rival(_shown(figure, turn), figure.span, f"label ‘{label}’")


def _labels(number: int, turn: Turn) -> frozenset[str]:
    """The stems of the words that name a row's field beside a number."""
    name = turn.name(number)
    if turn.rows[number][0][3] is FieldType.MONEY:
        return name.label_stems | PAYABLE
    return name.label_stems | _FOR if PEOPLE in name.label_stems else name.label_stems


def _figures(labels: frozenset[str], turn: Turn) -> Iterator[Figure]:
    """The numbers with a label near that no evidence covers, in figures and in words."""
    answer = turn.answer
    for figure in turn.figures:
        if figure.kind in _PLAIN and _is_near(labels, figure, turn):
            yield figure
    stems = answer.stem_words
    for key, places in answer.number_words.items():
        for place, count in places:
            near = stems[max(0, place - 1) : place] + stems[place + count : place + count + 2]
            if not (labels.isdisjoint(near) or turn.covers(answer.starts[place])):
                yield Figure(FigureKind.NUMBER, key, answer.span(place, count), IN_WORDS)


def _is_near(labels: frozenset[str], figure: Figure, turn: Turn) -> bool:
    """Whether any label stands among the words near a figure, or the figure may be a rating."""
    return not labels.isdisjoint(_near(figure, turn)) or (RATING in labels and "." in str(figure.key))


def _near(figure: Figure, turn: Turn) -> list[str]:
    """The stems of the words among which a label may stand."""
    first, last = first_place(figure.span, turn.answer), turn.answer.place_at(figure.span[1] - 1)
    stems = turn.answer.stem_words
    return stems[max(0, first - REACH_BEFORE) : first] + stems[last + 1 : last + 4]


def _is_rating(figure: Figure, number: int, turn: Turn) -> bool:
    return "." in str(figure.key) and RATING in turn.name(number).name_stems


def _named_best(figure: Figure, named: Sequence[tuple[Candidate, str]], turn: Turn) -> list[tuple[Candidate, str]]:
    """Those of whose name the sentence leaves least unsaid: ``balance`` before ``minimum_balance``.

    A number that another field records says nothing against one of which part of the name is unsaid: two tickets are not 38 left.
    """
    unsaid = [unsaid_words(each.number, figure.span, turn) for each, _ in named]
    if figure.detail == IN_WORDS and figure.key == _ONE and not _is_had(figure, turn):
        return []
    if min(unsaid)[0] and (figure.kind, figure.key) in turn.known_figures:
        return []
    first = turn.rows[named[0][0].number].field.leaf
    if all(turn.rows[each.number].field.leaf == first for each, _ in named):
        meant = meant_in([each.number for each, _ in named], figure.span, turn)
        return [(each, label) for each, label in named if each.number in meant]
    return [pair for pair, count in zip(named, unsaid, strict=True) if count == min(unsaid)]


def _is_had(figure: Figure, turn: Turn) -> bool:
    """Whether "one" stands where a clause begins or behind a word that says what there is."""
    place = first_place(figure.span, turn.answer)
    return not place or place in turn.answer.clause_starts or turn.answer.words[place - 1] in _HAVING


def _agrees(figure: Figure, candidate: Candidate, turn: Turn) -> bool:
    readings = readings_of(figure, turn)
    return figure.key in candidate.recorded.keys or any(
        candidate.recorded.agrees(each) for each in readings if is_comparable(each, candidate.recorded)
    )


def _is_free(figure: Figure, number: int, turn: Turn) -> bool:
    """Whether no other row explains the figure, and its sentence does not give the own value as well."""
    if turn.is_explained_by_another(figure.span, number):
        return False
    evidence = turn.rows[number].evidence
    start, end = turn.answer.sentence_at(figure.span[0])
    units = turn.name(number).label_stems
    own = [span for span in (evidence.spans if evidence else ()) if start <= span[0] < end]
    return not any(unit_behind(span, units, turn) or name_before(span, units, turn) for span in own)


def _shown(figure: Figure, turn: Turn) -> str:
    return turn.answer.as_written(figure.span) + ("%" if figure.kind is FigureKind.PERCENT else "")
