"""A report as plain values: what every format is written from, so that values and footnote numbers agree in all of them.

Offsets are code points of an answer's clean text. Moments are ISO 8601 in UTC. Digests bear the name of their hash.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import DecodeError, Struct
from msgspec import json as quick

from reviewers.reports.exports.schema import Agreed, Calibrated, Document, FieldRow, Found, Grounds, ReportedDecision
from reviewers.web.masks import Mask

VERSION = 1


class Note(Struct, frozen=True):
    """A footnote's place in the clean text; ``is_found_afterwards`` where it is none of the model's."""

    position: int
    footnote: int
    is_found_afterwards: bool


class Reviewed(Struct, frozen=True):
    """A review that was submitted."""

    id: str
    reviewer: str
    submitted_at: str
    labels: int


class Signed(Struct, frozen=True):
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


class Sampled(Struct, frozen=True):
    """How the answer came into review: by which plan, and how that draws."""

    plan: str
    plan_name: str
    method: str
    stratum: str
    probability: float
    trigger: str


class ReportedEvent(Struct, frozen=True):
    """An event of the ledger about this answer. ``index`` is its place in the log ``origin``; none while it waits to be sealed."""

    id: str
    action: str
    at: str
    by: str
    origin: str
    index: int | None


class ReportedRedaction(Struct, frozen=True):
    """What two people have redacted: parts of the record in words, on which basis, when and who. Bars stand where they were."""

    parts: tuple[str, ...]
    basis: str
    at: str
    by: str


class OnHold(Struct, frozen=True):
    """A legal hold in force on this answer when the report was made: what it covers in words, since when, and who placed it."""

    words: str
    at: str
    by: str


class Answer(Struct, frozen=True):
    """One answer with everything a report says of it. ``left_out`` counts fields that the answer does not draw on.

    ``is_withheld`` says that it is under blind review by people in the reader's role: then nothing but question and answer is here,
    the answer without its markers, and no digest that a guess at these could be tried against.
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
    rows: tuple[FieldRow, ...]
    documents: tuple[Document, ...]
    grounds: Grounds | None
    findings: tuple[Found, ...]
    reviews: tuple[Reviewed, ...]
    signatures: tuple[Signed, ...]
    sampled: Sampled | None
    redactions: tuple[ReportedRedaction, ...]
    holds: tuple[OnHold, ...]
    decisions: tuple[ReportedDecision, ...]
    events: tuple[ReportedEvent, ...]


class Header(Struct, frozen=True):
    """What a report is of: its kind, its title, who holds the records, what it was limited to, and how it is to be read."""

    version: int
    kind: str
    title: str
    organisation: str
    facts: tuple[tuple[str, str], ...]
    all_fields: bool
    reading: str


class Sealed(Struct, frozen=True):
    """A signed checkpoint of a log that covers the events of the report which stand in it."""

    origin: str
    size: int
    root: str
    note: str


class Receipt(Struct, frozen=True):
    """What shows anybody that an event is in its log (C2SP tlog-proof)."""

    event: str
    text: str


class Closing(Struct, frozen=True):
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


class Report(Struct, frozen=True):
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
    if isinstance(value, Struct):
        return {name: as_data(getattr(value, name)) for name in value.__struct_fields__}
    return [as_data(each) for each in value] if isinstance(value, tuple | list) else value


def gather(parts: Iterable[Part]) -> Report:
    """A report out of its parts."""
    header, *answers, closing = parts
    if not isinstance(header, Header) or not isinstance(closing, Closing):
        raise TypeError("A report begins with its header and ends with its closing.")
    return Report(header, [each for each in answers if isinstance(each, Answer)], closing)


# Reads and writes JSON in bulk, several times faster than the standard library, and compresses it.
#
# Where the reader refuses what JSON from elsewhere may hold, such as half of a surrogate pair, the standard library does it.


_LEVEL = 1

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False).encode


def read_json(written: str | bytes) -> Any:
    """The value that was written."""
    try:
        return _DECODER.decode(written)
    except (DecodeError, RecursionError, ValueError):
        return json.loads(written)


def write_json(value: Any) -> bytes:
    """A value or a shape without white space, in UTF-8, names in the order in which they stand; lone surrogates are escaped."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        return _encode(as_data(value)).encode("utf-8", "backslashreplace")


def compress(content: bytes) -> bytes:
    """Return a piece as it is kept."""
    return zlib.compress(content, _LEVEL)


def decompress(packed: bytes) -> bytes:
    """Return what a piece or a stored document holds."""
    return zlib.decompress(packed)


def _plain(value: object) -> str:
    if isinstance(value, Mask):
        return value.plain
    raise TypeError(f"{type(value)} has no form in JSON.")


_DECODER = quick.Decoder()
_ENCODER = quick.Encoder(enc_hook=_plain)
