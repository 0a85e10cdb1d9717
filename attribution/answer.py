"""The prepared answer: built once, then asked by every matcher. One pass over the text, one look-up per question."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import Any

from attribution.budget import MOST_STEPS
from attribution.dialogue import Exchange, Utterance, exchanges, tail
from attribution.figures import MOST_PLACES, SPOKEN_WORDS, Figure, Figures, find_figures, find_spoken, merged
from attribution.figures.calendar import DAY_WORDS, NO_DAYS, RelativeDays, find_relative_days
from attribution.model import Span
from attribution.quantities import MEASURE_WORDS, Measured, as_share, find_quantities, number_ends
from attribution.text import JOINER, clause_ends, fold, index_words, language_of, lower, split_words, stem

_HEADING = re.compile(
    r"^[ \t]{0,3}(?:#{1,6}[ \t]+[^\n]{1,120}|\*\*[^*\n]{1,80}\*\*:?[ \t\r]*|[A-Z][^\n:.!?]{1,60}:[ \t\r]*)$", re.MULTILINE
)
"""A Markdown heading, a line in bold, or a short line that ends with a colon."""


_NAMES_WHAT_FOLLOWS = (":", "–", "—", "-")


_TELLING = SPOKEN_WORDS | DAY_WORDS
"""Words that make it worth while to look for what is written out: one look for all of them."""


class Label:
    """A word that points to a field, found near a place: the word as written, and how many words away, negative before it."""

    __slots__ = ("distance", "word")

    def __init__(self, word: str, distance: int) -> None:
        self.word = word
        self.distance = distance

    def __str__(self) -> str:
        away = abs(self.distance)
        return f"label ‘{self.word}’ {away} word{'s' if away > 1 else ''} {'before' if self.distance < 0 else 'after'}"


class Answer:
    """A clean answer with what matchers look things up in. All offsets are code points of ``text``; words count from 0.

    ``places`` and ``stems`` are the places of each word and of each stem, ``stem_words`` the stem of each word in turn.
    ``number_words`` are the numbers written out: by canonical number the places, and how many words each has. ``numeric_keys`` are all
    canonical numbers that can be looked for with any hope. ``answered_on`` is the day of the message, if it is known. ``asked`` is
    what the user wrote before: it is read to understand the answer, and nothing is found in it. ``said_of`` keeps what was read of
    yes-or-no fields, by their names, and ``rates`` what was read of how often something is, by its period. ``tells_days``: whether a
    word of it such as "tomorrow" tells a day by that of the message. ``steps`` counts the places that were looked at for fields,
    ``unread`` the fields that were not compared because of what that would cost.
    """

    def __init__(self, text: str, answered_on: date | None = None, asked: str = "") -> None:
        self.text = text
        self.steps = self.unread = 0
        self.answered_on = answered_on
        self.asked = asked
        self.said_of: dict[str, Sequence[Any]] = {}
        self.rates: dict[str, Sequence[Any]] = {}
        self.folded = fold(text)
        self.lowered = lower(text)
        self.words, self.starts, self.places = index_words(self.folded)
        self.stems = _places_by_stem(self.places)
        self.stem_words = list(map(stem, self.words))
        self._has_joiners = JOINER in self.folded
        figures = find_figures(self.lowered)
        self.number_words: dict[str, list[tuple[int, int]]] = {}
        telling = _TELLING.intersection(self.places)
        self.tells_days = bool(telling) and not telling.isdisjoint(DAY_WORDS)
        if telling and not telling.isdisjoint(SPOKEN_WORDS):
            self.number_words, spoken = find_spoken(self.words, self.places, telling, self.span)
            figures = merged(figures, spoken) if spoken else figures
        self.figures = Figures(figures)
        self.numeric_keys = _numeric_keys(self.figures, self.number_words)
        self.clause_ends = clause_ends(text)

    @property
    def is_spent(self) -> bool:
        """True if so many steps were taken that no other field is compared."""
        return self.steps > MOST_STEPS

    def affords(self, steps: int) -> bool:
        """Take the steps of comparing a field. Where there are not as many left, the field counts as unread."""
        if self.steps + steps > MOST_STEPS:
            self.unread += 1
            return False
        self.steps += steps
        return True

    def figures_in(self, start: int, end: int) -> list[Figure]:
        """The figures that begin between two offsets."""
        self.steps += 1
        if not self.figures.all:
            return []
        starts = self.figures.starts
        return self.figures.all[bisect_left(starts, start) : bisect_left(starts, end)]

    def find(self, words: tuple[str, ...]) -> Sequence[int]:
        """The places at which these folded words follow each other, at most ``MOST_PLACES``."""
        found = _find(words, self.places, self.words) if len(words) > 1 else self.places.get(words[0], ())[:MOST_PLACES]
        self.steps += 1 + len(found)
        return found

    def find_stems(self, stems: tuple[str, ...]) -> Sequence[int]:
        """The places at which words with these stems follow each other, at most ``MOST_PLACES``."""
        found = _find(stems, self.stems, self.stem_words) if len(stems) > 1 else self.stems.get(stems[0], ())[:MOST_PLACES]
        self.steps += 1 + len(found)
        return found

    def span(self, place: int, count: int = 1) -> Span:
        """The span of ``count`` words from ``place`` on."""
        last = place + count - 1
        self.steps += 1
        return (self.starts[place], self.word_end(last))

    def spans(self, places: Sequence[int], count: int) -> tuple[Span, ...]:
        """The spans of ``count`` words at each place."""
        if count > 1 or self._has_joiners:
            return tuple([self.span(place, count) for place in places])
        starts, words = self.starts, self.words
        return tuple([(starts[place], starts[place] + len(words[place])) for place in places])

    def word_end(self, place: int) -> int:
        """Return the end of a word."""
        if not self._has_joiners:
            return self.starts[place] + len(self.words[place])
        end = self.folded.find(" ", self.starts[place])
        return end if end >= 0 else len(self.folded)

    def place_at(self, offset: int) -> int:
        """The word that stands at an offset, or the last one before it."""
        return max(0, bisect_right(self.starts, offset) - 1)

    def as_written(self, span: Span) -> str:
        """The text of a span."""
        return self.text[span[0] : span[1]]

    @cached_property
    def backwards(self) -> str:
        """The text written backwards."""
        return self.text[::-1]

    @cached_property
    def quantities(self) -> dict[Measured, list[Span]]:
        """Quantities with their units, by what they come to."""
        if MEASURE_WORDS.isdisjoint(self.places):
            return {}
        ends = number_ends(self.figures.all, self.number_words, self.place_at)
        return find_quantities(self.words, self.places, ends, self.span)

    @cached_property
    def digit_words(self) -> frozenset[str]:
        """The words that begin with a digit."""
        return frozenset([word for word in self.places if word[0].isdigit()])

    @cached_property
    def has_digits(self) -> bool:
        """True if any word has a digit."""
        return any(map(str.isdigit, self.text))

    @cached_property
    def language(self) -> str:
        """The short name of its language."""
        return language_of(self.text, self.places)

    @cached_property
    def relative_days(self) -> RelativeDays:
        """The days told by the day of the message, by how far they are from it."""
        if not (self.tells_days or self.answered_on):
            return NO_DAYS
        return find_relative_days(self.words, self.places, self.span, self.answered_on)

    @cached_property
    def sentence_ends(self) -> list[int]:
        """The offsets behind each sentence."""
        text = self.text
        return [end for end in self.clause_ends if text[end - 1] in ".!?\n"]

    @cached_property
    def clause_starts(self) -> frozenset[int]:
        """The words at which clauses begin."""
        return frozenset([bisect_left(self.starts, end) for end in self.clause_ends])

    @cached_property
    def asked_stems(self) -> frozenset[str]:
        """The stems of what the user wrote last."""
        return frozenset(self.asked_words)

    @cached_property
    def asked_words(self) -> list[str]:
        """Return the words of the question, in their order."""
        return list(map(stem, split_words(fold(tail(self.asked)))))

    @cached_property
    def exchanges(self) -> list[Exchange]:
        """The user's yes-or-no questions that this answer replies to, with the replies."""
        sentences = frozenset([bisect_left(self.starts, end) for end in self.sentence_ends])
        return exchanges(self.asked, Utterance(self.words, self.clause_starts, sentences))

    def clause_at(self, offset: int) -> Span:
        """The clause around an offset: between commas, colons, dashes, line ends and full stops."""
        self.steps += 1
        return _between(self.clause_ends, offset, len(self.text))

    def naming_clause(self, place: int) -> Span:
        """The clause of a word; where a colon or a dash stands before the word, with the clause before, which may name it."""
        start, end = self.clause_at(self.starts[place])
        if self.text[start - 1 : start] in _NAMES_WHAT_FOLLOWS and place and self.starts[place - 1] < start:
            start, _ = self.clause_at(start - 1)
        return (start, end)

    def sentence_at(self, offset: int) -> Span:
        """The sentence around an offset, with its full stop."""
        self.steps += 1
        return _between(self.sentence_ends, offset, len(self.text))

    def is_question(self, sentence: Span) -> bool:
        """Return True if a sentence ends with a question mark."""
        return self.text[sentence[0] : sentence[1]].rstrip(" \t\n\"'”’)]*").endswith("?")

    @cached_property
    def sentences(self) -> list[Span]:
        """All sentences, in order."""
        ends = self.sentence_ends
        edges = [0, *ends] if not ends or ends[-1] >= len(self.text) else [0, *ends, len(self.text)]
        return [(start, end) for start, end in pairwise(edges) if start < end]

    @cached_property
    def questions(self) -> list[Span]:
        """The sentences that end with a question mark."""
        return [sentence for sentence in self.sentences if self.is_question(sentence)] if "?" in self.text else []

    @cached_property
    def question_words(self) -> dict[str, list[int]]:
        """For each word that is in a question, the numbers of those questions, at most ``MOST_PLACES``."""
        table: dict[str, list[int]] = {}
        for number, sentence in enumerate(self.questions):
            for word in {self.words[place] for place in self.places_in(sentence)}:
                numbers = table.setdefault(word, [])
                if len(numbers) < MOST_PLACES:
                    numbers.append(number)
        return table

    def places_in(self, span: Span) -> range:
        """The words that begin inside a span."""
        self.steps += 1
        return range(bisect_right(self.starts, span[0] - 1), bisect_right(self.starts, span[1] - 1))

    def places_around(self, place: int, span: Span, reach: int = 40) -> range:
        """The words of a span that are at most ``reach`` words away from ``place``: bounds what one look costs."""
        words = self.places_in(span)
        return range(max(words.start, place - reach), min(words.stop, place + reach + 1))

    def label_near(self, label_stems: Collection[str], place: int, count: int, reach: int = 6) -> Label | None:
        """The nearest word of ``label_stems`` in the same clause as the ``count`` words at ``place``."""
        stems = self.stems
        self.steps += 2
        found = stems.keys() & label_stems
        if not found:
            return None
        after = place + count
        candidates = [other for stem in found for other in _slice(stems[stem], place - reach, after + reach)]
        clause = self.places_in(self.naming_clause(place)) if candidates else range(0)
        before = [other - place for other in candidates if other < place and other in clause]
        behind = [other - after + 1 for other in candidates if other >= after and other in clause]
        nearest = min(before + behind, key=_unit_before_name, default=0)
        return Label(self.words[place + nearest if nearest < 0 else after + nearest - 1], nearest) if nearest else None

    @cached_property
    def has_headings(self) -> bool:
        """True if any line may be a heading. One sign is looked for before two, which are not found as fast."""
        text = self.text
        return "#" in text or ("*" in text and "**" in text) or (":" in text and (":\n" in text or ":\r" in text))

    @cached_property
    def _headings(self) -> tuple[list[int], list[frozenset[str]]]:
        found = list(_HEADING.finditer(self.text)) if self.has_headings else []
        titles = [frozenset(stem(word) for word in split_words(fold(match.group()))) for match in found]
        return [match.start() for match in found], titles

    def heading_stems_at(self, offset: int) -> frozenset[str]:
        """The stems of the heading over an offset; none where the answer has no headings."""
        starts, titles = self._headings
        above = bisect_right(starts, offset) - 1
        return titles[above] if above >= 0 else frozenset()


def _slice(ordered: list[int], start: int, stop: int) -> list[int]:
    """The numbers of a sorted list from ``start`` up to ``stop``."""
    return ordered[bisect_left(ordered, start) : bisect_left(ordered, stop)]


def _unit_before_name(distance: int) -> tuple[int, bool]:
    """The nearer label; of two as near the one behind, which may be a unit."""
    return abs(distance), distance < 0


def _places_by_stem(places: dict[str, list[int]]) -> dict[str, list[int]]:
    table: dict[str, list[int]] = {}
    for each, where in zip(map(stem, places), places.values(), strict=True):
        table[each] = sorted(table[each] + where) if each in table else where
    return table


def _numeric_keys(figures: Figures, number_words: Collection[str]) -> set[str]:
    """The canonical numbers that the answer may show in any form, a percentage as the share it is as well."""
    shares = [as_share(percentage) for percentage in figures.percents]
    return {*figures.numbers, *figures.amounts, *figures.percents, *number_words, *shares}


def _find(words: tuple[str, ...], places: dict[str, list[int]], sequence: list[str]) -> Sequence[int]:
    """Looks around the rarest word, at no more than ``MOST_PLACES`` of its places."""
    rarest: list[int] = []
    offset = 0
    for position, word in enumerate(words):
        candidates = places.get(word)
        if candidates is None:
            return ()
        if not rarest or len(candidates) < len(rarest):
            rarest, offset = candidates, position
    count, wanted = len(words), list(words)
    begins = [place - offset for place in rarest[:MOST_PLACES] if place >= offset]
    return [begin for begin in begins if sequence[begin : begin + count] == wanted]


def _between(ends: list[int], offset: int, length: int) -> Span:
    above = bisect_right(ends, offset)
    return (ends[above - 1] if above else 0, ends[above] if above < len(ends) else length)
