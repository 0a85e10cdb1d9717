"""Citations found after the fact, by words: each sentence of an answer against the passages, for answers that cite nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from attribution.budget import MOST_CHECKED, Budget, cost_of_figures, part_read
from attribution.documents.figures_and_names import find_missing_in, names_or_counts
from attribution.documents.known import Known, know
from attribution.documents.support import Support, judge_support_in
from attribution.documents.wording import Wording, weight
from attribution.lexicon.words import FUNCTION_WORDS
from attribution.model import Span
from attribution.segmentation import clause_ends
from attribution.text import fold_words, stem

MOST_SOURCES = 3
"""So many passages a sentence is given at most."""
LEAST_SHARE = 0.5
"""A passage must have so much of a sentence, by weight of its content words."""
FEWEST_WORDS = 3
"""A sentence with fewer content words says too little to be found anywhere."""
_MOST_JUDGED = 3
"""So many passages, those with the most of a sentence, are looked at closely."""
_BESIDE_BEST = 0.75
"""A passage with less than this of what the best one has is not looked at beside it."""
_MOST_HOLDERS = 256
"""So many passages are thought of for a sentence, by its rarest words first: keeps the search linear."""
_PER_SENTENCE = 60
"""Steps that the shortest one takes."""
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FoundReference:
    """A sentence of the answer and a passage that has it.

    ``span`` is that of the sentence, in code points of the answer; ``passage`` counts from 0; ``window`` is the span of the best
    sentences in that passage. ``probability`` is raw, between 0 and 1.
    """

    span: Span
    passage: int
    window: Span | None
    probability: float
    trace: str


def find_references(answer: str, passages: Sequence[str], question: str = "") -> tuple[FoundReference, ...]:
    """The references of an answer, sentence by sentence, the most probable first within each.

    Nothing for an answer of code alone, nor where there are no passages. A passage that lacks a figure or name of the sentence is
    no source of it, however like the rest may be. Nothing is found for the sentences and passages of a turn that has more of them than
    is read.
    """
    asked = Wording(part_read(question))
    answer = part_read(answer)
    shelf = _Shelf(answer, passages)
    found: list[FoundReference] = []
    for span in sentences_of(answer):
        sentence = Wording(answer[span[0] : span[1]])
        if len(sentence.places) >= FEWEST_WORDS and shelf.budget.take(_PER_SENTENCE + 4 * len(sentence.text)):
            found += _references_of(sentence, span, shelf, asked)
    return tuple(found)


def _references_of(sentence: Wording, span: Span, shelf: _Shelf, asked: Wording) -> list[FoundReference]:
    judged: list[tuple[float, int, Support]] = []
    is_checkable = names_or_counts(sentence.text)
    for number in shelf.nearest(sentence):
        if not shelf.affords(number):
            continue
        support = judge_support_in(sentence, [shelf.wording(number)], asked, only_what_is_seen=True)
        if support.is_supported and not (is_checkable and find_missing_in(sentence.text, shelf.known(number))):
            judged.append((-support.probability, number, support))
    best = sorted(judged, key=lambda each: each[:2])[:MOST_SOURCES]
    return [FoundReference(span, number, support.window, support.probability, support.trace) for _, number, support in best]


def sentences_of(answer: str) -> list[Span]:
    """The sentences of an answer, without spaces around and without fenced code."""
    prose = _FENCED.sub(lambda match: " " * len(match.group()), answer) if "```" in answer else answer
    ends = [end for end in clause_ends(prose) if prose[end - 1] in ".!?\n"]
    return [trimmed for start, end in pairwise([0, *ends, len(prose)]) if (trimmed := _trimmed(prose, start, end))[0] < trimmed[1]]


def _trimmed(text: str, start: int, end: int) -> Span:
    written = text[start:end]
    return (start + len(written) - len(written.lstrip()), start + len(written.rstrip()))


class _Shelf:
    """The passages of an answer: which have which of its words, found in one walk over all; a passage is prepared when looked at."""

    def __init__(self, answer: str, passages: Sequence[str]) -> None:
        self._passages = passages
        self.budget = Budget(MOST_CHECKED)
        self._wordings: dict[int, Wording] = {}
        self._known: dict[int, Known] = {}
        stems = {stem(word) for word in fold_words(answer) if word not in FUNCTION_WORDS}
        words = [fold_words(passage) for passage in passages]
        forms = {word: form for word in set().union(*words) if (form := stem(word)) in stems}
        wanted = set(forms.keys() - FUNCTION_WORDS)
        self._holders: dict[str, list[int]] = {form: [] for form in stems}
        for number, each in enumerate(words):
            for form in {forms[word] for word in wanted.intersection(each)}:
                self._holders[form].append(number)

    def nearest(self, sentence: Wording) -> list[int]:
        """The passages with the most of a sentence, if it is enough. Words that stand in too many passages choose none of them."""
        weights = {each: weight(word) for each, word in zip(sentence.stems, sentence.words, strict=True)}
        held: dict[int, float] = {}
        looked_at = counted = 0
        total = 0.0
        for each in sorted(weights, key=lambda each: len(self._holders.get(each, ()))):
            holders = self._holders.get(each, [])
            looked_at += len(holders)
            if counted and looked_at > _MOST_HOLDERS:
                break
            counted += bool(holders)
            total += weights[each]
            for number in holders[:_MOST_HOLDERS]:
                held[number] = held.get(number, 0.0) + weights[each]
        best = sorted(held, key=lambda number: (-held[number], number))[:_MOST_JUDGED]
        least = max(LEAST_SHARE * total, _BESIDE_BEST * held[best[0]]) if best else 0.0
        return [number for number in best if held[number] >= least]

    def affords(self, number: int) -> bool:
        """Return True if a passage is read already, or there are steps left to read it."""
        text = self._passages[number]
        return number in self._wordings or self.budget.take(len(text) // 2 + cost_of_figures(text))

    def wording(self, number: int) -> Wording:
        """A passage as claims are compared with it."""
        if number not in self._wordings:
            self._wordings[number] = Wording(self._passages[number])
        return self._wordings[number]

    def known(self, number: int) -> Known:
        """The figures and names of a passage."""
        if number not in self._known:
            self._known[number] = know(self._passages[number])
        return self._known[number]
