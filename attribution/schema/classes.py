"""The classes of the lexicon that hold a field's value: its whole text, what a system writes beside it left out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from attribution.schema.names import WORDS_OF_TYPE, name_of
from attribution.schema.spelling import heads_of, limited_to, word_for
from attribution.schema.target import Target
from attribution.schema.terms import shipped_terms, stems_of
from attribution.text import words_of

LONGEST_IN_CLASS = 80
_RIGHT_EYE = "od"
"""In directions the right eye, where something else says how often; else once a day."""
_OF_SORTS = frozenset({"medical_specialty", "credential", "profession"})
"""Classes whose values have words before them that only say of which sort they are, in plain writing too: "pediatric cardiology"."""


def classes_of(value: str, target: Target) -> Sequence[tuple[int, int]]:
    """The classes that hold a value: those that the field's name speaks of first, and others only where they are about any field."""
    return _classes_of(value, target.field.leaf, target.field.section) if len(value) <= LONGEST_IN_CLASS else ()


@lru_cache(maxsize=16_384)
def _classes_of(value: str, leaf: str, section: str) -> Sequence[tuple[int, int]]:
    terms = shipped_terms()
    written = filter(None, (word_for(value, words_of(leaf)), limited_to(value)))
    found = next(filter(None, (terms.values.get(stems_of(each.replace("_", " "))) for each in written)), ())
    about = set(name_of(leaf).stems) | set(stems_of(section.replace("_", " ")))
    about = about - WORDS_OF_TYPE or about
    if not found:
        kinds = (terms.values.get(stems_of(head), ()) for head in heads_of(limited_to(value) or value))
        hinted = next(filter(None, ([each for each in kind if terms.classes[each[0]].names & about] for kind in kinds)), [])
        return [each for each in hinted if "_" in value or terms.classes[each[0]].name in _OF_SORTS]
    hinted = [each for each in found if terms.classes[each[0]].names & about]
    return hinted or [each for each in found if not terms.classes[each[0]].names] or [_most_alike(value, found)]


def _most_alike(value: str, found: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The class that calls a value by its own word, else the first."""
    stems, classes = stems_of(value.replace("_", " ")), shipped_terms().classes
    return next((each for each in found if stems_of(classes[each[0]].values[each[1]]) == stems), found[0])


def of_directions(text: str, name: str) -> list[tuple[int, int]]:
    """Return the value of a class in directions that say more, as how often something is taken: "1 tablet twice daily with meals"."""
    terms, stems = shipped_terms(), stems_of(text)
    hits = sorted(terms.find(stems, [0] * len(stems)), key=lambda hit: (hit.first - hit.last, stems[hit.first] == _RIGHT_EYE))
    found = [(int(entry), step) for hit in hits for entry, step in hit.meaning.values]
    return [each for each in found if terms.classes[each[0]].name == name][:1]
