"""The word that names a field beside a number: its name before, its unit behind, and the few ways to do without."""

from __future__ import annotations

from collections.abc import Collection

from attribution.contradiction.recorded import Candidate, is_comparable
from attribution.contradiction.standing import first_place
from attribution.contradiction.turn import Turn
from attribution.contradiction.words import PAYABLE, TIME_UNITS
from attribution.figures import Figure, FigureKind
from attribution.lexicon import CONNECTORS, COUNTING, NOT_COUNTED, NUMBER_WORDS
from attribution.matchers.numeric import counts_something
from attribution.model import Span
from attribution.remembering import remembered
from attribution.text import stem, words_of
from attribution.word_classes import stems, words

REACH_BEFORE = 5
_MOST_BETWEEN = 1
_MOVING = ("goes", "down", "up", "comes", "came", "drops", "rises", "only", "them", "it", "give", "gives", "gave")
_COPULAS = ("is", "are", "was", "were")
_LARGEST_RATING = 10.0
PEOPLE = "person"
RATING = "star"
_RATING_WORDS = words("rating rated stars score")
_LASTING = frozenset({"for", "last", "lasts", "lasting", "lasted", "takes", "took", "been", "past", "duration"})
_GENERIC = stems("duration length last lasting time long")
"""What names a duration without telling of what."""

_BRACKETS = frozenset("([{:;")
IN_WORDS = "in words"


def label_of(figure: Figure, candidate: Candidate, turn: Turn) -> str:
    """The word that names a row's field directly before or behind a figure."""
    recorded = candidate.recorded
    if figure.kind is FigureKind.MONEY:
        return label_of_amount(figure.span, candidate, turn) if recorded.kind is FigureKind.NUMBER else ""
    is_plain_amount = recorded.kind is FigureKind.MONEY and figure.kind is FigureKind.NUMBER
    if not (is_plain_amount or is_comparable(figure, recorded)):
        return ""
    names = turn.name(candidate.number).name_stems
    if _lasts(figure, candidate.number, turn) and (unit := unit_behind(figure.span, names & TIME_UNITS, turn)):
        return unit
    names = names - TIME_UNITS
    if not _is_plausible(figure, candidate, names):
        return ""
    if recorded.kind is FigureKind.MONEY:
        names = names | PAYABLE
    before = name_before(figure.span, names, turn) if figure.detail != IN_WORDS else ""
    if is_plain_amount or recorded.kind is FigureKind.PERCENT:
        return before
    labels = turn.name(candidate.number).label_stems - TIME_UNITS
    return before or unit_behind(figure.span, labels, turn) or _for_people(figure.span, names, turn) or _as_rating(figure, names, turn)


def label_of_amount(span: Span, candidate: Candidate, turn: Turn) -> str:
    """The word that names a field of a plain number beside an amount of money: all of its name is said, and it counts nothing."""
    if unsaid_words(candidate.number, span, turn)[0]:
        return ""
    names = turn.name(candidate.number).name_stems
    if not TIME_UNITS.isdisjoint(names) or _is_no_amount(turn.rows[candidate.number].field.leaf):
        return ""
    return name_before(span, names, turn) or unit_behind(span, names, turn)


def _is_no_amount(leaf: str) -> bool:
    """Whether a field counts or rates things, by its name."""
    named = words_of(leaf)
    return not (COUNTING | _RATING_WORDS).isdisjoint(named) or any(word.endswith("s") for word in named[-1:])


def unsaid_words(number: int, span: Span, turn: Turn) -> tuple[int, int]:
    """How many words of a row's name are not in the sentence around a place: of those that tell something, and of all.

    A name with one word that tells something is said wherever a label of it stands.
    """
    answer = turn.answer
    named, generic = _stems_of(turn.rows[number].field.leaf), turn.profile.registry.generic_label_stems
    places = answer.places_in(answer.sentence_at(span[0]))
    unsaid = named.difference(answer.stem_words[places.start : places.stop])
    return len(unsaid - generic) if len(named - generic) > 1 else 0, len(unsaid)


def _lasts(figure: Figure, number: int, turn: Turn) -> bool:
    """Whether the words before a figure make it a duration of the field: for 6 weeks, lasting 6 weeks.

    Where the name tells of what, as that of years of experience does, its sentence has to speak of it; and what the user said is theirs.
    """
    answer = turn.answer
    place = first_place(figure.span, answer)
    if _LASTING.isdisjoint(answer.words[max(0, place - 2) : place]) or (figure.kind, figure.key) in turn.user_figures:
        return False
    if _stems_of(turn.rows[number].field.leaf) <= TIME_UNITS | _GENERIC:
        return True
    sentence = answer.places_in(answer.sentence_at(figure.span[0]))
    return not (turn.name(number).name_stems - TIME_UNITS).isdisjoint(answer.stem_words[sentence.start : sentence.stop])


def _is_plausible(figure: Figure, candidate: Candidate, names: Collection[str]) -> bool:
    """Whether a number can be of a field: ratings are small."""
    if RATING not in names or candidate.recorded.kind is FigureKind.PERCENT:
        return True
    return float(str(figure.key)) <= _LARGEST_RATING


def _as_rating(figure: Figure, names: Collection[str], turn: Turn) -> str:
    """A decimal that counts nothing is a rating where a rating is on record and no word of the context or the user has it."""
    if RATING not in names or "." not in turn.answer.as_written(figure.span) or counts_something(figure.span, turn.answer):
        return ""
    is_known = (figure.kind, figure.key) in turn.known_figures or (figure.kind, figure.key) in turn.user_figures
    return "" if is_known else "rating"


@remembered
def _stems_of(leaf: str) -> frozenset[str]:
    """The stems of the words of a field's name."""
    return frozenset(map(stem, words_of(leaf)))


def name_before(span: Span, names: Collection[str], turn: Turn) -> str:
    """The name before a figure with only connecting words between, in the same clause or before its colon."""
    answer = turn.answer
    place = first_place(span, answer)
    clause = answer.naming_clause(place)[0]
    unknown, most = 0, _MOST_BETWEEN if place and answer.words[place - 1] in _COPULAS else 0
    for each in range(place - 1, max(-1, place - 1 - REACH_BEFORE), -1):
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


def unit_behind(span: Span, units: Collection[str], turn: Turn) -> str:
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
    return "for" if PEOPLE in names and ends and first and answer.words[first - 1] == "for" else ""
