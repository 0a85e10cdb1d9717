"""An attribution as it is stored: of its rows, what a report reads. The rest is passed over while it is read, which is most of it."""

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


class Against(Struct, frozen=True, gc=False):
    """What a row contradicts."""

    recorded: str
    stated: str
    trace: str
    spans: tuple[Span, ...]


class Interval(Struct, frozen=True, gc=False):
    """Between what its confidence lies."""

    interval: tuple[float, float]


class Found(Struct, frozen=True, gc=False):
    """That something of a field was found in the answer; what, its row says."""


class StoredField(Struct, frozen=True, gc=False):
    """A row of it: what the codec writes for a field, with what it leaves out."""

    section: str
    path: str
    field_type: str
    track: str
    hidden: bool = False
    contradiction: Against | None = None
    method: str = "none"
    rule: str = "none"
    score: float = 0.0
    confidence: float = 0.0
    spans: tuple[Span, ...] = ()
    trace: str = ""
    estimate: Interval | None = None
    footnote: int | None = None
    claims: tuple[Span, ...] = ()
    evidence: Found | None = None

    @property
    def is_used(self) -> bool:
        """Whether it claims that the answer draws on its field."""
        return self.track != "neither"


class Mark(Struct, frozen=True, gc=False):
    """A marker of it: where it stood in the raw text, where it stands in the clean one, and its footnote if it has one."""

    raw: Span
    position: int
    footnote: int | None = None


class StoredAttribution(Struct, frozen=True, gc=False):
    """All of it, its markers not read yet."""

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
        """The engine's own object, as if it had no rows."""
        return decode({**asdict(self), "fields": (), "markers": read_json(bytes(self.markers))}, {})

    def marks(self) -> Sequence[Mark]:
        """Its markers."""
        return _marks(bytes(self.markers))

    def rows(self, kept: Collection[FieldKey], *, all_fields: bool) -> Sequence[StoredField]:
        """The rows of fields that the answer draws on or contradicts, or that are ``kept``; or those of all fields. In their order."""
        if all_fields:
            return self.fields
        return [
            row for row in self.fields if row.track != "neither" or row.contradiction or (kept and key_of(row.section, row.path) in kept)
        ]


@lru_cache(4_096)
def key_of(section: str, path: str) -> FieldKey:
    """What labels of a field are kept under: names of fields are the same in answer after answer."""
    return storable(section), storable(path)


def read_stored(packed: bytes) -> StoredAttribution:
    """An attribution, out of its compressed document."""
    written = decompress(packed)
    try:
        return _DOCUMENT.decode(written)
    except (DecodeError, UnicodeDecodeError) as error:
        return convert(_with_raw(_by_hand(written, error)), StoredAttribution)


def _with_raw(told: dict[str, Any]) -> dict[str, Any]:
    return told | {"markers": Raw(json.dumps(told["markers"]).encode())}


def _marks(written: bytes) -> Sequence[Mark]:
    try:
        return _MARKS.decode(written)
    except (DecodeError, UnicodeDecodeError) as error:
        return convert(_by_hand(written, error), list[Mark])


def _by_hand(written: bytes, error: DecodeError | UnicodeDecodeError) -> Any:
    """What the quick reader refuses though it is JSON: half of a surrogate pair. Raises the error where it is of another kind."""
    if isinstance(error, ValidationError):
        raise error
    return json.loads(written)


_DOCUMENT, _MARKS = Decoder(StoredAttribution), Decoder(list[Mark])


# Where the footnotes of an answer stand in its text, in the order in which the review page shows them.


def notes_of(item: ReviewItem, document: StoredAttribution) -> tuple[Note, ...]:
    """Those of fields and of sources together."""
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
    """The text cut at its footnotes: each piece with the one behind it."""
    cut: list[tuple[str, Note | None]] = []
    begin = 0
    for note in notes:
        cut.append((text[begin : note.position], note))
        begin = note.position
    return [*cut, (text[begin:], None)]


# Reads of an attribution what a report shows: of sixty fields an answer draws on a dozen, and only these are made anything of.


_READ = ("record", "_record", "attribution", "grounds", "citations", "shown")


class ShownAttribution(Struct, frozen=True):
    """An attribution as it is stored, and the rows of it that a report shows, in the order of the record."""

    document: StoredAttribution
    rows: Sequence[StoredField]


def trim(loaded: LoadedAnswer, *, all_fields: bool, whole: bool) -> ShownAttribution:
    """What a report shows of an answer.

    Shown are fields that the answer draws on or contradicts, that were seeded, and that somebody has labelled; others if asked for.
    The answer then has its attribution without any rows, unless it is to stay ``whole``. It has none where it has no sources either,
    for then all that is told of it stands in the document as it is stored.
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
    """Let go of what was read of it."""
    read = loaded.item.__dict__
    for name in _READ:
        read.pop(name, None)
