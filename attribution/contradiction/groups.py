"""Fields that one statement of the answer could be about, those of the same name together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from attribution.contradiction.roles import cues_of
from attribution.contradiction.standing import first_place
from attribution.contradiction.turn import Turn
from attribution.contradiction.words import BACKGROUND
from attribution.model import Span
from attribution.remembering import remembered
from attribution.text import stem, words_of

_REACH_BEFORE = 10
_REACH_BEHIND = 3


class Group(NamedTuple):
    """Rows of one name. ``is_open``: the answer shows the value of none of them. ``cues``: the stems of words that name them."""

    leaf: str
    numbers: Sequence[int]
    is_open: bool
    cues: frozenset[str]

    @property
    def is_background(self) -> bool:
        """Whether it has to be named to be spoken of."""
        return any(stem(word) in BACKGROUND for word in words_of(self.leaf))


def groups_of(numbers: Iterable[int], turn: Turn) -> list[Group]:
    """The rows by their name, in order."""
    by_leaf: dict[str, list[int]] = {}
    for number in numbers:
        by_leaf.setdefault(turn.rows[number].field.leaf, []).append(number)
    return [Group(leaf, same, not any(is_shown(each, turn) for each in same), _cues(leaf, same[0], turn)) for leaf, same in by_leaf.items()]


def is_shown(number: int, turn: Turn) -> bool:
    """Whether the answer shows a row's own value."""
    evidence = turn.rows[number].evidence
    return evidence is not None and not evidence.is_ambiguous


def _cues(leaf: str, number: int, turn: Turn) -> frozenset[str]:
    return cues_of(leaf) | turn.name(number).label_stems


def named_near(span: Span, groups: Sequence[Group], stops: Collection[int], turn: Turn) -> tuple[list[Group], str]:
    """The groups that the words around a place name, the nearest first to decide, and the first of these words.

    ``stops`` are the places of other values of the kind: what stands beyond them is theirs.
    """
    left: list[Group] = []
    word = ""
    for place in words_around(span, stops, turn):
        named = [each for each in left or groups if turn.answer.stem_words[place] in each.cues]
        if named:
            left, word = named, word or turn.answer.words[place]
        if len(left) == 1:
            break
    return left, word


def words_around(span: Span, stops: Collection[int], turn: Turn) -> list[int]:
    """The words before a place, the nearest first, and behind it in its clause."""
    answer = turn.answer
    first, last = first_place(span, answer), answer.place_at(span[1] - 1)
    sentence = answer.places_in(answer.sentence_at(span[0]))
    before = range(first - 1, max(sentence.start, first - _REACH_BEFORE) - 1, -1)
    behind = range(last + 1, min(sentence.stop, last + 1 + _REACH_BEHIND))
    clause = answer.places_in(answer.clause_at(span[0]))
    return [*_until(before, stops), *[each for each in _until(behind, stops) if each in clause]]


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


def _until(places: range, stops: Collection[int]) -> list[int]:
    reached = next((number for number, place in enumerate(places) if place in stops), len(places))
    return list(places[:reached])


def only_open(groups: Sequence[Group], telling: Collection[str]) -> Group | None:
    """The one group that the answer shows nothing of, if it is spoken of without being named and no other part is told of."""
    found = [each for each in groups if each.is_open and not each.is_background]
    return found[0] if len(found) == 1 and found[0].cues.issuperset(telling) else None
