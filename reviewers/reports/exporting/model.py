"""A report as plain values: what every format is written from, so that values and footnote numbers agree in all of them.

Offsets are code points of an answer's clean text. Moments are ISO 8601 in UTC. Digests bear the name of their hash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from reviewers.reports.exporting.concluded import Agreed, Calibrated, Decided
from reviewers.reports.exporting.told import Document, Found, Grounds, Row

VERSION = 1


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote's place in the clean text; ``is_found_afterwards`` where it is none of the model's."""

    position: int
    footnote: int
    is_found_afterwards: bool


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A review that was submitted."""

    id: str
    reviewer: str
    submitted_at: str
    labels: int


@dataclass(frozen=True, slots=True)
class Signed:
    """A signature: by the printed name, when in the signer's own time, in which meaning, of what, and whether it still holds."""

    id: str
    review: str
    printed_name: str
    meaning: str
    meaning_words: str
    signed_at: str
    moment: str
    digest: str
    standing: str
    changes: tuple[str, ...]
    is_replaced: bool


@dataclass(frozen=True, slots=True)
class Sampled:
    """How the answer came into review: by which plan, and how that draws."""

    plan: str
    plan_name: str
    method: str
    stratum: str
    probability: float
    trigger: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event of the ledger about this answer. ``index`` is its place in the log ``origin``; none while it waits to be sealed."""

    id: str
    action: str
    at: str
    by: str
    origin: str
    index: int | None


@dataclass(frozen=True, slots=True)
class Taken:
    """What two people have redacted: parts of the record in words, on which basis, when and who. Bars stand where they were."""

    parts: tuple[str, ...]
    basis: str
    at: str
    by: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer with everything a report says of it. ``left_out`` counts fields that the answer does not draw on.

    ``is_withheld`` says that it is under blind review by people in the reader's role: then nothing but question and answer is here.
    """

    number: int
    id: str
    external_id: str
    conversation: str
    turn: int | None
    client: str
    provider: str
    model: str
    prompt: str
    schema: str
    answered_at: str
    frozen_at: str
    digest: str
    question: str
    response: str
    text: str
    notes: tuple[Note, ...]
    state: str
    source: str
    profile: str
    engine: str
    is_calibrated: bool
    attribution: str
    hidden_sections: tuple[str, ...]
    is_withheld: bool
    left_out: int
    rows: tuple[Row, ...]
    documents: tuple[Document, ...]
    grounds: Grounds | None
    findings: tuple[Found, ...]
    reviews: tuple[Reviewed, ...]
    signatures: tuple[Signed, ...]
    sampled: Sampled | None
    redactions: tuple[Taken, ...]
    decisions: tuple[Decided, ...]
    events: tuple[Recorded, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """What a report is of: its kind, its title, who holds the records, what it was limited to, and how it is to be read."""

    version: int
    kind: str
    title: str
    organisation: str
    facts: tuple[tuple[str, str], ...]
    all_fields: bool
    reading: str


@dataclass(frozen=True, slots=True)
class Sealed:
    """A signed checkpoint of a log that covers the events of the report which stand in it."""

    origin: str
    size: int
    root: str
    note: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What shows anybody that an event is in its log (C2SP tlog-proof)."""

    event: str
    text: str


@dataclass(frozen=True, slots=True)
class Closing:
    """The end of a report: how many answers it has, how many of their events wait to be sealed, and the checkpoints over the others.

    Behind them how far reviewers agree, and how the profiles stand that its answers were shown under. Receipts of all events are in
    the reports of a few answers; longer ones have them in their bundle.
    """

    answers: int
    waiting: int
    checkpoints: tuple[Sealed, ...]
    receipts: tuple[Receipt, ...] = ()
    agreement: tuple[Agreed, ...] = ()
    calibration: tuple[Calibrated, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All of it, in memory: for formats that need to know the end at the beginning."""

    header: Header
    answers: Sequence[Answer]
    closing: Closing


Part = Header | Answer | Closing
"""What a report that is too long for memory comes as: its header, each answer, its closing."""

READING = (
    "This report tells what the assistant reported to have used and what of its record can be seen in its answer. "
    "Neither proves what caused the answer. Values are those that the assistant was given at that time."
)


def as_data(value: Any) -> Any:
    """Plain JSON values of any of these, by the names of their fields."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple or kind is list:
        return [as_data(each) for each in value]
    if kind is dict:
        return value
    if is_dataclass(kind):
        return {
            name: each if type(each) in _PLAIN else as_data(each) for name, each in zip(_names(kind), _getter(kind)(value), strict=True)
        }
    return value


_PLAIN = frozenset({str, int, float, bool, type(None)})


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


@cache
def _getter(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    """All values of a dataclass at once, which is felt where there are a hundred of them in an answer."""
    return attrgetter(*_names(kind))


def gather(parts: Iterable[Part]) -> Report:
    """A report out of its parts."""
    header, *answers, closing = parts
    if not isinstance(header, Header) or not isinstance(closing, Closing):
        raise TypeError("A report begins with its header and ends with its closing.")
    return Report(header, [each for each in answers if isinstance(each, Answer)], closing)
