"""Texts as claims are compared with them: stems of content words with their places, and sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import fsum

from attribution.documents.differences import telling_words
from attribution.documents.statements import Statement, read_statement
from attribution.documents.transcript import Transcript
from attribution.figures import MOST_PLACES
from attribution.lexicon.words import FUNCTION_WORDS
from attribution.model import Span
from attribution.text import clause_ends, fold, split_words, stem


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


_SENTENCE_END = re.compile(r"[.!?](?:[\s\"'”’)\]]|(?<=[a-z][.!?])(?=[A-Z]))|\n(?![a-z])")
"""Excerpts of web pages have lost the space between sentences as often as not. A line that goes on in small letters is a wrapped one."""
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

    @property
    def sentence_count(self) -> int:
        """The number of sentences, counting the rest behind the last full stop."""
        return len(self._ends) + bool(self.text[self._ends[-1] if self._ends else 0 :].strip())

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
