"""The results of the engine: immutable, with offsets in code points of the clean text unless a name says otherwise.

What a turn has one of is a frozen dataclass; what it has by the dozen is a named tuple, which is made three times as fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Counted(NamedTuple):
    """The labels of a node of the calibration, and how many of them say that the answer draws on the field."""

    node: str
    right: int
    labels: int


class Estimate(NamedTuple):
    """A confidence and the bounds of its 90% interval, all probabilities; what it was learned from.

    ``counted`` goes from the rule by the type of field to the field itself, as far down as there are labels. ``prior`` is what
    the rows like this one led to expect before the labels of the last node counted were seen, and ``worth`` how many labels that
    expectation counts as much as.
    """

    confidence: float
    low: float
    high: float
    counted: tuple[Counted, ...]
    prior: float
    worth: float


JSON = Mapping[str, "JSON"] | list["JSON"] | str | int | float | bool | None


new = tuple.__new__
"""Makes a named tuple from a tuple of all its items, without its Python-level constructor: felt where there are dozens."""

Span = tuple[int, int]
"""A half-open range of code points: start and end."""


def contains(outer: Span, inner: Span) -> bool:
    """Return True if a span lies within another."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


class Word(StrEnum):
    """A closed set of words. Hashed as text: the hash that ``Enum`` brings is a Python call, felt in every look-up."""

    __hash__ = str.__hash__


class FieldType(Word):
    """The kind of value that a field holds; it chooses the matcher."""

    ENUM = "enum"
    NUMERIC = "numeric"
    SUMMARY = "summary"
    QUESTION = "question"
    LIST = "list"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    MONEY = "money"
    DURATION = "duration"
    NAME = "name"
    IDENTIFIER = "identifier"
    FIELD_VALUE = "field_value"
    EMPTY = "empty"


class MarkerStatus(Word):
    """The status of a marker. Only ``resolved`` ones count as citations."""

    RESOLVED = "resolved"
    UNKNOWN = "unknown"
    ABSENT = "absent"
    HIDDEN = "hidden"
    DUPLICATE = "duplicate"
    MALFORMED = "malformed"
    QUOTED = "quoted"
    ECHOED = "echoed"
    AMBIGUOUS = "ambiguous"


class Source(Word):
    """The source of an attribution: the model's markers, matching, both or neither."""

    CITATION = "citation"
    HEURISTIC = "heuristic"
    MIXED = "mixed"
    NONE = "none"


class Track(Word):
    """The two tracks of one field side by side: reported by the model, visible to a reader."""

    CITED_AND_FOUND = "cited_and_found"
    CITED_ONLY = "cited_only"
    FOUND_ONLY = "found_only"
    NEITHER = "neither"


class GuardrailCode(Word):
    """The kinds of finding. All but the last four are named after the marker status that raises them."""

    UNKNOWN = "unknown"
    ABSENT = "absent"
    HIDDEN = "hidden"
    DUPLICATE = "duplicate"
    MALFORMED = "malformed"
    QUOTED = "quoted"
    ECHOED = "echoed"
    AMBIGUOUS = "ambiguous"
    OVER_CITED = "over_cited"
    CONTRADICTED = "contradicted"
    READ_IN_PART = "read_in_part"
    LANGUAGE_NOT_READ = "language_not_read"


class Field(NamedTuple):
    """A leaf of the context. ``path`` is dotted; a dot or backslash inside a key is escaped with a backslash."""

    section: str
    path: str
    leaf: str
    type: FieldType
    value: JSON
    is_hidden: bool = False


class Marker(NamedTuple):
    """A citation as written, and what became of it.

    ``raw`` counts code points of the answer as it was sent, ``position`` code points of the clean text. A malformed marker stays in
    the clean text, all others are taken out. ``claim`` is the clause a resolved marker follows. ``footnote`` is shared by
    a resolved marker and its duplicates. ``detail`` says in words why the status is not ``resolved``.

    A citation that ``is_beside`` the text was sent as JSON. It stands behind the words that it is for, ``raw`` is empty, and it has no
    ``position`` if it tells no words; ``detail`` also says what is wrong with these.
    """

    text: str
    prefix: str
    name: str
    status: MarkerStatus
    raw: Span
    position: int | None
    section: str | None = None
    path: str | None = None
    footnote: int | None = None
    claim: Span | None = None
    detail: str = ""
    is_beside: bool = False


class Evidence(NamedTuple):
    """Evidence of one matcher in the answer for one field.

    ``score`` is raw, between 0 and 1, never a probability. ``trace`` is one sentence that a reviewer can check by eye.
    ``elements`` and ``elements_found`` count the elements of a list. ``is_ambiguous`` marks a score that was capped, from
    ``uncapped_score``, because the words are common and nothing near them tells that this field is meant. A lone digit is capped
    to nothing: only a marker behind it makes it count.
    """

    method: FieldType
    rule: str
    score: float
    spans: tuple[Span, ...]
    trace: str
    uncapped_score: float = 0.0
    elements: int = 0
    elements_found: int = 0

    @property
    def is_ambiguous(self) -> bool:
        """True if the score was capped."""
        return self.uncapped_score > self.score


class Mentioned(NamedTuple):
    """The answer has a field's value and does not assert it: it denies it, asks for it, says it of others or in general.

    ``assertion`` is the name of the assertion, as in ``negated``, ``asked``, ``other_subject``; ``spans`` are the places of the value and
    ``trigger`` that of the words that say so. ``trace`` says it in one sentence.
    """

    assertion: str
    spans: tuple[Span, ...]
    trigger: Span | None
    trace: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The answer states another value of a field. ``recorded`` and ``stated`` are the two values, ``spans`` where it says so."""

    recorded: str
    stated: str
    spans: tuple[Span, ...]
    trace: str


class FieldAttribution(NamedTuple):
    """One row: a field, whether the answer cites it, what matching found, and the score and confidence that follow.

    ``method`` is ``citation``, the method of the evidence, or ``none``. ``score`` is raw; ``confidence`` is what the profile's
    calibration makes of it, with its interval and counts in ``estimate``; it equals the score while the profile is uncalibrated,
    and where no label tells of the rule. ``mentioned`` says of a row without evidence that its value is in the answer, not asserted.
    """

    field: Field
    track: Track = Track.NEITHER
    method: str = "none"
    rule: str = "none"
    score: float = 0.0
    confidence: float = 0.0
    footnote: int | None = None
    claims: tuple[Span, ...] = ()
    evidence: Evidence | None = None
    contradiction: Contradiction | None = None
    estimate: Estimate | None = None
    mentioned: Mentioned | None = None

    @property
    def is_cited(self) -> bool:
        """True if the model reports this field."""
        return self.footnote is not None

    @property
    def is_used(self) -> bool:
        """True if the row claims that the answer draws on the field."""
        return self.track is not Track.NEITHER

    @property
    def spans(self) -> tuple[Span, ...]:
        """The places where a reader can see the field: the evidence, or for a field that is only cited the clause before its marker."""
        return self.evidence.spans if self.evidence else self.claims

    @property
    def trace(self) -> str:
        """The evidence's sentence, or the one that says there is a marker and nothing else."""
        if self.evidence:
            return self.evidence.trace
        return "cited; its value is not visible in the answer" if self.is_cited else ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A guardrail finding: ``count`` places, the first few of them in ``spans``."""

    code: GuardrailCode
    message: str
    count: int
    spans: tuple[Span, ...]
    section: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Attribution:
    """Everything the engine says of one turn under one profile. ``fields`` keeps the order of the context."""

    clean_text: str
    source: Source
    fields: tuple[FieldAttribution, ...]
    markers: tuple[Marker, ...]
    guardrails: tuple[Finding, ...]
    hidden_sections: tuple[str, ...]
    profile: str
    is_calibrated: bool
    engine_version: str

    @property
    def used(self) -> tuple[FieldAttribution, ...]:
        """The rows that are cited, found or both."""
        return tuple(row for row in self.fields if row.track is not Track.NEITHER)
