"""Names of people, practices and places that neither the context nor the user has, and the field that they are another value of.

A name counts only where the words before it tell its part ("with", "in", "called"), or where it shares a word with the record, as two
stations do, and only for a field of which the answer shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.contradiction.families import FAMILIES_OF, stems_of
from attribution.contradiction.groups import Group, groups_of, meant_in
from attribution.contradiction.name_parts import (
    fits,
    is_namesake,
    is_place,
    is_titled,
    is_titled_record,
    is_told_of,
    is_variant,
    kind_words,
    speaks_for_itself,
)
from attribution.contradiction.name_runs import Run, unexplained_runs
from attribution.contradiction.rival import Rival
from attribution.contradiction.standing import is_asked, is_denied, is_supposed
from attribution.contradiction.turn import Turn
from attribution.contradiction.words import STREETS
from attribution.model import FieldType, Span
from attribution.text import stem
from attribution.word_classes import words

_MOST_ROWS = 200
_TEXTS = (FieldType.NAME, FieldType.FIELD_VALUE, FieldType.SUMMARY)
_LONGEST_VALUE = 120
_REACH = 4
_BEFORE_ADDRESSES = words("at on is")


def names(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Another name for a field of which the answer shows nothing."""
    runs = list(unexplained_runs(turn))
    if not runs:
        return
    groups = [each for each in groups_of(_candidates(turn), turn) if each.is_open]
    for run in runs if groups else ():
        span = (turn.answer.starts[run.first], turn.answer.word_end(run.last))
        group, because = _meant(run, groups, turn)
        if group and (speaks_for_itself(run, group, turn) or is_told_of(span, group, turn)) and _stands(span, turn):
            for number in meant_in(group.numbers, span, turn):
                yield number, Rival(turn.answer.as_written(span), span, because)


def _candidates(turn: Turn) -> list[int]:
    """The rows whose values are names."""
    return [number for kind in _TEXTS for number in turn.of(kind)[:_MOST_ROWS] if _is_name(number, turn)]


def _is_name(number: int, turn: Turn) -> bool:
    """Return True if a value is written as a name is: more words in capitals than not, or a place by the name of its field."""
    value = str(turn.rows[number].field.value)
    if len(value) > _LONGEST_VALUE:
        return False
    parts = value.split()
    capitals = [each for each in parts if each[0].isupper() or each[0].isdecimal()]
    if stems_of(value) in FAMILIES_OF:
        return False
    return 2 * len(capitals) > len(parts) or is_place(turn.rows[number].field.leaf)


def _meant(run: Run, groups: Sequence[Group], turn: Turn) -> tuple[Group | None, str]:
    """The group that shares a word with the run, or whose part the words before it tell."""
    answer = turn.answer
    shown = set(answer.words[run.first : run.last + 1])
    groups = [each for each in groups if not is_variant(run, each, turn)]
    sharing = [each for each in groups if not shown.isdisjoint(kind_words(each, turn))]
    if len(sharing) == 1:
        return sharing[0], "the same kind of name"
    if all((stem(word),) in FAMILIES_OF for word in run.unknown):
        return None, ""
    is_address = answer.words[run.first][0].isdecimal() and (run.before in _BEFORE_ADDRESSES or not shown.isdisjoint(STREETS))
    before = answer.stem_words[max(0, run.first - _REACH) : run.first]
    fitting = [each for each in sharing or groups if fits(run, each, before, turn, is_address=is_address)]
    if is_titled(run, turn):
        fitting = [each for each in fitting if is_titled_record(each, turn)] or fitting
    fitting = [each for each in fitting if is_namesake(run, each, turn)] or fitting
    choice = _named_nearest(fitting, before)
    return (choice[0], f"behind ‘{run.before}’" if run.before else "no other name is left") if len(choice) == 1 else (None, "")


def _named_nearest(groups: Sequence[Group], before: Sequence[str]) -> Sequence[Group]:
    """Return those of the groups that the words before a run name, the nearest word first; all where none does."""
    for word in reversed(before):
        if len(groups) > 1:
            groups = [each for each in groups if word in each.cues] or groups
    return groups


def _stands(span: Span, turn: Turn) -> bool:
    answer = turn.answer
    asked = is_asked(answer.sentence_at(span[0]), answer)
    return not (asked or is_denied(span, answer) or is_supposed(span, answer))
