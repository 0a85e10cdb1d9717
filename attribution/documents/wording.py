"""Texts as claims are compared with them: stems of content words with their places, sentences, and what a sentence denies or directs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import fsum
from pkgutil import get_data
from typing import Any, NamedTuple

from attribution.assertion import AssertionKind, Assertions
from attribution.documents.differences import telling_words
from attribution.documents.transcript import Transcript
from attribution.figures import MOST_PLACES
from attribution.lexicon.words import FUNCTION_WORDS, NEGATIONS, NUMBER_WORDS
from attribution.model import Span
from attribution.text import clause_ends, fold, split_words, stem, words

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


class Window:
    """The text of a window; its denials and figures, and its transcript, are worked out when they are first asked for."""

    __slots__ = ("_telling", "_transcript", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._telling: frozenset[str] | None = None
        self._transcript: Transcript | None = None

    @property
    def telling(self) -> frozenset[str]:
        """The denials and figures that are in it."""
        if self._telling is None:
            self._telling = telling_words(self.text)
        return self._telling

    @property
    def transcript(self) -> Transcript:
        """The window as quotes are compared with it."""
        if self._transcript is None:
            self._transcript = Transcript(self.text)
        return self._transcript


_SENTENCE_END = re.compile(r"[.!?](?:[\s\"'”’)\]]|(?<=[a-z][.!?])(?=[A-Z]))|\n")
"""Excerpts of web pages have lost the space between sentences as often as not."""
_MARKER = re.compile(r"\[\s?\d{1,4}(?:\s?[,–-]\s?\d{1,4}){0,20}\s?\]")

_WHOLE = -1
_RAREST_LENGTH, _PER_LETTER, _LEAST_WEIGHT = 9, 0.13, 0.35


def weight(word: str) -> float:
    """Return how much a content word tells, from about 0.5 to 1.5: longer words are rarer, up to a length from which on all are rare."""
    return _LEAST_WEIGHT + _PER_LETTER * min(len(word), _RAREST_LENGTH)


class Wording:
    """The content words of a text in their order: ``words`` as folded, their ``stems``, and the number of the sentence of each.

    ``places`` are those of each stem among them. ``size`` counts all words of the text, also those without content.
    """

    __slots__ = ("_ends", "_statements", "_windows", "places", "sentences", "size", "stems", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.size = 0
        self.words: list[str] = []
        self.sentences: list[int] = []
        folded = fold(text)
        self._ends = [match.end() for match in _SENTENCE_END.finditer(text)]
        start = 0
        for number, end in enumerate([*self._ends, len(text)]):
            found = split_words(folded[start:end])
            content = [word for word in found if word not in FUNCTION_WORDS]
            self.size += len(found)
            self.words += content
            self.sentences += [number] * len(content)
            start = end
        self.stems = list(map(stem, self.words))
        places: dict[str, list[int]] = {}
        for place, stemmed in enumerate(self.stems):
            if stemmed in places:
                places[stemmed].append(place)
            else:
                places[stemmed] = [place]
        self.places = places
        self._windows: dict[Span, Window] = {}
        self._statements: dict[int, Statement] = {}

    def window(self, span: Span) -> Window:
        """The window at a span, the same one each time it is asked for."""
        if span not in self._windows:
            self._windows[span] = Window(self.text[slice(*span)])
        return self._windows[span]

    @property
    def whole(self) -> Statement:
        """The text read as one sentence."""
        if _WHOLE not in self._statements:
            self._statements[_WHOLE] = read_statement(self.text)
        return self._statements[_WHOLE]

    def statement(self, sentence: int) -> Statement:
        """Return what a sentence says, read once. Sentences are counted from 0."""
        if sentence not in self._statements:
            self._statements[sentence] = read_statement(self.text[slice(*self.sentences_span(sentence, sentence))])
        return self._statements[sentence]

    def sentences_span(self, first: int, last: int) -> Span:
        """From the beginning of one sentence to the end of another, without the spaces around."""
        ends = self._ends
        start = ends[first - 1] if first else 0
        end = ends[last] if last < len(ends) else len(self.text)
        written = self.text[start:end]
        return (start + len(written) - len(written.lstrip()), start + len(written.rstrip()))


def without_markers(claim: str) -> str:
    """A claim with its numbered markers blanked out, as long as before: the numbers of sources are not what it says."""
    return _MARKER.sub(lambda match: " " * len(match.group()), claim) if "[" in claim else claim


def nearest_sentences(passages: Sequence[Wording], weights: Mapping[str, float], most: int) -> list[tuple[int, int]]:
    """Return the sentences with most of some words, as the number of the passage and that of the sentence; the best first."""
    held = [
        (-fsum(map(weights.__getitem__, stems)), number, sentence)
        for number, passage in enumerate(passages)
        for sentence, stems in stems_by_sentence(passage, weights).items()
    ]
    return [(number, sentence) for _, number, sentence in sorted(held)[:most]]


def stems_by_sentence(passage: Wording, weights: Mapping[str, float]) -> dict[int, set[str]]:
    """Return which of some words are in each sentence of a passage."""
    found: dict[int, set[str]] = {}
    for word in weights.keys() & passage.places.keys():
        for place in passage.places[word][:MOST_PLACES]:
            found.setdefault(passage.sentences[place], set()).add(word)
    return found


_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def sentences_of(answer: str) -> list[Span]:
    """The sentences of an answer, without spaces around and without fenced code."""
    prose = _FENCED.sub(lambda match: " " * len(match.group()), answer) if "```" in answer else answer
    ends = [end for end in clause_ends(prose) if prose[end - 1] in ".!?\n"]
    return [span for start, end in pairwise([0, *ends, len(prose)]) if (span := trimmed(prose, start, end))[0] < span[1]]


def trimmed(text: str, start: int, end: int) -> Span:
    """Return a span without the spaces at its ends."""
    written = text[start:end]
    return (start + len(written) - len(written.lstrip()), start + len(written.rstrip()))
