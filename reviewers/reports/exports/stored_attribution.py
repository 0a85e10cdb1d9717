"""Read from a stored attribution what a report shows.

An answer draws on a dozen of sixty fields; only these are kept, and most of the document is skipped while it is parsed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from msgspec import DecodeError, Raw, Struct, ValidationError, convert
from msgspec.json import Decoder
from msgspec.structs import asdict

from attribution import Attribution, DocumentAttribution, Span, decode
from reviewers.reports.exports.loading import LoadedAnswer
from reviewers.reports.exports.report import Note, decompress, read_json
from reviewers.review.items import ReviewItem
from reviewers.review.labels.queries import FieldKey
from reviewers.review.page.sources import SourceNote, source_notes
from reviewers.snapshots.models import storable

_READ = ("record", "_record", "attribution", "grounds", "citations", "shown")


class StoredContradiction(Struct, frozen=True, gc=False):
    """A contradiction as it is stored."""

    recorded: str
    stated: str
    trace: str
    spans: tuple[Span, ...]


class StoredEstimate(Struct, frozen=True, gc=False):
    """The interval of a confidence."""

    interval: tuple[float, float]


class StoredEvidence(Struct, frozen=True, gc=False):
    """A mark that a field has evidence. Its content is skipped."""


class StoredField(Struct, frozen=True, gc=False):
    """A field as the codec writes it, with the defaults that it leaves out."""

    section: str
    path: str
    field_type: str
    track: str
    hidden: bool = False
    contradiction: StoredContradiction | None = None
    method: str = "none"
    rule: str = "none"
    score: float = 0.0
    confidence: float = 0.0
    spans: tuple[Span, ...] = ()
    trace: str = ""
    estimate: StoredEstimate | None = None
    footnote: int | None = None
    claims: tuple[Span, ...] = ()
    evidence: StoredEvidence | None = None

    @property
    def is_used(self) -> bool:
        """True if the answer draws on the field."""
        return self.track != "neither"


class StoredMarker(Struct, frozen=True, gc=False):
    """A marker: its span in the raw text, its position in the clean text, and its footnote if it has one."""

    raw: Span
    position: int
    footnote: int | None = None


class StoredAttribution(Struct, frozen=True, gc=False):
    """A stored attribution, with its markers not parsed yet."""

    clean_text: str
    source: str
    fields: list[StoredField]
    markers: Raw
    guardrails: list[Any]
    hidden_sections: list[str]
    profile: str
    calibrated: bool
    engine: str

    def without_rows(self) -> Attribution:
        """Return the engine's own object, without fields."""
        return decode({**asdict(self), "fields": (), "markers": read_json(bytes(self.markers))}, {})

    def marks(self) -> Sequence[StoredMarker]:
        """Return the markers."""
        return _marks(bytes(self.markers))

    def rows(self, kept: Collection[FieldKey], *, all_fields: bool) -> Sequence[StoredField]:
        """Return the fields that the answer draws on or contradicts, or that are ``kept``, or all fields, in their order."""
        if all_fields:
            return self.fields
        return [
            row for row in self.fields if row.track != "neither" or row.contradiction or (kept and key_of(row.section, row.path) in kept)
        ]


@lru_cache(4_096)
def key_of(section: str, path: str) -> FieldKey:
    """Return the key under which labels of a field are stored. It is cached because fields are the same in answer after answer."""
    return storable(section), storable(path)


def read_stored(packed: bytes) -> StoredAttribution:
    """Return an attribution from its compressed document."""
    written = decompress(packed)
    try:
        return _DOCUMENT.decode(written)
    except (DecodeError, UnicodeDecodeError) as error:
        return convert(_with_raw(_by_hand(written, error)), StoredAttribution)


def _with_raw(told: dict[str, Any]) -> dict[str, Any]:
    return told | {"markers": Raw(json.dumps(told["markers"]).encode())}


def _marks(written: bytes) -> Sequence[StoredMarker]:
    try:
        return _MARKS.decode(written)
    except (DecodeError, UnicodeDecodeError) as error:
        return convert(_by_hand(written, error), list[StoredMarker])


def _by_hand(written: bytes, error: DecodeError | UnicodeDecodeError) -> Any:
    """Parse JSON that the fast reader refuses, such as lone surrogates. Raise the error if it is of another kind."""
    if isinstance(error, ValidationError):
        raise error
    return json.loads(written)


_DOCUMENT, _MARKS = Decoder(StoredAttribution), Decoder(list[StoredMarker])


def notes_of(item: ReviewItem, document: StoredAttribution) -> tuple[Note, ...]:
    """Return the footnotes of fields and sources in the order in which the review page shows them."""
    if item.grounds is None:
        placed = [(each.position, each.raw[0], each.footnote) for each in document.marks() if each.footnote]
        return tuple([Note(position, footnote, is_found_afterwards=False) for position, _, footnote in sorted(placed)])
    return _with_sources(item, item.grounds)


def _with_sources(item: ReviewItem, grounds: DocumentAttribution) -> tuple[Note, ...]:
    markers = item.shown.attribution.markers
    placed = [
        (each.position, each.raw[0], Note(each.position, each.footnote, is_found_afterwards=False)) for each in markers if each.footnote
    ]
    for position, order, note in source_notes(grounds, item.shown.numbers, len(markers)):
        if isinstance(note, SourceNote):
            placed.append((position, order, Note(position, note.number, is_found_afterwards=note.is_found_afterwards)))
    return tuple([note for _, _, note in sorted(placed, key=lambda each: each[:2])])


def pieces(text: str, notes: tuple[Note, ...]) -> list[tuple[str, Note | None]]:
    """Cut the text at its footnotes: return each piece with the footnote after it."""
    cut: list[tuple[str, Note | None]] = []
    begin = 0
    for note in notes:
        cut.append((text[begin : note.position], note))
        begin = note.position
    return [*cut, (text[begin:], None)]


class ShownAttribution(Struct, frozen=True):
    """A stored attribution, and the fields that a report shows, in the order of the context."""

    document: StoredAttribution
    rows: Sequence[StoredField]


def trim(loaded: LoadedAnswer, *, all_fields: bool, whole: bool) -> ShownAttribution:
    """Return what a report shows of an answer, and free the rest.

    Fields are shown if the answer draws on or contradicts them, if they were seeded or labelled, or if all fields are asked for. Unless it
    stays ``whole``, the item's attribution then has no fields; without documents it is not even decoded, because the stored document has
    everything that is told.
    """
    item = loaded.item
    item.__dict__["record"] = item.__dict__["_record"] = read_json(loaded.row.snapshot.record)
    document = read_stored(loaded.row.attribution.document)
    if loaded.row.attribution.documents and not whole:
        item.__dict__["attribution"] = document.without_rows()
    if item.is_blind:
        return ShownAttribution(document, ())
    kept = {key for review in loaded.reviews for key in review.fields} | item.planted
    return ShownAttribution(document, document.rows(kept, all_fields=all_fields))


def forget(loaded: LoadedAnswer) -> None:
    """Free what was read of an answer."""
    read = loaded.item.__dict__
    for name in _READ:
        read.pop(name, None)
