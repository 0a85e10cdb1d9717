"""One turn as contradictions are looked for in it: its rows, and which words of the answer they explain."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from attribution.answer import Answer
from attribution.dialogue import tail
from attribution.model import Contradiction, Field, FieldAttribution, FieldType, Span
from attribution.profile import Profile
from attribution.schema.context import LARGEST
from attribution.schema.registry import LeafName
from attribution.text import JOINER, fold, stems, words

MODALS = words("could might may should become becomes")
"""Words that make a value a possibility or a bound."""

CONFIRMING = stems("""
    confirm confirmed correct right book booked booking reserve reserved reservation schedule scheduled buy purchase order okay ok
    fine work sound please want wish prefer instead like
""")
"""A question with one of these says over again what is to be done: it states its values."""

ARRANGING = CONFIRMING - stems("like") | stems("""
    see meet expect come visit slot available cost costs costing price total pay reach contact number rated rating
""")
"""Words of a sentence that tells what is arranged or on record."""

CONTRASTED = words("unlike than besides or versus not no either neither nor")
"""Before a word of a closed set, what names it beside the value that is meant."""

OFFERING = (
    *(("how", "about"), ("what", "about"), ("would", "you"), ("do", "you", "want"), ("do", "you", "wish"), ("shall", "i")),
    *(("should", "i"), ("what", "do", "you", "think"), ("how", "do", "you", "feel"), ("how", "does"), ("have", "you", "heard")),
    ("what", "is", "your", "opinion"),
)
"""Words that begin a question which offers its values."""

ASKING = words("is are was were does do did has have had can could will would what which when where who whose why how any")
"""Words that begin a question which only asks."""


STREETS = words("""
    street st avenue ave road rd drive dr boulevard blvd lane ln court ct place pl square sq highway hwy way terrace parkway pkwy circle
    alley plaza broadway row route suite
""")
"""Words that end the name of a street."""


SEVERAL = -1
_LONGEST_VALUE = 400
_MOST_FIELDS = 400
_MOST_ELEMENTS = 20


class Shown(NamedTuple):
    """The rows that some words show: how many of each section, the places that several rows share, and the sections of dates.

    ``has_shared``: there is such a place, or one goes on from before. ``arranges``: the words say what is arranged or on record.
    """

    rows: Mapping[str, int]
    shared: int
    has_shared: bool
    dated: frozenset[str]
    arranges: bool


class Turn:
    """The rows of a turn with its answer."""

    def __init__(self, rows: Sequence[FieldAttribution], answer: Answer, profile: Profile) -> None:
        self.rows = rows
        self.answer = answer
        self.profile = profile
        self._numbers = _numbers_by_type(rows)
        self._coverage: tuple[list[int], list[int]] | None = None
        self._shown: dict[range, Shown] = {}
        self.asking: dict[Span, bool] = {}

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
            evidence = row.evidence
            if evidence and not evidence.is_ambiguous and row.field.type is not FieldType.SUMMARY:
                for span in evidence.spans:
                    for place in self.answer.places_in(span):
                        table[place] = number if table.get(place, number) == number else SEVERAL
        return table

    def shown_in(self, places: range) -> Shown:
        """Return what some words show. It is read once: many names and fields are looked at in the same sentence."""
        if places not in self._shown:
            self._shown[places] = self._read_shown(places)
        return self._shown[places]

    def _read_shown(self, places: range) -> Shown:
        numbers = [self.explained.get(place) for place in places]
        before = [self.explained.get(places.start - 1), *numbers] if places else []
        fields = [self.rows[number].field for number in set(numbers) if number is not None and number != SEVERAL]
        return Shown(
            rows=Counter([field.section for field in fields]),
            shared=sum([number == SEVERAL and earlier != SEVERAL for earlier, number in zip(before, numbers, strict=False)]),
            has_shared=SEVERAL in numbers,
            dated=frozenset([field.section for field in fields if field.type is FieldType.DATE]),
            arranges=not ARRANGING.isdisjoint(self.answer.stem_words[places.start : places.stop]),
        )

    def is_explained_by_another(self, span: Span, number: int) -> bool:
        """Return True if the evidence of a row other than this one covers a place."""
        return any(self.explained.get(place, number) != number for place in self.answer.places_in(span))

    def is_of_the_record(self, span: Span, numbers: Sequence[int]) -> bool:
        """Return True if the sentence around a place tells of what these rows do.

        It shows another value of their sections, or says what is arranged.
        """
        shown = self.shown_in(self.answer.places_in(self.answer.sentence_at(span[0])))
        if shown.arranges:
            return True
        sections = {self.rows[number].field.section for number in numbers}
        if shown.dated and sections.isdisjoint(shown.dated):
            return False  # the day is another section's, and what goes with it is of the same
        return shown.has_shared or not sections.isdisjoint(shown.rows)

    def name(self, number: int) -> LeafName:
        """Return what the name of a row's field tells."""
        return self.profile.registry.leaf_name(self.rows[number].field.leaf)

    @cached_property
    def values(self) -> list[str]:
        """The short values of all fields as texts, those of hidden ones too: what the answer says may be of them."""
        told = [row.field for row in self.rows[:_MOST_FIELDS] if row.field.type is not FieldType.EMPTY]
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
        """The last message of the user, read as the answer is read."""
        return Answer(tail(self.answer.asked)[-_LONGEST_VALUE:])


def _numbers_by_type(rows: Sequence[FieldAttribution]) -> dict[str, list[int]]:
    table: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        if row.field.is_hidden:
            continue
        kind = row.field.type
        if kind in table:
            table[kind].append(number)
        else:
            table[kind] = [number]
    return table


def _coverage_of(rows: Sequence[FieldAttribution]) -> tuple[list[int], list[int]]:
    spans: list[Span] = []
    for row in rows:
        evidence = row.evidence
        if evidence is not None and row.field.type is not FieldType.SUMMARY and not evidence.is_ambiguous:
            spans += evidence.spans
    spans.sort()
    return [span[0] for span in spans], list(accumulate([span[1] for span in spans], max))


def _texts(value: object) -> Iterator[str]:
    for each in value[:_MOST_ELEMENTS] if isinstance(value, list) else [value]:
        if isinstance(each, str):
            yield each[:_LONGEST_VALUE]
        elif isinstance(each, (int, float)) and not isinstance(each, bool) and -LARGEST < each < LARGEST:
            yield str(each)


class Rival(NamedTuple):
    """Another value of a field's kind, where it stands, and why it is taken as the field's.

    ``denies_own``: it is what the row's evidence takes for a use of the field.
    """

    stated: str
    span: Span
    because: str
    denies_own: bool = False


def contradiction_of(field: Field, rivals: Sequence[Rival], answer: Answer) -> Contradiction:
    """Both values and all places; the trace tells of the first."""
    first = rivals[0]
    spans = tuple(dict.fromkeys(rival.span for rival in rivals))
    recorded = str(field.value).lower() if isinstance(field.value, bool) else str(field.value)
    trace = (
        f"‘{answer.as_written(first.span)}’ at {first.span[0]}–{first.span[1]} gives another value ({first.because}): "
        f"record {recorded}, answer {first.stated}"
    )
    return Contradiction(recorded, first.stated, spans, trace)
