"""What each thing said tells: much where few texts of this context say it, more where the user asked about it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from math import log
from typing import NamedTuple

from attribution.answer import Answer
from attribution.matchers.long_text.said import Said
from attribution.model import new
from attribution.profile import Vocabulary
from attribution.synonyms import GROUP_SIGN

_TEXTS_ELSEWHERE = 20
"""Texts imagined besides those of the context, so that in a small one no word is rarer than it can be known to be."""

_TOO_FEW = 2
"""In a context of so many texts rarity is known by half only: what stands in one text of two may be common elsewhere."""

_ENOUGH_TO_TELL = 8
"""With so many texts, what more than half of them say is what all of them are about, and tells none from another."""

_ASKED_ABOUT, _NOBODY_ASKED = 2.2, 1.5
_SYNONYM = 0.8
_EVALUATING = 0.3
"""How much more or less weigh: what the user asked about, what is said in other words, a word that judges without saying what."""

_INFORMATIVE = 0.1
"""What weighs less is no reason to think of a text."""

_MOST_PLACES = 8
_STEPS = 4096
"""Weights are multiples of a power of two, so that their sums are exact: the same in any order."""


class Telling(NamedTuple):
    """What a key tells. ``texts`` of the context say it.

    ``places`` are the numbers of the answer's sentences that say it, the first few, each with its first word there.
    """

    weight: float
    key: str
    is_asked: bool
    is_evaluating: bool
    texts: int
    places: tuple[tuple[int, int], ...]
    known_by: tuple[str, ...]
    """The groups of a word: a text that has the word itself says them by it."""


def weigh(met_by_text: Sequence[Collection[str]], wanted: Collection[str], said: Said, vocabulary: Vocabulary) -> dict[str, Telling]:
    """Return what each key of ``wanted`` tells; those that tell nothing are left out."""
    counts = dict.fromkeys(wanted, 0)
    for met in met_by_text:
        for key in met:
            if key in counts:
                counts[key] += 1
    texts = len(met_by_text)
    most = texts / 2 if texts >= _ENOUGH_TO_TELL else texts
    scale = log(texts + _TEXTS_ELSEWHERE)
    known = texts / (texts + _TOO_FEW)
    asked = said.asked
    telling: dict[str, Telling] = {}
    for key, count in counts.items():
        if count <= most:
            each = _tell(key, count, known * (1 - log(count + 1) / scale), asked, said, vocabulary)
            if each.weight >= _INFORMATIVE:
                telling[key] = each
    return telling


def _tell(key: str, count: int, rarity: float, asked: set[str], said: Said, vocabulary: Vocabulary) -> Telling:
    is_word = key in said.words
    groups = said.synonyms.groups.get(key, ()) if is_word else ()
    is_asked = bool(asked) and (key in asked or not asked.isdisjoint(groups))
    weight = rarity * (_ASKED_ABOUT if is_asked else 1.0 if said.answer.asked else _NOBODY_ASKED) * (1.0 if is_word else _SYNONYM)
    is_evaluating = key.removeprefix(GROUP_SIGN) in vocabulary.evaluating
    weight = round(_STEPS * weight * (_EVALUATING if is_evaluating else 1.0)) / _STEPS
    return new(Telling, (weight, key, is_asked, is_evaluating, count, _places(key, said), groups))


def sentence_of(place: int, answer: Answer) -> int:
    """The number of the sentence that a word stands in."""
    return bisect_right(answer.sentence_ends, answer.starts[place])


def _places(key: str, said: Said) -> tuple[tuple[int, int], ...]:
    places: dict[int, int] = {}
    for first, _ in said.places(key)[:_MOST_PLACES]:
        places.setdefault(sentence_of(first, said.answer), first)
    return tuple(places.items())
