"""An attribution as it is stored: of its rows, what a report reads. The rest is passed over while it is read, which is most of it."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from msgspec import DecodeError, Raw, Struct, ValidationError, convert
from msgspec.json import Decoder
from msgspec.structs import asdict

from attribution import Attribution, Span, decode
from reviewers.reports.exporting.quickly import read_json, unpack
from reviewers.review.given_labels import FieldKey
from reviewers.snapshots.display import storable


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


class Stored(Struct, frozen=True, gc=False):
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


class Document(Struct, frozen=True, gc=False):
    """All of it, its markers not read yet."""

    clean_text: str
    source: str
    fields: list[Stored]
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

    def rows(self, kept: Collection[FieldKey], *, all_fields: bool) -> Sequence[Stored]:
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


def read_stored(packed: bytes) -> Document:
    """An attribution, out of its compressed document."""
    written = unpack(packed)
    try:
        return _DOCUMENT.decode(written)
    except (DecodeError, UnicodeDecodeError) as error:
        return convert(_with_raw(_by_hand(written, error)), Document)


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


_DOCUMENT, _MARKS = Decoder(Document), Decoder(list[Mark])
