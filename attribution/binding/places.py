"""Places of labels in an answer: phrases of the lexicon, and the words of fields' own names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attribution.answer import Answer
from attribution.schema.names import ADDRESS, PARTIES, USERS, Item
from attribution.schema.terms import Hit

MOST_PLACES = 256
Place = tuple[int, int]
"""Words from the first up to the last, exclusive."""


def label_places(answer: Answer, hits: Sequence[Hit], wanted: Mapping[Item, frozenset[str]]) -> dict[Item, list[Place]]:
    """The places of each label that any field has, in order; of overlapping ones the longest.

    ``wanted`` are the labels of all fields, each with the words of the objects in which these fields stand.
    """
    places = _of_the_lexicon(answer, hits, wanted)
    for item in wanted:
        if type(item) is tuple:
            if found := answer.find_stems(item):
                places[item] = [(place, place + len(item)) for place in found]
        elif item == ADDRESS:
            places[item] = _of_address(answer)
        elif type(item) is str and item in answer.stems:
            places[item] = [(place, place + 1) for place in answer.stems[item][:MOST_PLACES]]
    return places


def _of_address(answer: Answer) -> list[Place]:
    """Return where the user is addressed, and not by what somebody else is to them."""
    places = sorted(place for word in ("you", "your", "yours", *USERS) for place in answer.places.get(word, ())[:MOST_PLACES])
    return [(place, place + 1) for place in places if PARTIES.isdisjoint(answer.words[place + 1 : place + 2])]


def _of_the_lexicon(answer: Answer, hits: Sequence[Hit], wanted: Mapping[Item, frozenset[str]]) -> dict[Item, list[Place]]:
    """The labels and synonyms of the lexicon that are asked for."""
    longest = _longest(hits)
    places: dict[Item, list[Place]] = {}
    for first, last, meaning in hits:
        for item in meaning.items:
            if item in wanted and (item < 0 or _is_whole(first, last, longest, wanted[item], answer)):
                _put(places.setdefault(item, []), first, last)
    return places


def _put(places: list[Place], first: int, last: int) -> None:
    """Add a place behind the others; of overlapping ones the longest stays."""
    if places and places[-1][0] <= first < places[-1][1]:
        if last > places[-1][1]:
            places[-1] = (places[-1][0], last)
    elif len(places) < MOST_PLACES:
        places.append((first, last))


def _longest(hits: Sequence[Hit]) -> dict[int, Place]:
    """The longest label over each word: a label inside a longer one says nothing of its own."""
    longest: dict[int, Place] = {}
    for first, last, meaning in hits:
        if last - first > 1 and meaning.is_label:
            for place in range(first, last):
                known = longest.get(place)
                if known is None or last - first > known[1] - known[0]:
                    longest[place] = (first, last)
    return longest


def _is_whole(first: int, last: int, longest: dict[int, Place], around: frozenset[str], answer: Answer) -> bool:
    """Return True if a label is in no longer one, or what is longer names the object too: "enrollment ends" in ``enrollment.ends``."""
    known = longest.get(first)
    if known is None or not (known[0] <= first and last <= known[1] and last - first < known[1] - known[0]):
        return True
    return not around.isdisjoint((*answer.stem_words[known[0] : first], *answer.stem_words[last : known[1]]))
