"""Words that lead to what is beside something: "near Elm Park", "across from the station"."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from attribution.text import words, words_of

_ARTICLES = ("the", "a", "an")
_LEADS = tuple(
    words_of(each)
    for each in (
        *("near", "near to", "near by", "close to", "close by", "next to", "next door to", "beside", "alongside", "adjacent to"),
        *("opposite", "across from", "not far from", "not far away from", "around the corner from", "round the corner from"),
        *("just off", "in the vicinity of", "located by", "situated by", "is by"),
    )
)
_LONGEST = max(map(len, _LEADS))
_OPENING = words("near to from beside opposite by of at in on with is are was serves offers has")
"""Words that begin a phrase about what something is, has or is near."""
_PHRASE_WITHIN = 3


def is_led_by_near(place: int, said: Sequence[str]) -> bool:
    """Return True if the words before a place say that something is near what stands there."""
    while place and said[place - 1] in _ARTICLES:
        place -= 1
    before = tuple(said[max(0, place - _LONGEST) : place])
    return any(before[len(before) - len(lead) :] == lead for lead in _LEADS if len(lead) <= len(before))


def is_of_what_is_near(place: int, said: Sequence[str], clauses: Collection[int]) -> bool:
    """Return True if a word stands in a phrase for what is near something: "next to a small Italian place"."""
    for _ in range(_PHRASE_WITHIN):
        if place and said[place - 1] not in _OPENING and place not in clauses:
            place -= 1
    return is_led_by_near(place, said)


def is_not_far(place: int, said: Sequence[str]) -> bool:
    """Return True if a negation before a place only says that something is near: "not far from Elm Park"."""
    return "not" in said[max(0, place - _LONGEST) : place] and is_led_by_near(place, said)
