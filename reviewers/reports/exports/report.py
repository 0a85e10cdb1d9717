"""A report as plain values, from which every format is written, so that values and footnotes agree in all of them.

Offsets are code points of an answer's clean text. Moments are ISO 8601 in UTC. Digests name their hash.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec import json as quick

from reviewers.reports.exports.schema import (
    Agreed,
    Calibrated,
    Document,
    FieldRow,
    Grounds,
    Remark,
    ReportedClaim,
    ReportedDecision,
    ReportedFinding,
    Summary,
)
from reviewers.web.protected_text import Mask

VERSION = 1

READING = (
    "This report shows what the assistant said it used, what can be seen in its answers, and what reviewers made of it: reported and "
    "visible use, not proof of cause. Values are those that the assistant was given at that time."
)


class Note(Struct, frozen=True):
    """A footnote's place in the clean text. ``is_found_afterwards`` is true if the model did not write it."""

    position: int
    footnote: int
    is_found_afterwards: bool


class Reviewed(Struct, frozen=True):
    """A submitted review."""

    id: str
    reviewer: str
    submitted_at: str
    labels: int


class Signed(Struct, frozen=True):
    """A signature: the printed name, the moment in the signer's own time, the meaning, the digest, and whether it still holds."""

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
    """The plan that brought the answer into review, and its sampling."""

    plan: str
    plan_name: str
    method: str
    stratum: str
    probability: float
    trigger: str


class ReportedEvent(Struct, frozen=True):
    """An audit event about an answer. ``index`` is its place in the log ``origin``, or None while it waits to be sealed.

    The event of a label or a decision names its field by ``section`` and ``path``, or its ``source``, with the verdict, as far as the
    reader may know them.
    """

    id: str
    action: str
    at: str
    by: str
    origin: str
    index: int | None
    section: str = ""
    path: str = ""
    source: str = ""
    verdict: str = ""


class ReportedRedaction(Struct, frozen=True):
    """A redaction by two people: the parts in words, the basis, when and who. The text has bars in their place."""

    parts: tuple[str, ...]
    basis: str
    at: str
    by: str


class OnHold(Struct, frozen=True):
    """A legal hold that was in force when the report was made: what it covers, since when, and who placed it."""

    words: str
    at: str
    by: str


class Answer(Struct, frozen=True):
    """One answer with everything that a report says of it. ``left_out`` counts fields that the answer does not draw on.

    ``is_withheld`` is true under blind review by people in the reader's role. The answer then has only the user's message and its own text
    without markers, and no digest against which a guess at the rest could be tried.
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
    findings: tuple[ReportedFinding, ...]
    reviews: tuple[Reviewed, ...]
    signatures: tuple[Signed, ...]
    sampled: Sampled | None
    redactions: tuple[ReportedRedaction, ...]
    holds: tuple[OnHold, ...]
    decisions: tuple[ReportedDecision, ...]
    events: tuple[ReportedEvent, ...]
    unsupported: tuple[ReportedClaim, ...] = ()
    flags: tuple[Remark, ...] = ()
    comments: tuple[Remark, ...] = ()


class Requested(Struct, frozen=True):
    """The request for a report: who made it, in which role, when, and why."""

    by: str
    role: str
    at: str
    reason: str


class Header(Struct, frozen=True):
    """The head of a report: its kind, title, organisation, limits, how to read it, and who asked for it if it was an export."""

    version: int
    kind: str
    title: str
    organisation: str
    facts: tuple[tuple[str, str], ...]
    all_fields: bool
    reading: str
    requested: Requested | None = None


class Sealed(Struct, frozen=True):
    """A signed checkpoint that covers those events of the report that are in its log."""

    origin: str
    size: int
    root: str
    note: str


class Receipt(Struct, frozen=True):
    """Proof that an event is in its log (C2SP tlog-proof)."""

    event: str
    text: str


class Closing(Struct, frozen=True):
    """The end of a report: the number of its answers and of events that wait to be sealed, and the checkpoints over the other events.

    It also has the figures of its answers, the agreement between reviewers, and the profiles under which the answers were shown. Short
    reports have the receipts of all events; longer ones have them in their bundle.
    """

    answers: int
    waiting: int
    checkpoints: tuple[Sealed, ...]
    receipts: tuple[Receipt, ...] = ()
    agreement: tuple[Agreed, ...] = ()
    calibration: tuple[Calibrated, ...] = ()
    summary: Summary = Summary()


class Report(Struct, frozen=True):
    """A whole report in memory, for formats that have to know its end at the beginning."""

    header: Header
    answers: Sequence[Answer]
    closing: Closing


Part = Header | Answer | Closing
"""A part of a report that may be too long for memory: its header, an answer, or its closing."""


def written(moment: datetime) -> str:
    """Return a moment in the form that reports use: ``2026-03-04T01:42:08.000000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def pieces(text: str, notes: tuple[Note, ...]) -> list[tuple[str, Note | None]]:
    """Cut the text at its footnotes: return each piece with the footnote after it."""
    cut: list[tuple[str, Note | None]] = []
    begin = 0
    for note in notes:
        cut.append((text[begin : note.position], note))
        begin = note.position
    return [*cut, (text[begin:], None)]


def as_data(value: Any) -> Any:
    """Return a value as plain JSON values, with structs as objects."""
    if isinstance(value, Struct):
        return {name: as_data(getattr(value, name)) for name in value.__struct_fields__}
    return [as_data(each) for each in value] if isinstance(value, tuple | list) else value


def gather(parts: Iterable[Part]) -> Report:
    """Return the report of these parts."""
    header, *answers, closing = parts
    if not isinstance(header, Header) or not isinstance(closing, Closing):
        raise TypeError("A report begins with its header and ends with its closing.")
    return Report(header, [each for each in answers if isinstance(each, Answer)], closing)


_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False).encode


def write_json(value: Any) -> bytes:
    """Return a value as JSON in UTF-8 without white space, with keys in the order of their class. Lone surrogates are escaped."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        return _encode(as_data(value)).encode("utf-8", "backslashreplace")


def _plain(value: object) -> str:
    if isinstance(value, Mask):
        return value.plain
    raise TypeError(f"{type(value)} has no form in JSON.")


_ENCODER = quick.Encoder(enc_hook=_plain)
