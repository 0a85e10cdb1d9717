"""What part a date or a time plays, by the name of its field: the words near a value that tell of which field it is."""

from __future__ import annotations

from attribution.remembering import remembered
from attribution.text import stem, words_of
from attribution.word_classes import stems

_OUTWARD = stems("outbound outward outgoing going")
_BEGINNING = stems("from start starts starting begin begins beginning pick pickup picking collect collecting")
_RETURNING = stems("return returns returning returned back inbound homeward")
_ENDING = stems("until till through end ends ending drop dropoff dropping") | _RETURNING
_LEAVING = stems("leave leaves leaving depart departs departing departure takeoff off board boards boarding")
_ARRIVING = stems("arrive arrives arriving arrival land lands landing reach reaches reaching")
_STAYING_IN = stems("checkin in from start starting arrive arriving staying stay")
_STAYING_OUT = stems("checkout out until till through end ending leave leaving")

_CUES = {
    "outbound": _OUTWARD,
    "pickup": _BEGINNING,
    "start": _BEGINNING,
    "begin": _BEGINNING,
    "from": _BEGINNING,
    "departure": _LEAVING | _BEGINNING | _OUTWARD,
    "depart": _LEAVING | _BEGINNING | _OUTWARD,
    "leaving": _LEAVING,
    "arrival": _ARRIVING,
    "arrive": _ARRIVING,
    "in": _STAYING_IN,
    "checkin": _STAYING_IN,
    "out": _STAYING_OUT,
    "checkout": _STAYING_OUT,
    "dropoff": _ENDING,
    "return": _ENDING,
    "inbound": _RETURNING,
    "end": _ENDING,
    "until": _ENDING,
    "to": stems("to into"),
    "origin": _LEAVING | stems("from"),
    "destination": _ARRIVING | stems("to into going headed heading bound"),
}


@remembered
def cues_of(leaf: str) -> frozenset[str]:
    """The stems of words near a date or time that tell that a field of this name is meant."""
    names = words_of(leaf)
    found: frozenset[str] = frozenset(stem(name) for name in names if len(name) > 3)
    return found.union(*[_CUES[name] for name in names if name in _CUES]) - _SAID_OF_ALL


_SAID_OF_ALL = stems("date time")

TELLING = _ENDING | _LEAVING | _ARRIVING | stems("pick pickup picking checkin checkout outbound")
"""Words that tell so much of a part that a field without that part is not meant."""
