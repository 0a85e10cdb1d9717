"""Somebody else than on record: another name, or a pronoun that gives another gender."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache

from attribution.comparison.frames import speaks_of_provider
from attribution.comparison.turn import MOST_COMPARED, Turn
from attribution.lexicon.words import CREDENTIALS, KINDS_OF_PLACE, LEGAL_FORMS, TITLES
from attribution.mentions.names import find_names
from attribution.model import FieldType, Span
from attribution.schema.target import OTHERS, Target
from attribution.schema.terms import shipped_terms
from attribution.text import words, words_of

_ALIKE = 0.66
_LONGEST_ALIKE = 60
"""Letters of words that are compared one by one, which takes more than linear time."""
_SLIGHT = TITLES + tuple(CREDENTIALS) + tuple(LEGAL_FORMS)
_JOINING = words("of de la y and the at in for")


@lru_cache(maxsize=8_192)
def core_of(value: str) -> tuple[str, ...]:
    """The words of a name without title, credentials and legal form."""
    return tuple(word for word in words_of(value) if word not in _SLIGHT and word not in _JOINING)


def is_same(said: tuple[str, ...], recorded: tuple[str, ...]) -> bool:
    """Return True if one of two names is part of the other, initials compared with the names they abbreviate."""
    shorter, longer = (said, recorded) if len(said) <= len(recorded) else (recorded, said)
    return all(any(word == other or (len(word) == 1 and other.startswith(word)) for other in longer) for word in shorter)


def is_near(said: tuple[str, ...], recorded: tuple[str, ...]) -> bool:
    """Return True if two different names share a telling word, and so are meant for the same."""
    common = {word for word in said if word in recorded and len(word) > 2 and word not in KINDS_OF_PLACE}
    if not common or len(said) < 2 or len(recorded) < 2:
        return False
    rest, other = [word for word in said if word not in recorded], [word for word in recorded if word not in said]
    return bool(rest and other) and not any(_is_spelling_of(one, two) for one in rest for two in other)


def _is_spelling_of(one: str, other: str) -> bool:
    """Return True if two words of names differ in their ending only: Hobson and Hobsons."""
    return abs(len(one) - len(other)) == 1 and (one.startswith(other) or other.startswith(one))


def is_alike(said: str, recorded: str) -> bool:
    """Return True if two words look alike: hydralazine and hydroxyzine."""
    if (
        max(len(said), len(recorded)) > _LONGEST_ALIKE
        or said[:3] != recorded[:3]
        or said.startswith(recorded[:-1])
        or recorded.startswith(said[:-1])
    ):
        return False
    return SequenceMatcher(None, said, recorded).ratio() >= _ALIKE


# Pronouns that give somebody another gender than the record: "Dr. Sana Mirza is board certified. He has a calm style".

_GENDER, _OF = "gender", {"he": "male", "she": "female"}
_HERS, _HIS = words("she her hers herself"), words("he him his himself")
_SAID_OF = {"female": _HERS, "male": _HIS, "she/her": _HERS, "he/him": _HIS}
_CLASSES = ("gender", "pronouns")
_YOU = words("you your yours")
_PEOPLE = OTHERS | words(
    "friend boyfriend girlfriend roommate boss coworker man woman boy girl doctor therapist nurse psychiatrist mom dad"
)
_SOMEBODY_ELSE = OTHERS | words("patient patients client clients man woman boy girl friend colleague assistant manager")


def other_pronoun(target: Target, turn: Turn) -> Span | None:
    """Return where the one whom a field is about is given another gender."""
    return _behind_the_name(target, turn) or _of_nobody_else(target, turn)


def _behind_the_name(target: Target, turn: Turn) -> Span | None:
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


def _of_nobody_else(target: Target, turn: Turn) -> Span | None:
    """Return the first pronoun of another gender, if the answer has none of the recorded one and tells of nobody else."""
    own = next((_SAID_OF[said] for said in _values_of(target) if said in _SAID_OF), None)
    said = turn.answer.places.keys()
    if own is None or not own.isdisjoint(said) or not _PEOPLE.isdisjoint(said) or _is_of_several(target, turn):
        return None
    if not _YOU.isdisjoint(said) and not speaks_of_provider(target):
        return None
    others = _HIS if own is _HERS else _HERS
    places = sorted(place for word in others for place in turn.answer.places.get(word, ()))
    spans = [turn.answer.span(place) for place in places]
    return next((span for span in spans if turn.is_affirmed(span)), None)


def _values_of(target: Target) -> list[str]:
    classes = shipped_terms().classes
    return [classes[entry].values[step] for entry, step in target.classes if classes[entry].name in _CLASSES]


def _is_of_several(target: Target, turn: Turn) -> bool:
    """Return True if the record or the answer names somebody beside the one whom a field is about."""
    parent = target.field.path.rpartition(".")[0]
    for other in turn.others(target):
        is_beside = other.field.section == target.field.section and other.field.path.rpartition(".")[0] == parent
        if not is_beside and (other.field.type is FieldType.NAME or _values_of(other)):
            return True
    return any(run.is_titled and not turn.is_known(run.span) for run in find_names(turn.answer.text))
