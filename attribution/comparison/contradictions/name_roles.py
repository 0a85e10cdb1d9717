"""The part that a name plays in its sentence: what the record's own thing is called, what is near it, or who made it."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.binding.beside import is_led_by_near
from attribution.comparison.contradictions.name_runs import Group, Run
from attribution.comparison.contradictions.turn import SEVERAL, Turn
from attribution.model import Field, FieldType, Span
from attribution.remembering import remembered
from attribution.schema.names import name_of
from attribution.schema.target import NAMES
from attribution.text import words

_COPULAS = ("is", "are", "was", "be")
_ENOUGH_TOLD = 2
"""How many other values of a thing have to be told of a name before it counts as the thing's."""

# What is near.

_NEARBY = words("near nearby landmark landmarks nearest closest")


@remembered
def is_nearby(leaf: str) -> bool:
    """Return True if a field of this name holds what its thing is near to."""
    return not _NEARBY.isdisjoint(name_of(leaf).words)


# Who made it.

_MAKERS = words("developer manufacturer maker publisher author brand producer creator studio designer sponsor funder vendor")
_MAKING = words("made developed created built produced manufactured designed written authored published released")
_PARTICIPLES = ("made", "built", "written", "taught", "run", "led", "given", "sold")
_SAME_ROOT = 5


@remembered
def is_maker(leaf: str) -> bool:
    """Return True if a field of this name holds who made its thing or pays for it."""
    return not _MAKERS.isdisjoint(name_of(leaf).words)


def is_by_maker(run: Run, leaf: str, turn: Turn) -> bool:
    """Return True if "by" leads to a run, behind a thing or a verb of the field's name: "the pump by", "was developed by"."""
    place = run.first - 1
    if place < 1 or turn.answer.words[place] != "by":
        return False
    verb = turn.answer.words[place - 1]
    if not verb.endswith("ed") and verb not in _PARTICIPLES:
        return True
    return verb in _MAKING or any(verb[:_SAME_ROOT] == word[:_SAME_ROOT] for word in name_of(leaf).words)


# What the record's own thing is called.

_CALLED = words("called named titled")
_CHOOSING = words("try visit recommend suggest recommending suggesting trying visiting choose consider enjoy enjoyed love loved like")
_TYPES = words("type kind category role specialty profession sort genre genres")
_SAYING = words("""
    is has was might may would will can offers located does charges costs accepts in at on and serves provides meets sits lies
    welcomes sells holds gives teaches takes runs opens starts features received got its it s
""")
"""Words that follow what a sentence is about."""
_GOING_ON = words("it its they their this he his she her there")
_LED_ON = _GOING_ON | words("located situated find near close next right")
"""Words that begin a sentence about what the one before it tells of."""
_MOST_SENTENCES = 3


def is_own_name(field: Field) -> bool:
    """Return True if a field holds what the thing of its section is called."""
    return field.type is FieldType.NAME or field.leaf in NAMES


def is_called(run: Run, group: Group, turn: Turn) -> bool:
    """Return True if a run is what something is called of which the answer tells several values of the group's section."""
    if turn.answer.words[run.first - 1 : run.first] in (["a"], ["an"]):
        return False
    return _is_name_there(run, turn) and is_well_told(run, group, turn)


def is_well_told(run: Run, group: Group, turn: Turn) -> bool:
    """Return True if a sentence, with those that go on about it, tells several values of the group's section."""
    return _count_told(run, group, turn) >= _ENOUGH_TOLD


def _is_name_there(run: Run, turn: Turn) -> bool:
    """Return True if a run is what its sentence is about, or stands behind "called" or what sort of thing it is."""
    answer = turn.answer
    following = answer.words[run.last + 1 : run.last + 2]
    if run.before in _CALLED or _is_behind_its_sort(run, turn):
        return True
    if run.before in _COPULAS and run.last + 1 in answer.clause_starts:
        return True
    is_written_as_name = run.last > run.first or run.first not in answer.clause_starts or run.is_alone
    if not is_written_as_name or is_led_by_near(run.first, turn.answer.words):
        return False
    return run.before in _CHOOSING or (bool(following) and following[0] in _SAYING)


def _is_behind_its_sort(run: Run, turn: Turn) -> bool:
    """Return True if what sort of thing the record tells of stands right before a run: "the coffee shop Juniper"."""
    number = turn.explained.get(run.first - 1, SEVERAL)
    return number != SEVERAL and not _TYPES.isdisjoint(name_of(turn.rows[number].field.leaf).words)


def _count_told(run: Run, group: Group, turn: Turn) -> int:
    """Count the values of the group's sections that the sentence of a run shows, and those behind it that go on about its subject."""
    shown = turn.shown_in(_told(run, turn))
    sections = {turn.rows[number].field.section for number in group.numbers}
    return sum([shown.rows.get(section, 0) for section in sections]) + shown.shared


def _told(run: Run, turn: Turn) -> range:
    answer = turn.answer
    start, end = answer.sentence_at(answer.starts[run.first])
    for _ in range(_MOST_SENTENCES):
        places = answer.places_in(answer.sentence_at(end)) if end < len(answer.text) else range(0)
        if not places or answer.words[places.start] not in _GOING_ON:
            break
        end = answer.sentence_at(end)[1]
    return answer.places_in((start, end))


def goes_on_about_it(span: Span, numbers: Sequence[int], turn: Turn) -> bool:
    """Return True if a sentence goes on about what the one before it tells of these rows' section: "It is near Elm Park"."""
    answer = turn.answer
    start, end = answer.sentence_at(span[0])
    places = answer.places_in((start, end))
    if not start or not places or answer.words[places.start] not in _LED_ON:
        return False
    sections = {turn.rows[number].field.section for number in numbers}
    shown = {turn.explained[place] for place in answer.places_in(answer.sentence_at(start - 1)) if place in turn.explained}
    return any(number == SEVERAL or turn.rows[number].field.section in sections for number in shown)
