"""Runs of capitalised words that no row explains, and the groups of fields that they can be of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from attribution.comparison.contradictions.closed_sets import FAMILIES_OF, stems_of
from attribution.comparison.contradictions.turn import ASKING, STREETS, Turn
from attribution.lexicon.words import CREDENTIALS, MONTHS, NOT_COUNTED, TITLES, WEEKDAYS
from attribution.model import Span
from attribution.remembering import remembered
from attribution.schema.terms import shipped_terms
from attribution.text import stem, stems, words, words_of

_MOST_RUNS = 32
_LONGEST_RUN = 16
"""Words. A name has no more: a text in capitals throughout is no name."""
_LEADING = (
    ("a",),
    ("in", "at", "by", "to", "is", "an"),
    ("the", "are", "was", "for"),
    ("with", "near", "from", "into"),
    ("named", "about"),
)
_LED = "|".join([f"(?<= (?:{'|'.join(same)}) .)" for same in _LEADING])
_LONGEST_WORD = 80
"""A name has no longer word. Each place looks no further ahead than that, or a long run of digits would be read once for each of them."""
_BEGINNING = re.compile(
    r"[A-ZÀ-ÖØ-Þ0-9]"  # one class first: the text is searched for it many times as fast as for a choice
    r"(?<![^\W_].)"  # only where a word begins
    rf"(?:(?<!\d)(?:{_LED}|(?=[\w'’.&-]{{0,{_LONGEST_WORD}}} (?:(?:of|the|and|&|de) )?[A-ZÀ-ÖØ-Þ])"
    rf"|(?=[\w'’-]{{0,{_LONGEST_WORD}}} (?:is|was|has) ))"
    rf"|(?<=[0-9])(?=\w{{0,{_LONGEST_WORD}}} (?:[0-9]\w{{0,{_LONGEST_WORD}}} )?[A-Z]))"
)
"""The places at which a name may begin: behind a word that leads to one, before another word in capitals, with the number of an address,
or before what it is or has."""

_OPENING = (
    ASKING | NOT_COUNTED | words("please would okay ok sure yes no great how about try picking booking confirm let based unfortunately")
)
_ARTICLES = ("the", "a", "an")
_NEAR = ("near", "beside", "opposite")
_INSIDE = words("of the and de la le los las el du des s")
_NOT_NAMES = words("i ok okay am pm id") | frozenset(MONTHS) | frozenset(WEEKDAYS) | frozenset(TITLES) | CREDENTIALS


class Run(NamedTuple):
    """Words in capitals that follow each other, those of them that nothing explains, and the word before them.

    ``is_alone``: it is one word, which begins its sentence and is a name only by what is said of it.
    """

    first: int
    last: int
    unknown: Sequence[str]
    before: str
    is_alone: bool = False


def unexplained_runs(turn: Turn) -> Iterator[Run]:
    """The runs with a word that nothing explains, in order."""
    answer = turn.answer
    done = count = 0
    for beginning in _BEGINNING.finditer(answer.text):
        offset = beginning.start()
        if offset < done or turn.covers(offset) or count >= _MOST_RUNS:
            continue
        first = answer.place_at(offset)
        if answer.starts[first] != offset or not _is_capital(first, turn):
            continue
        last = _end_of_run(first, turn)
        done = answer.word_end(last)
        run = _run(first, last, turn)
        if run:
            count += 1
            yield run


def _run(first: int, last: int, turn: Turn) -> Run | None:
    """The run without what opens its sentence; nothing where all of it is explained, or it is no name."""
    answer = turn.answer
    begins = first in answer.clause_starts or not first
    start = first
    while start <= last and (answer.words[start] in _OPENING or (begins and start == first and answer.words[start] in _NEAR)):
        start += 1
    is_alone = begins and first == last
    if not 0 <= last - start < _LONGEST_RUN or (is_alone and not _is_told_of(first, turn)):
        return None
    unknown = [answer.words[each] for each in range(start, last + 1) if _is_unknown(each, turn)]
    if not unknown or stems_of(" ".join(answer.words[start : last + 1])) in FAMILIES_OF:
        return None
    while start and answer.words[start - 1][0].isdecimal() and start not in answer.clause_starts:
        start -= 1
    before = "" if start in answer.clause_starts or not start else _leading(start, turn)
    return Run(start, last, unknown, before, is_alone)


def _is_told_of(place: int, turn: Turn) -> bool:
    """Return True if a word that begins its sentence is no word of the lexicon, and the sentence says what it is: "Juniper is a …"."""
    behind = turn.answer.words[place + 1 : place + 3]
    if behind[:1] not in (["is"], ["was"]) and behind[:1] != ["s"]:
        return False
    return (
        turn.answer.stem_words[place] not in shipped_terms().root.follows and turn.answer.words[place] not in turn.profile.vocabulary.common
    )


def _leading(place: int, turn: Turn) -> str:
    """The word before a place, articles left out."""
    before = place - 1
    while before > 0 and turn.answer.words[before] in _ARTICLES:
        before -= 1
    word: str = turn.answer.words[before]
    return word if before >= 0 else ""


def _is_capital(place: int, turn: Turn) -> bool:
    answer = turn.answer
    if place >= len(answer.words):
        return False
    letter = answer.text[answer.starts[place]]
    return (letter.isupper() and answer.words[place] != "i") or (letter.isdecimal() and _is_in_address(place, turn))


def _is_in_address(place: int, turn: Turn) -> bool:
    """Return True if a number begins an address: a word in capitals and the name of a street follow."""
    answer = turn.answer
    following = answer.words[place + 1 : place + 6]
    if not following or STREETS.isdisjoint(following):
        return False
    return any(answer.text[answer.starts[each]].isupper() for each in range(place + 1, min(place + 3, len(answer.words))))


def _end_of_run(first: int, turn: Turn) -> int:
    answer = turn.answer
    last = place = first
    while place + 1 < len(answer.words) and place - last <= 1 and place + 1 not in answer.clause_starts:
        place += 1
        if _is_capital(place, turn):
            last = place
        elif answer.words[place] not in _INSIDE:
            break
    return last


def _is_unknown(place: int, turn: Turn) -> bool:
    """Return True if a word in capitals may be of a name, and nothing explains it."""
    answer = turn.answer
    word = answer.words[place]
    if place in turn.explained or word in _NOT_NAMES or word in _INSIDE or word in STREETS:
        return False
    return _is_capital(place, turn) and not turn.knows(word)


_OUTWARD = stems("outbound outward outgoing going")
_BEGINNING_AT = stems("from start starts starting begin begins beginning pick pickup picking collect collecting")
_RETURNING = stems("return returns returning returned back inbound homeward")
_ENDING = stems("until till through end ends ending drop dropoff dropping") | _RETURNING
_LEAVING = stems("leave leaves leaving depart departs departing departure takeoff off board boards boarding")
_ARRIVING = stems("arrive arrives arriving arrival land lands landing reach reaches reaching")
_STAYING_IN = stems("checkin in from start starting arrive arriving staying stay")
_STAYING_OUT = stems("checkout out until till through end ending leave leaving")

_CUES = {
    "outbound": _OUTWARD,
    "pickup": _BEGINNING_AT,
    "start": _BEGINNING_AT,
    "begin": _BEGINNING_AT,
    "from": _BEGINNING_AT,
    "departure": _LEAVING | _BEGINNING_AT | _OUTWARD,
    "depart": _LEAVING | _BEGINNING_AT | _OUTWARD,
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
    """Return the rows of one name whose section the sentence names: "the return flight departs at 7"; all where it names none.

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
