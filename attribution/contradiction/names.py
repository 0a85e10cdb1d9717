"""Names of people, practices and places that neither the context nor the user has: whose other name are they?.

A name counts only where the words before it tell its part ("with", "in", "called"), or where it shares a word with the record, as two
stations do, and only for a field of which the answer shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attribution.contradiction.families import MEMBER_STEMS
from attribution.contradiction.groups import Group, groups_of
from attribution.contradiction.rival import Rival
from attribution.contradiction.standing import is_asked, is_denied, is_supposed
from attribution.contradiction.turn import Turn
from attribution.contradiction.words import STREETS
from attribution.lexicon import CREDENTIALS, MONTHS, TITLES, WEEKDAYS
from attribution.model import FieldType, Span
from attribution.text import words_of
from attribution.word_classes import words

_TEXTS = (FieldType.NAME, FieldType.FIELD_VALUE, FieldType.SUMMARY)
_LONGEST_VALUE = 120
_MOST_RUNS = 32
_INSIDE = words("of the and de la le los las el du des s")
_PLACES = words(
    "city town location area where place destination origin neighborhood neighbourhood region state country county venue to from"
)
_ADDRESSES = words("address street")
_BEFORE_PLACES = words("in near around within to from into for at leaving")
_BEFORE_NAMES = words("with at called named about for is by on to from dr doctor recommend suggest include includes try book")
_NOT_NAMES = words("i ok okay am pm id") | frozenset(MONTHS) | frozenset(WEEKDAYS) | frozenset(TITLES) | CREDENTIALS


class Run(NamedTuple):
    """Words in capitals that follow each other, those of them that nothing explains, and the word before them."""

    first: int
    last: int
    unknown: Sequence[str]
    before: str


def names(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Another name for a field of which the answer shows nothing."""
    runs = list(_runs(turn))
    if not runs:
        return
    groups = [each for each in groups_of(_candidates(turn), turn) if each.is_open]
    for run in runs if groups else ():
        span = (turn.answer.starts[run.first], turn.answer.word_end(run.last))
        group, because = _meant(run, groups, turn)
        if group and _stands(span, turn):
            for number in group.numbers:
                yield number, Rival(turn.answer.as_written(span), span, because)


def _candidates(turn: Turn) -> list[int]:
    """The rows whose values are names."""
    return [number for number, row in enumerate(turn.rows) if row[0][3] in _TEXTS and not row[0].is_hidden and _is_name(number, turn)]


def _is_name(number: int, turn: Turn) -> bool:
    """Whether a value is written as a name is: more words in capitals than not, or a place by the name of its field."""
    value = str(turn.rows[number].field.value)
    if len(value) > _LONGEST_VALUE:
        return False
    parts = value.split()
    capitals = [each for each in parts if each[0].isupper() or each[0].isdecimal()]
    return 2 * len(capitals) > len(parts) or _is_place(turn.rows[number].field.leaf)


def _is_place(leaf: str) -> bool:
    return not _PLACES.isdisjoint(words_of(leaf))


def _is_address(leaf: str) -> bool:
    return not _ADDRESSES.isdisjoint(words_of(leaf))


def _runs(turn: Turn) -> Iterator[Run]:
    """The runs of words in capitals with a word that nothing explains."""
    answer = turn.answer
    begins = {answer.place_at(start) for start in _sentence_starts(turn)}
    first = 0
    count = 0
    while first < len(answer.words) and count < _MOST_RUNS:
        if not _is_capital(first, turn) or (first in begins and not _is_capital(first + 1, turn)):
            first += 1
            continue
        last = _end_of_run(first, turn)
        start = first + 1 if first in begins and last > first else first
        unknown = [answer.words[each] for each in range(start, last + 1) if _is_unknown(each, turn)]
        if unknown:
            count += 1
            yield Run(first, last, unknown, answer.words[first - 1] if first and first not in begins else "")
        first = last + 1


def _sentence_starts(turn: Turn) -> list[int]:
    return [turn.answer.starts[each.start] for each in map(turn.answer.places_in, turn.answer.sentences) if each]


def _is_capital(place: int, turn: Turn) -> bool:
    answer = turn.answer
    if place >= len(answer.words):
        return False
    letter = answer.text[answer.starts[place]]
    return letter.isupper() or (letter.isdecimal() and _is_in_address(place, turn))


def _is_in_address(place: int, turn: Turn) -> bool:
    """Whether a number begins an address: a word in capitals and the name of a street follow."""
    answer = turn.answer
    following = answer.words[place + 1 : place + 6]
    return bool(following) and not STREETS.isdisjoint(following) and answer.text[answer.starts[place + 1]].isupper()


def _end_of_run(first: int, turn: Turn) -> int:
    answer = turn.answer
    last = place = first
    while place + 1 < len(answer.words) and place - last <= 1 and place + 1 not in answer.clause_starts:
        place += 1
        if _is_capital(place, turn):
            last = place
        elif answer.words[place] not in _INSIDE:
            break
    return last


def _is_unknown(place: int, turn: Turn) -> bool:
    """Whether a word in capitals may be of a name, and nothing explains it."""
    answer = turn.answer
    word = answer.words[place]
    if place in turn.explained or word in _NOT_NAMES or word in _INSIDE or answer.stem_words[place] in MEMBER_STEMS:
        return False
    return word not in turn.known_words and _is_capital(place, turn)


def _meant(run: Run, groups: Sequence[Group], turn: Turn) -> tuple[Group | None, str]:
    """The group that shares a word with the run, or whose part the word before it tells."""
    answer = turn.answer
    shown = set(answer.words[run.first : run.last + 1])
    sharing = [each for each in groups if not shown.isdisjoint(_kind_words(each, turn))]
    if len(sharing) == 1:
        return sharing[0], "the same kind of name"
    streets = not shown.isdisjoint(STREETS) and any(each.isdecimal() for each in shown)
    fitting = [each for each in sharing or groups if _fits(run, each, turn, is_address=streets)]
    named = [each for each in fitting if not each.cues.isdisjoint(answer.stem_words[max(0, run.first - 4) : run.first])]
    choice = named or fitting
    return (choice[0], f"behind ‘{run.before}’" if run.before else "the only name left to be meant") if len(choice) == 1 else (None, "")


def _kind_words(group: Group, turn: Turn) -> frozenset[str]:
    """The last word of each name of a group: Airport, Station, Clinic."""
    values = [words_of(str(turn.rows[number].field.value)) for number in group.numbers]
    return frozenset([value[-1] for value in values if len(value) > 1 and value[-1] not in CREDENTIALS])


def _fits(run: Run, group: Group, turn: Turn, *, is_address: bool) -> bool:
    if is_address or _is_address(group.leaf):
        return is_address and _is_address(group.leaf)
    if _is_place(group.leaf):
        return run.before in _BEFORE_PLACES
    return run.before in _BEFORE_NAMES


def _stands(span: Span, turn: Turn) -> bool:
    answer = turn.answer
    asked = is_asked(answer.sentence_at(span[0]), answer)
    return not (asked or is_denied(span, answer) or is_supposed(span, answer))
