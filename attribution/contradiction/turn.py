"""One turn as contradictions are looked for in it: its rows, and which words of the answer they explain."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from attribution.answer import Answer
from attribution.context import LARGEST
from attribution.contradiction.words import ARRANGING
from attribution.dialogue import tail
from attribution.model import FieldAttribution, FieldType, Span
from attribution.profile import Profile
from attribution.registry import LeafName
from attribution.text import JOINER, fold

SEVERAL = -1
_LONGEST_VALUE = 400
_MOST_FIELDS = 400
_MOST_ELEMENTS = 20


class Turn:
    """The rows of a turn with its answer."""

    def __init__(self, rows: Sequence[FieldAttribution], answer: Answer, profile: Profile) -> None:
        self.rows = rows
        self.answer = answer
        self.profile = profile
        self._numbers = _numbers_by_type(rows)
        self._coverage: tuple[list[int], list[int]] | None = None

    def of(self, kind: FieldType) -> Sequence[int]:
        """The numbers of the rows of a type, in order; those of hidden sections are not compared."""
        return self._numbers.get(kind, ())

    def covers(self, offset: int) -> bool:
        """Return True if a row's evidence covers a place: tells the same as ``explained``, at once."""
        starts, ends = self.coverage()
        position = bisect_right(starts, offset) - 1
        return position >= 0 and offset < ends[position]

    def coverage(self) -> tuple[list[int], list[int]]:
        """The starts of all evidence in order, and for each the furthest end up to it."""
        if self._coverage is None:
            self._coverage = _coverage_of(self.rows)
        return self._coverage

    @cached_property
    def explained(self) -> Mapping[int, int]:
        """For each word of the answer, the number of the row whose evidence covers it, or ``SEVERAL``.

        Ambiguous evidence and the loose words of long texts explain nothing.
        """
        table: dict[int, int] = {}
        for number, row in enumerate(self.rows):
            evidence = row[8]
            if evidence and not evidence.is_ambiguous and row[0][3] is not FieldType.SUMMARY:
                for span in evidence.spans:
                    for place in self.answer.places_in(span):
                        table[place] = number if table.get(place, number) == number else SEVERAL
        return table

    def is_explained_by_another(self, span: Span, number: int) -> bool:
        """Return True if the evidence of a row other than this one covers a place."""
        return any(self.explained.get(place, number) != number for place in self.answer.places_in(span))

    def is_of_the_record(self, span: Span, numbers: Sequence[int]) -> bool:
        """Return True if the sentence around a place tells of what these rows do.

        It shows another value of their sections, or says what is arranged.
        """
        answer = self.answer
        places = answer.places_in(answer.sentence_at(span[0]))
        if not ARRANGING.isdisjoint(answer.stem_words[places.start : places.stop]):
            return True
        rows, explained = self.rows, self.explained
        sections = {rows[number][0][0] for number in numbers}
        shown = {explained[place] for place in places if place in explained}
        dated = {rows[number][0][0] for number in shown if number != SEVERAL and rows[number][0][3] is FieldType.DATE}
        if dated and sections.isdisjoint(dated):
            return False  # the day is another section's, and what goes with it is of the same
        return any(number == SEVERAL or rows[number][0][0] in sections for number in shown)

    def name(self, number: int) -> LeafName:
        """Return what the name of a row's field tells."""
        return self.profile.registry.leaf_name(self.rows[number].field.leaf)

    @cached_property
    def values(self) -> list[str]:
        """The short values of all fields as texts, those of hidden ones too: what the answer says may be of them."""
        told = [row[0] for row in self.rows[:_MOST_FIELDS] if row[0][3] is not FieldType.EMPTY]
        return [text for field in told for text in _texts(field.value)]

    def knows(self, word: str) -> bool:
        """Return True if any value, or what the user wrote, has a folded word."""
        return word in self._known_words

    @cached_property
    def _known_words(self) -> frozenset[str]:
        told = "\n".join([*self.values, tail(self.answer.asked)[-_LONGEST_VALUE:]])
        return frozenset(fold(told).replace(JOINER, "").split())

    @cached_property
    def user(self) -> Answer:
        """What the user wrote last, read as the answer is read."""
        return Answer(tail(self.answer.asked)[-_LONGEST_VALUE:])


def _numbers_by_type(rows: Sequence[FieldAttribution]) -> dict[str, list[int]]:
    table: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        _, _, _, kind, _, is_hidden = row[0]
        if is_hidden:
            continue
        if kind in table:
            table[kind].append(number)
        else:
            table[kind] = [number]
    return table


def _coverage_of(rows: Sequence[FieldAttribution]) -> tuple[list[int], list[int]]:
    spans: list[Span] = []
    for row in rows:
        evidence = row[8]
        if evidence is not None and row[0][3] is not FieldType.SUMMARY and not evidence.is_ambiguous:
            spans += evidence[3]
    spans.sort()
    return [span[0] for span in spans], list(accumulate([span[1] for span in spans], max))


def _texts(value: object) -> Iterator[str]:
    for each in value[:_MOST_ELEMENTS] if isinstance(value, list) else [value]:
        if isinstance(each, str):
            yield each[:_LONGEST_VALUE]
        elif isinstance(each, (int, float)) and not isinstance(each, bool) and -LARGEST < each < LARGEST:
            yield str(each)
