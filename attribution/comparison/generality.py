"""The subject of a sentence: nobody if it tells of what is usual, may be or is to be done, else that of the sentence before it."""

from __future__ import annotations

from itertools import pairwise

from attribution.comparison.turn import Turn
from attribution.model import Span
from attribution.text import words

_USUAL = words("usually often typically generally sometimes normally commonly anyone everyone everybody many most some")
_WHO = words("with who whose taking have")
_OF_SOMEBODY = words("you your yours he his him she her hers they their them client patient resident child")
_GOING_ON = words("it its this that they these he she")
_POSSIBLE = words("can could may might would should must will cannot able unable")
_TO_DO = words("""
    keep call take use avoid ask bring tell let try make wear come check please do don give put stop start see go read watch contact follow
    have get eat drink rest hold apply schedule book consider remember
""")


def is_general(place: int, turn: Turn) -> bool:
    """Return True if a sentence around a word tells what is usual, and of nobody: "a safety plan is usually completed in intake"."""
    said = _sentence(place, turn)
    is_usual = not _USUAL.isdisjoint(said) or any(one in ("people", "patients") and other in _WHO for one, other in pairwise(said))
    return is_usual and _OF_SOMEBODY.isdisjoint(said)


def is_only_possible(place: int, turn: Turn) -> bool:
    """Return True if a sentence up to a word tells what may be or what somebody is to do: "she can refer you to a dermatologist"."""
    places = turn.answer.places_around(place, turn.answer.sentence_at(turn.answer.starts[place]))
    before = turn.answer.words[places.start : place]
    return not _POSSIBLE.isdisjoint(before) or (bool(before) and before[0] in _TO_DO)


def told_with(place: int, turn: Turn) -> Span:
    """Return the sentence around a word, with the one before it if it begins with a pronoun: "It is offered as individual therapy"."""
    start, end = turn.answer.sentence_at(turn.answer.starts[place])
    first = turn.answer.places_around(place, (start, end)).start
    return (turn.answer.sentence_at(start - 1)[0] if start and turn.answer.words[first] in _GOING_ON else start), end


def _sentence(place: int, turn: Turn) -> list[str]:
    places = turn.answer.places_around(place, turn.answer.sentence_at(turn.answer.starts[place]))
    return turn.answer.words[places.start : places.stop]
