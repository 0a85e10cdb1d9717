"""Fields that one statement of the answer could be about, those of the same name together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from attribution.contradiction.roles import cues_of
from attribution.contradiction.turn import Turn
from attribution.model import Span
from attribution.remembering import remembered
from attribution.text import stem, words_of


class Group(NamedTuple):
    """Rows of one name. ``is_open``: the answer shows the value of none of them. ``cues``: the stems of words that name them."""

    leaf: str
    numbers: Sequence[int]
    is_open: bool
    cues: frozenset[str]


def groups_of(numbers: Iterable[int], turn: Turn) -> list[Group]:
    """The rows by their name, in order."""
    by_leaf: dict[str, list[int]] = {}
    for number in numbers:
        by_leaf.setdefault(turn.rows[number].field.leaf, []).append(number)
    return [Group(leaf, same, not any(is_shown(each, turn) for each in same), _cues(leaf, same[0], turn)) for leaf, same in by_leaf.items()]


def is_shown(number: int, turn: Turn) -> bool:
    """Return True if the answer shows a row's own value."""
    evidence = turn.rows[number].evidence
    return evidence is not None and not evidence.is_ambiguous


def _cues(leaf: str, number: int, turn: Turn) -> frozenset[str]:
    return cues_of(leaf) | turn.name(number).label_stems


def meant_in(numbers: Sequence[int], span: Span, turn: Turn) -> Sequence[int]:
    """Of rows of one name those whose section the sentence names: "the return flight departs at 7"; all where it names none.

    What also names another of the sections, or is the fields' own name, tells them not apart.
    """
    if len(numbers) < len(("outbound", "return")):
        return numbers
    above = {number: _words_above(number, turn) for number in numbers}
    shared = frozenset.intersection(*above.values()) | cues_of(turn.rows[numbers[0]].field.leaf)
    places = turn.answer.places_in(turn.answer.sentence_at(span[0]))
    said = frozenset(turn.answer.stem_words[places.start : places.stop]) - shared
    return [number for number in numbers if not above[number].isdisjoint(said)] or numbers


def _words_above(number: int, turn: Turn) -> frozenset[str]:
    """The stems of the words of a row's section and of the objects in it, without the field's own name."""
    section, path, leaf = turn.rows[number][0][:3]
    return _stems_of(f"{section} {path.removesuffix(leaf)}")


@remembered
def _stems_of(names: str) -> frozenset[str]:
    return frozenset(map(stem, words_of(names.replace("_", " "))))
