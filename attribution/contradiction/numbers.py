"""Plain numbers and shares beside the field's name or its unit: "3 bedrooms", "a rating of 4.1", "a table for two".

A number says nothing by itself: there are too many things to count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from attribution.contradiction.recorded import Candidate, candidates_of, is_comparable, readings_of
from attribution.contradiction.rival import Rival
from attribution.contradiction.standing import first_place, is_stated
from attribution.contradiction.turn import Turn
from attribution.contradiction.words import PAYABLE, TIME_UNITS
from attribution.figures import MOST_PLACES, Figure, FigureKind
from attribution.lexicon import CONNECTORS, NOT_COUNTED, NUMBER_WORDS
from attribution.matchers.numeric import counts_something
from attribution.model import FieldType, Span

_REACH_BEFORE = 5
_MOST_BETWEEN = 1
_MOVING = ("goes", "down", "up", "comes", "came", "drops", "rises", "only", "them", "it", "give", "gives", "gave")
_COPULAS = ("is", "are", "was", "were")
_LARGEST_RATING = 10.0
_PEOPLE = "person"
_RATING = "star"
_LASTING = frozenset({"for", "last", "lasts", "lasting", "lasted", "takes", "took", "been", "past", "duration"})
_BRACKETS = frozenset("([{:;")
_FOR = frozenset({"for"})
_IN_WORDS = "in words"
_NUMBERED = (FieldType.NUMERIC, FieldType.MONEY)
_PLAIN = (FigureKind.NUMBER, FigureKind.PERCENT)


def numbers(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Another number for each field that the answer names beside it."""
    rows: list[int] = turn.of(*_NUMBERED)
    if not rows:
        return
    labels = frozenset().union(*[_labels(each, turn) for each in rows])
    for figure in _figures(labels, turn):
        near = _near(figure, turn)
        candidates = candidates_of(
            [each for each in rows if not _labels(each, turn).isdisjoint(near) or _is_rating(figure, each, turn)], turn
        )
        named = [(each, label) for each in candidates if (label := _label(figure, each, turn))]
        if named and not any(_agrees(figure, each, turn) for each, _ in named) and is_stated(figure.span, turn.answer):
            for each, label in named:
                if _is_free(figure, each.number, turn):
                    yield each.number, Rival(_shown(figure, turn), figure.span, f"label ‘{label}’")


def _labels(number: int, turn: Turn) -> frozenset[str]:
    """The stems of the words that name a row's field beside a number."""
    name = turn.name(number)
    if turn.kinds[number] is FieldType.MONEY:
        return name.label_stems | PAYABLE
    return name.label_stems | _FOR if _PEOPLE in name.label_stems else name.label_stems


def _figures(labels: frozenset[str], turn: Turn) -> Iterator[Figure]:
    """The numbers with a label near that no evidence covers, in figures and in words."""
    answer = turn.answer
    for figure in answer.figures.all[: 2 * MOST_PLACES]:
        if figure.kind in _PLAIN and not turn.covers(figure.span[0]) and _is_near(labels, figure, turn):
            yield figure
    stems = answer.stem_words
    for key, places in answer.number_words.items():
        for place, count in places:
            near = stems[max(0, place - 1) : place] + stems[place + count : place + count + 2]
            if not (labels.isdisjoint(near) or turn.covers(answer.starts[place])):
                yield Figure(FigureKind.NUMBER, key, answer.span(place, count), _IN_WORDS)


def _is_near(labels: frozenset[str], figure: Figure, turn: Turn) -> bool:
    """Whether any label stands among the words near a figure, or the figure may be a rating."""
    return not labels.isdisjoint(_near(figure, turn)) or (_RATING in labels and "." in str(figure.key))


def _near(figure: Figure, turn: Turn) -> list[str]:
    """The stems of the words among which a label may stand."""
    first, last = first_place(figure.span, turn.answer), turn.answer.place_at(figure.span[1] - 1)
    stems = turn.answer.stem_words
    return stems[max(0, first - _REACH_BEFORE) : first] + stems[last + 1 : last + 4]


def _is_rating(figure: Figure, number: int, turn: Turn) -> bool:
    return "." in str(figure.key) and _RATING in turn.name(number).name_stems


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
    return not any(_unit_behind(span, units, turn) or _name_before(span, units, turn) for span in own)


def _label(figure: Figure, candidate: Candidate, turn: Turn) -> str:
    """The word that names a row's field directly before or behind a figure."""
    recorded = candidate.recorded
    is_plain_amount = recorded.kind is FigureKind.MONEY and figure.kind is FigureKind.NUMBER
    if not (is_plain_amount or is_comparable(figure, recorded)):
        return ""
    names = turn.name(candidate.number).name_stems
    if _lasts(figure.span, turn) and (unit := _unit_behind(figure.span, names & TIME_UNITS, turn)):
        return unit
    names = names - TIME_UNITS
    if not _is_plausible(figure, candidate, names):
        return ""
    if recorded.kind is FigureKind.MONEY:
        names = names | PAYABLE
    before = _name_before(figure.span, names, turn) if figure.detail != _IN_WORDS else ""
    if is_plain_amount or recorded.kind is FigureKind.PERCENT:
        return before
    labels = turn.name(candidate.number).label_stems - TIME_UNITS
    return before or _unit_behind(figure.span, labels, turn) or _for_people(figure.span, names, turn) or _as_rating(figure, names, turn)


def _lasts(span: Span, turn: Turn) -> bool:
    """Whether the words before a figure make it a duration: for 6 weeks, lasting 6 weeks."""
    place = first_place(span, turn.answer)
    return not _LASTING.isdisjoint(turn.answer.words[max(0, place - 2) : place])


def _is_plausible(figure: Figure, candidate: Candidate, names: Collection[str]) -> bool:
    """Whether a number can be of a field: ratings are small."""
    if _RATING not in names or candidate.recorded.kind is FigureKind.PERCENT:
        return True
    return float(str(figure.key)) <= _LARGEST_RATING


def _as_rating(figure: Figure, names: Collection[str], turn: Turn) -> str:
    """A decimal that counts nothing is a rating where a rating is on record and no word of the context or the user has it."""
    if _RATING not in names or "." not in turn.answer.as_written(figure.span) or counts_something(figure.span, turn.answer):
        return ""
    is_known = (figure.kind, figure.key) in turn.known_figures or (figure.kind, figure.key) in turn.user_figures
    return "" if is_known else "rating"


def _name_before(span: Span, names: Collection[str], turn: Turn) -> str:
    """The name before a figure with only connecting words between, in the same clause or before its colon."""
    answer = turn.answer
    place = first_place(span, answer)
    clause = answer.naming_clause(place)[0]
    unknown, most = 0, _MOST_BETWEEN if place and answer.words[place - 1] in _COPULAS else 0
    for each in range(place - 1, max(-1, place - 1 - _REACH_BEFORE), -1):
        if answer.starts[each] < clause:
            break
        if answer.stem_words[each] in names:
            word: str = answer.words[each]
            return word
        if not _connects(each, turn):
            unknown += 1
        if unknown > most:
            break
    return ""


def _connects(place: int, turn: Turn) -> bool:
    """Whether a word only connects a name with its value, or is the number of a name, as in PHQ-9."""
    answer = turn.answer
    word = answer.words[place]
    return word in CONNECTORS or word in _MOVING or (word.isdecimal() and answer.text[answer.starts[place] - 1] == "-")


def _unit_behind(span: Span, units: Collection[str], turn: Turn) -> str:
    """The unit behind a figure, or behind one word between: "3 bedrooms", "3 separate bedrooms", "12 years of experience"."""
    answer = turn.answer
    last = answer.place_at(span[1] - 1)
    if answer.words[last + 2 : last + 3] == ["of"] and answer.stem_words[last + 1] in TIME_UNITS:
        last += 2
    clause = answer.places_in(answer.clause_at(span[0]))
    for each in (last + 1, last + 2):
        if each not in clause or answer.words[each] in NOT_COUNTED or answer.words[each] in NUMBER_WORDS:
            break
        if answer.stem_words[each] in units and _BRACKETS.isdisjoint(answer.text[span[1] : answer.starts[each]]):
            word: str = answer.words[each]
            return word
    return ""


def _for_people(span: Span, names: Collection[str], turn: Turn) -> str:
    """For, and nothing behind that the number would count: a table for two."""
    answer = turn.answer
    first, last = first_place(span, answer), answer.place_at(span[1] - 1)
    behind = answer.words[last + 1 : last + 2]
    ends = not behind or behind[0] in NOT_COUNTED or last + 1 not in answer.places_in(answer.clause_at(span[0]))
    return "for" if _PEOPLE in names and ends and first and answer.words[first - 1] == "for" else ""


def _shown(figure: Figure, turn: Turn) -> str:
    return turn.answer.as_written(figure.span) + ("%" if figure.kind is FigureKind.PERCENT else "")
