"""A sentence as opposites are told from it: its words, what of them is denied, its directions and its figures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pkgutil import get_data
from typing import Any, NamedTuple

from attribution.assertion import AssertionKind, Assertions
from attribution.lexicon.words import FUNCTION_WORDS, NEGATIONS, NUMBER_WORDS
from attribution.text import stem
from attribution.word_classes import words

LONGEST_SENTENCE = 1_500
"""Characters of a sentence, or of a claim, that are read."""

_WORD = re.compile(r"[A-Za-z]+n't|[A-Za-z0-9]+(?:[.,][0-9]+)*%?")
_DENIALS = NEGATIONS | words("""
    avoid avoids avoided avoiding contraindicated forbid forbidden forbids prohibit prohibited prohibits ban banned refrain
""")
"""Words that deny, or forbid."""
_DENYING = frozenset({AssertionKind.NEGATED, AssertionKind.CORRECTED})


class Pole(NamedTuple):
    """A word of a direction: which direction, +1 or -1 for its end, turned round where it is denied, and where it stands."""

    axis: int
    sign: int
    first: int
    last: int


class Amount(NamedTuple):
    """A number, the stem of what it counts, which is the word behind it, and both as written."""

    amount: float
    unit: str
    written: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence as opposites are told from it: its words and their stems, what of them is denied, its directions and figures.

    ``places`` are those of its content words by their stems.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    denied: frozenset[int]
    poles: tuple[Pole, ...]
    places: Mapping[str, tuple[int, ...]]
    figures: tuple[Amount, ...]

    @property
    def has_denial(self) -> bool:
        """True if a word of it denies, whatever that word is about."""
        return any(word in _DENIALS or word.endswith("n't") for word in self.words)


def read_statement(text: str) -> Statement:
    """Read a sentence, or a claim."""
    read = text[:LONGEST_SENTENCE].replace("’", "'")
    matches = list(_WORD.finditer(read))
    words = tuple([match.group().lower() for match in matches])
    stems = tuple([stem(word) if word[0].isalpha() else word for word in words])
    asserted = Assertions(read, "en").of([match.span() for match in matches]) if matches else []
    denied = frozenset([place for place, each in enumerate(asserted) if each.kind in _DENYING])
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        if word not in FUNCTION_WORDS and word not in NEGATIONS:
            places.setdefault(stems[place], []).append(place)
    return Statement(
        words,
        stems,
        denied,
        tuple(_poles(stems, denied)),
        {each: tuple(its) for each, its in places.items()},
        tuple(_figures(words, stems)),
    )


def _figures(words: Sequence[str], stems: Sequence[str]) -> Iterator[Amount]:
    for place, word in enumerate(words):
        amount = _amount(word)
        if amount is not None:
            behind = stems[place + 1] if place + 1 < len(stems) else ""
            is_share = word.endswith("%") or behind == "percent"
            yield Amount(amount, "%" if is_share else behind, word if word.endswith("%") else " ".join(words[place : place + 2]))


def _amount(word: str) -> float | None:
    if word in NUMBER_WORDS:
        return float(NUMBER_WORDS[word])
    plain = word.rstrip("%").replace(",", "")
    return float(plain) if plain.replace(".", "", 1).isdecimal() else None


def _poles(stems: Sequence[str], denied: frozenset[int]) -> Iterator[Pole]:
    """Yield the directions of a sentence; of phrases that begin at one word, the longest."""
    known, longest = _directions()
    first = 0
    while first < len(stems):
        last = next((end for end in range(min(len(stems), first + longest), first, -1) if stems[first:end] in known), 0)
        for axis, sign, turns in known[tuple(stems[first:last])] if last else ():
            yield Pole(axis, -sign if turns and first in denied else sign, first, last)
        first = last or first + 1


@cache
def _directions() -> tuple[Mapping[tuple[str, ...], tuple[tuple[int, int, bool], ...]], int]:
    """Return the directions and ends of each phrase of ``lexicon/directions.json``, and how many words the longest has."""
    known: dict[tuple[str, ...], list[tuple[int, int, bool]]] = {}
    for axis, entry in enumerate(directions()):
        for sign, end in ((1, "one"), (-1, "other")):
            for phrase in dict.fromkeys(_stems_of(entry[end])):
                known.setdefault(phrase, []).append((axis, sign, entry.get("turns", True)))
    return {phrase: tuple(its) for phrase, its in known.items()}, max(map(len, known))


def directions() -> list[dict[str, Any]]:
    """Return the entries of ``lexicon/directions.json``: a name, the words of one end and of the other, and examples.

    Where ``turns`` is false, a denial does not make the other end of it: "not for children" does not say "for adults".
    """
    entries: list[dict[str, Any]] = json.loads(get_data("attribution", "lexicon/directions.json") or b"[]")
    return entries


def _stems_of(phrases: Iterable[str]) -> Iterator[tuple[str, ...]]:
    return (tuple([stem(word) for word in phrase.split()]) for phrase in phrases)
