"""Sentences that leave out what was asked: "they do", "it sure does", "it's not", "they don't offer that"."""

from __future__ import annotations

from typing import NamedTuple

from attribution.dialogue.utterance import AUXILIARIES, Utterance
from attribution.word_classes import words

_WHO = words("it they he she there you we this these those that")
_ADVERBS = words("sure certainly definitely indeed actually unfortunately sadly absolutely currently really also surely most")
_NOT = words("not t")
_DENYING = words("cannot cant dont doesnt wont isnt arent")
_BEHIND = words("""
    and but so sorry unfortunately sadly either as too here there at currently right yet indeed because though although anymore any no
    however also
""")
"""What may stand behind an elision without adding to what it says."""

_TAIL = words("unfortunately sadly indeed sorry no either currently yet")
_REFERRING = words("that those these this such it them one ones any so")
_KINDS = words("""
    any of sort sorts kind kinds type types such the thing things service services option options feature features amenity amenities
    facility facilities treatment treatments procedure procedures work stuff
""")
_OFFERING = words("something one available possible included offered part")
_MOST_ADVERBS = 3


class Elision(NamedTuple):
    """An elliptical reply: where it ends, if it affirms, and the family of its auxiliary verb."""

    stop: int
    is_yes: bool
    family: str


def read_elision(place: int, said: Utterance) -> Elision | None:
    """The elision that begins at a place."""
    if said.word(place) not in _WHO:
        return None
    verb = _behind_adverbs(place + 1, said)
    family = AUXILIARIES.get(said.word(verb), "")
    if not family:
        return _referring(verb, said, is_yes=True, family="")
    is_denied, behind = _denial(verb, said)
    if _is_end(behind, said):
        is_contracted = said.word(verb) in {"s", "re", "ll", "ve"} and not is_denied
        return None if is_contracted else Elision(_with_tail(behind, said), not is_denied, family)
    if said.word(place) == "that":
        return _something(behind, said, is_yes=not is_denied)
    return _referring(behind, said, is_yes=not is_denied, family=family)


def _behind_adverbs(place: int, said: Utterance) -> int:
    for _ in range(_MOST_ADVERBS):
        if said.word(place) not in _ADVERBS or said.ends_clause(place):
            break
        place += 1
    return place


def _denial(verb: int, said: Utterance) -> tuple[bool, int]:
    """Return if an auxiliary verb is denied, and the place behind it and adverbs."""
    if said.word(verb) in _DENYING:
        return True, _behind_adverbs(verb + 1, said)
    behind = _behind_adverbs(verb + 1, said)
    is_denied = said.word(behind) in _NOT and not said.ends_clause(behind)
    return is_denied, _behind_adverbs(behind + 1, said) if is_denied else behind


def _is_end(place: int, said: Utterance) -> bool:
    return said.ends_clause(place) or said.word(place) in _BEHIND


def _with_tail(place: int, said: Utterance) -> int:
    """Behind words such as "unfortunately" that end the clause, or stand alone behind a comma."""
    while said.word(place) in _TAIL and said.ends_clause(place + 1) and place not in said.sentence_starts:
        place += 1
    return place


def _referring(verb: int, said: Utterance, *, is_yes: bool, family: str) -> Elision | None:
    """``they don't offer that service``: a verb, then a word for what was asked."""
    place = verb + 1
    if said.ends_clause(verb) or said.ends_clause(place):
        return None
    refers = False
    while not said.ends_clause(place) and (said.word(place) in _REFERRING or said.word(place) in _KINDS):
        refers = refers or said.word(place) in _REFERRING
        place += 1
    return Elision(_with_tail(place, said), is_yes, family) if refers and _is_end(place, said) else None


def _something(place: int, said: Utterance, *, is_yes: bool) -> Elision | None:
    """``that's not something they offer``."""
    words = said.words[place : place + 3]
    if _OFFERING.isdisjoint(words) and "option" not in words:
        return None
    while not said.ends_clause(place):
        place += 1
    return Elision(place, is_yes, "")
