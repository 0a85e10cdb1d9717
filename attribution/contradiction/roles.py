"""What part a date or a time plays, by the name of its field: the words near a value that tell of which field it is."""

from __future__ import annotations

from attribution.remembering import remembered
from attribution.text import stem, words_of
from attribution.word_classes import stems

_BEGINNING = stems("from start starts starting begin begins beginning pick pickup picking outbound depart departs departing departure go going")
_ENDING = stems("until till through to end ends ending return returns returning returned back drop dropoff dropping inbound checkout")
_LEAVING = stems("leave leaves leaving depart departs departing departure takeoff off board boards boarding")
_ARRIVING = stems("arrive arrives arriving arrival land lands landing reach reaches reaching")
_STAYING_IN = stems("checkin in from start starting arrive arriving")
_STAYING_OUT = stems("checkout out until till through to end ending leave leaving")

_CUES = {
    "outbound": _BEGINNING,
    "pickup": _BEGINNING,
    "start": _BEGINNING,
    "begin": _BEGINNING,
    "from": _BEGINNING,
    "departure": _LEAVING | _BEGINNING,
    "depart": _LEAVING | _BEGINNING,
    "leaving": _LEAVING,
    "arrival": _ARRIVING,
    "arrive": _ARRIVING,
    "in": _STAYING_IN,
    "checkin": _STAYING_IN,
    "out": _STAYING_OUT,
    "checkout": _STAYING_OUT,
    "dropoff": _ENDING,
    "return": _ENDING,
    "inbound": _ENDING,
    "end": _ENDING,
    "until": _ENDING,
    "to": _ENDING,
}


@remembered
def cues_of(leaf: str) -> frozenset[str]:
    """The stems of words near a date or time that tell that a field of this name is meant."""
    names = words_of(leaf)
    found: frozenset[str] = frozenset(stem(name) for name in names if len(name) > 3)  # noqa: PLR2004  # shorter ones join words only
    return found.union(*[_CUES[name] for name in names if name in _CUES]) - _SAID_OF_ALL


_SAID_OF_ALL = stems("date time")
