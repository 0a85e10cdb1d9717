"""Pronouns that give somebody another gender than the record: "Dr. Sana Mirza is board certified. He has a calm style"."""

from __future__ import annotations

from attribution.comparison.turn import MOST_COMPARED, Turn
from attribution.model import FieldType, Span
from attribution.schema.target import OTHERS, Target
from attribution.schema.terms import shipped_terms
from attribution.text import words

_GENDER, _OF = "gender", {"he": "male", "she": "female"}
_SOMEBODY_ELSE = OTHERS | words("patient patients client clients man woman boy girl friend colleague assistant manager")


def other_pronoun(target: Target, turn: Turn) -> Span | None:
    """Return where a sentence begins with the pronoun of another gender, right behind one that names only the one on record."""
    recorded = {shipped_terms().classes[entry].values[step] for entry, step in target.classes if _is_gender(entry)}
    if target.kind == "list" or recorded.isdisjoint(_OF.values()):
        return None
    named = _places_of_name(target, turn)
    sentence = turn.reading.line.sentence
    for word, gender in _OF.items():
        for place in turn.answer.places.get(word, ()) if gender not in recorded else ():
            before = [each for each in named if each < place]
            is_begun = place > 0 and sentence[place - 1] != sentence[place]
            if is_begun and before and sentence[before[-1]] == sentence[place] - 1 and _SOMEBODY_ELSE.isdisjoint(turn.answer.words[:place]):
                return turn.answer.span(place, 1)
    return None


def _is_gender(entry: int) -> bool:
    return shipped_terms().classes[entry].name == _GENDER


def _places_of_name(target: Target, turn: Turn) -> list[int]:
    """Return where the person of a field is named; nowhere if the answer names others as well."""
    shown = [
        (each, place)
        for each in turn.reading.targets[:MOST_COMPARED]
        if each.field.type is FieldType.NAME and (evidence := turn.given[each.row].evidence) is not None
        for place in (turn.answer.place_at(start) for start, _ in evidence.spans)
    ]
    if len({each.row for each, _ in shown}) != 1 or not _are_of_one_object(shown[0][0], target):
        return []
    return sorted(place for _, place in shown)


def _are_of_one_object(one: Target, other: Target) -> bool:
    above = [(each.field.section, each.field.path.rpartition(".")[0]) for each in (one, other)]
    return above[0] == above[1]
